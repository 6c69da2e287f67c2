"""Measured runs of an arm: what drove it and what its sensors saw, checked before anything is fitted to them.

A recording over time has an input and samples at its times; a static table has one command and one resting shape in
each row.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from continuarm.arms.arm import Arm
from continuarm.common.number_checks import Floats, real_numbers
from continuarm.common.text import short
from continuarm.identification.sensors import Sensor, reach
from continuarm.simulation.commands import Commands, Drive, joined, taken_apart
from continuarm.simulation.inputs import Input, NoInput, WrenchSignal, checked_pressures

Start = Literal["equilibrium", "hanging", "unbent"]
STARTS = get_args(Start)
"""How a recording begins: at rest under its first commands, at rest without any, or at q = 0."""

HIGHEST_PRESSURE = 2e7
"""Pa, 200 bar: what is beyond is in another unit."""
LOWEST_PRESSURE = 100.0
"""Pa: no muscle moves under less; a recording whose pressures all are below is in another unit."""


@dataclass(frozen=True, eq=False)
class CommandRows:
    """Commands of every kind row by row: times (k,) in s, rows (k, muscles + 3n + 6), held or linear between.

    Of a static table the times are the row numbers.
    """

    times: Floats
    rows: Floats
    linear: bool = False

    def drive(self, arm: Arm) -> Drive:
        """The rows as they are."""
        if self.rows.shape != (len(self.times), joined(arm).shape[1]):
            raise ValueError(
                f"commands have shape {self.rows.shape}: must be ({len(self.times)}, {joined(arm).shape[1]})"
            )
        pressures = taken_apart(arm, self.rows).pressures
        if pressures.any():
            checked_pressures(arm, "pressures", pressures)
        return (Drive.lines if self.linear else Drive.held)(self.times, self.rows)


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
        object.__setattr__(self, "sensors", tuple(self.sensors))
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
        names = [sensor.name for sensor in self.sensors]
        for sensor in self.sensors:
            if names.count(sensor.name) > 1:
                raise ValueError(f"{self.name}: {sensor.name} is there twice")
            if len(sensor.values) != len(times):
                rows = f"{len(sensor.values)} rows: must have {len(times)}, one for each time"
                raise ValueError(f"{self.name}: {sensor.name} has {rows}")

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
        rows = joined(arm, pressures=pressures, forces=forces, wrench=wrench)
        seen = tuple(sensors)
        count = len(seen[0].values) if seen else 1
        rows = np.repeat(rows, count, axis=0) if len(rows) == 1 else rows
        numbers = np.arange(len(rows), dtype=float)
        return cls(name, CommandRows(numbers, rows), numbers, seen, static=True)

    def drive(self, arm: Arm) -> Drive:
        """The commands over time, the wrench included."""
        try:
            drive = (NoInput() if self.input is None else self.input).drive(arm)
            if self.wrench is None:
                return drive
            if isinstance(self.wrench, WrenchSignal):
                return drive.plus(self.wrench.drive(arm))
            return drive.plus_held(joined(arm, wrench=self.wrench)[0])
        except ValueError as error:
            raise ValueError(f"{self.name}: {error}") from None

    def commands(self, arm: Arm) -> Commands:
        """What the arm is told at the times of the samples."""
        return taken_apart(arm, self.drive(arm).at(self.times))

    def without(self, masks: Sequence[NDArray[np.bool_]]) -> Recording:
        """The same with gaps where a mask (k, width) of each sensor is True."""
        cut = [
            replace(sensor, values=np.where(mask, np.nan, sensor.values))  # type: ignore[type-var]
            for sensor, mask in zip(self.sensors, masks, strict=True)
        ]
        return replace(self, sensors=tuple(cut))


def checked_recording(recording: Recording, arm: Arm, moved_frame: bool = False) -> tuple[Recording, list[str]]:
    """A recording that an arm can be fitted to, and warnings about samples that were left out of it.

    Raises ValueError with the likely cause where a unit is wrong: a tenth or more of a sensor beyond what the arm can
    reach, or pressures that no muscle works with. moved_frame: positions are in a frame that is to be found.
    """
    masks, warnings = [], []
    for sensor in recording.sensors:
        try:
            sensor.check(arm)
        except ValueError as error:
            raise ValueError(f"{recording.name}: {error}") from None
        if not np.isfinite(sensor.values).any():
            warnings.append(f"{recording.name}: {sensor.name} has no samples")
        beyond, cause = sensor.doubts(arm, moved_frame)
        wrong = beyond > 1
        masks.append(np.broadcast_to(wrong[:, None], sensor.values.shape))
        if not wrong.any():
            continue
        row = int(np.argmax(beyond))
        column = int(np.argmax(np.abs(np.nan_to_num(sensor.values[row]))))
        where = "row {:.0f}" if recording.static else "t = {:g} s"
        what = f"{recording.name}: {sensor.channels[column]} = {sensor.values[row, column]:g} {sensor.unit}"
        what += f" at {where.format(recording.times[row])} does not fit the size of {short(arm.name)}"
        if wrong.sum() > 0.1 * np.isfinite(sensor.values).any(axis=1).sum():
            raise ValueError(f"{what}: {cause}")
        warnings.append(f"{what}: {wrong.sum()} such samples of {sensor.name} are left out")
    check_pressures(recording, arm)
    _check_times(recording)
    return recording.without(masks), warnings


SPARSE = 2.0
"""s between samples beyond which they do not show a motion."""


def _check_times(recording: Recording) -> None:
    """That samples are not so far apart that their times must be in another unit."""
    apart = float(np.median(np.diff(recording.times))) if len(recording.times) > 1 else 0.0
    if not recording.static and apart > SPARSE:
        what = f"{recording.name}: samples are {apart:g} s apart"
        raise ValueError(f"{what}: must be at most {SPARSE:g} s to show a motion; is t in ms?")


def check_pressures(recording: Recording, arm: Arm) -> None:
    """That pressures are not so high, or so low, that they must be in another unit."""
    drive = recording.drive(arm)
    pressures = taken_apart(arm, np.concatenate([drive.begin, drive.end])).pressures
    if not pressures.size or pressures.max() == 0:
        return
    highest, muscle = pressures.max(), arm.muscle_names[int(pressures.max(axis=0).argmax())]
    what = f"{recording.name}: the highest pressure, {highest:g} Pa of {muscle},"
    if highest > HIGHEST_PRESSURE:
        raise ValueError(f"{what} is beyond any muscle's ({HIGHEST_PRESSURE:g} Pa): is it in Pa or kPa?")
    if highest < LOWEST_PRESSURE:
        raise ValueError(f"{what} moves no muscle: is it in kPa or bar?")
    columns = (column for sensor in recording.sensors if sensor.unit == "m" for column in sensor.values.T)
    moved = max((float(np.ptp(c[np.isfinite(c)])) for c in columns if np.isfinite(c).any()), default=0.0)
    least = min(section.dead_zone for section in arm.sections)
    if highest < least / 3 and moved > 0.05 * reach(arm):
        raise ValueError(f"{what} is far below the dead zone of {least:g} Pa, and yet the arm moves: is it in bar?")


WINDOW = 0.5
"""s: the last part of a stretch of constant commands that is looked at."""
STILL = 0.003
"""What counts as standing still from one half of the window to the other, over the arm's reach and in rad."""


