"""Section II-B of the paper: the truncated modal form, and curve parameters near the straight section."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from continuarm.arms.arm_file import load_arm
from continuarm.arms.section import Section
from continuarm.common.number_checks import Floats
from continuarm.paper.modal_form import modal_error
from continuarm.reproduction.figures import draw_modal, draw_straight
from continuarm.reproduction.findings import Drawing, Effort, Findings, Part, Shown, Table, Tell, digits
from continuarm.sections.entire_functions import stumpff, stumpff_of_twice_the_angle
from continuarm.sections.kinematics import arc_at

__all__ = ["MODAL", "STRAIGHT"]

ORDERS = (9, 10, 11, 12, 13, 14, 15)


# ---- The modal form -------------------------------------------------------------------------------------------------


def modal_parameters(effort: Effort, seed: int, earlier: Mapping[str, Findings]) -> dict[str, Any]:
    """How many bends; nothing is random."""
    return {"points": effort.points}


def find_modal(given: Mapping[str, Any], tell: Tell) -> Findings:
    """Errors of the truncated pose at the tip over the bend, and of the library's."""
    bend = np.linspace(0, 4 * np.pi, given["points"])
    columns: list[tuple[str, str, Any]] = [("bend", "rad", bend)]
    places = {
        "4π/3": 4 * math.pi / 3,
        "prototype's 3.73": 2 * 0.07 / (3 * 0.0125),
        "2π": 2 * math.pi,
        "4π": 4 * math.pi,
    }
    at: dict[str, dict[str, list[float]]] = {}
    for k, order in enumerate(ORDERS):
        error = modal_error(order, bend)
        columns += [
            (f"order {order}, position", "1", error.position),
            (f"order {order}, rotation", "1", error.rotation),
        ]
        some = modal_error(order, list(places.values()))
        at[str(order)] = {name: [float(p), float(r)] for name, p, r in zip(places, *some, strict=True)}
        tell((k + 1) / len(ORDERS))
    inside = bend[bend <= 2 * np.pi]
    own = np.full(len(bend), np.nan)
    own[: len(inside)] = _own_error(inside)
    columns.append(("this library", "1", own))
    return Findings({"at": at, "own_largest": float(np.nanmax(own))}, {"modal-errors": Table.of(*columns)})


def _own_error(bend: Floats) -> Floats:
    """The largest error of any entry of the library's pose at the tip, bent by φ about Y at s = 1."""
    x = np.stack([bend, np.zeros_like(bend), np.ones_like(bend)], axis=-1)
    rotation, position = arc_at(x, np.ones_like(bend))
    cos, sin = np.cos(bend), np.sin(bend)
    bow = np.sin(bend / 2) * np.sinc(bend / (2 * np.pi))
    pairs = [
        *((rotation[:, 0, 0], cos), (rotation[:, 0, 2], sin), (rotation[:, 2, 0], -sin), (rotation[:, 2, 2], cos)),
        *((position[:, 0], bow), (position[:, 2], np.sinc(bend / np.pi))),
    ]
    return np.asarray(np.max([np.abs(found - exact) for found, exact in pairs], axis=0))


def show_modal(found: Findings) -> list[Shown]:
    """Errors at four bends."""
    at = found.numbers["at"]
    rows = [
        (order, *(f"{digits(100 * position, 2)} %, {digits(rotation, 2)}" for position, rotation in each.values()))
        for order, each in at.items()
    ]
    names = [f"φ = {name} rad" for name in at[str(ORDERS[0])]]
    return [
        Shown(
            "Largest error of the truncated pose at the tip: position in percent of the length, rotation entry",
            ("order", *names),
            tuple(rows),
            "4π/3 is the largest bend of the sampling “2pi”, 3.73 rad that of the prototype's muscles, 4π that of the "
            f"bound as printed. The library truncates nothing: its largest error up to 2π is "
            f"{digits(found.numbers['own_largest'], 2)}.",
        )
    ]


MODAL = Part(
    name="modal-form",
    title="Truncated modal form",
    method=(
        "The paper replaces each entry of the section's pose by its multivariate Taylor polynomial in the muscle "
        "lengths about the straight section (it names orders 13 and 15). Here those polynomials are written down "
        "exactly, for orders 9 to 15, and compared with the pose in sines and cosines, at the tip and at unactuated "
        "length.",
    ),
    parameters=modal_parameters,
    find=find_modal,
    drawings=(
        Drawing(
            "modal-errors",
            "Largest error of the truncated pose over the bend. Orders 9, 11, 13, 15 are drawn (an even order improves "
            "only some entries); the file has all. Below: this library, up to the full turn where its range ends.",
            draw_modal,
        ),
    ),
    shown=show_modal,
)


# ---- Near the straight section --------------------------------------------------------------------------------------


