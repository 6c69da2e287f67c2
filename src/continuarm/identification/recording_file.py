"""Recordings on disk: CSV tables whose header names units, and motions that were simulated."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from continuarm.arms.arm import Arm, require_arm
from continuarm.arms.rig import STARTS, Start
from continuarm.common.argument_checks import choice, require_file_name, require_kind, truth_value
from continuarm.common.files import file_name, output_path, replaced
from continuarm.common.number_checks import Floats, as_float
from continuarm.common.text import printable, short, shown
from continuarm.dynamics.plant import Plant
from continuarm.identification.line_gauges import gauge_readings, lines_read
from continuarm.identification.measurement_units import for_people
from continuarm.identification.recording import Recording
from continuarm.identification.recording_table import TIP_LOADS, recording_of_table, run_in_lines, signal
from continuarm.identification.sample_repairs import REPEATS, Repeats
from continuarm.identification.sensors import MuscleLength, Sensor, TipOrientation, TipPosition
from continuarm.simulation.commands_over_time import command_rows, split_commands
from continuarm.simulation.inputs import Input, WrenchSignal
from continuarm.simulation.motion_file import SUFFIXES, load_motion
from continuarm.simulation.pressure_commands import UNITS

__all__ = ["read_recording", "write_recording"]


def read_recording(
    path: str | os.PathLike[str],
    arm: Arm,
    *,
    input: Input | None = None,
    start: Start | None = None,
    sigma: float | Mapping[str, float] | None = None,
    linear: bool | None = None,
    repeats: Repeats | None = None,
) -> Recording:
    r"""A recording from a CSV table whose header names units, or from a motion that `save_motion` wrote.

    Parameters
    ----------
    path : str or path
        .csv or .txt, as it is or compressed (.csv.gz), or a motion: .nc.
    arm : Arm
        Whose muscles and sections the header names.
    input : optional
        What drove the arm, where the file does not say; its clock begins at the first row.
    start : {"equilibrium", "hanging", "unbent"}, optional
        How the run begins, see `Recording`; as the rig of the arm says if left out, for a motion
        "unbent" if it begins so.
    sigma : float or mapping, optional
        Noise of the sensors, m and rad: a number for positions and lengths, or by name or kind of sensor,
        {"tips": 1e-3, "tip 3": 2e-3, "orientations": 0.01, "lengths": 5e-4}; estimated where left out.
    linear : bool, optional
        Whether commands run in lines from row to row; if left out, those that hardly change are steps.
        Cells without a command are on the line between its neighbours, or hold the one before.
    repeats : {"gaps", "keep"}, optional
        What becomes of pose rows that repeat the one before to the last digit, as of cameras slower than the log:
        gaps, but for one in half a second, or samples; if left out, gaps where more than a fifth of the rows repeat.

    Returns
    -------
    Recording
        What was done to its samples is told in its `notes`.

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
    if repeats is not None:
        choice("repeats", repeats, REPEATS)
    name = file_name(path)
    where = Path(path)
    try:
        if where.suffix.lower() in SUFFIXES:
            found = _from_motion(where, arm, input, start, linear)
        else:
            found = recording_of_table(where, arm, input, start, linear, repeats)
        return replace(found, sensors=_with_sigma(found.sensors, sigma))
    except ValueError as error:
        text = str(error)
        raise ValueError(text if text.startswith(f"{name}: ") else f"{name}: {text}") from None


def write_recording(recording: Recording, arm: Arm, path: str | os.PathLike[str]) -> None:
    """Writes a recording as CSV: kPa, mm and degrees; muscle forces and tip loads in N and N m.

    Pressures are written as gauges read them, below zero too. A command that changes between two samples gets a row of
    its own, in which nothing is measured.

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
    drive = recording.readings(arm)
    times = recording.times
    if not recording.static:
        times = np.union1d(times, drive.times[drive.times < times[-1]])
    commanded = split_commands(arm, drive.at(times))
    columns: dict[str, Floats] = {} if recording.static else {"t [s]": times}
    pressed = [name for name, each in zip(arm.muscle_names, commanded.pressures.T, strict=True) if each.any()]
    read = {name for line in lines_read(arm, pressed) for name in line.muscles} if pressed else set()
    for name, values in zip(arm.muscle_names, commanded.pressures.T, strict=True):
        if values.any() or name in read:
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
        read = gauge_readings(arm, motion.pressures) if motion.pressures.any() else motion.pressures
        rows = command_rows(arm, pressures=read, forces=forces)
        lines = run_in_lines(rows) if linear is None else linear
        input = signal(arm, motion.t, rows, lines)
    if motion.wrench.any():
        wrench = WrenchSignal(motion.t, motion.wrench, run_in_lines(motion.wrench))
    unbent = not motion.q[0].any() and not motion.qd[0].any()
    sensors = tuple(TipPosition(i + 1, motion.tips[:, i]) for i in range(motion.arm.n))
    begin = start or ("unbent" if unbent else "equilibrium")
    return Recording(shown(path.stem), input, motion.t, sensors, begin, wrench)
