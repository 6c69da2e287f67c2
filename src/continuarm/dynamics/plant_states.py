"""States of a plant, what is stiff at them, and how they lie in rows of numbers: one layout for solvers and files."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from continuarm.common.number_checks import Floats


class State(NamedTuple):
    """A state of a plant, or rows of them."""

    q: Floats  # (..., 3n), m
    qd: Floats  # (..., 3n), m/s
    pressures: Floats  # (..., muscles), Pa, behind the valves; not used where a valve does not lag
    hysteresis: Floats  # (..., muscles), N, by which each muscle is held back
    creep: Floats  # (..., branches, muscles), N, by which relaxing branches hold each muscle back
    supplied: Floats  # (...,), J, work of pressures, forces and wrench since the start
    dissipated: Floats  # (...,), J, taken by dampers, hysteresis and creep since the start


class Tangent(NamedTuple):
    """What is stiff at a state of a plant, or at rows of them.

    Of every number that muscles remember, in the order of a state (pressures, hysteresis, creep): what it does to the
    force of its muscle, how it is built up as the muscle lengthens, and how fast it relaxes by itself.
    """

    blocks: Floats  # (..., n, 3, 3), N/m: K over q_i of springs, stops and muscles under pressure
    pushes: Floats  # (..., memory): ∂(force)/∂(number), m² for a pressure, -1 for hysteresis and creep
    slopes: Floats  # (..., memory): ∂(its rate)/∂l̇, N/m; 0 for a pressure
    relaxation: Floats  # (..., memory), 1/s


class StateLayout:
    """Rows of numbers (..., width) that hold states: q, q̇, what muscles remember where they do, energies."""

    def __init__(self, size: int, muscles: int, remembers: bool, branches: int = 0) -> None:
        self.size, self.muscles, self.remembers, self.branches = size, muscles, remembers, branches
        memory = muscles if remembers else 0
        self.pressures = 2 * size
        self.hysteresis = self.pressures + memory
        self.creep = self.hysteresis + memory
        self.supplied = self.creep + branches * memory
        self.dissipated = self.supplied + 1
        self.width = self.dissipated + 1

    def split(self, rows: Floats) -> State:
        """The parts of rows."""
        nothing = np.zeros((*rows.shape[:-1], self.muscles), dtype=rows.dtype)
        return State(
            q=rows[..., : self.size],
            qd=rows[..., self.size : self.pressures],
            pressures=rows[..., self.pressures : self.hysteresis] if self.remembers else nothing,
            hysteresis=rows[..., self.hysteresis : self.creep] if self.remembers else nothing,
            creep=rows[..., self.creep : self.supplied].reshape(*rows.shape[:-1], self.branches, self.muscles),
            supplied=rows[..., self.supplied],
            dissipated=rows[..., self.dissipated],
        )

    def rows(self, state: State) -> Floats:
        """Rows from their parts."""
        creep = np.asarray(state.creep).reshape(*np.shape(state.q)[:-1], self.branches * self.muscles)
        memory = [state.pressures, state.hysteresis, creep] if self.remembers else []
        energies = [np.asarray(state.supplied)[..., None], np.asarray(state.dissipated)[..., None]]
        return np.concatenate([state.q, state.qd, *memory, *energies], axis=-1)
