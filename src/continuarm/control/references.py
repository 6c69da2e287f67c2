"""What a controller follows: a point, a path or a table, with velocity and acceleration at any time.

A reference has one method, `at(t)`, and says in which space it is: `space = "tip"`, metres of the last tip in the world
frame, (..., 3), or `space = "muscles"`, metres of q, (..., 3n). Before its first time and after its last it is at rest.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from continuarm.common.argument_checks import choice
from continuarm.common.limits import LARGEST
from continuarm.common.number_checks import Floats, as_float, duration, finite, not_too_large, real_numbers
from continuarm.common.text import short

Space = Literal["tip", "muscles"]


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


@dataclass(frozen=True, eq=False)
class Point:
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
        _checked_space(self.space)
        _keep(self, position=_row("position", self.position, self.space))

    def at(self, t: ArrayLike) -> Target:
        """The point, at rest.

        Parameters
        ----------
        t : array_like, (...)
            s.

        Returns
        -------
        Target
            position, velocity and acceleration: m, m/s and m/s².
        """
        position = np.asarray(self.position)
        there = np.broadcast_to(position, (*np.shape(_times(t)), len(position))).copy()
        return Target(there, np.zeros_like(there), np.zeros_like(there))


@dataclass(frozen=True, eq=False)
class MinimumJerk:
    """The path through points at given times whose jerk is least, ∫ (d³x/dt³)² dt, from rest to rest.

    A spline of fifth order. Of two points it is x = x0 + (x1 - x0)(10 s³ - 15 s⁴ + 6 s⁵) on a straight line.

    Parameters
    ----------
    times : array_like, (k,)
        s, ascending, two or more.
    points : array_like, (k, 3) or (k, 3n)
        m: the last tip in the world frame, or q.
    space : {"tip", "muscles"}, optional
        What the points are.

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
        times, points = _table("points", self.times, self.points, self.space)
        _keep(self, times=times, points=points)

    @cached_property
    def _spline(self) -> Any:
        from scipy.interpolate import make_interp_spline

        still = [(1, np.zeros_like(self.points[0])), (2, np.zeros_like(self.points[0]))]  # type: ignore[index]
        return make_interp_spline(self.times, self.points, k=5, bc_type=(still, still))

    def at(self, t: ArrayLike) -> Target:
        """On the path; at rest before and after it.

        Parameters
        ----------
        t : array_like, (...)
            s.

        Returns
        -------
        Target
            position, velocity and acceleration: m, m/s and m/s².
        """
        return _between(self._spline, np.asarray(self.times), t)


@dataclass(frozen=True, eq=False)
class Circle:
    """A circle of the last tip, at constant speed, from x = centre + radius · u on.

    u and v are the world's X and Y, turned with Z into the normal: x = centre + radius (u cos φ + v sin φ), φ = 2π t/T.

    Parameters
    ----------
    radius : float
        m.
    period : float
        T: s for one turn.
    centre : array_like, (3,)
        m, world frame.
    normal : array_like, (3,), optional
        What the circle turns about, world frame; any length.

    Examples
    --------
    >>> circle = ca.Circle(radius=0.05, period=4.0, centre=[0.0, 0.0, 0.5])
    >>> print((1e3 * circle.at(1.0).position).round(1))  # mm, a quarter of the way round
    [  0.  50. 500.]
    """

    radius: float
    period: float
    centre: ArrayLike
    normal: ArrayLike = (0.0, 0.0, 1.0)

    @property
    def space(self) -> Literal["tip"]:
        """Positions are of the last tip."""
        return "tip"

    def __post_init__(self) -> None:
        _keep(self, radius=_distance("radius", self.radius), period=duration("period", self.period, least=1e-6))
        _keep(self, centre=_row("centre", self.centre, "tip"), normal=_direction("normal", self.normal))

    def at(self, t: ArrayLike) -> Target:
        """On the circle.

        Parameters
        ----------
        t : array_like, (...)
            s.

        Returns
        -------
        Target
            position, velocity and acceleration: m, m/s and m/s².
        """
        turned = _phases(t, self.period)
        return _in_plane(self.radius, turned.cos, self.radius, turned.sin, self.centre, self.normal)


@dataclass(frozen=True, eq=False)
class Eight:
    """A figure of eight of the last tip: x = centre + u (width/2) sin φ + v (height/2) sin 2φ, φ = 2π t/T.

    u and v are the world's X and Y, turned with Z into the normal. It begins at its crossing.

    Parameters
    ----------
    width, height : float
        m, over all, along u and along v.
    period : float
        T: s for both loops.
    centre : array_like, (3,)
        m, world frame.
    normal : array_like, (3,), optional
        Of its plane, world frame; any length.

    Examples
    --------
    >>> eight = ca.Eight(width=0.1, height=0.05, period=4.0, centre=[0.0, 0.0, 0.5])
    >>> print((1e3 * eight.at([0.0, 0.5, 1.0]).position[:, :2]).round(1))  # mm
    [[ 0.   0. ]
     [35.4 25. ]
     [50.   0. ]]
    """

    width: float
    height: float
    period: float
    centre: ArrayLike
    normal: ArrayLike = (0.0, 0.0, 1.0)

    @property
    def space(self) -> Literal["tip"]:
        """Positions are of the last tip."""
        return "tip"

    def __post_init__(self) -> None:
        _keep(self, width=_distance("width", self.width), height=_distance("height", self.height))
        _keep(self, period=duration("period", self.period, least=1e-6), centre=_row("centre", self.centre, "tip"))
        _keep(self, normal=_direction("normal", self.normal))

    def at(self, t: ArrayLike) -> Target:
        """On the eight.

        Parameters
        ----------
        t : array_like, (...)
            s.

        Returns
        -------
        Target
            position, velocity and acceleration: m, m/s and m/s².
        """
        once, twice = _phases(t, self.period), _phases(t, self.period / 2)
        return _in_plane(self.width / 2, once.sin, self.height / 2, twice.sin, self.centre, self.normal)


