"""Sensors that are stuck: they repeat a value exactly while the arm moves on. A fit leaves these samples out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.common.number_checks import Booleans, Floats
from continuarm.identification.measurement_units import readable
from continuarm.identification.outliers import OUTLIER
from continuarm.identification.recording import Recording
from continuarm.identification.sensors import Sensor

REPEATS = 10
"""So many exactly equal values in a row are a sensor that stands still."""
MOVES = 0.01
"""... if the simulated arm moves by more than this part of its reach meanwhile, or this many rad."""


def stuck_samples(recording: Recording, readings: Sequence[Floats], arm: Arm) -> tuple[list[Booleans], list[str]]:
    """Samples of sensors that repeat a value exactly while the simulated arm moves on: masks (k, width), and words.

    readings: (k, width) of each sensor, simulated. In a static table nothing is stuck.
    """
    if recording.static:
        return [np.zeros(sensor.values.shape, dtype=bool) for sensor in recording.sensors], []
    masks, sentences = [], []
    for sensor, reading in zip(recording.sensors, readings, strict=True):
        mask = np.zeros(sensor.values.shape, dtype=bool)
        still: dict[tuple[int, int], list[tuple[str, float]]] = {}
        least = max(MOVES * sensor.full_scale(arm), OUTLIER * (sensor.sigma or 0.0))
        for c, column in enumerate(sensor.values.T):
            for first, last in _repeats(column):
                moves = float(np.ptp(reading[first : last + 1, c]))
                if moves > least:
                    mask[first : last + 1, :] |= _touched(sensor, c)
                    still.setdefault((first, last), []).append((sensor.channels[c], moves))
        for (first, last), channels in still.items():
            moves = max(each for _, each in channels)
            sentences.append(
                f"{recording.name}: {', '.join(name for name, _ in channels)} repeat the same value exactly from "
                f"{recording.times[first]:.2f} to {recording.times[last]:.2f} s ({last - first + 1} samples) while the "
                f"arm moves by {readable(moves, sensor.unit)}: left out"
            )
        masks.append(mask)
    return masks, sentences


def _touched(sensor: Sensor, column: int) -> Booleans:
    """Which columns are wrong with one: of a rotation all."""
    return (
        np.arange(len(sensor.channels)) == column if sensor.unit == "m" else np.ones(len(sensor.channels), dtype=bool)
    )


def _repeats(column: Floats) -> list[tuple[int, int]]:
    """First and last of every long stretch of exactly equal values; gaps do not end it."""
    seen = np.flatnonzero(np.isfinite(column))
    if len(seen) < REPEATS:
        return []
    ends = np.append(np.flatnonzero(np.diff(column[seen]) != 0), len(seen) - 1)
    begins = np.append(0, ends[:-1] + 1)
    return [(int(seen[b]), int(seen[e])) for b, e in zip(begins, ends, strict=True) if e - b + 1 >= REPEATS]
