"""What drives a plant: pressures at the valves, forces over q and a wrench on the tip, and their values over time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from continuarm.arms.arm import Arm
from continuarm.common.number_checks import Floats
from continuarm.sections.spatial import Array, is_positive, positive_part


class Commands(NamedTuple):
    """What an arm is commanded at one time or at several."""

    pressures: Floats  # (..., muscles), Pa, at the valves
    forces: Floats  # (..., 3n), N, over q
    wrench: Floats  # (..., 6), N m and N: moment and force on the last tip, world axes


class CommandLayout:
    """Rows of numbers (..., width) that hold commands: pressures, forces, wrench, one after the other."""

    def __init__(self, arm: Arm) -> None:
        self.widths = (len(arm.muscle_names), 3 * arm.n, 6)
        self.forces = self.widths[0]
        self.wrench = self.forces + self.widths[1]
        self.width = sum(self.widths)

    def rows(self, pressures: ArrayLike = 0.0, forces: ArrayLike = 0.0, wrench: ArrayLike = 0.0) -> Floats:
        """Rows (k, width) from their parts (k, ...), or (1, width) from numbers; what is left out is zero."""
        parts = [np.asarray(part, dtype=float) for part in (pressures, forces, wrench)]
        count = max(len(part) if part.ndim == 2 else 1 for part in parts)
        found = np.zeros((count, self.width))
        begin = 0
        for part, width in zip(parts, self.widths, strict=True):
            if part.ndim or part:  # what is left out is zero already
                found[:, begin : begin + width] = part
            begin += width
        return found

    def split(self, rows: Floats) -> Commands:
        """The parts of rows."""
        return Commands(rows[..., : self.forces], rows[..., self.forces : self.wrench], rows[..., self.wrench :])


def ramp(begin: Array, end: Array, time: Array, start: Array, until: Array) -> Array:
    """The value at a time on the straight line from `begin` at the time `start` to `end` at the time `until`."""
    return begin + (time - start) / (until - start) * (end - begin)


# The mean over a step that a jump divides. What only acts above a threshold, as pressures do, is averaged to the value
# that acts as much as all of them do: a mean below the threshold would not act at all.


def part_of_mean(total: Array, above: Array, value: Array, threshold: Array, share: Array) -> tuple[Array, Array]:
    """The mean and the mean of what is above a threshold, with one more value that holds for a share of the time."""
    return total + share * value, above + share * positive_part(value - threshold)


def acting_mean(total: Array, above: Array, threshold: Array) -> Array:
    """The value that acts as the mean: threshold + above where anything was above it, the mean itself elsewhere."""
    acts = is_positive(above)
    return acts * (threshold + above) + (1 - acts) * total
