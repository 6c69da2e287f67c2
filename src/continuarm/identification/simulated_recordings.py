"""What the sensors of a recording would have shown, had the arm been another one."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from continuarm.arms.arm import Arm
from continuarm.common.number_checks import Floats
from continuarm.engine.quantities import tip_poses
from continuarm.engine.state_checks import checked
from continuarm.identification.recording import Recording
from continuarm.identification.sensors import Sensor, TipPosition
from continuarm.sections.muscles import Actuation
from continuarm.simulation.commands import Commands, Drive, taken_apart
from continuarm.simulation.control_loop import parts
from continuarm.simulation.interpolation import place
from continuarm.simulation.solvers import Adaptive
from continuarm.statics.equilibrium_search import equilibria

RATE = 150.0
"""Hz: states of a simulated run, between which q is a cubic."""
AFTER_JUMP = 1e-3 * np.array([0.0, 0.05, 0.15, 0.4, 0.8, 1.5, 3.0, 5.0, 8.0])
"""s after a jump of the commands at which there are states too: the prototype's tips are then within a few µm."""
MOST_JUMPS = 200
LONGEST_DELAY = 0.2
"""s: a recording may be early or late by this much."""


@dataclass(frozen=True)
class Track:
    """States of a simulated run, or the resting shapes of a static table."""

    arm: Arm
    t: Floats  # (m,), s
    q: Floats  # (m, 3n)
    qd: Floats  # (m, 3n)
    lost: NDArray[np.bool_]  # (m,) of a static table: rows without an equilibrium
    stopped: str = ""

    def at(self, times: Floats) -> tuple[Floats, NDArray[np.bool_]]:
        """q (k, 3n) at some times, and which of them the run did not reach: there q is its last.

        Before its first state a run is at rest.
        """
        late = times > self.t[-1] if self.stopped else np.zeros(len(times), dtype=bool)
        return place(self.t, times).cubic(self.q, self.qd), late


def track(arm: Arm, recording: Recording, rtol: float = 1e-7, near: Track | None = None) -> Track:
    """A recording simulated with an arm; where the model ends, as far as it goes.

    near: that of a similar arm, from which searches for equilibria begin.
    """
    drive = recording.drive(arm)
    if recording.static:
        q, lost = _resting(arm, taken_apart(arm, drive.at(recording.times)), None if near is None else near.q)
        return Track(arm, recording.times, q, np.zeros_like(q), lost)
    actuation = Actuation(arm)
    q0, pressures = _beginning(arm, recording, drive, near)
    still = np.zeros_like(q0)
    memory = [pressures, np.zeros_like(pressures)] if actuation.remembers else []
    run = Adaptive(rtol=rtol).start(arm, actuation, np.concatenate([q0, still, *memory, [0.0, 0.0]]))
    times = _output_times(drive, float(recording.times[-1]) + LONGEST_DELAY)
    found = list(parts(run, arm, drive, times))
    states = np.concatenate([part.states[:, : 2 * len(q0)] for part in found])
    good = _in_range(arm, states[:, : len(q0)])
    if not good:
        return Track(arm, np.zeros(1), q0[None], still[None], np.zeros(1, dtype=bool), found[-1].stopped or "at once")
    q, qd = states[:good, : len(q0)], states[:good, len(q0) :]
    stopped = found[-1].stopped or ("" if good == len(times) else f"t = {times[good]:g} s: out of the model's range")
    return Track(arm, times[:good], q, qd, np.zeros(good, dtype=bool), stopped)


def _beginning(arm: Arm, recording: Recording, drive: Drive, near: Track | None) -> tuple[Floats, Floats]:
    """q (3n,) and the pressures in the muscles (muscles,) when a recording begins."""
    first = taken_apart(arm, drive.at(np.zeros(1)))
    empty = Commands(0 * first.pressures, 0 * first.forces, first.wrench)
    if recording.start == "unbent":
        return np.zeros(3 * arm.n), empty.pressures[0]
    told = first if recording.start == "equilibrium" else empty
    return _resting(arm, told, None if near is None else near.q[:1])[0][0], told.pressures[0]


def _output_times(drive: Drive, duration: float) -> Floats:
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


def shown(
    recording: Recording, simulated: Track, delay: float = 0.0, frame: Floats | None = None
) -> tuple[list[Floats], NDArray[np.bool_]]:
    """What each sensor would show, (k, width) each, and at which samples (k,) there was no motion to show.

    A sample at t shows the arm at t - delay. frame: (4, 4), pose of the world in the frame of the positions.
    """
    if recording.static:
        q, lost = simulated.q, simulated.lost
    else:
        q, lost = simulated.at(recording.times - delay)
    arm = simulated.arm
    poses = tip_poses(arm, q)
    poses = poses if frame is None else frame @ poses
    lengths = dict(zip(arm.muscle_names, arm.muscle_lengths(q).T, strict=True))
    return [sensor.shown(poses, lengths) for sensor in recording.sensors], lost


def _resting(arm: Arm, told: Commands, near: Floats | None = None) -> tuple[Floats, NDArray[np.bool_]]:
    """Where the arm rests under rows of commands, (k, 3n), and which of them (k,) have no equilibrium in range."""
    actuation = Actuation(arm)
    nothing = np.zeros((len(told.forces), 3 * arm.n))
    tau = told.forces + actuation.forces(told.pressures, np.zeros_like(told.pressures), nothing)
    springs = actuation.constants.stiffening * told.pressures
    found = equilibria(
        arm,
        tau,
        wrench=told.wrench if told.wrench.any() else None,
        muscle_stiffness=springs if springs.any() else None,
        start=near,
    )
    return found.q, ~found.converged


def simulated_recording(
    arm: Arm,
    recording: Recording,
    *,
    noise: float = 1e-3,
    delay: float = 0.0,
    seed: int = 0,
) -> Recording:
    """A recording as an arm would give it: its sensors, with Gaussian noise; to plan an experiment, or to try a fit.

    noise: m for positions and lengths, and as many rad for orientations; a sensor with a sigma has its own.
    Raises ValueError if the motion ends before the recording does.
    """
    rng = np.random.default_rng(seed)
    done = track(arm, recording)
    seen, lost = shown(recording, done, delay)
    if lost.any():
        raise ValueError(f"{recording.name}: {done.stopped or 'an arm in the table has no equilibrium'}")
    sensors: list[Sensor] = []
    for sensor, values in zip(recording.sensors, seen, strict=True):
        size = noise if sensor.sigma is None else sensor.sigma
        noisy = values + size * rng.normal(size=values.shape)
        sensors.append(replace(sensor, values=np.where(np.isnan(sensor.values), np.nan, noisy)))  # type: ignore[type-var]
    return replace(recording, sensors=tuple(sensors))


def tip_sensors(arm: Arm, count: int, sigma: float | None = None) -> list[TipPosition]:
    """Positions of all section tips, still to be measured: what simulated_recording fills."""
    return [TipPosition(i + 1, np.zeros((count, 3)), sigma) for i in range(arm.n)]
