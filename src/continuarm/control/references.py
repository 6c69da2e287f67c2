"""What a controller follows: a point, a path or a table, with velocity and acceleration at any time.

A reference has one method, `at(t)`, and says in which space it is: `space = "tip"`, metres of the last tip in the world
frame, (..., 3), or `space = "muscles"`, metres of q, (..., 3n). Before its first time and after its last it is at rest.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from continuarm.common.number_checks import Floats
from continuarm.common.shared_docs import with_entries_of
from continuarm.control.reference_checks import Space, checked_space, keep, row, table, times_of


class Target(NamedTuple):
    """Where to be at some times, how fast, and how that changes: (..., 3) of the tip or (..., 3n) of q."""

    position: Floats  # m
    velocity: Floats  # m/s
    acceleration: Floats  # m/s²


class Reference(Protocol):
    """Anything that a controller can follow."""

    @property
    def space(self) -> Space:
        """Whether positions are of the last tip or are q."""

    def at(self, t: ArrayLike) -> Target:
        """Position, velocity and acceleration at times (...), s."""


class Path(ABC):
    """What all references here share: how they are asked."""

    @abstractmethod
    def at(self, t: ArrayLike) -> Target:
        """Where to be at some times, how fast, and how that changes.

        Parameters
        ----------
        t : array_like, (...)
            s.

        Returns
        -------
        Target
            position, velocity and acceleration: m, m/s and m/s².
        """


class TimedRows(Path):
    """Positions at given times, and a spline through them; at rest before and after.

    Parameters
    ----------
    times : array_like, (k,)
        s, ascending, two or more.
    space : {"tip", "muscles"}, optional
        What the positions are.
    """

    times: ArrayLike
    space: Space

    def _check_rows(self, name: str) -> None:
        """Keeps times and the positions of a field."""
        times, rows = table(name, self.times, getattr(self, name), self.space)
        keep(self, times=times, **{name: rows})


@dataclass(frozen=True, eq=False)
class Point(Path):
    """A point to go to, and to stay at.

    Parameters
    ----------
    position : array_like, (3,) or (3n,)
        m: the last tip in the world frame, or q.
    space : {"tip", "muscles"}, optional
        What the position is.

    Examples
    --------
    >>> ca.Point([0.1, 0.0, 0.4]).at(2.0).velocity.tolist()
    [0.0, 0.0, 0.0]
    """

    position: ArrayLike
    space: Space = "tip"

    def __post_init__(self) -> None:
        checked_space(self.space)
        keep(self, position=row("position", self.position, self.space))

    def at(self, t: ArrayLike) -> Target:
        position = np.asarray(self.position)
        there = np.broadcast_to(position, (*np.shape(times_of(t)), len(position))).copy()
        return Target(there, np.zeros_like(there), np.zeros_like(there))


@with_entries_of(TimedRows)
@dataclass(frozen=True, eq=False)
class MinimumJerk(TimedRows):
    """The path through points at given times whose jerk is least, ∫ (d³x/dt³)² dt, from rest to rest.

    A spline of fifth order. Of two points it is x = x0 + (x1 - x0)(10 s³ - 15 s⁴ + 6 s⁵) on a straight line.

    Parameters
    ----------
    times : see `TimedRows`
    points : array_like, (k, 3) or (k, 3n)
        m: the last tip in the world frame, or q.
    space : see `TimedRows`

    Examples
    --------
    >>> path = ca.MinimumJerk([0.0, 2.0], [[0.0, 0.0, 0.45], [0.1, 0.0, 0.4]])
    >>> print(path.at([0.0, 1.0, 2.0]).position[:, 0].round(3))
    [0.   0.05 0.1 ]
    """

    times: ArrayLike
    points: ArrayLike
    space: Space = "tip"

    def __post_init__(self) -> None:
        self._check_rows("points")

    @cached_property
    def _spline(self) -> Any:
        from scipy.interpolate import make_interp_spline

        still = [(1, np.zeros_like(self.points[0])), (2, np.zeros_like(self.points[0]))]  # type: ignore[index]
        return make_interp_spline(self.times, self.points, k=5, bc_type=(still, still))

    def at(self, t: ArrayLike) -> Target:
        return between(self._spline, np.asarray(self.times), t)


@with_entries_of(TimedRows)
@dataclass(frozen=True, eq=False)
class Sampled(TimedRows):
    """A table of positions over time, such as a recording: a cubic spline through them, at rest at both ends.

    Parameters
    ----------
    times : see `TimedRows`
    positions : array_like, (k, 3) or (k, 3n)
        m: the last tip in the world frame, or q.
    space : see `TimedRows`

    Examples
    --------
    >>> arm = ca.load_arm("prototype")
    >>> seen = ca.simulate(arm, ca.PressureSteps({"l33": [(0.0, 600e3)]}), duration=1)
    >>> again = ca.Sampled(seen.t, seen.q, space="muscles")
    >>> bool(abs(again.at(seen.t).position - seen.q).max() < 1e-12)
    True
    """

    times: ArrayLike
    positions: ArrayLike
    space: Space = "tip"

    def __post_init__(self) -> None:
        self._check_rows("positions")

    @cached_property
    def _spline(self) -> Any:
        from scipy.interpolate import CubicSpline

        return CubicSpline(self.times, self.positions, bc_type="clamped")

    def at(self, t: ArrayLike) -> Target:
        return between(self._spline, np.asarray(self.times), t)


def between(spline: Any, times: Floats, t: ArrayLike) -> Target:
    """A spline and its derivatives, at rest outside its times."""
    asked = times_of(t)
    inside = np.clip(asked, times[0], times[-1])
    moves = ((asked >= times[0]) & (asked <= times[-1]))[..., None]
    return Target(
        np.asarray(spline(inside)), np.where(moves, spline(inside, 1), 0.0), np.where(moves, spline(inside, 2), 0.0)
    )
