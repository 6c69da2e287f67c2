"""Inverse kinematics: what it says is reached is reached, within the ranges; and what it prefers costs least."""

import numpy as np
import pytest

import continuarm as ca
from random_arms import random_arm


def four_muscles(rng, n):
    """An arm whose sections have four muscles, the ranges of which bound q in no simple way."""
    layout = ca.Muscles(angles=np.arange(4) * np.pi / 2 + rng.uniform(0, 1), radii=rng.uniform(0.01, 0.02, 4))
    arm = random_arm(rng, n, payload=False)
    plain = {"stiffness": 1500.0, "damping": 50.0, "muscles": layout, "length_range": (-0.02, 0.05)}
    return arm.replace(sections=[section.replace(**plain) for section in arm.sections])


def reachable_q(rng, arm, count):
    return ca.reachable(arm, 2 * count, seed=int(rng.integers(1000))).q[:count]


def within(arm, q):
    lengths = arm.muscle_lengths(q)
    ranges = [s.length_range or (-s.length / 2, s.length / 2) for s in arm.sections for _ in s.muscle_map]
    least, greatest = np.array(ranges).T
    return bool(((lengths >= least - 1e-12) & (lengths <= greatest + 1e-12)).all())


def arms(rng):
    return [ca.load_arm("prototype"), random_arm(rng, 2), random_arm(rng, 4), four_muscles(rng, 2)]


@pytest.mark.parametrize("seed", range(2))
def test_reachable_positions_are_reached_within_the_ranges(seed):
    rng = np.random.default_rng(seed)
    for arm in arms(rng):
        targets = ca.tip_poses(arm, reachable_q(rng, arm, 500))[:, -1, :3, 3]
        found = ca.inverse_kinematics(arm, targets)
        assert found.reached.mean() >= 0.99
        assert within(arm, found.q)
        off = np.linalg.norm(ca.tip_poses(arm, found.q)[:, -1, :3, 3] - targets, axis=1)
        np.testing.assert_allclose(off, found.distance, atol=1e-15)
        assert (off[found.reached] <= 1e-9).all()


def test_poses_are_reached_in_position_and_in_orientation():
    rng = np.random.default_rng(2)
    for arm in (ca.load_arm("prototype"), random_arm(rng, 3)):
        targets = ca.tip_poses(arm, reachable_q(rng, arm, 200))[:, -1]
        found = ca.inverse_kinematics(arm, pose=targets)
        assert found.reached.mean() >= 0.95
        off = np.abs(ca.tip_poses(arm, found.q)[:, -1] - targets).max(axis=(1, 2))
        assert (off[found.reached] < 3e-9).all()
        assert within(arm, found.q)


@pytest.mark.parametrize("at", [1, 2, (1, 0.3), (3, 0.5)])
def test_any_place_on_the_arm_can_be_the_target(at):
    rng = np.random.default_rng(3)
    arm = random_arm(rng, 3)
    section, xi = at if isinstance(at, tuple) else (at, None)

    def place(q):
        if xi is None:
            return ca.tip_poses(arm, q)[:, section - 1]
        return ca.poses_along(arm, q, xi)[:, section - 1, 0]

    targets = place(reachable_q(rng, arm, 50))[:, :3, 3]
    found = ca.inverse_kinematics(arm, targets, at=at)
    assert found.reached.mean() > 0.9
    np.testing.assert_allclose(place(found.q)[found.reached, :3, 3], targets[found.reached], atol=1e-9)


def test_what_is_out_of_reach_is_named_with_the_nearest_point():
    arm = ca.load_arm("prototype")
    found = ca.inverse_kinematics(arm, [[0.0, 0.0, 1.0], [0.0, 0.1, 0.5]])
    assert found.reached.tolist() == [False, True]
    assert found.distance[0] == pytest.approx(1.0 - 0.45 - 3 * 0.07, abs=1e-6)  # all muscles at their longest
    np.testing.assert_allclose(found.q[0], 0.07, atol=1e-6)
    assert found.reason[0] == "out of reach: the nearest found is 340 mm away"
    assert found.reason[1] == ""
    with pytest.raises(ValueError, match=r"no posture of 'prototype' at index \[0\] of the batch: out of reach"):
        found.q_or_raise(arm)


