"""Pressures over time from a table whose header names units."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.common.number_checks import Floats
from continuarm.common.tables import table_lines, table_numbers
from continuarm.common.text import short, shown
from continuarm.simulation.commands_over_time import muscle_count
from continuarm.simulation.pressure_commands import (
    SECONDS,
    UNITS,
    fed_columns,
    muscle_index,
    refuse_contradictions,
    units_allowed,
)


def read_pressures(path: str | Path, arm: Arm) -> tuple[Floats, Floats]:
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
    scales = [SECONDS[columns[0][1]]]
    for name, unit in columns[1:]:
        if unit not in UNITS:
            raise ValueError(f"unit {short(unit)} of {shown(name, 80)}: {units_allowed(unit)}")
        scales.append(UNITS[unit])
        muscle_index(arm, name)
    numbers, line = table_numbers(lines, scales)
    wrong = np.argwhere(~((numbers >= 0) & (numbers < np.inf)))
    if len(wrong):
        row, column = wrong[0]
        value = f"{columns[column][0]} = {numbers[row, column] / scales[column]:g} {columns[column][1]}"
        raise ValueError(f"line {line[row]}: {value}: must be finite and 0 or more")
    pressures = np.zeros((len(numbers), muscle_count(arm)))
    named = [name for name, _ in columns[1:]]
    for name, values in zip(named, numbers[:, 1:].T, strict=True):
        pressures[:, fed_columns(arm, name, named)] = values[:, None]
    refuse_contradictions(arm, "pressures", pressures)
    return numbers[:, 0], pressures
