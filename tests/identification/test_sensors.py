"""Laws of sensors: orientations are rotations, and what cannot be of an arm is refused."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from continuarm import tip_poses
from continuarm.identification.recording import Recording
from continuarm.identification.recording_checks import checked_recording
from continuarm.identification.sensors import MuscleLength, TipOrientation, TipPosition
from refusals import refused


def test_orientations_are_rotations_not_numbers(prototype):
    rng = np.random.default_rng(0)
    q = rng.uniform(0, 0.05, (20, 9))
    poses = tip_poses(prototype, q)
    small = 0.01 * rng.normal(size=(20, 3))
    turned = Rotation.from_matrix(poses[:, 2, :3, :3]) * Rotation.from_rotvec(small)
    vectors = turned.as_rotvec()
    longer = vectors * (1 - 2 * np.pi / np.linalg.norm(vectors, axis=1, keepdims=True))
    for values in (vectors, longer, turned.as_quat()[:, [3, 0, 1, 2]], -turned.as_quat()[:, [3, 0, 1, 2]]):
        sensor = TipOrientation(3, values)
        np.testing.assert_allclose(sensor.difference(sensor.reading(poses, {})), small, rtol=0, atol=1e-12)
        # what is drawn beside the measured vector is near it
        assert np.abs(sensor.reading(poses, {}) - sensor.values).max() < 0.1


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: TipPosition(1, np.zeros((2, 2))), ["tip 1", "(2, 2)", "(k, 3)"]),
        (lambda: TipPosition(1, np.full((2, 3), np.inf)), ["tip 1", "infinite", "NaN"]),
        (lambda: MuscleLength("l11", np.zeros(2), sigma=0.0), ["sigma of l11 = 0.0", "above 0 m"]),
    ],
)
def test_sensors_that_cannot_be_are_refused(make, named):
    with refused(*named):
        make()


def test_sensors_must_be_of_the_arm(prototype):
    for sensor, named in (
        (TipPosition(4, np.zeros((2, 3))), ("tip 4", "section 4", "1 to 3", "'prototype'")),
        (MuscleLength("l14", np.zeros(2)), ("'l14'", "l11 to l33", "'prototype'")),
    ):
        with refused("run: ", *named):
            checked_recording(Recording("run", None, [0.0, 1.0], [sensor]), prototype)
