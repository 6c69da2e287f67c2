"""What a search makes small: measured less simulated, over the noise, as a function of its numbers; its Jacobian."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.common.interruption import Interruption
from continuarm.common.number_checks import Floats
from continuarm.identification.free_parameters import FreeParameters
from continuarm.identification.outliers import robust_sigma
from continuarm.identification.parameter_covariance import ChannelRows
from continuarm.identification.recording import Recording
from continuarm.identification.sensor_comparison import Differences, differences
from continuarm.identification.sensor_noise import residual_scales
from continuarm.identification.simulated_tracks import Track, simulated_track, time_ahead

RTOL = 1e-7
"""Of the simulations of a search: slopes by forward differences are then good to a few thousandths."""
FINE_RTOL = 1e-9
"""Of those behind the errors of a result."""
STEP, FINE_STEP = 1e-3, 2e-3
"""Of forward and of central differences, in the numbers of a search."""
NOT_REACHED = 3.0
"""By how much the distance to samples counts more that a motion ended too early to show."""


class Variation(NamedTuple):
    """What could be otherwise than the numbers of a search say."""

    arm: Arm | None = None  # another arm
    later: Mapping[str, float] = MappingProxyType({})  # s, by how much recordings are later
    frame: Floats | None = None  # (4, 4), by which the frame of the sensors is moved
    creep: float = 0.0  # s: readings go on by a hundredth of what they were about so long before, 0: they do not


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
        self._latest: dict[tuple[bytes, float], list[Track]] = {}

    @property
    def count(self) -> int:
        """N."""
        return sum(int(mask.sum()) for masks in self.used for mask in masks)

    def tracks(self, x: Floats, rtol: float = RTOL) -> list[Track]:
        """All recordings simulated."""
        key = (x.tobytes(), rtol)
        if key not in self._latest:
            found = self._simulated([self.parameters.arm(x)], x, rtol)[0]
            self._latest = {key: found}  # a search asks for the slopes where it asked for the residuals before
        return self._latest[key]

    def _simulated(
        self, arms: Sequence[Arm], x: Floats, rtol: float, near: Sequence[Track] | None = None
    ) -> list[list[Track]]:
        """All recordings simulated with each of some arms, for as long as delays near those of x ask for."""
        hints: Sequence[Track | None] = [None] * len(self.recordings) if near is None else near
        both, check = list(zip(self.recordings, hints, strict=True)), self.interruption.check
        late = self.parameters.delays(x)
        jobs = [
            (arm, each, rtol, hint, check, time_ahead(late.get(each.name, 0.0))) for arm in arms for each, hint in both
        ]
        self.evaluations += len(jobs)
        try:
            done = iter(list(self.pool.map(lambda job: simulated_track(*job), jobs)))
        except RuntimeError:  # no thread can be started: what one asks for must be done without
            done = iter([simulated_track(*job) for job in jobs])
        return [[next(done) for _ in self.recordings] for _ in arms]

    def differences(self, x: Floats, tracks: Sequence[Track] | None = None) -> list[Differences]:
        """Measured less simulated, of every recording, in the units of its sensors."""
        tracks = self.tracks(x) if tracks is None else tracks
        return self._compared(tracks, self.parameters.delays(x), self.parameters.frame(x))

    def _compared(self, tracks: Sequence[Track], delays: dict[str, float], frame: Floats | None) -> list[Differences]:
        both = zip(self.recordings, tracks, strict=True)
        return [differences(one, simulated, delays.get(one.name, 0.0), frame) for one, simulated in both]

    def __call__(self, x: Floats, tracks: Sequence[Track] | None = None) -> Floats:
        return self._over_scales(self.differences(x, tracks))

    def _over_scales(self, found: Sequence[Differences]) -> Floats:
        residuals = []
        for own, masks, scales in zip(found, self.used, self.scales, strict=True):
            weight = np.where(own.lost, NOT_REACHED, 1.0)[:, None]
            residuals += [(weight * d)[m] / scale for d, m, scale in zip(own.each, masks, scales, strict=True)]
        return np.concatenate(residuals)

    def varied(self, x: Floats, variations: Sequence[Variation]) -> Floats:
        """(N, variations): how the residuals at x would change if the arm, its clock or its frame were others."""
        base = self.tracks(x)
        arms = list({id(each.arm): each.arm for each in variations if each.arm is not None}.values())
        tracks = dict(zip(map(id, arms), self._simulated(arms, x, RTOL, base), strict=True))
        here, found = self(x, base), []
        for each in variations:
            delays, frame = self.parameters.delays(x), self.parameters.frame(x)
            late = {name: delays.get(name, 0.0) + more for name, more in each.later.items()}
            moved = frame if each.frame is None else each.frame @ (np.eye(4) if frame is None else frame)
            compared = self._compared(tracks.get(id(each.arm), base), delays | late, moved)
            if each.creep:
                compared = [_crept(one, own, each.creep) for one, own in zip(self.recordings, compared, strict=True)]
            found.append(self._over_scales(compared) - here)
        return np.stack(found, axis=-1) if found else np.zeros((self.count, 0))

    def jacobian(self, x: Floats, columns: Iterable[int] | None = None, fine: bool = False) -> Floats:
        """(N, columns): ∂(residuals)/∂x by forward differences; fine: by central ones, of finer simulations.

        No step goes over a bound, or to numbers that no arm has: there the differences are one-sided.
        """
        wanted = list(range(len(x)) if columns is None else columns)
        rtol, step = (FINE_RTOL, FINE_STEP) if fine else (RTOL, STEP)
        base = self.tracks(x, rtol)
        steps = {k: self._steps(x, k, step, fine) for k in wanted}
        points = {(k, by): x + by * np.eye(len(x))[k] for k, own in steps.items() for by in own if by}
        moved = [key for key in points if self.parameters.shows_in[key[0]] != "sensors"]
        arms = [self.parameters.arm(points[key]) for key in moved]
        tracks = dict(zip(moved, self._simulated(arms, x, rtol, base), strict=True))
        here, found = self(x, base), []
        values = {key: self(point, tracks.get(key, base)) for key, point in points.items()}
        for k, own in steps.items():
            at = [values[k, by] if by else here for by in own]
            found.append(sum((w * each for w, each in zip(_slope_weights(own), at, strict=True)), 0.0 * here))
        return np.stack(found, axis=-1) if found else np.zeros((self.count, 0))

    def _steps(self, x: Floats, k: int, step: float, fine: bool) -> tuple[float, ...]:
        """Steps of a number from which its slope is found: there and back, or to one side where that is not allowed."""
        ways = [(step, -step), (0.0, step, 2 * step), (0.0, -step, -2 * step)] if fine else [(0.0, step), (0.0, -step)]
        for way in ways:
            if all(self._allowed(x, k, by) for by in way if by):
                return way
        shorter = min(step, 0.5 * float(self.parameters.upper[k] - self.parameters.lower[k]))
        for by in (shorter, -shorter, 1e-2 * shorter, -1e-2 * shorter):
            if self._allowed(x, k, by):
                return (0.0, by)
        return ways[0]

    def _allowed(self, x: Floats, k: int, by: float) -> bool:
        """Whether a number may be changed by so much: within its bounds, and to an arm that there can be."""
        if not self.parameters.lower[k] <= x[k] + by <= self.parameters.upper[k]:
            return False
        try:
            self.parameters.arm(x + by * np.eye(len(x))[k])
        except ValueError:
            return False
        return True

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


def _slope_weights(steps: Sequence[float]) -> Floats:
    """(steps,): by what values at some steps count in the slope at 0 of the polynomial through them."""
    size = max(abs(by) for by in steps)
    powers = np.vander(np.array(steps) / size, increasing=True).T
    return np.linalg.solve(powers, np.eye(len(steps))[1]) / size


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
