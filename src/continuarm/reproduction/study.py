"""What the parts of `continuarm reproduce` are made of: how much is computed, what is found, how it is kept as text.

Words that a reader sees may hold _{...} and ^{...} for what stands below and above the line: β_{1}^{υ}.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from continuarm.common.number_checks import Floats

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Tell = Callable[[float], Any]
"""Is told the share done, from 0 to 1."""

DIGITS = 9
"""Significant digits of the numbers in tables."""


@dataclass(frozen=True)
class Effort:
    """How much is computed: the errors and the time depend on it, nothing else."""

    name: str = "full"
    fit_samples: int = 1_000_000
    bootstrap: int = 200
    shown_samples: int = 2_000
    """Single samples in a figure."""
    states: int = 1_000_000
    """Random states of the ten-section arm."""
    states_per_length: int = 100_000
    """Random states of arms of other lengths."""
    compared_states: int = 100_000
    """Random states of the three-section arm."""
    repeats: int = 8
    seconds: float = 0.05
    """Times are the least of so many repeats, each at least so long."""
    paper_sections: int = 24
    engine_sections: tuple[int, ...] = (1, 2, 3, 5, 10, 20, 50, 100)
    points: int = 241
    """Bends in a figure over the bend."""


FULL = Effort()
QUICK = Effort(
    name="quick",
    fit_samples=50_000,
    bootstrap=50,
    states=50_000,
    states_per_length=10_000,
    compared_states=10_000,
    repeats=2,
    seconds=0.01,
    paper_sections=12,
    points=121,
)


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


@dataclass(frozen=True)
class Findings:
    """What a part found; what depends on the machine and its load stands apart."""

    numbers: dict[str, Any]
    tables: dict[str, Table] = field(default_factory=dict)
    times: dict[str, Any] = field(default_factory=dict)
    time_tables: dict[str, Table] = field(default_factory=dict)

    @property
    def all_tables(self) -> dict[str, Table]:
        """All tables by name."""
        return self.tables | self.time_tables

    @property
    def plain(self) -> dict[str, Any]:
        """For JSON."""
        tables = {name: table.plain for name, table in self.tables.items()}
        time_tables = {name: table.plain for name, table in self.time_tables.items()}
        return {"numbers": self.numbers, "tables": tables, "times": self.times, "time_tables": time_tables}

    @classmethod
    def read(cls, plain: Mapping[str, Any]) -> Findings:
        """From JSON."""
        kinds = [{name: Table.read(table) for name, table in plain[kind].items()} for kind in ("tables", "time_tables")]
        return cls(plain["numbers"], kinds[0], plain["times"], kinds[1])


@dataclass(frozen=True)
class Shown:
    """A table of words for the report."""

    heading: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


@dataclass(frozen=True)
class Drawing:
    """A figure of the report: its name is that of its files, and of the table that it draws."""

    name: str
    caption: str
    draw: Callable[[Findings], Figure]
    more_tables: tuple[str, ...] = ()
    """Names of other tables that it draws."""


@dataclass(frozen=True)
class Part:
    """One unit of the reproduction, with a result of its own."""

    name: str
    title: str
    method: tuple[str, ...]
    """How it is computed: paragraphs of the report."""
    parameters: Callable[[Effort, int, Mapping[str, Findings]], dict[str, Any]]
    """Everything that the result depends on, from the effort, the seed and earlier parts; plain values."""
    find: Callable[[Mapping[str, Any], Tell], Findings]
    drawings: tuple[Drawing, ...]
    shown: Callable[[Findings], list[Shown]]
    needs: tuple[str, ...] = ()
    """Parts that come first."""


AGREES, IN_PART, DIFFERS, OPEN, NOT_RUN = "agrees", "agrees in part", "differs", "cannot be checked", "not run"
"""Verdicts on a claim of the paper."""


class Answer(NamedTuple):
    """What was measured about a claim, the verdict, and why."""

    measured: str
    verdict: str
    why: str


def plain(text: str) -> str:
    """Words without the marks of what stands below and above the line: β_{1}^{υ} -> β1^υ."""
    return re.sub(r"\^\{([^}]*)\}", r"^\1", re.sub(r"_\{([^}]*)\}", r"\1", text))


def digits(value: float | None, count: int = 3) -> str:
    """A number for readers: so many significant digits, no exponent between 0.001 and a million."""
    if value is None or not math.isfinite(value):
        return "–"
    if value == 0:
        return "0"
    size = math.floor(math.log10(abs(float(f"{value:.{count - 1}e}"))))  # of what is shown: 99.96 is 100
    if -4 < size < 6:
        return f"{value:,.{max(count - 1 - size, 0)}f}".replace("-", "−")
    mantissa, exponent = f"{value:.{count - 1}e}".split("e")
    return f"{mantissa} · 10^{{{int(exponent)}}}".replace("-", "−")


def with_error(value: float, error: float) -> str:
    """A number with its error in units of the last digits in parentheses: 1.34461(43) is 1.34461 ± 0.00043."""
    if error < 1e-9:
        return digits(value, 5)
    places = min(max(1 - math.floor(math.log10(error)), 0), 6)
    return f"{value:,.{places}f}({error * 10**places:.0f})".replace("-", "−")


def seconds(value: float | None) -> str:
    """A time for readers, in the unit that suits it."""
    if value is None:
        return "not measured"
    for scale, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if value >= scale:
            return f"{digits(value / scale)} {unit}"
    return f"{digits(value / 1e-9)} ns"


def betas(values: Iterable[float]) -> str:
    """Three or six β: (1.345, 1.503, 1.744)."""
    return "(" + ", ".join(digits(value, 4) for value in values) + ")"
