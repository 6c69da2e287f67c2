"""Tables of numbers with names and units: what a figure draws, a CSV file and the JSON hold."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from continuarm.common.number_checks import Floats

DIGITS = 9
"""Significant digits of the numbers in tables."""


@dataclass(frozen=True)
class Column:
    """One quantity of a table: name, unit ("1": a pure number, "": words) and values, None where unknown."""

    name: str
    unit: str
    values: tuple[float | str | None, ...]


@dataclass(frozen=True)
class Table:
    """Columns of one length: what a figure draws and a CSV file holds."""

    columns: tuple[Column, ...]

    @classmethod
    def of(cls, *columns: tuple[str, str, Iterable[Any]]) -> Table:
        """From (name, unit, values); numbers are kept to nine digits."""
        return cls(tuple(Column(name, unit, tuple(map(_kept, values))) for name, unit, values in columns))

    def __getitem__(self, name: str) -> Floats:
        """The numbers of a column, NaN where there is none."""
        values = next(column.values for column in self.columns if column.name == name)
        return np.array([math.nan if value is None else value for value in values], dtype=float)

    def words(self, name: str) -> list[str]:
        """The words of a column."""
        return [str(value) for value in next(column.values for column in self.columns if column.name == name)]

    @property
    def csv(self) -> str:
        """Text of a CSV file: names with units, then one line a row."""
        text = io.StringIO()
        lines = csv.writer(text, lineterminator="\n")
        lines.writerow([f"{each.name} [{each.unit}]" if each.unit else each.name for each in self.columns])
        lines.writerows(zip(*(["" if v is None else v for v in each.values] for each in self.columns), strict=True))
        return text.getvalue()

    @property
    def plain(self) -> list[dict[str, Any]]:
        """For JSON."""
        return [{"name": each.name, "unit": each.unit, "values": list(each.values)} for each in self.columns]

    @classmethod
    def read(cls, plain: Sequence[Mapping[str, Any]]) -> Table:
        """From JSON."""
        return cls(tuple(Column(each["name"], each["unit"], tuple(each["values"])) for each in plain))


def _kept(value: Any) -> float | str | None:
    if value is None or isinstance(value, (str, int)):
        return value
    number = float(f"{float(value):.{DIGITS}g}")
    return number if math.isfinite(number) else None
