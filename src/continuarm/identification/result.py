"""The result of a fit: the arm, its parameters with their errors, and in words what to make of them."""

from __future__ import annotations

import math
import os
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.arms.arm_file import save_arm
from continuarm.arms.summary import counted
from continuarm.common.number_checks import Floats
from continuarm.common.text import printable, short
from continuarm.identification.findings import Finding, verdict
from continuarm.identification.fitted_parameters import FittedParameter
from continuarm.identification.goodness_of_fit import Misfit
from continuarm.identification.recorded_commands import RecordedCommands
from continuarm.identification.sensor_comparison import SensorComparison

__all__ = ["Identification"]

MOST_LISTED = 8
"""Parameters that repr() lists."""


@dataclass(frozen=True, eq=False)
class Identification:
    """A fitted arm and how far it can be trusted, as `identify` returns it.

    found["stiffness"] is a parameter by its name, with value, standard_error, low and high (95 %), start, unit.

    Attributes
    ----------
    arm : Arm
        With the fitted numbers; its description says where they come from.
    parameters : tuple
        All fitted numbers.
    correlation : ndarray, (p, p)
        Of the parameters in their order.
    undetermined : tuple of str
        Sentences: what the recordings cannot tell.
    misfit, held_out : tuple
        Of every recording and sensor that the fit saw, and that it did not see: distance, noise, outliers, worst_time.
    noise : dict of str to float
        σ of every sensor: given, or estimated.
    findings : tuple
        What the fit found out about itself: sentences, and whether each is "serious", a "warning" or a "note".
    interrupted : bool
    record : dict
        evaluations, samples, starts, seed, settled, wall_time.
    comparisons : tuple
        Measured and simulated readings of every sensor, for figures.
    commands : tuple
        What drove every recording, and how it was read between samples.

    Examples
    --------
    >>> arm = ca.load_arm("prototype")
    >>> camera = ca.TipPosition(3, np.zeros((61, 3)))
    >>> run = ca.Recording("run", ca.PressureSteps({"l33": [(0.5, 500e3)]}), np.arange(61) / 20, [camera])
    >>> found = ca.identify(arm, ca.simulated_recording(arm, run), "stiffness", delay=False)
    >>> found["stiffness"].unit, len(found.warnings)
    ('N/m', 0)
    >>> found.save("fitted.toml"); found.report("fit.html")
    """

    arm: Arm
    parameters: tuple[FittedParameter, ...]
    correlation: Floats  # (p, p), of the parameters in their order
    undetermined: tuple[str, ...]  # sentences
    misfit: tuple[Misfit, ...]  # of every recording and sensor
    held_out: tuple[Misfit, ...]  # of recordings that the fit did not see
    noise: dict[str, float]  # σ of every sensor: given, or estimated
    findings: tuple[Finding, ...]
    interrupted: bool
    record: dict[str, Any]  # evaluations, samples, starts, seed, settled, wall_time
    comparisons: tuple[SensorComparison, ...]
    commands: tuple[RecordedCommands, ...] = ()

    @property
    def verdict(self) -> str:
        """One line: usable, use with care, or NOT TO BE USED AS IT IS, and why."""
        return verdict(self.findings, self.undetermined)

    @property
    def serious(self) -> bool:
        """Whether the arm should not be used as it is."""
        return bool(self.undetermined) or any(each.weight == "serious" for each in self.findings)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Sentences that are serious or ask for care."""
        return tuple(each.sentence for each in self.findings if each.weight != "note")

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences that are good to know."""
        return tuple(each.sentence for each in self.findings if each.weight == "note")

    def __getitem__(self, name: str) -> FittedParameter:
        """A parameter by its name."""
        for parameter in self.parameters:
            if parameter.name == name:
                return parameter
        raise KeyError(f"{name!r}: the parameters are {', '.join(each.name for each in self.parameters)}")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the arm as a TOML file; its description says where the numbers come from.

        Parameters
        ----------
        path : str or path
        """
        save_arm(self.arm, path)

    def report(self, path: str | os.PathLike[str]) -> None:
        """Writes one HTML page with tables and figures that loads nothing else.

        Parameters
        ----------
        path : str or path
        """
        from continuarm.identification.html_report import write_report

        write_report(self, path)

    def summary(self) -> dict[str, Any]:
        """All numbers and sentences as plain values; what is infinite is None.

        Returns
        -------
        dict
            As `json.dumps` takes it.
        """
        return {
            "verdict": self.verdict,
            "arm": self.arm.model_dump(mode="json"),
            "parameters": [_plain(asdict(each) | {"noise": each.noise}) for each in self.parameters],
            "correlation": np.round(self.correlation, 6).tolist(),
            "undetermined": list(self.undetermined),
            "misfit": [_plain_misfit(each) for each in self.misfit],
            "held_out": [_plain_misfit(each) for each in self.held_out],
            "noise": self.noise,
            "warnings": list(self.warnings),
            "notes": list(self.notes),
            "serious": self.serious,
            "commands": {each.recording: each.words for each in self.commands},
            "interrupted": self.interrupted,
            "record": self.record,
        }

    def __repr__(self) -> str:
        recordings = {each.recording for each in self.misfit}
        counts = f"{counted(len(self.parameters), 'parameter')}, {counted(len(recordings), 'recording')}"
        words = [f"Identification({short(self.arm.name)}, {counts}" + (", interrupted)" if self.interrupted else ")")]
        words += [f"  {printable(self.verdict)}"]
        words += [f"  {printable(str(each))}" for each in self.parameters[:MOST_LISTED]]
        more = len(self.parameters) - MOST_LISTED
        words += [f"  and {more} more"] if more > 0 else []
        words += [f"  {counted(len(self.warnings), 'warning')}"] if self.warnings else []
        return "\n".join(words)

    def _repr_html_(self) -> str:
        """What a notebook shows: the parameters with their errors, the misfit of every sensor, and the warnings."""
        from continuarm.identification.notebook import identification_card

        return identification_card(self)


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value for name, value in row.items()
    }


def _plain_misfit(each: Misfit) -> dict[str, Any]:
    return asdict(each) | {"noise_distance": each.noise_distance, "multiple": each.multiple}
