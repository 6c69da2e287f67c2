"""Measured against simulated, sensor by sensor: the differences that a fit makes small and that figures draw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from continuarm.common.number_checks import Booleans, Floats
from continuarm.identification.outliers import outlier_mask
from continuarm.identification.recording import Recording
from continuarm.identification.sensor_frame_and_delay import simulated_readings
from continuarm.identification.simulated_tracks import Track


class Differences(NamedTuple):
    """Measured less simulated, of every sensor of one recording."""

    each: list[Floats]  # (k, width) of each sensor, NaN in gaps
    readings: list[Floats]  # (k, width) of each sensor, simulated
    lost: Booleans  # (k,), where the motion had ended


def differences(recording: Recording, simulated: Track, delay: float, frame: Floats | None) -> Differences:
    """Measured less simulated, of one recording; see simulated_readings."""
    readings, lost = simulated_readings(recording, simulated, delay, frame)
    each = [sensor.difference(values) for sensor, values in zip(recording.sensors, readings, strict=True)]
    return Differences(each, readings, lost)


@dataclass(frozen=True, eq=False)
class SensorComparison:
    """One sensor of one recording, measured and simulated: what a figure draws."""

    recording: str
    sensor: str
    unit: str
    channels: tuple[str, ...]
    static: bool
    times: Floats  # (k,), s, or row numbers
    measured: Floats  # (k, width)
    simulated: Floats  # (k, width)
    difference: Floats  # (k, width), NaN in gaps
    used: Booleans  # (k, width)
    outliers: Booleans  # (k, width)
    held_out: bool = False

    @property
    def inliers(self) -> Booleans:
        """(k, width): used, and no outlier."""
        return self.used & ~self.outliers


def sensor_comparisons(
    recordings: Sequence[Recording],
    found: Sequence[Differences],
    used: Sequence[Sequence[Booleans]],
    held_out: bool = False,
) -> list[SensorComparison]:
    """All sensors of recordings; used are masks (k, width) of each sensor of each recording."""
    comparisons = []
    for recording, own, masks in zip(recordings, found, used, strict=True):
        for sensor, left, reading, mask in zip(recording.sensors, own.each, own.readings, masks, strict=True):
            comparisons.append(
                SensorComparison(
                    recording=recording.name,
                    sensor=sensor.name,
                    unit=sensor.unit,
                    channels=sensor.channels,
                    static=recording.static,
                    times=recording.times,
                    measured=sensor.values,
                    simulated=reading,
                    difference=left,
                    used=mask,
                    outliers=outlier_mask(left, mask, sensor.sigma),
                    held_out=held_out,
                )
            )
    return comparisons
