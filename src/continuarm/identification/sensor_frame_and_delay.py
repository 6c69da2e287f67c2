"""Between a simulated arm and its sensors: the frame that positions are measured in, and how late samples are."""

from __future__ import annotations

import numpy as np

from continuarm.common.number_checks import Booleans, Floats
from continuarm.engine.quantities import tip_poses
from continuarm.identification.outliers import robust_sigma
from continuarm.identification.recording import LONGEST_DELAY, Recording
from continuarm.identification.simulated_tracks import Track

LIKELY, FINE, COARSE = 0.2, 0.01, 0.05
"""s: delays of cameras are mostly within the first, which is searched in steps of the second; beyond, of the third."""


def simulated_readings(
    recording: Recording, simulated: Track, delay: float = 0.0, frame: Floats | None = None
) -> tuple[list[Floats], Booleans]:
    """What each sensor would read, (k, width) each, and at which samples (k,) the motion had ended.

    A sample at t shows the arm at t - delay. frame: (4, 4), pose of the world in the frame of the positions.
    """
    if recording.static:
        q, lost = simulated.q, simulated.lost
    else:
        q, lost = simulated.at(recording.times - delay)
    arm = simulated.arm
    poses = tip_poses(arm, q)
    poses = poses if frame is None else frame @ poses
    lengths = dict(zip(arm.muscle_names, arm.muscle_lengths(q).T, strict=True))
    return [sensor.reading(poses, lengths) for sensor in recording.sensors], lost


def best_delay(recording: Recording, simulated: Track, frame: Floats | None, longest: float = LONGEST_DELAY) -> float:
    """By how much a recording is late, s: where its sensors differ least from the simulated run; 0 of a static table.

    From the best of a grid over ±longest, fine where delays are likely and coarse beyond; of equal ones the smallest.
    A run must be simulated for so long after the last sample.
    """
    from scipy.optimize import minimize_scalar

    if recording.static:
        return 0.0

    def distance(delay: float) -> float:
        readings, _ = simulated_readings(recording, simulated, delay, frame)
        left = [sensor.difference(each) for sensor, each in zip(recording.sensors, readings, strict=True)]
        return float(sum(np.log(robust_sigma(each[np.isfinite(each)]) + 1e-9) for each in left))

    def nearest(grid: Floats) -> float:
        grid = grid[np.abs(grid) <= longest + 1e-9]
        grid = grid[np.argsort(np.abs(grid), kind="stable")]
        return float(grid[np.argmin([distance(delay) for delay in grid])])

    coarse = np.arange(COARSE, longest + COARSE, COARSE)
    coarse = coarse[coarse > LIKELY + 1e-9]
    likely = np.linspace(-LIKELY, LIKELY, 2 * round(LIKELY / FINE) + 1)
    near = nearest(np.concatenate([-coarse, likely, coarse]))
    if abs(near) > LIKELY - COARSE:
        near = nearest(near + np.linspace(-COARSE, COARSE, 2 * round(COARSE / FINE) + 1))
    return float(minimize_scalar(distance, bounds=(near - FINE, near + FINE), method="bounded").x)
