"""Laws of frames and delays: a late sample shows the arm as it was, a moved camera the same shape elsewhere."""

from __future__ import annotations

import numpy as np
import pytest
from sample_recordings import STEPS
from scipy.spatial.transform import Rotation

from continuarm import PressureSteps
from continuarm.identification.recording import Recording
from continuarm.identification.sensor_frame_and_delay import best_delay, frame_pose, simulated_readings
from continuarm.identification.simulated_tracks import simulated_track
from continuarm.identification.synthetic_recordings import simulated_recording, tip_sensors


def test_a_late_recording_shows_the_arm_as_it_was(prototype):
    recording = Recording("run", PressureSteps(STEPS), np.arange(300) / 200, tip_sensors(prototype, 300))
    simulated = simulated_track(prototype, recording)
    here, late = (
        simulated_readings(recording, simulated)[0][2],
        simulated_readings(recording, simulated, delay=0.05)[0][2],
    )
    np.testing.assert_allclose(late[10:], here[:-10], rtol=0, atol=1e-12)
    np.testing.assert_allclose(late[:10], np.broadcast_to(here[0], (10, 3)), rtol=0, atol=1e-12)  # at rest before
    early = simulated_readings(recording, simulated, delay=-0.2)[0][2]
    np.testing.assert_allclose(early[:-40], here[40:], rtol=0, atol=1e-12)


def test_a_moved_camera_sees_the_same_shape_elsewhere(section):
    recording = Recording("run", PressureSteps({"l11": [(0.3, 400e3)]}), np.arange(60) / 30, tip_sensors(section, 60))
    simulated, turn, origin = simulated_track(section, recording), np.array([0.3, -0.2, 0.5]), np.array([1.0, 2.0, 3.0])
    (here,), _ = simulated_readings(recording, simulated)
    (there,), _ = simulated_readings(recording, simulated, frame=frame_pose(turn, origin))
    np.testing.assert_allclose(there, Rotation.from_rotvec(turn).apply(here) + origin, rtol=0, atol=1e-12)


@pytest.mark.parametrize("delay", [-0.13, 0.0, 0.07])
def test_the_delay_of_a_recording_is_found(section, delay):
    recording = Recording("run", PressureSteps({"l11": [(0.3, 400e3)]}), np.arange(60) / 30, tip_sensors(section, 60))
    late = simulated_recording(section, recording, noise=5e-4, delay=delay)
    assert best_delay(late, simulated_track(section, late), None) == pytest.approx(delay, abs=2e-3)
    table = Recording.table("table", tip_sensors(section, 1), arm=section)
    assert best_delay(table, simulated_track(section, table), None) == 0.0
