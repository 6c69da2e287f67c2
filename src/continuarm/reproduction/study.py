"""What a study of the reproduction is: how much it computes, what it finds, how it is drawn and reported."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from continuarm.reproduction.tables import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Tell = Callable[[float], Any]
"""Is called with the share done, from 0 to 1."""


@dataclass(frozen=True)
class Extent:
    """How much is computed, and from which recordings: the errors and the time depend on it, nothing else."""

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
    repeats: int = 9
    seconds: float = 0.05
    """Times are taken so often, each at least so long; the median is told, with the least and the greatest."""
    paper_sections: int = 24
    engine_sections: tuple[int, ...] = (1, 2, 3, 5, 10, 20, 50, 100)
    points: int = 241
    """Bends in a figure over the bend."""
    recordings: str = ""
    """Folder of the recordings of real arms; empty: there are none."""


FULL = Extent()
QUICK = Extent(
    name="quick",
    fit_samples=50_000,
    bootstrap=50,
    states=50_000,
    states_per_length=10_000,
    compared_states=10_000,
    repeats=5,
    seconds=0.005,
    paper_sections=12,
    points=121,
)


@dataclass(frozen=True)
class Findings:
    """What a study found; what depends on the machine and its load stands apart."""

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
class WordTable:
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
class Study:
    """One question to the paper, with a result of its own: `continuarm reproduce --only NAME` computes it alone."""

    name: str
    title: str
    method: tuple[str, ...]
    """How it is computed: paragraphs of the report."""
    parameters: Callable[[Extent, int, Mapping[str, Findings]], dict[str, Any]]
    """Everything that the result depends on, from the extent, the seed and earlier studies; plain values."""
    find: Callable[[Mapping[str, Any], Tell], Findings]
    drawings: tuple[Drawing, ...]
    word_tables: Callable[[Findings], list[WordTable]]
    needs: tuple[str, ...] = ()
    """Studies that come first."""


def bend_points(extent: Extent, seed: int, earlier: Mapping[str, Findings]) -> dict[str, Any]:
    """The parameters of a study over the bend: how many bends; nothing is random."""
    return {"points": extent.points}
