"""The muscles: from the pressure a valve is told to the force on the arm.

A muscle pushes with A max(P - P0, 0), is stiffer by κ P than without pressure, and is held back by hysteresis h:

    force = A max(P - P0, 0) - κ P l - h,    T Ṗ = command - P,    ḣ = a l̇ - b |l̇| h - g l̇ |h|  (Bouc and Wen)

with l its length change. Without a lag T the pressure is the command; without hysteresis h = 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.sections.spatial import Array, positive_part, size_of


class Muscle(NamedTuple):
    """The constants of a muscle, or arrays of those of all muscles of an arm."""

    area: Array  # A, m²
    dead_zone: Array  # P0, Pa
    stiffening: Array  # κ, N/m per Pa
    valve: Array  # 1/T, 1/s; 0: no lag
    build: Array  # a, N/m
    release: Array  # b, 1/m
    skew: Array  # g, 1/m


class Answer(NamedTuple):
    """What a muscle does at a state, and what an implicit solver wants to know of it."""

    push: Array  # N, without hysteresis
    pressure_rate: Array  # Pa/s
    held_rate: Array  # N/s
    stiffness: Array  # N/m: about how much of its force falls as it lengthens
    forgetting: Array  # 1/s: about how fast hysteresis forgets


def answer(muscle: Muscle, command: Array, pressure: Array, held: Array, length: Array, rate: Array) -> Answer:
    """Force and rates of a muscle: command and pressure in Pa, h in N, l and l̇ in m and m/s."""
    stiffness = muscle.stiffening * pressure
    forgetting = muscle.release * size_of(rate)
    return Answer(
        push=muscle.area * positive_part(pressure - muscle.dead_zone) - stiffness * length,
        pressure_rate=muscle.valve * (command - pressure),
        held_rate=muscle.build * rate - forgetting * held - muscle.skew * rate * size_of(held),
        stiffness=stiffness + muscle.build,
        forgetting=forgetting,
    )


class Actuation:
    """All muscles of an arm, in order from the base: their constants (muscles,) and their lengths over q."""

    def __init__(self, arm: Arm) -> None:
        rows, constants = [], []
        for i, section in enumerate(arm.sections):
            for muscle in section.muscle_map:
                row = np.zeros(3 * arm.n)
                row[3 * i : 3 * i + 3] = muscle
                rows.append(row)
                constants.append(
                    Muscle(
                        area=section.muscle_area or 0.0,
                        dead_zone=section.dead_zone,
                        stiffening=section.pressure_stiffness,
                        valve=1 / section.valve_lag if section.valve_lag else 0.0,
                        **dict(zip(("build", "release", "skew"), section.hysteresis or (0.0, 0.0, 0.0), strict=True)),
                    )
                )
        self.map = np.array(rows)
        """(muscles, 3n): length changes of the muscles over q."""
        self.constants = Muscle(*np.array(constants).T)
        self.lagged = self.constants.valve > 0
        self.remembers = bool(self.lagged.any() or (self.constants.build > 0).any())
        """Whether the muscles have a state of their own: pressures behind valves, hysteresis."""

    def pressures(self, commands: Array, states: Array) -> Array:
        """What is in the muscles: the state where a valve lags, the command elsewhere: (..., muscles), Pa."""
        return np.where(self.lagged, states, commands)

    def answers(self, commands: Array, pressures: Array, held: Array, q: Array, qd: Array) -> Answer:
        """The answer of every muscle: (..., muscles) each, for q and q̇ (..., 3n)."""
        return answer(self.constants, commands, pressures, held, q @ self.map.T, qd @ self.map.T)

    def forces(self, pressures: Array, held: Array, q: Array) -> Array:
        """τ of all muscles, hysteresis included: (..., 3n), N."""
        found = self.answers(pressures, pressures, held, q, np.zeros_like(q))
        return (found.push - held) @ self.map
