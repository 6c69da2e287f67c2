"""A section, a muscle and a stop as flat lists of numbers: what native code knows of them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from continuarm.arms.inertia_models import UNSHAPED, CentreOfGravity, Integral, PointMass
from continuarm.arms.section import Section, Stop
from continuarm.engine.recorder import Struct
from continuarm.engine.tracing import Pack, inputs, symmetric_inputs
from continuarm.sections.muscles_and_valves import Branch, BranchStep, Muscle, ValveStep


class SectionNumbers(NamedTuple):
    """A section's constants as the steps use them; the same names as in Section."""

    mass: Any
    disc_inertia: Any
    joint: tuple[Any, ...]
    length: Any
    shape_map: Any
    length_map: Any
    stiffness_matrix: Any
    damping_matrix: Any
    beta_linear: tuple[Any, ...]
    beta_angular: tuple[Any, ...]


def section_numbers(section: Section, model: object) -> SectionNumbers:
    """A section's constants, with the shaping of its arm's inertia model."""
    if not isinstance(model, (Integral, CentreOfGravity, PointMass)):
        raise TypeError(f"{model!r}: native code knows Integral, CentreOfGravity and PointMass")
    shaping = model if isinstance(model, CentreOfGravity) else UNSHAPED
    disc = 0.0 if isinstance(model, PointMass) else section.disc_inertia
    fields = {name: getattr(section, name) for name in SectionNumbers._fields if hasattr(section, name)}
    shape = {"beta_linear": shaping.beta_linear, "beta_angular": shaping.beta_angular}
    return SectionNumbers(**fields | shape | {"disc_inertia": disc})


def is_integral(model: object) -> bool:
    """Whether an inertia model is the exact one; a point mass is a shaped section with β = 1 and no disc."""
    return isinstance(model, Integral)


def _any_section() -> SectionNumbers:
    """Constants of any section: what is the same for all of them (zeros, thirds) is a number."""
    section = Section(length=1.0, radius=1.0, mass=1.0, stiffness=1.0)
    return SectionNumbers(
        mass=_one("mass"),
        disc_inertia=_one("disc_inertia"),
        joint=tuple(inputs("joint", 3)),
        length=_one("length"),
        shape_map=_pattern("shape_map", section.shape_map),
        length_map=_pattern("length_map", section.length_map),
        stiffness_matrix=symmetric_inputs("stiffness", 3),
        damping_matrix=symmetric_inputs("damping", 3),
        beta_linear=tuple(inputs("beta_linear", 3)),
        beta_angular=tuple(inputs("beta_angular", 3)),
    )


def _one(name: str) -> Any:
    return inputs(name, 1)[0]


def _pattern(name: str, matrix: Any) -> Any:
    """A matrix of fresh inputs with the zeros, signs and repeats of the muscle maps of a section of radius 1.

    Entries of the column or row of s do not depend on the radius: they are numbers.
    """
    found = np.empty((3, 3), dtype=object)
    sizes: dict[float, Any] = {}
    for index in np.ndindex(3, 3):
        value = float(matrix[index])
        free = index[0 if name == "shape_map" else 1] < 2
        if not free or value == 0:
            found[index] = value
            continue
        size = round(abs(value), 12)
        symbol = sizes.setdefault(size, _one(f"{name}_{len(sizes)}"))
        found[index] = symbol if value > 0 else -symbol
    return found


SECTION = Struct("Section", Pack.tight(_any_section()), constant=True)
MUSCLE = Struct("Muscle", Pack.plain(Muscle(inputs("row", 3), *(_one(name) for name in Muscle._fields[1:]))), True)
VALVE = Struct("ValveStep", Pack.plain(ValveStep(*(_one(name) for name in ValveStep._fields))), constant=True)
BRANCH = Struct("Branch", Pack.plain(Branch(*(_one(name) for name in Branch._fields))), constant=True)
BRANCH_STEP = Struct("BranchStep", Pack.plain(BranchStep(*(_one(name) for name in BranchStep._fields))), constant=True)
STOP = Struct("Stop", Pack.plain(Stop(inputs("row", 3), *(_one(name) for name in Stop._fields[1:]))), constant=True)


def flat(struct: Struct, value: Any) -> list[Any]:
    """Something as the numbers of its struct, in their order; complex ones stay so."""
    return [number if isinstance(number, complex) else float(number) for number in struct.pack.of(value)]
