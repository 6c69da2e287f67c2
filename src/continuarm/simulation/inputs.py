"""What drives a motion: pressures or forces of the muscles, and a wrench at the tip, over time or by a controller."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from continuarm.arms.arm import Arm, force_hints, require_arm
from continuarm.common.argument_checks import choice, kind_of, require_file_name, require_kind, truth_value
from continuarm.common.limits import HIGHEST_PRESSURE, LARGEST
from continuarm.common.number_checks import Floats, as_float, finite, is_number, not_too_large, rate, real_numbers
from continuarm.common.text import short, shown
from continuarm.simulation.commands_over_time import CommandsOverTime, Control, command_rows, muscle_count
from continuarm.simulation.pressure_commands import (
    UNITS,
    checked_pressures,
    fed_columns,
    gauge_pressures,
    refuse_contradictions,
    require_areas,
    units_allowed,
)


class Input(Protocol):
    """Anything that can drive an arm."""

    def drive(self, arm: Arm) -> CommandsOverTime:
        """The commands over time."""


@runtime_checkable
class ChoosesSolver(Protocol):
    """An input that knows which solver suits it."""

    def default_solver(self) -> Any:
        """The solver, unless another is said."""


@dataclass(frozen=True)
class NoInput:
    """No muscle is driven."""

    def drive(self, arm: Arm) -> CommandsOverTime:
        """No pressure, no force."""
        return CommandsOverTime.held([0.0], command_rows(arm))


@dataclass(frozen=True)
class PressureSteps:
    """Pressure steps of named muscles: true pressures, also in a recording, as they are commanded and not read.

    l33 is muscle 3 of section 3 (l10-2 is muscle 2 of section 10). A muscle has no pressure before its first step and
    keeps that of its last.

    Parameters
    ----------
    steps : mapping of str to list of (float, float)
        For each muscle, pairs of time, s, and pressure, Pa.

    Examples
    --------
    >>> steps = ca.PressureSteps({"l33": [(0.0, 600e3)], "l22": [(3.2, 500e3)]})
    >>> steps == ca.PressureSteps.parse("l33=600@0, l22=5bar@3.2")  # as text, in kPa or a unit that is named
    True
    """

    steps: Mapping[str, Sequence[tuple[float, float]]]

    @classmethod
    def parse(cls, text: str) -> PressureSteps:
        """From text such as "l33=600@0, l22=5bar@3.2": muscle=pressure@seconds, in kPa where no unit is named.

        Parameters
        ----------
        text : str
            Steps with commas between them; units are Pa, kPa, hPa, MPa, bar, mbar, psi, atm, mmHg.

        Returns
        -------
        PressureSteps
        """
        require_kind("text", text, str, "text such as 'l33=600@0, l22=5bar@3.2'")
        steps: dict[str, list[tuple[float, float]]] = {}
        for part in filter(None, (part.strip() for part in text.split(","))):
            found = re.fullmatch(r"([^=\s]+)\s*=\s*([^@\s]*?[\d.])\s*([a-zA-Z]*)\s*@\s*(\S+)", part)
            if found and (found[3] or "kPa") not in UNITS:
                raise ValueError(f"pressures: {part!r} has the unit {found[3]!r}: {units_allowed(found[3])}")
            try:
                if not found:
                    raise ValueError
                pressure = float(found[2]) * UNITS[found[3] or "kPa"]
                steps.setdefault(found[1], []).append((float(found[4]), pressure))
            except ValueError:
                raise ValueError(
                    f"pressures: {part!r} must be of the form muscle=pressure@seconds, such as l33=600kPa@0"
                ) from None
        return cls(steps)

    def drive(self, arm: Arm) -> CommandsOverTime:
        """The pressures, in steps."""
        if not isinstance(self.steps, Mapping):
            raise ValueError(f"steps = {short(self.steps)}: must be like {{'l33': [(0.0, 600e3)]}}, s and Pa")
        for name, steps in self.steps.items():
            if not _are_pairs(steps):
                allowed = "a list of pairs (seconds, Pa), such as [(0.0, 600e3)]"
                raise ValueError(f"steps of {short(name)} = {short(steps)}: must be {allowed}")
            for time, pressure in steps:
                if not 0 <= as_float(time) <= LARGEST:
                    raise ValueError(
                        f"{shown(str(name), 80)}: time {short(time)} s must be 0 or later, and at most {LARGEST:g}"
                    )
                if not 0 <= as_float(pressure) <= HIGHEST_PRESSURE:
                    limits = f"0 or more and at most {HIGHEST_PRESSURE:g}"
                    raise ValueError(f"{shown(str(name), 80)}: pressure {short(pressure)} Pa must be {limits}")
        named = {
            name: sorted((float(time), float(pressure)) for time, pressure in steps)
            for name, steps in self.steps.items()
            if steps
        }
        times = sorted({0.0, *(time for steps in named.values() for time, _ in steps)})
        row_at = {time: row for row, time in enumerate(times)}
        pressures = np.zeros((len(times), muscle_count(arm)))
        for name, pairs in named.items():
            columns, begins = fed_columns(arm, name, named), [row_at[time] for time, _ in pairs]
            for (_, pressure), begin, end in zip(pairs, begins, [*begins[1:], len(times)], strict=True):
                if begin == end:
                    raise ValueError(f"{shown(str(name), 80)}: two steps at the same time, {times[begin]:g} s")
                pressures[begin:end, columns] = pressure
        refuse_contradictions(arm, "pressures", pressures)
        require_areas(arm)
        return CommandsOverTime.held(times, command_rows(arm, pressures=pressures))


@dataclass(frozen=True, eq=False, repr=False)
class PressureSignal:
    """Pressures of all muscles over time.

    None before the first time; the last is held. In a `Recording` it is a log, read by the gauges of the arm's `rig`;
    in `simulate` they are true pressures.

    Parameters
    ----------
    times : array_like, (k,)
        s, ascending.
    pressures : array_like, (k, muscles)
        Pa, in the order of `arm.muscle_names`.
    linear : bool, optional
        Linear between the times, or held until the next with False.

    Examples
    --------
    >>> arm = ca.load_arm("prototype")
    >>> times = np.linspace(0, 2, 201)
    >>> pressures = np.zeros((201, 9))
    >>> pressures[:, 8] = 300e3 * (1 - np.cos(np.pi * times))  # l33, up and down again
    >>> ca.simulate(arm, ca.PressureSignal(times, pressures), duration=2)
    Motion('prototype', 2 s, 401 states, integral model)
    """

    times: ArrayLike
    pressures: ArrayLike
    linear: bool = True

    def __repr__(self) -> str:
        return f"PressureSignal({_signal_words(self.times, self.pressures, 'Pa', self.linear)})"

    @classmethod
    def read(cls, path: str | Path, arm: Arm, linear: bool = True) -> PressureSignal:
        """From a CSV file whose header names units, "t [s], l11 [kPa], l33 [bar]"; other muscles have no pressure.

        Parameters
        ----------
        path : str or path
        arm : Arm
            Whose muscles the header names.
        linear : bool, optional
            Linear between the rows, or held until the next with False.

        Returns
        -------
        PressureSignal
        """
        from continuarm.simulation.pressure_file import read_pressures

        require_file_name("path", path)
        require_arm(arm)
        try:
            return cls(*read_pressures(path, arm), linear)
        except ValueError as error:
            raise ValueError(f"{shown(path)}: {error}") from None

    def drive(self, arm: Arm) -> CommandsOverTime:
        """The pressures; where a line crosses the dead zone's edge, a knot is added. A little below zero is zero."""
        times, readings = _signal("pressures", self.times, self.pressures, muscle_count(arm))
        pressures, _ = gauge_pressures(arm, "pressures", readings)
        if not truth_value("linear", self.linear):
            return CommandsOverTime.held(times, command_rows(arm, pressures=pressures))
        edges = np.concatenate([np.full(len(s.muscle_map), s.dead_zone) for s in arm.sections])
        before, after = pressures[:-1] - edges, pressures[1:] - edges
        row, column = np.nonzero(before * after < 0)
        part = before[row, column] / (before[row, column] - after[row, column])
        knots = np.union1d(times, times[row] + part * np.diff(times)[row])
        pressures = np.stack([np.interp(knots, times, each) for each in pressures.T], axis=-1)
        return CommandsOverTime.lines(knots, command_rows(arm, pressures=pressures))

    def as_read(self, arm: Arm) -> CommandsOverTime:
        """The pressures as gauges read them, below zero too.

        Parameters
        ----------
        arm : Arm

        Returns
        -------
        CommandsOverTime
            What was logged, and not what it drives the arm by.
        """
        times, readings = _signal("pressures", self.times, self.pressures, muscle_count(arm))
        return _lines_or_held(self.linear, times, command_rows(arm, pressures=readings))

    def said_of_gauges(self, arm: Arm) -> str | None:
        """What is to be said of readings below zero, which drive an arm as zero.

        Parameters
        ----------
        arm : Arm
            Whose muscles the sentence names.

        Returns
        -------
        str or None
            A sentence; None if no reading is below zero.
        """
        return gauge_pressures(arm, "pressures", _signal("", self.times, self.pressures, muscle_count(arm))[1])[1]


