"""The summary of the report: one or two sentences a study, with its numbers."""

from __future__ import annotations

from collections.abc import Callable

from continuarm.reproduction.number_text import betas, digits
from continuarm.reproduction.study import Findings

__all__ = ["SENTENCES"]


def shaping(found: Findings) -> str:
    """The coefficients."""
    fit = found.numbers["fits"]["2pi, term by term"]
    return (
        f"The energy shaping coefficients come out as β^{{υ}} = {betas(fit['beta_linear'])} and β^{{ω}} = "
        f"{betas(fit['beta_angular'])}, near those of the literature; the paper's bounds [0, 1] exclude them."
    )


def validation(found: Findings) -> str:
    """The energy error."""
    fitted = found.numbers["models"]["fitted"]
    signed, absolute, worst, relative = (
        digits(fitted[kind], 2) for kind in ("signed_mean", "mean_absolute", "worst", "relative")
    )
    return (
        f"The claimed mean energy error of 10^{{−6}} % does not hold: the signed mean is {signed} %, the mean absolute "
        f"error {absolute} %, the worst {worst} % of the largest energy, and of the mean energy it is {relative} %; "
        f"small, "
        "but not that small."
    )


def point_mass(found: Findings) -> str:
    """Energies and accelerations."""
    fitted = found.numbers["models"]["fitted"]
    return (
        f"Energies of the three-section arm agree to {digits(fitted['energy_error'], 2)} %, but accelerations differ "
        f"from the integral model's by {digits(fitted['acceleration_median'], 2)} % in the median random state."
    )


def experiments(found: Findings) -> str:
    """How far apart the tips are."""
    dampings = found.numbers["largest_by_damping_mm"]
    least, assumed = min(dampings, key=float), found.numbers["assumed_damping"]
    return (
        "In the three experiments, simulated from assumed parameters as the paper's measurements are not public, the "
        "tips "
        f"of both models are at most {', '.join(digits(value, 2) for value in dampings[assumed])} mm apart with the "
        f"assumed damping, and up to {digits(max(dampings[least]), 2)} mm with the least damping in the literature: "
        f"strong damping "
        "hides the difference."
    )


def complexity(found: Findings) -> str:
    """Growth and rate."""
    native = found.times["rates"].get("native loop, integral")
    rate = f" and runs at {digits(1e-6 / native, 2)} MHz for three sections" if native else ""
    return (
        "Times of Algorithm 1 over so few sections do not settle the claimed O(n²) and O(n³), which cannot "
        "hold for long arms, as it forms 27 n³ derivatives. The exact integral model needs only O(n) when its "
        "integrals are "
        f"solved in closed form{rate}."
    )


SENTENCES: tuple[tuple[str, Callable[[Findings], str]], ...] = (
    ("energy-shaping", shaping),
    ("validation", validation),
    ("point-mass", point_mass),
    ("experiments", experiments),
    ("complexity", complexity),
)
"""By study, in the order of the summary."""
