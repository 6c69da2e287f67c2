"""From what gauges read to the pressures in the lines."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.arms.rig import Line
from continuarm.common.number_checks import Floats

VENTED = 1.0
"""s: the lowest that a gauge reads is its lowest mean over so long, in which noise is gone."""
MANY = 5
"""Rows that a mean needs; rows of a static table, and commands that hold for long, are taken one by one."""


def line_pressures(arm: Arm, times: Floats, readings: Floats) -> Floats:
    """Pressures (k, muscles), Pa, from readings of their gauges at times (k,): gain (reading - offset) by the rig.

    With gauge_zero = "lowest" the gauges of a section have drifted together, by as much as the one that reads lowest,
    over its `lowest`, lies above that. Below zero nothing is cut off here.
    """
    if arm.rig is None:
        return readings
    gains, offsets, lowest = _gauges(arm)
    shifted = readings - offsets
    if arm.rig.gauge_zero == "lowest":
        ends = np.cumsum([len(section.muscle_map) for section in arm.sections])
        for own in np.split(np.arange(readings.shape[1]), ends[:-1]):
            shifted[:, own] -= _lowest_mean(times, readings[:, own] - lowest[own])
    return gains * shifted


def gauge_readings(arm: Arm, pressures: Floats) -> Floats:
    """What gauges read of pressures (..., muscles), Pa: pressure / gain + offset by the rig, gauges not drifted."""
    if arm.rig is None:
        return pressures
    gains, offsets, _ = _gauges(arm)
    return pressures / gains + offsets


def _gauges(arm: Arm) -> tuple[Floats, Floats, Floats]:
    """Gain, offset, Pa, and lowest reading, Pa, of the gauge of every muscle's line: (muscles,) each."""
    gains, offsets, lowest = (np.full(len(arm.muscle_names), value) for value in (1.0, 0.0, 0.0))
    for gauge in () if arm.rig is None else arm.rig.gauges:
        line = arm.muscle_lines[arm.muscle_columns[gauge.line]]
        columns = [arm.muscle_columns[name] for name in line.muscles]
        gains[columns], offsets[columns] = gauge.gain, gauge.offset
        lowest[columns] = gauge.offset if gauge.lowest is None else gauge.lowest
    return gains, offsets, lowest


def lines_read(arm: Arm, named: Sequence[str]) -> list[Line]:
    """The lines whose readings are needed where those of some muscles are given.

    Lines with a gauge, whose reading of no pressure need not be 0; and, where the zero of a section is read off its
    lowest reading, all lines of a section of which one is given.
    """
    if arm.rig is None:
        return []
    needed = {arm.muscle_lines[arm.muscle_columns[gauge.line]] for gauge in arm.rig.gauges}
    if arm.rig.gauge_zero == "lowest":
        counts = [len(section.muscle_map) for section in arm.sections]
        section_of = dict(zip(arm.muscle_names, np.repeat(np.arange(arm.n), counts), strict=True))
        given = {section_of[name] for name in named}
        needed |= {
            line for name, line in zip(arm.muscle_names, arm.muscle_lines, strict=True) if section_of[name] in given
        }
    return [line for line in dict.fromkeys(arm.muscle_lines) if line in needed]


def _lowest_mean(times: Floats, values: Floats) -> float:
    """The lowest mean of any column (k, columns) over VENTED seconds; of rows that are further apart, the lowest."""
    if len(times) < MANY or times[-1] - times[0] <= VENTED or float(np.median(np.diff(times))) > VENTED / MANY:
        return float(values.min())
    pieces = np.diff(times)[:, None] * (values[1:] + values[:-1]) / 2
    total = np.concatenate([np.zeros((1, values.shape[1])), np.cumsum(pieces, axis=0)])
    ends = times[times >= times[0] + VENTED]
    before = np.stack([np.interp(ends - VENTED, times, column) for column in total.T], axis=-1)
    return float((total[times >= times[0] + VENTED] - before).min() / VENTED)
