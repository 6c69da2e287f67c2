"""Where an arm with its muscles rests under commands."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from continuarm.dynamics.commands import Commands
from continuarm.dynamics.plant import Plant
from continuarm.statics.equilibrium_search import Equilibria, equilibria

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
