"""Where an arm with its muscles rests under commands."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from continuarm.arms.arm import Arm
from continuarm.common.number_checks import Floats
from continuarm.dynamics.commands import Commands
from continuarm.dynamics.plant import Plant
from continuarm.dynamics.plant_states import State
from continuarm.engine.directions import Directions
from continuarm.engine.muscle_springs import springs_over_q
from continuarm.engine.quantities import mass_matrix, static_stiffness
from continuarm.statics.equilibrium_search import Equilibria, equilibria, equilibrium

MOST_ROUNDS = 30
SETTLED = 1e-13
"""m by which a round of the search moves an arm that is at rest already."""


def resting(plant: Plant, commands: Commands, start: ArrayLike | None = None) -> Equilibria:
    """Where the arm rests under rows of commands (..., ·), pressures settled, hysteresis and creep forgotten.

    start: (..., 3n), m, where the searches begin; q = 0 if left out.
    """
    still, q = np.zeros_like(commands.pressures), np.zeros_like(commands.forces)
    hardens = any(section.hardening for section in plant.arm.sections)
    if hardens and start is not None:
        q = np.broadcast_to(np.asarray(start, dtype=float), q.shape)
    for _ in range(MOST_ROUNDS if hardens else 1):
        # muscles as the springs that they are near q: Newton's method, of one round where they do not harden
        springs = plant.muscle_stiffnesses(commands.pressures, q)
        offset = plant.arm.muscle_forces(springs * plant.arm.muscle_lengths(q)) if hardens else 0.0
        tau = commands.forces + plant.muscle_forces(commands.pressures, still, q) + offset
        found = equilibria(
            plant.arm, tau, wrench=commands.wrench, muscle_stiffness=springs if springs.any() else None, start=start
        )
        moved, q, start = float(np.abs(found.q - q).max(initial=0.0)), found.q, found.q
        if moved < SETTLED:
            break
    return found


def hanging(arm: Arm) -> Floats:
    """q (3n,) where an arm rests without pressures and forces, its preload and hardening springs included.

    Raises ValueError where there is no such place.
    """
    plant = Plant(arm)
    return resting(plant, plant.commands.split(np.zeros(sum(plant.commands.widths)))).q_or_raise(arm)


def place_of_rest(arm: Arm, wrench: ArrayLike | None, muscle_stiffness: ArrayLike | None) -> Floats:
    """Where small motions are about if nothing is said: hanging, or the equilibrium under what is given."""
    if wrench is None and muscle_stiffness is None:
        return hanging(arm)
    return equilibrium(arm, wrench=wrench, muscle_stiffness=muscle_stiffness)


def resting_slopes(plant: Plant, commands: Commands, q: Floats, directions: Directions) -> Floats:
    """How the places q (..., 3n) where an arm rests under commands change: (directions, ..., 3n), m for a unit each.

    dq = K⁻¹ M dq̈, with K the stiffness at rest and q̈ what the arm would do at q if it alone changed.
    """
    arm = plant.arm
    rows, batch = np.concatenate(commands, axis=-1), q.shape[:-1]
    still, empty = np.zeros_like(q), np.zeros((*batch, len(plant.muscles)))
    creep = np.zeros((*batch, len(plant.branches), len(plant.muscles)))
    states = plant.states.rows(State(q, still, empty + commands.pressures, empty, creep, empty[..., 0], empty[..., 0]))
    accelerations = plant.states.split(directions.rate_slopes(plant, rows, states)).qd
    springs = springs_over_q(arm, plant.muscle_stiffnesses(commands.pressures, q))
    stiffness = static_stiffness(arm, q, commands.wrench) + springs
    forces = mass_matrix(arm, q) @ np.moveaxis(accelerations, 0, -1)
    return np.moveaxis(np.asarray(np.linalg.solve(stiffness, forces), dtype=float), -1, 0)


def with_slopes(plant: Plant, state: Floats, rests_under: Commands | None, directions: Directions) -> Floats:
    """A first state followed by its slopes: where the arm rests under commands changes with it, what is given does not.

    rests_under: (·,) each; None of a state that is given.
    """
    slopes = np.zeros((len(directions), len(state)))
    if rests_under is not None and directions:
        at = plant.states.split(state).q
        plant.states.split(slopes).q[:] = resting_slopes(plant, rests_under, at, directions)
    return np.concatenate([state, slopes.ravel()])
