"""Iterations of predictive control: steps with their slopes, the quadratic program, and whether it helped.

The program is condensed: states are eliminated, its unknowns are the pressures of all nodes. For arms of a few sections
the dense solver of PIQP is then faster than its multistage one, and what muscles remember costs nothing more.
"""

from __future__ import annotations

import math
import time
from typing import Any, NamedTuple

import numpy as np

from continuarm.common.number_checks import Floats
from continuarm.control.predictive_problem import SCALE, PredictiveProblem, Targets, Terms

TOLERANCE, RELATIVE = 1e-4, 1e-6
"""Of the quadratic program, in units of 100 kPa, and relative to its largest numbers, which limits make large."""

AS_GOOD = 1e-3
"""By which share a plan may cost more than the one before: next to the optimum both are as good."""

AGAIN = 2
"""So often the program is solved again, with the limits that its solution meets, where that costs more than before."""

SHARES = (0.5, 0.25, 0.0625)
"""Of the way to the program's last solution that are tried then, until the true cost falls."""

FIRST_ITERATIONS = 30
"""At most so many at a first call, which has no plan to begin with."""

MOST_ITERATIONS = 3
"""At most so many at every other call."""

FORESEEN = 0.01
"""One is enough there where its quadratic program foresaw the cost to this share of it."""

SETTLED = 1e-4
"""A first plan is good where an iteration lowers the cost by less than this share of it."""


class Found(NamedTuple):
    """A plan."""

    inputs: Floats  # (nodes, inputs), Pa
    states: Floats  # (nodes, width), after each node; empty where the model's range ends
    cost: float
    status: str
    foreseen: float = math.nan  # what the quadratic program took it to cost


