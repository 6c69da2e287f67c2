"""What the sensors of a recording would have shown, had the arm been another one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from continuarm.arm import Arm
from continuarm.arrays import Floats
from continuarm.drive import Commands, taken_apart
from continuarm.kinematics import tip_poses
from continuarm.muscles import Actuation
from continuarm.recordings import Recording
from continuarm.sensors import Sensor, TipPosition
from continuarm.simulate import simulate
from continuarm.solvers import Adaptive
from continuarm.statics import equilibria

RATE = 200.0
"""Hz: states of a simulated run, between which q is a cubic; the prototype's tips are then within 1 µm."""
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
        k = np.clip(np.searchsorted(self.t, times, side="right") - 1, 0, max(len(self.t) - 2, 0))
        after = np.minimum(k + 1, len(self.t) - 1)
        step = np.where(after > k, self.t[after] - self.t[k], 1.0)[:, None]
        part = np.clip((times - self.t[k])[:, None] / step, 0.0, 1.0)
        here, there = self.q[k], self.q[after]
        change = there - here
        bow = (1 - part) * (step * self.qd[k] - change) - part * (step * self.qd[after] - change)
        late = times > self.t[-1] if self.stopped else np.zeros(len(times), dtype=bool)
        return here + part * change + part * (1 - part) * bow, late


def track(arm: Arm, recording: Recording, rtol: float = 1e-7, near: Track | None = None) -> Track:
    """A recording simulated with an arm; where the model ends, as far as it goes.

    near: that of a similar arm, from which searches for equilibria begin.
    """
    drive = recording.drive(arm)
    if recording.static:
        q, lost = _resting(arm, taken_apart(arm, drive.at(recording.times)), None if near is None else near.q)
        return Track(arm, recording.times, q, np.zeros_like(q), lost)
    duration = float(recording.times[-1]) + LONGEST_DELAY
    first = taken_apart(arm, drive.at(np.zeros(1)))
    actuation = Actuation(arm)
    begin: dict[str, Any] = {"q0": np.zeros(3 * arm.n)}
    hint = None if near is None else near.q[:1]
    if recording.start == "hanging":
        begin["q0"] = _resting(arm, Commands(0 * first.pressures, 0 * first.forces, first.wrench), hint)[0][0]
    if recording.start == "equilibrium":
        q0, lost = _resting(arm, first, hint)
        # pressures behind slow valves are settled only where simulate finds the equilibrium itself
        settles = actuation.lagged.any() and first.pressures.any() and not lost[0]
        begin = {"start": "equilibrium"} if settles else {"q0": q0[0]}
    motion = simulate(
        arm,
        recording.input,
        duration=duration,
        wrench=recording.wrench,
        rate=RATE,
        solver=Adaptive(rtol=rtol),
        **begin,
    )
    if not len(motion.t):
        q = np.reshape(begin.get("q0", np.zeros(3 * arm.n)), (1, -1))
        return Track(arm, np.zeros(1), q, np.zeros_like(q), np.zeros(1, dtype=bool), motion.stopped)
    return Track(arm, motion.t, motion.q, motion.qd, np.zeros(len(motion.t), dtype=bool), motion.stopped)


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