@dataclass(frozen=True, eq=False, repr=False)
class ForceSignal:
    """Muscle forces τ over time.

    None before the first time; the last is held.

    Parameters
    ----------
    times : array_like, (k,)
        s, ascending.
    forces : array_like, (k, 3n)
        N, positive extends.
    linear : bool, optional
        Linear between the times, or held until the next with False.

    Examples
    --------
    >>> arm = ca.load_arm("prototype")
    >>> pull = np.zeros((2, 9))
    >>> pull[1, 8] = 50.0  # N, reached after a second
    >>> ca.simulate(arm, ca.ForceSignal([0.0, 1.0], pull), duration=2)
    Motion('prototype', 2 s, 401 states, integral model)
    """

    times: ArrayLike
    forces: ArrayLike
    linear: bool = True

    def __repr__(self) -> str:
        return f"ForceSignal({_signal_words(self.times, self.forces, 'N', self.linear)})"

    def drive(self, arm: Arm) -> CommandsOverTime:
        """The forces as they are."""
        times, forces = _signal("forces", self.times, self.forces, 3 * arm.n, force_hints(arm))
        not_too_large("forces", forces, "N")
        return _lines_or_held(self.linear, times, command_rows(arm, forces=forces))


@dataclass(frozen=True, eq=False, repr=False)
class WrenchSignal:
    """Moment and force on the last tip over time.

    None before the first time; the last is held.

    Parameters
    ----------
    times : array_like, (k,)
        s, ascending.
    wrenches : array_like, (k, 6)
        Moment, N m, and force, N, world axes.
    linear : bool, optional
        Linear between the times, or held until the next with False.

    Examples
    --------
    >>> arm = ca.load_arm("prototype")
    >>> tap = ca.WrenchSignal([0.0, 0.1], [[0, 0, 0, 0.5, 0, 0], [0] * 6], linear=False)  # 0.5 N for 0.1 s
    >>> motion = ca.simulate(arm, wrench=tap, duration=1)
    >>> round(1e3 * float(motion.tips[:, -1, 0].max()), 1)  # mm, the tip's furthest way along X
    70.0
    """

    times: ArrayLike
    wrenches: ArrayLike
    linear: bool = True

    def __repr__(self) -> str:
        return f"WrenchSignal({_signal_words(self.times, self.wrenches, 'N m and N', self.linear)})"

    def drive(self, arm: Arm) -> CommandsOverTime:
        """The wrench as it is."""
        times, wrenches = _signal("wrenches", self.times, self.wrenches, 6)
        not_too_large("wrenches", wrenches, "N m and N")
        return _lines_or_held(self.linear, times, command_rows(arm, wrench=wrenches))


