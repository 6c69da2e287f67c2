"""What drives a motion: pressures or forces of the muscles, and a wrench at the tip, over time or by a controller."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike

from continuarm.arms.arm import Arm, force_hints, require_arm
from continuarm.arms.description import did_you_mean
from continuarm.common.argument_checks import choice, kind_of, require_file_name, require_kind, truth_value
from continuarm.common.limits import HIGHEST_PRESSURE, LARGEST
from continuarm.common.number_checks import Floats, as_float, finite, is_number, not_too_large, rate, real_numbers
from continuarm.common.text import short, shown
from continuarm.simulation.commands_over_time import CommandsOverTime, Control, command_rows, muscle_count
from continuarm.simulation.gauges import clamped_gauges

PSI = 6894.757293168361
UNITS = {
    **{"Pa": 1.0, "kPa": 1e3, "bar": 1e5, "mbar": 1e2, "MPa": 1e6, "psi": PSI, "PSI": PSI, "psig": PSI},
    **{"hPa": 1e2, "atm": 101325.0, "mmHg": 133.322387415},
}
"""Pressure units that text and tables may name, in Pa. Arrays and steps in Python are always in Pa."""

SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6}
"""Units of time that tables may name."""


MOST_LENGTHENING = 3.0
"""Of a section by one muscle, in its lengths, that no arm reaches: more is taken for a slip of units."""


class PressureWarning(UserWarning):
    """No muscle will push: the pressures are below the dead zones, often because they are in another unit than Pa.

    Also where readings of gauges below zero were taken as zero.

    A class of its own, so that a program can silence it, or make it an error, and nothing else.

    Examples
    --------
    >>> import warnings
    >>> arm = ca.load_arm("prototype")  # its muscles push above 90 kPa
    >>> with warnings.catch_warnings(record=True) as seen:
    ...     warnings.simplefilter("always")
    ...     motion = ca.simulate(arm, ca.PressureSteps({"l33": [(0.0, 600.0)]}), duration=0.1)  # 600 kPa were meant
    >>> seen[0].category is ca.PressureWarning
    True
    """


class Input(Protocol):
    """Anything that can drive an arm."""

    def drive(self, arm: Arm) -> CommandsOverTime:
        """The commands over time."""


@dataclass(frozen=True)
class NoInput:
    """No muscle is driven."""

    def drive(self, arm: Arm) -> CommandsOverTime:
        """No pressure, no force."""
        return CommandsOverTime.held([0.0], command_rows(arm))


@dataclass(frozen=True)
class PressureSteps:
    """Pressure steps of named muscles.

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
        rows = {name: np.array([tuple(map(float, each)) for each in steps]) for name, steps in self.steps.items()}
        rows = {name: each[np.argsort(each[:, 0])] for name, each in rows.items() if len(each)}
        times = np.unique(np.concatenate([[0.0], *(each[:, 0] for each in rows.values())]))
        pressures = np.zeros((len(times), muscle_count(arm)))
        for name, each in rows.items():
            same = np.diff(each[:, 0]) == 0
            if same.any():
                raise ValueError(f"{shown(str(name), 80)}: two steps at the same time, {each[:-1, 0][same][0]:g} s")
            held = np.append(0.0, each[:, 1])  # nothing before the first step
            column = held[np.searchsorted(each[:, 0], times, side="right")]
            pressures[:, fed_columns(arm, name, rows)] = column[:, None]
        return CommandsOverTime.held(times, command_rows(arm, pressures=checked_pressures(arm, "pressures", pressures)))


