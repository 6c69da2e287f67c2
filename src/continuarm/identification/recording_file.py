"""Recordings on disk: CSV tables whose header names units, and motions that were simulated.

    t [s], l33 [kPa], x3 [mm], y3 [mm], z3 [mm], rx3 [deg], ry3 [deg], rz3 [deg], l11 [mm]

A pressure unit is a command, a length unit a measured change, f11 [N] the force of a muscle, fx [N] a force on the last
tip. Without t each row is a command and where the arm came to rest under it.
"""

from __future__ import annotations

import math
import os
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from continuarm.arms.arm import Arm, require_arm
from continuarm.arms.rig import STARTS, Start
from continuarm.common.argument_checks import choice, require_file_name, require_kind, truth_value
from continuarm.common.files import file_name, output_path, replaced
from continuarm.common.number_checks import Floats, as_float
from continuarm.common.tables import table_lines, table_numbers
from continuarm.common.text import printable, short, shown
from continuarm.dynamics.plant import Plant
from continuarm.identification.measurement_units import SCALES, for_people
from continuarm.identification.recording import CommandRows, Recording
from continuarm.identification.sensors import MuscleLength, Sensor, TipOrientation, TipPosition
from continuarm.simulation.commands_over_time import command_rows, split_commands
from continuarm.simulation.inputs import UNITS, Input, PressureSignal, WrenchSignal, muscle_index
from continuarm.simulation.motion_file import SUFFIXES, load_motion

__all__ = ["read_recording", "write_recording"]

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

BELOW = 0.02
"""A negative pressure of less than this part of the highest is zero."""

Column = tuple[str, str]
"""Name and dimension: l33 may be both commanded and measured."""


def read_recording(
    path: str | os.PathLike[str],
    arm: Arm,
    *,
    input: Input | None = None,
    start: Start | None = None,
    sigma: float | Mapping[str, float] | None = None,
    linear: bool | None = None,
) -> Recording:
    r"""A recording from a CSV table whose header names units, or from a motion that `save_motion` wrote.

    Parameters
    ----------
    path : str or path
        .csv or .txt, or a motion: .nc.
    arm : Arm
        Whose muscles and sections the header names.
    input : optional
        What drove the arm, where the file does not say; its clock begins at the first row.
    start : {"equilibrium", "hanging", "unbent"}, optional
        How the run begins, see `Recording`; "equilibrium" if left out, for a motion "unbent" if it begins so.
    sigma : float or mapping, optional
        Noise of the sensors, m and rad: a number for positions and lengths, or by name or kind of sensor,
        {"tips": 1e-3, "tip 3": 2e-3, "orientations": 0.01, "lengths": 5e-4}; estimated where left out.
    linear : bool, optional
        Whether commands run in lines from row to row; if left out, those that hardly change are steps.

    Returns
    -------
    Recording

    Examples
    --------
    >>> from pathlib import Path
    >>> table = ["t [s], l33 [kPa], x3 [mm], y3 [mm], z3 [mm]", "0, 0, 0, 0, 452", "0.1, 500, 0, 0, 452"]
    >>> _ = Path("run.csv").write_text("\n".join(table))
    >>> run = ca.read_recording("run.csv", ca.load_arm("prototype"))
    >>> run.name, len(run.times), run.sensors[0].name
    ('run', 2, 'tip 3')
    """
    require_file_name("path", path)
    require_arm(arm)
    if start is not None:
        choice("start", start, STARTS)
    if linear is not None:
        truth_value("linear", linear)
    name = file_name(path)
    where = Path(path)
    read = _from_motion if where.suffix.lower() in SUFFIXES else _from_csv
    try:
        found = read(where, arm, input, start, linear)
        return replace(found, sensors=_with_sigma(found.sensors, sigma))
    except ValueError as error:
        text = str(error)
        raise ValueError(text if text.startswith(f"{name}: ") else f"{name}: {text}") from None