@dataclass(frozen=True)
class Controller:
    """A function that drives the arm, asked at a rate; its answer is held until it is asked again.

    Parameters
    ----------
    function : callable
        function(t, q, qd) with t in s, q (3n,) in m and qd (3n,) in m/s; returns pressures (muscles,) in Pa, or
        forces (3n,) in N.
    rate : float
        How often it is asked, Hz.
    gives : {"pressures", "forces"}, optional
        What it returns.

    Examples
    --------
    >>> arm = ca.load_arm("prototype")
    >>> def hold(t, q, qd):
    ...     return np.clip(2e5 + 1e7 * (0.02 - q), 0, 6e5)  # towards 20 mm, every muscle
    >>> motion = ca.simulate(arm, ca.Controller(hold, rate=100), duration=2)
    >>> print((1e3 * motion.q[-1]).round(1))  # mm
    [13.9 13.9 13.9 13.8 13.8 13.8 13.6 13.6 13.6]
    """

    function: Callable[[float, Floats, Floats], ArrayLike]
    rate: float
    gives: Literal["pressures", "forces"] = "pressures"

    def drive(self, arm: Arm) -> CommandsOverTime:
        """The function, its answers checked."""
        asked = rate("rate of the controller", self.rate, most=1e6)
        choice("gives", self.gives, ("pressures", "forces"))
        if isinstance(self.function, type) or not callable(self.function):
            raise TypeError(f"function of the controller is {kind_of(self.function)}: must be a function (t, q, qd)")

        def commands(t: float, q: Floats, qd: Floats) -> Floats:
            return checked_answer(arm, self.gives, t, self.function(t, q, qd))

        return CommandsOverTime(np.zeros(1), command_rows(arm), command_rows(arm), Control(asked, commands))


