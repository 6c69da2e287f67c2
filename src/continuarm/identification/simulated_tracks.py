"""A recording simulated: the states that an arm goes through under its commands, or where it rests in each row."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.common.number_checks import Booleans, Floats
from continuarm.dynamics.commands import Commands
from continuarm.dynamics.plant import Plant
from continuarm.engine.state_checks import checked
from continuarm.identification.measured_start import first_shape, holding
from continuarm.identification.recording import LONGEST_DELAY, Recording
from continuarm.simulation.commands_over_time import CommandsOverTime
from continuarm.simulation.control_loop import computed_parts
from continuarm.simulation.interpolation import place
from continuarm.simulation.solvers import Adaptive, FixedStep
from continuarm.statics.rest import resting

RATE = 150.0
"""Hz: states of a simulated run, between which q is a cubic."""
AFTER_JUMP = 1e-3 * np.array([0.0, 0.05, 0.15, 0.4, 0.8, 1.5, 3.0, 5.0, 8.0])
"""s after a jump of the commands at which there are states too: the prototype's tips are then within a few µm."""
MOST_JUMPS = 200
STEP_AHEAD = 0.2
"""s, in which the time after the last sample is counted."""
DENSE, DENSE_RATE = 10.0, 200.0
"""Commands of muscles with hysteresis that change more often, Hz, are followed in steps of a fixed length, at this
rate, Hz: between measured pressures every turn of a loop is a kink, and longer steps are not to be had; slopes of a
fit are smooth then."""


@dataclass(frozen=True)
class Track:
    """States of a simulated run, or the resting shapes of a static table."""

    arm: Arm
    t: Floats  # (m,), s
    q: Floats  # (m, 3n)
    qd: Floats  # (m, 3n)
    lost: Booleans  # (m,) of a static table: rows without an equilibrium
    stopped: str = ""

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
) -> Track:
    """A recording simulated with an arm; where the model ends, as far as it goes.

    near: that of a similar arm, from which searches for equilibria begin. check is called on the way, often enough to
    end it by an exception. ahead: for how long after the last sample, s, which may show the arm as it is only then.
    """
    check()
    arm = recording.loaded(arm)
    drive = recording.drive(arm)
    plant = Plant(arm)
    if recording.static:
        rest = resting(plant, plant.commands.split(drive.at(recording.times)), None if near is None else near.q)
        return Track(arm, recording.times, rest.q, np.zeros_like(rest.q), ~rest.converged)
    first = _beginning(plant, recording, drive, near)
    q0, still = plant.states.split(first).q, np.zeros(3 * arm.n)
    times = _output_times(drive, float(recording.times[-1]) + ahead)
    dense = len(drive.times) > DENSE * float(recording.times[-1]) and any(s.hysteresis for s in arm.sections)
    run = (FixedStep(DENSE_RATE) if dense else Adaptive(rtol=rtol)).start(plant, first)
    found = []
    for part in computed_parts(run, plant, drive, times):
        check()
        found.append(part)
    states = plant.states.split(np.concatenate([part.states for part in found]))
    good = _in_range(arm, states.q)
    if not good:
        return Track(arm, np.zeros(1), q0[None], still[None], np.zeros(1, dtype=bool), found[-1].stopped or "at once")
    q, qd = states.q[:good], states.qd[:good]
    stopped = found[-1].stopped or ("" if good == len(times) else f"t = {times[good]:g} s: out of the model's range")
    return Track(arm, times[:good], q, qd, np.zeros(good, dtype=bool), stopped)


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
    frame = None if arm.rig is None else arm.rig.frame
    try:
        q, qd = first_shape(arm, recording, frame, rest, moving=start == "moving")
        checked(arm, q=q)
    except ValueError as error:
        text = str(error).removeprefix(f"{recording.name}: ")
        raise ValueError(
            f"{recording.name}: start = {start!r}: the first samples show no shape of the arm: {text}"
        ) from None
    if start == "moving":
        return plant.first_state(q, qd, pressures)
    held = holding(plant, Commands(pressures, first.forces[0], first.wrench[0]), q)
    return plant.first_state(q, pressures=pressures, hysteresis=held)


def _output_times(drive: CommandsOverTime, duration: float) -> Floats:
    """Times of states: evenly, and closer after jumps of the commands, where velocities change within milliseconds."""
    jumps = drive.times[1:][(drive.end[:-1] != drive.begin[1:]).any(axis=1)]
    near = (np.append(0.0, jumps[:MOST_JUMPS])[:, None] + AFTER_JUMP).ravel()
    times = np.union1d(np.arange(0.0, duration, 1 / RATE), near[near < duration])
    return np.append(times[np.append(True, np.diff(times) > 1e-9)], duration + 1e-9)


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
