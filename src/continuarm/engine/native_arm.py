"""An arm, and an arm with its muscles, as native code holds them."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.dynamics.plant import Plant
from continuarm.engine import compiled
from continuarm.engine.section_numbers import (
    BRANCH,
    BRANCH_STEP,
    MUSCLE,
    SECTION,
    STOP,
    VALVE,
    flat,
    is_integral,
    section_numbers,
)
from continuarm.sections.muscles_and_valves import branch_step, valve_step


def native_arm(arm: Arm) -> Any:
    """The arm's numbers in native memory, made once."""
    made = vars(arm).get("_native")
    if made is None:
        made = compiled.native.Arm(*arm_numbers(arm))
        vars(arm)["_native"] = made
    return made


def arm_numbers(arm: Arm) -> tuple[Any, ...]:
    """What native code knows of an arm: sections, model, gravity, base frame, payload, and stops by section."""
    mass, offset = arm.carried_mass
    return (
        [flat(SECTION, section_numbers(section, arm.inertia)) for section in arm.sections],
        is_integral(arm.inertia),
        arm.base_gravity.tolist(),
        [*arm.base_orientation.ravel().tolist(), 0.0, 0.0, 0.0],
        mass,
        list(offset),
        [[flat(STOP, stop) for stop in section.stops] for section in arm.sections],
    )


def number_row(arm: Arm) -> Any:
    """All numbers of an arm in one row (numbers,), in the order of constant_numbers in native/arm.hpp; made once.

    Those of an arm whose numbers are complex are complex.
    """
    made = vars(arm).get("_numbers")
    if made is None:
        sections, _, gravity, frame, mass, offset, stops = arm_numbers(arm)
        rows = [*sections, *itertools.chain(*stops), gravity, frame, [mass], offset]
        made = np.array([*itertools.chain(*rows)])
        made.flags.writeable = False
        vars(arm)["_numbers"] = made
    return made


def native_plant(plant: Plant, step: float = 0.0) -> Any:
    """A plant in native memory, made once for an arm and its last step.

    step: s, of fixed steps if there are to be any.
    """
    known = vars(plant.arm).get("_native_plants", {})
    if step not in known:
        made = compiled.native.Plant(native_arm(plant.arm), *plant_numbers(plant, step))
        known = {each: known[each] for each in known if not each} | {step: made}
        vars(plant.arm)["_native_plants"] = known
    return known[step]


def plant_numbers(plant: Plant, step: float) -> tuple[Any, ...]:
    """What native code knows of a plant beside its arm.

    Muscles by section, relaxing branches, what valves and branches do in a step, and layouts.
    """
    by_section: list[list[list[float]]] = [[] for _ in plant.arm.sections]
    for i, muscle in plant.muscles:
        by_section[i].append(flat(MUSCLE, muscle))
    valves = [flat(VALVE, valve_step(muscle, step)) for _, muscle in plant.muscles]
    branches = [branch for own in plant.branches for branch in own]
    kept = [flat(BRANCH_STEP, branch_step(branch, step)) for branch in branches]
    states, commands = plant.states, plant.commands
    offsets = [states.pressures, states.hysteresis, states.creep, states.supplied, states.dissipated, states.width]
    return (
        by_section,
        valves,
        [flat(BRANCH, branch) for branch in branches],
        kept,
        states.remembers,
        offsets,
        [commands.forces, commands.wrench, commands.width],
    )


def constant_row(plant: Plant, step: float) -> Any:
    """All constants of a plant in the order of constant_count in native/arm.hpp: (constants,), complex where they are.

    step: s, of fixed steps, or 0.
    """
    muscles, valves, branches, kept = plant_numbers(plant, step)[:4]
    rows = [number_row(plant.arm), *itertools.chain(*muscles), *valves, *branches, *kept]
    return np.array([*itertools.chain(*rows)])
