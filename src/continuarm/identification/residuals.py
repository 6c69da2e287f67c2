"""How far recordings are from what an arm would have shown, and how that changes with its parameters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from continuarm.common.number_checks import Floats
from continuarm.identification.free_parameters import FreeParameters
from continuarm.identification.recording import Recording
from continuarm.identification.sensors import Sensor, reach
from continuarm.identification.simulated_recordings import Track, shown, track
from continuarm.identification.uncertainty import Channel

Booleans = NDArray[np.bool_]

RTOL = 1e-7
"""Of the simulations of a search: slopes by forward differences are then good to a few thousandths."""
FINE_RTOL = 1e-9
"""Of those behind the errors of a result."""
STEP, FINE_STEP = 1e-3, 2e-3
"""Of forward and of central differences, in the numbers of a search."""
TRIM = 0.1
"""The part of the samples that may be outliers."""
TRIMMED = 0.7893
"""Root mean square of a Gaussian of σ = 1 without a tenth of its largest values."""
NOT_REACHED = 3.0
"""By how much the distance to samples counts more that a motion ended too early to show."""
TOO_MUCH = 1.5
"""A misfit beyond so many times the noise that was given is not noise: the search then works with the misfit."""


class Differences(NamedTuple):
    """Measured less shown, of every sensor of a recording (k, width), and where the motion had ended (k,)."""

    each: list[Floats]
    shown: list[Floats]
    lost: Booleans


def differences(recording: Recording, simulated: Track, delay: float, frame: Floats | None) -> Differences:
    """Measured less shown, of one recording."""
    seen, lost = shown(recording, simulated, delay, frame)
    each = [sensor.difference(values) for sensor, values in zip(recording.sensors, seen, strict=True)]
    return Differences(each, seen, lost)


class Residuals:
    """Residuals (N,) of all samples over the scales of their sensors, as a function of the numbers of a search."""

    def __init__(self, parameters: FreeParameters, recordings: Sequence[Recording], pool: Executor) -> None:
        self.parameters, self.recordings, self.pool = parameters, list(recordings), pool
        self.kept = [[np.isfinite(sensor.values) for sensor in recording.sensors] for recording in recordings]
        self.scales = [[1.0 for _ in recording.sensors] for recording in recordings]
        self.evaluations = 0
        self._latest: dict[tuple[bytes, float], list[Track]] = {}

    @property
    def count(self) -> int:
        """N."""
        return sum(int(mask.sum()) for masks in self.kept for mask in masks)

    def tracks(self, x: Floats, rtol: float = RTOL) -> list[Track]:
        """All recordings simulated."""
        key = (x.tobytes(), rtol)
        if key not in self._latest:
            found = self._simulated([x], rtol)[0]
            self._latest = {key: found}  # a search asks for the slopes where it asked for the residuals before
        return self._latest[key]

    def _simulated(
        self, points: Sequence[Floats], rtol: float, near: Sequence[Track] | None = None
    ) -> list[list[Track]]:
        arms = [self.parameters.arm(x) for x in points]
        hints: Sequence[Track | None] = [None] * len(self.recordings) if near is None else near
        jobs = [(arm, each, rtol, hint) for arm in arms for each, hint in zip(self.recordings, hints, strict=True)]
        self.evaluations += len(jobs)
        done = iter(list(self.pool.map(lambda job: track(*job), jobs)))
        return [[next(done) for _ in self.recordings] for _ in arms]

    def differences(self, x: Floats, tracks: Sequence[Track] | None = None) -> list[Differences]:
        """Measured less shown, of every recording, in the units of its sensors."""
        tracks = self.tracks(x) if tracks is None else tracks
        delays, frame = self.parameters.delays(x), self.parameters.frame(x)
        both = zip(self.recordings, tracks, strict=True)
        return [differences(one, simulated, delays.get(one.name, 0.0), frame) for one, simulated in both]

    def __call__(self, x: Floats, tracks: Sequence[Track] | None = None) -> Floats:
        parts = []
        for own, masks, scales in zip(self.differences(x, tracks), self.kept, self.scales, strict=True):
            weight = np.where(own.lost, NOT_REACHED, 1.0)[:, None]
            parts += [(weight * d)[m] / scale for d, m, scale in zip(own.each, masks, scales, strict=True)]
        return np.concatenate(parts)

    def slopes(self, x: Floats, columns: Iterable[int] | None = None, fine: bool = False) -> Floats:
        """(N, columns): ∂(residuals)/∂x by forward differences; fine: by central ones, of finer simulations."""
        wanted = list(range(len(x)) if columns is None else columns)
        ways, rtol, step = ((1, -1), FINE_RTOL, FINE_STEP) if fine else ((1,), RTOL, STEP)
        base = self.tracks(x, rtol)
        room = np.where(x + step > self.parameters.upper, -1.0, 1.0)
        points = {(k, way): x + way * room[k] * step * np.eye(len(x))[k] for k in wanted for way in ways}
        simulated = {key: point for key, point in points.items() if self.parameters.stages[key[0]] != "seen"}
        tracks = dict(zip(simulated, self._simulated(list(simulated.values()), rtol, base), strict=True))
        values = {key: self(point, tracks.get(key, base)) for key, point in points.items()}
        here = None if fine else self(x, base)
        found = []
        for k in wanted:
            change = values[k, 1] - (values[k, -1] if here is None else here)
            found.append(change / (room[k] * step * len(ways)))
        return np.stack(found, axis=-1) if found else np.zeros((self.count, 0))

    def channels(self) -> list[Channel]:
        """The residuals of every column of every sensor, with pairs of neighbours in time."""
        found, begin = [], 0
        for recording, masks in zip(self.recordings, self.kept, strict=True):
            for mask in masks:
                numbers = np.full(mask.shape, -1)
                numbers[mask] = begin + np.arange(int(mask.sum()))
                begin += int(mask.sum())
                for column in numbers.T:
                    rows = column[column >= 0]
                    pairs = np.stack([rows[:-1], rows[1:]], axis=-1)
                    if len(rows):
                        found.append(Channel(rows, pairs[:0] if recording.static else pairs))
        return found

    def rescale(self, x: Floats) -> float:
        """Sets the scales by what is left at x; by how much the one that changed most did, as a logarithm.

        Sensors of one name and unknown noise have one scale. A given one is taken, unless the misfit is far beyond it.
        """
        left: dict[Any, list[Floats]] = {}
        floors: dict[Any, float] = {}
        for r, (recording, own) in enumerate(zip(self.recordings, self.differences(x), strict=True)):
            for s, sensor in enumerate(recording.sensors):
                key = _pool(r, sensor)
                left.setdefault(key, []).append(own.each[s][self.kept[r][s]])
                floors[key] = max(floors.get(key, 0.0), self.floor(sensor))
        sizes = {key: max(spread(np.concatenate(values)), floors[key]) for key, values in left.items()}
        change = 0.0
        for r, recording in enumerate(self.recordings):
            for s, sensor in enumerate(recording.sensors):
                size = sizes[_pool(r, sensor)]
                if sensor.sigma is not None:
                    size = sensor.sigma if size <= TOO_MUCH * sensor.sigma else size
                change = max(change, abs(np.log(size / self.scales[r][s])))
                self.scales[r][s] = size
        return change

    def floor(self, sensor: Sensor) -> float:
        """The least noise that is believed: the steps in which a sensor counts, and the errors of simulations."""
        size = reach(self.parameters.begin) if sensor.unit == "m" else 1.0
        steps = [np.diff(np.unique(column[np.isfinite(column)])) for column in sensor.values.T]
        # a sensor that counts in steps repeats its values often; others have as many values as samples
        counted = [
            s.min() for s, c in zip(steps, sensor.values.T, strict=True) if 0 < len(s) < 0.5 * np.isfinite(c).sum()
        ]
        return max(3e-6 * size, *(float(each) / np.sqrt(12) for each in counted), 0.0)

    def misfit(self, x: Floats) -> tuple[float, str]:
        """What is left at x, without outliers, in the unit of most sensors: for a word on progress."""
        units = [sensor.unit for recording in self.recordings for sensor in recording.sensors]
        unit = max(units, key=units.count)
        parts = [
            own.each[s][self.kept[r][s]]
            for r, own in enumerate(self.differences(x))
            for s, sensor in enumerate(self.recordings[r].sensors)
            if sensor.unit == unit
        ]
        return spread(np.concatenate(parts)), unit


def _pool(number: int, sensor: Sensor) -> tuple[Any, ...]:
    """Sensors whose noise is estimated together."""
    return (sensor.name,) if sensor.sigma is None else (number, sensor.name)


def spread(values: Floats) -> float:
    """σ of values about zero of which up to a tenth are outliers."""
    sizes = np.sort(np.abs(values))
    inner = sizes[: max(1, int(np.ceil((1 - TRIM) * len(sizes))))]
    return float(np.sqrt(np.mean(inner**2))) / TRIMMED if len(sizes) else 0.0
