"""Numbers of an arm that are allowed but that hardly any arm has: most often they are in another unit."""

from __future__ import annotations

from collections.abc import Iterator

from continuarm.arms.arm import Arm
from continuarm.arms.section import Section
from continuarm.arms.summary import counted

MOST_LENGTH, MOST_MASS, MOST_AREA = 10.0, 100.0, 0.1
"""Of a section: m, kg, and m² of a muscle."""
MOST_RADIUS = 5.0
"""Of a section, in its lengths."""
FAR = 3.0
"""A factor between the distance of a muscle from the axis and the section's radius."""


def unit_slips(arm: Arm) -> list[str]:
    """Sentences about such numbers, each with the first section that has it, its value and what is usual."""
    found = []
    for test in (_length, _mass, _area, _radius, _radii):
        told = [(i, sentence) for i, section in enumerate(arm.sections, start=1) for sentence in test(section)]
        if told:
            more = f" ({counted(len(told) - 1, 'more section')} like it)" if len(told) > 1 else ""
            found.append(f"section {told[0][0]}: {told[0][1]}{more}")
    return found


def _length(section: Section) -> Iterator[str]:
    if section.length > MOST_LENGTH:
        yield f"length = {section.length:g} m is above {MOST_LENGTH:g} m: all lengths are in m"


def _mass(section: Section) -> Iterator[str]:
    if section.mass > MOST_MASS:
        yield f"mass = {section.mass:g} kg is above {MOST_MASS:g} kg: all masses are in kg"


def _area(section: Section) -> Iterator[str]:
    if section.muscle_area is not None and section.muscle_area > MOST_AREA:
        yield f"muscle_area = {section.muscle_area:g} m² is above {MOST_AREA:g} m²: 1 cm² is 1e-4 m²"


def _radius(section: Section) -> Iterator[str]:
    if section.radius > MOST_RADIUS * section.length:
        times = f"{section.radius / section.length:.3g} times its length of {section.length:g} m"
        yield f"radius = {section.radius:g} m is {times}: all lengths are in m"


def _radii(section: Section) -> Iterator[str]:
    if section.muscles is not None:
        for radius in section.muscles.radii:
            if not section.radius / FAR <= radius <= section.radius * FAR:
                apart = f"more than {FAR:g} times away from radius = {section.radius:g} m"
                yield f"muscles.radii has {radius:g} m, {apart}: all lengths are in m"
                return
