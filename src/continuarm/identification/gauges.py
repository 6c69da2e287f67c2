"""From what gauges read to the pressures in the lines."""

from __future__ import annotations

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.common.number_checks import Floats

LOWEST_PART = 0.02
"""Of the readings of a gauge, those below which noise may lie: what is lowest, without noise, is this quantile."""


def line_pressures(arm: Arm, readings: Floats) -> Floats:
    """Pressures (k, muscles), Pa, from readings of their gauges: gain (reading - offset) by the arm's rig.

    With gauge_zero = "lowest" the gauges of a section have one more offset in common, which makes the lowest of their
    readings zero. Below zero nothing is cut off here.
    """
    if arm.rig is None:
        return readings
    gains, offsets = np.ones(readings.shape[1]), np.zeros(readings.shape[1])
    for gauge in arm.rig.gauges:
        line = arm.muscle_lines[arm.muscle_columns[gauge.line]]
        columns = [arm.muscle_columns[name] for name in line.muscles]
        gains[columns], offsets[columns] = gauge.gain, gauge.offset
    shifted = readings - offsets
    if arm.rig.gauge_zero == "lowest":
        ends = np.cumsum([len(section.muscle_map) for section in arm.sections])
        for own in np.split(np.arange(readings.shape[1]), ends[:-1]):
            shifted[:, own] -= np.quantile(shifted[:, own], LOWEST_PART, axis=0).min()
    return gains * shifted
