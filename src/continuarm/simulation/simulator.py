"""The main job: an arm and what drives it in, its motion out."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from continuarm.arms.arm import Arm, require_arm
from continuarm.arms.parameters import parameter_names
from continuarm.common import number_checks
from continuarm.common.argument_checks import choice, require_file_name, require_function, require_kind
from continuarm.common.number_checks import Floats
from continuarm.dynamics.plant import Plant
from continuarm.engine.directions import NOWHERE, Directions
from continuarm.engine.state_checks import checked
from continuarm.simulation.commanded import commands_of, followed_by, followed_names, said_of_gauges
from continuarm.simulation.commands_over_time import CommandsOverTime
from continuarm.simulation.control_loop import Budget, MotionPart, computed_parts, reason
from continuarm.simulation.inputs import ChoosesSolver, Input, WrenchSignal
from continuarm.simulation.motion import Motion
from continuarm.simulation.motion_file import MotionWriter
from continuarm.simulation.motion_layout import Beside
from continuarm.simulation.motion_rows import motion_rows
from continuarm.simulation.pressure_commands import PressureWarning, checked_pressures, warn_of_pressures
from continuarm.simulation.solvers import CVODE, Adaptive, FixedStep, default_solver, start_loop
from continuarm.statics.rest import resting, with_slopes

MOST_STATES = 10_000_000
"""Output states of one motion: beyond any plot, and short of exhausting the memory by a slip of the keyboard."""


def simulate(
    arm: Arm,
    input: Input | None = None,
    *,
    duration: float,
    q0: ArrayLike | None = None,
    qd0: ArrayLike | None = None,
    pressures: ArrayLike | None = None,
    start: Literal["unbent", "equilibrium"] = "unbent",
    wrench: ArrayLike | WrenchSignal | None = None,
    rate: float = 200.0,
    solver: Adaptive | FixedStep | CVODE | None = None,
    most_seconds: float | None = None,
    most_steps: int | None = None,
    output: str | os.PathLike[str] | None = None,
    progress: Callable[[float], object] | None = None,
    sensitivities: str | Iterable[str] = (),
) -> Motion:
    """The motion of an arm over a duration, from rest unbent unless something else is said.

    A motion that leaves the model's range, or has used up what it may cost, ends there: what was computed is kept and
    `stopped` says why.
    Pressures that look like a slip of units are a `PressureWarning`: below every dead zone, or far too high.

    Parameters
    ----------
    arm : Arm
    input : optional
        `PressureSteps`, `PressureSignal`, `ForceSignal`, `WrenchSignal`, `Controller`, or nothing.
    duration : float
        In s.
    q0, qd0 : array_like, (3n,), optional
        The first state, m and m/s; zero if left out: unbent and at rest.
    pressures : array_like, (muscles,), optional
        What is in the muscles at t = 0, Pa, where a `valve_lag` makes the pressure a state of its own; nothing if left
        out. A muscle without one has the pressure of its command at once.
    start : {"unbent", "equilibrium"}, optional
        "equilibrium" begins at rest where the arm hangs under the input at t = 0, its pressures settled.
    wrench : array_like, (6,), or WrenchSignal, optional
        Moment, N m, and force, N, on the last tip, world axes, constant; or over time.
    rate : float, optional
        Output states per second, Hz.
    solver : optional
        `Adaptive` (compiled, the default), `FixedStep` or `CVODE` (SUNDIALS).
    most_seconds, most_steps : float and int, optional
        What the motion may cost: s of computing, and steps of the solver, taken and rejected.
    output : str or path, optional
        A NetCDF-4 file, written as the motion is computed; until it is complete its name ends in .partial.nc.
    progress : callable, optional
        Called with the share done, from 0 to 1.
    sensitivities : str or iterable of str, optional
        Numbers of the arm by which the motion is differentiated, exactly: fields of all sections ("stiffness"), of one
        ("sections[0].mass"), "payload.mass", "gravity[2]", as `Arm.replace` names them. The slopes of q are in
        `Motion.sensitivities`. By `Adaptive` and `FixedStep`, without a controller; a first state that is given stays.

    Returns
    -------
    Motion

    Examples
    --------
    >>> arm = ca.load_arm("prototype")
    >>> motion = ca.simulate(arm, ca.PressureSteps({"l33": [(0.0, 600e3)]}), duration=2)
    >>> motion
    Motion('prototype', 2 s, 401 states, integral model)
    >>> print((1e3 * motion.tips[-1, -1]).round(1))  # mm, where the tip is after 2 s
    [-96.1   0.  381. ]
    """
    duration, rate = _checked(arm, duration, rate, solver, output, progress)
    budget = _budget(most_seconds, most_steps)
    drive = commands_of(arm, input, wrench)
    if solver is None:
        solver = input.default_solver() if isinstance(input, ChoosesSolver) else default_solver()
    plant = Plant(arm)
    names = parameter_names("sensitivities", sensitivities)
    directions = Directions.by_name(arm, names) if names else NOWHERE
    if names and drive.control is not None:
        raise ValueError("sensitivities: must come without a controller, whose answers change in a way nobody knows")
    if drive.control is None:
        commanded = drive.begin if drive.begin is drive.end else np.concatenate([drive.begin, drive.end])
        warn_of_pressures(arm, plant.commands.split(commanded).pressures)
        sentence = said_of_gauges(input, arm)
        if sentence:
            warnings.warn(sentence, PressureWarning, stacklevel=2)
    started = first_state(plant, drive, q0, qd0, pressures, start)
    rests_under = plant.commands.split(drive.at([0.0])[0]) if start == "equilibrium" else None
    run = solver.start(plant, with_slopes(plant, started, rests_under, directions), directions)
    solver.check(drive, duration)
    if drive.control is not None and drive.control.tracking is not None and isinstance(solver, FixedStep):
        run = start_loop(solver, plant, started, drive.control)
    times = np.append(np.arange(int(np.ceil(duration * rate * (1 - 1e-12)))) / rate, duration)

    beside = Beside((*names,), followed_names(input))
    found: list[Motion] = []
    wall = 0.0
    with contextlib.ExitStack() as stack:
        writer = None if output is None else stack.enter_context(MotionWriter(output, arm, len(times), beside))
        record: dict[str, Any] = {}
        stopped = ""
        for part, seconds in _timed(computed_parts(run, plant, drive, times, budget)):
            wall += seconds
            first = sum(len(each.t) for each in found)
            motion = _motion(plant, times[first : first + len(part.states)], part, names)
            if beside.followed:
                commanded = plant.commands.split(part.commands).pressures[: len(motion.t)]
                followed = {"command": commanded} | followed_by(input, motion.t)
                motion = dataclasses.replace(motion, followed={name: followed[name] for name in beside.followed})
            found.append(motion)
            stopped = motion.stopped
            done = first + len(motion.t)
            reached = float(times[done - 1]) if done else 0.0
            record = {"input": _named(input), "solver": repr(solver), "wall_time": wall}
            record |= {"real_time_factor": reached / wall} | part.counts
            if writer is not None:
                writer.write(motion)
            if progress:
                progress(done / len(times))
            if stopped:
                break
        if writer is not None:
            writer.close(record, stopped)
    whole = Motion.concatenated(found, record, stopped)
    if drive.control is not None:  # only now its answers are known
        warn_of_pressures(arm, whole.pressures)
    return whole


def _named(input: Input | None) -> str:
    """The kind of what drives a motion, for its record."""
    return "" if input is None else type(input).__name__


def _timed(found: Iterator[MotionPart]) -> Iterator[tuple[MotionPart, float]]:
    """Each part with the seconds that it took to compute; what is done with it does not count."""
    while True:
        began = time.perf_counter()
        part = next(found, None)
        if part is None:
            return
        yield part, time.perf_counter() - began


def _checked(
    arm: Arm, duration: float, rate: float, solver: object, output: object, progress: object
) -> tuple[float, float]:
    """The duration, s, and the rate, Hz, as plain numbers."""
    require_arm(arm)
    duration, rate = number_checks.duration("duration", duration), number_checks.rate("rate", rate, most=1e9)
    require_function("progress", progress)
    if output is not None:
        require_file_name("output", output)
    if duration * rate > MOST_STATES:
        raise ValueError(f"duration · rate = {duration * rate:g} output states: must be at most {MOST_STATES:g}")
    if solver is not None:
        kinds = (Adaptive, FixedStep, CVODE)
        require_kind("solver", solver, kinds, "Adaptive(...), FixedStep(...) or CVODE(...)")
    return duration, rate


def _budget(most_seconds: float | None, most_steps: int | None) -> Budget:
    if most_seconds is not None:
        most_seconds = number_checks.duration("most_seconds", most_seconds)
    if most_steps is not None:
        most_steps = number_checks.whole_number("most_steps", most_steps, least=1, most=10**15)
    return Budget(most_seconds, most_steps)


def first_state(
    plant: Plant,
    drive: CommandsOverTime,
    q0: ArrayLike | None,
    qd0: ArrayLike | None,
    pressures: ArrayLike | None,
    start: str,
) -> Floats:
    """The state at t = 0; no work has been done yet."""
    choice("start", start, ("unbent", "equilibrium"))
    arm = plant.arm
    still = np.zeros(3 * arm.n)
    filled = np.zeros(len(plant.muscles)) if pressures is None else _filled(plant, pressures)
    if start == "equilibrium":
        if q0 is not None or qd0 is not None or pressures is not None:
            raise ValueError("start = 'equilibrium': must come without q0, qd0 and pressures")
        if drive.control is not None:
            raise ValueError("start = 'equilibrium': must come without a controller, which first needs a state")
        commanded = plant.commands.split(drive.at([0.0]))
        filled = commanded.pressures[0]
        q0 = resting(plant, commanded).q_or_raise(arm)[0]
    if q0 is None and qd0 is None:
        return plant.first_state(still, still, filled)
    called = {"q": "q0", "qd": "qd0"}
    q, qd = checked(arm, called, q=still if q0 is None else q0, qd=still if qd0 is None else qd0)
    if q.ndim != 1:
        name = "qd0" if q0 is None or np.ndim(q0) == 1 else "q0"
        raise ValueError(f"{name} has shape {q.shape}: must be ({3 * arm.n},), one state")
    return plant.first_state(q, qd, filled)


def _filled(plant: Plant, pressures: ArrayLike) -> Floats:
    """Pressures in the muscles at the start, (muscles,), Pa."""
    arm, count = plant.arm, len(plant.muscles)
    found = number_checks.numbers_of_shape("pressures", pressures, count, f"{count} muscles of {arm.name!r}")
    if found.ndim != 1:
        raise ValueError(f"pressures has shape {found.shape}: must be ({count},), those at t = 0")
    checked_pressures(arm, "pressures", found)
    if not plant.lagged.any():
        hint = "they follow their commands at once, which are the input"
        raise ValueError(f"pressures at t = 0 are for muscles with a valve_lag, which {arm.name!r} has not: {hint}")
    return found


def _motion(plant: Plant, times: Floats, part: MotionPart, names: list[str]) -> Motion:
    """The rows of one part: states and their slopes by name taken apart, as far as the model holds."""
    width, slopes = plant.states.width, {}
    if names:
        each = part.states.reshape(len(part.states), 1 + len(names), width)[:, 1:]
        slopes = dict(zip(names, np.moveaxis(plant.states.split(each).q, 1, 0), strict=True))
    rows, holds = motion_rows(plant, part.states, part.commands)
    found = Motion(plant.arm, times, *rows, {}, part.stopped, slopes)
    for row in range(0 if holds else len(times)):  # one between two good steps may not be good itself
        why = reason(plant, part.states[row, :width], "-")
        if why != "-":
            return found.rows(slice(0, row), f"t = {times[row]:.6g} s: {why}")
    return found
