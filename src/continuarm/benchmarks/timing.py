"""How a time is taken on a machine that others use too, and the ratios that are made of times.

A time is the least of several, for the rest is what other programs took. Times whose ratio is reported are taken in
turn, A B A B ..., so that a busy moment of the machine falls on both. Every ratio names the two rows it is made of.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Task = Callable[[int], float]
"""Does something so many times and returns the seconds it took."""


@dataclass(frozen=True)
class Repeats:
    """How often a time is taken, and for how long at least each time, s."""

    repeats: int = 20
    seconds: float = 0.05


def best(tasks: Mapping[str, Task], often: Repeats) -> dict[str, float]:
    """The least seconds of each task for doing it once; the tasks take turns."""
    return {name: min(each) for name, each in repeated(tasks, often).items()}


def repeated(tasks: Mapping[str, Task], often: Repeats) -> dict[str, list[float]]:
    """The seconds of each task for doing it once, repeat by repeat; the tasks take turns."""
    counts = {name: _count(task, often.seconds) for name, task in tasks.items()}
    found: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(often.repeats):
        for name, task in tasks.items():
            found[name].append(task(counts[name]) / counts[name])
    return found


def _count(task: Task, seconds: float) -> int:
    """How many times a task has to be done to last so long; the first time, which may compile, does not count."""
    task(1)
    count = 1
    while (taken := task(count)) < seconds:
        count *= 2 if taken <= 0 else max(2, min(100, math.ceil(seconds / taken)))
    return count


def calls(function: Callable[[], Any]) -> Task:
    """The task of calling a Python function."""

    def task(count: int) -> float:
        start = time.perf_counter()
        for _ in range(count):
            function()
        return time.perf_counter() - start

    return task


def fitted_exponent(sizes: Sequence[float], times: Sequence[float]) -> float:
    """p of the straight line through log time over log size."""
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])


class Group:
    """Rows that were measured together; a row is a name, a value and its unit, and what is to be said about it."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.rows: list[dict[str, Any]] = []

    def __getitem__(self, name: str) -> float:
        return next(row["value"] for row in self.rows if row["name"] == name)

    def add(self, name: str, value: float | None, unit: str, note: str = "") -> None:
        """One more row; a value of None is one that could not be measured, and the note says why."""
        self.rows.append({"name": name, "value": value, "unit": unit, "note": note})

    def times(self, seconds: Mapping[str, float]) -> None:
        """A row for each of several times."""
        for name, value in seconds.items():
            self.add(name, 1e6 * value, "µs")

    def repeats(self, seconds: Mapping[str, Sequence[float]]) -> None:
        """A row for each of several times that were taken repeatedly: the least, and under "repeats" all of them."""
        for name, values in seconds.items():
            self.add(name, 1e6 * min(values), "µs")
            self.rows[-1]["repeats"] = [1e6 * value for value in values]

    def ratio(self, name: str, above: str, below: str, note: str = "") -> None:
        """The quotient of two rows."""
        self.add(name, self[above] / self[below], "×", note)
        self.rows[-1]["of"] = [above, below]

    def exponent(self, name: str, of: Mapping[int, str], note: str = "") -> None:
        """p of time ~ sizeᵖ through rows that are given by their sizes."""
        self.add(name, fitted_exponent(list(of), [self[row] for row in of.values()]), "exponent", note)
        self.rows[-1]["of"] = list(of.values())
