"""What drives a motion: pressures or forces of the muscles over time, in steps or as signals."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from continuarm.arm import Arm

Floats = NDArray[np.float64]

UNITS = {"Pa": 1.0, "kPa": 1e3, "bar": 1e5, "MPa": 1e6}
"""Pressure units that a signal file may name."""


@dataclass(frozen=True)
class Drive:
    """Muscle forces τ over time: held from one knot to the next, or straight lines between knots."""

    times: Floats  # (k,), s, ascending, the first is 0
    forces: Floats  # (k, 3n), N
    linear: bool = False

    def at(self, times: ArrayLike) -> Floats:
        """τ at some times: (m,) -> (m, 3n), N; after the last knot it is held."""
        times = np.asarray(times, dtype=float)
        if self.linear and len(self.times) > 1:
            return np.stack([np.interp(times, self.times, column) for column in self.forces.T], axis=-1)
        return self.forces[np.clip(np.searchsorted(self.times, times, side="right") - 1, 0, None)]


class Input(Protocol):
    """Anything that can drive an arm."""

    def drive(self, arm: Arm) -> Drive:
        """The muscle forces over time."""


@dataclass(frozen=True)
class NoInput:
    """No muscle is driven."""

    def drive(self, arm: Arm) -> Drive:
        """τ = 0."""
        return Drive(np.zeros(1), np.zeros((1, 3 * arm.n)))


@dataclass(frozen=True)
class PressureSteps:
    """Pressure steps of named muscles, in kPa: {"l33": [(0.0, 600.0)], "l22": [(3.2, 500.0)]}.

    l33 is muscle 3 of section 3 (l10-2 is muscle 2 of section 10). A muscle has no pressure before its first step and
    keeps that of its last. As text: "l33=600@0,l22=500@3.2".
    """

    steps: Mapping[str, Sequence[tuple[float, float]]]

    @classmethod
    def parse(cls, text: str) -> PressureSteps:
        """From text such as "l33=600@0, l22=500@3.2": muscle=kPa@seconds."""
        steps: dict[str, list[tuple[float, float]]] = {}
        for part in filter(None, (part.strip() for part in text.split(","))):
            found = re.fullmatch(r"([^=\s]+)\s*=\s*([^@\s]+)\s*@\s*(\S+)", part)
            try:
                if not found:
                    raise ValueError
                steps.setdefault(found[1], []).append((float(found[3]), float(found[2])))
            except ValueError:
                raise ValueError(
                    f"pressures: {part!r} must be of the form muscle=kPa@seconds, such as l33=600@0"
                ) from None
        return cls(steps)

    def drive(self, arm: Arm) -> Drive:
        """Forces A max(P - P0, 0), in steps."""
        for name, steps in self.steps.items():
            for time, pressure in steps:
                if not (np.isfinite(time) and time >= 0):
                    raise ValueError(f"{name}: time {time} s must be 0 or later")
                if not (np.isfinite(pressure) and pressure >= 0):
                    raise ValueError(f"{name}: pressure {pressure} kPa must be 0 or more")
        times = sorted({0.0} | {float(time) for steps in self.steps.values() for time, _ in steps})
        pressures = np.zeros((len(times), muscle_count(arm)))
        for name, steps in self.steps.items():
            column = muscle_index(arm, name)
            for time, pressure in sorted(steps):
                pressures[times.index(float(time)) :, column] = 1e3 * pressure
        return Drive(np.array(times), arm.muscle_forces(pressure_forces(arm, pressures)))


@dataclass(frozen=True)
class PressureSignal:
    """Pressures of all muscles over time: times (k,) in s, pressures (k, muscles) in Pa, held or linear between."""

    times: ArrayLike
    pressures: ArrayLike
    linear: bool = True

    @classmethod
    def read(cls, path: str | Path, arm: Arm, linear: bool = True) -> PressureSignal:
        """From a CSV file whose header names units, "t [s], l11 [kPa], l33 [bar]"; other muscles have no pressure."""
        with open(path, newline="", encoding="utf-8-sig") as file:
            rows = [row for row in csv.reader(file) if any(cell.strip() for cell in row)]
        if len(rows) < 2:
            raise ValueError(f"{path}: must have a header and at least one row")
        header = [re.fullmatch(r"\s*(\S+)\s*\[(\S+)\]\s*", cell) for cell in rows[0]]
        if not all(header) or header[0][1] != "t" or header[0][2] != "s":  # type: ignore[index]
            raise ValueError(f"{path}: the header must name units, such as 't [s], l11 [kPa]'; it is {rows[0]}")
        try:
            numbers = np.array([[float(cell) for cell in row] for row in rows[1:]])
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None
        pressures = np.zeros((len(numbers), muscle_count(arm)))
        for k, cell in enumerate(header[1:], start=1):
            assert cell is not None
            if cell[2] not in UNITS:
                raise ValueError(f"{path}: unit {cell[2]!r} of {cell[1]}: must be one of {', '.join(UNITS)}")
            pressures[:, muscle_index(arm, cell[1])] = numbers[:, k] * UNITS[cell[2]]
        return cls(numbers[:, 0], pressures, linear)

    def drive(self, arm: Arm) -> Drive:
        """Forces A max(P - P0, 0); where a line crosses the dead zone's edge, a knot is added."""
        times, pressures = _signal("pressures", self.times, self.pressures, muscle_count(arm))
        if (pressures < 0).any():
            raise ValueError(f"pressures = {pressures.min():g} Pa: must be 0 or more")
        if self.linear:
            edges = np.concatenate([np.full(len(s.muscle_map), s.dead_zone) for s in arm.sections])
            before, after = pressures[:-1] - edges, pressures[1:] - edges
            row, column = np.nonzero(before * after < 0)
            part = before[row, column] / (before[row, column] - after[row, column])
            knots = np.unique(np.concatenate([times, times[row] + part * np.diff(times)[row]]))
            pressures = np.stack([np.interp(knots, times, each) for each in pressures.T], axis=-1)
            times = knots
        return Drive(times, arm.muscle_forces(pressure_forces(arm, pressures)), self.linear)


