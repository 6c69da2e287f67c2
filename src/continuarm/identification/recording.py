"""Measured runs of an arm: what drove it and what its sensors saw.

A recording over time has an input and samples at its times; a static table has one command and one resting shape in
each row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from continuarm.arms.arm import Arm, Payload, require_arm
from continuarm.arms.parameters import unchecked
from continuarm.arms.rig import STARTS, Start
from continuarm.common.argument_checks import choice, listed, require_title, truth_value
from continuarm.common.limits import LARGEST
from continuarm.common.number_checks import Floats, as_float, not_too_large, real_numbers
from continuarm.common.text import printable, short
from continuarm.dynamics.commands import Commands
from continuarm.identification.line_gauges import gauge_readings, line_pressures
from continuarm.identification.sensors import Sensor
from continuarm.simulation.commanded import check_input, commands_of, readings_of
from continuarm.simulation.commands_over_time import CommandsOverTime, command_rows, muscle_count, split_commands
from continuarm.simulation.gauges import clamped_gauges
from continuarm.simulation.inputs import Input, PressureSignal, WrenchSignal
from continuarm.simulation.pressure_commands import gauge_pressures

NO_SENSORS = "has no measured channel, no sensors: must have tip positions, orientations or lengths"
MOST_NAMED = 6
"""Sensors that repr() names."""
LONGEST_DELAY = 2.0
"""s: a recording may be early or late by this much unless bounds say otherwise ..."""
FURTHEST_DELAY = 10.0
"""... which may be this wide."""


@dataclass(frozen=True, eq=False)
class CommandRows:
    """Commands of every kind row by row: times (k,) in s, rows (k, muscles + 3n + 6), held or linear between.

    Of a static table the times are the row numbers.
    """

    times: Floats
    rows: Floats
    linear: bool = False

    def drive(self, arm: Arm) -> CommandsOverTime:
        """The rows as they are, but for pressures a little below zero, which are zero."""
        pressures, _ = self._pressures(arm)
        rows = self.rows.copy()
        rows[:, : pressures.shape[1]] = pressures
        return self._over_time(rows)

    def as_read(self, arm: Arm) -> CommandsOverTime:
        """The rows as they are."""
        self._check_shape(arm)
        return self._over_time(self.rows)

    def said_of_gauges(self, arm: Arm) -> str | None:
        """What is to be said of readings below zero; see `clamped_gauges`."""
        return self._pressures(arm)[1]

    def _over_time(self, rows: Floats) -> CommandsOverTime:
        """Of steps only the rows in which something changes."""
        if self.linear:
            return CommandsOverTime.lines(self.times, rows)
        kept = np.append(True, (np.diff(rows, axis=0) != 0).any(axis=1))
        return CommandsOverTime.held(self.times[kept], rows[kept])

    def _pressures(self, arm: Arm) -> tuple[Floats, str | None]:
        self._check_shape(arm)
        readings = split_commands(arm, self.rows).pressures
        return gauge_pressures(arm, "pressures", readings) if readings.any() else (readings, None)

    def _check_shape(self, arm: Arm) -> None:
        if self.rows.shape != (len(self.times), command_rows(arm).shape[1]):
            raise ValueError(
                f"commands have shape {self.rows.shape}: must be ({len(self.times)}, {command_rows(arm).shape[1]})"
            )


@dataclass(frozen=True, eq=False)
class Recording:
    """One measured run, or a static table of them.

    Parameters
    ----------
    name : str
        What messages call it.
    input : optional
        What drove the arm: `PressureSteps`, `PressureSignal`, `ForceSignal`, or None. A signal, and every table, is a
        log: it has what the gauges of the arm's `rig` read. Steps, and what a controller gives, are commands: true
        pressures, which no gauge has read.
    times : array_like, (k,)
        Of the samples, s, on the clock of the input, which begins at 0; of a static table the row numbers.
    sensors : sequence
        `TipPosition`, `TipOrientation`, `MuscleLength`, each with k rows.
    start : {"equilibrium", "hanging", "unbent", "resting", "moving"}, optional
        At rest under the first commands, at rest before them, at q = 0; at rest where the first samples show the arm,
        held there by its hysteresis; or moving as they show it. If left out, as the rig of an arm says, else
        "equilibrium".
    wrench : array_like, (6,), or WrenchSignal, optional
        On the last tip, as in `simulate`.
    static : bool, optional
        Whether it is a static table, see `Recording.table`.
    notes : sequence of str, optional
        What was done to the samples when they were read, in sentences; a fit tells them among its warnings.
    payload : float, optional
        Mass that hung on the tip in this run beside the payload of the arm, at the same place, kg.

    Examples
    --------
    >>> times = np.arange(60) / 30
    >>> camera = ca.TipPosition(3, np.zeros((60, 3)))
    >>> run = ca.Recording("run1", ca.PressureSteps({"l33": [(0.5, 500e3)]}), times, [camera])
    >>> seen = ca.simulated_recording(ca.load_arm("prototype"), run, noise=1e-3, seed=1)
    >>> print((1e3 * seen.sensors[0].values[-1]).round())  # mm
    [-82.   1. 408.]
    """

    name: str
    input: Input | None
    times: Floats
    sensors: Sequence[Sensor]
    start: Start | None = None
    wrench: ArrayLike | WrenchSignal | None = None
    static: bool = False
    notes: Sequence[str] = ()
    payload: float = 0.0

    def __post_init__(self) -> None:
        require_title("name", self.name)
        times = np.atleast_1d(real_numbers(f"{self.name}: times", self.times, "a list of seconds"))
        object.__setattr__(self, "times", times)
        kinds = "TipPosition(...), TipOrientation(...) or MuscleLength(...)"
        object.__setattr__(self, "sensors", tuple(listed(f"{self.name}: sensors", self.sensors, Sensor, kinds)))
        object.__setattr__(self, "static", truth_value(f"{self.name}: static", self.static))
        mass = as_float(self.payload)
        if not (mass == 0 or 1e-9 <= mass <= 1e6):
            raise ValueError(f"{self.name}: payload = {short(self.payload)}: must be 0, or from 1e-9 to 1e6 kg")
        object.__setattr__(self, "payload", mass)
        object.__setattr__(self, "notes", tuple(listed(f"{self.name}: notes", self.notes, str, "a sentence")))
        check_input(self.input, f"{self.name}: ")
        if times.ndim != 1 or not np.isfinite(times).all() or (times[:1] < 0).any() or (times > LARGEST).any():
            raise ValueError(f"{self.name}: times must be a list of finite numbers from 0 s on, at most {LARGEST:g}")
        if (np.diff(times) <= 0).any():
            row = int(np.argmax(np.diff(times) <= 0))
            raise ValueError(f"{self.name}: times must ascend; they do not after {times[row]:g} s (sample {row + 1})")
        if len(times) < (1 if self.static else 2):
            raise ValueError(f"{self.name}: has {len(times)} times: must have at least {1 if self.static else 2}")
        if self.start is not None:
            choice(f"{self.name}: start", self.start, STARTS)
        if not self.sensors:
            raise ValueError(f"{self.name}: {NO_SENSORS}")
        names = Counter(sensor.name for sensor in self.sensors)
        for sensor in self.sensors:
            if names[sensor.name] > 1:
                raise ValueError(f"{self.name}: {sensor.name} is there twice")
            if len(sensor.values) != len(times):
                rows = f"{len(sensor.values)} rows: must have {len(times)}, one for each time"
                raise ValueError(f"{self.name}: values of {sensor.name} have {rows}")

    def __repr__(self) -> str:
        driven = "nothing" if self.input is None else type(self.input).__name__
        words = [short(self.name)]
        if self.static:
            words += [f"{len(self.times)} resting shapes"]
        else:
            words += [f"{len(self.times)} samples from {self.times[0]:g} to {self.times[-1]:g} s"]
        seen = [printable(sensor.name) for sensor in self.sensors]
        words += [", ".join(seen) if len(seen) <= MOST_NAMED else f"{len(seen)} sensors"]
        words += [] if self.static else [f"driven by {driven}"]
        words += [] if self.static or self.start is None else [f"start {self.start!r}"]
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
        """A static table: commands row by row, and where the arm came to rest under each.

        Parameters
        ----------
        name : str
        sensors : iterable
            Each with k rows.
        arm : Arm
        pressures : array_like, (k, muscles), optional
            Pa, as the gauges of the arm's rig read them.
        forces : array_like, (k, 3n), optional
            N.
        wrench : array_like, (k, 6), optional
            Moment, N m, and force, N, on the last tip.

        Returns
        -------
        Recording
        """
        require_arm(arm)
        kinds = "TipPosition(...), TipOrientation(...) or MuscleLength(...)"
        seen = tuple(listed("sensors", sensors, Sensor, kinds))
        if not seen:
            raise ValueError(f"{name}: {NO_SENSORS}")
        count = len(seen[0].values)
        widths = {"pressures": muscle_count(arm), "forces": 3 * arm.n, "wrench": 6}
        given = {"pressures": pressures, "forces": forces, "wrench": wrench}
        rows = command_rows(arm, **{name: _table_columns(name, given[name], widths[name], count) for name in given})
        rows = np.repeat(rows, count, axis=0) if len(rows) == 1 else rows
        numbers = np.arange(len(rows), dtype=float)
        return cls(name, CommandRows(numbers, rows), numbers, seen, static=True)

    def drive(self, arm: Arm) -> CommandsOverTime:
        """The commands over time, the wrench included.

        The input keeps what gauges read; below zero that is no pressure, and commands have zero there.

        Parameters
        ----------
        arm : Arm

        Returns
        -------
        CommandsOverTime
        """
        try:
            settled = self.start_of(arm) not in ("hanging", "unbent")
            return commands_of(arm, self._read_by_gauges(arm), self.wrench, settled)
        except ValueError as error:
            raise ValueError(f"{self.name}: {error}") from None

    def readings(self, arm: Arm) -> CommandsOverTime:
        """The same with pressures as gauges read them, below zero too, when they were logged.

        Parameters
        ----------
        arm : Arm

        Returns
        -------
        CommandsOverTime
            What was logged, and not what it drives the arm by; of true pressures, what gauges would have read.
        """
        drive = readings_of(arm, self.input, self.wrench)
        if isinstance(self.input, (CommandRows, PressureSignal)) or arm.rig is None or not arm.rig.gauges:
            return drive
        return replace(drive, begin=_as_gauges_read(arm, drive.begin), end=_as_gauges_read(arm, drive.end))

    def loaded(self, arm: Arm) -> Arm:
        """The arm with what hung on its tip in this run.

        Parameters
        ----------
        arm : Arm

        Returns
        -------
        Arm
        """
        mass, offset = arm.carried_mass
        return unchecked(arm, payload=Payload(mass=mass + self.payload, offset=offset)) if self.payload else arm

    def start_of(self, arm: Arm) -> Start:
        """How it begins for an arm: as it says itself, or as the arm's rig does.

        Parameters
        ----------
        arm : Arm

        Returns
        -------
        str
            One of those that `start` may be.
        """
        return self.start or (arm.rig.start if arm.rig is not None else "equilibrium")

    def _read_by_gauges(self, arm: Arm) -> Input | None:
        """The input with pressures in place of what gauges read."""
        if arm.rig is None or not (arm.rig.gauges or arm.rig.gauge_zero == "lowest"):
            return self.input
        pressures = self._line_pressures(arm)
        if pressures is None:
            return self.input
        pressures = np.maximum(pressures, 0.0)  # a search may try any offset
        if isinstance(self.input, PressureSignal):
            return replace(self.input, pressures=pressures)
        rest = cast(CommandRows, self.input).rows[:, pressures.shape[1] :]
        return replace(cast(CommandRows, self.input), rows=np.hstack([pressures, rest]))

    def _line_pressures(self, arm: Arm) -> Floats | None:
        """What gauges say of the pressures (k, muscles), Pa, their offsets known; None where the input has none."""
        if isinstance(self.input, CommandRows):
            return line_pressures(arm, self.input.times, split_commands(arm, self.input.rows).pressures.copy())
        if isinstance(self.input, PressureSignal):
            times = np.atleast_1d(real_numbers("times", self.input.times, "a list of seconds"))
            readings = real_numbers("pressures", self.input.pressures, "rows of numbers")
            return line_pressures(arm, times, np.atleast_2d(readings).copy())
        return None

    def refuse_suction(self, arm: Arm) -> None:
        """Raises ValueError for pressures so far below zero, offsets of gauges known, that no noise is the reason.

        Parameters
        ----------
        arm : Arm
            Whose rig has the gauges.
        """
        pressures = self._line_pressures(arm)
        if pressures is None or arm.rig is None or arm.rig.gauge_zero == "lowest":  # zero is then a guess itself
            return
        left = clamped_gauges(pressures, arm.muscle_names)[0]
        if (left < 0).any():
            row, column = np.unravel_index(int(np.argmin(left)), left.shape)
            what = f"{self.name}: {arm.muscle_names[column]} = {left[row, column]:g} Pa in row {row + 1}"
            raise ValueError(f"{what}, offset of its gauge known: must be 0 or more")

    def said_of_gauges(self, arm: Arm) -> str | None:
        """What is to be said of gauges that read below zero, their offsets known.

        Parameters
        ----------
        arm : Arm

        Returns
        -------
        str or None
            A sentence; None if no reading is below zero.
        """
        pressures = self._line_pressures(arm)
        return None if pressures is None else clamped_gauges(pressures, arm.muscle_names)[1]

    def commands(self, arm: Arm) -> Commands:
        """What the arm is commanded at the times of the samples.

        Parameters
        ----------
        arm : Arm

        Returns
        -------
        Commands
        """
        return split_commands(arm, self.drive(arm).at(self.times))

    def without(self, masks: Sequence[NDArray[np.bool_]]) -> Recording:
        """The same with gaps where a mask of each sensor is True.

        Parameters
        ----------
        masks : sequence of ndarray of bool, (k, width)

        Returns
        -------
        Recording
        """
        both = zip(self.sensors, masks, strict=True)
        cut = [sensor.replace(values=np.where(mask, np.nan, sensor.values)) for sensor, mask in both]
        return replace(self, sensors=tuple(cut))


def _as_gauges_read(arm: Arm, rows: Floats) -> Floats:
    """Rows of commands (k, commands) with what gauges read in place of pressures, where there are any."""
    parts = split_commands(arm, rows)
    if not parts.pressures.any():
        return rows
    return command_rows(arm, gauge_readings(arm, parts.pressures), parts.forces, parts.wrench)


def _table_columns(name: str, values: ArrayLike, width: int, count: int) -> Floats:
    """Commands of one kind in a static table: a number for all, a row for all, or (count, width)."""
    found = real_numbers(name, values, f"a number, or rows of {width} numbers")
    if found.shape not in ((), (width,), (1, width), (count, width)):
        raise ValueError(f"{name} has shape {found.shape}: must be ({count}, {width}), one row for each shape")
    return not_too_large(name, found, {"pressures": "Pa", "forces": "N"}.get(name, "N m and N"))
