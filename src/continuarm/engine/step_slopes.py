"""Implicit steps of a plant with their exact slopes: what control and estimation linearise.

    x⁺ = F(x, u, p),    A = ∂F/∂x,    B = ∂F/∂u,    E = ∂F/∂p

F is some implicit steps of one length under inputs u that are held, p are numbers of the arm. x is what moves of a
state: q, q̇ and what muscles remember where they do; work done is left out, as nothing depends on it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from continuarm.common.number_checks import Floats
from continuarm.dynamics.plant import Plant
from continuarm.engine import compiled
from continuarm.engine.directions import NOWHERE, Directions
from continuarm.engine.native_arm import native_plant


class Swept(NamedTuple):
    """States after rows of commands and how they change with what was before each."""

    states: Floats  # (rows, width)
    A: Floats  # (rows, moving, moving), by the state before
    B: Floats  # (rows, moving, inputs), by what is commanded
    E: Floats  # (rows, moving, parameters), by numbers of the arm


class StepSlopes:
    """The step of a plant over a time, s, in so many implicit steps.

    inputs: (commands, inputs), by how much each number of the commands changes with each input. directions: numbers of
    the arm by which steps are differentiated as well.
    """

    def __init__(
        self, plant: Plant, duration: float, substeps: int, inputs: Floats, directions: Directions = NOWHERE
    ) -> None:
        if compiled.native is None:
            raise ValueError(f"slopes of steps: {compiled.NOT_BUILT}")
        self.plant, self.substeps, self.length = plant, substeps, duration / substeps
        self.moving = moving_numbers(plant)
        """Which numbers of a state move."""
        nx, nu = len(self.moving), inputs.shape[1]
        count = nx + nu + len(directions)
        states, commands = np.zeros((count, plant.states.width)), np.zeros((plant.commands.width, count))
        states[np.arange(nx), self.moving] = 1.0
        commands[:, nx : nx + nu] = inputs
        self._native_plant = native_plant(plant, self.length)
        constants = np.zeros((self._native_plant.constants(), count))
        if directions:
            constants[:, nx + nu :] = directions.constant_slopes(self.length)
        self._native: Any = compiled.native.StepSlopes(self._native_plant, states, commands, constants)
        self._cuts, self._count = (nx, nx + nu), count

    def sweep(self, start: Floats, commands: Floats) -> Swept | None:
        """From a state (width,) under rows of commands, each held for the time; None where the model's range ends."""
        out = np.empty((len(commands), 1 + self._count, self.plant.states.width))
        if self._native.sweep(start, commands, self.length, self.substeps, out) < len(commands):
            return None
        slopes = out[:, 1:, self.moving].transpose(0, 2, 1)
        at = self._cuts
        return Swept(out[:, 0], slopes[..., : at[0]], slopes[..., at[0] : at[1]], slopes[..., at[1] :])

    def states(self, start: Floats, commands: Floats) -> Floats | None:
        """The states alone, (rows, width); None where the model's range ends."""
        each = commands if self.substeps == 1 else np.repeat(commands, self.substeps, axis=0)
        states = np.empty((len(each), self.plant.states.width))
        if self._native_plant.forward_sweep(start, each, self.length, states) < len(each):
            return None
        return states[self.substeps - 1 :: self.substeps]


def moving_numbers(plant: Plant) -> Any:
    """Which numbers of a state move: q, q̇, pressures behind valves that lag, hysteresis and creep where there are."""
    layout, muscles = plant.states, len(plant.muscles)
    moves = np.zeros(layout.width, dtype=bool)
    moves[: layout.pressures] = True
    if layout.remembers:
        moves[layout.pressures : layout.hysteresis] = plant.lagged
        moves[layout.hysteresis : layout.creep] = [np.real(muscle.loop_a) > 0 for _, muscle in plant.muscles]
        for b, branches in enumerate(plant.branches):
            at = layout.creep + b * muscles
            moves[at : at + muscles] = [np.real(branch.stiffness) > 0 for branch in branches]
    return np.flatnonzero(moves)
