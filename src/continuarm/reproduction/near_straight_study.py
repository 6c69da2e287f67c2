"""Section I-A of the paper: curve parameters near the straight section."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from continuarm.arms.arm_file import load_arm
from continuarm.arms.inertia_models import Integral
from continuarm.arms.section import Section
from continuarm.common.number_checks import Floats
from continuarm.reproduction.figures import draw_straight
from continuarm.reproduction.number_text import digits
from continuarm.reproduction.study import Drawing, Findings, Study, Tell, WordTable, bend_points
from continuarm.reproduction.tables import Table
from continuarm.sections.entire_functions import Jet
from continuarm.sections.inertia import coefficients
from continuarm.sections.kinematics import arc_at, centre_of_gravity, shape

__all__ = ["STRAIGHT"]

QUANTITIES = {
    "tip position": "x of the tip, λ cos θ (1 − cos φ)",
    "centre of gravity": "x̄ of the centre of gravity, λ cos θ (1 − sin φ / φ)",
    "inertia integral": "∫(1 − cos ξφ)² dξ / φ⁴ of the kinetic energy",
}


def find_straight(given: Mapping[str, Any], tell: Tell) -> Findings:
    """Relative errors of both ways over bends from 1e-12 to 1, against exact rational arithmetic."""
    section = load_arm("prototype").sections[0]
    bends = np.logspace(-12, 0, given["points"])
    errors: dict[str, list[float]] = {f"{name}, {way}": [] for name in QUANTITIES for way in ("curve", "own")}
    for k, bend in enumerate(bends):
        x = bent(section, float(bend))
        exact = exactly(x)
        for way, found in (("curve", by_curve_parameters(x)), ("own", by_entire_functions(x))):
            for name, value, true in zip(QUANTITIES, found, exact, strict=True):
                off = abs(Fraction(float(value)) - true) / abs(true) if math.isfinite(value) else math.inf
                errors[f"{name}, {way}"].append(float(off))
        tell((k + 1) / len(bends))
    numbers = {
        "lost_at": {name: _last_lost(bends, errors[f"{name}, curve"]) for name in QUANTITIES},
        "own_largest": {name: max(errors[f"{name}, own"]) for name in QUANTITIES},
        "at_straight": {
            way: [float(value) if math.isfinite(value) else str(value) for value in function(bent(section, 0.0))]
            for way, function in (("curve", by_curve_parameters), ("own", by_entire_functions))
        },
    }
    columns = [(name, "1", values) for name, values in errors.items()]
    return Findings(numbers, {"near-straight": Table.of(("bend", "rad", bends), *columns)})


def bent(section: Section, bend: float, direction: float = 0.4) -> Floats:
    """x = (a, b, s) of a section bent by about this angle whose first muscle is unactuated: (3,)."""
    q = section.length_map[:, :2] @ [bend * math.cos(direction), bend * math.sin(direction)]
    return np.asarray(section.shape_map @ (q - q[0]) + [0.0, 0.0, section.length])


def by_curve_parameters(x: Floats) -> list[float]:
    """The quantities by λ, φ and θ, as the pose is printed (eq. 1 HTM_section): a straight section divides by zero."""
    a, b, s = x
    with np.errstate(divide="ignore", invalid="ignore"):
        phi, theta = np.hypot(a, b), np.arctan2(b, a)
        lamda = s / phi
        tip = lamda * np.cos(theta) * (1 - np.cos(phi))
        centre = lamda * np.cos(theta) * (1 - np.sin(phi) / phi)
        inertia = (1.5 - 2 * np.sin(phi) / phi + np.sin(2 * phi) / (4 * phi)) / phi**4
    return [float(tip), float(centre), float(inertia)]


def by_entire_functions(x: Floats) -> list[float]:
    """The same as the library computes them."""
    here = shape(x)
    inertia = coefficients(Integral(), here).Q3.linear
    assert isinstance(inertia, Jet)
    return [float(arc_at(x, 1.0)[1][0]), float(centre_of_gravity(here)[0]), float(inertia.value)]


def exactly(x: Floats) -> list[Fraction]:
    """The same in rational arithmetic, for exactly this x; the remainder of the series is below 1e-30 up to φ = 1."""
    a, b, s = (Fraction(float(value)) for value in x)
    y = a * a + b * b
    return [s * a * _sum(_series(2), y), s * a * _sum(_series(3), y), _sum(_square_integrated(), y)]


def _series(k: int, terms: int = 16) -> list[Fraction]:
    """c_k in powers of y."""
    return [Fraction((-1) ** j, math.factorial(k + 2 * j)) for j in range(terms)]


@cache
def _square_integrated() -> list[Fraction]:
    """∫₀¹ (ξ² c_2(ξ² y))² dξ in powers of y."""
    c = _series(2)
    return [sum((c[i] * c[j - i] for i in range(j + 1)), Fraction(0)) / (2 * j + 5) for j in range(len(c))]


def _sum(coefficients: list[Fraction], y: Fraction) -> Fraction:
    return sum((each * y**j for j, each in enumerate(coefficients)), Fraction(0))


def _last_lost(bends: Floats, errors: list[float]) -> float:
    """The largest bend at which not even the first digit is right."""
    lost = [float(bend) for bend, error in zip(bends, errors, strict=True) if not error < 0.1]
    return max(lost, default=0.0)


def straight_tables(found: Findings) -> list[WordTable]:
    """Where curve parameters lose everything, and what is left at φ = 0."""
    numbers = found.numbers
    rows = [
        (
            QUANTITIES[name],
            f"{digits(numbers['lost_at'][name], 2)} rad",
            digits(numbers["own_largest"][name], 2),
            str(numbers["at_straight"]["curve"][k]),
            digits(numbers["at_straight"]["own"][k]),
        )
        for k, name in enumerate(QUANTITIES)
    ]
    return [
        WordTable(
            "Curve parameters λ, φ, θ against entire functions of φ²",
            (
                "quantity",
                "curve parameters: no digit right at and below",
                "this library: largest relative error",
                "curve parameters at φ = 0",
                "this library at φ = 0",
            ),
            tuple(rows),
        )
    ]


STRAIGHT = Study(
    name="near-straight",
    title="Near the straight section",
    method=(
        "Three quantities of one section of the prototype, each more deeply inside the dynamics than the one before, "
        "are computed in double precision by the curve parameters λ, φ, θ and by this library, from the same bend and "
        "length. "
        "The reference is exact: the Taylor series of the same functions, summed in rational arithmetic for the very "
        "same numbers. Bends from 10^{−12} to 1 rad, direction θ = 0.4 rad.",
    ),
    parameters=bend_points,
    find=find_straight,
    drawings=(
        Drawing(
            "near-straight",
            "Relative error over the bend: curve parameters (solid) and this library (dotted, at rounding). An error "
            "of 1 means that no digit is right; where the computed value is zero or not a number the error is drawn as "
            "1 or left out.",
            draw_straight,
        ),
    ),
    word_tables=straight_tables,
)
