"""Laws of poses and Jacobians."""

import numpy as np
import pytest

from continuarm import Arm, Section, backbone, poses_along, tip_jacobian, tip_poses
from random_arms import NEARLY_STRAIGHT, lengths, random_arm, random_lengths

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