def test_no_posture_near_by_that_reaches_the_target_has_less_elastic_energy():
    rng = np.random.default_rng(4)
    for arm in arms(rng):
        targets = ca.tip_poses(arm, reachable_q(rng, arm, 30))[:, -1, :3, 3]
        found = ca.inverse_kinematics(arm, targets, prefer="energy")
        energy = ca.elastic_energy(arm, found.q)
        for _ in range(10):
            start = found.q + 3e-3 * rng.normal(size=found.q.shape)
            other = ca.inverse_kinematics(arm, targets, start=start)
            both = found.reached & other.reached & (np.abs(other.q - found.q).max(axis=1) < 0.01)
            assert (ca.elastic_energy(arm, other.q)[both] > 0.98 * energy[both]).all()


def test_the_least_change_stays_where_it_is_and_goes_no_further_than_others():
    rng = np.random.default_rng(5)
    arm = ca.load_arm("prototype")
    q = rng.uniform(0.01, 0.06, (40, 9))
    here = ca.tip_poses(arm, q)[:, -1, :3, 3]
    np.testing.assert_array_equal(ca.inverse_kinematics(arm, here, start=q, prefer="change").q, q)
    targets = here + rng.normal(0, 0.01, here.shape)
    least = ca.inverse_kinematics(arm, targets, start=q, prefer="change")
    plain = ca.inverse_kinematics(arm, targets, start=q)
    both = least.reached & plain.reached
    way, other = (np.linalg.norm(each.q - q, axis=1) for each in (least, plain))
    assert (way[both] <= other[both] * (1 + 1e-9)).all()
    # on the way back to the start there is no way but along the target: q - start is in the span of Jᵀ
    inside = both & ((least.q > 1e-9) & (least.q < 0.07 - 1e-9)).all(axis=1)
    assert inside.sum() > 10
    for J, moved in zip(ca.tip_jacobian(arm, least.q[inside])[:, -1, 3:], (least.q - q)[inside], strict=True):
        left = moved - J.T @ np.linalg.lstsq(J.T, moved, rcond=None)[0]
        assert np.linalg.norm(left) < 0.02 * np.linalg.norm(moved)


def test_several_solutions_reach_one_target_and_differ():
    arm = ca.load_arm("prototype")
    found = ca.inverse_kinematics(arm, [[0.1, 0.1, 0.5], [0.0, 0.1, 0.4]], solutions=5)
    assert found.q.shape == (2, 5, 9)
    assert found.reached.all()
    apart = np.abs(found.q[:, :, None] - found.q[:, None]).max(axis=-1) + np.eye(5)
    assert apart.min() > 1e-3


def test_a_batch_is_its_parts_and_limits_are_kept():
    rng = np.random.default_rng(6)
    arm = ca.load_arm("prototype")
    targets = ca.tip_poses(arm, rng.uniform(0.01, 0.04, (6, 9)))[:, -1, :3, 3].reshape(2, 3, 3)
    found = ca.inverse_kinematics(arm, targets, limits=(0.005, 0.045))
    assert found.q.shape == (2, 3, 9)
    assert found.q.min() >= 0.005
    assert found.q.max() <= 0.045
    np.testing.assert_allclose(found.q[1, 2], ca.inverse_kinematics(arm, targets[1, 2], limits=(0.005, 0.045)).q)
    assert ca.inverse_kinematics(arm, np.zeros((0, 3))).q.shape == (0, 9)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "position, pose: must be one of the two"),
        ({"position": [0.0, 1.0]}, "position has shape (2,): must be (..., 3)"),
        ({"pose": np.ones((4, 4))}, "pose: must be a rotation and a position"),
        ({"position": [0, 0, 0.4], "at": 4}, "at = 4: must be a whole number of at most 3"),
        ({"position": [0, 0, 0.4], "at": (1, 2.0)}, "a section's number, or a pair of it and ξ"),
        ({"position": [0, 0, 0.4], "limits": (1, 0)}, "limits of l11 = 1 to 0 m: must ascend"),
        ({"position": [0, 0, 0.4], "prefer": "beauty"}, "prefer = 'beauty': must be 'energy' or 'change'"),
        ({"position": [0, 0, 0.4], "prefer": "change"}, "needs a start"),
    ],
)
def test_bad_targets_are_refused(given, words):
    with pytest.raises(ValueError, match=r"must|needs") as error:
        ca.inverse_kinematics(ca.load_arm("prototype"), **given)
    assert words in str(error.value)


def test_the_workspace_is_within_what_the_arm_can_be_long():
    rng = np.random.default_rng(7)
    for arm in arms(rng):
        found = ca.reachable(arm, 2000)
        assert found.points.shape == (2000, 3)
        assert within(arm, found.q)
        np.testing.assert_array_equal(found.points, ca.tip_poses(arm, found.q)[:, -1, :3, 3])
    assert len(ca.reachable(ca.load_arm("prototype"), 500).plot().axes) == 3
