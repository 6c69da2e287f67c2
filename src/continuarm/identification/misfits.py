"""What is left between measured and simulated, sensor by sensor: its size, the noise in it, and what is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from continuarm.common.number_checks import Floats
from continuarm.identification.recording import Recording
from continuarm.identification.residuals import Differences, spread
from continuarm.identification.sensors import Sensor

Booleans = NDArray[np.bool_]

OUTLIER = 5.0
"""Beyond so many times the spread, a sample is an outlier."""
FAR_ABOVE = 3.0
"""A misfit of so many times the noise is the model's, not the sensor's."""
BEGINNING = 0.5
"""s in which a recording that begins otherwise than it says is off most."""
HINT = "; if the arm was driven from the first sample on, the recording must start 'hanging'"
IN_A_ROW = 4
"""Outliers in a row that are no chance: of one sample in 20, four in a row come once in 500 recordings."""
MANY = 0.01
"""A part of outliers that is worth a warning."""
MOST_NAMED = 3
"""Sensors that one warning names."""
REPEATS = 10
"""So many exactly equal values in a row are a sensor that stands still."""
MOVES = 0.01
"""... if the simulated arm moves by more than this part of its reach meanwhile, or this many rad."""


@dataclass(frozen=True)
class Misfit:
    """What is left of one sensor in one recording."""

    recording: str
    sensor: str
    unit: str
    samples: int  # numbers that the fit used
    outliers: int  # of these, so far off that they had no weight
    left_out: int  # numbers that were not used
    rms: float  # without outliers, in the unit
    noise: float  # σ that was given, or that of what changes from sample to sample
    given: bool  # whether the noise was given
    worst: float  # the largest of running means of five samples
    worst_time: float  # s, or the row of a static table
    together: tuple[float, float] | None  # first and last time of the most outliers in a row, if these are many
    static: bool

    @property
    def multiple(self) -> float:
        """The misfit over the noise: about 1 where the model is right."""
        return self.rms / self.noise


@dataclass(frozen=True)
class Trace:
    """One sensor of one recording, measured and simulated: what a figure draws."""

    recording: str
    sensor: str
    unit: str
    channels: tuple[str, ...]
    static: bool
    times: Floats  # (k,), s, or row numbers
    measured: Floats  # (k, width)
    shown: Floats  # (k, width)
    difference: Floats  # (k, width), NaN in gaps
    used: Booleans  # (k, width)
    outliers: Booleans  # (k, width)
    held_out: bool = False


def traces(
    recordings: Sequence[Recording],
    differences: Sequence[Differences],
    kept: Sequence[Sequence[Booleans]],
    held_out: bool = False,
) -> list[Trace]:
    """All sensors of recordings, with outliers by the spread of their own."""
    found = []
    for recording, own, masks in zip(recordings, differences, kept, strict=True):
        for s, sensor in enumerate(recording.sensors):
            left, used = own.each[s], masks[s]
            size = max(spread(left[used]), sensor.sigma or 0.0)
            far = used & (np.abs(np.nan_to_num(left)) > OUTLIER * size)
            found.append(
                Trace(
                    *(recording.name, sensor.name, sensor.unit, sensor.channels, recording.static, recording.times),
                    *(sensor.values, own.shown[s], left, used, far, held_out),
                )
            )
    return found


def noise_levels(all_traces: Sequence[Trace], floors: dict[str, float]) -> dict[str, float]:
    """σ of every sensor by name, from what changes from one sample to the next; of static tables, from all of it."""
    levels = {}
    for name in dict.fromkeys(trace.sensor for trace in all_traces):
        own = [trace for trace in all_traces if trace.sensor == name]
        jumps = np.concatenate([_jumps(trace) for trace in own])
        if len(jumps) < 20:
            jumps = np.concatenate([trace.difference[trace.used & ~trace.outliers] for trace in own])
        levels[name] = max(spread(jumps), floors.get(name, 0.0))
    return levels


def _jumps(trace: Trace) -> Floats:
    """By how much residuals differ from the line between their neighbours, as one residual does: (many,)."""
    if trace.static or len(trace.times) < 3:
        return np.zeros(0)
    t = trace.times
    part = ((t[2:] - t[1:-1]) / (t[2:] - t[:-2]))[:, None]
    left = np.where(trace.used & ~trace.outliers, trace.difference, np.nan)
    jumps = (left[1:-1] - part * left[:-2] - (1 - part) * left[2:]) / np.sqrt(1 + part**2 + (1 - part) ** 2)
    return jumps[np.isfinite(jumps)]


def misfits(
    all_traces: Sequence[Trace], levels: dict[str, float], sigmas: dict[tuple[str, str], float]
) -> list[Misfit]:
    """The misfit of every sensor; sigmas are those that were given, by recording and sensor."""
    found = []
    for trace in all_traces:
        inner = trace.used & ~trace.outliers
        left = trace.difference[inner]
        given = sigmas.get((trace.recording, trace.sensor))
        smooth = _running_mean(np.where(inner, trace.difference, 0.0), 1 if trace.static else 5)
        at = int(np.argmax(smooth)) if len(smooth) else 0
        found.append(
            Misfit(
                trace.recording,
                trace.sensor,
                trace.unit,
                samples=int(trace.used.sum()),
                outliers=int(trace.outliers.sum()),
                left_out=int((np.isfinite(trace.measured) & ~trace.used).sum()),
                rms=float(np.sqrt(np.mean(left**2))) if len(left) else 0.0,
                noise=levels[trace.sensor] if given is None else given,
                given=given is not None,
                worst=float(smooth[at]) if len(smooth) else 0.0,
                worst_time=float(trace.times[at]),
                together=_together(trace),
                static=trace.static,
            )
        )
    return found


def _together(trace: Trace) -> tuple[float, float] | None:
    """When the longest row of outliers begins and ends; chance alone makes only short ones."""
    if trace.static:
        return None
    far = np.concatenate([[False], trace.outliers.any(axis=1), [False]])
    begins, ends = np.flatnonzero(far[1:] & ~far[:-1]), np.flatnonzero(far[:-1] & ~far[1:]) - 1
    lengths = ends - begins + 1
    if not len(lengths) or lengths.max() < IN_A_ROW:
        return None
    k = int(np.argmax(lengths))
    return float(trace.times[begins[k]]), float(trace.times[ends[k]])


def _running_mean(values: Floats, width: int) -> Floats:
    """Length of the mean vector of each sample and its neighbours: (k, width) -> (k,)."""
    window = np.ones(min(width, len(values))) / min(width, len(values))
    means = np.stack([np.convolve(column, window, mode="same") for column in values.T], axis=-1)
    return np.asarray(np.linalg.norm(means, axis=-1))


def in_unit(value: float, unit: str) -> str:
    """A length in mm, an angle in degrees."""
    return f"{1e3 * value:.3g} mm" if unit == "m" else f"{np.degrees(value):.3g}°"


def warnings_of(found: Sequence[Misfit]) -> list[str]:
    """Sentences about misfits far above the noise, the worst first, and about many outliers."""
    sentences = []
    above = sorted((each for each in found if each.multiple > FAR_ABOVE), key=lambda each: -each.multiple)
    if above:
        worst = above[0]
        where = f"row {worst.worst_time:.0f}" if worst.static else f"{worst.worst_time:.2f} s"
        more = f"; so are {len(above) - 1} more" if len(above) > 1 else ""
        sentences.append(
            f"the misfit of {worst.sensor} in {worst.recording} is {worst.multiple:.1f} times its noise "
            f"({in_unit(worst.rms, worst.unit)} against {in_unit(worst.noise, worst.unit)}, "
            f"worst near {where}): the model or the recording is wrong there{more}"
        )
        if worst.worst_time < BEGINNING and not worst.static:
            sentences[-1] += HINT
    rows = [(each, *each.together) for each in found if each.together is not None]
    for each, begin, end in sorted(rows, key=lambda row: row[1] - row[2])[:MOST_NAMED]:
        sentences.append(
            f"{each.sensor} in {each.recording} is off from {begin:.2f} to {end:.2f} s, which has no weight: "
            f"the model or the recording is wrong there{HINT if begin < BEGINNING else ''}"
        )
    many = sorted(
        (each for each in found if each.outliers > MANY * each.samples), key=lambda e: -e.outliers / e.samples
    )
    if many:
        told = [f"{100 * e.outliers / e.samples:.0f} % of {e.sensor} in {e.recording}" for e in many[:MOST_NAMED]]
        more = f" and of {len(many) - MOST_NAMED} more" if len(many) > MOST_NAMED else ""
        sentences.append(f"outliers have no weight: {', '.join(told)}{more}")
    return sentences


def stuck(recording: Recording, own: Differences, reach: float) -> tuple[list[Booleans], list[str]]:
    """Samples of sensors that repeat a value exactly while the simulated arm moves on: masks (k, width), and words."""
    masks, sentences = [], []
    for s, sensor in enumerate(recording.sensors):
        mask = np.zeros(sensor.values.shape, dtype=bool)
        still: dict[tuple[int, int], list[tuple[str, float]]] = {}
        least = max(MOVES * (reach if sensor.unit == "m" else 1.0), OUTLIER * (sensor.sigma or 0.0))
        for c, column in enumerate(sensor.values.T):
            for first, last in _repeats(column):
                moves = float(np.ptp(own.shown[s][first : last + 1, c]))
                if moves > least:
                    mask[first : last + 1, :] |= _touched(sensor, c)
                    still.setdefault((first, last), []).append((sensor.channels[c], moves))
        for (first, last), channels in still.items():
            moves = max(each for _, each in channels)
            sentences.append(
                f"{recording.name}: {', '.join(name for name, _ in channels)} repeat the same value exactly from "
                f"{recording.times[first]:.2f} to {recording.times[last]:.2f} s ({last - first + 1} samples) while the "
                f"arm moves by {in_unit(moves, sensor.unit)}: left out"
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
