"""What drives a motion: pressures or forces of the muscles, and a wrench at the tip, over time or by a controller."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike

from continuarm.arms.arm import Arm
from continuarm.common.number_checks import Floats, is_number, rate, real_numbers
from continuarm.common.tables import table_lines, table_numbers
from continuarm.common.text import short, shown
from continuarm.simulation.commands_over_time import CommandsOverTime, Control, command_rows, muscle_count

UNITS = {"Pa": 1.0, "kPa": 1e3, "bar": 1e5, "mbar": 1e2, "MPa": 1e6, "psi": 6894.757293168361}
"""Pressure units that text and tables may name, in Pa. Arrays and steps in Python are always in Pa."""

SECONDS = {"s": 1.0, "ms": 1e-3}
"""Units of time that a signal file may name."""

HIGHEST = 1e9
"""The highest pressure that is taken, Pa."""


class PressureWarning(UserWarning):
    """No muscle will push: the pressures are below the dead zones, often because they are in another unit than Pa.

    A class of its own, so that a program can silence it, or make it an error, and nothing else.
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
    """Pressure steps of named muscles, pairs of s and Pa: {"l33": [(0.0, 600e3)], "l22": [(3.2, 500e3)]}.

    l33 is muscle 3 of section 3 (l10-2 is muscle 2 of section 10). A muscle has no pressure before its first step and
    keeps that of its last. As text, in kPa or a unit that is named: "l33=600@0, l22=5bar@3.2".
    """

    steps: Mapping[str, Sequence[tuple[float, float]]]

    @classmethod
    def parse(cls, text: str) -> PressureSteps:
        """From text such as "l33=600@0, l22=5bar@3.2": muscle=pressure@seconds, in kPa where no unit is named."""
        steps: dict[str, list[tuple[float, float]]] = {}
        for part in filter(None, (part.strip() for part in text.split(","))):
            found = re.fullmatch(r"([^=\s]+)\s*=\s*([^@\s]*?[\d.])\s*([a-zA-Z]*)\s*@\s*(\S+)", part)
            if found and (found[3] or "kPa") not in UNITS:
                raise ValueError(f"pressures: {part!r} has the unit {found[3]!r}: must be one of {', '.join(UNITS)}")
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
                raise ValueError(
                    f"{name}: {short(steps)} must be a list of pairs (seconds, Pa), such as [(0.0, 600e3)]"
                )
            for time, pressure in steps:
                if not (np.isfinite(time) and time >= 0):
                    raise ValueError(f"{name}: time {time} s must be 0 or later")
                if not 0 <= pressure <= HIGHEST:
                    raise ValueError(f"{name}: pressure {pressure} Pa must be 0 or more and at most {HIGHEST:g}")
            times = [time for time, _ in steps]
            if len(set(times)) < len(times):
                raise ValueError(f"{name}: two steps at the same time, {max(times, key=times.count):g} s")
        times = sorted({0.0} | {float(time) for steps in self.steps.values() for time, _ in steps})
        pressures = np.zeros((len(times), muscle_count(arm)))
        for name, steps in self.steps.items():
            column = muscle_index(arm, name)
            for time, pressure in sorted(steps):
                pressures[times.index(float(time)) :, column] = pressure
        return CommandsOverTime.held(times, command_rows(arm, pressures=checked_pressures(arm, "pressures", pressures)))


@dataclass(frozen=True, eq=False, repr=False)
class PressureSignal:
    """Pressures of all muscles over time: times (k,) in s, pressures (k, muscles) in Pa.

    Linear between the times, or held until the next with linear=False; none before the first, the last is held.
    """

    times: ArrayLike
    pressures: ArrayLike
    linear: bool = True

    def __repr__(self) -> str:
        return f"PressureSignal({_signal_words(self.times, self.pressures, 'Pa', self.linear)})"

    @classmethod
    def read(cls, path: str | Path, arm: Arm, linear: bool = True) -> PressureSignal:
        """From a CSV file whose header names units, "t [s], l11 [kPa], l33 [bar]"; other muscles have no pressure."""
        try:
            return cls(*_read_pressures(path, arm), linear)
        except ValueError as error:
            raise ValueError(f"{shown(path)}: {error}") from None

    def drive(self, arm: Arm) -> CommandsOverTime:
        """The pressures; where a line crosses the dead zone's edge, a knot is added."""
        times, pressures = _signal("pressures", self.times, self.pressures, muscle_count(arm))
        checked_pressures(arm, "pressures", pressures)
        if not self.linear:
            return CommandsOverTime.held(times, command_rows(arm, pressures=pressures))
        edges = np.concatenate([np.full(len(s.muscle_map), s.dead_zone) for s in arm.sections])
        before, after = pressures[:-1] - edges, pressures[1:] - edges
        row, column = np.nonzero(before * after < 0)
        part = before[row, column] / (before[row, column] - after[row, column])
        knots = np.union1d(times, times[row] + part * np.diff(times)[row])
        pressures = np.stack([np.interp(knots, times, each) for each in pressures.T], axis=-1)
        return CommandsOverTime.lines(knots, command_rows(arm, pressures=pressures))