def steady_ends(recording: Recording, arm: Arm) -> Recording | None:
    """A static table of where the arm stood still at the end of every stretch of constant commands; None if nowhere.

    A row is the median of the window, if no sensor moves within its noise, or by more than a few thousandths of the
    reach. The last of a slow motion may be left: good for a start, not for a result.
    """
    if recording.static or recording.drive(arm).control is not None:
        return None
    rows = recording.drive(arm).at(recording.times)
    found: list[tuple[Floats, list[Floats]]] = []
    for first, last in _constant(rows):
        window = slice(max(first, int(np.searchsorted(recording.times, recording.times[last] - WINDOW))), last + 1)
        if recording.times[last] - recording.times[first] < 2 * WINDOW or window.stop - window.start < 6:
            continue
        ends = []
        for sensor in recording.sensors:
            values = sensor.values[window]
            half = len(values) // 2
            drift = np.abs(_medians(values[:half]) - _medians(values[half:]))
            noise = _medians(np.abs(np.diff(values, axis=0))) / 0.95  # a median of |differences| is 0.95 σ
            allowed = np.maximum(STILL * (reach(arm) if sensor.unit == "m" else 1.0), 4 * noise / np.sqrt(half))
            if (drift > allowed).any():
                break
            ends.append(_medians(values))
        else:
            found.append((rows[last], ends))
    if not found:
        return None
    sensors = [
        replace(sensor, values=np.stack([ends[s] for _, ends in found]), sigma=None)  # type: ignore[type-var]
        for s, sensor in enumerate(recording.sensors)
    ]
    numbers = np.arange(len(found), dtype=float)
    commands = CommandRows(numbers, np.stack([row for row, _ in found]))
    return Recording(recording.name, commands, numbers, tuple(sensors), static=True)


def _constant(rows: Floats) -> list[tuple[int, int]]:
    """First and last of every stretch of rows that are the same to a hundredth of the largest command of their kind."""
    near = 0.01 * np.abs(rows).max(axis=0)
    stretches, first = [], 0
    for k in range(1, len(rows) + 1):
        if k == len(rows) or (np.abs(rows[k] - rows[first]) > near).any():
            stretches.append((first, k - 1))
            first = k
    return stretches


def _medians(values: Floats) -> Floats:
    """Of each column, without gaps; NaN where there is nothing else."""
    return np.array([np.median(c[np.isfinite(c)]) if np.isfinite(c).any() else np.nan for c in values.T])
