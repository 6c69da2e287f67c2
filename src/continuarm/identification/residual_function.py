"""What a search makes small: measured less simulated, over the noise, as a function of its numbers."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.common.interruption import Interruption
from continuarm.common.number_checks import Floats
from continuarm.dynamics.mass_and_coriolis import COMPLEX_STEP
from continuarm.engine.directions import NOWHERE, Directions
from continuarm.identification.free_parameters import FreeParameters
from continuarm.identification.outliers import robust_sigma
from continuarm.identification.parameter_covariance import ChannelRows
from continuarm.identification.recording import Recording
from continuarm.identification.sensor_comparison import Differences, differences
from continuarm.identification.sensor_noise import residual_scales
from continuarm.identification.simulated_tracks import Track, has_exact_slopes, simulated_track, time_ahead

RTOL = 1e-7
"""Of the simulations of a search: slopes by forward differences are then good to a few thousandths."""
SMALL = 1e-6
"""Step over which readings are differenced, in the numbers of a search: they are smooth, and known to rounding."""
NOT_REACHED = 3.0
"""By how much the distance to samples counts more that a motion ended too early to show."""


class Variation(NamedTuple):
    """What could be otherwise than the numbers of a search say."""

    arm: Arm | None = None  # another arm
    later: Mapping[str, float] = MappingProxyType({})  # s, by how much recordings are later
    frame: Floats | None = None  # (4, 4), by which the frame of the sensors is moved
    creep: float = 0.0  # s: readings go on by a hundredth of what they were about so long before, 0: they do not


class Point(NamedTuple):
    """Where residuals are asked for beside the numbers of a search: an arm, None for theirs, and what sensors do."""

    arm: Arm | None
    delays: Mapping[str, float]  # s, by the names of recordings
    frame: Floats | None  # (4, 4), pose of the world in the frame of the sensors


class ResidualFunction:
    """Residuals (N,) of all samples over the scales of their sensors, as a function of the numbers of a search."""

    def __init__(
        self,
        parameters: FreeParameters,
        recordings: Sequence[Recording],
        pool: Executor,
        interruption: Interruption | None = None,
    ) -> None:
        self.parameters, self.recordings, self.pool = parameters, list(recordings), pool
        self.interruption = interruption or Interruption()
        self.used = [[np.isfinite(sensor.values) for sensor in recording.sensors] for recording in recordings]
        self.scales = [[1.0 for _ in recording.sensors] for recording in recordings]
        self.evaluations = 0
        # a search asks for slopes, misfit and scales where it asked for the residuals before
        self._latest: dict[tuple[bytes, float], tuple[list[Track], list[Differences]]] = {}

    @property
    def count(self) -> int:
        """N."""
        return sum(int(mask.sum()) for masks in self.used for mask in masks)

    def tracks(self, x: Floats, rtol: float = RTOL) -> list[Track]:
        """All recordings simulated."""
        return self._at(x, rtol)[0]

    def differences(self, x: Floats, rtol: float = RTOL) -> list[Differences]:
        """Measured less simulated, of every recording, in the units of its sensors."""
        return self._at(x, rtol)[1]

    def __call__(self, x: Floats, rtol: float = RTOL) -> Floats:
        return self._over_scales(self.differences(x, rtol))

    def _at(self, x: Floats, rtol: float) -> tuple[list[Track], list[Differences]]:
        key = (x.tobytes(), rtol)
        if key not in self._latest:
            arm, here = self.parameters.arm(x), self.point(x)
            jobs = list(range(len(self.recordings)))
            tracks = self._done(lambda r: self._simulated(r, arm, rtol, here), jobs)
            found = self._done(lambda r: self._compared(r, tracks[r], here), jobs)
            self.evaluations += len(jobs)
            self._latest = {key: (tracks, found)}
        return self._latest[key]

    def point(self, x: Floats) -> Point:
        """What numbers of a search say, but for their arm."""
        return Point(None, self.parameters.delays(x), self.parameters.frame(x))

    def at_points(
        self, x: Floats, points: Sequence[Point], rtol: float = RTOL, among: Container[int] | None = None
    ) -> Floats:
        """(N, points): residuals at points near x. Only recordings of which a point says something else are compared
        again, and simulated only with another arm; all of them together, on all threads.

        among: numbers of the recordings that count, all if left out; the rows of others are those at x."""
        base, here = self._at(x, rtol)
        now = self.point(x)
        kept = [self._weighted(r, own) for r, own in enumerate(here)]
        ends = np.cumsum([0, *map(len, kept)])
        found = np.empty((int(ends[-1]), len(points)), order="F")
        jobs: list[tuple[int, int, Point]] = []
        for column, point in enumerate(points):
            moved = point.arm is not None or not _same(point.frame, now.frame)
            for r, recording in enumerate(self.recordings):
                if among is not None and r not in among:
                    found[ends[r] : ends[r + 1], column] = kept[r]
                elif moved or point.delays.get(recording.name, 0.0) != now.delays.get(recording.name, 0.0):
                    jobs.append((column, r, point))
                else:
                    found[ends[r] : ends[r + 1], column] = kept[r]
        self.evaluations += sum(point.arm is not None for _, _, point in jobs)

        def fill(job: tuple[int, int, Point]) -> None:
            column, r, point = job
            track = base[r] if point.arm is None else self._simulated(r, point.arm, rtol, now, base[r])
            found[ends[r] : ends[r + 1], column] = self._weighted(r, self._compared(r, track, point))

        self._done(fill, jobs)
        return found

    def exact_slopes(self, x: Floats, columns: Sequence[int], rtol: float) -> dict[int, Floats]:
        """(rows, columns) each: ∂(residuals)/∂x of the recordings that have exact slopes, by their numbers.

        The columns must be of numbers that motions have exact slopes by: `FreeParameters.exact`.
        """
        arm, here = self.parameters.arm(x), self.point(x)
        able = [r for r, each in enumerate(self.recordings) if has_exact_slopes(each, arm)] if columns else []
        if not able:
            return {}
        moved = [self.parameters.moved_arm(arm, x, k, 1j * COMPLEX_STEP) for k in columns]
        directions = Directions(moved, np.ones(len(moved)))
        directions.constant_slopes()  # once for all threads
        beside = {by: [self.parameters.moved_arm(arm, x, k, by) for k in columns] for by in (SMALL, -SMALL)}
        self.evaluations += len(able)

        def slopes(r: int) -> Floats:
            track = self._simulated(r, arm, rtol, here, moved=directions)
            base = self._weighted(r, self._compared(r, track, here))
            found = np.zeros((len(base), len(columns)), order="F")
            for column in range(len(columns)):
                for by, arms in beside.items():
                    there = track.moved(self.recordings[r].loaded(arms[column]), column, by)
                    try:
                        found[:, column] = (self._weighted(r, self._compared(r, there, here)) - base) / by
                        break
                    except ValueError:  # at the edge of the model's range, beyond which nothing is read
                        continue
            return found

        return dict(zip(able, self._done(slopes, able), strict=True))

    def rows(self, r: int) -> slice:
        """Where the residuals of a recording stand among all of them."""
        counts = [sum(int(mask.sum()) for mask in masks) for masks in self.used]
        return slice(sum(counts[:r]), sum(counts[: r + 1]))

    def _simulated(
        self,
        r: int,
        arm: Arm,
        rtol: float,
        at: Point,
        near: Track | None = None,
        moved: Directions = NOWHERE,
    ) -> Track:
        """A recording simulated, for as long as a delay near that of a point asks for."""
        recording = self.recordings[r]
        ahead = time_ahead(at.delays.get(recording.name, 0.0))
        return simulated_track(arm, recording, rtol, near, self.interruption.check, ahead, moved)

    def _compared(self, r: int, track: Track, at: Point) -> Differences:
        return differences(self.recordings[r], track, at.delays.get(self.recordings[r].name, 0.0), at.frame)

    def _done(self, act: Callable[[Any], Any], jobs: Iterable[Any]) -> list[Any]:
        """What comes of all jobs, done together."""
        each = list(jobs)
        try:
            return list(self.pool.map(act, each))
        except RuntimeError:  # no thread can be started: what one asks for must be done without
            return [act(job) for job in each]

    def _over_scales(self, found: Sequence[Differences]) -> Floats:
        return np.concatenate([self._weighted(r, own) for r, own in enumerate(found)])

    def _weighted(self, r: int, own: Differences) -> Floats:
        """The residuals of one recording."""
        weight = np.where(own.lost, NOT_REACHED, 1.0)[:, None]
        each = zip(own.each, self.used[r], self.scales[r], strict=True)
        return np.concatenate([(weight * d)[m] / scale for d, m, scale in each])

    def varied(self, x: Floats, variations: Sequence[Variation]) -> Floats:
        """(N, variations): how the residuals at x would change if the arm, its clock or its frame were others."""
        here, now, points = self(x), self.point(x), []
        for each in variations:
            late = {name: now.delays.get(name, 0.0) + more for name, more in each.later.items()}
            start = np.eye(4) if now.frame is None else now.frame
            moved = now.frame if each.frame is None else each.frame @ start
            points.append(Point(each.arm, {**now.delays, **late}, moved))
        found = self.at_points(x, points) - here[:, None]
        for column, each in enumerate(variations):
            if each.creep:
                both = zip(self.recordings, self.differences(x), strict=True)
                found[:, column] = self._over_scales([_crept(one, own, each.creep) for one, own in both]) - here
        return found

    def channel_rows(self) -> list[ChannelRows]:
        """The residuals of every column of every sensor, and at which samples they are."""
        found, begin = [], 0
        for r, (recording, masks) in enumerate(zip(self.recordings, self.used, strict=True)):
            for mask in masks:
                numbers = np.full(mask.shape, -1)
                numbers[mask] = begin + np.arange(int(mask.sum()))
                begin += int(mask.sum())
                for column in numbers.T:
                    samples = np.flatnonzero(column >= 0)
                    if len(samples):
                        found.append(ChannelRows(column[samples], samples, r, recording.static))
        return found

    def estimate_scales(self, x: Floats) -> float:
        """Sets the scales by what is left at x; by how much the one that changed most did, as a logarithm."""
        before = self.scales
        self.scales = residual_scales(self.recordings, self.differences(x), self.used, self.parameters.start_arm)
        return float(np.abs(np.log(np.concatenate(self.scales) / np.concatenate(before))).max())

    def misfit(self, x: Floats) -> tuple[float, str]:
        """What is left at x, without outliers, in the unit of most sensors: for a word on progress."""
        units = [sensor.unit for recording in self.recordings for sensor in recording.sensors]
        unit = max(units, key=units.count)
        left = [
            own.each[s][self.used[r][s]]
            for r, own in enumerate(self.differences(x))
            for s, sensor in enumerate(self.recordings[r].sensors)
            if sensor.unit == unit
        ]
        return robust_sigma(np.concatenate(left)), unit


def _same(one: Floats | None, other: Floats | None) -> bool:
    """Whether two frames are the same."""
    return one is other or (one is not None and other is not None and np.array_equal(one, other))


def _crept(recording: Recording, own: Differences, time: float) -> Differences:
    """Of a run whose readings creep: each goes on by a hundredth of its own displacement, late by a time, s."""
    if recording.static:
        return own
    moved = []
    for left, reading in zip(own.each, own.readings, strict=True):
        displaced, slow = reading - reading[0], np.zeros_like(reading)
        for k, pause in enumerate(np.diff(recording.times), start=1):
            slow[k] = slow[k - 1] + (1 - np.exp(-pause / time)) * (displaced[k] - slow[k - 1])
        moved.append(left - 0.01 * slow)
    return own._replace(each=moved)
