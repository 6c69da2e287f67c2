"""How fast it is: all groups measured in one run, with the machine and the versions they belong to."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

import continuarm
from continuarm.benchmarks import groups
from continuarm.benchmarks.control import measure_control
from continuarm.benchmarks.derivatives import measure_derivatives
from continuarm.benchmarks.exports import measure_export
from continuarm.benchmarks.frameworks import measure_frameworks
from continuarm.benchmarks.groups import FULL, Workload
from continuarm.benchmarks.identification import measure_identification
from continuarm.benchmarks.learning import measure_learning
from continuarm.benchmarks.pages import measure_pages
from continuarm.benchmarks.predictive import measure_predictive
from continuarm.benchmarks.rollouts import measure_rollouts
from continuarm.benchmarks.simulation import measure_simulation
from continuarm.benchmarks.timing import Group
from continuarm.common.text import printable
from continuarm.engine import compiled
from continuarm.engine.compiled import PROCESSORS

__all__ = ["GROUPS", "check_group", "machine", "run_bench", "versions"]


GROUPS: dict[str, Callable[[Workload], Group]] = {
    "loop": groups.measure_loop,
    "calls": groups.measure_calls,
    "batch": groups.measure_batch,
    "reference": groups.measure_reference,
    "paper": groups.measure_paper,
    "derivatives": measure_derivatives,
    "simulation": measure_simulation,
    "rollouts": measure_rollouts,
    "control": measure_control,
    "predictive": measure_predictive,
    "learning": measure_learning,
    "export": measure_export,
    "pages": measure_pages,
    "identification": measure_identification,
    "frameworks": measure_frameworks,
    "operations": groups.measure_operations,
}
_WITHOUT_NATIVE = ("calls", "reference", "paper", "operations")


def measured(name: str, work: Workload) -> Group:
    """The group of that name; without the compiled module, those that are about it have one row that says so."""
    if name not in _WITHOUT_NATIVE and compiled.native is None:
        group = Group("Native code")
        group.add(name, None, "", "the compiled module is not built")
        return group
    return GROUPS[name](work)


def run_bench(
    work: Workload = FULL, only: str | None = None, report: Callable[[str, dict[str, Any]], None] | None = None
) -> dict[str, Any]:
    """Measures every group, or only one, and returns what can be written as JSON.

    {"machine", "versions", "workload", "results": {group: {"title", "rows"}}}; rows have name, value, unit, note, and
    some of what they are made ("of") or every time that was taken ("repeats").
    report: called with the name and the result of each group when it is done.
    """
    if only is not None:
        check_group(only)
    settings = {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(work).items()}
    found: dict[str, Any] = {"machine": machine(), "versions": versions(), "workload": settings, "results": {}}
    for name in GROUPS if only is None else [only]:
        group = measured(name, work)
        found["results"][name] = {"title": group.title, "rows": group.rows}
        if report:
            report(name, found["results"][name])
    found["machine"]["load_average_after"] = _load()
    return found


def check_group(name: str) -> None:
    """ValueError where there is no group of that name."""
    if name not in GROUPS:
        raise ValueError(printable(f"only = {name!r}: must be one of {', '.join(map(repr, GROUPS))}"))


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
    }


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
