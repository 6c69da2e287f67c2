"""An arm as native code holds it."""

from __future__ import annotations

from typing import Any

from continuarm.arms.arm import Arm
from continuarm.engine.compiled import native
from continuarm.engine.section_numbers import flat_parameters, model_kind


def native_arm(arm: Arm) -> Any:
    """The arm's numbers in native memory, made once."""
    made = vars(arm).get("_native")
    if made is None:
        mass, offset = arm.point_mass
        made = native.Handle(
            [flat_parameters(section, arm.inertia) for section in arm.sections],
            model_kind(arm.inertia) == "integral",
            arm.base_gravity.tolist(),
            [*arm.base_orientation.ravel().tolist(), 0.0, 0.0, 0.0],
            mass,
            list(offset),
            [
                [[*muscle, *limits, stiffness] for muscle, limits, stiffness in section.stops]
                for section in arm.sections
            ],
        )
        vars(arm)["_native"] = made
    return made
