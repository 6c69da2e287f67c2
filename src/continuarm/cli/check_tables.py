"""The tables of `continuarm check`: what an arm file describes."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any

from continuarm.arms.arm import Arm
from continuarm.arms.section import Section
from continuarm.cli.output import new_table, numbers, one_line

if TYPE_CHECKING:
    from rich.table import Table


def arm_totals(arm: Arm) -> dict[str, Any]:
    """Counts, length, m, and masses, kg, of the whole arm."""
    sections_mass = math.fsum(section.mass for section in arm.sections)
    payload_mass = arm.payload.mass if arm.payload else 0.0
    return {
        "name": arm.name,
        "sections": arm.n,
        "muscles": sum(len(section.muscle_map) for section in arm.sections),
        "inertia": arm.inertia.model,
        "length": math.fsum(section.length + section.offset for section in arm.sections),
        "sections_mass": sections_mass,
        "payload_mass": payload_mass,
        "total_mass": sections_mass + payload_mass,
    }


def arm_tables(arm: Arm) -> list[Any]:
    """An overview of the arm, and its sections."""
    totals = arm_totals(arm)
    facts = {
        "arm": one_line(arm.name),
        "description": one_line(arm.description),
        "sections": str(arm.n),
        "muscles": str(totals["muscles"]),
        "length": f"{totals['length']:g} m unactuated",
        "total mass": f"{totals['total_mass']:g} kg"
        + (f", {arm.payload.mass:g} kg of it payload" if arm.payload else ""),
        "inertia": " ".join([arm.inertia.model, *_shaping(arm)]),
        "gravity": f"{numbers(arm.gravity)} m/s²",
        "base rotation": f"{numbers(arm.base_rotation)} rad",
    }
    overview = new_table("", "", headings=False)
    for name, fact in facts.items():
        if fact:
            overview.add_row(name, fact)
    return [overview, _section_table(arm)]


def _shaping(arm: Arm) -> list[str]:
    values = {name: value for name, value in arm.inertia.model_dump().items() if name != "model"}
    return [f"{name} = {numbers(value)}" for name, value in values.items()]


def _section_table(arm: Arm) -> Table:
    """One row for each run of identical sections, counted from 1 at the base."""
    table = new_table(
        *("section", "L\nm", "r\nm", "m\nkg", "K_e\nN/m", "D\nN s/m", "σ\nm", "γ\nrad"),
        *("muscles", "range\nm", "stop\nN/m"),
    )
    first = 1
    for section, same in itertools.groupby(arm.sections):
        last = first + len(list(same)) - 1
        table.add_row(str(first) if first == last else f"{first}-{last}", *_row(section))
        first = last + 1
    return table


def _row(section: Section) -> list[str]:
    plain = (section.length, section.radius, section.mass, section.stiffness, section.damping)
    return [
        *map(numbers, plain),
        f"{section.offset:g}",
        f"{section.twist:.4g}",
        str(len(section.muscle_map)),
        "any" if section.length_range is None else "{:g} to {:g}".format(*section.length_range),
        f"{section.stop_stiffness:g}" if section.stop_stiffness else "none",
    ]
