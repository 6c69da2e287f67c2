"""One call of native code by an array library: a quantity, or its derivative along tangents or of a weighted sum.

The numbers of the arm are an array like the inputs, so that nothing but numbers crosses into a compiled program of
such a library, and derivatives by them are to be had as those by inputs. Batch axes of all arrays broadcast.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.common.number_checks import Floats
from continuarm.engine import compiled
from continuarm.engine.compiled import NOT_BUILT, PROCESSORS
from continuarm.engine.native_arm import number_row
from continuarm.engine.section_numbers import is_integral
from continuarm.engine.table import QUANTITIES, Quantity, size

VALUE, TANGENT, GRADIENT = 0, 1, 2
"""What is computed: the quantity, how it changes along tangents, or the derivatives of its weighted sum."""

SECOND_DERIVATIVES = (
    "second derivatives of an arm's quantities are not available: derivatives can be taken once by q, qd, tau, qdd and "
    "parameters"
)


@dataclass(frozen=True)
class ArrayCall:
    """What is called, apart from its numbers.

    Operands are the numbers of the arm and the inputs; then tangents of the inputs, and of the numbers where
    `constants` says so; or weights of the results.
    """

    name: str
    """Of the quantity."""
    stops: tuple[int, ...]
    """How many each section has."""
    numbers: int
    """How many numbers the arm has."""
    integral: bool
    """The inertia model."""
    step: float = 1.0
    """Of implicit_step, s."""
    mode: int = VALUE
    constants: bool = False
    """Of derivatives: whether the numbers of the arm count among the inputs."""

    @property
    def quantity(self) -> Quantity:
        """The row of the table of quantities."""
        return QUANTITIES[self.name]

    @property
    def n(self) -> int:
        """How many sections the arm has."""
        return len(self.stops)

    @property
    def shapes(self) -> list[tuple[int, ...]]:
        """Of the results of the quantity, without batch axes."""
        return [tuple(size(each, self.n, 1) for each in shape) for shape in self.quantity.shapes]

    @property
    def results(self) -> int:
        """How many numbers the quantity has."""
        return sum(map(math.prod, self.shapes))

    @property
    def fixed(self) -> int:
        """How many operands come before those that a derivative is linear in."""
        return 1 + len(self.quantity.inputs)

    @property
    def linear_widths(self) -> list[int]:
        """The widths of what derivatives are taken by: inputs, and the numbers of the arm."""
        return [3 * self.n] * len(self.quantity.inputs) + ([self.numbers] if self.constants else [])

    @cached_property
    def width(self) -> int:
        """How many numbers a row of the result has."""
        return sum(self.linear_widths) if self.mode == GRADIENT else self.results

    def of(self, mode: int, constants: bool) -> ArrayCall:
        """The same quantity, or a derivative of it."""
        return replace(self, mode=mode, constants=constants)

    def batch(self, shapes: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
        """The batch axes of the result, for operands of some shapes."""
        different = {shape[:-1] for shape in shapes}
        return different.pop() if len(different) == 1 else np.broadcast_shapes(*different)

    def attributes(self) -> dict[str, Any]:
        """All but the operands, as native code takes it."""
        return {
            "quantity": self.quantity.index,
            "mode": self.mode,
            "constants": self.constants,
            "integral": self.integral,
            "stops": self.stops,
            "step": self.step,
            "threads": PROCESSORS,
        }

    def run(self, operands: Sequence[Floats], threads: int = PROCESSORS) -> Floats:
        """The result for NumPy arrays of as many axes; rows for which the model does not hold are NaN."""
        out = np.empty((*self.batch([each.shape for each in operands]), self.width))
        plain = [each if _is_plain(each) else np.require(each, float, ["C", "A", "E"]) for each in operands]
        compiled.native.array_call(**self._said, threads=threads, operands=plain, out=out)
        return out

    @cached_property
    def _said(self) -> dict[str, Any]:
        """The attributes but the threads, made once: calls are short."""
        said = self.attributes() | {"stops": list(self.stops)}
        del said["threads"]
        return said


def _is_plain(array: Floats) -> bool:
    """Whether native code takes an array as it is."""
    return type(array) is np.ndarray and array.dtype == np.float64 and array.flags.c_contiguous and array.flags.aligned


def call_of(arm: Arm, name: str, step: float = 1.0) -> ArrayCall:
    """The call of a quantity of an arm."""
    if compiled.native is None:
        raise ValueError(f"derivatives in other array libraries need native code: {NOT_BUILT}")
    return ArrayCall(name, *_structure(arm), step)


def _structure(arm: Arm) -> tuple[tuple[int, ...], int, bool]:
    """Stops by section, how many numbers there are, and whether the model is the integral one; made once."""
    made: tuple[tuple[int, ...], int, bool] | None = vars(arm).get("_structure")
    if made is None:
        made = tuple(len(section.stops) for section in arm.sections), len(number_row(arm)), is_integral(arm.inertia)
        vars(arm)["_structure"] = made
    return made


def unused_axes(shape: tuple[int, ...], batch: tuple[int, ...]) -> tuple[int, ...]:
    """Batch axes along which an operand of a shape is broadcast: its derivative is summed over them."""
    return tuple(k for k, (own, whole) in enumerate(zip(shape[:-1], batch, strict=True)) if own != whole)
