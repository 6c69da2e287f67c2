"""Fields of fields by their path, as Python has them: sections[1].mass, sections[*].stiffness, payload.mass."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from continuarm.common.text import short

_STEP = re.compile(r"(?P<dot>\.?)(?P<name>[^\W\d]\w*)|\[(?P<index>-?\d+|\*)\]")
_FORM = "must be a path such as sections[1].mass, sections[*].stiffness or payload.mass"


def fields_of(described: BaseModel) -> dict[str, Any]:
    """The fields of a description by name."""
    return {name: getattr(described, name) for name in type(described).model_fields}


def changed_fields(fields: dict[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Fields of a description with changes by path, one after the other: what is changed inside becomes a table.

    Whether the new values are allowed is for the description to say: its sentences then name the whole path.
    """
    for path, value in changes.items():
        fields = _changed(fields, steps_of(path), value, "")
    return fields


def steps_of(path: Any) -> list[str | int]:
    """'sections[1].mass' -> ['sections', 1, 'mass']; the * stays as it is."""
    steps: list[str | int] = []
    at = 0
    while isinstance(path, str) and at < len(path):
        found = _STEP.match(path, at)
        if not found or (found["name"] and bool(found["dot"]) != bool(steps)):
            break
        steps.append(found["name"] or (found["index"] if found["index"] == "*" else int(found["index"])))
        at = found.end()
    if not isinstance(path, str) or at < len(path) or not steps or not isinstance(steps[0], str) or steps[0] == "*":
        raise ValueError(f"{short(path)} {_FORM}")
    return steps


def _changed(old: Any, steps: list[str | int], new: Any, before: str) -> Any:
    """The old value with a new one at the end of some steps into it; `before` is the path so far, for messages."""
    if not steps:
        return new
    step, rest = steps[0], steps[1:]
    if isinstance(step, int) or step == "*":
        return _changed_entries(old, step, rest, new, before)
    path = f"{before}.{step}" if before else step
    if isinstance(old, (tuple, list)) and old:
        raise ValueError(f"{path}: must be of an entry, {_entries(before, len(old))}")
    if old is not None and not isinstance(old, (Mapping, BaseModel)):
        raise ValueError(f"{path}: {before} is {short(old)}, which has no fields")
    fields = fields_of(old) if isinstance(old, BaseModel) else dict(old or {})
    # A name that nobody knows is not looked into: the description refuses it, with the names that there are.
    fields[step] = _changed(fields[step], rest, new, path) if step in fields else new
    return fields


def _changed_entries(old: Any, step: str | int, rest: list[str | int], new: Any, before: str) -> tuple[Any, ...]:
    path = f"{before}[{step}]"
    if not isinstance(old, (tuple, list)):
        raise ValueError(f"{path}: {before} is {short(old)}, which has no entries")
    count = len(old)
    if isinstance(step, int) and not -count <= step < count:
        raise ValueError(f"{path}: must be {_entries(before, count)}")
    chosen = range(count) if step == "*" else [int(step) % count]
    return tuple(_changed(each, rest, new, path) if k in chosen else each for k, each in enumerate(old))


def _entries(path: str, count: int) -> str:
    return f"{path}[0] to {path}[{count - 1}], or {path}[*] for all"
