"""What a sweep is of, in a form that two runs can compare: hashes of its arguments by name."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import importlib.metadata
import inspect
import pickle
from collections.abc import Mapping
from typing import Any

import numpy as np
from pydantic import BaseModel

VERSION = "version"


def identity(arguments: Mapping[str, Any]) -> dict[str, str]:
    """A short hash of each argument, and the version of this library."""
    found = {name: hashlib.sha256(_text(value).encode()).hexdigest()[:16] for name, value in arguments.items()}
    return found | {VERSION: importlib.metadata.version("continuarm")}


def differences(one: Mapping[str, str], other: Mapping[str, str]) -> list[str]:
    """The arguments that are not the same."""
    return [name for name in dict.fromkeys([*one, *other]) if one.get(name) != other.get(name)]


def _text(value: Any) -> str:
    """Text that is equal for equal values, and in every process."""
    if isinstance(value, BaseModel):
        return value.model_dump_json()
    if value is None or isinstance(value, (bool, int, float, str, np.generic)):
        return repr(value)
    if isinstance(value, np.ndarray) and value.dtype != object:
        return f"{value.dtype} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{_text(key)}: {_text(each)}' for key, each in value.items())}}}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_text, value))}]"
    if isinstance(value, functools.partial):
        return f"partial({_text(value.func)}, {_text(value.args)}, {_text(value.keywords)})"
    if inspect.ismethod(value):
        return f"{_text(value.__self__)}.{_text(value.__func__)}"
    if callable(value) and hasattr(value, "__qualname__"):
        kept = [each.cell_contents for each in getattr(value, "__closure__", None) or () if _is_filled(each)]
        return f"{value.__module__}.{value.__qualname__} {_source(value)} {_text(kept)}"
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {each.name: getattr(value, each.name) for each in dataclasses.fields(value)}
        return f"{type(value).__qualname__}{_text(fields)}"
    try:
        return hashlib.sha256(pickle.dumps(value, protocol=5)).hexdigest()
    except Exception:  # whatever a stranger's class raises
        return type(value).__qualname__


def _source(function: Any) -> str:
    """How a function is written, so that a changed one is another; nothing of what was compiled."""
    try:
        return inspect.getsource(function)
    except (OSError, TypeError):
        return ""


def _is_filled(cell: Any) -> bool:
    """Whether a variable of an enclosing function has a value yet."""
    try:
        cell.cell_contents  # noqa: B018 (it is asked for)
    except ValueError:
        return False
    return True
