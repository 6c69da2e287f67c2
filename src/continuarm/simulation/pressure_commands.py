"""Pressures for the muscles of an arm: which muscles a command reaches, units, limits, and doubts about them."""

from __future__ import annotations

import warnings
from collections.abc import Container
from typing import Any

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.arms.description import did_you_mean
from continuarm.common.limits import HIGHEST_PRESSURE
from continuarm.common.number_checks import Floats
from continuarm.common.text import short
from continuarm.simulation.commands_over_time import command_rows
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

SAME_PRESSURE = 1.0
"""Pa: pressures of one line that differ by less are equal; no gauge shows it, and rounding of any unit is less."""


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


def units_allowed(unit: str) -> str:
    """What is said of a unit of pressure that is not known: capitals count, as mPa is not MPa."""
    hint = did_you_mean(unit, UNITS)
    if unit.casefold().endswith("psia"):
        hint = "; pressures are those of a gauge, 0 in the open air"
    return f"must be one of {', '.join(UNITS)}{hint}"


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


def line_means(arm: Arm, pressures: Floats) -> Floats:
    """Pressures (..., muscles) with the mean of each line for all its muscles: what the arm can be commanded."""
    found = np.array(pressures, dtype=float)
    for line in arm.lines:
        columns = [arm.muscle_columns[muscle] for muscle in line.muscles]
        found[..., columns] = found[..., columns].mean(axis=-1, keepdims=True)
    return found


def refuse_contradictions(arm: Arm, name: str, pressures: Floats) -> None:
    """Raises ValueError where muscles of one line are commanded different pressures (..., muscles), Pa."""
    for line in arm.lines:
        columns = [arm.muscle_columns[muscle] for muscle in line.muscles]
        own = pressures[..., columns].reshape(-1, len(columns))
        apart = np.ptp(own, axis=1)
        if len(own) and apart.max() > SAME_PRESSURE:
            row = own[int(np.argmax(apart))]
            low, high = sorted((int(np.argmin(row)), int(np.argmax(row))))
            given = " and ".join(f"{line.muscles[k]} = {row[k]:g} Pa" for k in (low, high))
            raise ValueError(f"{name}: {given}: must be equal, as the line {', '.join(line.muscles)} feeds both")


def checked_pressures(arm: Arm, name: str, pressures: Floats) -> Floats:
    """Pressures (..., muscles) in Pa that the arm's muscles can take."""
    wrong = ~((pressures >= 0) & (pressures <= HIGHEST_PRESSURE))
    if wrong.any():
        column = int(np.argmax(wrong.reshape(-1, pressures.shape[-1]).any(axis=0)))
        value: Any = pressures[..., column][wrong[..., column]]
        shown = f"{name}: {arm.muscle_names[column]} = {np.ravel(value)[0]:g} Pa"
        raise ValueError(f"{shown} must be 0 or more and at most {HIGHEST_PRESSURE:g}")
    require_areas(arm)
    return pressures


def require_areas(arm: Arm) -> None:
    """Raises ValueError for an arm with muscles that no pressure can drive."""
    for i, section in enumerate(arm.sections):
        if section.muscle_area is None:
            raise ValueError(f"section {i + 1}: muscle_area is missing: pressures need it to become forces")


def gauge_pressures(arm: Arm, name: str, readings: Floats) -> tuple[Floats, str | None]:
    """What is in the muscles by the readings of gauges (k, muscles), Pa; and what is to be said of it, if anything.

    Readings a little below zero are zero; others that no muscle can have are refused.
    """
    refuse_contradictions(arm, name, readings)
    pressures, sentence = clamped_gauges(readings, arm.muscle_names)
    return checked_pressures(arm, name, pressures), sentence


def warn_of_pressures(arm: Arm, pressures: Floats) -> None:
    """A PressureWarning where pressures (..., muscles) in Pa look like a slip of units.

    Either not all of them are zero and none exceeds a dead zone, or one would lengthen its section to a multiple.
    """
    each = pressures.reshape(-1, pressures.shape[-1]).max(axis=0, initial=0.0).tolist()  # the highest of every muscle
    highest, least = max(each), min(section.dead_zone for section in arm.sections)
    if 0 < highest <= least:
        sentence = f"no muscle of {arm.name!r} pushes: the highest pressure is {highest:g} Pa"
        warnings.warn(f"{sentence}, the smallest dead zone {least:g} Pa", PressureWarning, stacklevel=3)
    columns, together = 0, np.ones(3)
    for i, section in enumerate(arm.sections):
        own = slice(columns, columns + len(section.muscle_map))
        columns = own.stop
        strongest = max(each[own])
        force = (section.muscle_area or 0.0) * max(strongest - section.dead_zone, 0.0)
        if not force:
            continue
        spring = float(together @ section.stiffness_matrix @ together) + section.pressure_stiffness * strongest
        lengthening = force / spring / section.length
        if lengthening > MOST_LENGTHENING:
            sentence = f"section {i + 1} of {arm.name!r}: one muscle under {strongest:g} Pa, the highest pressure"
            warnings.warn(
                f"{sentence}, would lengthen it by {lengthening:.3g} times its length", PressureWarning, stacklevel=3
            )
            return
