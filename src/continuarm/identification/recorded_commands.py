"""The commands of recordings as a fit read them: for figures, and to say what was assumed between the rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.common.number_checks import Floats
from continuarm.identification.recording import Recording
from continuarm.simulation.commands_over_time import split_commands

READ_AS = {
    "held": "commands hold from row to row",
    "linear": "commands run in straight lines from row to row",
    "controller": "commands are those of a controller",
    "table": "each row is a command and a resting shape",
    "nothing": "nothing is commanded",
}
"""How inputs between samples were read, in words."""


@dataclass(frozen=True, eq=False)
class RecordedCommands:
    """What drove one recording: the columns that are ever other than zero."""

    recording: str
    read_as: str  # held, linear, controller, table, nothing
    times: Floats  # (m,), s, or row numbers
    values: Floats  # (m, columns), in the unit
    names: tuple[str, ...]
    unit: str  # kPa or N

    @property
    def words(self) -> str:
        """How inputs between samples were read."""
        return READ_AS[self.read_as]


def recorded_commands(recording: Recording, arm: Arm) -> RecordedCommands:
    """The commands of a recording, with both ends of every jump."""
    drive = recording.drive(arm)
    if recording.static:
        times, rows, read_as = recording.times, drive.at(recording.times), "table"
    else:
        last = float(recording.times[-1])
        knots = drive.times[drive.times <= last]
        ends = np.append(knots[1:], last)
        times = np.stack([knots, ends], axis=-1).ravel()
        rows = np.stack([drive.at(knots), drive.before(ends)], axis=1).reshape(len(times), -1)
        straight = bool((drive.end != drive.begin).any())
        read_as = "controller" if drive.control is not None else "linear" if straight else "held"
    parts = split_commands(arm, rows)
    forces = [f"τ{i + 1}" for i in range(parts.forces.shape[1])]
    values, names, unit = parts.pressures / 1e3, list(arm.muscle_names), "kPa"
    if not parts.pressures.any() and parts.forces.any():
        values, names, unit = parts.forces, forces, "N"
    used = np.asarray((values != 0).any(axis=0))
    if not rows.any() and read_as in ("held", "linear"):
        read_as = "nothing"
    columns = tuple(name for name, there in zip(names, used, strict=True) if there)
    return RecordedCommands(recording.name, read_as, times, values[:, used], columns, unit)
