"""How a quantity is evaluated: natively where that is built, by its NumPy reference otherwise or if asked to."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.common.argument_checks import choice
from continuarm.common.number_checks import MOST, not_finite, require_finite, whole_number
from continuarm.engine import compiled
from continuarm.engine.compiled import NOT_BUILT, PROCESSORS
from continuarm.engine.native_arm import native_arm
from continuarm.engine.state_checks import checked
from continuarm.engine.table import CHECKS, Quantity

Engine = Literal["native", "reference"]

_NOTHING: dict[str, Any] = {}


def evaluated(quantity: Quantity, arm: Arm, values: tuple[Any, ...], engine: Engine | None, threads: int | None) -> Any:
    """A quantity for arguments as a user gave them: they are checked, by native code if they are plainly good."""
    if engine is None and threads is None:
        handle = getattr(arm, "__dict__", _NOTHING).get("_native")
        if handle is not None:
            found = handle.evaluate(quantity.index, PROCESSORS, *values)
            if found is not None:
                return found if len(quantity.shapes) == 1 else quantity.split(arm.n, found)  # one call less, most often
    return _carefully(quantity, arm, values, engine, threads)


def _carefully(
    quantity: Quantity, arm: Arm, values: tuple[Any, ...], engine: Engine | None, threads: int | None
) -> Any:
    """The same for arguments of any kind: they are brought into shape, or refused in one sentence."""
    by_reference, count = is_by_reference(engine), thread_count(threads)
    if not by_reference and isinstance(arm, Arm):
        found = native_arm(arm).evaluate(quantity.index, count, *values)
        if found is not None:
            return _results(quantity, arm, found)
    extra = [CHECKS[quantity.argument](quantity.argument, values[-1])] if quantity.argument else []
    arrays = checked(arm, **dict(zip(quantity.inputs, values, strict=False)))
    batch = arrays[0].shape[:-1]
    if by_reference:
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):  # what is not finite is reported below
            found = quantity.reference(arm, *arrays, *extra)
        for part in found if isinstance(found, tuple) else (found,):
            require_finite(quantity.name, part, len(batch), _cause(quantity, arm))
        return found
    plain = [np.require(array, float, ["C", "A"]) for array in arrays]
    handle = native_arm(arm)
    found = handle.evaluate(quantity.index, count, *plain, *extra)
    if found is None:  # the arguments were good, so it is the result that is not
        ones = ((row, [each[row] for each in plain]) for row in np.ndindex(batch))
        wrong = (row for row, one in ones if handle.evaluate(quantity.index, 1, *one, *extra) is None)
        raise not_finite(quantity.name, next(wrong, ()), _cause(quantity, arm))
    return _results(quantity, arm, found)


def _results(quantity: Quantity, arm: Arm, found: Any) -> Any:
    return found if len(quantity.shapes) == 1 else quantity.split(arm.n, found)


def _cause(quantity: Quantity, arm: Arm) -> str:
    if not quantity.inverts:
        return "the numbers are too large"
    matrix = f"the mass matrix of {arm.name!r} ({arm.inertia.model} model)"
    return f"{matrix} is singular here or the numbers are too large"


def is_by_reference(engine: Engine | None) -> bool:
    """Whether the NumPy form computes; ValueError for native code where it is not built."""
    if engine is not None:
        choice("engine", engine, ("native", "reference"))
    if engine == "native" and compiled.native is None:
        raise ValueError(f"engine = 'native': {NOT_BUILT}")
    return engine == "reference" or compiled.native is None


def thread_count(threads: int | None, most: int = MOST) -> int:
    """On how many threads a batch is computed: all processors if left out."""
    return PROCESSORS if threads is None else whole_number("threads", threads, least=1, most=most)
