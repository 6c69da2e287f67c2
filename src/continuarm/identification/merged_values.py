"""Values of an arm that differ from section to section, and that a fit makes one number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.identification.fittable_names import FITTABLE, MATRICES
from continuarm.identification.fittable_parameters import JOINTS, SECTION_FIELDS

EQUAL = 1e-6
"""Values that differ by a smaller part are the same."""


class MergedValues(NamedTuple):
    """A parameter that is one number for values that differ."""

    values: str  # mass is 0.12 and 0.08 kg in the arm
    name: str  # mass
    apart: str  # mass per section: the parameter that keeps them apart

    @property
    def sentence(self) -> str:
        """What was merged, and how it would not be."""
        return f"{self.values}: `{self.name}` makes them one number; `{self.apart}` keeps them apart"


def merged_values(arm: Arm, names: Sequence[str]) -> list[MergedValues]:
    """Of the arm that a search begins with, under the free parameters of these names."""
    found = []
    for name in names:
        quantity = name.split()[0]
        field = {"friction": "hysteresis"}.get(quantity, quantity.removeprefix("bending_"))
        sections = arm.sections[:-1] if field in JOINTS else arm.sections
        plain = name in MATRICES or name.removesuffix(" per section") in MATRICES
        apart = f"{name} per section"
        if apart not in FITTABLE and not plain:  # it is no one number
            continue
        values = [getattr(section, field) for section in sections]
        if plain and any(_differ(value) for value in values if isinstance(value, tuple)):
            of_muscles = all(np.ndim(value) < 2 for value in values)
            apart = f"{quantity} per muscle" if of_muscles else f"{quantity} matrix per section"
        elif apart not in FITTABLE or not _differ(values):
            continue
        found.append(MergedValues(_in_words(field, values), name, apart))
    return found


def _differ(values: Sequence[Any]) -> bool:
    first = values[0]
    if any(np.shape(each) != np.shape(first) or (each is None) != (first is None) for each in values):
        return True
    if first is None:
        return False
    numbers = np.array(values, dtype=float)
    return bool(np.any(np.abs(numbers - numbers[0]) > EQUAL * np.abs(numbers).max(initial=0.0)))


def _in_words(field: str, values: Sequence[Any]) -> str:
    unit = SECTION_FIELDS[field].unit if field in SECTION_FIELDS else JOINTS[field][0] if field in JOINTS else ""
    if all(isinstance(each, float) for each in values):
        *first, last = dict.fromkeys(f"{each:.6g}" for each in values)
        numbers = f"{', '.join(first)} and {last}"
        return f"{field} is {numbers} {unit} in the arm"
    return f"{field} differs between the sections or muscles of the arm"