def write_recording(recording: Recording, arm: Arm, path: str | os.PathLike[str]) -> None:
    """Writes a recording as CSV: kPa, mm and degrees; muscle forces and tip loads in N and N m.

    A command that changes between two samples gets a row of its own, in which nothing is measured.

    Parameters
    ----------
    recording : Recording
    arm : Arm
        Whose muscles it names.
    path : str or path
        .csv or .txt.

    Examples
    --------
    >>> from pathlib import Path
    >>> arm = ca.load_arm("prototype")
    >>> camera = ca.TipPosition(3, [[0.0, 0.0, 0.452], [0.0, 0.0, 0.452]])
    >>> ca.write_recording(ca.Recording("rest", None, [0.0, 0.1], [camera]), arm, "rest.csv")
    >>> print(Path("rest.csv").read_text().strip())
    # rest
    t [s], x3 [mm], y3 [mm], z3 [mm]
    0, 0, 0, 452
    0.1, 0, 0, 452
    """
    require_kind("recording", recording, Recording, "a Recording")
    require_arm(arm)
    drive = recording.drive(arm)
    times = recording.times
    if not recording.static:
        times = np.union1d(times, drive.times[drive.times < times[-1]])
    commanded = split_commands(arm, drive.at(times))
    columns: dict[str, Floats] = {} if recording.static else {"t [s]": times}
    for name, values in zip(arm.muscle_names, commanded.pressures.T, strict=True):
        if values.any():
            columns[f"{name} [kPa]"] = values / UNITS["kPa"]
    if commanded.forces.any():
        each = commanded.forces @ np.linalg.pinv(arm.muscle_lengths(np.eye(3 * arm.n)).T)
        columns |= {f"f{name[1:]} [N]": values for name, values in zip(arm.muscle_names, each.T, strict=True)}
    for (name, unit), values in zip(TIP_LOADS.items(), commanded.wrench.T, strict=True):
        if values.any():
            columns[f"{name} [{unit}]"] = values
    measured = np.isin(times, recording.times)
    for sensor in recording.sensors:
        unit, scale = for_people(sensor.unit)
        for name, values in zip(sensor.channels, sensor.values.T, strict=True):
            columns[f"{name} [{unit}]"] = np.full(len(times), np.nan)
            columns[f"{name} [{unit}]"][measured] = values * scale
    rows = zip(*columns.values(), strict=True)
    lines = [", ".join(columns)] + [", ".join("" if math.isnan(v) else f"{v:.10g}" for v in row) for row in rows]
    with replaced(output_path(path, (".csv", ".txt"))) as beside:
        beside.write_text(f"# {printable(recording.name)}\n" + "\n".join(lines) + "\n", encoding="utf-8")


KINDS: dict[type[Sensor], str] = {TipPosition: "tips", TipOrientation: "orientations", MuscleLength: "lengths"}
"""What sensors of a kind are called together."""


def _with_sigma(sensors: Sequence[Sensor], sigma: float | Mapping[str, float] | None) -> tuple[Sensor, ...]:
    if sigma is None:
        return tuple(sensors)
    given = sigma if isinstance(sigma, Mapping) else {"tips": sigma, "lengths": sigma}
    known = [*KINDS.values(), *(sensor.name for sensor in sensors)]
    for name, value in given.items():
        if name not in known:
            raise ValueError(f"sigma of {short(name)}: must be of one of {', '.join(known)}")
        if not 0 < as_float(value) < float("inf"):
            raise ValueError(f"sigma of {name} = {short(value)}: must be a number above 0, m or rad")
    found = []
    for sensor in sensors:
        own = [each for each in (sensor.name, KINDS[type(sensor)]) if each in given]
        found.append(sensor.replace(sigma=float(given[own[0]])) if own else sensor)
    return tuple(found)


# CSV


def _from_csv(path: Path, arm: Arm, input: Input | None, start: Start | None, linear: bool | None) -> Recording:
    table = _table(path)
    clocks = [table.pop((name, "time")) for name in ("t", "time") if (name, "time") in table]
    if len(clocks) > 1:
        raise ValueError("names both t and time: must name one of them")
    clock = clocks[0] if clocks else None
    static = clock is None
    times = np.arange(len(next(iter(table.values()))), dtype=float) if clock is None else clock - clock[0]
    commanded = {name: _filled(name, values, static) for name, values in table.items() if _is_command(name)}
    if input is not None and commanded:
        raise ValueError(f"names what drove the arm ({', '.join(n for n, _ in commanded)}): must come without an input")
    rows = _command_rows(arm, commanded, len(times))
    sensors = _sensors({name: values for name, values in table.items() if name not in commanded})
    wrench = None
    if static:
        if not commanded:
            raise ValueError("has neither t nor a pressure or force: each row must say what held the arm there")
        input = CommandRows(times, rows)
    else:
        lines = _run_in_lines(rows) if linear is None else linear
        if commanded:
            input = _signal(arm, times, rows, lines)
        if split_commands(arm, rows).wrench.any():
            wrench = WrenchSignal(times, split_commands(arm, rows).wrench, lines)
    return Recording(shown(path.stem), input, times, sensors, start, wrench, static)


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
    name, unit = found[1].lower(), found[2].strip().replace("μ", "µ")
    if unit not in SCALES:
        raise ValueError(f"unit {short(unit)} of {shown(name, 80)}: must be one of {', '.join(SCALES)}")
    dimension, scale = SCALES[unit]
    allowed = [dimensions for pattern, dimensions in COLUMNS if re.fullmatch(pattern, name)]
    if not allowed:
        raise ValueError(
            f"column {short(found[1])}: must be t, a muscle such as l11 or f11, or x1, y1, z1, rx1, ..., qw1, ..., "
            "fx, ..., mx, ..."
        )
    if dimension not in allowed:
        raise ValueError(f"unit {unit!r} of {name}: must be that of a {' or '.join(allowed)}")
    return (name, dimension), scale