def checked_answer(arm: Arm, gives: str, t: float, answer: ArrayLike) -> Floats:
    """What a controller gave at a time, pressures or forces, as a row of commands."""
    width = muscle_count(arm) if gives == "pressures" else 3 * arm.n
    name = f"{gives} of the controller at t = {t:.6g} s"
    values = real_numbers(name, answer, f"{width} numbers")
    if values.shape != (width,):
        hints = force_hints(arm) if gives == "forces" else {}
        hint = hints.get(values.size, "") if values.ndim == 1 else ""
        raise ValueError(f"{name} have shape {values.shape}: must be ({width},){hint}")
    if not np.isfinite(values).all():
        raise ValueError(f"{name}: must be finite, number {int(np.argmin(np.isfinite(values)))} is not")
    if gives == "forces":
        return command_rows(arm, forces=not_too_large(name, values, "N"))[0]
    refuse_contradictions(arm, name, values)
    return command_rows(arm, pressures=checked_pressures(arm, name, values))[0]


def _are_pairs(steps: Any) -> bool:
    if isinstance(steps, (str, bytes)) or not isinstance(steps, Sequence):
        return False
    return all(isinstance(each, (tuple, list)) and len(each) == 2 and all(map(is_number, each)) for each in steps)


def _signal(
    name: str, times: ArrayLike, values: ArrayLike, width: int, hints: Mapping[int, str] | None = None
) -> tuple[Floats, Floats]:
    """Times (k,) and values (k, width), checked; hints: ends of the sentence about another width, by that width."""
    when = np.atleast_1d(real_numbers("times", times, "a list of seconds"))
    what = np.atleast_2d(real_numbers(name, values, f"rows of {width} numbers"))
    if when.ndim != 1 or not len(when):
        raise ValueError(f"times has shape {when.shape}: must be a list of at least one time")
    if what.shape != (len(when), width):
        hint = (hints or {}).get(what.shape[-1], "")
        raise ValueError(
            f"{name} has shape {what.shape}: must be ({len(when)}, {width}), one row for each of the times{hint}"
        )
    not_too_large("times", when, "s")
    finite(name, what)
    if (np.diff(when) <= 0).any():
        raise ValueError(f"times must ascend; they do not after {when[:-1][np.diff(when) <= 0][0]:g} s")
    if when[0] < 0:
        raise ValueError(f"times begin at {when[0]:g} s: must be 0 or later")
    return when, what


def _signal_words(times: ArrayLike, values: ArrayLike, unit: str, linear: bool) -> str:
    """11 times from 0 to 5 s, 9 columns up to 6e+05 Pa, linear: what repr() says, also of what cannot be a signal."""
    try:
        when = np.atleast_1d(real_numbers("times", times, ""))
        what = np.atleast_2d(real_numbers("values", values, ""))
        span = f"{len(when)} times from {when[0]:g} to {when[-1]:g} s"
        largest = f"{what.shape[1]} columns up to {np.abs(what).max():g} {unit}"
    except (ValueError, TypeError, IndexError):
        return f"times {short(times)}, values {short(values)}"
    return f"{span}, {largest}, {'linear' if linear else 'held'}"


def _lines_or_held(linear: bool, times: Floats, rows: Floats) -> CommandsOverTime:
    return (CommandsOverTime.lines if truth_value("linear", linear) else CommandsOverTime.held)(times, rows)
