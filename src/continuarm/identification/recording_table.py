"""Tables of laboratories: columns by their names and units, and the recording that they are.

    t [s], l33 [kPa], x3 [mm], y3 [mm], z3 [mm], rx3 [deg], ry3 [deg], rz3 [deg], l11 [mm]

A pressure unit is a command, a length unit a measured change, f11 [N] the force of a muscle, fx [N] a force on the last
tip. Without t each row is a command and where the arm came to rest under it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.arms.rig import Start
from continuarm.common.number_checks import Floats
from continuarm.common.tables import table_lines, table_numbers
from continuarm.common.text import short, shown
from continuarm.identification.line_gauges import lines_read
from continuarm.identification.measurement_units import unit_scale
from continuarm.identification.recording import CommandRows, Recording
from continuarm.identification.sample_repairs import Repeats, clock_order, without_flips, without_repeats
from continuarm.identification.sensors import MuscleLength, Sensor, TipOrientation, TipPosition
from continuarm.simulation.commands_over_time import command_rows, split_commands
from continuarm.simulation.inputs import Input, PressureSignal, WrenchSignal
from continuarm.simulation.pressure_commands import fed_columns, muscle_index, refuse_contradictions

COLUMNS = (
    (r"t|time", "time"),
    (r"l\d+(-\d+)?", "pressure"),
    (r"l\d+(-\d+)?", "length"),
    (r"f\d+(-\d+)?", "force"),
    (r"f[xyz]", "force"),
    (r"m[xyz]", "moment"),
    (r"[xyz]\d+", "length"),
    (r"r[xyz]\d+", "angle"),
    (r"q[wxyz]\d+", "number"),
)
"""Names and dimensions of columns."""

TIP_LOADS = {"mx": "N m", "my": "N m", "mz": "N m", "fx": "N", "fy": "N", "fz": "N"}
"""Columns of a load on the last tip, in the order of a wrench, and the units in which they are written."""

GAPS = frozenset({"", "nan", "na", "n/a", "null", "none"})
HELD = 0.8
"""Commands that are the same from row to row in this part of them are steps; others are lines."""
OWN_RATE = 10
"""A command with gaps that has so many numbers, evenly in time, is sampled at a rate of its own."""

Column = tuple[str, str]
"""Name and dimension: l33 may be both commanded and measured."""


def recording_of_table(
    path: Path, arm: Arm, input: Input | None, start: Start | None, linear: bool | None, repeats: Repeats | None
) -> Recording:
    """The recording that a table is; see read_recording."""
    table = _table(path)
    clocks = [table.pop((name, "time")) for name in ("t", "time") if (name, "time") in table]
    if len(clocks) > 1:
        raise ValueError("names both t and time: must name one of them")
    static = not clocks
    notes: list[str] = []
    times = np.arange(len(next(iter(table.values()), [])), dtype=float)
    if not static:
        times, rows, notes = clock_order(clocks[0], np.stack([*table.values(), np.full(len(clocks[0]), np.nan)], -1))
        times, table = times - times[0], dict(zip(table, rows.T, strict=False))
    commanded = {name: values for name, values in table.items() if _is_command(name)}
    if input is not None and commanded:
        raise ValueError(f"names what drove the arm ({', '.join(n for n, _ in commanded)}): must come without an input")
    lines = False
    if not static:
        lines = any(_runs_in_lines(times, each) for each in commanded.values()) if linear is None else linear
    filled = {name: _filled(name, times, values, static, lines) for name, values in commanded.items()}
    rows = _command_rows(arm, filled, len(times))
    sensors = _sensors({name: values for name, values in table.items() if name not in commanded})
    wrench = None
    if static:
        if not commanded:
            raise ValueError("has neither t nor a pressure or force: each row must say what held the arm there")
        input = CommandRows(times, rows)
    else:
        if commanded:
            input = signal(arm, times, rows, lines)
        if split_commands(arm, rows).wrench.any():
            wrench = WrenchSignal(times, split_commands(arm, rows).wrench, lines)
        sensors, flipped = without_flips(times, sensors)
        sensors, repeated = without_repeats(times, sensors, repeats)
        notes += [sentence for sentence in (flipped, repeated) if sentence]
    name = path.stem if path.suffix.lower() != ".gz" else Path(path.stem).stem
    return Recording(shown(name), input, times, sensors, start, wrench, static, notes)


def _table(path: Path) -> dict[Column, Floats]:
    """The columns of a file in SI units; gaps are NaN."""
    lines = table_lines(path)
    _, header = next(lines)
    names = [_column(cell) for cell in header]
    ((name, _), times), *_ = Counter(column for column, _ in names).most_common(1)
    if times > 1:
        raise ValueError(f"the header names {name} more than once")
    numbers, line = table_numbers(lines, [scale for _, scale in names], GAPS)
    infinite = np.argwhere(np.isinf(numbers))
    if len(infinite):
        row, column = infinite[0]
        raise ValueError(f"line {line[row]}: {names[column][0][0]} is infinite: must be a finite number or a gap")
    return {name: numbers[:, k] for k, (name, _) in enumerate(names)}


def _column(cell: str) -> tuple[Column, float]:
    found = re.fullmatch(r"([^\s\[]+)\s*\[([^\[\]]*)\]", cell)  # in one pass, however long the cell is
    if not found:
        raise ValueError(f"the header's {short(cell)} must name a unit, such as 't [s]', 'l11 [kPa]', 'x3 [mm]'")
    name, unit = found[1].lower(), found[2].strip()
    allowed = [dimensions for pattern, dimensions in COLUMNS if re.fullmatch(pattern, name)]
    if not allowed:
        raise ValueError(
            f"column {short(found[1])}: must be t, a muscle such as l11 or f11, or x1, y1, z1, rx1, ..., qw1, ..., "
            "fx, ..., mx, ..."
        )
    try:
        dimension, scale = unit_scale(unit, allowed)
    except ValueError as error:
        raise ValueError(f"unit {short(unit)} of {shown(name, 80)}: {error}") from None
    return (name, dimension), scale


def _is_command(column: Column) -> bool:
    return column[1] in ("pressure", "force", "moment")


def _filled(column: Column, times: Floats, values: Floats, static: bool, lines: bool) -> Floats:
    """Commands without gaps: each holds until the next, or runs there in a line."""
    known = np.isfinite(values)
    if not known.any() or (static and not known.all()):
        raise ValueError(f"{column[0]} must have a {column[1]} in {'every row' if static else 'some row'}")
    if lines:
        return np.interp(times, times[known], values[known])
    last = np.maximum.accumulate(np.where(known, np.arange(len(values)), -1))
    return values[np.where(last < 0, np.argmax(known), last)]


def _runs_in_lines(times: Floats, values: Floats) -> bool:
    """Whether a command runs in lines from number to number, by those that it has.

    With gaps these are samples at a rate of its own if there are many, evenly; else it was logged when it changed.
    """
    known = np.isfinite(values)
    if not known.all():
        apart = np.diff(times[known])
        if known.sum() < OWN_RATE or apart.max() > 3 * np.median(apart):
            return False
    return run_in_lines(values[known][:, None])


def _command_rows(arm: Arm, commanded: dict[Column, Floats], count: int) -> Floats:
    """(k, muscles + 3n + 6): pressures, forces over q, wrench."""
    muscles = len(arm.muscle_names)
    pressures, forces, wrench = np.zeros((count, muscles)), np.zeros((count, muscles)), np.zeros((count, 6))
    pressed = [name for name, dimension in commanded if dimension == "pressure"]
    for (name, dimension), values in commanded.items():
        if name in TIP_LOADS:
            wrench[:, list(TIP_LOADS).index(name)] = values
        elif dimension == "pressure":
            pressures[:, fed_columns(arm, name, pressed)] = values[:, None]
        else:
            forces[:, muscle_index(arm, f"l{name[1:]}")] = values
    refuse_contradictions(arm, "pressures", pressures)
    if pressed:
        _require_readings(arm, pressed)
    return command_rows(arm, pressures=pressures, forces=arm.muscle_forces(forces), wrench=wrench)


def _require_readings(arm: Arm, pressed: Sequence[str]) -> None:
    """Raises ValueError for a line whose reading is needed and not there: of others no column means no pressure."""
    for line in lines_read(arm, pressed):
        if not set(line.muscles) & set(pressed):
            wanted = " or ".join(f"'{name} [kPa]'" for name in line.muscles)
            raise ValueError(
                f"has no pressure of the line {', '.join(line.muscles)}, which the rig of {short(arm.name)} reads by "
                f"a gauge: must have a column {wanted}, as a missing reading is not a pressure of 0"
            )


def run_in_lines(rows: Floats) -> bool:
    """Whether commands run in lines from row to row: the one that changes most does so in more than a few rows."""
    changes = float((np.diff(rows, axis=0) != 0).mean(axis=0).max()) if len(rows) > 1 else 0.0
    return changes > 1 - HELD


def signal(arm: Arm, times: Floats, rows: Floats, linear: bool) -> Input:
    """Pressures or forces over time."""
    commanded = split_commands(arm, rows)
    if linear and not commanded.forces.any():
        return PressureSignal(times, commanded.pressures)
    held = command_rows(arm, pressures=commanded.pressures, forces=commanded.forces)
    return CommandRows(times, held, linear)


def _sensors(table: dict[Column, Floats]) -> list[Sensor]:
    """Columns put together: x3, y3, z3 are one sensor; an axis that was not measured is a gap."""
    made: dict[str, Sensor] = {}
    kinds: tuple[tuple[str, str, Callable[[int, Floats], Sensor]], ...] = (
        (r"[xyz](\d+)", "xyz", TipPosition),
        (r"r[xyz](\d+)", "xyz", TipOrientation),
        (r"q[wxyz](\d+)", "wxyz", TipOrientation),
    )
    size = len(next(iter(table.values()))) if table else 0
    for (name, dimension), values in table.items():
        for pattern, axes, sensor in kinds:
            found = re.fullmatch(pattern, name)
            if found:
                prefix, section = name[: found.start(1) - 1], found[1]
                names = [(f"{prefix}{axis}{section}", dimension) for axis in axes]
                axis_values = [table.get(each, np.full(size, np.nan)) for each in names]
                made.setdefault(f"{prefix}*{section}", sensor(int(section), np.stack(axis_values, axis=-1)))
        if name.startswith("l"):
            made[name] = MuscleLength(name, values)
    return list(made.values())