def _is_command(column: Column) -> bool:
    return column[1] in ("pressure", "force", "moment")


def _filled(column: Column, values: Floats, static: bool) -> Floats:
    """Commands without gaps: each holds until the next."""
    known = np.isfinite(values)
    if not known.any() or (static and not known.all()):
        raise ValueError(f"{column[0]} must have a {column[1]} in {'every row' if static else 'some row'}")
    last = np.maximum.accumulate(np.where(known, np.arange(len(values)), -1))
    filled = values[np.where(last < 0, np.argmax(known), last)]
    if column[1] == "pressure":  # a gauge that shows a little below nothing shows nothing
        filled = np.where((filled < 0) & (filled > -BELOW * filled.max()), 0.0, filled)
    return filled


def _command_rows(arm: Arm, commanded: dict[Column, Floats], count: int) -> Floats:
    """(k, muscles + 3n + 6): pressures, forces over q, wrench."""
    muscles = len(arm.muscle_names)
    pressures, forces, wrench = np.zeros((count, muscles)), np.zeros((count, muscles)), np.zeros((count, 6))
    for (name, dimension), values in commanded.items():
        if name in TIP_LOADS:
            wrench[:, list(TIP_LOADS).index(name)] = values
        elif dimension == "pressure":
            pressures[:, muscle_index(arm, name)] = values
        else:
            forces[:, muscle_index(arm, f"l{name[1:]}")] = values
    return command_rows(arm, pressures=pressures, forces=arm.muscle_forces(forces), wrench=wrench)


def _run_in_lines(rows: Floats) -> bool:
    """Whether commands run in lines from row to row: the one that changes most does so in more than a few rows."""
    changes = float((np.diff(rows, axis=0) != 0).mean(axis=0).max()) if len(rows) > 1 else 0.0
    return changes > 1 - HELD


def _signal(arm: Arm, times: Floats, rows: Floats, linear: bool) -> Input:
    """Pressures or forces over time; of steps only the rows in which something changes."""
    commanded = split_commands(arm, rows)
    held = {"pressures": commanded.pressures, "forces": commanded.forces}
    if not linear:
        kept = np.append(True, (np.diff(rows, axis=0) != 0).any(axis=1))
        return CommandRows(times[kept], command_rows(arm, **{name: values[kept] for name, values in held.items()}))
    if commanded.forces.any():
        return CommandRows(times, command_rows(arm, **held), linear=True)
    return PressureSignal(times, commanded.pressures)


def _sensors(table: dict[Column, Floats]) -> tuple[Sensor, ...]:
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
    return tuple(made.values())


# Motions


def _from_motion(path: Path, arm: Arm, input: Input | None, start: Start | None, linear: bool | None) -> Recording:
    """The tips of a simulated motion, without noise."""
    motion = load_motion(path)
    if len(motion.t) < 2:
        raise ValueError(f"has {len(motion.t)} states: must have at least 2")
    wrench = None
    if input is None:
        plant = Plant(motion.arm)
        if plant.lagged.any():
            raise ValueError("holds the pressures behind slow valves and not what these were commanded: needs an input")
        if len(motion.arm.muscle_names) != len(arm.muscle_names):
            raise ValueError(
                f"has {len(motion.arm.muscle_names)} muscles: {short(arm.name)} has {len(arm.muscle_names)}"
            )
        forces = motion.tau - plant.muscle_forces(motion.pressures, motion.hysteresis, motion.q)
        forces[np.abs(forces) < 1e-9 * max(1.0, np.abs(motion.tau).max())] = 0.0
        rows = command_rows(arm, pressures=motion.pressures, forces=forces)
        lines = _run_in_lines(rows) if linear is None else linear
        input = _signal(arm, motion.t, rows, lines)
    if motion.wrench.any():
        wrench = WrenchSignal(motion.t, motion.wrench, _run_in_lines(motion.wrench))
    unbent = not motion.q[0].any() and not motion.qd[0].any()
    sensors = tuple(TipPosition(i + 1, motion.tips[:, i]) for i in range(motion.arm.n))
    begin = start or ("unbent" if unbent else "equilibrium")
    return Recording(shown(path.stem), input, motion.t, sensors, begin, wrench)
