"""The public edge: what comes in from a user is checked here, once, before any mathematics sees it."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from continuarm.arm import FULL_TURN, Arm

Floats = NDArray[np.float64]


def checked(arm: Arm, **values: ArrayLike) -> tuple[Floats, ...]:
    """The values as float arrays of one common shape (..., 3n): finite, and q inside the model's range.

    Raises ValueError that names the argument or section, the value and what is allowed.
    """
    if not isinstance(arm, Arm):
        raise TypeError(f"arm is {type(arm).__name__}: must be an Arm (see load_arm)")
    arrays = {name: _numbers(arm, name, value) for name, value in values.items()}
    try:
        shape = np.broadcast_shapes(*(array.shape for array in arrays.values()))
    except ValueError:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise ValueError(f"batch axes do not fit together: {shapes}") from None
    if "q" in arrays:
        _check_range(arm, arrays["q"])
    return tuple(np.broadcast_to(array, shape) for array in arrays.values())


def require_finite(arm: Arm, name: str, value: Floats) -> Floats:
    """The value, unless it is not finite: then the mass matrix had no inverse."""
    if not np.isfinite(value).all():
        raise ValueError(
            f"{name} is not finite: the mass matrix of {arm.name!r} ({arm.inertia.model} model) is singular here"
        )
    return value


def _numbers(arm: Arm, name: str, value: ArrayLike) -> Floats:
    try:
        array = np.asarray(value)
    except ValueError:
        raise ValueError(f"{name} is ragged: must be an array of numbers of shape (..., {3 * arm.n})") from None
    if array.dtype.kind not in "iuf":
        raise ValueError(f"{name} holds {array.dtype} values: must be real numbers")
    array = array.astype(np.float64, copy=False)
    if array.shape[-1:] != (3 * arm.n,):
        raise ValueError(f"{name} has shape {array.shape}: must be (..., {3 * arm.n}) for the {_counted(arm)}")
    finite = np.isfinite(array)
    if not finite.all():
        index = tuple(int(i) for i in np.argwhere(~finite)[0])
        raise ValueError(f"{name}[{', '.join(map(str, index))}] = {array[index]}: must be finite")
    return array


def _counted(arm: Arm) -> str:
    return f"{arm.n} section{'s' if arm.n > 1 else ''} of {arm.name!r}"


def _check_range(arm: Arm, q: Floats) -> None:
    """No section bent beyond a full turn or shortened to nothing."""
    for i, section in enumerate(arm.sections):
        x = q[..., 3 * i : 3 * i + 3] @ section.shape_map.T
        bent = np.hypot(x[..., 0], x[..., 1])
        long = section.length + x[..., 2]
        for wrong, quantity, limit in (
            (bent > FULL_TURN * (1 + 1e-12), bent, f"rad: must be at most 2π = {FULL_TURN:.6g} rad"),
            (long <= 0, long, "m long: must be longer than 0 m"),
        ):
            if wrong.any():
                at = tuple(int(k) for k in np.argwhere(wrong)[0])
                where = f" (at q[{', '.join(map(str, at))}])" if at else ""
                verb = "bent by" if quantity is bent else "is"
                raise ValueError(f"section {i + 1} of {arm.n}{where} {verb} {quantity[at]:.6g} {limit}")


def whole_number(name: str, value: object, least: int) -> int:
    """The value as an int not below the least."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise ValueError(f"{name} = {value!r}: must be a whole number of at least {least}")
    return int(value)


def fractions(name: str, value: ArrayLike) -> Floats:
    """The value as a 1-D array of places ξ in [0, 1]."""
    array = np.atleast_1d(np.asarray(value, dtype=float))
    if array.ndim != 1 or not ((array >= 0) & (array <= 1)).all():
        worst = array.flat[int(np.argmax(~((array >= 0) & (array <= 1))))] if array.size else math.nan
        raise ValueError(f"{name} = {worst:g}: must lie between 0 (base) and 1 (tip) of a section")
    return array
