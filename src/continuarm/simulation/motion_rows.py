"""The rows of a motion, made of those of its states and of its commands."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from continuarm.common.number_checks import Floats
from continuarm.dynamics.plant import Plant
from continuarm.engine import compiled
from continuarm.engine.native_arm import native_plant
from continuarm.engine.state_checks import checked


class MotionRows(NamedTuple):
    """What a `Motion` shows at k times, each under the name that it has there."""

    q: Floats  # (k, 3n), m
    qd: Floats  # (k, 3n), m/s
    tau: Floats  # (k, 3n), N
    pressures: Floats  # (k, muscles), Pa
    hysteresis: Floats  # (k, muscles), N, with creep
    wrench: Floats  # (k, 6), N m and N
    supplied: Floats  # (k,), J
    dissipated: Floats  # (k,), J


def motion_rows(plant: Plant, states: Floats, commands: Floats) -> tuple[MotionRows, bool]:
    """The rows of states (k, width), which slopes may follow, under commands (k, commands).

    Also whether the model holds at all of them.
    """
    if compiled.native is None:
        return _by_numpy(plant, states[:, : plant.states.width], commands)
    count, size, muscles = len(states), 3 * plant.arm.n, len(plant.muscles)
    shapes = *((count, width) for width in (size, size, size, muscles, muscles, 6)), (count,), (count,)
    made = MotionRows._make(map(np.empty, shapes))
    holds = native_plant(plant).motion_rows(np.ascontiguousarray(states), np.ascontiguousarray(commands), *made)
    return made, holds


def _by_numpy(plant: Plant, states: Floats, commands: Floats) -> tuple[MotionRows, bool]:
    commanded, here = plant.commands.split(commands), plant.states.split(states)
    held_back = here.hysteresis + here.creep.sum(axis=-2) if plant.branches else here.hysteresis
    pressures = plant.pressures(commanded.pressures, here.pressures)
    tau = commanded.forces + plant.muscle_forces(pressures, held_back, here.q)
    made = MotionRows(here.q, here.qd, tau, pressures, held_back, commanded.wrench, here.supplied, here.dissipated)
    made = MotionRows._make(map(np.ascontiguousarray, made))
    try:
        checked(plant.arm, q=made.q, qd=made.qd)
    except ValueError:
        return made, False
    return made, True