@dataclass(frozen=True)
class ForceSignal:
    """Muscle forces τ over time: times (k,) in s, forces (k, 3n) in N, held or linear between."""

    times: ArrayLike
    forces: ArrayLike
    linear: bool = False

    def drive(self, arm: Arm) -> Drive:
        """The forces as they are."""
        times, forces = _signal("forces", self.times, self.forces, 3 * arm.n)
        return Drive(times, forces, self.linear)


def _signal(name: str, times: ArrayLike, values: ArrayLike, width: int) -> tuple[Floats, Floats]:
    when, what = np.atleast_1d(np.asarray(times, dtype=float)), np.atleast_2d(np.asarray(values, dtype=float))
    if what.shape != (len(when), width) or when.ndim != 1:
        raise ValueError(f"{name} has shape {what.shape}: must be ({len(when)}, {width}), one row for each time")
    if not np.isfinite(when).all() or not np.isfinite(what).all():
        raise ValueError(f"times and {name} must be finite")
    if (np.diff(when) <= 0).any():
        raise ValueError(f"times must ascend; they do not after {when[:-1][np.diff(when) <= 0][0]:g} s")
    if when[0] > 0:  # nothing before the first row
        when, what = np.concatenate([[0.0], when]), np.concatenate([what[:1] * 0, what])
    if when[0] < 0:
        raise ValueError(f"times begin at {when[0]:g} s: must be 0 or later")
    return when, what


def muscle_count(arm: Arm) -> int:
    """How many muscles an arm has."""
    return sum(len(section.muscle_map) for section in arm.sections)


def muscle_index(arm: Arm, name: str) -> int:
    """The column of a muscle such as l33 (section 3, muscle 3) or l10-2."""
    found = re.fullmatch(r"l(\d)(\d)|l(\d+)[-.](\d+)", name)
    if found:
        section, muscle = (int(part) for part in found.groups() if part is not None)
        if 1 <= section <= arm.n and 1 <= muscle <= len(arm.sections[section - 1].muscle_map):
            return sum(len(each.muscle_map) for each in arm.sections[: section - 1]) + muscle - 1
    last = (
        f"l{arm.n}{len(arm.sections[-1].muscle_map)}" if arm.n < 10 else f"l{arm.n}-{len(arm.sections[-1].muscle_map)}"
    )
    raise ValueError(f"muscle {name!r}: must be one of l11 to {last} of {arm.name!r}")


def pressure_forces(arm: Arm, pressures: Floats) -> Floats:
    """A max(P - P0, 0) of every muscle: (..., muscles), Pa -> N."""
    areas: list[Any] = []
    for i, section in enumerate(arm.sections):
        if section.muscle_area is None:
            raise ValueError(f"sections[{i}].muscle_area is missing: pressures need it to become forces")
        areas += [(section.muscle_area, section.dead_zone)] * len(section.muscle_map)
    area, dead_zone = np.array(areas).T
    return area * np.maximum(pressures - dead_zone, 0.0)
