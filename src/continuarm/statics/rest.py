"""Where an arm with its muscles rests under commands."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from continuarm.dynamics.commands import Commands
from continuarm.dynamics.plant import Plant
from continuarm.statics.equilibrium_search import Equilibria, equilibria


def resting(plant: Plant, commands: Commands, start: ArrayLike | None = None) -> Equilibria:
    """Where the arm rests under rows of commands (..., ·), pressures settled and hysteresis forgotten.

    start: (..., 3n), m, where the searches begin; q = 0 if left out.
    """
    nothing = np.zeros_like(commands.forces)
    tau = commands.forces + plant.muscle_forces(commands.pressures, np.zeros_like(commands.pressures), nothing)
    springs = plant.muscle_stiffnesses(commands.pressures)
    return equilibria(
        plant.arm, tau, wrench=commands.wrench, muscle_stiffness=springs if springs.any() else None, start=start
    )
