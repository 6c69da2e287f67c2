"""Laws of frames and delays: a late sample shows the arm as it was, a moved camera the same shape elsewhere."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sample_recordings import STEPS, changed, run_of
from scipy.spatial.transform import Rotation

from continuarm import Free, PressureSteps
from continuarm.arms.rig import frame_pose
from continuarm.identification.fit import identify
from continuarm.identification.recording import Recording
from continuarm.identification.sensor_frame_and_delay import best_delay, simulated_readings
from continuarm.identification.simulated_tracks import simulated_track, time_ahead
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


@pytest.mark.parametrize("delay", [-1.43, -0.13, 0.0, 0.07, 0.212, 1.0, 1.93])
def test_the_delay_of_a_recording_is_found(section, delay):
    steps = PressureSteps({"l11": [(0.3, 400e3)], "l12": [(1.6, 300e3)]})
    recording = Recording("run", steps, np.arange(105) / 30, tip_sensors(section, 105))
    late = simulated_recording(section, recording, noise=5e-4, delay=delay)
    assert best_delay(late, simulated_track(section, late), None) == pytest.approx(delay, abs=2e-3)
    table = Recording.table("table", tip_sensors(section, 1), arm=section)
    assert best_delay(table, simulated_track(section, table), None) == 0.0


def test_of_delays_that_are_all_alike_the_smallest_is_taken(section):
    still = Recording("run", None, np.arange(60) / 30, tip_sensors(section, 60))
    still = simulated_recording(section, still, noise=0.0)
    assert abs(best_delay(still, simulated_track(section, still), None)) < 0.02


def test_bounds_of_a_search_for_a_delay_may_be_wider(section):
    steps = PressureSteps({"l11": [(0.3, 400e3)], "l12": [(1.6, 300e3)]})
    recording = Recording("run", steps, np.arange(240) / 30, tip_sensors(section, 240))
    late = simulated_recording(section, recording, noise=5e-4, delay=4.23)
    found = best_delay(late, simulated_track(section, late), None, longest=5.0)
    assert found == pytest.approx(4.23, abs=3e-3)


@given(st.floats(-10, 10))
def test_a_run_is_simulated_for_as_long_as_its_samples_may_show(delay):
    ahead = time_ahead(delay)
    assert ahead >= max(0.0, -delay) + 0.1
    assert ahead <= max(0.0, -delay) + 0.41


@pytest.mark.parametrize(("delay", "asked"), [(-0.8, []), (1.6, []), (3.1, [Free("delay", (0, 10), 3.5)])])
def test_a_fit_finds_long_delays(section, delay, asked):
    steps = {"l11": [(0.31, 400e3)], "l12": [(1.52, 300e3)], "l13": [(2.83, 450e3)]}
    run = run_of(section, steps=steps, count=240, delay=delay)
    found = identify(changed(section, stiffness=1.2), run, ["stiffness", *asked])
    assert found["delay of run"].value == pytest.approx(delay, abs=2e-3)
    assert found["stiffness"].value == pytest.approx(1700, rel=0.01)
