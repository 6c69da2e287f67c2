"""The main job: an arm and what drives it in, its motion out."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from continuarm.arguments import checked
from continuarm.arm import Arm
from continuarm.inputs import Input, NoInput
from continuarm.motion import Motion
from continuarm.solvers import BDF, Adaptive

MOST_STATES = 10_000_000
"""Output states of one motion: beyond any plot, and short of exhausting the memory by a slip of the keyboard."""


def simulate(
    arm: Arm,
    input: Input | None = None,
    *,
    duration: float,
    q0: ArrayLike | None = None,
    qd0: ArrayLike | None = None,
    rate: float = 200.0,
    solver: Adaptive | BDF | None = None,
    progress: Callable[[float], Any] | None = None,
) -> Motion:
    """The motion of an arm over a duration, s, from q0, qd0 (zero if left out: unbent and at rest).

    input: PressureSteps, PressureSignal, ForceSignal, or nothing. rate: output states per second, Hz.
    solver: Adaptive() (compiled) or BDF() (SUNDIALS). progress is called with the share done, from 0 to 1.
    A motion that leaves the model's range ends there: what was computed is kept and `stopped` says why.
    """
    if not (np.isfinite(duration) and duration > 0):
        raise ValueError(f"duration = {duration!r}: must be above 0 s")
    if not (np.isfinite(rate) and rate > 0):
        raise ValueError(f"rate = {rate!r}: must be above 0 Hz")
    if duration * rate > MOST_STATES:
        raise ValueError(f"duration · rate = {duration * rate:g} output states: must be at most {MOST_STATES:g}")
    if not isinstance(arm, Arm):
        raise TypeError(f"arm is {type(arm).__name__}: must be an Arm (see load_arm)")
    if input is not None and not hasattr(input, "drive"):
        raise TypeError(f"input is {type(input).__name__}: must be PressureSteps, PressureSignal or ForceSignal")
    if solver is not None and not isinstance(solver, (Adaptive, BDF)):
        raise TypeError(f"solver is {type(solver).__name__}: must be Adaptive(...) or BDF(...)")
    still = np.zeros(3 * arm.n)
    q, qd = checked(arm, q=still if q0 is None else q0, qd=still if qd0 is None else qd0)
    if q.ndim != 1:
        raise ValueError(f"q0 has shape {q.shape}: must be ({3 * arm.n},), one state")
    drive = (NoInput() if input is None else input).drive(arm)
    times = np.append(np.arange(int(np.ceil(duration * rate * (1 - 1e-12)))) / rate, duration)
    solver = Adaptive() if solver is None else solver

    states, counts, stopped = [], {}, ""
    start = time.perf_counter()
    for part in solver.parts(arm, drive, np.concatenate([q, qd]), times):
        states.append(part.states)
        counts, stopped = part.counts, part.stopped
        if progress:
            progress(sum(map(len, states)) / len(times))
    wall = time.perf_counter() - start

    found = np.concatenate(states)
    t = times[: len(found)]
    record = {"solver": repr(solver), "wall_time": wall, "real_time_factor": float(t[-1]) / wall if len(t) else 0.0}
    q, qd = np.split(found, 2, axis=1)
    return Motion(arm, t, np.ascontiguousarray(q), np.ascontiguousarray(qd), drive.at(t), record | counts, stopped)