@dataclass(frozen=True, eq=False, repr=False)
class ForceSignal:
    """Muscle forces τ over time: times (k,) in s, forces (k, 3n) in N.

    Linear between the times, or held until the next with linear=False; none before the first, the last is held.
    """

    times: ArrayLike
    forces: ArrayLike
    linear: bool = True

    def __repr__(self) -> str:
        return f"ForceSignal({_signal_words(self.times, self.forces, 'N', self.linear)})"

    def drive(self, arm: Arm) -> CommandsOverTime:
        """The forces as they are."""
        times, forces = _signal("forces", self.times, self.forces, 3 * arm.n)
        return _lines_or_held(self.linear, times, command_rows(arm, forces=forces))


@dataclass(frozen=True, eq=False, repr=False)
class WrenchSignal:
    """Moment and force on the last tip over time: times (k,) in s, wrenches (k, 6) in N m and N, world axes.

    Linear between the times, or held until the next with linear=False; none before the first, the last is held.
    """

    times: ArrayLike
    wrenches: ArrayLike
    linear: bool = True

    def __repr__(self) -> str:
        return f"WrenchSignal({_signal_words(self.times, self.wrenches, 'N m and N', self.linear)})"

    def drive(self, arm: Arm) -> CommandsOverTime:
        """The wrench as it is."""
        times, wrenches = _signal("wrenches", self.times, self.wrenches, 6)
        return _lines_or_held(self.linear, times, command_rows(arm, wrench=wrenches))


@dataclass(frozen=True)
class Controller:
    """A function (t, q, qd) -> pressures (muscles,) in Pa, or forces (3n,) in N, asked `rate` times a second.

    Its answer is held until it is asked again.
    """

    function: Callable[[float, Floats, Floats], ArrayLike]
    rate: float
    gives: Literal["pressures", "forces"] = "pressures"

    def drive(self, arm: Arm) -> CommandsOverTime:
        """The function, its answers checked."""
        rate("rate of the controller", self.rate, most=1e6)
        if self.gives not in ("pressures", "forces"):
            raise ValueError(f"gives = {self.gives!r}: must be 'pressures' or 'forces'")
        if not callable(self.function):
            raise TypeError(f"function of the controller is {type(self.function).__name__}: must be callable")
        width = muscle_count(arm) if self.gives == "pressures" else 3 * arm.n

        def commands(t: float, q: Floats, qd: Floats) -> Floats:
            name = f"{self.gives} of the controller at t = {t:.6g} s"
            values = real_numbers(name, self.function(t, q, qd), f"{width} numbers")
            if values.shape != (width,):
                raise ValueError(f"{name} have shape {values.shape}: must be ({width},)")
            if not np.isfinite(values).all():
                raise ValueError(f"{name}: must be finite, number {int(np.argmin(np.isfinite(values)))} is not")
            if self.gives == "forces":
                return command_rows(arm, forces=values)[0]
            return command_rows(arm, pressures=checked_pressures(arm, name, values))[0]

        return CommandsOverTime(np.zeros(1), command_rows(arm), command_rows(arm), Control(self.rate, commands))


def _are_pairs(steps: Any) -> bool:
    if isinstance(steps, (str, bytes)) or not isinstance(steps, Sequence):
        return False
    return all(isinstance(each, (tuple, list)) and len(each) == 2 and all(map(is_number, each)) for each in steps)


