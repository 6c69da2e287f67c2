"""Laws of poses and Jacobians."""

import numpy as np
import pytest

from continuarm import (
    Arm,
    Section,
    backbone,
    centres_of_gravity,
    elastic_forces,
    gravity_forces,
    poses_along,
    static_stiffness,
    tip_jacobian,
    tip_poses,
    wrench_forces,
)
from random_arms import MODELS, NEARLY_STRAIGHT, lengths, random_arm, random_lengths

STEP = 1e-7


@pytest.mark.parametrize("bend", [None, *NEARLY_STRAIGHT, 2 * np.pi])
def test_every_orientation_is_a_rotation(bend):
    rng = np.random.default_rng(0)
    arm = random_arm(rng, 5)
    R = poses_along(arm, random_lengths(rng, arm, bend), np.linspace(0, 1, 7))[..., :3, :3]
    np.testing.assert_allclose(R @ np.swapaxes(R, -1, -2), np.broadcast_to(np.eye(3), R.shape), rtol=0, atol=1e-12)
    np.testing.assert_allclose(np.linalg.det(R), 1, rtol=0, atol=1e-12)


def test_sections_are_arcs_of_their_length_and_angle():
    rng = np.random.default_rng(1)
    arm = random_arm(rng, 3)
    bends, stretches = [0.5, 3.0, 6.0], [0.9, 1.0, 1.4]
    q = lengths(arm, bends, rng.uniform(-3, 3, 3), stretches)
    points = backbone(arm, q, points=2001).reshape(3, 2001, 3)
    chords = np.linalg.norm(np.diff(points, axis=1), axis=2)
    for section, bend, stretch, chord in zip(arm.sections, bends, stretches, chords, strict=True):
        # the chord of a small angle δ is shorter than its arc by δ²/24
        s = section.length * stretch
        assert chord.sum() == pytest.approx(s * (1 - (bend / 2000) ** 2 / 24), rel=1e-10)
        assert np.ptp(chord) < 1e-10
    tangents = poses_along(arm, q, [0, 1])[..., :3, 2]
    for (first, last), bend in zip(tangents, bends, strict=True):
        assert first @ last == pytest.approx(np.cos(bend), abs=1e-12)


def test_muscles_have_the_lengths_they_say():
    """The muscle at angle θ_j on radius r runs parallel to the axis: its length is ∫ |p˙ + r ...| = L + l_j."""
    section = Section(length=0.2, radius=0.03, mass=0.1, stiffness=1.0)
    arm = Arm(sections=[section])
    q = lengths(arm, [1.7], [0.8], [1.1])
    poses = poses_along(arm, q, np.linspace(0, 1, 4001))[0]
    for j, angle in enumerate(np.array([0, 2, 4]) * np.pi / 3):
        path = poses @ [0.03 * np.cos(angle), 0.03 * np.sin(angle), 0, 1]
        length = np.linalg.norm(np.diff(path[:, :3], axis=0), axis=1).sum()
        assert length == pytest.approx(0.2 + q[j], rel=1e-7)


def test_an_unbent_arm_points_along_the_base_axis():
    section = Section(length=0.15, radius=0.0125, mass=0.1, stiffness=1.0, offset=0.01)
    arm = Arm(sections=[section] * 3)
    np.testing.assert_array_equal(tip_poses(arm, np.zeros(9))[:, 2, 3], np.cumsum([0.15 + 0.01] * 3))
    np.testing.assert_array_equal(tip_poses(arm, np.zeros(9))[:, :2, 3], 0)


def test_a_longer_first_muscle_bends_the_arm_away_from_it():
    arm = Arm(sections=[Section(length=0.15, radius=0.0125, mass=0.1, stiffness=1.0)])
    x, y, _ = tip_poses(arm, [0.01, 0, 0])[0, :3, 3]
    assert x < 0
    assert abs(y) < 1e-16


def test_poses_at_the_ends_of_a_section_meet_the_tips():
    rng = np.random.default_rng(3)
    arm = random_arm(rng, 4)
    q = random_lengths(rng, arm)
    ends, tips = poses_along(arm, q, [0, 1]), tip_poses(arm, q)
    np.testing.assert_allclose(ends[1:, 0], tips[:-1], rtol=0, atol=1e-14)
    for section, end, tip in zip(arm.sections, ends[:, 1], tips, strict=True):
        np.testing.assert_allclose(tip[:3, 3], end[:3, 3] + section.offset * end[:3, 2], rtol=0, atol=1e-14)


