"""Goodness of fit: how far every sensor is from the fitted arm, against its noise, and how much of that is no noise."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from continuarm.common.number_checks import Floats
from continuarm.identification.outliers import OUTLIER, longest_row
from continuarm.identification.sensor_comparison import SensorComparison
from continuarm.identification.sensor_noise import NoiseLevel
from continuarm.identification.serial_correlation import autocorrelation

FAR_ABOVE = 3.0
"""A misfit of so many times the noise is the model's, not the sensor's."""
STRUCTURED = 1.0
"""What is left and is no noise is serious beyond so many times the noise."""
CHANCE = 1e-4
"""What noise alone does less often than this is no noise."""
SUMMED = 4
"""Lags whose correlations are added to see slow parts of what is left."""


@dataclass(frozen=True)
class Misfit:
    """What is left of one sensor in one recording: distances are norms over the axes that it measures."""

    recording: str
    sensor: str
    unit: str
    axes: int  # numbers of one sample: 3 of a tip
    samples: int  # numbers that the fit used
    outliers: int  # of these, so far off that they had no weight
    left_out: int  # numbers that were not used
    distance: float  # rms distance from the fitted arm, without outliers, in the unit
    noise: float  # σ of each axis
    noise_from: str  # given, neighbours, repeats, curve, unknown
    structured: float  # rms distance of the part that is no noise: it follows its neighbours in time, or the commands
    correlation: float  # of neighbours in time
    chance: float  # that noise alone leaves such a part
    given_up: float  # share of the samples that the fit gave up
    worst_distance: float  # the largest of running means of five samples
    worst_time: float  # s, or the row of a static table
    off_together: tuple[float, float] | None  # first and last time of the most outliers in a row, if these are many
    static: bool

    @property
    def noise_distance(self) -> float:
        """The rms distance that noise alone would leave."""
        return self.noise * math.sqrt(self.axes)

    @property
    def multiple(self) -> float:
        """The misfit over that of noise alone: about 1 where the model is right."""
        return self.distance / self.noise_distance

    @property
    def wrong(self) -> bool:
        """Whether the model or the recording must be wrong: far above the noise, or what is no noise is above it."""
        structured = self.chance < CHANCE and self.structured > STRUCTURED * self.noise_distance
        return self.multiple > FAR_ABOVE or structured


def misfits(
    comparisons: Sequence[SensorComparison],
    estimated: Mapping[str, NoiseLevel],
    given_noise: Mapping[tuple[str, str], float],
    scales: Mapping[tuple[str, str], float],
) -> list[Misfit]:
    """The misfit of every sensor; its σ is estimated, by sensor, or was given, by recording and sensor.

    scales: what the fit divided its differences by, by recording and sensor.
    """
    return [
        _misfit(each, estimated[each.sensor], given_noise.get(key), scales.get(key, 0.0))
        for each in comparisons
        for key in [(each.recording, each.sensor)]
    ]


def _misfit(each: SensorComparison, level: NoiseLevel, given: float | None, scale: float) -> Misfit:
    left, axes = each.difference[each.inliers], len(each.channels)
    sigma = level.sigma if given is None else given
    smooth = _running_mean(np.where(each.inliers, each.difference, 0.0), 1 if each.static else 5)
    at = int(np.argmax(smooth)) if len(smooth) else 0
    inner = np.where(each.inliers, each.difference, np.nan)
    power = float(np.mean(left**2)) if len(left) else 0.0
    if each.static:
        structured, chance = _structured_rows(power, len(left), level, sigma, given is not None)
        correlation = 0.0
    else:
        structured, chance, correlation = structured_in_time(inner, power, level.least)
    row = None if each.static else longest_row(each.outliers)
    return Misfit(
        each.recording,
        each.sensor,
        each.unit,
        axes=axes,
        samples=int(each.used.sum()),
        outliers=int(each.outliers.sum()),
        left_out=int((np.isfinite(each.measured) & ~each.used).sum()),
        distance=math.sqrt(axes * power),
        noise=sigma,
        noise_from=level.source if given is None else "given",
        structured=math.sqrt(axes) * structured,
        correlation=correlation,
        chance=chance,
        given_up=_given_up(each, OUTLIER * max(scale, sigma)) if scale else 0.0,
        worst_distance=float(smooth[at]) if len(smooth) else 0.0,
        worst_time=float(each.times[at]),
        off_together=None if row is None else (float(each.times[row[0]]), float(each.times[row[1]])),
        static=each.static,
    )


def structured_in_time(left: Floats, power: float, least: float) -> tuple[float, float, float]:
    """Of what is left (k, width): rms of the part that follows its neighbours, its chance, and their correlation.

    Noise that is new in every sample has no correlation but by chance, a Gaussian of 1 / √numbers.
    """
    from scipy.stats import norm

    count = int(np.isfinite(left).sum())
    if count < 12 * left.shape[1]:
        return 0.0, 1.0, 0.0
    rho = autocorrelation(left, SUMMED)[1:]
    sure = max(float(rho[0]), float(rho.sum()) / math.sqrt(SUMMED)) * math.sqrt(count)
    smooth = max(float(rho[0]), float(rho.mean()), 0.0) * power - least**2
    return math.sqrt(max(smooth, 0.0)), min(1.0, 2 * float(norm.sf(sure))), float(rho[0])


def _structured_rows(power: float, count: int, level: NoiseLevel, sigma: float, given: bool) -> tuple[float, float]:
    """The same of a static table: against a noise that is known, or as a function of the commands."""
    from scipy.stats import chi2

    if level.table is not None and level.table.source != "unknown" and not given and level.source != "neighbours":
        return level.table.structured, level.table.chance
    if not given and level.source == "unknown":
        return 0.0, 1.0
    chance = float(chi2.sf(count * power / sigma**2, max(count, 1)))
    return math.sqrt(max(power - sigma**2, 0.0)), chance


def _given_up(each: SensorComparison, far: float) -> float:
    """The share of samples that are so far off that they hardly pull."""
    used = each.used.any(axis=1)
    off = (np.abs(np.where(each.used, each.difference, 0.0)) > far).any(axis=1)
    return float(np.sum(off & used)) / max(int(np.sum(used)), 1)


def _running_mean(values: Floats, width: int) -> Floats:
    """Length of the mean vector of each sample and its neighbours: (k, width) -> (k,)."""
    window = np.ones(min(width, len(values))) / min(width, len(values))
    means = np.stack([np.convolve(column, window, mode="same") for column in values.T], axis=-1)
    return np.asarray(np.linalg.norm(means, axis=-1))
