"""Fitted parameters as they are reported: value, standard error and 95 % interval, from the numbers of a search."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import numpy as np

from continuarm.common.number_checks import Floats
from continuarm.identification.free_parameters import FreeParameters
from continuarm.identification.parameter_covariance import HOPELESS, ParameterCovariance


@dataclass(frozen=True)
class FittedParameter:
    """One fitted number; an error that is infinite says that nothing is known."""

    name: str
    unit: str
    value: float
    standard_error: float  # of noise, and of effects that are left out
    low: float  # ends of the 95 % interval
    high: float
    start: float
    at_bound: str  # low, high, or empty
    unmodelled: float = 0.0  # the part of the standard error of effects that are left out and not excluded

    @property
    def noise(self) -> float:
        """The part of the standard error that noise makes."""
        return math.sqrt(max(self.standard_error**2 - self.unmodelled**2, 0.0))

    @property
    def interval(self) -> tuple[float, float]:
        """95 %."""
        return self.low, self.high

    def __str__(self) -> str:
        return f"{self.name} = {with_error(self.value, self.standard_error)} {self.unit}"


def fitted_parameters(
    parameters: FreeParameters, x: Floats, found: ParameterCovariance, left_out: Floats
) -> tuple[list[FittedParameter], Floats, Floats]:
    """The parameters with their errors, the correlation of these, and that of the part of them that noise makes.

    left_out: (p, p), mean products of what effects that are left out could have moved the numbers of the search by.
    A positive one has an interval of equal factors up and down, others of equal steps; none goes beyond its bounds.
    """
    from scipy.stats import t

    jacobian = parameters.reported_jacobian(x)
    noise, more = (jacobian @ each @ jacobian.T for each in (found.covariance, left_out))
    errors, beside = (np.sqrt(np.maximum(np.diag(each), 0.0)) for each in (noise + more, more))
    quantile = float(t.ppf(0.975, max(found.degrees_of_freedom, 1)))
    unknown = np.any(np.abs(jacobian) * found.unknown > 1e-6, axis=1)
    rows = []
    begin, bounds = parameters.reported(parameters.start), parameters.at_bound(x)
    for k, (now, before, error) in enumerate(zip(parameters.reported(x), begin, errors, strict=True)):
        step = quantile * error
        if now.positive:
            low, high = now.value * math.exp(-min(step, 50.0)), now.value * math.exp(min(step, 50.0))
            size = now.value * error
        else:
            low, high, size = now.value - step, now.value + step, float(error)
        if parameters.one_to_one[k]:
            least, most = parameters.search_numbers[k].low, parameters.search_numbers[k].high
            low, high = max(low, least), min(high, most)
            # a number without logarithm is unknown if its error is as large as its range
            size = math.inf if not now.positive and 2 * step >= most - least else size
        size = math.inf if unknown[k] or (now.positive and error > HOPELESS) else size
        bound = bounds[k] if parameters.one_to_one[k] else ""
        row = (now.name, now.unit, float(now.value), float(size), low, high, float(before.value), bound)
        part = float(beside[k]) / max(float(error), 1e-300) * size if math.isfinite(size) else 0.0
        rows.append(FittedParameter(*row, unmodelled=part))
    return rows, _correlation(noise + more), _correlation(noise)


def _correlation(covariance: Floats) -> Floats:
    sizes = np.sqrt(np.maximum(np.diag(covariance), 1e-300))
    return np.asarray(np.clip(covariance / np.outer(sizes, sizes), -1.0, 1.0))


def provenance(recordings: list[str], parameters: list[FittedParameter]) -> str:
    """A sentence for the description of a fitted arm."""
    listed = "; ".join(str(each) for each in parameters if not each.name.startswith(("delay", "sensor_frame")))
    return f"Identified from {', '.join(recordings)}: {listed} (± one standard error)."


def with_error(value: float, error: float) -> str:
    """1702.3 ± 1.2: a value with the digits that its error leaves."""
    if not math.isfinite(error):
        return f"{value:.3g} ± ?"
    if error <= 0:
        return f"{value:.6g}"
    digits = int(np.clip(math.floor(math.log10(max(abs(value), error))) - math.floor(math.log10(error)) + 2, 2, 12))
    size = math.floor(math.log10(max(abs(value), error)))
    if -3 <= size < 6:
        places = max(digits - 1 - size, 0)
        return f"{value:.{places}f} ± {error:.{places}f}"
    return f"({value / 10.0**size:.{digits - 1}f} ± {error / 10.0**size:.{digits - 1}f})e{size}"


def two_digits(size: float) -> str:
    """0.026, 4.2, 131: a size with at least two significant digits, ? for one that is not known."""
    if not math.isfinite(size):
        return "?"
    return f"{size:.0f}" if 99.5 <= size < 1e6 else f"{size:.2g}"


_WITH_ERROR = re.compile(
    r"([A-Za-z_][\w \[\],]*?) = "
    r"(?:\((?P<large>[-+.\d]+) ± (?P<error>[.\d]+)\)e(?P<size>[-+]?\d+)|(?P<plain>[-+.\d]+) ± (?P<plain_error>[.\d]+))"
)


def read_errors(description: str) -> dict[str, float]:
    """The standard errors that a description has, by the names of its parameters: what `provenance` wrote."""
    found = {}
    for each in _WITH_ERROR.finditer(description):
        size = 10.0 ** int(each["size"] or 0)
        found[each[1].strip()] = size * float(each["error"] or each["plain_error"])
    return found
