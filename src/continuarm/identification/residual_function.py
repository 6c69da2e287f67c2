"""What a search makes small: measured less simulated, over the noise, as a function of its numbers; its Jacobian."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import Executor

import numpy as np

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
            found = self._simulated([x], rtol)[0]
            self._latest = {key: found}  # a search asks for the slopes where it asked for the residuals before
        return self._latest[key]

    def _simulated(
        self, points: Sequence[Floats], rtol: float, near: Sequence[Track] | None = None
    ) -> list[list[Track]]:
        arms = [self.parameters.arm(x) for x in points]
        hints: Sequence[Track | None] = [None] * len(self.recordings) if near is None else near
        both, check = list(zip(self.recordings, hints, strict=True)), self.interruption.check
        delays = [self.parameters.delays(x) for x in points]
        jobs = [
            (arm, each, rtol, hint, check, time_ahead(late.get(each.name, 0.0)))
            for arm, late in zip(arms, delays, strict=True)
            for each, hint in both
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
        delays, frame = self.parameters.delays(x), self.parameters.frame(x)
        both = zip(self.recordings, tracks, strict=True)
        return [differences(one, simulated, delays.get(one.name, 0.0), frame) for one, simulated in both]

    def __call__(self, x: Floats, tracks: Sequence[Track] | None = None) -> Floats:
        residuals = []
        for own, masks, scales in zip(self.differences(x, tracks), self.used, self.scales, strict=True):
            weight = np.where(own.lost, NOT_REACHED, 1.0)[:, None]
            residuals += [(weight * d)[m] / scale for d, m, scale in zip(own.each, masks, scales, strict=True)]
        return np.concatenate(residuals)

    def jacobian(self, x: Floats, columns: Iterable[int] | None = None, fine: bool = False) -> Floats:
        """(N, columns): ∂(residuals)/∂x by forward differences; fine: by central ones, of finer simulations."""
        wanted = list(range(len(x)) if columns is None else columns)
        ways, rtol, step = ((1, -1), FINE_RTOL, FINE_STEP) if fine else ((1,), RTOL, STEP)
        base = self.tracks(x, rtol)
        room = np.where(x + step > self.parameters.upper, -1.0, 1.0)
        points = {(k, way): x + way * room[k] * step * np.eye(len(x))[k] for k in wanted for way in ways}
        moved = {key: point for key, point in points.items() if self.parameters.shows_in[key[0]] != "sensors"}
        tracks = dict(zip(moved, self._simulated(list(moved.values()), rtol, base), strict=True))
        values = {key: self(point, tracks.get(key, base)) for key, point in points.items()}
        here = None if fine else self(x, base)
        found = []
        for k in wanted:
            change = values[k, 1] - (values[k, -1] if here is None else here)
            found.append(change / (room[k] * step * len(ways)))
        return np.stack(found, axis=-1) if found else np.zeros((self.count, 0))

    def channel_rows(self) -> list[ChannelRows]:
        """The residuals of every column of every sensor, with pairs of neighbours in time."""
        found, begin = [], 0
        for recording, masks in zip(self.recordings, self.used, strict=True):
            for mask in masks:
                numbers = np.full(mask.shape, -1)
                numbers[mask] = begin + np.arange(int(mask.sum()))
                begin += int(mask.sum())
                for column in numbers.T:
                    rows = column[column >= 0]
                    pairs = np.stack([rows[:-1], rows[1:]], axis=-1)
                    if len(rows):
                        found.append(ChannelRows(rows, pairs[:0] if recording.static else pairs))
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
