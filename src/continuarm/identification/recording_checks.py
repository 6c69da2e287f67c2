"""Recordings checked before anything is fitted to them: wrong units are refused, single absurd samples left out."""

from __future__ import annotations

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.common.number_checks import Booleans
from continuarm.common.text import short
from continuarm.identification.recording import Recording
from continuarm.identification.sensors import reach
from continuarm.simulation.commands_over_time import split_commands
from continuarm.simulation.pressure_commands import UNITS

HIGHEST_PRESSURE = 2e7
"""Pa, 200 bar: what is beyond is in another unit."""
LOWEST_PRESSURE = 100.0
"""Pa: no muscle moves under less; a recording whose pressures all are below is in another unit."""
SPARSE = 2.0
"""s between samples beyond which they do not show a motion."""


def checked_recording(recording: Recording, arm: Arm, moved_frame: bool = False) -> tuple[Recording, list[str]]:
    """A recording that an arm can be fitted to, and warnings: its notes, and samples that were left out of it.

    Raises ValueError with the likely cause where a unit is wrong: a tenth or more of a sensor beyond what the arm can
    reach, or pressures that no muscle works with. moved_frame: positions are in a frame that is to be found.
    """
    masks: list[Booleans] = []
    warnings = [f"{recording.name}: {note}" for note in recording.notes]
    for sensor in recording.sensors:
        try:
            sensor.check(arm)
        except ValueError as error:
            raise ValueError(f"{recording.name}: {error}") from None
        if not np.isfinite(sensor.values).any():
            warnings.append(f"{recording.name}: {sensor.name} has no samples")
        beyond, cause = sensor.unit_doubts(arm, moved_frame)
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
    below = recording.said_of_gauges(arm)
    warnings += [f"{recording.name}: {below}"] if below else []
    _check_times(recording)
    return recording.without(masks), warnings


def _check_times(recording: Recording) -> None:
    """That samples are not so far apart that their times must be in another unit."""
    apart = float(np.median(np.diff(recording.times))) if len(recording.times) > 1 else 0.0
    if not recording.static and apart > SPARSE:
        what = f"{recording.name}: samples are {apart:g} s apart"
        raise ValueError(f"{what}: must be at most {SPARSE:g} s to show a motion; is t in ms?")


def check_pressures(recording: Recording, arm: Arm) -> None:
    """That pressures are not so high, or so low, that they must be in another unit."""
    recording.refuse_suction(arm)
    drive = recording.drive(arm)
    pressures = split_commands(arm, np.concatenate([drive.begin, drive.end])).pressures
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
        likely = next((unit for unit in ("mbar", "kPa", "psi") if UNITS[unit] * highest >= least), "bar")
        raise ValueError(
            f"{what} is far below the dead zone of {least:g} Pa, and yet the arm moves: is it in {likely}?"
        )
