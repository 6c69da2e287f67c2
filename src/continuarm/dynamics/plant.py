"""The plant: an arm with its muscles and valves, what drives it, and where the work goes.

One state, one rate and one implicit step. They are written for one section and one muscle at a time, as functions that
the engine records; `Plant` runs them over all of an arm in NumPy, for one state or for rows of them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.arms.section import Section
from continuarm.common.number_checks import Booleans, Floats
from continuarm.dynamics.chain import section_by_section
from continuarm.dynamics.commands import CommandLayout
from continuarm.dynamics.forward import forward_dynamics
from continuarm.dynamics.implicit import Leaning, implicit_step
from continuarm.dynamics.plant_states import State, StateLayout, Tangent
from continuarm.dynamics.poses import wrench_forces
from continuarm.sections.model_range import margins
from continuarm.sections.muscles_and_valves import (
    Branch,
    BranchStep,
    Muscle,
    ValveStep,
    along,
    branch_step,
    branches_of,
    creep_rate,
    forgetting,
    hysteresis_rate,
    hysteresis_slope,
    muscles_of,
    pressure_rate,
    push,
    push_slope,
    stiffness,
    valve_moves,
    valve_rate,
    valve_step,
)
from continuarm.sections.spatial import Array, dot, magnitude, scaled, vector
from continuarm.sections.springs import damping_power, spring_over_lengths, stop_stiffness


class _Drive:
    """What drives an arm, as the arm says it: muscles, valves, and where their numbers lie in states and commands."""

    def __init__(self, arm: Arm) -> None:
        self.muscles = tuple((i, muscle) for i, section in enumerate(arm.sections) for muscle in muscles_of(section))
        constants = [muscle for _, muscle in self.muscles]
        self.lagged = np.array([np.real(muscle.fill_rate) > 0 for muscle in constants])
        branches = max(len(section.creep) for section in arm.sections)
        self.branches = tuple(
            tuple(branches_of(arm.sections[i], branches)[b] for i, _ in self.muscles) for b in range(branches)
        )
        remembers = bool(self.lagged.any() or branches or any(np.real(muscle.loop_a) > 0 for muscle in constants))
        self.states = StateLayout(3 * arm.n, len(constants), remembers, branches)
        self.commands = CommandLayout(arm)
        self.thresholds = np.where(self.lagged, 0.0, [muscle.dead_zone for muscle in constants])
        self.lagged.flags.writeable = self.thresholds.flags.writeable = False


class Plant:
    """An arm with its muscles and valves."""

    def __init__(self, arm: Arm) -> None:
        self.arm = arm
        made: _Drive | None = vars(arm).get("_drive")
        if made is None:
            made = vars(arm)["_drive"] = _Drive(arm)  # an arm never changes, and motions ask for it again and again
        self.muscles: Sequence[tuple[int, Muscle]] = made.muscles
        """The section and the constants of every muscle, from the base."""
        self.lagged: Booleans = made.lagged
        """(muscles,): whether the pressure is a state of its own, behind a valve."""
        self.branches: Sequence[Sequence[Branch]] = made.branches
        """Relaxing branches: as many as the section that has most, of every muscle."""
        self.states, self.commands = made.states, made.commands
        self.thresholds: Floats = made.thresholds
        """(muscles,), Pa: commands below do nothing; a valve that lags averages all pressures by itself."""

    def first_state(
        self,
        q: Floats,
        qd: Floats | None = None,
        pressures: Floats | None = None,
        hysteresis: Floats | None = None,
    ) -> Floats:
        """A row that holds q (3n,), q̇, pressures and hysteresis (muscles,), zero if left out; no creep, no work."""
        nothing, none = np.zeros(len(self.muscles)), np.zeros(())
        creep = np.zeros((len(self.branches), len(self.muscles)))
        qd = np.zeros_like(q) if qd is None else qd
        memory = [nothing if each is None else each for each in (pressures, hysteresis)]
        return self.states.rows(State(q, qd, memory[0], memory[1], creep, none, none))

    def rate(self, commands: Floats, rows: Floats) -> Floats:
        """The rate of change of states (..., width) under commands (..., width)."""
        given, here = self.commands.split(commands), self.states.split(rows)
        tau = given.forces + self._wrench_forces(here.q, given.wrench)
        power = np.zeros((*rows.shape[:-1], 2))
        for section, taui, qdi in section_by_section(self.arm, tau, here.qd):
            power = section_power(section, taui, qdi, power)
        pressures = self.pressures(given.pressures, here.pressures)
        pressure_rates, hysteresis_rates = np.zeros_like(pressures), np.zeros_like(pressures)
        creep_rates = np.zeros_like(here.creep)
        tau, all_rates = tau.copy(), self._all_along(here.qd)
        for j, (i, muscle) in enumerate(self.muscles):
            own = slice(3 * i, 3 * i + 3)
            tau[..., own], power, pressure_rates[..., j], hysteresis_rates[..., j] = muscle_rate(
                muscle,
                given.pressures[..., j],
                pressures[..., j],
                here.hysteresis[..., j],
                here.q[..., own],
                here.qd[..., own],
                all_rates,
                tau[..., own],
                power,
            )
            for b, branches in enumerate(self.branches):
                tau[..., own], power, creep_rates[..., b, j] = branch_rate(
                    muscle, branches[j], here.creep[..., b, j], here.qd[..., own], tau[..., own], power
                )
        qdd = forward_dynamics(self.arm, here.q, here.qd, tau)
        memory = (pressure_rates, hysteresis_rates, creep_rates)
        return self.states.rows(State(here.qd, qdd, *memory, power[..., 0], power[..., 1]))

    def step(self, commands: Floats, rows: Floats, step: float) -> Floats:
        """States a step h later, in one implicit step under commands that are means over it.

        Valves and creep are followed exactly, muscles and wrench are taken half a step ahead; muscles lean on q.
        """
        given, here = self.commands.split(commands), self.states.split(rows)
        ahead = half_ahead(here.q, here.qd, step)
        tau = given.forces + self._wrench_forces(ahead, given.wrench)
        pressures, halfway = here.pressures.copy(), np.zeros_like(here.hysteresis)
        all_rates = self._all_along(here.qd)
        creep_halfway, blocks = np.zeros_like(here.creep), [np.zeros((*rows.shape[:-1], 3, 3))] * self.arm.n
        for j, (i, muscle) in enumerate(self.muscles):
            own = slice(3 * i, 3 * i + 3)
            tau[..., own], blocks[i], end, halfway[..., j] = muscle_ahead(
                muscle,
                valve_step(muscle, step),
                given.pressures[..., j],
                here.pressures[..., j],
                here.hysteresis[..., j],
                ahead[..., own],
                here.qd[..., own],
                all_rates,
                tau[..., own],
                blocks[i],
                step,
            )
            if self.lagged[j]:
                pressures[..., j] = end
            for b, branches in enumerate(self.branches):
                tau[..., own], blocks[i], creep_halfway[..., b, j] = branch_ahead(
                    muscle,
                    branches[j],
                    branch_step(branches[j], step),
                    here.creep[..., b, j],
                    here.qd[..., own],
                    tau[..., own],
                    blocks[i],
                    step,
                )
        q, qd = implicit_step(self.arm, here.q, here.qd, tau, step, Leaning(blocks, ahead))
        moved, energy = np.zeros_like(q), vector(here.supplied, here.dissipated)
        for i, section in enumerate(self.arm.sections):
            own = slice(3 * i, 3 * i + 3)
            moved[..., own], energy = section_work(section, here.q[..., own], q[..., own], tau[..., own], energy, step)
        hysteresis, creep, all_ways = here.hysteresis.copy(), here.creep.copy(), self._all_along(moved)
        for j, (i, muscle) in enumerate(self.muscles):
            way = moved[..., 3 * i : 3 * i + 3]
            hysteresis[..., j], energy = muscle_work(
                muscle, halfway[..., j], here.hysteresis[..., j], way, all_ways, energy
            )
            for b, branches in enumerate(self.branches):
                kept = branch_step(branches[j], step)
                creep[..., b, j], energy = branch_work(
                    muscle, branches[j], kept, creep_halfway[..., b, j], here.creep[..., b, j], way, energy
                )
        return self.states.rows(State(q, qd, pressures, hysteresis, creep, energy[..., 0], energy[..., 1]))

    def tangent(self, commands: Floats, rows: Floats) -> Tangent:
        """What is stiff at states under commands; no memory where muscles have none."""
        given, here = self.commands.split(commands), self.states.split(rows)
        pressures = self.pressures(given.pressures, here.pressures)
        blocks = []
        for section, qi in section_by_section(self.arm, here.q):
            block = np.broadcast_to(section.stiffness_matrix, (*rows.shape[:-1], 3, 3))
            for stop in section.stops:
                block = block + stop_stiffness(stop, qi)
            blocks.append(block)
        all_rates = self._all_along(here.qd)
        pushes, slopes, relaxation = np.zeros((3, *rows.shape[:-1], 2 + len(self.branches), len(self.muscles)))
        pushes[..., 1:, :] = -1.0
        for j, (i, muscle) in enumerate(self.muscles):
            own = slice(3 * i, 3 * i + 3)
            (
                blocks[i],
                pushes[..., 0, j],
                relaxation[..., 0, j],
                slopes[..., 1, j],
                relaxation[..., 1, j],
            ) = muscle_tangent(
                muscle,
                given.pressures[..., j],
                pressures[..., j],
                here.hysteresis[..., j],
                here.q[..., own],
                here.qd[..., own],
                all_rates,
                blocks[i],
            )
            for b, branches in enumerate(self.branches):
                slopes[..., 2 + b, j], relaxation[..., 2 + b, j] = branches[j].stiffness, branches[j].relaxation
        pushes[..., 0, :] *= self.lagged  # elsewhere the command pushes, not the state
        memory = slopes.shape[-2] * slopes.shape[-1] if self.states.remembers else 0
        flat = (each.reshape(*rows.shape[:-1], -1)[..., :memory] for each in (pushes, slopes, relaxation))
        return Tangent(np.stack(blocks, axis=-3), *flat)

    def margin(self, rows: Floats) -> Floats:
        """How far the nearest section is from where the model ends, (...,): positive where the model holds."""
        q = self.states.split(rows).q
        found = [margin for section, qi in section_by_section(self.arm, q) for margin in margins(section, qi)]
        return np.min(np.stack(np.broadcast_arrays(*found)), axis=0)

    def pressures(self, commands: Floats, states: Floats) -> Floats:
        """What is in the muscles: the state where a valve lags, the command elsewhere: (..., muscles), Pa."""
        return np.where(self.lagged, states, commands)

    def muscle_forces(self, pressures: Floats, held_back: Floats, q: Floats) -> Floats:
        """τ of all muscles: (..., 3n), N; held_back: by hysteresis and creep together, (..., muscles), N."""
        # a number of all states side by side: rows of a few numbers each are slow to go through
        pressed, held, lengths = (np.ascontiguousarray(np.moveaxis(each, -1, 0)) for each in (pressures, held_back, q))
        tau = np.zeros((3 * self.arm.n, *pressures.shape[:-1]), dtype=np.result_type(pressures, held_back, q))
        acts = [np.asarray(each.reshape(len(each), -1).any(axis=1)) for each in (pressed, held)]
        for j, (i, muscle) in enumerate(self.muscles):
            if not (acts[0][j] or acts[1][j] or muscle.hardening or muscle.preload):
                continue
            own = np.moveaxis(tau[3 * i : 3 * i + 3], 0, -1)
            own[...] = muscle_force(muscle, pressed[j], held[j], np.moveaxis(lengths[3 * i : 3 * i + 3], 0, -1), own)
        return np.ascontiguousarray(np.moveaxis(tau, 0, -1))

    def muscle_stiffnesses(self, pressures: Floats, q: Floats) -> Floats:
        """κ P + 3 k3 l² of every muscle, by which it is stiffer at rest than K_e: (..., muscles), N/m."""
        found = [
            stiffness(muscle._replace(loop_a=0.0), pressures[..., j], along(muscle, q[..., 3 * i : 3 * i + 3]))
            for j, (i, muscle) in enumerate(self.muscles)
        ]
        return np.stack(np.broadcast_arrays(*found), axis=-1)

    def _all_along(self, qd: Floats) -> Floats:
        """Σ|l̇| over all muscles, m/s, or ways in place of rates: (..., 3n) -> (...,)."""
        total = np.zeros(qd.shape[:-1])
        for i, muscle in self.muscles:
            total = one_more_along(muscle, qd[..., 3 * i : 3 * i + 3], total)
        return total

    def _wrench_forces(self, q: Floats, wrench: Floats) -> Floats:
        if not wrench.any():
            return np.zeros_like(q)
        return np.asarray(wrench_forces(self.arm, q, wrench))


# ---- One section, one muscle: what is recorded -----------------------------------------------------------------------


def section_power(section: Section, tau: Array, qd: Array, power: Array) -> Array:
    """Supplied and dissipated power (..., 2), W, with what forces over q_i supply and dampers take."""
    supplied, dissipated = power[..., 0], power[..., 1]
    return vector(supplied + dot(tau, qd), dissipated + damping_power(section, qd))


def one_more_along(muscle: Muscle, qd: Array, all_rates: Array) -> Array:
    """Σ|l̇| with one muscle more, m/s."""
    return all_rates + magnitude(along(muscle, qd))


def muscle_force(muscle: Muscle, pressure: Array, hysteresis: Array, q: Array, tau: Array) -> Array:
    """τ_i with that of one muscle; hysteresis: by which it is held back, creep included."""
    return tau + scaled(push(muscle, pressure, along(muscle, q)) - hysteresis, muscle.row)


def muscle_rate(
    muscle: Muscle,
    command: Array,
    pressure: Array,
    hysteresis: Array,
    q: Array,
    qd: Array,
    all_rates: Array,
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
        hysteresis_rate(muscle, hysteresis, rate, all_rates),
    )


def muscle_tangent(
    muscle: Muscle,
    command: Array,
    pressure: Array,
    hysteresis: Array,
    q: Array,
    qd: Array,
    all_rates: Array,
    block: Array,
) -> tuple[Array, Array, Array, Array, Array]:
    """K over q_i (..., 3, 3) with that of one muscle; push and relaxation of its pressure, slope and relaxation of h.

    K is that of a muscle whose pressure and hysteresis do not change.
    """
    length, rate = along(muscle, q), along(muscle, qd)
    stiffer = block + spring_over_lengths(stiffness(muscle._replace(loop_a=0.0), pressure, length), muscle.row)
    return (
        stiffer,
        push_slope(muscle, pressure, length),
        valve_rate(muscle, command, pressure),
        hysteresis_slope(muscle, hysteresis, rate),
        forgetting(muscle, rate, all_rates),
    )


def branch_rate(
    muscle: Muscle, branch: Branch, creep: Array, qd: Array, tau: Array, power: Array
) -> tuple[Array, Array, Array]:
    """τ_i and power with those of a relaxing branch of a muscle, and the rate of its force, N/s."""
    rate = along(muscle, qd)
    taken = vector(power[..., 0], power[..., 1] + creep * rate)
    return tau - scaled(creep, muscle.row), taken, creep_rate(branch, creep, rate)


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
    all_rates: Array,
    tau: Array,
    block: Array,
    step: Array,
) -> tuple[Array, Array, Array, Array]:
    """τ_i and K over q_i with one muscle half a step ahead, its pressure at the end, its hysteresis in the middle."""
    mean, end = valve_moves(valve, command, pressure)
    length, rate = along(muscle, q), along(muscle, qd)
    halfway = hysteresis + step / 2 * hysteresis_rate(muscle, hysteresis, rate, all_rates)
    pushed = tau + scaled(push(muscle, mean, length) - halfway, muscle.row)
    return pushed, block + spring_over_lengths(stiffness(muscle, mean, length), muscle.row), end, halfway


def branch_ahead(
    muscle: Muscle,
    branch: Branch,
    kept: BranchStep,
    creep: Array,
    qd: Array,
    tau: Array,
    block: Array,
    step: Array,
) -> tuple[Array, Array, Array]:
    """τ_i and K over q_i with a relaxing branch of a muscle half a step ahead, and its force then."""
    halfway = kept.half_left * creep + kept.half_mean * branch.stiffness * (step / 2 * along(muscle, qd))
    stiffer = block + spring_over_lengths(kept.half_mean * branch.stiffness, muscle.row)
    return tau - scaled(halfway, muscle.row), stiffer, halfway


def section_work(
    section: Section, q: Array, q_after: Array, tau: Array, energy: Array, step: Array
) -> tuple[Array, Array]:
    """The way of q_i in a step (..., 3), m, and the energies (..., 2) with what forces supplied and dampers took, J."""
    moved = q_after - q
    supplied, dissipated = energy[..., 0], energy[..., 1]
    return moved, vector(supplied + dot(tau, moved), dissipated + damping_power(section, moved) / step)


def muscle_work(
    muscle: Muscle, halfway: Array, hysteresis: Array, moved: Array, all_ways: Array, energy: Array
) -> tuple[Array, Array]:
    """Hysteresis of a muscle after a step, and the energies with what it took, which its muscle had to supply."""
    way = along(muscle, moved)
    taken = halfway * way
    after = hysteresis + hysteresis_rate(muscle, halfway, way, all_ways)
    return after, vector(energy[..., 0] + taken, energy[..., 1] + taken)


def branch_work(
    muscle: Muscle, branch: Branch, kept: BranchStep, halfway: Array, creep: Array, moved: Array, energy: Array
) -> tuple[Array, Array]:
    """The force of a relaxing branch after a step, and the energies with what it took, as in muscle_work."""
    way = along(muscle, moved)
    taken = halfway * way
    after = kept.left * creep + kept.mean * branch.stiffness * way
    return after, vector(energy[..., 0] + taken, energy[..., 1] + taken)
