"""Entire functions of y = φ²: the only place that knows small angles.

Every shape function of a section is one of Stumpff's functions

    c_k(y) = Σ_j (-y)^j / (k + 2j)!      c_0 = cos φ,  c_1 = sin φ/φ,  c_2 = (1 - cos φ)/φ²,  c_3 = (φ - sin φ)/φ³ ...

They have no singularity when the section is straight, and three identities make everything else:

    c_k = 1/k! - y c_{k+2}                       two of them give all below
    d c_k / dy = (k c_{k+2} - c_{k+1}) / 2        derivatives are the same functions again
    ∫₀¹ ξᵏ c_k(ξ² y) dξ = c_{k+1}(y)              so are integrals along the section

Products of two of them, which the kinetic energy integrates, are sums of c_k(y) and c_k(4y) (cos² φ is in cos 2φ):
for instance c_2² = 8 c_4(4y) - 2 c_4(y), hence ∫ (1 - cos ξφ)²/φ⁴ dξ = 8 c_5(4y) - 2 c_5(y).

Only the two highest are evaluated as polynomials: exact rational Taylor coefficients, rewritten in the centred
variable t = y / 20 - 1 (powers of y would lose digits to cancellation near φ = 2π) and economised by Chebyshev
polynomials on 0 <= y <= 40, which covers a full turn: (2π)² = 39.48.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

Scalar = Any
"""A float, a complex, an array of them, or a recording scalar: anything with + - × ÷."""

TOP = 9
"""The highest index k in use."""

SPAN = 40
"""The polynomials hold on 0 <= y <= SPAN."""

_DEGREE = {1: 10, 4: 15}
"""Degree that leaves rounding only, for c_k(y) and c_k(4y) at k = 8 and 9 (checked by the tests)."""


@dataclass(frozen=True, slots=True)
class Jet:
    """A function of y with its derivative: value and slope, carried through + - and ×."""

    value: Scalar
    slope: Scalar
    __array_ufunc__ = None  # array * Jet is Jet.__rmul__, not an array of Jets

    def __add__(self, other: Any) -> Jet:
        if isinstance(other, Jet):
            return Jet(self.value + other.value, self.slope + other.slope)
        return Jet(self.value + other, self.slope)

    __radd__ = __add__

    def __neg__(self) -> Jet:
        return Jet(-self.value, -self.slope)

    def __sub__(self, other: Any) -> Jet:
        return self + (-other)

    def __rsub__(self, other: Any) -> Jet:
        return -self + other

    def __mul__(self, other: Any) -> Jet:
        if isinstance(other, Jet):
            return Jet(self.value * other.value, self.slope * other.value + self.value * other.slope)
        return Jet(self.value * other, self.slope * other)

    __rmul__ = __mul__

    def __truediv__(self, other: float) -> Jet:
        return self * (1 / other)


def stumpff(y: Scalar) -> tuple[Scalar, ...]:
    """c_0(y) ... c_9(y) for 0 <= y <= 40."""
    return _downward(y, y, scale=1, lowest=0)


def stumpff_of_twice_the_angle(y: Scalar, c: tuple[Scalar, ...]) -> tuple[Scalar, ...]:
    """c_0(4y) ... c_9(4y) for 0 <= y <= 40, given c_k(y); the lowest two by the double-angle formulas."""
    return 2 * c[0] * c[0] - 1, c[0] * c[1], *_downward(y, 4 * y, scale=4, lowest=2)


def jets(c: tuple[Scalar, ...], scale: int = 1) -> tuple[Jet, ...]:
    """c_k(scale · y) for k up to 7 with derivatives in y."""
    return tuple(Jet(c[k], slope(k, c, scale)) for k in range(TOP - 1))


def slope(k: int, c: tuple[Any, ...], factor: float = 1) -> Any:
    """The derivative (k c_{k+2} - c_{k+1}) / 2 of c_k times a factor, from c_0, c_1, ... or from their jets."""
    return factor * k / 2 * c[k + 2] - factor / 2 * c[k + 1]


def taylor(k: int, y: Scalar, terms: int) -> Scalar:
    """c_k(y) cut after some terms of its Taylor series: the paper's modal form, for comparison only."""
    return _horner([(-1) ** j / math.factorial(k + 2 * j) for j in range(terms)], y)


def _downward(y: Scalar, z: Scalar, scale: int, lowest: int) -> tuple[Scalar, ...]:
    t = y / (SPAN / 2) - 1
    c = [_horner(economised(k, scale), t) for k in (TOP - 1, TOP)]
    for k in range(TOP - 2, lowest - 1, -1):
        c.insert(0, 1 / math.factorial(k) - z * c[1])
    return tuple(c)


def _horner(coefficients: tuple[float, ...] | list[float], t: Scalar) -> Scalar:
    value = coefficients[-1] + 0 * t
    for coefficient in reversed(coefficients[:-1]):
        value = value * t + coefficient
    return value


@cache
def economised(k: int, scale: int) -> tuple[float, ...]:
    """Coefficients of c_k(scale · y) in powers of t = 2y/SPAN - 1, from exact rationals."""
    terms = 24 + 8 * scale  # the Taylor remainder at y = SPAN is below 1e-25
    half = Fraction(SPAN, 2)
    zero = Fraction(0)
    poly: list[Fraction] = []
    for j in reversed(range(terms)):  # Horner's rule in y = half (1 + t)
        poly = [half * (low + high) for low, high in zip([*poly, zero], [zero, *poly], strict=True)]
        poly[0] += Fraction((-scale) ** j, math.factorial(k + 2 * j))
    while len(poly) - 1 > _DEGREE[scale]:  # take away the Chebyshev polynomial with the same leading term
        chebyshev = _chebyshev(len(poly) - 1)
        lead = poly[-1] / chebyshev[-1]
        poly = [p - lead * q for p, q in zip(poly, chebyshev, strict=True)][:-1]
    return tuple(float(p) for p in poly)


@cache
def _chebyshev(degree: int) -> tuple[int, ...]:
    if degree < 2:
        return ((1,), (0, 1))[degree]
    last, before = _chebyshev(degree - 1), _chebyshev(degree - 2)
    return tuple(2 * high - low for high, low in zip((0, *last), (*before, 0, 0), strict=True))
