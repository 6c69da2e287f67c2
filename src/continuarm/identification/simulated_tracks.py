"""A recording simulated: the states that an arm goes through under its commands, or where it rests in each row."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.arms.rig import Start
from continuarm.common.number_checks import Booleans, Floats
from continuarm.dynamics.commands import Commands
from continuarm.dynamics.plant import Plant
from continuarm.engine.directions import NOWHERE, Directions
from continuarm.engine.state_checks import checked
from continuarm.identification.measured_start import first_shape, holding, unheld
from continuarm.identification.recording import LONGEST_DELAY, Recording
from continuarm.simulation.commands_over_time import CommandsOverTime
from continuarm.simulation.control_loop import computed_parts
from continuarm.simulation.interpolation import place
from continuarm.simulation.solvers import Adaptive, FixedStep
from continuarm.statics.equilibrium_search import Equilibria
from continuarm.statics.rest import resting, resting_slopes, with_slopes

RATE = 150.0
"""Hz: states of a simulated run, between which q is a cubic."""
AFTER_JUMP = 1e-3 * np.array([0.0, 0.05, 0.15, 0.4, 0.8, 1.5, 3.0, 5.0, 8.0])
"""s after a jump of the commands at which there are states too: the prototype's tips are then within a few µm."""
MOST_JUMPS = 200
STEP_AHEAD = 0.2
"""s, in which the time after the last sample is counted."""
ATOL, LEAST_ATOL = 5e-4, 5e-11
"""m: the absolute tolerance of a simulation, over the relative one, but never less than the usual one."""
DENSE, DENSE_RATE = 10.0, 200.0
"""Commands of muscles with hysteresis that change more often, Hz, are followed in steps of a fixed length, at this
rate, Hz: between measured pressures every turn of a loop is a kink, and longer steps are not to be had; slopes of a
fit are smooth then."""
EVERY = 2
"""Of these steps, so many for a state of a track: q is a cubic between them, within a micrometre of all steps."""


@dataclass(frozen=True)
class Track:
    """States of a simulated run, or the resting shapes of a static table."""

    arm: Arm
    t: Floats  # (m,), s
    q: Floats  # (m, 3n)
    qd: Floats  # (m, 3n)
    lost: Booleans  # (m,) of a static table: rows without an equilibrium
    stopped: str = ""
    slopes: tuple[Floats, Floats] | None = None  # (directions, m, 3n) each, of q and qd: None where there are none

    def moved(self, arm: Arm, direction: int, by: float) -> Track:
        """The track to first order, of the arm that is moved by a little in one of the directions of its slopes."""
        assert self.slopes is not None
        q, qd = (each[direction] for each in self.slopes)
        return replace(self, arm=arm, q=self.q + by * q, qd=self.qd + by * qd, slopes=None)

    def at(self, times: Floats) -> tuple[Floats, Booleans]:
        """q (k, 3n) at some times, and which of them the run did not reach: there q is its last.

        Before its first state a run is at rest.
        """
        late = times > self.t[-1] if self.stopped else np.zeros(len(times), dtype=bool)
        return place(self.t, times).cubic(self.q, self.qd), late


def simulated_track(
    arm: Arm,
    recording: Recording,
    rtol: float = 1e-7,
    near: Track | None = None,
    check: Callable[[], object] = lambda: None,
    ahead: float = LONGEST_DELAY,
    moved: Directions = NOWHERE,
) -> Track:
    """A recording simulated with an arm; where the model ends, as far as it goes.

    near: that of a similar arm, from which searches for equilibria begin. check is called on the way, often enough to
    end it by an exception. ahead: for how long after the last sample, s, which may show the arm as it is only then.
    moved: directions in which the track then has slopes.
    """
    check()
    directions = moved
    if recording.payload:
        directions = Directions([recording.loaded(each) for each in moved.arms], moved.sizes)
    arm = recording.loaded(arm)
    drive = recording.drive(arm)
    plant = Plant(arm)
    if recording.static:
        commanded = plant.commands.split(drive.at(recording.times))
        rest = resting(plant, commanded, None if near is None else near.q)
        slopes = _table_slopes(plant, commanded, rest, directions)
        return Track(arm, recording.times, rest.q, np.zeros_like(rest.q), ~rest.converged, slopes=slopes)
    first = _beginning(plant, recording, drive, near)
    q0, still = plant.states.split(first).q, np.zeros(3 * arm.n)
    rests_under = _rest_of(plant, recording, drive) if _in_range(arm, q0[None]) else None
    first = with_slopes(plant, first, rests_under, directions)
    until = float(recording.times[-1]) + ahead
    dense = len(drive.times) > DENSE * float(recording.times[-1]) and any(s.hysteresis for s in arm.sections)
    times = _whole_steps(until) if dense else _output_times(drive, until)
    solver = FixedStep(DENSE_RATE) if dense else Adaptive(rtol, max(LEAST_ATOL, ATOL * rtol))
    run = solver.start(plant, first, directions)
    found, stopped = [], ""
    for part in computed_parts(run, plant, drive, times):
        check()
        here = plant.states.split(part.states.reshape(len(part.states), 1 + len(directions), -1))
        found.append(np.stack([here.q, here.qd]).swapaxes(1, 2))  # q and qd of the state, and of every slope
        stopped = part.stopped
    (q, *dq), (qd, *dqd) = np.concatenate(found, axis=2)
    good = _in_range(arm, q)
    if not good:
        none = np.zeros((len(directions), 1, 3 * arm.n))
        return Track(
            arm, np.zeros(1), q0[None], still[None], np.zeros(1, dtype=bool), stopped or "at once", (none, none)
        )
    stopped = stopped or ("" if good == len(times) else f"t = {times[good]:g} s: out of the model's range")
    slopes = (np.array(dq)[:, :good], np.array(dqd)[:, :good]) if directions else None
    if slopes is not None and stopped:
        slopes[0][:, -1] = 0.0  # however the arm changes, its motion ends where the model does, sooner or later
    return Track(arm, times[:good], q[:good], qd[:good], np.zeros(good, dtype=bool), stopped, slopes)