class CondensedProgram:
    """The quadratic program of a problem, with limits (inputs,) of pressures, Pa, and of their rate, Pa/s, or None."""

    def __init__(self, problem: PredictiveProblem, limits: tuple[Floats, Floats], most_rate: float | None) -> None:
        try:
            import piqp
        except ImportError:
            raise ImportError("PredictiveControl needs the package piqp: pip install 'continuarm[control]'") from None
        self.problem, self.limits, self.most_rate = problem, limits, most_rate
        self.seconds: dict[str, float] = {}
        self._solver: Any = piqp.DenseSolver()
        self._solved = piqp.PIQP_SOLVED
        settings = self._solver.settings
        settings.eps_abs, settings.eps_rel = TOLERANCE, RELATIVE
        settings.check_duality_gap = False
        settings.preconditioner_reuse_on_update = True
        settings.compute_timings = True
        self._most_iterations = settings.max_iter
        self._is_set_up = False
        self._deadline, self._first_time, self._per_iteration = math.inf, 0.0, 0.0

    def begin(self, deadline: float, first_time: float) -> None:
        """A new call: until when, on the clock of time.perf_counter, and how long ago the last command was, s."""
        self._deadline, self._first_time = deadline, first_time
        self.seconds = {"linearisation": 0.0, "program": 0.0}

    def settled(self, start: Floats, inputs: Floats, targets: Targets) -> Found:
        """A plan from a guess, by iterations that each lower the cost, until they lower it no more."""
        found = self.improved(start, inputs, targets)
        for _ in range(FIRST_ITERATIONS - 1):
            if found.status != "solved" or time.perf_counter() > self._deadline:
                break
            better = self.improved(start, found.inputs, targets, as_good=0.0)
            if better.status != "solved":
                break
            gain, found = found.cost - better.cost, better
            if gain < SETTLED * found.cost:
                break
        return found

    def kept_up(self, start: Floats, inputs: Floats, targets: Targets) -> Found:
        """A plan from one that is nearly good: by one iteration, or a few where that was not as foreseen."""
        found = self.improved(start, inputs, targets)
        for _ in range(MOST_ITERATIONS - 1):
            as_foreseen = abs(found.foreseen - found.cost) <= FORESEEN * found.cost
            if found.status != "solved" or as_foreseen or time.perf_counter() > self._deadline:
                break
            better = self.improved(start, found.inputs, targets)
            if better.status != "solved":
                break
            found = better
        return found

    def improved(self, start: Floats, inputs: Floats, targets: Targets, as_good: float = AS_GOOD) -> Found:
        """A plan that costs less, or more by the share as_good, from a state under inputs (nodes, inputs).

        Or the same plan, and why.
        """
        low, high = self.limits
        inputs = np.clip(inputs, low, high)
        if self.most_rate is not None and targets.previous is not None:
            inputs = self._within_rates(inputs, targets.previous)
        began = time.perf_counter()
        swept = self.problem.slopes.sweep(start, self.problem.commands(inputs))
        self.seconds["linearisation"] += time.perf_counter() - began
        if swept is None:
            return Found(inputs, np.zeros((0, len(start))), math.inf, "kept: the plan leaves the model's range")
        terms = self.problem.terms(swept.states, targets)
        cost = self.problem.cost(inputs, targets, terms)
        kept = Found(inputs, swept.states, cost, "kept: the time limit is reached")
        if time.perf_counter() > self._deadline:
            return kept
        by_inputs = self.problem.condensed(swept)
        change, reason, foreseen = self._solve(inputs, targets, by_inputs, terms)
        if change is None:
            return kept._replace(status=reason)
        ways = [change]
        for again in range(AGAIN + 1):
            found = self._tried(start, inputs + ways[-1], targets)
            if found.cost <= (1 + as_good) * cost:
                return found._replace(foreseen=foreseen)
            if again == AGAIN or not len(found.states) or time.perf_counter() > self._deadline:
                break
            # limits that only this plan meets were not in the program: once more, with what it comes to
            there = self.problem.terms(found.states, targets)
            if len(there) == len(terms) == 1:
                break
            moved = ((found.inputs - inputs) / SCALE).ravel()
            better, _, foreseen = self._solve(inputs, targets, by_inputs, there, moved)
            if better is None:
                break
            ways.append(better)
        for share in SHARES:
            found = min((self._tried(start, inputs + share * each, targets) for each in ways), key=lambda it: it.cost)
            if found.cost <= cost:
                return found._replace(foreseen=cost)  # no model of this: again where it gained much
        return kept._replace(status="kept: nothing better was found")

    def _tried(self, start: Floats, inputs: Floats, targets: Targets) -> Found:
        """A plan with what it costs: infinitely much where the model's range ends."""
        inputs = np.clip(inputs, *self.limits)
        states = self.problem.slopes.states(start, self.problem.commands(inputs))
        if states is None:
            return Found(inputs, np.zeros((0, len(start))), math.inf, "kept: the plan leaves the model's range")
        cost = self.problem.cost(inputs, targets, self.problem.terms(states, targets, slopes=False))
        return Found(inputs, states, cost, "solved")

    def _solve(
        self,
        inputs: Floats,
        targets: Targets,
        by_inputs: Floats,
        terms: list[Terms],
        moved: Floats | None = None,
    ) -> tuple[Floats | None, str, float]:
        """Changes of inputs (nodes, inputs), Pa, or None, and why; and the cost that they shall lead to.

        moved: see `PredictiveProblem.quadratic`.
        """
        H, g, constant = self.problem.quadratic(inputs, targets, by_inputs, terms, moved)
        low, high = (((each - inputs) / SCALE).ravel() for each in self.limits)
        rows, least, most = self._rate_rows(inputs, targets)
        began = time.perf_counter()
        iterations = self._most_iterations
        if math.isfinite(self._deadline) and self._per_iteration:
            iterations = min(iterations, int((self._deadline - began) / self._per_iteration))
            if iterations < 1:
                return None, "kept: the time limit is reached", math.nan
        self._solver.settings.max_iter = iterations
        if self._is_set_up:
            self._solver.update(P=H, c=g, h_l=least, h_u=most, x_l=low, x_u=high)
        else:
            self._solver.setup(H, g, None, None, rows, least, most, low, high)
            self._is_set_up = True
        status = self._solver.solve()
        took = time.perf_counter() - began
        self.seconds["program"] += took
        self._per_iteration = took / max(self._solver.result.info.iter, 1)
        if status != self._solved:
            if iterations < self._most_iterations:
                return None, "kept: the time limit is reached", math.nan
            return None, f"kept: the quadratic program ended with {str(status).rpartition('.')[2]}", math.nan
        result = self._solver.result
        return SCALE * result.x.reshape(inputs.shape), "", constant + 2 * result.info.primal_obj

    def _rate_rows(self, inputs: Floats, targets: Targets) -> tuple[Any, Any, Any]:
        """Rows over all inputs that rates limit, and what they may be; None where they are not limited."""
        if self.most_rate is None:
            return None, None, None
        nodes, count = inputs.shape
        rows = np.kron(np.eye(nodes) - np.eye(nodes, k=-1), np.eye(count))
        before = inputs[:1] if targets.previous is None else targets.previous[None]
        changes = np.diff(inputs, axis=0, prepend=before) / SCALE
        most = self._most_changes(nodes, targets)[:, None] / SCALE
        return rows, (-most - changes).ravel(), (most - changes).ravel()

    def _most_changes(self, nodes: int, targets: Targets) -> Floats:
        """By how much inputs may change at each node, Pa: without a last command, the first is free."""
        assert self.most_rate is not None
        most = np.full(nodes, self.most_rate * self.problem.node)
        most[0] = 1e9 if targets.previous is None else self.most_rate * self._first_time
        return most

    def _within_rates(self, inputs: Floats, previous: Floats) -> Floats:
        """Inputs that rates allow, each as near to what was wanted as the one before it lets."""
        assert self.most_rate is not None
        found, before = inputs.copy(), previous
        most = np.full(len(inputs), self.most_rate * self.problem.node)
        most[0] = self.most_rate * self._first_time
        for k, each in enumerate(most):
            found[k] = before = np.clip(inputs[k], before - each, before + each)
        return found
