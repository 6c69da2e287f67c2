"""Resting shapes inside a run: where the arm stood still at the end of constant commands, as a static table."""

from __future__ import annotations

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.common.number_checks import Floats
from continuarm.identification.recording import CommandRows, Recording
from continuarm.identification.sensors import medians

WINDOW = 0.5
"""s: the last part of a stretch of constant commands that is looked at."""
STILL = 0.003
"""What counts as standing still from one half of the window to the other, over the arm's reach and in rad."""


def resting_shapes(recording: Recording, arm: Arm) -> Recording | None:
    """A static table of where the arm stood still at the end of every stretch of constant commands; None if nowhere.

    A row is the median of the window, if no sensor moves within its noise, or by more than a few thousandths of the
    reach. The last of a slow motion may be left: good for a start, not for a result.
    """
    if recording.static or recording.drive(arm).control is not None:
        return None
    rows = recording.drive(arm).at(recording.times)
    found: list[tuple[Floats, list[Floats]]] = []
    for first, last in _constant_stretches(rows):
        window = slice(max(first, int(np.searchsorted(recording.times, recording.times[last] - WINDOW))), last + 1)
        if recording.times[last] - recording.times[first] < 2 * WINDOW or window.stop - window.start < 6:
            continue
        ends = []
        for sensor in recording.sensors:
            values = sensor.values[window]
            if any(_drifts(column, STILL * sensor.full_scale(arm)) for column in values.T):
                break
            ends.append(medians(values))
        else:
            found.append((rows[last], ends))
    if not found:
        return None
    sensors = [
        sensor.replace(values=np.stack([ends[s] for _, ends in found]), sigma=None)
        for s, sensor in enumerate(recording.sensors)
    ]
    numbers = np.arange(len(found), dtype=float)
    commands = CommandRows(numbers, np.stack([row for row, _ in found]))
    return Recording(recording.name, commands, numbers, tuple(sensors), static=True)


def _drifts(column: Floats, still: float) -> bool:
    """Whether a channel moves from one half of the window to the other, by the samples that it has: (k,), NaN in gaps.

    One that has hardly any says nothing.
    """
    seen = column[np.isfinite(column)]
    half = len(seen) // 2
    if half < 2:
        return False
    drift = abs(np.median(seen[:half]) - np.median(seen[half:]))
    noise = np.median(np.abs(np.diff(seen))) / 0.95  # a median of |differences| is 0.95 σ
    return bool(drift > max(still, 4 * noise / np.sqrt(half)))


def _constant_stretches(rows: Floats) -> list[tuple[int, int]]:
    """First and last of every stretch of rows that are the same to a hundredth of the largest command of their kind."""
    near = 0.01 * np.abs(rows).max(axis=0)
    stretches, first = [], 0
    for k in range(1, len(rows) + 1):
        if k == len(rows) or (np.abs(rows[k] - rows[first]) > near).any():
            stretches.append((first, k - 1))
            first = k
    return stretches
