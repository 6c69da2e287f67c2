"""Laws of resting shapes: they are where the arm rests, and nowhere else."""

from __future__ import annotations

import numpy as np

from continuarm import PressureSteps
from continuarm.identification.recording import Recording
from continuarm.identification.resting_shapes import resting_shapes
from continuarm.identification.sensor_frame_and_delay import simulated_readings
from continuarm.identification.simulated_tracks import simulated_track
from continuarm.identification.synthetic_recordings import simulated_recording, tip_sensors


def test_resting_shapes_are_where_the_arm_rests(prototype):
    quick = prototype.replace(sections=[s.replace(stiffness=4000.0, damping=300.0) for s in prototype.sections])
    steps = PressureSteps({"l11": [(1.5, 500e3)], "l33": [(6.0, 400e3)]})
    times = np.arange(361) / 30
    seen = simulated_recording(quick, Recording("run", steps, times, tip_sensors(quick, 361)), noise=1e-3)
    ends = resting_shapes(seen, quick)
    assert len(ends.times) == 3  # before the first step, before the second, at the end
    rest, _ = simulated_readings(ends, simulated_track(quick, ends))
    # medians of 16 samples: 1.25 mm / 4, and the last of the motion
    assert (
        max(np.abs(sensor.difference(values)).max() for sensor, values in zip(ends.sensors, rest, strict=True)) < 2e-3
    )
    swinging = simulated_recording(
        prototype, Recording("run", steps, times[:45], tip_sensors(prototype, 45)), noise=1e-4
    )
    assert len(resting_shapes(swinging, prototype).times) == 1


def test_a_slow_camera_shows_the_same_resting_shapes_and_no_others(prototype):
    quick = prototype.replace(sections=[s.replace(stiffness=4000.0, damping=300.0) for s in prototype.sections])
    steps = PressureSteps({"l11": [(1.5, 500e3)], "l33": [(6.0, 400e3)]})
    times = np.arange(721) / 60
    for arm, rests in ((quick, 3), (prototype, None)):
        seen = simulated_recording(arm, Recording("run", steps, times, tip_sensors(arm, 721)), noise=1e-4)
        gaps = np.repeat((np.arange(721) % 3 != 0)[:, None], 3, axis=1)  # no two samples in neighbouring rows
        whole, slow = resting_shapes(seen, arm), resting_shapes(seen.without([gaps] * 3), arm)
        assert len(slow.times) == len(whole.times) == (rests or len(whole.times))
        for one, other in zip(slow.sensors, whole.sensors, strict=True):
            np.testing.assert_allclose(one.values, other.values, rtol=0, atol=1e-3)
