"""Goodness of fit: what is left of every sensor against its noise, and warnings where that is more than noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from continuarm.common.number_checks import Floats
from continuarm.identification.measurement_units import readable
from continuarm.identification.outliers import longest_row
from continuarm.identification.sensor_comparison import SensorComparison

FAR_ABOVE = 3.0
"""A misfit of so many times the noise is the model's, not the sensor's."""
BEGINNING = 0.5
"""s in which a recording that begins otherwise than it says is off most."""
HINT = "; if the arm was driven from the first sample on, the recording must start 'hanging'"
MANY = 0.01
"""A part of outliers that is worth a warning."""
MOST_NAMED = 3
"""Sensors that one warning names."""


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
    off_together: tuple[float, float] | None  # first and last time of the most outliers in a row, if these are many
    static: bool

    @property
    def multiple(self) -> float:
        """The misfit over the noise: about 1 where the model is right."""
        return self.rms / self.noise


def misfits(
    comparisons: Sequence[SensorComparison], estimated: dict[str, float], given_noise: dict[tuple[str, str], float]
) -> list[Misfit]:
    """The misfit of every sensor; its σ is estimated, by sensor, or was given, by recording and sensor."""
    found = []
    for each in comparisons:
        left = each.difference[each.inliers]
        given = given_noise.get((each.recording, each.sensor))
        smooth = _running_mean(np.where(each.inliers, each.difference, 0.0), 1 if each.static else 5)
        at = int(np.argmax(smooth)) if len(smooth) else 0
        found.append(
            Misfit(
                each.recording,
                each.sensor,
                each.unit,
                samples=int(each.used.sum()),
                outliers=int(each.outliers.sum()),
                left_out=int((np.isfinite(each.measured) & ~each.used).sum()),
                rms=float(np.sqrt(np.mean(left**2))) if len(left) else 0.0,
                noise=estimated[each.sensor] if given is None else given,
                given=given is not None,
                worst=float(smooth[at]) if len(smooth) else 0.0,
                worst_time=float(each.times[at]),
                off_together=_off_together(each),
                static=each.static,
            )
        )
    return found


def _off_together(comparison: SensorComparison) -> tuple[float, float] | None:
    """First and last time of the longest row of outliers, if chance does not make it."""
    row = None if comparison.static else longest_row(comparison.outliers)
    return None if row is None else (float(comparison.times[row[0]]), float(comparison.times[row[1]]))


def _running_mean(values: Floats, width: int) -> Floats:
    """Length of the mean vector of each sample and its neighbours: (k, width) -> (k,)."""
    window = np.ones(min(width, len(values))) / min(width, len(values))
    means = np.stack([np.convolve(column, window, mode="same") for column in values.T], axis=-1)
    return np.asarray(np.linalg.norm(means, axis=-1))


def misfit_warnings(found: Sequence[Misfit]) -> list[str]:
    """Sentences about misfits far above the noise, the worst first, and about many outliers."""
    sentences = []
    above = sorted((each for each in found if each.multiple > FAR_ABOVE), key=lambda each: -each.multiple)
    if above:
        worst = above[0]
        where = f"row {worst.worst_time:.0f}" if worst.static else f"{worst.worst_time:.2f} s"
        more = f"; so are {len(above) - 1} more" if len(above) > 1 else ""
        sentences.append(
            f"the misfit of {worst.sensor} in {worst.recording} is {worst.multiple:.1f} times its noise "
            f"({readable(worst.rms, worst.unit)} against {readable(worst.noise, worst.unit)}, "
            f"worst near {where}): the model or the recording is wrong there{more}"
        )
        if worst.worst_time < BEGINNING and not worst.static:
            sentences[-1] += HINT
    rows = [(each, *each.off_together) for each in found if each.off_together is not None]
    for each, begin, end in sorted(rows, key=lambda row: row[1] - row[2])[:MOST_NAMED]:
        sentences.append(
            f"{each.sensor} in {each.recording} is off from {begin:.2f} to {end:.2f} s, which has no weight: "
            f"the model or the recording is wrong there{HINT if begin < BEGINNING else ''}"
        )
    many = sorted(
        (each for each in found if each.outliers > MANY * each.samples), key=lambda e: -e.outliers / e.samples
    )
    if many:
        shares = [f"{100 * e.outliers / e.samples:.0f} % of {e.sensor} in {e.recording}" for e in many[:MOST_NAMED]]
        more = f" and of {len(many) - MOST_NAMED} more" if len(many) > MOST_NAMED else ""
        sentences.append(f"outliers have no weight: {', '.join(shares)}{more}")
    return sentences
