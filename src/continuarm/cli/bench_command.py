"""The command `continuarm bench`: what it measures as tables, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from continuarm.cli.output import claim, new_table, show
from continuarm.common.files import output_path, replaced

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["bench"]


def bench(
    json_path: Annotated[str | None, typer.Option("--json", metavar="FILE", help="Write all numbers as JSON.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer repeats: a look, not a measurement.")] = False,
    only: Annotated[str | None, typer.Option(metavar="GROUP", help="Only one group of measurements.")] = None,
) -> None:
    """Measure how fast everything is here, as ratios taken in one run."""
    from continuarm.benchmarks.groups import FULL, QUICK
    from continuarm.benchmarks.run import check_group, run_bench

    if only is not None:
        check_group(only)
    target = None if json_path is None else claim(output_path(json_path))
    for line in _heading():
        print(line)

    def report(name: str, result: dict[str, Any]) -> None:
        print(f"\n{name}: {result['title']}")
        show(_table(result["rows"]))

    found = run_bench(QUICK if quick else FULL, only, report)
    if target is not None:
        text = json.dumps(found, indent=2, ensure_ascii=False, allow_nan=False)
        with replaced(target) as new:
            new.write_text(text + "\n", encoding="utf-8")


def _heading() -> Iterator[str]:
    from continuarm.benchmarks.run import machine, versions

    here, made = machine(), versions()
    load = here["load_average"]
    yield f"{here['cpu']}, {here['usable_processors']} processors; load average {load[0] if load else 'unknown'}"
    yield f"continuarm {made['continuarm']}, {made['compiler'] or 'not compiled'}, {made['instruction_set'] or 'NumPy'}"
    if load and load[0] > 0.3 * here["usable_processors"]:
        yield "Other programs are running: times may be long, ratios less so. Repeat it when the machine is quiet."


def _table(rows: Sequence[Mapping[str, Any]]) -> Table:
    table = new_table("", "", "", "", headings=False)
    for column in table.columns[1:3]:  # in a narrow terminal names are wrapped, numbers stay whole
        column.no_wrap = True
    table.columns[1].justify = "right"
    for row in rows:
        table.add_row(row["name"], _digits(row["value"]), row["unit"], row["note"])
    return table


def _digits(value: float | None) -> str:
    """Three digits, and no more of them than a whole number needs."""
    if value is None:
        return ""
    if isinstance(value, int) or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:#.3g}"
