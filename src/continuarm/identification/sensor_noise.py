"""The noise of sensors: as it was given, or estimated from what a fit leaves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.common.number_checks import Booleans, Floats
from continuarm.identification.outliers import robust_sigma
from continuarm.identification.recording import Recording
from continuarm.identification.sensor_comparison import Differences, SensorComparison
from continuarm.identification.sensors import Sensor

TOO_MUCH = 1.5
"""A misfit beyond so many times the noise that was given is not noise: the search then works with the misfit."""
SIMULATION_ERROR = 3e-6
"""Over the arm's reach, and in rad: less noise is not believed."""


def given_noise(recordings: Sequence[Recording]) -> dict[tuple[str, str], float]:
    """σ that came with recordings, by recording and sensor."""
    pairs = ((each.name, sensor) for each in recordings for sensor in each.sensors)
    return {(name, sensor.name): sensor.sigma for name, sensor in pairs if sensor.sigma is not None}


def least_noise(sensor: Sensor, arm: Arm) -> float:
    """The least σ that is believed: the steps in which a sensor counts, and the errors of simulations."""
    steps = [np.diff(np.unique(column[np.isfinite(column)])) for column in sensor.values.T]
    # a sensor that counts in steps repeats its values often; others have as many values as samples
    counted = [s.min() for s, c in zip(steps, sensor.values.T, strict=True) if 0 < len(s) < 0.5 * np.isfinite(c).sum()]
    return max(SIMULATION_ERROR * sensor.full_scale(arm), *(float(each) / np.sqrt(12) for each in counted), 0.0)


def residual_scales(
    recordings: Sequence[Recording], found: Sequence[Differences], used: Sequence[Sequence[Booleans]], arm: Arm
) -> list[list[float]]:
    """What a search divides the differences of each sensor of each recording by, so that they count alike.

    Sensors of one name and unknown noise have one scale. A given one is taken, unless the misfit is far beyond it.
    """
    left: dict[Any, list[Floats]] = {}
    least: dict[Any, float] = {}
    for r, (recording, own, masks) in enumerate(zip(recordings, found, used, strict=True)):
        for sensor, each, mask in zip(recording.sensors, own.each, masks, strict=True):
            key = _estimated_with(r, sensor)
            left.setdefault(key, []).append(each[mask])
            least[key] = max(least.get(key, 0.0), least_noise(sensor, arm))
    sizes = {key: max(robust_sigma(np.concatenate(values)), least[key]) for key, values in left.items()}
    return [
        [_scale(sizes[_estimated_with(r, sensor)], sensor.sigma) for sensor in recording.sensors]
        for r, recording in enumerate(recordings)
    ]


def _estimated_with(number: int, sensor: Sensor) -> tuple[Any, ...]:
    """The same for sensors whose noise is estimated together."""
    return (sensor.name,) if sensor.sigma is None else (number, sensor.name)


def _scale(size: float, given: float | None) -> float:
    return size if given is None or size > TOO_MUCH * given else given


def estimated_noise(
    comparisons: Sequence[SensorComparison], recordings: Sequence[Recording], arm: Arm
) -> dict[str, float]:
    """σ of every sensor by name, from what changes from one sample to the next; of static tables, from all of it."""
    least = {sensor.name: least_noise(sensor, arm) for each in recordings for sensor in each.sensors}
    levels = {}
    for name in dict.fromkeys(each.sensor for each in comparisons):
        own = [each for each in comparisons if each.sensor == name]
        jumps = np.concatenate([_jumps(each) for each in own])
        if len(jumps) < 20:
            jumps = np.concatenate([each.difference[each.inliers] for each in own])
        levels[name] = max(robust_sigma(jumps), least[name])
    return levels


def _jumps(comparison: SensorComparison) -> Floats:
    """By how much residuals differ from the line between their neighbours, as one residual does: (many,)."""
    if comparison.static or len(comparison.times) < 3:
        return np.zeros(0)
    t = comparison.times
    part = ((t[2:] - t[1:-1]) / (t[2:] - t[:-2]))[:, None]
    left = np.where(comparison.inliers, comparison.difference, np.nan)
    jumps = (left[1:-1] - part * left[:-2] - (1 - part) * left[2:]) / np.sqrt(1 + part**2 + (1 - part) ** 2)
    return jumps[np.isfinite(jumps)]
