"""Points for the tip from a table whose header names units."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from continuarm.common.number_checks import Floats
from continuarm.common.tables import table_lines, table_numbers
from continuarm.common.text import short
from continuarm.identification.measurement_units import unit_scale

COLUMNS = ("t", "x", "y", "z")


def read_points(path: str | Path) -> tuple[Floats, Floats]:
    """Times (k,), s, and points (k, 3), m; ValueError in words that go after the name of the file."""
    lines = table_lines(path)
    _, first = next(lines)
    header = [re.fullmatch(r"([^\s\[]+)\s*\[(\S+)\]", cell) for cell in first]
    if tuple(cell and cell[1] for cell in header) != COLUMNS:
        raise ValueError(f"the header must be like 't [s], x [mm], y [mm], z [mm]'; it is {short(first)}")
    scales = []
    for cell in header:
        assert cell is not None
        try:
            scales.append(unit_scale(cell[2], ["time" if cell[1] == "t" else "length"])[1])
        except ValueError as error:
            raise ValueError(f"the unit {short(cell[2])} of {cell[1]} {error}") from None
    numbers, line = table_numbers(lines, scales)
    wrong = ~np.isfinite(numbers).all(axis=1)
    if wrong.any():
        raise ValueError(f"line {line[int(np.argmax(wrong))]}: must have finite numbers")
    if len(numbers) < 2 or not (np.diff(numbers[:, 0]) > 0).all():
        raise ValueError("must have two or more rows whose times ascend")
    return numbers[:, 0], numbers[:, 1:]
