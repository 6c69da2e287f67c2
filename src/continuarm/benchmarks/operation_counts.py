"""Arithmetic counted, not timed: how the work grows with the number of sections, on any machine and under any load.

An operation is one + - × or ÷ of which a number depends on the state; changes of sign are free, and a fused
multiply-add is two. Algorithm 1 is counted by running it on numbers that count; the O(n) recursion by the recorded
steps that native code is made of. Both counts are polynomials in n, so that a few of them give all.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from continuarm.benchmarks.groups import prototype
from continuarm.engine.printing import operations
from continuarm.engine.steps import steps
from continuarm.paper.algorithm1 import accelerating_force, equation_terms

__all__ = [
    "Tally",
    "algorithm_operations",
    "correction_operations",
    "elimination_operations",
    "engine_operations",
    "polynomial",
    "value_at",
]


class Tally:
    """A number without a value that counts what is done with it: every result is the number itself."""

    __slots__ = ("count",)

    def __init__(self) -> None:
        self.count = 0

    def _counted(self, other: Any) -> Tally:
        self.count += 1
        return self

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _counted

    def __neg__(self) -> Tally:
        return self

    def vector(self, size: int) -> Any:
        """(size,): the number itself in every entry."""
        return np.full(size, self, dtype=object)


def algorithm_operations(n: int, model: str = "centre of gravity", points: int = 24) -> int:
    """Operations of one forward dynamics by Algorithm 1, dense as it is written, for n sections of the prototype.

    model: "centre of gravity" or "integral"; the latter has so many Gauss points along a section, and its count is
    linear in them: two and three points are counted, and give any other number exactly.
    """
    if model != "integral":
        return _counted(n, model, 1)
    few, more = _counted(n, model, 2), _counted(n, model, 3)
    return few + (points - 2) * (more - few)


@cache
def _counted(n: int, model: str, points: int) -> int:
    tally = Tally()
    state = tally.vector(3 * n)
    terms = equation_terms(prototype(n, model), state, state, points)
    accelerating_force(terms, state, state, state)
    return tally.count + solve_operations(3 * n)


def solve_operations(size: int) -> int:
    """Operations of Gauss's elimination for one right-hand side: 2/3 N³ and less."""
    return sum(k + 2 * k * k + 2 * k for k in range(size)) + size * size


def engine_operations(n: int, model: str = "integral") -> int:
    """Operations of one forward dynamics in native code, for n sections without stops and payload.

    The steps are those of `accelerations` in engine/native/drivers.hpp: the first and the last section have shorter
    ones, so that it is a straight line in n from two sections on.
    """
    count, kind = _step_operations(), "integral" if model == "integral" else "shaped"
    first = count[f"weigh_base_{kind}"]
    if n == 1:
        return count["outward"] + first + count["absorb_only"] + count["respond_tip"]
    weighed = first + (n - 1) * (count[f"weigh_{kind}"] + count["lift"])
    absorbed = count["absorb_base"] + (n - 2) * count["absorb"] + count["absorb_tip"]
    return n * count["outward"] + weighed + absorbed + (n - 1) * count["respond"] + count["respond_tip"]


def elimination_operations(n: int, model: str = "integral") -> int:
    """Operations of Newton's matrix in native code, taken at a state and eliminated, for n sections whose muscles have
    no memory, without stops and payload: `linearize` and `eliminate` of engine/native/newton.hpp.
    """
    count, kind = _step_operations(), "integral" if model == "integral" else "shaped"
    return n * (count[f"settle_{kind}"] + count["resistance"] + count["eliminate"]) + count["payload_body"]


def correction_operations(n: int) -> int:
    """Operations of one correction of Newton's iteration in native code, for n sections likewise."""
    count = _step_operations()
    inward = count["correct_inward_tip"] + max(n - 2, 0) * count["correct_inward"]
    inward += count["correct_inward_base"] if n > 1 else 0
    outward = count["correct_outward_base"] + max(n - 2, 0) * count["correct_outward"]
    return inward + outward + (count["correct_outward_tip"] if n > 1 else 0)


@cache
def _step_operations() -> dict[str, int]:
    found = {}
    for step in steps():
        kinds = operations(step)
        found[step.name] = kinds["total"] + kinds["fused"] - kinds["negative"]
    return found


def polynomial(counts: Sequence[int], first: int = 1) -> list[Fraction]:
    """Coefficients c of Σ c_k nᵏ through counts at n = first, first + 1, ..., the last of them not zero.

    Its degree is the number of counts less two at most, so that one count at least confirms it; ValueError if there is
    no such polynomial.
    """
    differences, left = [], [Fraction(each) for each in counts]
    while any(left):
        differences.append(left[0])
        left = [high - low for low, high in pairwise(left)]
    if len(differences) >= len(counts):
        raise ValueError(f"counts = {list(counts)}: no polynomial of degree {len(counts) - 2} or less")
    total, basis = [Fraction(0)] * len(differences), [Fraction(1)]
    for k, difference in enumerate(differences):  # Newton: Σ Δᵏ binomial(n - first, k)
        for power, coefficient in enumerate(basis):
            total[power] += difference * coefficient
        step = [Fraction(-(first + k), k + 1), Fraction(1, k + 1)]
        basis = [
            sum((basis[i] * step[j - i] for i in range(len(basis)) if 0 <= j - i < 2), Fraction(0))
            for j in range(len(basis) + 1)
        ]
    return total


def value_at(coefficients: Sequence[Fraction], n: int) -> int:
    """Σ c_k nᵏ, a whole number as all counts are."""
    return int(sum((each * n**k for k, each in enumerate(coefficients)), Fraction(0)))
