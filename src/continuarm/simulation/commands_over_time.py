"""Commands over time, as every solver takes them: pressures, forces and a wrench at the tip."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from continuarm.arms.arm import Arm
from continuarm.common.number_checks import Floats
from continuarm.dynamics.commands import CommandLayout, Commands, acting_mean, part_of_mean, ramp
from continuarm.dynamics.plant import Plant
from continuarm.engine import compiled

SHORTEST = 1e-9
"""Knots closer than this are one, s: no solver can make a step between them."""


def muscle_count(arm: Arm) -> int:
    """How many muscles an arm has."""
    return len(arm.muscle_names)


def command_rows(arm: Arm, pressures: ArrayLike = 0.0, forces: ArrayLike = 0.0, wrench: ArrayLike = 0.0) -> Floats:
    """Rows of commands (k, width) from their parts; what is left out is zero."""
    return CommandLayout(arm).rows(pressures, forces, wrench)


def split_commands(arm: Arm, rows: Floats) -> Commands:
    """The parts of rows of commands."""
    return CommandLayout(arm).split(rows)


class Tracking(NamedTuple):
    """Computed torque over q, as compiled code runs it in a loop."""

    model: Plant  # by which it computes; the plant that is moved may be another
    lead: float  # s, after which pressures behind valves are to be there
    of_acceleration: tuple[float, float, float]  # gains of error, its rate and its sum: 1/s², 1/s, 1/s³
    of_velocity: tuple[float, float, float]  # the same for the velocity at which dampers are made up for: 1/s, 1, 1/s²
    highest: float  # Pa, of commands
    change: float  # Pa, the most by which a command may differ from the last
    goals: Callable[[Floats], Floats]  # times (k,) -> (k, 3, 3n): position, velocity and acceleration of q


@dataclass(frozen=True)
class Control:
    """Commands that depend on the motion: asked at a fixed rate, held in between."""

    rate: float  # Hz
    commands: Callable[[float, Floats, Floats], Floats]  # (t, q, q̇) -> one row of commands
    of_state: Callable[[float, Floats], Floats] | None = None  # the same of the whole state, asked in its place
    tracking: Tracking | None = None  # the same in compiled code, where the solver has it

    def answer(self, t: float, plant: Plant, state: Floats) -> Floats:
        """One row of commands for a state (width,) at a time."""
        if self.of_state is not None:
            return self.of_state(t, state)
        here = plant.states.split(state)
        return self.commands(t, here.q.copy(), here.qd.copy())


@dataclass(frozen=True, eq=False)
class CommandsOverTime:
    """Commands over time: straight lines from knot to knot, with jumps at the knots; the last is held.

    A control, if there is one, adds its own.
    """

    times: Floats  # (k,), s, ascending, the first is where the drive begins
    begin: Floats  # (k, commands), right after each knot
    end: Floats  # (k, commands), right before the next; the last row is that of begin
    control: Control | None = None

    @classmethod
    def held(cls, times: ArrayLike, rows: Floats) -> CommandsOverTime:
        """Every row holds until the next; nothing before the first."""
        return cls(np.asarray(times, dtype=float), rows, rows)._from_zero()._merged()

    @classmethod
    def lines(cls, times: ArrayLike, rows: Floats) -> CommandsOverTime:
        """Straight lines from row to row; nothing before the first."""
        end = np.concatenate([rows[1:], rows[-1:]])
        return cls(np.asarray(times, dtype=float), rows, end)._from_zero()._merged()

    def _from_zero(self) -> CommandsOverTime:
        if self.times[0] <= 0:
            return self
        nothing = self.begin[:1] * 0
        begin, end = (np.concatenate([nothing, each]) for each in (self.begin, self.end))
        return replace(self, times=np.append(0.0, self.times), begin=begin, end=end)

    def _merged(self) -> CommandsOverTime:
        """Without knots that nearly coincide: what holds after the last of them holds after all."""
        last = np.ones(len(self.times), dtype=bool)
        np.greater(self.times[1:] - self.times[:-1], SHORTEST, out=last[:-1])
        if last.all():
            return self
        times = self.times[last]
        times[0] = self.times[0]
        return replace(self, times=times, begin=self.begin[last], end=self.end[last])

    @cached_property
    def all_held(self) -> bool:
        """Whether commands change at knots alone."""
        return self.begin is self.end or np.array_equal(self.begin, self.end)

    def at(self, times: ArrayLike) -> Floats:
        """The commands at some times, at a jump those after it: (m,) -> (m, commands)."""
        return self._inside(np.asarray(times, dtype=float), "right")

    def before(self, times: ArrayLike) -> Floats:
        """The commands at some times, at a jump those before it: (m,) -> (m, commands)."""
        return self._inside(np.asarray(times, dtype=float), "left")

    def _inside(self, times: Floats, side: str) -> Floats:
        if not times.size:
            return np.zeros((0, self.begin.shape[1]))
        k = np.maximum(self.times.searchsorted(times, side=side) - 1, 0)  # type: ignore[call-overload]
        if self.all_held:
            return np.asarray(self.begin.take(k, axis=0))
        until = np.append(self.times[1:], np.inf)[k]
        return np.asarray(
            ramp(self.begin[k], self.end[k], *(each[..., None] for each in (times, self.times[k], until)))
        )

    def mean(self, begin: float, end: float, thresholds: Floats) -> Floats:
        """The mean over a time, (commands,); the first commands have a threshold each, Pa, above which they act."""
        inner = self.times[(self.times > begin) & (self.times < end)]
        knots = np.concatenate([[begin], inner, [end]])
        values = self._inside((knots[:-1] + knots[1:]) / 2, "right")
        if len(values) == 1:
            return values[0]
        total, above = np.zeros(values.shape[1]), np.zeros(values.shape[1])
        edges = np.concatenate([thresholds, np.zeros(values.shape[1] - len(thresholds))])
        for value, share in zip(values, np.diff(knots) / (end - begin), strict=True):
            total, above = part_of_mean(total, above, value, edges, share)
        pressures = len(thresholds)
        acting = acting_mean(total[:pressures], above[:pressures], thresholds)
        return np.concatenate([acting, total[pressures:]])

    def means(self, step: float, count: int, thresholds: Floats, first: int = 0) -> Floats:
        """The means over steps from t = 0 on, as `FixedStep` takes them, without the first: (count, commands).

        Thresholds may be complex, for their slopes.
        """
        if len(self.times) == 1:  # nothing changes
            return np.tile(self.begin, (count, 1))
        if first:
            return self.means(step, first + count, thresholds)[first:]
        if compiled.native is not None and not np.iscomplexobj(thresholds):
            rows = np.empty((count, self.begin.shape[1]))
            given = map(np.ascontiguousarray, (self.times, self.begin, self.end, thresholds))
            compiled.native.command_means(*given, step, rows)
            return rows
        edges = np.arange(count + 1) * step
        values = self._inside((edges[:-1] + edges[1:]) / 2, "right")
        inner = np.searchsorted(edges, self.times, side="right") - 1
        broken = (inner >= 0) & (inner < count) & (self.times > edges[np.clip(inner, 0, count)])
        if broken.any():
            values = values.astype(np.result_type(values, thresholds))
        for k in np.unique(inner[broken]):
            values[k] = self.mean(edges[k], edges[k + 1], thresholds)
        return values

    def piece(self, begin: float, end: float) -> CommandsOverTime:
        """The same from one time to another, both of them knots, without the control."""
        if len(self.times) == 1:  # nothing changes, and a controller asks for pieces often
            same = self.begin[[0, 0]]
            return CommandsOverTime(np.array([begin, end]), same, same)
        inner = self.times[(self.times > begin) & (self.times < end)]
        times = np.concatenate([[begin], inner, [end]])
        last = self.before([end])
        return CommandsOverTime(
            times, np.concatenate([self.at(times[:-1]), last]), np.concatenate([self.before(times[1:]), last])
        )

    def plus(self, other: CommandsOverTime) -> CommandsOverTime:
        """Both together."""
        times = np.union1d(self.times, other.times)
        begin = self.at(times) + other.at(times)
        end = np.concatenate([self.before(times[1:]) + other.before(times[1:]), begin[-1:]])
        return CommandsOverTime(times, begin, end, self.control or other.control)._merged()

    def delayed(self, delays: Floats, settled: bool = False) -> CommandsOverTime:
        """With commands later by delays (commands,), s, each; before, nothing, or the first commands if `settled`."""
        if not delays.any():
            return self
        first, each = self.times[0], np.unique(delays)
        times = np.unique(np.concatenate([[first], *(self.times + late for late in each)]))
        begin, end = np.zeros((len(times), len(delays))), np.zeros((len(times), len(delays)))
        for late in each:
            own, later = delays == late, replace(self, times=self.times + late)
            after, before = (np.maximum(knots, later.times[0]) for knots in (times, times[1:]))
            begin[:, own] = later.at(after)[:, own]
            end[:-1, own], end[-1, own] = later.before(before)[:, own], begin[-1, own]
            if not settled:
                early = times < later.times[0]
                begin[np.ix_(early, own)] = end[np.ix_(early, own)] = 0.0
        return replace(self, times=times, begin=begin, end=end)._merged()

    def plus_held(self, row: Floats) -> CommandsOverTime:
        """With constant commands added."""
        begin = self.begin + row
        end = begin if self.end is self.begin else self.end + row
        return CommandsOverTime(self.times, begin, end, self.control)
