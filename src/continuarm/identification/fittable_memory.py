"""What muscles remember, as parameters to fit: hysteresis, its friction alone, and creep."""

from __future__ import annotations

from typing import Any

import numpy as np

from continuarm.arms.section import Section
from continuarm.identification.fittable_parameters import check_moving, groups_of, in_sections, labels_of, spring_of
from continuarm.identification.search_numbers import (
    NARROW,
    FittableParameter,
    ReportedNumber,
    Request,
    SearchNumber,
    Values,
    takes_no_bounds,
)


def _loop(section: Section) -> tuple[float, float, float]:
    """a, b and g / b of a section, or where the search for them begins."""
    a, b, g = section.hysteresis or (0.0, 0.0, 0.0)
    return a or 0.05 * spring_of(section), b or 50.0, g / b if b else 0.0


def hysteresis(request: Request, per_section: bool) -> FittableParameter:
    """a, b and g / b of the loop, for all sections or for each: b is never below |g|."""
    takes_no_bounds(request)
    check_moving(request, "hysteresis")
    groups = groups_of(request, per_section)
    numbers: list[SearchNumber] = []
    for group in groups:
        a, b, part = _loop(request.arm.sections[group[0]])
        numbers += [SearchNumber(each, each / NARROW, each * NARROW) for each in (a, b)]
        numbers.append(SearchNumber(min(max(part, -0.9), 0.9), -1.0, 1.0, 1.0))

    def triples(values: Values) -> list[tuple[float, float, float]]:
        rows = (values[k : k + 3] for k in range(0, len(values), 3))
        # reported slopes look a little beyond the bounds, where no arm is
        return [(a, b, (part if abs(np.real(part)) <= 1 else np.sign(part)) * b) for a, b, part in rows]

    def changes(values: Values) -> list[dict[str, Any]]:
        return in_sections("hysteresis", triples(values), groups)

    def reported(values: Values) -> list[ReportedNumber]:
        names, units = "abg", ("N/m", "1/m", "1/m")
        return [
            ReportedNumber(f"{label} {letter}", unit, value, letter != "g")
            for label, each in zip(labels_of("hysteresis", groups), triples(values), strict=True)
            for letter, unit, value in zip(names, units, each, strict=True)
        ]

    return FittableParameter(request.free.name, "motion", tuple(numbers), reported, changes, one_to_one=False)


def friction(request: Request, per_section: bool) -> FittableParameter:
    """a and b of the loop, for all sections or for each, its g / b kept: 0 for a loop that is as wide both ways."""
    takes_no_bounds(request)
    check_moving(request, "friction")
    groups = groups_of(request, per_section)
    loops = [_loop(request.arm.sections[group[0]]) for group in groups]
    numbers = [SearchNumber(each, each / NARROW, each * NARROW) for a, b, _ in loops for each in (a, b)]

    def changes(values: Values) -> list[dict[str, Any]]:
        both = zip(values[::2], values[1::2], loops, strict=True)
        return in_sections("hysteresis", [(a, b, part * b) for a, b, (_, _, part) in both], groups)

    def reported(values: Values) -> list[ReportedNumber]:
        labels = [f"{label} {each}" for label in labels_of("friction", groups) for each in "ab"]
        units = ["N/m", "1/m"] * len(groups)
        return [ReportedNumber(*each, True) for each in zip(labels, units, values, strict=True)]

    return FittableParameter(request.free.name, "motion", tuple(numbers), reported, changes)


def creep(request: Request, per_section: bool) -> FittableParameter:
    """k and T of every relaxing branch, for all sections or for each; one branch where the arm has none."""
    takes_no_bounds(request)
    check_moving(request, "creep")
    groups = groups_of(request, per_section)
    counts: list[int] = []
    numbers: list[SearchNumber] = []
    for group in groups:
        section = request.arm.sections[group[0]]
        branches = section.creep or ((0.0, 1.0),)
        counts.append(len(branches))
        for k, time in branches:
            begins = (k or 0.2 * spring_of(section), time)
            numbers += [SearchNumber(each, each / NARROW, each * NARROW) for each in begins]

    def branches_of(values: Values) -> list[tuple[tuple[float, float], ...]]:
        pairs = iter(zip(values[::2], values[1::2], strict=True))
        return [tuple(next(pairs) for _ in range(count)) for count in counts]

    def changes(values: Values) -> list[dict[str, Any]]:
        return in_sections("creep", branches_of(values), groups)

    def reported(values: Values) -> list[ReportedNumber]:
        found = []
        for label, branches in zip(labels_of("creep", groups), branches_of(values), strict=True):
            for number, (k, time) in enumerate(branches, start=1):
                which = f"{label} {number}" if len(branches) > 1 else label
                found += [ReportedNumber(f"{which} k", "N/m", k, True), ReportedNumber(f"{which} T", "s", time, True)]
        return found

    return FittableParameter(request.free.name, "motion", tuple(numbers), reported, changes)