def _read_pressures(path: str | Path, arm: Arm) -> tuple[Floats, Floats]:
    """Times and pressures of all muscles; ValueError in words that go after the name of the file."""
    lines = table_lines(path)
    _, first = next(lines)
    header = [re.fullmatch(r"([^\s\[]+)\s*\[(\S+)\]", cell) for cell in first]
    if not all(header) or header[0][1] not in ("t", "time") or header[0][2] not in SECONDS:  # type: ignore[index]
        raise ValueError(f"the header must name units, such as 't [s], l11 [kPa]'; it is {short(first)}")
    columns = [(cell[1], cell[2]) for cell in header if cell]
    (twice, times), *_ = Counter(name for name, _ in columns).most_common(1)
    if times > 1:
        raise ValueError(f"the header names {shown(twice, 80)} more than once")
    scales, places = [SECONDS[columns[0][1]]], []
    for name, unit in columns[1:]:
        if unit not in UNITS:
            raise ValueError(f"unit {short(unit)} of {shown(name, 80)}: must be one of {', '.join(UNITS)}")
        scales.append(UNITS[unit])
        places.append(muscle_index(arm, name))
    numbers, line = table_numbers(lines, scales)
    wrong = np.argwhere(~((numbers >= 0) & (numbers < np.inf)))
    if len(wrong):
        row, column = wrong[0]
        value = f"{columns[column][0]} = {numbers[row, column] / scales[column]:g} {columns[column][1]}"
        raise ValueError(f"line {line[row]}: {value}: must be finite and 0 or more")
    pressures = np.zeros((len(numbers), muscle_count(arm)))
    pressures[:, places] = numbers[:, 1:]
    return numbers[:, 0], pressures


def _signal(name: str, times: ArrayLike, values: ArrayLike, width: int) -> tuple[Floats, Floats]:
    when = np.atleast_1d(real_numbers("times", times, "a list of seconds"))
    what = np.atleast_2d(real_numbers(name, values, f"rows of {width} numbers"))
    if when.ndim != 1 or not len(when):
        raise ValueError(f"times has shape {when.shape}: must be a list of at least one time")
    if what.shape != (len(when), width):
        raise ValueError(f"{name} has shape {what.shape}: must be ({len(when)}, {width}), one row for each time")
    if not np.isfinite(when).all() or not np.isfinite(what).all():
        raise ValueError(f"times and {name} must be finite")
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
    return (CommandsOverTime.lines if linear else CommandsOverTime.held)(times, rows)


def muscle_index(arm: Arm, name: str) -> int:
    """The column of a muscle such as l33 (section 3, muscle 3) or l10-2."""
    columns = arm.muscle_columns
    if name not in columns:
        first, last = arm.muscle_names[0], arm.muscle_names[-1]
        raise ValueError(f"muscle {short(name)}: must be one of {first} to {last} of {short(arm.name)}")
    return columns[name]


def warn_if_too_weak(arm: Arm, pressures: Floats) -> None:
    """A PressureWarning where pressures (..., muscles) in Pa, not all of them zero, are below every dead zone."""
    highest, least = float(pressures.max(initial=0.0)), min(section.dead_zone for section in arm.sections)
    if 0 < highest <= least:
        sentence = f"no muscle of {arm.name!r} pushes: the highest pressure is {highest:g} Pa"
        warnings.warn(f"{sentence}, the smallest dead zone {least:g} Pa", PressureWarning, stacklevel=3)


def checked_pressures(arm: Arm, name: str, pressures: Floats) -> Floats:
    """Pressures (..., muscles) in Pa that the arm's muscles can take."""
    wrong = ~((pressures >= 0) & (pressures <= HIGHEST))
    if wrong.any():
        column = int(np.argmax(wrong.reshape(-1, pressures.shape[-1]).any(axis=0)))
        value: Any = pressures[..., column][wrong[..., column]]
        shown = f"{name}: {arm.muscle_names[column]} = {np.ravel(value)[0]:g} Pa"
        raise ValueError(f"{shown} must be 0 or more and at most {HIGHEST:g}")
    for i, section in enumerate(arm.sections):
        if section.muscle_area is None:
            raise ValueError(f"sections[{i}].muscle_area is missing: pressures need it to become forces")
    return pressures