@pytest.mark.parametrize("bend", [None, *NEARLY_STRAIGHT])
def test_tip_jacobian_is_the_derivative_of_the_tip_poses(bend):
    rng = np.random.default_rng(4)
    arm = random_arm(rng, 3)
    q = random_lengths(rng, arm, bend)
    if bend is None:
        q = random_lengths(rng, arm, 3.0)  # away from the edge, where the difference would step outside
    J = tip_jacobian(arm, q)
    for j, unit in enumerate(np.eye(9)):
        rate = (tip_poses(arm, q + STEP * unit) - tip_poses(arm, q - STEP * unit)) / (2 * STEP)
        scale = np.abs(J).max()
        np.testing.assert_allclose(J[:, 3:, j], rate[:, :3, 3], rtol=0, atol=1e-7 * scale)
        spin = rate[:, :3, :3] @ np.swapaxes(tip_poses(arm, q)[:, :3, :3], -1, -2)
        found = np.stack([spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]], axis=-1)
        np.testing.assert_allclose(J[:, :3, j], found, rtol=0, atol=1e-7 * scale)


def test_tips_do_not_move_with_the_muscles_beyond_them():
    rng = np.random.default_rng(5)
    arm = random_arm(rng, 4)
    J = tip_jacobian(arm, random_lengths(rng, arm))
    for i in range(4):
        assert (J[i, :, 3 * i + 3 :] == 0).all()


def test_kinematics_takes_batches():
    rng = np.random.default_rng(6)
    arm = random_arm(rng, 2)
    q = np.stack([[random_lengths(rng, arm) for _ in range(3)] for _ in range(2)])
    for function, shape in ((tip_poses, (2, 3, 2, 4, 4)), (tip_jacobian, (2, 3, 2, 6, 6)), (backbone, (2, 3, 100, 3))):
        batch = function(arm, q)
        assert batch.shape == shape
        np.testing.assert_allclose(batch[1, 2], function(arm, q[1, 2]), rtol=0, atol=1e-14)


def test_centres_of_gravity_are_means_along_the_sections():
    rng = np.random.default_rng(11)
    arm = random_arm(rng, 3)
    q = np.stack([random_lengths(rng, arm) for _ in range(4)])
    nodes, weights = np.polynomial.legendre.leggauss(30)
    along = poses_along(arm, q, (nodes + 1) / 2)[..., :3, 3]
    np.testing.assert_allclose(centres_of_gravity(arm, q), np.einsum("k,...ikc->...ic", weights / 2, along), atol=1e-14)


def test_wrench_forces_are_the_transposed_jacobian_times_the_wrench():
    rng = np.random.default_rng(12)
    arm = random_arm(rng, 3)
    q, wrench = np.stack([random_lengths(rng, arm) for _ in range(4)]), rng.normal(size=(4, 6))
    wanted = np.einsum("brj,br->bj", tip_jacobian(arm, q)[:, -1], wrench)
    np.testing.assert_allclose(wrench_forces(arm, q, wrench), wanted, atol=1e-13 * np.abs(wanted).max())


@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.model)
def test_static_stiffness_is_the_slope_of_what_holds_the_arm(model):
    rng = np.random.default_rng(13)
    arm = random_arm(rng, 2, model)
    arm = arm.replace(sections=[s.replace(length_range=(-0.001, 0.001), stop_stiffness=5e4) for s in arm.sections])
    q, wrench = random_lengths(rng, arm, 1.0), rng.normal(size=6)

    def holding(q):
        return gravity_forces(arm, q) + elastic_forces(arm, q) - wrench_forces(arm, q, wrench)

    step = 1e-6
    wanted = np.stack([(holding(q + e) - holding(q - e)) / (2 * step) for e in step * np.eye(6)], axis=-1)
    # central differences: 1e-6 m over some 10 mm leave 1e-8, rounding over the step 1e-9
    np.testing.assert_allclose(static_stiffness(arm, q, wrench), wanted, atol=1e-7 * np.abs(wanted).max())
    force = np.array([0, 0, 0, *wrench[3:]])
    stiff = static_stiffness(arm, q, force)
    np.testing.assert_allclose(stiff, stiff.T, atol=1e-11 * np.abs(stiff).max())  # a force has an energy
