"""How fast it is: `continuarm bench` measures in one run, prints tables, and writes JSON."""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import continuarm
from continuarm.benchmarks import groups as bench_groups
from continuarm.benchmarks.groups import FULL, QUICK, Effort, Group
from continuarm.benchmarks.simulation import measure_simulation
from continuarm.common.files import output_path, replaced
from continuarm.common.text import printable
from continuarm.engine import compiled
from continuarm.engine.compiled import PROCESSORS

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

__all__ = ["FULL", "GROUPS", "QUICK", "Effort", "bench_command", "run_bench"]


GROUPS: dict[str, Callable[[Effort], Group]] = {
    "loop": bench_groups.measure_loop,
    "calls": bench_groups.measure_calls,
    "batch": bench_groups.measure_batch,
    "reference": bench_groups.measure_reference,
    "paper": bench_groups.measure_paper,
    "soromox": bench_groups.measure_soromox,
    "simulation": measure_simulation,
    "operations": bench_groups.measure_operations,
}
_NATIVE_ONLY = ("loop", "batch", "soromox", "simulation")


def measured(name: str, effort: Effort) -> Group:
    """The group of that name; without the compiled module, those that are about it have one row that says so."""
    if name in _NATIVE_ONLY and compiled.native is None:
        group = Group("Native code")
        group.add(name, None, "", "the compiled module is not built")
        return group
    return GROUPS[name](effort)


# ---- The run --------------------------------------------------------------------------------------------------------


def run_bench(
    effort: Effort = FULL, only: str | None = None, report: Callable[[str, dict[str, Any]], None] | None = None
) -> dict[str, Any]:
    """Measures every group, or only one, and returns what can be written as JSON.

    {"machine", "versions", "effort", "results": {group: {"title", "rows": [{"name", "value", "unit", "note", "of"}]}}};
    report: called with the name and the result of each group when it is done.
    """
    chosen = _chosen(only)
    settings = {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(effort).items()}
    found: dict[str, Any] = {"machine": machine(), "versions": versions(), "effort": settings, "results": {}}
    for name in chosen:
        group = measured(name, effort)
        found["results"][name] = {"title": group.title, "rows": group.rows}
        if report:
            report(name, found["results"][name])
    found["machine"]["load_average_after"] = _load()
    return found


def _chosen(only: str | None) -> Sequence[str]:
    if only is None:
        return list(GROUPS)
    if only not in GROUPS:
        raise ValueError(printable(f"only = {only!r}: must be one of {', '.join(map(repr, GROUPS))}"))
    return [only]


def machine() -> dict[str, Any]:
    """The processor, how many of them, and how busy they are: what a time depends on beside the code."""
    return {
        "cpu": _cpu(),
        "processors": os.cpu_count(),
        "usable_processors": PROCESSORS,
        "system": platform.platform(),
        "load_average": _load(),
    }


def versions() -> dict[str, Any]:
    """What was measured and what it was built with; None where that cannot be known."""
    built = compiled.native.build_info() if compiled.native else {}
    return {
        "continuarm": continuarm.__version__,
        "commit": _commit(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "compiler": built.get("compiler"),
        "build_type": built.get("build_type"),
        "instruction_set": built.get("instruction_set"),
    } | {name: _installed(name) for name in ("soromox", "jax")}


def _cpu() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            lines = (line.partition(":") for line in file)
            return next(value.strip() for key, _, value in lines if key.strip() == "model name")
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def _load() -> list[float] | None:
    """Mean number of running programs over the last 1, 5 and 15 minutes."""
    return [round(value, 2) for value in os.getloadavg()] if hasattr(os, "getloadavg") else None


def _installed(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _commit() -> str | None:
    """The commit of this very file, if it is in a repository and not only installed below one."""
    here = Path(__file__)

    def git(*words: str) -> str:
        command = ["git", "-C", str(here.parent), *words]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=10).stdout.strip()

    try:
        git("ls-files", "--error-unmatch", here.name)
        return git("describe", "--always", "--dirty", "--exclude=*", "--abbrev=40")
    except (OSError, subprocess.SubprocessError):
        return None


# ---- Output ---------------------------------------------------------------------------------------------------------


def bench_command(
    json_path: str | os.PathLike[str] | None = None, quick: bool = False, only: str | None = None
) -> None:
    """`continuarm bench`: prints a table of each group as it is done, and writes all of it as JSON if asked to.

    Raises ValueError, one sentence, before anything is measured if `only` is no group or the file cannot be written.
    """
    _chosen(only)
    target = None if json_path is None else output_path(json_path)
    console = _console()
    for line in _heading():
        console.print(line, soft_wrap=True)

    def report(name: str, result: dict[str, Any]) -> None:
        console.print()
        console.print(f"{name}: {result['title']}", soft_wrap=True)
        console.print(_table(result["rows"]))

    found = run_bench(QUICK if quick else FULL, only, report)
    if target is not None:
        with replaced(target) as new:
            new.write_text(json.dumps(found, indent=2, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8")


def _heading() -> Iterator[str]:
    here, made = machine(), versions()
    load = here["load_average"]
    yield f"{here['cpu']}, {here['usable_processors']} processors; load average {load[0] if load else 'unknown'}"
    yield f"continuarm {made['continuarm']}, {made['compiler'] or 'not compiled'}, {made['instruction_set'] or 'NumPy'}"
    if load and load[0] > 0.3 * here["usable_processors"]:
        yield "Other programs are running: times may be long, ratios less so. Repeat it when the machine is quiet."


def _console() -> Console:
    from rich.console import Console

    return Console(markup=False, emoji=False, highlight=False)


def _table(rows: Sequence[Mapping[str, Any]]) -> Table:
    from rich.table import Table

    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
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
