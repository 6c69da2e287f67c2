"""Arguments that are not numbers, as users give them: of the right kind, or refused in one sentence."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from continuarm.common.text import LONGEST_NAME, short


def require_kind(name: str, value: object, kind: type | tuple[type, ...], allowed: str) -> None:
    """Raises TypeError unless the value is of a kind; `allowed` says what is taken."""
    if not isinstance(value, kind):
        raise TypeError(f"{name} is {kind_of(value)}: must be {allowed}")


def kind_of(value: object) -> str:
    """What a value is, for a message: NoneType, or the class PressureSteps where an object was meant."""
    return f"the class {value.__name__}" if isinstance(value, type) else type(value).__name__


def listed(name: str, values: Any, kind: type | tuple[type, ...], allowed: str) -> list[Any]:
    """Several things of a kind, or one of them, as a list; `allowed` says what each must be."""
    if isinstance(values, kind):
        return [values]
    try:
        found = None if isinstance(values, (str, bytes)) else list(values)
    except TypeError:  # nothing that can be gone through
        found = None
    if found is None:
        raise TypeError(f"{name} is {kind_of(values)}: must be {allowed}, or a list of such")
    for each in found:
        if not isinstance(each, kind):
            raise TypeError(f"{name} has {kind_of(each)} in it: each must be {allowed}")
    return found


def require_title(name: str, value: object) -> None:
    """Raises unless the value is a name that messages and tables can show: one line, printable, not endless."""
    require_kind(name, value, str, "text")
    assert isinstance(value, str)
    if not value.isprintable() or len(value) > LONGEST_NAME:
        raise ValueError(f"{name} = {short(value)}: must be printable text of at most {LONGEST_NAME} characters")


def choice(name: str, value: object, allowed: Sequence[str]) -> str:
    """The value, if it is one of some words."""
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name} = {short(value)}: must be {' or '.join(map(repr, allowed))}")
    return value


def truth_value(name: str, value: object) -> bool:
    """The value as True or False; what only counts as such, as a text does, is refused."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} = {short(value)}: must be True or False")
    return bool(value)


def require_function(name: str, value: object) -> None:
    """Raises TypeError unless the value can be called, and is no class; or is None."""
    if value is not None and (isinstance(value, type) or not callable(value)):
        raise TypeError(f"{name} is {kind_of(value)}: must be a function")


def require_file_name(name: str, value: object) -> None:
    """Raises ValueError unless the value is text, not empty, or a path."""
    if not isinstance(value, os.PathLike) and not (isinstance(value, str) and value):
        raise ValueError(f"{name} = {short(value)}: must be the name of a file")
