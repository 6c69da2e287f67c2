"""Counted operations: exact polynomials in the number of sections, and the numbers that count change no result."""

from __future__ import annotations

import itertools
import re
from fractions import Fraction

import numpy as np
import pytest

from continuarm.benchmarks.groups import bent_states, prototype
from continuarm.benchmarks.operation_counts import (
    Tally,
    algorithm_operations,
    correction_operations,
    elimination_operations,
    engine_operations,
    polynomial,
    solve_operations,
    value_at,
)
from continuarm.dynamics.forward import forward_dynamics
from continuarm.dynamics.stiffened_solve import solve_stiffened
from continuarm.engine.printing import GENERATED, operations
from continuarm.engine.steps import steps
from continuarm.paper.algorithm1 import accelerating_force, equation_terms

pytestmark = pytest.mark.exhaustive


class Weighed:
    """A number that counts as `Tally` does, and has a value."""

    count = 0

    def __init__(self, value):
        self.value = value

    def with_other(self, other, operation):
        Weighed.count += 1
        return Weighed(operation(self.value, other.value if isinstance(other, Weighed) else other))

    def __add__(self, other):
        return self.with_other(other, lambda a, b: a + b)

    def __sub__(self, other):
        return self.with_other(other, lambda a, b: a - b)

    def __rsub__(self, other):
        return self.with_other(other, lambda a, b: b - a)

    def __mul__(self, other):
        return self.with_other(other, lambda a, b: a * b)

    def __truediv__(self, other):
        return self.with_other(other, lambda a, b: a / b)

    def __neg__(self):
        return Weighed(-self.value)

    __radd__, __rmul__ = __add__, __mul__


def weighed(values):
    return np.array([Weighed(float(value)) for value in values], dtype=object)


@pytest.mark.parametrize("model", ["centre of gravity", "integral"])
def test_algorithm_1_grows_exactly_with_the_fourth_power(model):
    coefficients = polynomial([algorithm_operations(n, model) for n in range(1, 8)])
    assert len(coefficients) == 5
    assert coefficients[4] > 0
    assert value_at(coefficients, 9) == algorithm_operations(9, model)  # beyond what it was made of


def test_the_engine_grows_exactly_with_the_first_power():
    for model in ("integral", "centre of gravity"):
        coefficients = polynomial([engine_operations(n, model) for n in range(2, 8)], first=2)
        assert len(coefficients) == 2
        assert value_at(coefficients, 1000) == engine_operations(1000, model)
        assert engine_operations(1, model) <= engine_operations(2, model) / 2


LAST = ("weigh_integral", "absorb_tip")
MIDDLE = ("weigh_integral", "lift", "absorb")
FIRST = ("weigh_base_integral", "lift", "absorb_base")
PASSES = {
    1: ("outward", "weigh_base_integral", "absorb_only", "respond_tip"),
    2: (*("outward",) * 2, *LAST, *FIRST, "respond", "respond_tip"),
    4: (*("outward",) * 4, *LAST, *MIDDLE * 2, *FIRST, *("respond",) * 3, "respond_tip"),
}
"""What native code calls in turn, by the number of sections (`accelerations` in drivers.hpp)."""


@pytest.mark.parametrize("n", PASSES)
def test_the_engines_operations_are_those_of_the_steps_it_calls(n):
    kinds = {step.name: operations(step) for step in steps()}
    wanted = 0
    for name in PASSES[n]:
        each = kinds[name]
        wanted += each["sum"] + each["difference"] + each["product"] + each["reciprocal"] + 2 * each["fused"]
    assert engine_operations(n) == wanted


def test_the_driver_in_native_code_calls_these_steps():
    text = (GENERATED.parent / "drivers.hpp").read_text(encoding="utf-8")
    driver = text.partition("void accelerations(")[2].partition("\n}\n")[0] + "outward("  # that is in pass_outward
    called = set(re.findall(r"\b(\w+)\(", driver))
    assert {name for names in PASSES.values() for name in names} <= called
    recorded = {step.name for step in steps()} & called
    others = {"payload_body", "impedance", "lean", "stiffen", "stiffen_base", "weigh_shaped", "weigh_base_shaped"}
    assert recorded - others == {name for names in PASSES.values() for name in names}


def growth_of(run):
    """The polynomial in n of how much run(tally, n), for n = 1 to 5, computes with numbers that count."""
    counts = []
    for n in range(1, 6):
        tally = Tally()
        run(tally, n)
        counts.append(tally.count)
    return polynomial(counts)


