"""Which sides of an arm are drawn along the world axes, and how large: those in which there is something to see."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from continuarm.common.number_checks import Floats

LETTERS = "XYZ"
FLAT = 0.04
"""What reaches less far in a direction, in sizes of the whole, lies in the plane square to it."""
SLIM = 0.3
"""The least width of a view over its height, and the other way round."""


class View(NamedTuple):
    """What one sees looking along a world axis: another to the right, a third up the page, or down it."""

    across: int  # 0, 1, 2 for X, Y, Z
    up: int
    hangs: bool  # the axis points down the page
    middle: tuple[float, float]  # m
    half_width: float  # m
    half_height: float  # m


class Views(NamedTuple):
    """One view, or two that share an axis: beside each other the one up the page, above each other the one across."""

    views: tuple[View, ...]
    stacked: bool  # one above the other

    @property
    def aspect(self) -> float:
        """Width over height of all together."""
        width = [view.half_width for view in self.views]
        height = [view.half_height for view in self.views]
        return max(width) / sum(height) if self.stacked else sum(width) / max(height)


def views_of(points: Floats, gravity: Floats, size: float, radius: float) -> Views:
    """The views that matter of points (m, 3), m, of an arm of a size and a radius, m, under gravity (3,), m/s².

    The axis along which gravity pulls most is vertical, and pulls down the page. What hangs or stands is seen from two
    sides, what lies from the side and from above; what moves in one of these planes, only in this.
    """
    low, high = points.min(axis=0), points.max(axis=0)
    span = high - low
    pulled = bool(np.any(gravity))
    vertical = int(np.argmax(np.abs(gravity))) if pulled else 2
    level = [axis for axis in range(3) if axis != vertical]
    wide, narrow = sorted(level, key=lambda axis: -span[axis])
    stacked = bool(span[wide] > 1.2 * span[vertical])
    hangs = bool(gravity[vertical] > 0)
    pairs = [(wide, vertical), (wide, narrow) if stacked else (narrow, vertical)]
    if span[narrow] < FLAT * size:
        pairs = pairs[:1]
    elif not stacked:
        pairs = sorted(pairs)  # X before Y
    elif span[vertical] < FLAT * size:  # it moves on the level: from above is enough
        pairs = pairs[1:]
    half = np.maximum(0.52 * span + radius, 0.03 * size)
    least = SLIM * half.max() / 2
    found = []
    for across, up in pairs:
        width, height = max(float(half[across]), least), max(float(half[up]), least)
        middle = (float(low[across] + high[across]) / 2, float(low[up] + high[up]) / 2)
        # What is seen from above is not seen from below: to the right and up make the axis towards who looks on.
        mirrored = (np.cross(np.eye(3)[across], np.eye(3)[up])[vertical] > 0) == hangs
        found.append(View(across, up, hangs if up == vertical else bool(mirrored), middle, width, height))
    return Views(tuple(found), stacked)
