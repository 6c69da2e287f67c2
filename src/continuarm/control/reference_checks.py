"""What references are made of, checked: times, positions of the tip or of q, distances, directions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike

from continuarm.common.argument_checks import choice
from continuarm.common.limits import LARGEST
from continuarm.common.number_checks import Floats, as_float, finite, first, not_too_large, real_numbers
from continuarm.common.text import short

if TYPE_CHECKING:
    from continuarm.control.references import Reference, Target

Space = Literal["tip", "muscles"]


def keep(made: object, **fields: object) -> None:
    """Checked fields of a frozen object; arrays cannot be written to."""
    for name, value in fields.items():
        if isinstance(value, np.ndarray):
            value = value.copy()
            value.flags.writeable = False
        object.__setattr__(made, name, value)


def target_at(reference: Reference, t: ArrayLike) -> Target:
    """What a reference gives at some times; ValueError says where it is no number, whoever wrote it."""
    found = reference.at(t)
    times = np.asarray(t, dtype=float)
    for name, values in zip(("position", "velocity", "acceleration"), found, strict=True):
        wrong = ~(np.abs(values) <= LARGEST)
        if wrong.any():
            at = first(wrong)
            given = f"reference at t = {times[at[: times.ndim]]:g} s: {name} = {np.asarray(values)[at]:g}"
            raise ValueError(f"{given}: must be within ±{LARGEST:g}, in m and s")
    return found


def times_of(t: ArrayLike) -> Floats:
    """Times, (...), s."""
    return finite("t", real_numbers("t", t, "a time or times, s"))


def checked_space(space: object) -> None:
    """Raises ValueError unless it is a space."""
    choice("space", space, ("tip", "muscles"))


def _require_width(name: str, shape: tuple[int, ...], space: Space) -> None:
    width = shape[-1]
    if space == "tip" and width != 3:
        raise ValueError(f"{name} has shape {shape}: must have 3 numbers for the tip; q is space = 'muscles'")
    if space == "muscles" and (not width or width % 3):
        raise ValueError(f"{name} has shape {shape}: must have 3 numbers for each section, as q has")


def row(name: str, value: ArrayLike, space: Space) -> Floats:
    """One position, (3,) or (3n,), m."""
    array = not_too_large(name, real_numbers(name, value, "numbers of m"), "m")
    if array.ndim != 1:
        raise ValueError(f"{name} has shape {array.shape}: must be one row of numbers")
    _require_width(name, array.shape, space)
    return array


def table(name: str, times: ArrayLike, rows: ArrayLike, space: Space) -> tuple[Floats, Floats]:
    """Times (k,), s, and a position at each, (k, 3) or (k, 3n), m."""
    checked_space(space)
    t = finite("times", real_numbers("times", times, "times, s"))
    values = not_too_large(name, real_numbers(name, rows, "rows of numbers, m"), "m")
    if t.ndim != 1 or len(t) < 2 or not (np.diff(t) > 0).all():
        raise ValueError(f"times has shape {t.shape}: must be two or more that ascend")
    if values.ndim != 2 or len(values) != len(t):
        raise ValueError(f"{name} has shape {values.shape}: must have one row for each of the {len(t)} times")
    _require_width(name, values.shape, space)
    return t, values


def distance(name: str, value: object) -> float:
    """A number of metres, 0 or more."""
    found = as_float(value)
    if not 0 <= found <= LARGEST:
        raise ValueError(f"{name} = {short(value)}: must be a distance in m, 0 or more")
    return found


def direction(name: str, value: ArrayLike) -> Floats:
    """A unit vector, (3,), of a vector of any length."""
    array = row(name, value, "tip")
    length = float(np.linalg.norm(array))
    if not length > 0:
        raise ValueError(f"{name} = {short(array.tolist())}: must not be zero")
    return array / length
