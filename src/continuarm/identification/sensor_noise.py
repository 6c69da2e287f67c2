"""The noise of sensors: as it was given, or estimated from what a fit leaves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.common.number_checks import Booleans, Floats
from continuarm.identification.outliers import robust_sigma
from continuarm.identification.recording import Recording
from continuarm.identification.sensor_comparison import Differences, SensorComparison
from continuarm.identification.sensors import Sensor
from continuarm.identification.table_noise import TableNoise, table_noise

TOO_MUCH = 1.5
"""A misfit beyond so many times the noise that was given is not noise: the search then works with the misfit."""
SIMULATION_ERROR = 3e-6
"""Over the arm's reach, and in rad: less noise is not believed."""
FEWEST_JUMPS = 20
"""Changes from one sample to the next that tell the noise."""


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


class NoiseLevel(NamedTuple):
    """The noise of one sensor, of each of its coordinates, and where it is known from."""

    sigma: float
    source: str  # given; neighbours in time; repeats of a command; a curve over the commands; unknown
    least: float = 0.0  # what is believed in any case, see least_noise
    table: TableNoise | None = None  # what its static tables say of noise and misfit


def estimated_noise(
    comparisons: Sequence[SensorComparison], recordings: Sequence[Recording], arm: Arm
) -> dict[str, NoiseLevel]:
    """Of every sensor by name: from what changes from one sample to the next, if it was seen in motion.

    Of static tables alone, from repeated commands or a curve over them: at most what these leave. Where there are
    neither, the noise is unknown, and all that is left is taken for it.
    """
    least = {sensor.name: least_noise(sensor, arm) for each in recordings for sensor in each.sensors}
    commands = {each.name: each.drive(arm).at(each.times) for each in recordings if each.static}
    levels = {}
    for name in dict.fromkeys(each.sensor for each in comparisons):
        own = [each for each in comparisons if each.sensor == name]
        tables = [each for each in own if each.static]
        left = [np.where(each.inliers, each.difference, np.nan) for each in tables]
        table = table_noise(left, [commands[each.recording] for each in tables])
        jumps = np.concatenate([_jumps(each) for each in own])
        if len(jumps) >= FEWEST_JUMPS:
            sigma, source = robust_sigma(jumps), "neighbours"
        elif table is not None:
            sigma, source = table.sigma, table.source
        else:
            sigma, source = robust_sigma(np.concatenate([each.difference[each.inliers] for each in own])), "unknown"
        levels[name] = NoiseLevel(max(sigma, least[name]), source, least[name], table)
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
