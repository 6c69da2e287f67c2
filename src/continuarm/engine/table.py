"""The table of quantities: what each is computed by, from what, and the shape of what comes out.

The generated header has the same table (enum, numbers of inputs, sizes), so that native code and Python cannot
disagree about it. A new quantity is one function of `dynamics`, a row here, a driver in native/drivers.hpp, and a typed
function in quantities/.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from continuarm.common.number_checks import Floats, duration, fractions
from continuarm.dynamics import energies, forward, implicit, inverse, linearized, mass_and_coriolis, poses

Shape = tuple[int | str, ...]
"""Of a result, without batch axes: whole numbers, n, 3n, 6n, and k for the number of places ξ."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A quantity of an arm at a state."""

    name: str
    index: int
    reference: Callable[..., Any]
    """The NumPy form that defines it, for arrays that have been checked."""
    inputs: tuple[str, ...]
    """Arrays (..., 3n), or as wide as WIDTHS says."""
    shapes: tuple[Shape, ...]
    """Of its results, one or several."""
    argument: str = ""
    """What else it is given: the places xi, or the step."""
    inverts: bool = False
    """Whether it fails where the mass matrix is singular."""
    derivative: bool = False
    """Whether native code takes derivatives for it, which it does state by state."""

    @property
    def arguments(self) -> tuple[str, ...]:
        """What it is given after the arm."""
        return (*self.inputs, self.argument) if self.argument else self.inputs

    def split(self, n: int, both: Floats) -> tuple[Floats, ...]:
        """Several results that native code wrote one after the other, each in its shape."""
        found, begin = [], 0
        for shape, end in self._places(n):
            part = both[..., begin:end]
            found.append(part if len(shape) == 1 else part.reshape(*both.shape[:-1], *shape))
            begin = end
        return tuple(found)

    @cache  # noqa: B019 (there are as many quantities as rows of the table)
    def _places(self, n: int) -> list[tuple[tuple[int, ...], int]]:
        """The shape of each result for n sections, and where its numbers end."""
        shapes = [tuple(size(each, n, 1) for each in shape) for shape in self.shapes]
        return list(zip(shapes, itertools.accumulate(map(math.prod, shapes)), strict=True))


def size(entry: int | str, n: int, places: int) -> int:
    """An entry of a shape as a number, for an arm of n sections."""
    return entry if isinstance(entry, int) else {"n": n, "3n": 3 * n, "6n": 6 * n, "k": places}[entry]


WIDTHS = {"wrench": 6}
"""Inputs that are not 3n wide."""

CHECKS: dict[str, Callable[[str, Any], Any]] = {"xi": fractions, "step": duration}
"""How arguments are checked that are no states."""

_STATE, _MOTION, _DRIVEN = ("q",), ("q", "qd"), ("q", "qd", "tau")
_HELD = ("q", "wrench")
_VECTOR: Shape = ("3n",)
_MATRIX: Shape = ("3n", "3n")
_NUMBER: Shape = ()


def _row(reference: Callable[..., Any], inputs: tuple[str, ...], *shapes: Shape, **more: Any) -> Quantity:
    return Quantity(reference.__name__, -1, reference, inputs, shapes, **more)


_ROWS = (
    _row(forward.forward_dynamics, _DRIVEN, _VECTOR, inverts=True),
    _row(inverse.inverse_dynamics, ("q", "qd", "qdd"), _VECTOR),
    _row(inverse.bias_forces, _MOTION, _VECTOR),
    _row(inverse.gravity_forces, _STATE, _VECTOR),
    _row(inverse.elastic_forces, _STATE, _VECTOR),
    _row(inverse.damping_forces, ("qd",), _VECTOR),
    _row(mass_and_coriolis.mass_matrix, _STATE, _MATRIX),
    _row(mass_and_coriolis.coriolis_matrix, _MOTION, _MATRIX, derivative=True),
    _row(energies.kinetic_energy, _MOTION, _NUMBER),
    _row(energies.gravitational_energy, _STATE, _NUMBER),
    _row(energies.elastic_energy, _STATE, _NUMBER),
    _row(poses.tip_poses, _STATE, ("n", 4, 4)),
    _row(poses.poses_along, _STATE, ("n", "k", 4, 4), argument="xi"),
    _row(poses.tip_jacobian, _STATE, ("n", 6, "3n")),
    _row(poses.centres_of_gravity, _STATE, ("n", 3)),
    _row(poses.wrench_forces, _HELD, _VECTOR),
    _row(linearized.static_stiffness, _HELD, _MATRIX, derivative=True),
    _row(linearized.linearization, _DRIVEN, ("6n", "6n"), ("6n", "3n"), inverts=True),
    _row(implicit.implicit_step, _DRIVEN, _VECTOR, _VECTOR, argument="step", inverts=True),
)

QUANTITIES: dict[str, Quantity] = {row.name: replace(row, index=index) for index, row in enumerate(_ROWS)}
"""Every quantity by its name."""
