"""The recorded steps as JavaScript: one function a step, so that browsers compile each of them.

All numbers of a simulation are in one Float64Array `m`; an argument of a step is the place where its numbers begin.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import ClassVar

from continuarm.arms.arm import Arm
from continuarm.drawing.bodies import payload_place
from continuarm.engine.arithmetic import Arithmetic, Language, structs
from continuarm.engine.recorder import Numbers, Recorder, Step, Struct
from continuarm.engine.section_numbers import is_integral
from continuarm.engine.steps import LAYOUTS, MODELS, steps
from continuarm.sections.muscles_and_valves import along
from continuarm.viewer.rig import turn_rows

OF_MOTION = (
    *("margins", "outward", "payload_body", "end_stop", "stop_stiffness", "spring", "lift"),
    *("weigh", "weigh_base", "absorb", "absorb_base", "absorb_tip", "absorb_only", "respond", "respond_tip"),
    *("stiffen", "stiffen_base", "impedance", "lean", "first_stage", "second_stage", "end_of_step"),
    *("kinetic", "payload_kinetic", "fall", "payload_fall", "attach", "place", "place_centre", "feel_wrench"),
    *("one_more_along", "half_ahead", "muscle_ahead", "section_work", "muscle_work", "branch_ahead", "branch_work"),
    *("ramp", "part_of_mean", "acting_mean"),
)
"""The steps of `engine.steps` that an implicit step, its commands and its picture take, without the inertia model."""


class JavaScript(Language):
    """Functions over one array of numbers; there is no fused multiply-add."""

    operations: ClassVar[dict[str, str]] = {
        "sum": "{0} + {1}",
        "difference": "{0} - {1}",
        "product": "{0} * {1}",
        "negative": "-{0}",
        "reciprocal": "1 / {0}",
        "positive": "{0} > 0 ? {0} : 0",
        "is_positive": "{0} > 0 ? 1 : 0",
        "product_plus": "{0} * {1} + {2}",
        "product_minus": "{0} * {1} - {2}",
        "minus_product": "{2} - {0} * {1}",
    }

    def number(self, value: float) -> str:
        return repr(value)

    def definition(self, name: str, value: str) -> str:
        return f"const {name} = {value};"

    def place(self, each: str, layout: Struct | Numbers, k: int) -> str:
        return f"m[{each} + {k}]" if k else f"m[{each}]"

    def function(self, arithmetic: Arithmetic) -> str:
        step = arithmetic.step
        names = ", ".join(["m", *step.inputs, *arithmetic.written.values()])
        head = [f"// {step.about} {arithmetic.counted()['total']} operations.", f"function {step.name}({names}) {{"]
        return "\n".join([*head, *arithmetic.body(self), "}\n"])


def script(arm: Arm) -> str:
    """The steps that an arm needs, with those of its inertia model, and the sizes of the structs between them."""
    return _script(next(name for name, _ in MODELS if (name == "integral") == is_integral(arm.inertia)))


@cache
def _script(model: str) -> str:
    made, language = _steps(model), JavaScript()
    sizes = {struct.name: len(struct.pack) for struct in structs(made)}
    head = f"// Printed by continuarm from its Python formulas.\n\nconst SIZES = {json.dumps(sizes)};\n"
    return "\n".join([head, *(language.function(Arithmetic(step)) for step in made)])


def _steps(model: str) -> list[Step]:
    recorded = {step.name: step for step in steps()}
    return [_of_model(recorded, name, model) for name in OF_MOTION] + _of_pictures()


def _of_model(recorded: Mapping[str, Step], name: str, model: str) -> Step:
    """A step by its name; one that is recorded for every inertia model, that of the model under the plain name."""
    return recorded[name] if name in recorded else recorded[f"{name}_{model}"]._replace(name=name)


def _of_pictures() -> list[Step]:
    """What a page alone wants: lengths of muscles, turns of discs, where the payload is."""
    recorder = Recorder(LAYOUTS | {"turns": Numbers((4, 4)), "there": Numbers((3,))})
    recorder.record(along, "value")
    recorder.record(turn_rows, "turns")
    recorder.record(payload_place, "there")
    return recorder.steps