def test_the_reference_recursion_is_a_straight_line_too():
    """The O(n) recursion in NumPy, dense and for every section alike."""
    coefficients = growth_of(lambda tally, n: forward_dynamics(prototype(n), *[tally.vector(3 * n)] * 3))
    assert len(coefficients) == 2
    assert all(engine_operations(n) < value_at(coefficients, n) for n in range(1, 6))  # no structural zeros there


@pytest.mark.parametrize("count", [elimination_operations, correction_operations])
def test_newtons_iteration_grows_exactly_with_the_first_power(count):
    coefficients = polynomial([count(n) for n in range(2, 8)], first=2)
    assert len(coefficients) == 2
    assert value_at(coefficients, 1000) == count(1000)


def test_a_correction_costs_a_small_part_of_an_evaluation():
    """The matrix less than an evaluation, each correction a sixth of one: the motion runs at the speed of its rates."""
    for n in (1, 3, 10, 100):
        assert elimination_operations(n) < engine_operations(n) * (1 if n > 1 else 2)
        assert correction_operations(n) < engine_operations(n) / (6 if n > 1 else 3)


def test_the_loops_of_newtons_iteration_call_these_steps():
    """And no step for pairs of sections, such as those of the mass matrix: no loop over sections is in another."""
    text = (GENERATED.parent / "newton.hpp").read_text(encoding="utf-8")
    called = set(re.findall(r"\b(\w+)\(", text)) & {step.name for step in steps()}
    of_muscles = {"muscle_tangent", "eliminate_memory", "pull_of_memory", "correct_memory", "pressed"}
    of_sections = {"section_stiffness", "settle_integral", "settle_shaped", "resistance", "eliminate", "payload_body"}
    kinds = itertools.product(("correct_inward", "correct_outward"), ("", "_base", "_tip"))
    sweeps = {"".join(each) for each in kinds}
    assert called == of_muscles | of_sections | sweeps
    for body in text.split("\n}\n"):
        depth = [line.index("for") for line in body.splitlines() if re.search(r"for \(int i\b", line)]
        assert len(set(depth)) <= 1, body


def test_the_stiffened_solve_in_numpy_is_a_straight_line_too():
    def solve(tally, n):
        state = tally.vector(3 * n)
        solve_stiffened(prototype(n), state, [tally.vector(9).reshape(3, 3)] * n, state)

    assert len(growth_of(solve)) == 2


@pytest.mark.parametrize("model", ["centre of gravity", "integral"])
def test_counting_computes_what_is_counted(model):
    """Numbers that have a value as well count the same, and give the accelerating force of the floats."""
    arm = prototype(2, model)
    state = bent_states(arm)
    Weighed.count = 0
    counted = [weighed(each) for each in state]
    terms = equation_terms(arm, counted[0], counted[1], 5)
    force = accelerating_force(terms, *counted)
    found = Weighed.count + solve_operations(6)
    exact = equation_terms(arm, state[0], state[1], 5)
    wanted = accelerating_force(exact, *state)
    np.testing.assert_allclose([each.value for each in force], wanted, rtol=0, atol=1e-12 * np.abs(wanted).max())
    assert found == algorithm_operations(2, model, points=5)


def test_a_solve_is_counted_as_it_is_done():
    rng = np.random.default_rng(0)
    for size in (1, 2, 5, 9):
        M, f = rng.normal(size=(size, size)) + 5 * np.eye(size), rng.normal(size=size)
        rows, right = [weighed(row) for row in M], weighed(f)
        Weighed.count = 0
        for k in range(size):  # Gauss's elimination without exchanges
            for i in range(k + 1, size):
                factor = rows[i][k] / rows[k][k]
                for j in range(k + 1, size):
                    rows[i][j] = rows[i][j] - factor * rows[k][j]
                right[i] = right[i] - factor * right[k]
        x = [None] * size
        for i in reversed(range(size)):
            left = right[i]
            for j in range(i + 1, size):
                left = left - rows[i][j] * x[j]
            x[i] = left / rows[i][i]
        np.testing.assert_allclose([each.value for each in x], np.linalg.solve(M, f), rtol=1e-10)
        assert Weighed.count == solve_operations(size)


def test_a_polynomial_is_found_exactly_and_nothing_else_is():
    wanted = [Fraction(-7), Fraction(1, 2), Fraction(5, 2)]
    counts = [value_at(wanted, n) for n in range(3, 9)]
    assert polynomial(counts, first=3) == wanted
    counts[2] += 1  # one operation more, once
    with pytest.raises(ValueError, match="no polynomial"):
        polynomial(counts, first=3)
    with pytest.raises(ValueError, match="no polynomial"):
        polynomial([2**n for n in range(8)])
