"""An arm in a few words and numbers with their units: what repr(), notebooks and the command line show of it."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any

from continuarm.common.text import short

if TYPE_CHECKING:
    from continuarm.arms.arm import Arm
    from continuarm.arms.section import Section

SECTION_COLUMNS = {
    "section": "",
    "L": "m",
    "r": "m",
    "m": "kg",
    "K_e": "N/m",
    "D": "N s/m",
    "σ": "m",
    "γ": "rad",
    "muscles": "",
    "range": "m",
    "stop": "N/m",
}
"""Symbols of a table of sections, and their units."""


def arm_totals(arm: Arm) -> dict[str, Any]:
    """Counts, length, m, and masses, kg, of the whole arm."""
    sections_mass = math.fsum(section.mass for section in arm.sections)
    payload_mass = arm.payload.mass if arm.payload else 0.0
    return {
        "name": arm.name,
        "sections": arm.n,
        "muscles": sum(3 if section.muscles is None else len(section.muscles.angles) for section in arm.sections),
        "inertia": arm.inertia.model,
        "length": math.fsum(section.length + section.offset for section in arm.sections),
        "sections_mass": sections_mass,
        "payload_mass": payload_mass,
        "total_mass": sections_mass + payload_mass,
    }


def arm_words(arm: Arm) -> str:
    """'prototype', 3 sections, 0.45 m, 0.3 kg, integral."""
    totals = arm_totals(arm)
    words = [short(arm.name), counted(arm.n, "section"), f"{totals['length']:g} m", f"{totals['sections_mass']:g} kg"]
    words += [f"{arm.payload.mass:g} kg payload"] if arm.payload else []
    return ", ".join([*words, arm.inertia.model])


def arm_facts(arm: Arm) -> dict[str, str]:
    """What an arm is, by what each fact is about; empty ones are left out. Names are other people's text as it is."""
    totals = arm_totals(arm)
    payload = f", {arm.payload.mass:g} kg of it payload" if arm.payload else ""
    shaping = {name: value for name, value in arm.inertia.model_dump().items() if name != "model"}
    facts = {
        "arm": arm.name,
        "description": arm.description,
        "sections": str(arm.n),
        "muscles": str(totals["muscles"]),
        "length": f"{totals['length']:g} m unactuated",
        "total mass": f"{totals['total_mass']:g} kg{payload}",
        "inertia": " ".join([arm.inertia.model, *(f"{name} = {numbers(value)}" for name, value in shaping.items())]),
        "gravity": f"{numbers(arm.gravity)} m/s²",
        "base rotation": f"{numbers(arm.base_rotation)} rad",
    }
    return {name: fact for name, fact in facts.items() if fact}


def section_rows(arm: Arm) -> list[list[str]]:
    """One row of SECTION_COLUMNS for each run of identical sections, counted from 1 at the base."""
    rows, first = [], 1
    for section, same in itertools.groupby(arm.sections):
        last = first + len(list(same)) - 1
        rows.append([str(first) if first == last else f"{first}-{last}", *_section_row(section)])
        first = last + 1
    return rows


def _section_row(section: Section) -> list[str]:
    plain = (section.length, section.radius, section.mass, section.stiffness, section.damping)
    return [
        *map(numbers, plain),
        f"{section.offset:g}",
        f"{section.twist:.4g}",
        str(len(section.muscle_map)),
        "any" if section.length_range is None else "{:g} to {:g}".format(*section.length_range),
        f"{section.stop_stiffness:g}" if section.stop_stiffness else "none",
    ]


def counted(count: int, what: str) -> str:
    """1 section, 3 sections."""
    return f"{count} {what}{'' if count == 1 else 's'}"


def numbers(value: Any) -> str:
    """A number, a list of them, or a matrix with one row a line, in six digits; a choice as in a file."""
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, tuple):
        return f"{value:g}"
    return ("\n" if isinstance(value[0], tuple) else ", ").join(map(numbers, value))
