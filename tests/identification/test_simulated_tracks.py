"""Laws of simulated recordings: they begin as they say, are cubics between states, and end without a NaN."""

from __future__ import annotations

import numpy as np
from sample_recordings import STEPS

from continuarm import PressureSteps, equilibrium, simulate
from continuarm.identification.recording import Recording
from continuarm.identification.sensor_frame_and_delay import simulated_readings
from continuarm.identification.simulated_tracks import simulated_track
from continuarm.identification.synthetic_recordings import simulated_recording, tip_sensors
from refusals import refused


def test_between_its_states_a_run_is_a_cubic(prototype):
    recording = Recording(
        "run", PressureSteps(STEPS), np.linspace(0, 1.5, 1501), tip_sensors(prototype, 1501), "unbent"
    )
    seen, _ = simulated_readings(recording, simulated_track(prototype, recording))
    fine = simulate(prototype, PressureSteps(STEPS), duration=1.5, rate=1000).tips
    # a step changes velocities within a millisecond: without states closer after it, the cubic misses 0.2 mm there
    assert np.abs(np.stack(seen, axis=1) - fine).max() < 5e-6


def test_a_recording_begins_as_it_says(prototype):
    steps, times = PressureSteps({"l11": [(0.0, 500e3)]}), np.arange(10) / 30
    first = {}
    for start in ("equilibrium", "hanging", "unbent"):
        first[start] = simulated_track(prototype, Recording("run", steps, times, tip_sensors(prototype, 10), start)).q[
            0
        ]
    pushed = prototype.muscle_forces(1.327e-4 * (5e5 - 90e3) * np.eye(9)[0])
    np.testing.assert_allclose(first["equilibrium"], equilibrium(prototype, pushed), rtol=0, atol=1e-12)
    np.testing.assert_allclose(first["hanging"], equilibrium(prototype), rtol=0, atol=1e-12)
    assert not first["unbent"].any()


def test_a_motion_that_ends_leaves_no_nan(prototype):
    soft = prototype.replace(sections=[s.replace(stiffness=300.0) for s in prototype.sections])
    recording = Recording("run", PressureSteps({"l11": [(0.1, 600e3)]}), np.arange(60) / 30, tip_sensors(prototype, 60))
    simulated = simulated_track(soft, recording)
    assert simulated.stopped
    seen, lost = simulated_readings(recording, simulated)
    assert 0 < lost.sum() < 60
    assert np.isfinite(np.stack(seen)).all()
    with refused("run: t = "):
        simulated_recording(soft, recording)
