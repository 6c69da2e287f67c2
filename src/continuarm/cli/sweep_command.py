"""The command `continuarm sweep`: an arm at many values of its numbers, kept in a file as it goes."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from continuarm.arms.arm_file import load_arm
from continuarm.cli.options import ArmArgument, AsJson, DurationOption, ForceOption, PressuresOption, StepRateOption
from continuarm.cli.output import new_table, one_line, progress_bar, show, show_json
from continuarm.common.command_start import INTERRUPTED
from continuarm.common.text import printable, shown
from continuarm.engine.compiled import PROCESSORS

if TYPE_CHECKING:
    from rich.table import Table

    from continuarm.sweeps.layout import Swept

__all__ = ["sweep"]

SOME_FAILED = 1
MOST_ROWS, MOST_REASONS = 24, 3
"""Of the table of numbers, and of the reasons of points that failed."""


def sweep(
    arm: ArmArgument,
    vary: Annotated[
        str,
        typer.Option(
            help="Numbers of the arm, name=first:last:count or values: 'stiffness=1500:1900:9, mass=0.1 0.2'."
        ),
    ],
    pressures: PressuresOption = "",
    duration: DurationOption = 5.0,
    force: ForceOption = "",
    outputs: Annotated[
        str, typer.Option(help="What is kept of each motion: tips, q, settling_time, energies, tip_tracks.")
    ] = "tips, settling_time",
    step_rate: StepRateOption = None,
    table: Annotated[
        bool, typer.Option("--table", help="The first values of all names, the second, ...: not all combinations.")
    ] = False,
    processes: Annotated[int | None, typer.Option(help="How many work; one for each processor if left out.")] = None,
    output: Annotated[str, typer.Option("-o", "--output", metavar="FILE", help="Write all numbers: .nc.")] = "",
    as_json: AsJson = False,
) -> None:
    """Move an arm at many values of its numbers, and show how much the motion depends on them.

    With -o, what is done is kept: the same command after an interruption goes on where it was. Exit codes: 0 done;
    1 some points failed, the file says why; 2 bad input; 130 interrupted.
    """
    from continuarm.cli import motion_tables
    from continuarm.common.number_checks import rate, whole_number
    from continuarm.sweeps.file import check_sweep_path, parts_path
    from continuarm.sweeps.sweeper import swept_points

    described = load_arm(arm)
    target = check_sweep_path(output) if output else None
    choices: dict[str, Any] = {
        "input": motion_tables.pressures_of(pressures, described),
        "wrench": motion_tables.wrench_of(force),
        "outputs": [name.strip() for name in outputs.split(",") if name.strip()],
        "step": 1e-3 if step_rate is None else 1 / rate("--step-rate", step_rate, 1e6),
        "duration": duration,
    }
    choices["every"] = math.gcd(10, max(1, round(duration / choices["step"])))
    count = PROCESSORS if processes is None else whole_number("--processes", processes, least=1, most=1000)
    try:
        with progress_bar(f"sweeping {one_line(described.name)}") as progress:
            found = swept_points(
                described,
                variations_of(vary),
                grid=not table,
                processes=count,
                output=target,
                progress=progress,
                **choices,
            )
    except KeyboardInterrupt:
        kept = parts_path(target) if target else None
        where = f": {printable(str(kept))} has what is done, the same command goes on" if kept and kept.exists() else ""
        print(f"interrupted{where}", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None
    if as_json:
        show_json(_numbers(found) | ({"written": str(target)} if target else {}))
    else:
        show(*_tables(found, target))
    reasons = list(dict.fromkeys(found.failures.values()))
    for reason in reasons[:MOST_REASONS]:
        first = next(number for number, text in found.failures.items() if text == reason)
        print(f"failed: {printable(found.points.words(first))}: {printable(reason)}", file=sys.stderr)
    if reasons:
        raise typer.Exit(SOME_FAILED)


def variations_of(text: str) -> dict[str, Any]:
    """Values by name from text such as 'stiffness=1500:1900:9, mass=0.1 0.12'."""
    found: dict[str, Any] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, sign, values = (each.strip() for each in part.partition("="))
        try:
            if not (name and sign and values):
                raise ValueError
            if ":" in values:
                first, last, count = values.split(":")
                if not 1 <= int(count) <= 10**6:
                    raise ValueError
                read = np.linspace(float(first), float(last), int(count))
            else:
                read = np.array([float(each) for each in values.split()])
        except ValueError:
            allowed = "name=first:last:count or name=value value ..., such as stiffness=1500:1900:9"
            raise ValueError(f"--vary: {part!r} must be {allowed}") from None
        if name in found:
            raise ValueError(f"--vary: {name!r} is named more than once")
        found[name] = read
    if not found:
        raise ValueError(f"--vary = {text!r}: must name at least one number, such as stiffness=1500:1900:9")
    return found


def _numbers(found: Swept) -> dict[str, Any]:
    """A sweep for --json: how many points, and the range of every number."""
    return {
        "title": found.title,
        "points": found.points.count,
        "varied": {name: own.tolist() for name, own in zip(found.points.names, found.points.values, strict=True)},
        "failed": len(found.failures),
        "ranges": [
            {"name": name, "unit": unit, "least": least, "median": median, "greatest": greatest}
            for name, unit, least, median, greatest in _ranges(found)
        ],
    }


def _ranges(found: Swept) -> list[tuple[str, str, float, float, float]]:
    """Name, unit, least, median and greatest of every number of a point; without tracks."""
    rows = []
    for name, variable in found.variables.items():
        if "time" in variable.dimensions:
            continue
        values = found.values[name].reshape(found.points.count, -1)
        values = values[np.isfinite(values).all(axis=1)]
        entries = [""]
        for dimension in variable.dimensions:
            entries = [f"{entry} {label}" for entry in entries for label in found.labels[dimension]]
        in_mm = variable.unit == "m"
        word = {"tips": "tip"}.get(name, name.replace("_", " "))
        for entry, column in zip(entries, values.T * (1e3 if in_mm else 1.0), strict=True):
            least, median, greatest = (float(each) for each in np.percentile(column, [0, 50, 100]))
            rows.append((f"{word}{entry}", "mm" if in_mm else variable.unit, least, median, greatest))
    return rows


def _tables(found: Swept, written: Path | None) -> list[Table]:
    facts = new_table("", "", headings=False)
    sizes = zip(found.points.names, found.points.values, strict=True)
    varied = ", ".join(f"{name} {own.min():g} to {own.max():g}" for name, own in sizes)
    facts.add_row("sweep", f"{found.points.count} points, {one_line(varied)}")
    if found.failures:
        facts.add_row("failed", f"{len(found.failures)} points")
    if written:
        facts.add_row("written to", shown(written))
    numbers = new_table("at the points", "unit", "least", "median", "greatest")
    rows = _ranges(found)
    for name, unit, *values in rows[:MOST_ROWS]:
        numbers.add_row(
            name, unit, *(f"{round(value, 3) + 0.0:.3f}" if unit == "mm" else f"{value:.4g}" for value in values)
        )
    if len(rows) > MOST_ROWS:
        numbers.add_row(f"and {len(rows) - MOST_ROWS} more", "", "", "", "")
    return [facts, numbers]
