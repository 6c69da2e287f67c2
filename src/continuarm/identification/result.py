"""The result of a fit: the arm, its parameters with their errors, and in words what to make of them."""

from __future__ import annotations

import math
import os
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.arms.arm_file import save_arm
from continuarm.common.number_checks import Floats
from continuarm.identification.free_parameters import FreeParameters
from continuarm.identification.misfits import Misfit, Trace
from continuarm.identification.uncertainty import HOPELESS, Uncertainty

__all__ = ["Identification", "Parameter"]


@dataclass(frozen=True)
class Parameter:
    """One fitted number; an error that is infinite says that nothing is known."""

    name: str
    unit: str
    value: float
    standard_error: float
    low: float  # ends of the 95 % interval
    high: float
    start: float
    at_bound: str  # low, high, or empty

    @property
    def interval(self) -> tuple[float, float]:
        """95 %."""
        return self.low, self.high

    def __str__(self) -> str:
        return f"{self.name} = {with_error(self.value, self.standard_error)} {self.unit}"


@dataclass(frozen=True, eq=False)
class Identification:
    """A fitted arm and how far it can be trusted."""

    arm: Arm
    parameters: tuple[Parameter, ...]
    correlation: Floats  # (p, p), of the parameters in their order
    undetermined: tuple[str, ...]  # sentences
    misfit: tuple[Misfit, ...]  # of every recording and sensor
    held_out: tuple[Misfit, ...]  # of recordings that the fit did not see
    noise: dict[str, float]  # σ of every sensor: given, or estimated
    warnings: tuple[str, ...]
    serious: bool  # whether a warning says that the arm should not be used as it is
    interrupted: bool
    record: dict[str, Any]  # evaluations, wall_time, rounds, starts
    traces: tuple[Trace, ...]

    def __getitem__(self, name: str) -> Parameter:
        """A parameter by its name."""
        for parameter in self.parameters:
            if parameter.name == name:
                return parameter
        raise KeyError(f"{name!r}: the parameters are {', '.join(each.name for each in self.parameters)}")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the arm as a TOML file; its description says where the numbers come from."""
        save_arm(self.arm, path)

    def report(self, path: str | os.PathLike[str]) -> None:
        """Writes one HTML page with tables and figures that loads nothing else."""
        from continuarm.identification.report import write_report

        write_report(self, path)

    def summary(self) -> dict[str, Any]:
        """All numbers and sentences as plain values; what is infinite is None."""
        return {
            "arm": self.arm.model_dump(mode="json"),
            "parameters": [_plain(asdict(each)) for each in self.parameters],
            "correlation": np.round(self.correlation, 6).tolist(),
            "undetermined": list(self.undetermined),
            "misfit": [asdict(each) | {"multiple": each.multiple} for each in self.misfit],
            "held_out": [asdict(each) | {"multiple": each.multiple} for each in self.held_out],
            "noise": self.noise,
            "warnings": list(self.warnings),
            "serious": self.serious,
            "interrupted": self.interrupted,
            "record": self.record,
        }

    def __repr__(self) -> str:
        return f"<Identification of {self.arm.name!r}: {'; '.join(map(str, self.parameters))}>"


def fitted_parameters(parameters: FreeParameters, x: Floats, found: Uncertainty) -> tuple[list[Parameter], Floats]:
    """The parameters with their errors, and the correlation of these.

    A positive one has an interval of equal factors up and down, others of equal steps; none goes beyond its bounds.
    """
    from scipy.stats import t

    slopes = parameters.shown_slopes(x)
    covariance = slopes @ found.covariance @ slopes.T
    errors = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    reach = float(t.ppf(0.975, max(found.freedom, 1)))
    unknown = np.any(np.abs(slopes) * found.unknown > 1e-6, axis=1)
    rows = []
    begin, bounds, single = parameters.shown(parameters.start), parameters.at_bound(x), parameters.single
    for k, (now, before, error) in enumerate(zip(parameters.shown(x), begin, errors, strict=True)):
        step = reach * error
        if now.positive:
            low, high = now.value * math.exp(-min(step, 50.0)), now.value * math.exp(min(step, 50.0))
            size = now.value * error
        else:
            low, high, size = now.value - step, now.value + step, float(error)
        if single[k]:
            least, most = parameters.coordinates[k].low, parameters.coordinates[k].high
            low, high = max(low, least), min(high, most)
            # a number without logarithm is unknown if its error is as large as its range
            size = math.inf if not now.positive and 2 * step >= most - least else size
        size = math.inf if unknown[k] or (now.positive and error > HOPELESS) else size
        bound = bounds[k] if single[k] else ""
        rows.append(Parameter(now.name, now.unit, float(now.value), float(size), low, high, float(before.value), bound))
    sizes = np.maximum(errors, 1e-300)
    return rows, np.clip(covariance / np.outer(sizes, sizes), -1.0, 1.0)


def provenance(recordings: list[str], parameters: list[Parameter]) -> str:
    """A sentence for the description of a fitted arm."""
    told = "; ".join(str(each) for each in parameters if not each.name.startswith(("delay", "sensor_frame")))
    return f"Identified from {', '.join(recordings)}: {told} (± one standard error)."


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


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value for name, value in row.items()
    }
