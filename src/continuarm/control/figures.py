"""Figures that the last tip goes round: circles and eights in a plane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from continuarm.common.number_checks import Floats, duration
from continuarm.common.shared_docs import with_entries_of
from continuarm.control.reference_checks import direction, distance, keep, row, times_of
from continuarm.control.references import Path, Target


class Phases(NamedTuple):
    """Sine and cosine of a turning angle, each with its first two derivatives by time."""

    sin: tuple[Floats, Floats, Floats]
    cos: tuple[Floats, Floats, Floats]


def phases(t: ArrayLike, period: float) -> Phases:
    """The phase 2π t/T of a figure at times, (...), s."""
    w = 2 * np.pi / period
    angle = w * times_of(t)
    sin, cos = np.sin(angle), np.cos(angle)
    return Phases((sin, w * cos, -w * w * sin), (cos, -w * sin, -w * w * cos))


def _plane_axes(normal: Floats) -> tuple[Floats, Floats]:
    """X and Y of the frame whose Z is a unit normal and which is turned least from the world's."""
    x, y, z = normal
    if z < -1 + 1e-12:  # upside down: any half turn about a level axis is least
        return np.array([1.0, 0.0, 0.0]), np.array([0.0, -1.0, 0.0])
    return np.array([1 - x * x / (1 + z), -x * y / (1 + z), -x]), np.array([-x * y / (1 + z), 1 - y * y / (1 + z), -y])


class InPlane(Path):
    """A figure in a plane: along u and v, the world's X and Y, turned with Z into the normal.

    Parameters
    ----------
    period : float
        T: s for one round.
    centre : array_like, (3,)
        m, world frame.
    normal : array_like, (3,), optional
        Of its plane, about which it turns, world frame; any length.
    """

    period: float
    centre: ArrayLike
    normal: ArrayLike

    @property
    def space(self) -> Literal["tip"]:
        """Positions are of the last tip."""
        return "tip"

    def _check_plane(self) -> None:
        """Keeps what all figures have."""
        keep(self, period=duration("period", self.period, least=1e-6))
        keep(self, centre=row("centre", self.centre, "tip"), normal=direction("normal", self.normal))

    def _moved(
        self,
        along: float,
        first: tuple[Floats, Floats, Floats],
        across: float,
        second: tuple[Floats, Floats, Floats],
    ) -> Target:
        """centre + along · first · u + across · second · v, and its derivatives."""
        u, v = _plane_axes(np.asarray(self.normal))
        moved = [along * a[..., None] * u + across * b[..., None] * v for a, b in zip(first, second, strict=True)]
        return Target(np.asarray(self.centre) + moved[0], moved[1], moved[2])


@with_entries_of(InPlane)
@dataclass(frozen=True, eq=False)
class Circle(InPlane):
    """A circle of the last tip, at constant speed, from x = centre + radius · u on.

    u and v are the world's X and Y, turned with Z into the normal: x = centre + radius (u cos φ + v sin φ), φ = 2π t/T.

    Parameters
    ----------
    radius : float
        m.
    period, centre, normal : see `InPlane`

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

    def __post_init__(self) -> None:
        keep(self, radius=distance("radius", self.radius))
        self._check_plane()

    def at(self, t: ArrayLike) -> Target:
        turned = phases(t, self.period)
        return self._moved(self.radius, turned.cos, self.radius, turned.sin)


@with_entries_of(InPlane)
@dataclass(frozen=True, eq=False)
class Eight(InPlane):
    """A figure of eight of the last tip: x = centre + u (width/2) sin φ + v (height/2) sin 2φ, φ = 2π t/T.

    u and v are the world's X and Y, turned with Z into the normal. It begins at its crossing.

    Parameters
    ----------
    width, height : float
        m, over all, along u and along v.
    period, centre, normal : see `InPlane`

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

    def __post_init__(self) -> None:
        keep(self, width=distance("width", self.width), height=distance("height", self.height))
        self._check_plane()

    def at(self, t: ArrayLike) -> Target:
        once, twice = phases(t, self.period), phases(t, self.period / 2)
        return self._moved(self.width / 2, once.sin, self.height / 2, twice.sin)
