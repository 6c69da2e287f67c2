"""Numbers of an arm as functions of parameters of its description, with their exact slopes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from continuarm.arms.arm import Arm
from continuarm.arms.parameters import path_of, require_apart
from continuarm.common.argument_checks import require_kind
from continuarm.common.number_checks import Floats
from continuarm.engine.directions import Directions
from continuarm.engine.native_arm import number_row


def parameter_names(arm: Arm, parameters: Mapping[str, Any] | None) -> tuple[str, ...]:
    """The names of parameters, if each is that of a number of the arm."""
    if parameters is None:
        return ()
    require_kind("parameters", parameters, Mapping, "a dict of names and numbers, as {'stiffness': 1500.0}")
    for name in parameters:
        require_kind("a name in parameters", name, str, "text, as 'stiffness' or 'sections[0].mass'")
    require_apart(arm, "parameters", parameters)
    return tuple(parameters)


@lru_cache(maxsize=16)  # a motion of many steps asks for the same numbers in each
def numbers_with(arm: Arm, names: tuple[str, ...], values: tuple[float, ...]) -> Floats:
    """(numbers,): all numbers of the arm with these parameters."""
    row: Floats = number_row(_with(arm, names, values))
    return row


@lru_cache(maxsize=16)
def slopes_with(arm: Arm, names: tuple[str, ...], values: tuple[float, ...]) -> Floats:
    """(numbers, names): the derivatives of all numbers of the arm by each parameter."""
    slopes = Directions.by_name(_with(arm, names, values), names, "parameters").number_slopes()
    slopes.flags.writeable = False
    return slopes


@lru_cache(maxsize=16)
def _with(arm: Arm, names: tuple[str, ...], values: tuple[float, ...]) -> Arm:
    given = zip(names, values, strict=True)
    changed = arm.replace({path: value for name, value in given for path in path_of(name)})
    if [len(each.stops) for each in changed.sections] != [len(each.stops) for each in arm.sections]:
        raise ValueError("parameters: must leave the arm as many stops as it has; replace its ranges before")
    return changed
