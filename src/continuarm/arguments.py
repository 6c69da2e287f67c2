"""The public edge: what comes in from a user is checked here, once, before any mathematics sees it."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from continuarm.arm import FULL_TURN, Arm, per_section
from continuarm.arrays import Floats, entry, first, is_number, real_numbers
from continuarm.description import short

MOST = 100_000
"""The largest count that is taken: beyond any use, and short of exhausting the memory by a slip of the keyboard."""


def checked(arm: Arm, **values: ArrayLike) -> tuple[Floats, ...]:
    """The values as float arrays of one common shape (..., 3n): finite, and q inside the model's range.

    Raises ValueError that names the argument or section, the value and what is allowed.
    """
    if not isinstance(arm, Arm):
        raise TypeError(f"arm is {type(arm).__name__}: must be an Arm (see load_arm)")
    arrays = {name: per_section(arm, name, value) for name, value in values.items()}
    try:
        shape = np.broadcast_shapes(*(array.shape for array in arrays.values()))
    except ValueError:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise ValueError(f"batch axes do not fit together: {shapes}") from None
    if "q" in arrays:
        _check_range(arm, arrays["q"])
    return tuple(np.broadcast_to(array, shape) for array in arrays.values())


def _check_range(arm: Arm, q: Floats) -> None:
    """No section bent beyond a full turn or shortened to nothing."""
    for i, section in enumerate(arm.sections):
        with np.errstate(over="ignore", invalid="ignore"):  # what is too large for this has no finite result either
            x = q[..., 3 * i : 3 * i + 3] @ section.shape_map.T
            bent = np.hypot(x[..., 0], x[..., 1])
            long = section.length + x[..., 2]
        for wrong, quantity, limit in (
            (bent > FULL_TURN * (1 + 1e-12), bent, f"rad: must be at most 2π = {FULL_TURN:.12g} rad"),
            (long <= 0, long, "m long: must be longer than 0 m"),
        ):
            if wrong.any():
                at = first(wrong)
                where = f" (at {entry('q', at)})" if at else ""
                verb = "bent by" if quantity is bent else "is"
                raise ValueError(f"section {i + 1} of {arm.n}{where} {verb} {quantity[at]:.12g} {limit}")


def whole_number(name: str, value: object, least: int, most: int = MOST) -> int:
    """The value as an int not below the least and not above the most."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise ValueError(f"{name} = {short(value)}: must be a whole number of at least {least}")
    if value > most:
        raise ValueError(f"{name} = {short(value)}: must be a whole number of at most {most}")
    return int(value)


def fractions(name: str, value: ArrayLike) -> Floats:
    """The value, one number or a list of them, as a 1-D array of places ξ in [0, 1]."""
    array = real_numbers(name, value, "one number or a list of numbers from 0 to 1")
    if array.ndim > 1 or not array.size:
        raise ValueError(f"{name} has shape {array.shape}: must be one number or a list of at least one")
    wrong = ~((array >= 0) & (array <= 1))
    if wrong.any():
        at = first(wrong)
        raise ValueError(f"{entry(name, at)} = {array[at]}: must lie between 0 (base) and 1 (tip) of a section")
    return np.ascontiguousarray(np.atleast_1d(array))


def duration(name: str, value: object, least: float = 0.0, most: float = 1e9) -> float:
    """The value as a number of seconds above the least."""
    if not is_number(value) or not least < float(value) <= most:  # type: ignore[arg-type]
        raise ValueError(f"{name} = {short(value)}: must be above {least:g} s and at most {most:g} s")
    return float(value)  # type: ignore[arg-type]
