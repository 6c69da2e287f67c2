"""How the points of a sweep are computed, and what is known of the result before: all that can be refused is, here."""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.arms.parameters import moved, require_apart
from continuarm.common.argument_checks import kind_of, truth_value
from continuarm.common.number_checks import seed_number
from continuarm.common.text import printable, short
from continuarm.engine.compiled import PROCESSORS
from continuarm.simulation.rollouts import rollout
from continuarm.sweeps.outputs import OUTPUTS, Variable, chosen_outputs, output_labels
from continuarm.sweeps.points import Points, check_size
from continuarm.sweeps.tasks import ArmTask, FunctionTask

MOST_NUMBERS = 10_000_000
"""That `rollout` gives for one part, 80 MB."""


@dataclass(frozen=True)
class Plan:
    """A task, and the arrays that it gives, where they are known before."""

    task: ArmTask | FunctionTask
    title: str
    variables: dict[str, Variable] = field(default_factory=dict)
    labels: dict[str, list[Any]] = field(default_factory=dict)
    steps: int = 0
    """That an arm makes."""
    numbers: int = 0
    """That `rollout` gives for an arm."""

    def chunk(self, count: int) -> int:
        """How many points are computed together: some parts for each processor, and not too large."""
        if isinstance(self.task, FunctionTask):
            return min(64, math.ceil(count / (16 * PROCESSORS)))
        return max(1, min(MOST_NUMBERS // self.numbers, 256, math.ceil(count / (4 * PROCESSORS))))


def plan_of(function_or_arm: Any, points: Points, choices: Mapping[str, Any]) -> Plan:
    """The plan for what a user gave; choices are those keywords of `sweep` that say what is computed."""
    if isinstance(function_or_arm, Arm):
        return _arm_plan(function_or_arm, points, choices)
    if isinstance(function_or_arm, type) or not callable(function_or_arm):
        raise TypeError(f"function_or_arm is {kind_of(function_or_arm)}: must be an Arm or a function")
    for name in ("input", "duration", "wrench", "outputs"):
        if choices[name] is not None:
            raise ValueError(f"{name}: must be left out where function_or_arm is a function, which drives arms itself")
    vectorized = truth_value("vectorized", choices["vectorized"])
    seed = None if choices["seed"] is None else seed_number("seed", choices["seed"])
    _check_signature(function_or_arm, [*points.names, *["rng"] * (seed is not None)])
    name = getattr(function_or_arm, "__name__", type(function_or_arm).__name__)
    return Plan(FunctionTask(function_or_arm, vectorized, seed), f"Sweep of {printable(name)}")


def _check_signature(function: Any, given: list[str]) -> None:
    try:
        signature = inspect.signature(function)
    except (ValueError, TypeError):  # a compiled function may have none
        return
    try:
        signature.bind(**dict.fromkeys(given))
    except TypeError as error:
        raise ValueError(f"function_or_arm does not take {', '.join(given)} as keywords: {error}") from None


def _arm_plan(arm: Arm, points: Points, choices: Mapping[str, Any]) -> Plan:
    """Moves the arm itself once: whatever is wrong with the motion is refused before any point is computed."""
    for name, nothing in (("vectorized", False), ("seed", None)):
        if choices[name] is not nothing:
            raise ValueError(f"{name} = {short(choices[name])}: must be left out for an arm, it is for functions")
    for name in points.names:
        moved(arm, name, 0.0, "variations")
    require_apart(arm, "variations", points.names)
    outputs = chosen_outputs(choices["outputs"])
    motion: dict[str, Any] = {name: choices[name] for name in ("input", "duration", "step", "wrench", "every")}
    motion["outputs"] = sorted({OUTPUTS[name].needs for name in outputs})
    found = rollout(arm, **motion)
    is_array = motion["duration"] is None  # rollout has refused all else
    if isinstance(motion["input"], (list, tuple, np.ndarray)) and np.ndim(motion["input"]) > 2:
        raise ValueError("input has an axis of arms: must be (steps, muscles), the same for all points")
    steps = len(motion["input"]) if is_array else round(motion["duration"] / motion["step"])
    if steps % motion["every"]:
        raise ValueError(f"every = {motion['every']}: must divide the steps of the motion, {steps}")
    variables = {name: OUTPUTS[name].variable for name in outputs}
    labels = output_labels(arm, found.t, outputs)
    sizes = [math.prod(len(labels[each]) for each in variable.dimensions) for variable in variables.values()]
    check_size("outputs", points.count, sum(sizes))
    return Plan(
        ArmTask(arm, motion, outputs),
        f"Sweep of {printable(arm.name)}",
        variables,
        labels,
        steps,
        len(found.t) * (6 * arm.n + 5),
    )