@dataclass(frozen=True, eq=False)
class Sampled:
    """A table of positions over time, such as a recording: a cubic spline through them, at rest at both ends.

    Parameters
    ----------
    times : array_like, (k,)
        s, ascending, two or more.
    positions : array_like, (k, 3) or (k, 3n)
        m: the last tip in the world frame, or q.
    space : {"tip", "muscles"}, optional
        What the positions are.

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
        times, positions = _table("positions", self.times, self.positions, self.space)
        _keep(self, times=times, positions=positions)

    @cached_property
    def _spline(self) -> Any:
        from scipy.interpolate import CubicSpline

        return CubicSpline(self.times, self.positions, bc_type="clamped")

    def at(self, t: ArrayLike) -> Target:
        """Between the rows of the table; at rest before and after it.

        Parameters
        ----------
        t : array_like, (...)
            s.

        Returns
        -------
        Target
            position, velocity and acceleration: m, m/s and m/s².
        """
        return _between(self._spline, np.asarray(self.times), t)


# ---- What they share -------------------------------------------------------------------------------------------------


class _Phases(NamedTuple):
    """Sine and cosine of a turning angle, each with its first two derivatives by time."""

    sin: tuple[Floats, Floats, Floats]
    cos: tuple[Floats, Floats, Floats]


def _phases(t: ArrayLike, period: float) -> _Phases:
    w = 2 * np.pi / period
    angle = w * _times(t)
    sin, cos = np.sin(angle), np.cos(angle)
    return _Phases((sin, w * cos, -w * w * sin), (cos, -w * sin, -w * w * cos))


def _in_plane(
    along: float,
    first: tuple[Floats, Floats, Floats],
    across: float,
    second: tuple[Floats, Floats, Floats],
    centre: ArrayLike,
    normal: ArrayLike,
) -> Target:
    u, v = _plane_axes(np.asarray(normal))
    moved = [along * a[..., None] * u + across * b[..., None] * v for a, b in zip(first, second, strict=True)]
    return Target(np.asarray(centre) + moved[0], moved[1], moved[2])


def _plane_axes(normal: Floats) -> tuple[Floats, Floats]:
    """X and Y of the frame whose Z is a unit normal and which is turned least from the world's."""
    x, y, z = normal
    if z < -1 + 1e-12:  # upside down: any half turn about a level axis is least
        return np.array([1.0, 0.0, 0.0]), np.array([0.0, -1.0, 0.0])
    return np.array([1 - x * x / (1 + z), -x * y / (1 + z), -x]), np.array([-x * y / (1 + z), 1 - y * y / (1 + z), -y])


def _between(spline: Callable[..., Any], times: Floats, t: ArrayLike) -> Target:
    """A spline and its derivatives, at rest outside its times."""
    asked = _times(t)
    inside = np.clip(asked, times[0], times[-1])
    moves = ((asked >= times[0]) & (asked <= times[-1]))[..., None]
    return Target(
        np.asarray(spline(inside)), np.where(moves, spline(inside, 1), 0.0), np.where(moves, spline(inside, 2), 0.0)
    )


def _keep(made: object, **fields: object) -> None:
    """Checked fields of a frozen object; arrays cannot be written to."""
    for name, value in fields.items():
        if isinstance(value, np.ndarray):
            value = value.copy()
            value.flags.writeable = False
        object.__setattr__(made, name, value)


def _times(t: ArrayLike) -> Floats:
    return finite("t", real_numbers("t", t, "a time or times, s"))


def _checked_space(space: object) -> None:
    choice("space", space, ("tip", "muscles"))


def _require_width(name: str, shape: tuple[int, ...], space: Space) -> None:
    width = shape[-1]
    if space == "tip" and width != 3:
        raise ValueError(f"{name} has shape {shape}: must have 3 numbers for the tip; q is space = 'muscles'")
    if space == "muscles" and (not width or width % 3):
        raise ValueError(f"{name} has shape {shape}: must have 3 numbers for each section, as q has")


def _row(name: str, value: ArrayLike, space: Space) -> Floats:
    array = not_too_large(name, real_numbers(name, value, "numbers of m"), "m")
    if array.ndim != 1:
        raise ValueError(f"{name} has shape {array.shape}: must be one row of numbers")
    _require_width(name, array.shape, space)
    return array


def _table(name: str, times: ArrayLike, rows: ArrayLike, space: Space) -> tuple[Floats, Floats]:
    _checked_space(space)
    t = finite("times", real_numbers("times", times, "times, s"))
    values = not_too_large(name, real_numbers(name, rows, "rows of numbers, m"), "m")
    if t.ndim != 1 or len(t) < 2 or not (np.diff(t) > 0).all():
        raise ValueError(f"times has shape {t.shape}: must be two or more that ascend")
    if values.ndim != 2 or len(values) != len(t):
        raise ValueError(f"{name} has shape {values.shape}: must have one row for each of the {len(t)} times")
    _require_width(name, values.shape, space)
    return t, values


def _distance(name: str, value: object) -> float:
    found = as_float(value)
    if not 0 <= found <= LARGEST:
        raise ValueError(f"{name} = {short(value)}: must be a distance in m, 0 or more")
    return found


def _direction(name: str, value: ArrayLike) -> Floats:
    array = _row(name, value, "tip")
    length = float(np.linalg.norm(array))
    if not length > 0:
        raise ValueError(f"{name} = {short(array.tolist())}: must not be zero")
    return array / length