@dataclass(frozen=True, eq=False, repr=False)
class PressureSignal:
    """Pressures of all muscles over time.

    None before the first time; the last is held.

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
        width = muscle_count(arm) if self.gives == "pressures" else 3 * arm.n
        hints = force_hints(arm) if self.gives == "forces" else {}

        def commands(t: float, q: Floats, qd: Floats) -> Floats:
            name = f"{self.gives} of the controller at t = {t:.6g} s"
            values = real_numbers(name, self.function(t, q, qd), f"{width} numbers")
            if values.shape != (width,):
                hint = hints.get(values.size, "") if values.ndim == 1 else ""
                raise ValueError(f"{name} have shape {values.shape}: must be ({width},){hint}")
            if not np.isfinite(values).all():
                raise ValueError(f"{name}: must be finite, number {int(np.argmin(np.isfinite(values)))} is not")
            if self.gives == "forces":
                return command_rows(arm, forces=not_too_large(name, values, "N"))[0]
            return command_rows(arm, pressures=checked_pressures(arm, name, values))[0]

        return CommandsOverTime(np.zeros(1), command_rows(arm), command_rows(arm), Control(asked, commands))


def commands_of(
    arm: Arm, input: Input | None, wrench: ArrayLike | WrenchSignal | None, settled: bool = False
) -> CommandsOverTime:
    """The commands over time of an input and of a wrench at the tip, constant (6,) or over time; None: nothing.

    settled: whether the first commands held before the beginning too, which matters where a line delays them.
    """
    check_input(input)
    drive = (NoInput() if input is None else input).drive(arm).delayed(line_delays(arm), settled)
    return _with_wrench(arm, drive, wrench)


def readings_of(arm: Arm, input: Input | None, wrench: ArrayLike | WrenchSignal | None) -> CommandsOverTime:
    """The same as it was logged: pressures as gauges read them, and not later by what lines delay them."""
    given = NoInput() if input is None else input
    return _with_wrench(arm, getattr(given, "as_read", given.drive)(arm), wrench)


def _with_wrench(arm: Arm, drive: CommandsOverTime, wrench: ArrayLike | WrenchSignal | None) -> CommandsOverTime:
    if wrench is None:
        return drive
    if isinstance(wrench, WrenchSignal):
        return drive.plus(wrench.drive(arm))
    constant = real_numbers("wrench", wrench, "6 numbers, a moment and a force")
    if constant.shape != (6,):
        raise ValueError(f"wrench has shape {constant.shape}: must be (6,), a moment and a force")
    return drive.plus_held(command_rows(arm, wrench=not_too_large("wrench", constant, "N m and N"))[0])


def check_input(input: object, whose: str = "") -> None:
    """Raises TypeError for what cannot drive an arm, such as a class where an object was meant."""
    if input is not None and (isinstance(input, type) or not callable(getattr(input, "drive", None))):
        kinds = "a PressureSteps, PressureSignal, ForceSignal, WrenchSignal or Controller"
        raise TypeError(f"{whose}input is {kind_of(input)}: must be {kinds}")


def _are_pairs(steps: Any) -> bool:
    if isinstance(steps, (str, bytes)) or not isinstance(steps, Sequence):
        return False
    return all(isinstance(each, (tuple, list)) and len(each) == 2 and all(map(is_number, each)) for each in steps)


def units_allowed(unit: str) -> str:
    """What is said of a unit of pressure that is not known: capitals count, as mPa is not MPa."""
    hint = did_you_mean(unit, UNITS)
    if unit.casefold().endswith("psia"):
        hint = "; pressures are those of a gauge, 0 in the open air"
    return f"must be one of {', '.join(UNITS)}{hint}"


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


def muscle_index(arm: Arm, name: str) -> int:
    """The column of a muscle such as l33 (section 3, muscle 3) or l10-2."""
    columns = arm.muscle_columns
    if name not in columns:
        first, last = arm.muscle_names[0], arm.muscle_names[-1]
        raise ValueError(f"muscle {short(name)}: must be one of {first} to {last} of {short(arm.name)}")
    return columns[name]


def fed_columns(arm: Arm, name: str, named: Container[str]) -> list[int]:
    """The columns that a command for a muscle drives: its own, and those of its line that no command names."""
    own = muscle_index(arm, name)
    line = arm.muscle_lines[own].muscles
    first = next(each for each in line if each in named)  # of several that are named, the others go with the first
    mates = [arm.muscle_columns[each] for each in line if each not in named] if name == first else []
    return [own, *mates]


def line_delays(arm: Arm) -> Floats:
    """By how much each of the commands arrives later, s: (commands,)."""
    return command_rows(arm, pressures=[line.delay for line in arm.muscle_lines])[0]


def warn_of_pressures(arm: Arm, pressures: Floats) -> None:
    """A PressureWarning where pressures (..., muscles) in Pa look like a slip of units.

    Either not all of them are zero and none exceeds a dead zone, or one would lengthen its section to a multiple.
    """
    highest, least = float(pressures.max(initial=0.0)), min(section.dead_zone for section in arm.sections)
    if 0 < highest <= least:
        sentence = f"no muscle of {arm.name!r} pushes: the highest pressure is {highest:g} Pa"
        warnings.warn(f"{sentence}, the smallest dead zone {least:g} Pa", PressureWarning, stacklevel=3)
    columns, together = 0, np.ones(3)
    for i, section in enumerate(arm.sections):
        own = slice(columns, columns + len(section.muscle_map))
        columns = own.stop
        strongest = float(pressures[..., own].max(initial=0.0))
        force = (section.muscle_area or 0.0) * max(strongest - section.dead_zone, 0.0)
        spring = float(together @ section.stiffness_matrix @ together) + section.pressure_stiffness * strongest
        lengthening = force / spring / section.length
        if lengthening > MOST_LENGTHENING:
            sentence = f"section {i + 1} of {arm.name!r}: one muscle under {strongest:g} Pa, the highest pressure"
            warnings.warn(
                f"{sentence}, would lengthen it by {lengthening:.3g} times its length", PressureWarning, stacklevel=3
            )
            return


def gauge_pressures(arm: Arm, name: str, readings: Floats) -> tuple[Floats, str | None]:
    """What is in the muscles by the readings of gauges (k, muscles), Pa; and what is to be said of it, if anything.

    Readings a little below zero are zero; others that no muscle can have are refused.
    """
    pressures, sentence = clamped_gauges(readings, arm.muscle_names)
    return checked_pressures(arm, name, pressures), sentence


def said_of_gauges(input: Input | None, arm: Arm) -> str | None:
    """What is to be said of an input whose gauges read below zero; None of others."""
    say = getattr(input, "said_of_gauges", None)
    return say(arm) if callable(say) else None


def checked_pressures(arm: Arm, name: str, pressures: Floats) -> Floats:
    """Pressures (..., muscles) in Pa that the arm's muscles can take."""
    wrong = ~((pressures >= 0) & (pressures <= HIGHEST_PRESSURE))
    if wrong.any():
        column = int(np.argmax(wrong.reshape(-1, pressures.shape[-1]).any(axis=0)))
        value: Any = pressures[..., column][wrong[..., column]]
        shown = f"{name}: {arm.muscle_names[column]} = {np.ravel(value)[0]:g} Pa"
        raise ValueError(f"{shown} must be 0 or more and at most {HIGHEST_PRESSURE:g}")
    for i, section in enumerate(arm.sections):
        if section.muscle_area is None:
            raise ValueError(f"section {i + 1}: muscle_area is missing: pressures need it to become forces")
    return pressures
