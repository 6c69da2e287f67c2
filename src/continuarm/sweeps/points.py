"""The points of a sweep: every combination of values of several names, or the rows of a table of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from continuarm.arms.parameters import parameter_names, unit_of
from continuarm.common.argument_checks import kind_of
from continuarm.common.number_checks import finite, real_numbers
from continuarm.common.text import LONGEST_NAME, short

MOST_POINTS = 1_000_000
"""Of one sweep: short of a slip of the keyboard."""
MOST_NUMBERS = 300_000_000
"""That a sweep keeps, 2.4 GB."""
ROW = "point"
"""The dimension of a table of points."""


@dataclass(frozen=True, eq=False)
class Points:
    """Points by their number, from 0; of a grid the last name changes fastest."""

    names: tuple[str, ...]
    values: tuple[NDArray[Any], ...]
    """What each name was given: along its axis of the grid, or its column of the table."""
    grid: bool
    units: tuple[str, ...] = ()
    """Of each name, where they are numbers of an arm."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Of an array with one entry for each point, as the result has it."""
        return tuple(map(len, self.values)) if self.grid else (len(self.values[0]),)

    @property
    def dimensions(self) -> tuple[str, ...]:
        """The names of its axes."""
        return self.names if self.grid else (ROW,)

    @property
    def count(self) -> int:
        """How many points there are."""
        return math.prod(self.shape)

    def at(self, numbers: Sequence[int]) -> dict[str, NDArray[Any]]:
        """The values of each name at some points."""
        places = np.unravel_index(np.asarray(numbers, dtype=np.intp), self.shape)
        rows = places if self.grid else places * len(self.names)
        return {name: own[row] for name, own, row in zip(self.names, self.values, rows, strict=True)}

    def of_arm(self) -> Points:
        """The points with the units that an arm's numbers of these names have."""
        return replace(self, units=tuple(map(unit_of, self.names)))

    def words(self, number: int) -> str:
        """A point for a message: point 7 (stiffness = 1500, damping = 70)."""
        values = ", ".join(f"{name} = {value[0]:.6g}" for name, value in self.at([number]).items())
        return f"point {number} ({values})"


def points_of(variations: Any, grid: bool) -> Points:
    """The points that a user asked for."""
    if not isinstance(variations, Mapping):
        raise TypeError(f"variations is {kind_of(variations)}: must be values by name, {{'stiffness': [1500, 1700]}}")
    if not variations:
        raise ValueError("variations: nothing is varied: must name at least one number, {'stiffness': [1500, 1700]}")
    names = parameter_names("variations", list(variations))
    for name in names:
        if "/" in name or not name.isprintable() or len(name) > LONGEST_NAME or name == ROW:
            raise ValueError(f"variations: {short(name)}: must be a name that files can hold, and not {ROW!r}")
    values = [_values(name, each) for name, each in zip(names, variations.values(), strict=True)]
    lengths = [len(each) for each in values]
    if not grid:
        for name, length in zip(names, lengths, strict=True):
            if length != lengths[0]:
                told = f"{names[0]} has {lengths[0]}: must have as many, one for each row of the table"
                raise ValueError(f"variations: {name} has {length} values, {told}")
    count = math.prod(lengths) if grid else lengths[0]
    if count > MOST_POINTS:
        raise ValueError(f"variations: {count:,} points: must be at most {MOST_POINTS:,}")
    return Points(tuple(names), tuple(values), grid)


def check_size(name: str, points: int, numbers: int) -> None:
    """Raises ValueError where points with so many numbers each are more than memory and file should hold."""
    if points * numbers > MOST_NUMBERS:
        allowed = f"must be at most {MOST_NUMBERS:g} together"
        raise ValueError(f"{name}: {numbers:,} numbers at each of {points:,} points: {allowed}")


def _values(name: str, given: Any) -> NDArray[Any]:
    """One axis or column; whole numbers stay whole, as a function may count with them."""
    what = f"variations: {name}"
    array = np.atleast_1d(finite(what, real_numbers(what, given, "numbers")))
    if array.ndim > 1 or not array.size:
        raise ValueError(f"{what} has shape {array.shape}: must be a list of at least one number")
    whole = np.asarray(given).dtype.kind in "iu" and np.abs(array).max() < 2**53
    return array.astype(np.int64) if whole else array
