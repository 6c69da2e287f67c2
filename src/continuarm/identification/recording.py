"""Measured runs of an arm: what drove it and what its sensors saw.

A recording over time has an input and samples at its times; a static table has one command and one resting shape in
each row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from continuarm.arms.arm import Arm
from continuarm.common.number_checks import Floats, real_numbers
from continuarm.common.text import printable, short
from continuarm.dynamics.commands import Commands
from continuarm.identification.sensors import Sensor
from continuarm.simulation.commands_over_time import CommandsOverTime, command_rows, split_commands
from continuarm.simulation.inputs import Input, NoInput, WrenchSignal, checked_pressures

Start = Literal["equilibrium", "hanging", "unbent"]
STARTS = get_args(Start)
"""How a recording begins: at rest under its first commands, at rest without any, or at q = 0."""
MOST_NAMED = 6
"""Sensors that repr() names."""
LONGEST_DELAY = 0.2
"""s: a recording may be early or late by this much."""


@dataclass(frozen=True, eq=False)
class CommandRows:
    """Commands of every kind row by row: times (k,) in s, rows (k, muscles + 3n + 6), held or linear between.

    Of a static table the times are the row numbers.
    """

    times: Floats
    rows: Floats
    linear: bool = False

    def drive(self, arm: Arm) -> CommandsOverTime:
        """The rows as they are."""
        if self.rows.shape != (len(self.times), command_rows(arm).shape[1]):
            raise ValueError(
                f"commands have shape {self.rows.shape}: must be ({len(self.times)}, {command_rows(arm).shape[1]})"
            )
        pressures = split_commands(arm, self.rows).pressures
        if pressures.any():
            checked_pressures(arm, "pressures", pressures)
        return (CommandsOverTime.lines if self.linear else CommandsOverTime.held)(self.times, self.rows)


@dataclass(frozen=True, eq=False)
class Recording:
    """One measured run, or a static table of them.

    times: (k,) of the samples in s, on the clock of the input, which begins at 0; of a static table the row numbers.
    start: "equilibrium" at rest under the first commands, "hanging" at rest before them, "unbent" q = 0.
    wrench: on the last tip, as in `simulate`.
    """

    name: str
    input: Input | None
    times: Floats
    sensors: Sequence[Sensor]
    start: Start = "equilibrium"
    wrench: ArrayLike | WrenchSignal | None = None
    static: bool = False

    def __post_init__(self) -> None:
        times = np.atleast_1d(real_numbers(f"{self.name}: times", self.times, "a list of seconds"))
        object.__setattr__(self, "times", times)
        sensors = (self.sensors,) if isinstance(self.sensors, Sensor) else tuple(self.sensors)
        object.__setattr__(self, "sensors", sensors)
        if self.input is not None and not hasattr(self.input, "drive"):
            kinds = "PressureSteps, PressureSignal, ForceSignal or nothing"
            raise TypeError(f"{self.name}: input is {type(self.input).__name__}: must be {kinds}")
        if times.ndim != 1 or not np.isfinite(times).all() or (times[:1] < 0).any():
            raise ValueError(f"{self.name}: times must be finite numbers from 0 s on")
        if (np.diff(times) <= 0).any():
            row = int(np.argmax(np.diff(times) <= 0))
            raise ValueError(f"{self.name}: times must ascend; they do not after {times[row]:g} s (sample {row + 1})")
        if len(times) < (1 if self.static else 2):
            raise ValueError(f"{self.name}: has {len(times)} samples: must have at least {1 if self.static else 2}")
        if self.start not in STARTS:
            raise ValueError(f"{self.name}: start = {self.start!r}: must be one of {', '.join(map(repr, STARTS))}")
        if not self.sensors:
            raise ValueError(f"{self.name}: has no measured channel: must have tip positions, orientations or lengths")
        names = Counter(sensor.name for sensor in self.sensors)
        for sensor in self.sensors:
            if names[sensor.name] > 1:
                raise ValueError(f"{self.name}: {sensor.name} is there twice")
            if len(sensor.values) != len(times):
                rows = f"{len(sensor.values)} rows: must have {len(times)}, one for each time"
                raise ValueError(f"{self.name}: {sensor.name} has {rows}")

    def __repr__(self) -> str:
        driven = "nothing" if self.input is None else type(self.input).__name__
        words = [short(self.name)]
        if self.static:
            words += [f"{len(self.times)} resting shapes"]
        else:
            words += [f"{len(self.times)} samples from {self.times[0]:g} to {self.times[-1]:g} s"]
        seen = [printable(sensor.name) for sensor in self.sensors]
        words += [", ".join(seen) if len(seen) <= MOST_NAMED else f"{len(seen)} sensors"]
        words += [] if self.static else [f"driven by {driven}", f"start {self.start!r}"]
        return f"Recording({', '.join(words)})"

    @classmethod
    def table(
        cls,
        name: str,
        sensors: Iterable[Sensor],
        *,
        arm: Arm,
        pressures: ArrayLike = 0.0,
        forces: ArrayLike = 0.0,
        wrench: ArrayLike = 0.0,
    ) -> Recording:
        """A static table: pressures (k, muscles) in Pa, forces (k, 3n) in N or wrenches (k, 6), and resting shapes."""
        rows = command_rows(arm, pressures=pressures, forces=forces, wrench=wrench)
        seen = tuple(sensors)
        count = len(seen[0].values) if seen else 1
        rows = np.repeat(rows, count, axis=0) if len(rows) == 1 else rows
        numbers = np.arange(len(rows), dtype=float)
        return cls(name, CommandRows(numbers, rows), numbers, seen, static=True)

    def drive(self, arm: Arm) -> CommandsOverTime:
        """The commands over time, the wrench included."""
        try:
            drive = (NoInput() if self.input is None else self.input).drive(arm)
            if self.wrench is None:
                return drive
            if isinstance(self.wrench, WrenchSignal):
                return drive.plus(self.wrench.drive(arm))
            return drive.plus_held(command_rows(arm, wrench=self.wrench)[0])
        except ValueError as error:
            raise ValueError(f"{self.name}: {error}") from None

    def commands(self, arm: Arm) -> Commands:
        """What the arm is commanded at the times of the samples."""
        return split_commands(arm, self.drive(arm).at(self.times))

    def without(self, masks: Sequence[NDArray[np.bool_]]) -> Recording:
        """The same with gaps where a mask (k, width) of each sensor is True."""
        both = zip(self.sensors, masks, strict=True)
        cut = [sensor.replace(values=np.where(mask, np.nan, sensor.values)) for sensor, mask in both]
        return replace(self, sensors=tuple(cut))
