"""Commands over time, as every solver takes them: pressures, forces and a wrench at the tip."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from continuarm.arms.arm import Arm

Floats = NDArray[np.float64]

SHORTEST = 1e-9
"""Knots closer than this are one, s: no solver can make a step between them."""


class Commands(NamedTuple):
    """What an arm is told at one time or at several: one row (...,) of a drive, taken apart."""

    pressures: Floats  # (..., muscles), Pa, at the valves
    forces: Floats  # (..., 3n), N, over q
    wrench: Floats  # (..., 6), N m and N: moment and force on the last tip, world axes


def muscle_count(arm: Arm) -> int:
    """How many muscles an arm has."""
    return len(arm.muscle_names)


def joined(arm: Arm, pressures: ArrayLike = 0.0, forces: ArrayLike = 0.0, wrench: ArrayLike = 0.0) -> Floats:
    """Rows of commands (k, muscles + 3n + 6) from their parts; what is left out is zero."""
    widths = (muscle_count(arm), 3 * arm.n, 6)
    parts = [np.atleast_2d(np.asarray(part, dtype=float)) for part in (pressures, forces, wrench)]
    rows = max(map(len, parts))
    spread = (np.broadcast_to(part, (rows, width)) for part, width in zip(parts, widths, strict=True))
    return np.concatenate(list(spread), axis=1)


def taken_apart(arm: Arm, rows: Floats) -> Commands:
    """The parts of rows of commands."""
    muscles = muscle_count(arm)
    return Commands(rows[..., :muscles], rows[..., muscles:-6], rows[..., -6:])


@dataclass(frozen=True)
class Control:
    """Commands that depend on the motion: asked at a fixed rate, held in between."""

    rate: float  # Hz
    commands: Callable[[float, Floats, Floats], Floats]  # (t, q, q̇) -> one row of commands


@dataclass(frozen=True, eq=False)
class Drive:
    """Commands over time: straight lines from knot to knot, with jumps at the knots; the last is held.

    A control, if there is one, adds its own.
    """

    times: Floats  # (k,), s, ascending, the first is where the drive begins
    begin: Floats  # (k, commands), right after each knot
    end: Floats  # (k, commands), right before the next; the last row is that of begin
    control: Control | None = None

    @classmethod
    def held(cls, times: ArrayLike, rows: Floats) -> Drive:
        """Every row holds until the next; nothing before the first."""
        return cls(np.asarray(times, dtype=float), rows, rows)._from_zero()._merged()

    @classmethod
    def lines(cls, times: ArrayLike, rows: Floats) -> Drive:
        """Straight lines from row to row; nothing before the first."""
        end = np.concatenate([rows[1:], rows[-1:]])
        return cls(np.asarray(times, dtype=float), rows, end)._from_zero()._merged()

    def _from_zero(self) -> Drive:
        if self.times[0] <= 0:
            return self
        nothing = self.begin[:1] * 0
        begin, end = (np.concatenate([nothing, each]) for each in (self.begin, self.end))
        return replace(self, times=np.append(0.0, self.times), begin=begin, end=end)

    def _merged(self) -> Drive:
        """Without knots that nearly coincide: what holds after the last of them holds after all."""
        last = np.append(np.diff(self.times) > SHORTEST, True)
        times = self.times[last]
        times[0] = self.times[0]
        return replace(self, times=times, begin=self.begin[last], end=self.end[last])

    def at(self, times: ArrayLike) -> Floats:
        """The commands at some times, at a jump those after it: (m,) -> (m, commands)."""
        return self._inside(np.asarray(times, dtype=float), "right")

    def before(self, times: ArrayLike) -> Floats:
        """The commands at some times, at a jump those before it: (m,) -> (m, commands)."""
        return self._inside(np.asarray(times, dtype=float), "left")

    def _inside(self, times: Floats, side: str) -> Floats:
        k = np.clip(np.searchsorted(self.times, times, side=side) - 1, 0, None)  # type: ignore[call-overload]
        part = (times - self.times[k]) / self._lengths[k]
        return self.begin[k] + part[..., None] * (self.end[k] - self.begin[k])

    @property
    def _lengths(self) -> Floats:
        return np.append(np.diff(self.times), np.inf)

    def piece(self, begin: float, end: float) -> Drive:
        """The same from one time to another, both of them knots, without the control."""
        if len(self.times) == 1:  # nothing changes, and a controller asks for pieces often
            same = np.repeat(self.begin, 2, axis=0)
            return Drive(np.array([begin, end]), same, same)
        inner = self.times[(self.times > begin) & (self.times < end)]
        times = np.concatenate([[begin], inner, [end]])
        last = self.before([end])
        return Drive(times, np.concatenate([self.at(times[:-1]), last]), np.concatenate([self.before(times[1:]), last]))

    def plus(self, other: Drive) -> Drive:
        """Both together."""
        times = np.union1d(self.times, other.times)
        begin = self.at(times) + other.at(times)
        end = np.concatenate([self.before(times[1:]) + other.before(times[1:]), begin[-1:]])
        return Drive(times, begin, end, self.control or other.control)._merged()

    def plus_held(self, row: Floats) -> Drive:
        """With constant commands added."""
        return replace(self, begin=self.begin + row, end=self.end + row)