def straight_parameters(effort: Effort, seed: int, earlier: Mapping[str, Findings]) -> dict[str, Any]:
    """How many bends; nothing is random."""
    return {"points": effort.points}


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
        q = _muscles(section, float(bend))
        exact = exactly(section, q)
        for way, found in (("curve", by_curve_parameters(section, q)), ("own", by_entire_functions(section, q))):
            for name, value, true in zip(QUANTITIES, found, exact, strict=True):
                off = abs(Fraction(float(value)) - true) / abs(true) if math.isfinite(value) else math.inf
                errors[f"{name}, {way}"].append(float(off))
        tell((k + 1) / len(bends))
    numbers = {
        "lost_at": {name: _last_lost(bends, errors[f"{name}, curve"]) for name in QUANTITIES},
        "own_largest": {name: max(errors[f"{name}, own"]) for name in QUANTITIES},
        "at_straight": {
            way: [float(value) if math.isfinite(value) else str(value) for value in function(section, (0.0, 0.0, 0.0))]
            for way, function in (("curve", by_curve_parameters), ("own", by_entire_functions))
        },
    }
    columns = [(name, "1", values) for name, values in errors.items()]
    return Findings(numbers, {"near-straight": Table.of(("bend", "rad", bends), *columns)})


Three = tuple[float, float, float]


def _muscles(section: Section, bend: float, direction: float = 0.4) -> Three:
    """Lengths of the three muscles, m, the first unactuated, for about this bend."""
    a, b, r = bend * math.cos(direction), bend * math.sin(direction), section.radius
    return 0.0, r * (3 * a - math.sqrt(3) * b) / 2, r * (3 * a + math.sqrt(3) * b) / 2


def by_curve_parameters(section: Section, q: Three) -> Three:
    """The quantities by λ, φ and θ, as the pose is printed (eq. HTM_section): a straight section divides by zero."""
    l1, l2, l3 = (np.float64(length) for length in q)
    L, r = section.length, section.radius
    with np.errstate(divide="ignore", invalid="ignore"):
        root = np.sqrt(l1**2 + l2**2 + l3**2 - l1 * l2 - l1 * l3 - l2 * l3)
        lamda = (3 * L + l1 + l2 + l3) * r / (2 * root)
        phi, theta = 2 * root / (3 * r), np.arctan2(np.sqrt(3) * (l3 - l2), l2 + l3 - 2 * l1)
        tip = lamda * np.cos(theta) * (1 - np.cos(phi))
        centre = lamda * np.cos(theta) * (1 - np.sin(phi) / phi)
        inertia = (1.5 - 2 * np.sin(phi) / phi + np.sin(2 * phi) / (4 * phi)) / phi**4
    return float(tip), float(centre), float(inertia)


def by_entire_functions(section: Section, q: Three) -> Three:
    """The same as the library computes them."""
    a, b, stretch = section.shape_map @ np.array(q)
    y, s = a * a + b * b, section.length + stretch
    c = stumpff(y)
    d = stumpff_of_twice_the_angle(y, c)
    return float(s * a * c[2]), float(s * a * c[3]), float(8 * d[5] - 2 * c[5])


def exactly(section: Section, q: Three, terms: int = 24) -> tuple[Fraction, Fraction, Fraction]:
    """The same in rational arithmetic, for exactly these muscle lengths; the series' remainder is below 1e-40."""
    l1, l2, l3 = (Fraction(length) for length in q)
    r = Fraction(section.radius)
    a, s = (l2 + l3 - 2 * l1) / (3 * r), Fraction(section.length) + (l1 + l2 + l3) / 3
    y = 4 * (l1**2 + l2**2 + l3**2 - l1 * l2 - l1 * l3 - l2 * l3) / (9 * r**2)

    def c(k: int, z: Fraction) -> Fraction:
        return sum(((-z) ** j / math.factorial(k + 2 * j) for j in range(terms)), Fraction(0))

    return s * a * c(2, y), s * a * c(3, y), 8 * c(5, 4 * y) - 2 * c(5, y)


def _last_lost(bends: Floats, errors: list[float]) -> float:
    """The largest bend at which not even the first digit is right."""
    lost = [float(bend) for bend, error in zip(bends, errors, strict=True) if not error < 0.1]
    return max(lost, default=0.0)


def show_straight(found: Findings) -> list[Shown]:
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
        Shown(
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


STRAIGHT = Part(
    name="near-straight",
    title="Near the straight section",
    method=(
        "Three quantities of one section of the prototype, each more deeply inside the dynamics than the one before, "
        "are computed in double precision by the curve parameters λ, φ, θ of the muscle lengths and by this library. "
        "The reference is exact: the Taylor series of the same functions, summed in rational arithmetic for the very "
        "same muscle lengths. Bends from 10^{−12} to 1 rad, direction θ = 0.4 rad.",
    ),
    parameters=straight_parameters,
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
    shown=show_straight,
)
