"""The summary of the report: how many claims got which verdict, and the five sentences that matter."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from continuarm.reproduction.complexity_study import operations_of
from continuarm.reproduction.number_text import betas, digits
from continuarm.reproduction.study import Findings
from continuarm.reproduction.verdicts import AGREES, DIFFERS, IN_PART, NOISY, NOT_RUN, OPEN

__all__ = ["SENTENCES", "TALLY", "summary_sentences", "tally"]

TALLY = {
    AGREES: "agree",
    IN_PART: "agree in part",
    DIFFERS: "differ",
    OPEN: "cannot be checked",
    NOISY: "too noisy to tell",
    NOT_RUN: "not run",
}
"""Verdicts of several claims."""


def tally(claims: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """How many claims got each verdict; verdicts that none got are left out."""
    counts = {verdict: sum(row["verdict"] == verdict for row in claims) for verdict in TALLY}
    return {verdict: count for verdict, count in counts.items() if count}


def summary_sentences(found: Mapping[str, Findings]) -> list[str]:
    """The sentences of the studies that were run."""
    return [sentence(found[study]) for study, sentence in SENTENCES if study in found]


def shaping(found: Findings) -> str:
    """The coefficients."""
    fit = found.numbers["fits"]["2pi, term by term"]
    return (
        f"Energy shaping works: β^{{υ}} = {betas(fit['beta_linear'])}, near the literature's; but the paper's bounds "
        "[0, 1] exclude these values, and they change with the bends that are sampled."
    )


def validation(found: Findings) -> str:
    """The energy error."""
    fitted = found.numbers["models"]["fitted"]
    table = found.tables["energy-errors-over-length"]
    one = dict(zip(table["sections"], table["fitted"], strict=True))[1]
    return (
        f"The mean energy error is {digits(fitted['signed_mean'], 2)} % of the largest energy, not 10^{{−6}} %; "
        f"measured by the mean energy, mean |ΔK| is {digits(fitted['relative'], 2)} % with ten sections and "
        f"{digits(one, 2)} % with one."
    )


def point_mass(found: Findings) -> str:
    """Energies and accelerations."""
    fitted = found.numbers["models"]["fitted"]
    return (
        "Matched energies are not matched accelerations: on three sections mean |ΔK| is "
        f"{digits(fitted['energy_error'], 2)} % of mean K, but |Δq̈| is {digits(fitted['acceleration_median'], 2)} % of "
        "|q̈| in the median state."
    )


def complexity(found: Findings) -> str:
    """Growth."""
    operations = found.numbers["operations"]
    degree = operations["Algorithm 1, centre of gravity"]["degree"]
    many, few = (operations_of(found, name, 3) for name in ("Algorithm 1, centre of gravity", "O(n) engine, integral"))
    return (
        f"Counted, Algorithm 1 grows with n^{{{degree}}}, not n^{{2}}; the exact integral model in closed form grows "
        f"with n, and takes {few:,} instead of {many:,} operations for three sections."
    )


def experiments(found: Findings) -> str:
    """How far apart the tips are."""
    dampings = found.numbers["largest_by_damping_mm"]
    least, assumed = min(dampings, key=float), found.numbers["assumed_damping"]
    return (
        f"In the simulated experiments both models stay within {digits(max(dampings[assumed]), 2)} mm, as damping "
        f"hides the difference ({digits(max(dampings[least]), 2)} mm with the least of the literature); the "
        "measurements are not public and cannot be checked."
    )


SENTENCES: tuple[tuple[str, Callable[[Findings], str]], ...] = (
    ("energy-shaping", shaping),
    ("validation", validation),
    ("point-mass", point_mass),
    ("complexity", complexity),
    ("experiments", experiments),
)
"""By study, in the order of the paper but for the accelerations, which follow the energies."""
