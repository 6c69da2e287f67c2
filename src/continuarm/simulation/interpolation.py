"""What a motion does between its rows: cubic where rates are known, straight elsewhere."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from continuarm.common.number_checks import Floats


def cubic(part: ArrayLike, step: ArrayLike, here: Floats, there: Floats, rate: Floats, rate_there: Floats) -> Floats:
    """The cubic through two values and their rates (Hermite), at a part x of the step h from the one to the other.

    q(x) = q_0 + x Δ + x (1 - x) [(1 - x) (h q̇_0 - Δ) - x (h q̇_1 - Δ)],   Δ = q_1 - q_0

    x and h broadcast with the values; h in s. Its error falls with h⁴; x = 0 gives q_0 exactly.
    """
    x, h = np.asarray(part), np.asarray(step)
    change = there - here
    bow = (1 - x) * (h * rate - change) - x * (h * rate_there - change)
    found: Floats = here + x * change + x * (1 - x) * bow
    return found


class Place(NamedTuple):
    """Where some times (...) are among rows: from which row, to which, how far (0 to 1) of how long a step, s."""

    row: NDArray[np.intp]
    after: NDArray[np.intp]
    part: Floats
    step: Floats

    def cubic(self, values: Floats, rates: Floats) -> Floats:
        """Values (rows, m) with known rates: (..., m)."""
        part, step = self.part[..., None], self.step[..., None]
        return cubic(part, step, values[self.row], values[self.after], rates[self.row], rates[self.after])

    def straight(self, values: Floats) -> Floats:
        """Values (rows, ...) on lines: (..., ...)."""
        part = self.part.reshape(self.part.shape + (1,) * (values.ndim - 1))
        return np.asarray(values[self.row] + part * (values[self.after] - values[self.row]))


def place(t: Floats, times: ArrayLike) -> Place:
    """Where times (...) are among the ascending times (rows,) of rows; before the first and after the last, there."""
    when, last = np.asarray(times, dtype=float), len(t) - 1
    row = np.clip(np.searchsorted(t, when, side="right") - 1, 0, last)
    after = np.minimum(row + 1, last)
    step = t[after] - t[row]
    part = np.clip((when - t[row]) / np.where(step > 0, step, 1.0), 0.0, 1.0)
    return Place(row, after, np.where(step > 0, part, 0.0), step)
