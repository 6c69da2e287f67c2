"""The plant: an arm with its muscles and valves, what drives it, and where the work goes.

One state, one rate and one implicit step. They are written for one section and one muscle at a time, as functions that
the engine records; `Plant` runs them over all of an arm in NumPy, for one state or for rows of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.arms.section import Section
from continuarm.common.number_checks import Floats
from continuarm.dynamics.chain import section_by_section
from continuarm.dynamics.commands import CommandLayout
from continuarm.dynamics.forward import forward_dynamics
from continuarm.dynamics.implicit import implicit_step
from continuarm.dynamics.poses import wrench_forces
from continuarm.sections.model_range import margins
from continuarm.sections.muscles_and_valves import (
    Muscle,
    ValveStep,
    along,
    forgetting,
    hysteresis_rate,
    muscles_of,
    pressure_rate,
    push,
    stiffness,
    valve_moves,
    valve_step,
)
from continuarm.sections.spatial import Array, dot, scaled, vector
from continuarm.sections.springs import damping_power, spring_over_lengths, stop_stiffness


class State(NamedTuple):
    """A state of a plant, or rows of them."""

    q: Floats  # (..., 3n), m
    qd: Floats  # (..., 3n), m/s
    pressures: Floats  # (..., muscles), Pa, behind the valves; not used where a valve does not lag
    hysteresis: Floats  # (..., muscles), N, by which each muscle is held back
    supplied: Floats  # (...,), J, work of pressures, forces and wrench since the start
    dissipated: Floats  # (...,), J, taken by dampers and hysteresis since the start


class StateLayout:
    """Rows of numbers (..., width) that hold states: q, q̇, pressures and hysteresis where they matter, energies."""

    def __init__(self, size: int, muscles: int, remembers: bool) -> None:
        self.size, self.muscles, self.remembers = size, muscles, remembers
        self.pressures = 2 * size
        self.hysteresis = self.pressures + (muscles if remembers else 0)
        self.supplied = self.hysteresis + (muscles if remembers else 0)
        self.dissipated = self.supplied + 1
        self.width = self.dissipated + 1

    def split(self, rows: Floats) -> State:
        """The parts of rows."""
        nothing = np.zeros((*rows.shape[:-1], self.muscles))
        return State(
            q=rows[..., : self.size],
            qd=rows[..., self.size : self.pressures],
            pressures=rows[..., self.pressures : self.hysteresis] if self.remembers else nothing,
            hysteresis=rows[..., self.hysteresis : self.supplied] if self.remembers else nothing,
            supplied=rows[..., self.supplied],
            dissipated=rows[..., self.dissipated],
        )

    def rows(self, state: State) -> Floats:
        """Rows from their parts."""
        memory = [state.pressures, state.hysteresis] if self.remembers else []
        energies = [np.asarray(state.supplied)[..., None], np.asarray(state.dissipated)[..., None]]
        return np.concatenate([state.q, state.qd, *memory, *energies], axis=-1)


class Plant:
    """An arm with its muscles and valves."""

    def __init__(self, arm: Arm) -> None:
        self.arm = arm
        self.muscles: list[tuple[int, Muscle]] = [
            (i, muscle) for i, section in enumerate(arm.sections) for muscle in muscles_of(section)
        ]
        """The section and the constants of every muscle, from the base."""
        constants = [muscle for _, muscle in self.muscles]
        self.lagged = np.array([muscle.valve_rate > 0 for muscle in constants])
        """(muscles,): whether the pressure is a state of its own, behind a valve."""
        remembers = bool(self.lagged.any() or any(muscle.loop_a > 0 for muscle in constants))
        self.states = StateLayout(3 * arm.n, len(constants), remembers)
        self.commands = CommandLayout(arm)
        self.thresholds = np.where(self.lagged, 0.0, [muscle.dead_zone for muscle in constants])
        """(muscles,), Pa: commands below do nothing; a valve that lags averages all pressures by itself."""

    def first_state(self, q: Floats, qd: Floats | None = None, pressures: Floats | None = None) -> Floats:
        """A row that holds q (3n,), q̇ and the pressures in the muscles (muscles,), zero if left out; no work done."""
        nothing, none = np.zeros(len(self.muscles)), np.zeros(())
        qd = np.zeros_like(q) if qd is None else qd
        return self.states.rows(State(q, qd, nothing if pressures is None else pressures, nothing, none, none))

    def rate(self, commands: Floats, rows: Floats) -> Floats:
        """The rate of change of states (..., width) under commands (..., width)."""
        given, here = self.commands.split(commands), self.states.split(rows)
        tau = given.forces + self._wrench_forces(here.q, given.wrench)
        power = np.zeros((*rows.shape[:-1], 2))
        for section, taui, qdi in section_by_section(self.arm, tau, here.qd):
            power = section_power(section, taui, qdi, power)
        pressures = self.pressures(given.pressures, here.pressures)
        pressure_rates, hysteresis_rates = np.zeros_like(pressures), np.zeros_like(pressures)
        tau = tau.copy()
        for j, (i, muscle) in enumerate(self.muscles):
            own = slice(3 * i, 3 * i + 3)
            tau[..., own], power, pressure_rates[..., j], hysteresis_rates[..., j] = muscle_rate(
                muscle,
                given.pressures[..., j],
                pressures[..., j],
                here.hysteresis[..., j],
                here.q[..., own],
                here.qd[..., own],
                tau[..., own],
                power,
            )
        qdd = forward_dynamics(self.arm, here.q, here.qd, tau)
        return self.states.rows(State(here.qd, qdd, pressure_rates, hysteresis_rates, power[..., 0], power[..., 1]))

    def step(self, commands: Floats, rows: Floats, step: float) -> Floats:
        """States a step h later, in one implicit step under commands that are means over it.

        Valves are followed exactly, muscles and wrench are taken half a step ahead.
        """
        given, here = self.commands.split(commands), self.states.split(rows)
        ahead = half_ahead(here.q, here.qd, step)
        tau = given.forces + self._wrench_forces(ahead, given.wrench)
        pressures, halfway = here.pressures.copy(), np.zeros_like(here.hysteresis)
        for j, (i, muscle) in enumerate(self.muscles):
            own = slice(3 * i, 3 * i + 3)
            tau[..., own], end, halfway[..., j] = muscle_ahead(
                muscle,
                valve_step(muscle, step),
                given.pressures[..., j],
                here.pressures[..., j],
                here.hysteresis[..., j],
                ahead[..., own],
                here.qd[..., own],
                tau[..., own],
                step,
            )
            if self.lagged[j]:
                pressures[..., j] = end
        q, qd = implicit_step(self.arm, here.q, here.qd, tau, step)
        moved, energy = np.zeros_like(q), vector(here.supplied, here.dissipated)
        for i, section in enumerate(self.arm.sections):
            own = slice(3 * i, 3 * i + 3)
            moved[..., own], energy = section_work(section, here.q[..., own], q[..., own], tau[..., own], energy, step)
        hysteresis = here.hysteresis.copy()
        for j, (i, muscle) in enumerate(self.muscles):
            hysteresis[..., j], energy = muscle_work(
                muscle, halfway[..., j], here.hysteresis[..., j], moved[..., 3 * i : 3 * i + 3], energy
            )
        return self.states.rows(State(q, qd, pressures, hysteresis, energy[..., 0], energy[..., 1]))

    def tangent(self, commands: Floats, rows: Floats) -> tuple[Floats, Floats]:
        """What is stiff: ∂(forces)/∂q of springs, stops and muscles (..., n, 3, 3), N/m; and relaxation rates, 1/s.

        The rates are those of pressures and hysteresis, (..., 2 · muscles), none where muscles have no memory.
        """
        given, here = self.commands.split(commands), self.states.split(rows)
        pressures = self.pressures(given.pressures, here.pressures)
        blocks = []
        for section, qi in section_by_section(self.arm, here.q):
            block = np.broadcast_to(section.stiffness_matrix, (*rows.shape[:-1], 3, 3))
            for stop in section.stops:
                block = block + stop_stiffness(stop, qi)
            blocks.append(block)
        relaxation = np.zeros((*rows.shape[:-1], 2, len(self.muscles)))
        for j, (i, muscle) in enumerate(self.muscles):
            own = slice(3 * i, 3 * i + 3)
            blocks[i], relaxation[..., 0, j], relaxation[..., 1, j] = muscle_tangent(
                muscle, pressures[..., j], here.qd[..., own], blocks[i]
            )
        flat = relaxation.reshape(*rows.shape[:-1], -1)
        return np.stack(blocks, axis=-3), flat if self.states.remembers else flat[..., :0]

    def margin(self, rows: Floats) -> Floats:
        """How far the nearest section is from where the model ends, (...,): positive where the model holds."""
        q = self.states.split(rows).q
        found = [margin for section, qi in section_by_section(self.arm, q) for margin in margins(section, qi)]
        return np.min(np.stack(np.broadcast_arrays(*found)), axis=0)

    def pressures(self, commands: Floats, states: Floats) -> Floats:
        """What is in the muscles: the state where a valve lags, the command elsewhere: (..., muscles), Pa."""
        return np.where(self.lagged, states, commands)

    def muscle_forces(self, pressures: Floats, hysteresis: Floats, q: Floats) -> Floats:
        """τ of all muscles: (..., 3n), N."""
        tau, batch = np.zeros((*pressures.shape[:-1], 3 * self.arm.n)), tuple(range(pressures.ndim - 1))
        for j in np.flatnonzero((pressures != 0).any(axis=batch) | (hysteresis != 0).any(axis=batch)):
            i, muscle = self.muscles[j]
            own = slice(3 * i, 3 * i + 3)
            force = push(muscle, pressures[..., j], along(muscle, q[..., own])) - hysteresis[..., j]
            tau[..., own] += force[..., None] * muscle.row
        return tau

    def muscle_stiffnesses(self, pressures: Floats) -> Floats:
        """κ P of every muscle, by which it is stiffer under pressure at rest: (..., muscles), N/m."""
        return pressures * np.array([muscle.pressure_stiffness for _, muscle in self.muscles])

    def _wrench_forces(self, q: Floats, wrench: Floats) -> Floats:
        if not wrench.any():
            return np.zeros_like(q)
        return np.asarray(wrench_forces(self.arm, q, wrench))


# ---- One section, one muscle: what is recorded -----------------------------------------------------------------------


def section_power(section: Section, tau: Array, qd: Array, power: Array) -> Array:
    """Supplied and dissipated power (..., 2), W, with what forces over q_i supply and dampers take."""
    supplied, dissipated = power[..., 0], power[..., 1]
    return vector(supplied + dot(tau, qd), dissipated + damping_power(section, qd))


def muscle_rate(
    muscle: Muscle,
    command: Array,
    pressure: Array,
    hysteresis: Array,
    q: Array,
    qd: Array,
    tau: Array,
    power: Array,
) -> tuple[Array, Array, Array, Array]:
    """τ_i and power with those of one muscle, and the rates of its pressure, Pa/s, and of its hysteresis, N/s."""
    length, rate = along(muscle, q), along(muscle, qd)
    force = push(muscle, pressure, length)
    return (
        tau + scaled(force - hysteresis, muscle.row),
        vector(power[..., 0] + force * rate, power[..., 1] + hysteresis * rate),
        pressure_rate(muscle, command, pressure),
        hysteresis_rate(muscle, hysteresis, rate),
    )


def muscle_tangent(muscle: Muscle, pressure: Array, qd: Array, block: Array) -> tuple[Array, Array, Array]:
    """K over q_i (..., 3, 3) with that of one muscle, and how fast its pressure and its hysteresis relax, 1/s."""
    stiffer = block + spring_over_lengths(stiffness(muscle, pressure), muscle.row)
    return stiffer, muscle.valve_rate, forgetting(muscle, along(muscle, qd))


def half_ahead(q: Array, qd: Array, step: Array) -> Array:
    """Lengths half a step ahead: (..., 3n)."""
    return q + step / 2 * qd


def muscle_ahead(
    muscle: Muscle,
    valve: ValveStep,
    command: Array,
    pressure: Array,
    hysteresis: Array,
    q: Array,
    qd: Array,
    tau: Array,
    step: Array,
) -> tuple[Array, Array, Array]:
    """τ_i with one muscle half a step ahead, its pressure at the end of the step, its hysteresis in the middle."""
    mean, end = valve_moves(valve, command, pressure)
    halfway = hysteresis + step / 2 * hysteresis_rate(muscle, hysteresis, along(muscle, qd))
    return tau + scaled(push(muscle, mean, along(muscle, q)) - halfway, muscle.row), end, halfway


def section_work(
    section: Section, q: Array, q_after: Array, tau: Array, energy: Array, step: Array
) -> tuple[Array, Array]:
    """The way of q_i in a step (..., 3), m, and the energies (..., 2) with what forces supplied and dampers took, J."""
    moved = q_after - q
    supplied, dissipated = energy[..., 0], energy[..., 1]
    return moved, vector(supplied + dot(tau, moved), dissipated + damping_power(section, moved) / step)


def muscle_work(muscle: Muscle, halfway: Array, hysteresis: Array, moved: Array, energy: Array) -> tuple[Array, Array]:
    """Hysteresis of a muscle after a step, and the energies with what it took, which its muscle had to supply."""
    way = along(muscle, moved)
    taken = halfway * way
    after = hysteresis + hysteresis_rate(muscle, halfway, way)
    return after, vector(energy[..., 0] + taken, energy[..., 1] + taken)