def has_exact_slopes(recording: Recording, arm: Arm) -> bool:
    """Whether a simulated recording has exact slopes: not under a controller, nor from a shape that samples show."""
    known = recording.static or recording.start_of(arm) in ("unbent", "hanging", "equilibrium")
    return known and recording.drive(arm).control is None


def _table_slopes(
    plant: Plant, commanded: Commands, rest: Equilibria, directions: Directions
) -> tuple[Floats, Floats] | None:
    """Slopes of the rows of a static table, those without an equilibrium zero; there are no rates."""
    if not directions:
        return None
    slopes, good = np.zeros((len(directions), *rest.q.shape)), rest.converged
    slopes[:, good] = resting_slopes(plant, Commands(*(each[good] for each in commanded)), rest.q[good], directions)
    return slopes, np.zeros_like(slopes)


def _rest_of(plant: Plant, recording: Recording, drive: CommandsOverTime) -> Commands | None:
    """The commands (·,) under which the arm rests when a recording begins; None where it does not rest."""
    start, first = recording.start_of(plant.arm), plant.commands.split(drive.at(np.zeros(1))[0])
    if start not in ("hanging", "equilibrium"):
        return None
    return Commands(0 * first.pressures, 0 * first.forces, first.wrench) if start == "hanging" else first


def time_ahead(delay: float) -> float:
    """For how long after its last sample a recording with about this delay is simulated, s.

    In whole steps, so that a search that moves the delay a little compares runs of one length.
    """
    return STEP_AHEAD * (1 + max(0, math.ceil(-delay / STEP_AHEAD)))


def _beginning(plant: Plant, recording: Recording, drive: CommandsOverTime, near: Track | None) -> Floats:
    """The state of the plant when a recording begins."""
    arm = plant.arm
    first = plant.commands.split(drive.at(np.zeros(1)))
    empty = Commands(0 * first.pressures, 0 * first.forces, first.wrench)
    start = recording.start_of(arm)
    if start == "unbent":
        return plant.first_state(np.zeros(3 * arm.n))
    commanded = empty if start == "hanging" else first
    rest = resting(plant, commanded, None if near is None else near.q[:1]).q[0]
    pressures = commanded.pressures[0]
    if start in ("equilibrium", "hanging"):
        return plant.first_state(rest, pressures=pressures)
    q, qd = _shape_shown(arm, recording, rest, start)
    if start == "moving":
        return plant.first_state(q, qd, pressures)
    return plant.first_state(q, pressures=pressures, hysteresis=holding(plant, _at_zero(first), q))


def _shape_shown(arm: Arm, recording: Recording, near: Floats, start: Start) -> tuple[Floats, Floats]:
    """q and q̇ (3n,) as the first samples show them; near: (3n,), a shape of rest."""
    frame = None if arm.rig is None else arm.rig.frame
    try:
        q, qd = first_shape(arm, recording, frame, near, moving=start == "moving")
        checked(arm, q=q)
    except ValueError as error:
        text = str(error).removeprefix(f"{recording.name}: ")
        raise ValueError(
            f"{recording.name}: start = {start!r}: the first samples show no shape of the arm: {text}"
        ) from None
    return q, qd


def _at_zero(commands: Commands) -> Commands:
    """The first row of commands."""
    return Commands(*(each[0] for each in (commands.pressures, commands.forces, commands.wrench)))


def said_of_start(arm: Arm, recording: Recording) -> str | None:
    """A sentence on a recording that is said to begin at rest where friction cannot hold the arm; None of others."""
    if recording.static or recording.start_of(arm) != "resting":
        return None
    plant = Plant(recording.loaded(arm))
    first = plant.commands.split(recording.drive(plant.arm).at(np.zeros(1)))
    q, _ = _shape_shown(plant.arm, recording, resting(plant, first).q[0], "resting")
    sentence = unheld(plant, _at_zero(first), q)
    return None if sentence is None else f"{recording.name}: start = 'resting': {sentence}"


def _output_times(drive: CommandsOverTime, duration: float) -> Floats:
    """Times of states: evenly, and closer after jumps of the commands, where velocities change within milliseconds."""
    jumps = drive.times[1:][(drive.end[:-1] != drive.begin[1:]).any(axis=1)]
    near = (np.append(0.0, jumps[:MOST_JUMPS])[:, None] + AFTER_JUMP).ravel()
    times = np.union1d(np.arange(0.0, duration, 1 / RATE), near[near < duration])
    return np.append(times[np.append(True, np.diff(times) > 1e-9)], duration + 1e-9)


def _whole_steps(duration: float) -> Floats:
    """Times of states of a run in steps of a fixed length: every EVERY of them, so that none lies between steps."""
    return np.asarray(np.arange(math.ceil(duration * DENSE_RATE / EVERY) + 1) * (EVERY / DENSE_RATE), dtype=float)


def _in_range(arm: Arm, q: Floats) -> int:
    """How many states, from the first on, the model holds for."""
    try:
        checked(arm, q=q)
    except ValueError:
        for row, state in enumerate(q):
            try:
                checked(arm, q=state)
            except ValueError:
                return row
    return len(q)
