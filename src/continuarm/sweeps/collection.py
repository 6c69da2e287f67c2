"""The parts of a sweep put together: of one shape, each point once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from continuarm.common.number_checks import Floats
from continuarm.common.text import short
from continuarm.sweeps.layout import ERROR, Swept
from continuarm.sweeps.outputs import Variable
from continuarm.sweeps.plans import Plan
from continuarm.sweeps.points import ROW, Points, check_size
from continuarm.sweeps.tasks import Part, difference


class Collected:
    """What is known of the points so far."""

    def __init__(self, points: Points, plan: Plan, identity: Mapping[str, str]) -> None:
        self.points, self.identity = points, dict(identity)
        self._plan = plan
        self._values: dict[str, Floats] = {}
        self._errors = [""] * points.count
        self._is_done = np.zeros(points.count, dtype=bool)
        self._first = 0

    @property
    def done(self) -> int:
        """How many points are computed, or have failed."""
        return int(self._is_done.sum())

    @property
    def missing(self) -> list[int]:
        """The numbers of the others."""
        return np.flatnonzero(~self._is_done).tolist()

    def add(self, numbers: Sequence[int], part: Part) -> None:
        """One more part; ValueError where its arrays are others than those before."""
        problem = part.problem
        if part.values and not self._values:
            self._begin(numbers[0], part)
        elif part.values:
            shapes = {name: value.shape[1:] for name, value in self._values.items()}
            problem = problem or difference(part, numbers[0], shapes, self._first)
        if problem:
            raise ValueError(problem)
        rows = np.asarray(numbers)
        for name, value in part.values.items():
            self._values[name][rows] = value
        for number, text in zip(numbers, part.errors, strict=True):
            self._errors[number] = text
        self._is_done[rows] = True

    @property
    def first_error(self) -> str:
        """Why the first point failed, if all did; empty otherwise."""
        return f"{self.points.words(0)}: {self._errors[0]}" if all(self._errors) else ""

    def swept(self) -> Swept:
        """All of it, with dimensions of their own for arrays that a function gave: tip_0, tip_1 of tip."""
        variables = self._plan.variables or {
            name: Variable(_own_dimensions(name, value)) for name, value in self._values.items()
        }
        values = {name: self._values[name] for name in variables}
        plan, errors = self._plan, tuple(self._errors)
        return Swept(self.points, variables, plan.labels, values, errors, self.identity, plan.title)

    def _begin(self, number: int, part: Part) -> None:
        self._first = number
        check_size("function_or_arm", self.points.count, sum(value[0].size for value in part.values.values()))
        made = [each for name, value in part.values.items() for each in _own_dimensions(name, value)]
        for name, value in part.values.items():
            if name in (*self.points.names, *made, ERROR, ROW) or set(_own_dimensions(name, value)) & {
                *self.points.names
            }:
                raise ValueError(f"function_or_arm gives {short(name)}: must be another name, this one is taken")
            self._values[name] = np.full((self.points.count, *value.shape[1:]), np.nan)


def _own_dimensions(name: str, value: Floats) -> tuple[str, ...]:
    """Of an array (points, ...) that a function gave: tip_0, tip_1."""
    return tuple(f"{name}_{k}" for k in range(value.ndim - 1))
