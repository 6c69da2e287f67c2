"""Arrays of numbers as users give them: real, finite and of the right shape, or refused in one sentence."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from continuarm.common.limits import LARGEST
from continuarm.common.text import short

Floats = NDArray[np.float64]
Booleans = NDArray[np.bool_]

MOST = 100_000
"""The largest count that is taken: beyond any use, and short of exhausting the memory by a slip of the keyboard."""

_NO_HINTS: Mapping[int, str] = {}


def numbers_of_shape(
    name: str, value: ArrayLike, size: int, counted: str, hints: Mapping[int, str] = _NO_HINTS
) -> Floats:
    """The value as a float array (..., size), all finite; `counted` says what the size is that of.

    hints: ends of the sentence about another size, by that size.
    """
    array = real_numbers(name, value, f"real numbers of shape (..., {size})")
    require_shape(name, array.shape, size, counted, hints)
    return finite(name, array)


def require_shape(
    name: str, shape: tuple[int, ...], size: int, counted: str, hints: Mapping[int, str] = _NO_HINTS
) -> None:
    """Raises ValueError unless a shape is (..., size)."""
    if shape[-1:] != (size,):
        hint = hints.get(shape[-1], "") if shape else ""
        raise ValueError(f"{name} has shape {shape}: must be (..., {size}) for the {counted}{hint}")


def finite(name: str, array: Floats) -> Floats:
    """The array, if all of it is finite."""
    wrong = ~np.isfinite(array)
    if wrong.any():
        at = first(wrong)
        raise ValueError(f"{entry(name, at)} = {array[at]}: must be finite")
    return array


def not_too_large(name: str, array: Floats, unit: str) -> Floats:
    """The array, if all of it is finite and of a size that anything real has."""
    wrong = np.abs(finite(name, array)) > LARGEST
    if wrong.any():
        at = first(wrong)
        raise ValueError(f"{entry(name, at)} = {array[at]:g}: must be within ±{LARGEST:g} {unit}")
    return array


def real_numbers(name: str, value: ArrayLike, allowed: str) -> Floats:
    """The value as a float array of any shape; `allowed` says what is taken where it is not one."""
    if type(value) is np.ndarray and value.dtype == np.float64:  # the usual case, and there is nothing to look for
        return value
    if np.ma.is_masked(value) or (isinstance(value, (list, tuple)) and _holds_masked(value)):
        raise ValueError(f"{name} has masked entries: must be {allowed}")
    try:
        array = np.asarray(value)
    except ValueError:
        raise ValueError(f"{name} is ragged: must be {allowed}") from None
    if array.dtype == object and array.size and all(map(is_number, array.flat)):  # integers of more than 64 bits
        return np.reshape([as_float(each) for each in array.flat], array.shape)
    if array.dtype.kind not in "iuf":
        raise ValueError(f"{_shown(name, value, array.dtype)}: must be {allowed}")
    with np.errstate(over="ignore"):  # what a float64 cannot hold becomes infinite, and is refused as such
        return array.astype(np.float64, copy=False)


def require_finite(name: str, value: Floats, batch_axes: int, cause: str = "the numbers are too large") -> Floats:
    """The value of a quantity, unless it is not finite anywhere."""
    wrong = ~np.isfinite(value)
    if wrong.any():
        raise not_finite(name, first(wrong)[:batch_axes], cause)
    return value


def not_finite(name: str, at: Sequence[int], cause: str) -> ValueError:
    """The error for a quantity that is not finite at a place of the batch."""
    where = f" at index {list(at)} of the batch" if at else ""
    return ValueError(f"{name}{where} is not finite: {cause}")


def is_number(value: object) -> bool:
    """Whether a value is one real number; a truth value is none."""
    number = isinstance(value, (int, float, np.integer, np.floating))
    return number and not isinstance(value, (bool, np.timedelta64))  # which NumPy counts among the integers


def as_float(value: object) -> float:
    """One real number as a float: infinite where it is too large for one, NaN where it is no number at all."""
    if not is_number(value):
        return math.nan
    try:
        return float(value)  # type: ignore[arg-type]
    except OverflowError:
        return math.inf if value > 0 else -math.inf  # type: ignore[operator]


def _holds_masked(values: Sequence[Any], depth: int = 0) -> bool:
    """Whether a list has a masked number in it, which NumPy would warn of and take for a NaN."""
    if _PLAIN.issuperset(map(type, values)) or depth > 64:  # no array has so many axes: it is refused for that
        return False
    return any(
        _holds_masked(each, depth + 1) if isinstance(each, (list, tuple)) else np.ma.is_masked(each)
        for each in values
        if isinstance(each, (list, tuple, np.ma.MaskedArray))
    )


_PLAIN = {int, float, np.float64}


def first(wrong: NDArray[np.bool_]) -> tuple[int, ...]:
    """The index of the first entry that is wrong."""
    return tuple(int(i) for i in np.unravel_index(np.argmax(wrong), wrong.shape))


def entry(name: str, at: Sequence[int]) -> str:
    """'q', (1, 8) -> 'q[1, 8]'."""
    return f"{name}[{', '.join(map(str, at))}]" if at else name


def _shown(name: str, value: Any, kind: np.dtype[Any]) -> str:
    text = short(value)
    is_short = not isinstance(value, np.ndarray) and not text.endswith("...")
    return f"{name} = {text}" if is_short else f"{name} holds {kind} values"


def whole_number(name: str, value: object, least: int, most: int = MOST) -> int:
    """The value as an int not below the least and not above the most."""
    if not is_number(value) or not isinstance(value, (int, np.integer)) or value < least:
        raise ValueError(f"{name} = {short(value)}: must be a whole number of at least {least}")
    if value > most:
        raise ValueError(f"{name} = {short(value)}: must be a whole number of at most {most}")
    return int(value)


def seed_number(name: str, value: object) -> int:
    """The value as a seed of random numbers."""
    return whole_number(name, value, least=0, most=2**63)


def fractions(name: str, value: ArrayLike) -> Floats:
    """The value, one number or a list of them, as a 1-D array of places ξ in [0, 1]."""
    array = real_numbers(name, value, "one number or a list of numbers from 0 to 1")
    if array.ndim > 1 or not array.size:
        raise ValueError(f"{name} has shape {array.shape}: must be one number or a list of at least one")
    wrong = ~((array >= 0) & (array <= 1))
    if wrong.any():
        at = first(wrong)
        raise ValueError(f"{entry(name, at)} = {array[at]}: must lie between 0 (base) and 1 (tip) of a section")
    return np.require(np.atleast_1d(array), float, ["C", "A"])


def duration(name: str, value: object, least: float = 0.0, most: float = 1e9) -> float:
    """The value as a number of seconds above the least."""
    return number_above(name, value, least, most, "s", "seconds")


def rate(name: str, value: object, most: float) -> float:
    """The value as a number of hertz above 0."""
    return number_above(name, value, 0.0, most, "Hz", "hertz")


def number_above(name: str, value: object, least: float, most: float, unit: str, units: str) -> float:
    """The value as a number above the least and at most the most, of so many units; text such as '5 s' is none."""
    found = as_float(value)
    if not least < found <= most:
        limits = f"above {least:g} {unit} and at most {most:g} {unit}"
        raise ValueError(f"{name} = {short(value)}: must be a number of {units}, {limits}")
    return found


def number_from_zero(name: str, value: object, most: float, unit: str, units: str) -> float:
    """The value as a number of 0 or more and at most the most, of so many units."""
    found = as_float(value)
    if not 0 <= found <= most:
        limits = f"0 or more and at most {most:g} {unit}".rstrip()
        raise ValueError(f"{name} = {short(value)}: must be a number of {units}, {limits}")
    return found
