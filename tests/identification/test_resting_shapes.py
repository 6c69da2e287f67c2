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
