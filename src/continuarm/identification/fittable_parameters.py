"""Parameters of sections to fit: where a search for them begins, and what they change in an arm.

To add one, write what makes its FittableParameter, and give it a name in fittable_names.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from continuarm.arms.section import Section
from continuarm.common.number_checks import Floats
from continuarm.common.text import short
from continuarm.identification.search_numbers import (
    NARROW,
    RANGE,
    FittableParameter,
    ReportedNumber,
    Request,
    SearchNumber,
    Values,
    positive_number,
    takes_no_bounds,
)
from continuarm.simulation.commands_over_time import split_commands


class SectionField(NamedTuple):
    """A field of sections that is one positive number."""

    unit: str
    shows_in: str  # rest or motion, see FittableParameter
    absent: Callable[[Section], float | None]  # where a search begins in an arm that has none
    pressed: bool = False  # whether it matters only under pressure
    around: float = RANGE  # how many times smaller and larger it is searched for


def spring_of(section: Section) -> float:
    """One stiffness for all muscles of a section that comes nearest to its K_e, N/m."""
    return _of_muscles(section, "stiffness")


SECTION_FIELDS = {
    "stiffness": SectionField("N/m", "rest", lambda s: None),
    "damping": SectionField("N s/m", "motion", lambda s: 0.05 * spring_of(s)),
    "mass": SectionField("kg", "rest", lambda s: None),
    "length": SectionField("m", "rest", lambda s: None, around=3.0),
    "radius": SectionField("m", "rest", lambda s: None, around=3.0),
    "muscle_area": SectionField("m²", "rest", lambda s: None, pressed=True),
    "dead_zone": SectionField("Pa", "rest", lambda s: 5e4, pressed=True),
    "valve_lag": SectionField("s", "motion", lambda s: 0.05, pressed=True),
    "vent_lag": SectionField("s", "motion", lambda s: s.valve_lag or 0.05, pressed=True),
    "shaking": SectionField("1", "motion", lambda s: 0.05),
    "hardening": SectionField("N/m³", "rest", lambda s: 0.1 * spring_of(s) / s.length**2),
    "pressure_stiffness": SectionField("N/m per Pa", "rest", lambda s: 1e-6 * spring_of(s), pressed=True),
}
JOINTS = {"twist": ("rad", 0.1, math.pi / 2), "offset": ("m", 0.01, 0.2)}
"""Unit, scale of the search, and how far from the start it goes."""


def _of_muscles(section: Section, name: str) -> float:
    """One number for all muscles that comes nearest to a field: k of k Wᵀ W."""
    matrix: Floats = getattr(section, f"{name}_matrix")
    return float(np.trace(matrix) / np.sum(section.muscle_map**2))


def _start(section: Section, name: str) -> float | None:
    """The value of a field in an arm, or where the search for one that is not there begins."""
    value = _of_muscles(section, name) if name in ("stiffness", "damping") else getattr(section, name)
    return float(value) if value else SECTION_FIELDS[name].absent(section)


def groups_of(request: Request, per_section: bool) -> list[range]:
    """The sections that share a number: all of them, or each on its own."""
    n = request.arm.n
    return [range(i, i + 1) for i in range(n)] if per_section else [range(n)]


def labels_of(name: str, groups: Sequence[range]) -> list[str]:
    """What numbers of groups of sections are called."""
    return [name] if len(groups) == 1 else [f"{name} of section {group[0] + 1}" for group in groups]


def in_sections(name: str, values: Sequence[Any], groups: Sequence[range]) -> list[dict[str, Any]]:
    """The field of every section, where each value is that of a group of them."""
    return [{name: value} for value, group in zip(values, groups, strict=True) for _ in group]


def _check_shown(request: Request, name: str) -> None:
    """That recordings can show a field: one of motion not by static tables, one of pressures not by forces."""
    if SECTION_FIELDS[name].pressed and not highest_pressure(request):
        raise ValueError(f"free: {name} is of muscles under pressure, and no recording is driven by pressures")
    if SECTION_FIELDS[name].shows_in == "motion":
        check_moving(request, name)


def highest_pressure(request: Request) -> float:
    """In any recording, Pa; infinite under a controller, which may tell anything."""
    drives = [recording.drive(request.arm) for recording in request.recordings]
    rows = [split_commands(request.arm, np.r_[drive.begin, drive.end]).pressures.max() for drive in drives]
    return math.inf if any(drive.control for drive in drives) else float(max(rows))


def check_moving(request: Request, name: str) -> None:
    """That a parameter of motion is not asked of static tables alone."""
    if all(recording.static for recording in request.recordings):
        raise ValueError(f"free: {name} shows only in motion, and the recordings are static tables")


def scalars(request: Request, name: str, per_section: bool) -> FittableParameter:
    """One number for all sections, or for each."""
    field, most = SECTION_FIELDS[name], math.inf
    groups = groups_of(request, per_section)
    arm = request.arm
    _check_shown(request, name)
    if name == "dead_zone":  # beyond the highest pressure nothing pushes, and nothing shows how far beyond
        most = 0.95 * highest_pressure(request)
    if name == "shaking":
        most = 1.0
        if not all(section.hysteresis for section in arm.sections):
            raise ValueError("free: shaking makes muscles forget hysteresis, and a section has none")
    numbers = []
    for group in groups:
        begins = [_start(arm.sections[i], name) for i in group]
        known = [begin for begin in begins if begin is not None]
        # a section is never shorter than its muscles can become
        shortest = [-1.001 * s.length_range[0] for s in (arm.sections[i] for i in group) if s.length_range is not None]
        least = max(shortest, default=0.0) if name == "length" else 0.0
        begin = math.exp(np.mean(np.log(known))) if known else None
        numbers.append(positive_number(request, begin, most, least, field.around))
    labels = labels_of(name, groups)

    def changes(values: Values) -> list[dict[str, Any]]:
        return in_sections(name, values, groups)

    def reported(values: Values) -> list[ReportedNumber]:
        return [ReportedNumber(label, field.unit, value, True) for label, value in zip(labels, values, strict=True)]

    return FittableParameter(request.free.name, field.shows_in, tuple(numbers), reported, changes)


def per_muscle(request: Request, name: str) -> FittableParameter:
    """One number for each muscle."""
    arm, unit = request.arm, SECTION_FIELDS[name].unit
    _check_shown(request, name)
    counts = [len(section.muscle_map) for section in arm.sections]
    begins: list[float | None] = []
    for section, count in zip(arm.sections, counts, strict=True):
        own = getattr(section, name)
        plain = isinstance(own, tuple) and not isinstance(own[0], tuple) and min(own) > 0
        begins += list(own) if plain else [_start(section, name)] * count
    ends = np.cumsum(counts)

    def changes(values: Values) -> list[dict[str, Any]]:
        return [{name: tuple(values[end - count : end])} for end, count in zip(ends, counts, strict=True)]

    def reported(values: Values) -> list[ReportedNumber]:
        return [ReportedNumber(f"{name} of {m}", unit, v, True) for m, v in zip(arm.muscle_names, values, strict=True)]

    numbers = tuple(positive_number(request, begin) for begin in begins)
    return FittableParameter(request.free.name, SECTION_FIELDS[name].shows_in, numbers, reported, changes)


def matrices(request: Request, name: str, per_section: bool) -> FittableParameter:
    """Symmetric positive definite matrices over q, for all sections or for each: L Lᵀ with L = diag(d) (1 + lower)."""
    takes_no_bounds(request)
    field, groups, arm = SECTION_FIELDS[name], groups_of(request, per_section), request.arm
    _check_shown(request, name)
    numbers: list[SearchNumber] = []
    for group in groups:
        matrix = np.mean([getattr(arm.sections[i], f"{name}_matrix") for i in group], axis=0)
        if np.linalg.eigvalsh(matrix)[0] <= 0:
            matrix = np.eye(3) * (_start(arm.sections[group[0]], name) or 1.0)
        factor = np.linalg.cholesky(matrix)
        d = np.diag(factor)
        numbers += [SearchNumber(float(each), float(each) / NARROW, float(each) * NARROW) for each in d]
        below = (factor / d[:, None])[np.tril_indices(3, -1)]
        numbers += [SearchNumber(float(each), -10.0, 10.0, 1.0) for each in below]

    def matrices(values: Values) -> list[Floats]:
        found = []
        for k in range(0, len(values), 6):
            below = np.zeros((3, 3), dtype=np.result_type(*values[k + 3 : k + 6]))
            below[np.tril_indices(3, -1)] = values[k + 3 : k + 6]
            factor = np.array(values[k : k + 3])[:, None] * (np.eye(3) + below)
            found.append(factor @ factor.T)
        return found

    def changes(values: Values) -> list[dict[str, Any]]:
        return in_sections(name, [(matrix + matrix.T) / 2 for matrix in matrices(values)], groups)

    def reported(values: Values) -> list[ReportedNumber]:
        entries = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)]
        both = zip(labels_of(name, groups), matrices(values), strict=True)
        return [
            ReportedNumber(f"{label} [{i + 1}, {j + 1}]", field.unit, float(matrix[i, j]), i == j)
            for label, matrix in both
            for i, j in entries
        ]

    return FittableParameter(request.free.name, field.shows_in, tuple(numbers), reported, changes, one_to_one=False)


BENDING = np.eye(3) - np.full((3, 3), 1 / 3)
"""Over q_i: what is left of length changes without their mean, by which a section bends."""


def bending(request: Request, name: str, per_section: bool) -> FittableParameter:
    """Bending stiffness or damping of a section, N m/rad, N m s/rad; what resists stretching is kept.

    A section bends as easily every way. Its q_i is the radius times the bend, so that k = 3/2 r² K of a bending mode.
    """
    groups, arm = groups_of(request, per_section), request.arm
    levers = [1.5 * section.radius**2 for section in arm.sections]
    matrices = [getattr(section, f"{name}_matrix") for section in arm.sections]
    if name == "damping":
        check_moving(request, "bending_damping")
    numbers = []
    for group in groups:
        own = [levers[i] * float(np.trace(BENDING @ matrices[i] @ BENDING)) / 2 for i in group]
        begin = float(np.mean(own)) or 0.05 * levers[group[0]] * spring_of(arm.sections[group[0]])
        numbers.append(positive_number(request, begin))
    labels, unit = labels_of(f"bending_{name}", groups), "N m/rad" if name == "stiffness" else "N m s/rad"

    def changes(values: Values) -> list[dict[str, Any]]:
        found = []
        for value, group in zip(values, groups, strict=True):
            for i in group:
                along = np.full((3, 3), matrices[i].sum() / 9)
                found.append({name: value / levers[i] * BENDING + along})
        return found

    def reported(values: Values) -> list[ReportedNumber]:
        return [ReportedNumber(label, unit, value, True) for label, value in zip(labels, values, strict=True)]

    shows_in = SECTION_FIELDS[name].shows_in
    return FittableParameter(request.free.name, shows_in, tuple(numbers), reported, changes)


def joints(request: Request, name: str, per_section: bool) -> FittableParameter:
    """Twist or offset between sections: of all but the last, which only places what is measured at the tip."""
    (unit, scale, around), arm, free = JOINTS[name], request.arm, request.free
    if arm.n < 2:
        raise ValueError(f"free: {name} is of the joint between sections, and {short(arm.name)} has one section")
    joints = range(arm.n - 1)
    groups = [range(i, i + 1) for i in joints] if per_section else [joints]
    numbers = []
    for group in groups:
        begin = (
            free.start if free.start is not None else float(np.mean([getattr(arm.sections[i], name) for i in group]))
        )
        low, high = free.bounds or (begin - around, begin + around)
        low = max(low, 0.0) if name == "offset" else low
        if not low <= begin <= high:
            raise ValueError(f"free: {name} begins at {begin:g}: must be within its bounds, {low:g} to {high:g}")
        numbers.append(SearchNumber(begin, low, high, scale))

    def changes(values: Values) -> list[dict[str, Any]]:
        return in_sections(name, values, groups)

    def reported(values: Values) -> list[ReportedNumber]:
        return [ReportedNumber(label, unit, v, False) for label, v in zip(labels_of(name, groups), values, strict=True)]

    return FittableParameter(free.name, "rest", tuple(numbers), reported, changes)


def preload(request: Request) -> FittableParameter:
    """Both components for each section: how it is bent at rest."""
    takes_no_bounds(request)
    arm, reach = request.arm, [spring_of(section) * section.length for section in request.arm.sections]
    numbers = tuple(
        SearchNumber(each, each - 10 * most, each + 10 * most, 0.1 * most)
        for section, most in zip(arm.sections, reach, strict=True)
        for each in section.preload
    )

    def changes(values: Values) -> list[dict[str, Any]]:
        return [{"preload": pair} for pair in zip(values[::2], values[1::2], strict=True)]

    def reported(values: Values) -> list[ReportedNumber]:
        labels = [f"preload {axis} of section {i + 1}" for i in range(arm.n) for axis in "xy"]
        return [ReportedNumber(label, "N", value, False) for label, value in zip(labels, values, strict=True)]

    return FittableParameter(request.free.name, "rest", numbers, reported, changes)


def base_rotation(request: Request) -> FittableParameter:
    """The rotation vector of the mount."""
    takes_no_bounds(request)
    numbers = tuple(SearchNumber(each, each - 1.0, each + 1.0, 0.1) for each in request.arm.base_rotation)

    def reported(values: Values) -> list[ReportedNumber]:
        return [ReportedNumber(f"base_rotation {axis}", "rad", v, False) for axis, v in zip("xyz", values, strict=True)]

    return FittableParameter(request.free.name, "rest", numbers, reported)
