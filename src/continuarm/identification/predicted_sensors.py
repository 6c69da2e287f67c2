"""One sensor predicted by an arm that was not fitted to it: the curves, and how far they are apart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from continuarm.common.number_checks import Booleans, Floats
from continuarm.identification.measurement_units import readable
from continuarm.identification.recording import Recording
from continuarm.identification.recording_file import KINDS
from continuarm.identification.sensors import Sensor, TipOrientation

__all__ = ["PredictedSensor", "TotalError", "predicted_sensor", "total_error"]


class ErrorNumbers:
    """What the errors of a sensor and of many have in common."""

    unit: str
    samples: int
    compared: int
    rms: float
    motion: float

    @property
    def share(self) -> float:
        """Of the measured samples, the part that was compared, from 0 to 1; NaN if nothing was measured."""
        return self.compared / self.samples if self.samples else math.nan

    @property
    def of_motion(self) -> float:
        """`rms` over `motion`: 0 is exact, 1 no better than to predict that nothing moves; NaN if nothing does."""
        return self.rms / self.motion if self.motion > 0 else math.nan


@dataclass(frozen=True, eq=False)
class PredictedSensor(ErrorNumbers):
    """One sensor of one recording: measured, predicted, and the distance between them."""

    recording: str
    sensor: str  # tip 3, orientation 3, l11
    kind: str  # tips, orientations, lengths
    unit: str  # m or rad: of all numbers below but times
    samples: int  # rows in which something was measured
    compared: int  # of these, rows that the simulation reached
    rms: float  # of the distances
    worst: float  # the largest distance
    worst_time: float  # s, or the row of a static table
    motion: float  # rms distance of what was measured from its mean, over the rows that were compared
    channels: tuple[str, ...]
    times: Floats  # (k,), s, or row numbers
    measured: Floats  # (k, width), NaN in gaps
    predicted: Floats  # (k, width), NaN where the simulation did not come to
    distance: Floats  # (k,), over the measured axes, or the angle between orientations; NaN where nothing is compared

    def __repr__(self) -> str:
        if not self.compared:
            return f"{self.sensor}: nothing compared"
        rms, worst, motion = (readable(each, self.unit) for each in (self.rms, self.worst, self.motion))
        return f"{self.sensor}: rms {rms}, worst {worst} at {self.worst_time:g}, of a motion of {motion}"


@dataclass(frozen=True)
class TotalError(ErrorNumbers):
    """All sensors of a kind, every sample with the same weight."""

    kind: str  # tips, orientations, lengths
    unit: str  # m or rad
    samples: int
    compared: int
    rms: float
    worst: float
    worst_recording: str  # where it is, and of which sensor
    worst_sensor: str
    worst_time: float  # s, or the row of a static table
    motion: float  # as of one sensor, each from its own mean


def predicted_sensor(
    recording: Recording, measured: Sensor, usable: Sensor, reading: Floats, lost: Booleans
) -> PredictedSensor:
    """A sensor and what it would read, (k, width).

    usable: the same with gaps where samples are absurd; lost: (k,), rows that the simulation did not reach.
    """
    there = np.isfinite(measured.values).any(axis=1)
    difference = usable.difference(reading)
    compared = np.isfinite(difference).any(axis=1) & ~lost
    distance = np.where(compared, _lengths(difference), np.nan)
    far = distance[compared]
    at = int(np.nanargmax(distance)) if len(far) else 0
    return PredictedSensor(
        recording=recording.name,
        sensor=measured.name,
        kind=KINDS[type(measured)],
        unit=measured.unit,
        samples=int(there.sum()),
        compared=int(compared.sum()),
        rms=_rms(far),
        worst=float(far.max()) if len(far) else math.nan,
        worst_time=float(recording.times[at]) if len(far) else math.nan,
        motion=_rms(_from_mean(usable.replace(values=usable.values[compared]))),
        channels=measured.channels,
        times=recording.times,
        measured=measured.values,
        predicted=np.where(lost[:, None], np.nan, reading),
        distance=distance,
    )


def total_error(sensors: Sequence[PredictedSensor]) -> TotalError:
    """Of sensors of one kind, at least one."""
    weighed = [each for each in sensors if each.compared]
    worst = max(weighed or sensors, key=lambda each: each.worst)
    counts = np.array([each.compared for each in weighed], dtype=float)

    def together(values: list[float]) -> float:
        return math.sqrt(float(np.average(np.square(values), weights=counts))) if weighed else math.nan

    return TotalError(
        kind=sensors[0].kind,
        unit=sensors[0].unit,
        samples=sum(each.samples for each in sensors),
        compared=sum(each.compared for each in sensors),
        rms=together([each.rms for each in weighed]),
        worst=worst.worst,
        worst_recording=worst.recording,
        worst_sensor=worst.sensor,
        worst_time=worst.worst_time,
        motion=together([each.motion for each in weighed]),
    )


def _from_mean(sensor: Sensor) -> Floats:
    """Distance of every row from the mean of all: (k, width), none without a number -> (k,)."""
    values = sensor.values
    if not len(values):
        return np.zeros(0)
    if isinstance(sensor, TipOrientation):
        from scipy.spatial.transform import Rotation

        mean: Floats = Rotation.from_rotvec(values).mean().as_rotvec()
    else:
        mean = np.nansum(values, axis=0) / np.maximum(np.isfinite(values).sum(axis=0), 1)
    return _lengths(sensor.difference(np.broadcast_to(mean, values.shape)))


def _lengths(vectors: Floats) -> Floats:
    """Over the axes that are there: (k, width) -> (k,)."""
    return np.sqrt(np.nansum(np.square(vectors), axis=1))


def _rms(values: Floats) -> float:
    return float(np.sqrt(np.mean(np.square(values)))) if len(values) else math.nan
