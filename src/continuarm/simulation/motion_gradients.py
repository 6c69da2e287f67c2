"""The gradient of a loss over a motion by everything it depends on: one sweep backward through its steps."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from continuarm.arms.arm import Arm, require_arm
from continuarm.arms.parameters import parameter_names
from continuarm.common import number_checks
from continuarm.common.argument_checks import kind_of, require_function
from continuarm.common.number_checks import Floats
from continuarm.common.text import short
from continuarm.dynamics.mass_and_coriolis import COMPLEX_STEP
from continuarm.dynamics.plant import Plant
from continuarm.dynamics.plant_states import State
from continuarm.engine import compiled
from continuarm.engine.directions import Directions
from continuarm.engine.native_arm import native_plant
from continuarm.simulation.commanded import commands_of
from continuarm.simulation.control_loop import reason
from continuarm.simulation.inputs import Input, WrenchSignal
from continuarm.simulation.pressure_commands import line_delays, warn_of_pressures
from continuarm.simulation.simulator import first_state
from continuarm.statics.rest import with_slopes

MOST_STEPS = 10_000_000
"""Of one sweep: a state is kept for every step."""

Loss = Callable[[Floats, Floats, Floats], tuple[float, ArrayLike, ArrayLike | None]]
"""t (k + 1,), q and q̇ (k + 1, 3n) of k steps -> the loss, and its gradients by q and by q̇, or None for zero."""


@dataclass(frozen=True, eq=False)
class MotionGradient:
    """A loss over a motion and its gradient, as `motion_gradient` gives it.

    Attributes
    ----------
    loss : float
        The number itself.
    q0, qd0 : ndarray, (3n,)
        By the first state.
    pressures : ndarray, (k, muscles)
        By the mean of each muscle's commanded pressure over each of k steps, per Pa; it arrives later where a line
        delays it.
    forces : ndarray, (k, 3n)
        By muscle forces over q, per N.
    wrench : ndarray, (k, 6)
        By moment and force on the last tip.
    parameters : dict of str to float
        By numbers of the arm, by their names.
    t, q, qd : ndarray, (k + 1,) and (k + 1, 3n)
        The motion itself.

    Examples
    --------
    >>> arm = ca.load_arm("single-section")
    >>> found = ca.motion_gradient(arm, lambda t, q, qd: (q.sum(), np.ones_like(q), None), duration=0.1)
    >>> found.q0.shape, found.pressures.shape
    ((3,), (100, 3))
    """

    loss: float
    q0: Floats
    qd0: Floats
    pressures: Floats
    forces: Floats
    wrench: Floats
    parameters: dict[str, float]
    t: Floats
    q: Floats
    qd: Floats

    def __repr__(self) -> str:
        numbers = f", by {', '.join(self.parameters)}" if self.parameters else ""
        return f"MotionGradient(loss {self.loss:g}, {len(self.t) - 1} steps{numbers})"


def motion_gradient(
    arm: Arm,
    loss: Loss,
    input: Input | None = None,
    *,
    duration: float,
    rate: float = 1000.0,
    q0: ArrayLike | None = None,
    qd0: ArrayLike | None = None,
    pressures: ArrayLike | None = None,
    start: Literal["unbent", "equilibrium"] = "unbent",
    wrench: ArrayLike | WrenchSignal | None = None,
    parameters: str | Iterable[str] = (),
) -> MotionGradient:
    """A loss over a motion in fixed steps, and its exact gradient by start, commands of every step and parameters.

    The motion is that of `simulate` with `FixedStep(rate)`. One sweep forward keeps the state of every step, one sweep
    backward does what is inside the steps again and differentiates it: four to five motions in all, however many
    numbers the gradient is taken by. At a kink it is the slope on the side where nothing acts: by a pressure at or
    below the dead zone it is zero, so that an optimizer begins above.

    Parameters
    ----------
    arm : Arm
    loss : callable
        Takes t (k + 1,), s, q and q̇ (k + 1, 3n) of k steps; gives the loss, its gradient by q, (k + 1, 3n), and that by
        q̇, or None where it does not depend on it.
    input : optional
        `PressureSteps`, `PressureSignal`, `ForceSignal`, `WrenchSignal`, or nothing.
    duration : float
        In s: a whole number of steps.
    rate : float, optional
        Steps per second, Hz.
    q0, qd0 : array_like, (3n,), optional
        The first state, m and m/s; zero if left out.
    pressures : array_like, (muscles,), optional
        What is in the muscles at t = 0, Pa, as for `simulate`.
    start : {"unbent", "equilibrium"}, optional
        "equilibrium" begins at rest where the arm hangs under the input at t = 0, and changes with the parameters.
    wrench : array_like, (6,), or WrenchSignal, optional
        Moment, N m, and force, N, on the last tip, world axes.
    parameters : str or iterable of str, optional
        Numbers of the arm, as `simulate` names those of `sensitivities`.

    Returns
    -------
    MotionGradient

    Examples
    --------
    >>> arm = ca.load_arm("prototype")
    >>> def last_length(t, q, qd):  # of the first muscle
    ...     weights = np.zeros_like(q)
    ...     weights[-1, 0] = 1.0
    ...     return q[-1, 0], weights, None
    >>> steps = ca.PressureSteps({"l11": [(0.0, 300e3)]})
    >>> found = ca.motion_gradient(arm, last_length, steps, duration=0.5, parameters=["stiffness"])
    >>> found.pressures.shape, bool(found.parameters["stiffness"] < 0)  # a stiffer arm is pushed less far
    ((500, 9), True)
    """
    require_arm(arm)
    if loss is None:
        raise TypeError(f"loss is {kind_of(loss)}: must be a function of t, q and qd")
    require_function("loss", loss)
    duration, rate = number_checks.duration("duration", duration), number_checks.rate("rate", rate, most=1e7)
    count = round(duration * rate)
    if count < 1 or abs(duration * rate - count) > 1e-6:
        raise ValueError(f"duration · rate = {duration * rate:g} steps: must be a whole number of at least 1")
    if count > MOST_STEPS:
        raise ValueError(f"duration · rate = {count} steps: must be at most {MOST_STEPS}")
    if compiled.native is None:
        raise ValueError(f"motion_gradient: {compiled.NOT_BUILT}")
    drive = commands_of(arm, input, wrench)
    if drive.control is not None:
        raise ValueError("input: must be no controller, whose answers change in a way nobody knows")
    names = parameter_names("parameters", parameters)
    directions = Directions.by_name(arm, names, "parameters")
    plant, step = Plant(arm), 1 / rate
    warn_of_pressures(arm, plant.commands.split(np.concatenate([drive.begin, drive.end])).pressures)
    first = first_state(plant, drive, q0, qd0, pressures, start)
    commands = drive.means(step, count, plant.thresholds)
    states = _swept(plant, first, commands, step)

    t: Floats = np.arange(count + 1, dtype=float) * step
    here = plant.states.split(states)
    value, weights = _weights(plant, loss, t, here)
    native = native_plant(plant, step)
    by_start, by_commands = np.empty_like(first), np.empty_like(commands)
    by_constants = np.empty(native.constants())
    if not native.reverse_sweep(first, commands, step, states[1:], weights, by_start, by_commands, by_constants):
        raise ValueError("motion_gradient is not finite: the numbers are too large")
    total = np.zeros(len(names))
    if directions:
        rests_under = plant.commands.split(drive.at([0.0])[0]) if start == "equilibrium" else None
        slopes = with_slopes(plant, first, rests_under, directions)[len(first) :].reshape(len(names), -1)
        total = by_constants @ directions.constant_slopes(step) + slopes @ by_start
        for k, moved in enumerate(directions.plants):  # jumps inside a step act from a dead zone on, which may move
            if np.imag(moved.thresholds).any():
                changed = drive.means(step, count, moved.thresholds).imag / COMPLEX_STEP
                total[k] += float(np.vdot(by_commands, changed))
    by_commanded = _by_commanded(by_commands, line_delays(arm) / step)
    started, driven = plant.states.split(by_start), plant.commands.split(by_commanded)
    return MotionGradient(
        loss=value,
        q0=started.q,
        qd0=started.qd,
        pressures=driven.pressures,
        forces=driven.forces,
        wrench=driven.wrench,
        parameters=dict(zip(names, map(float, total), strict=True)),
        t=t,
        q=here.q,
        qd=here.qd,
    )


def _by_commanded(by_arriving: Floats, steps_late: Floats) -> Floats:
    """The gradient (k, commands) by what is commanded in each step, from that by what arrives so many steps later.

    A command of one step arrives in two where it is late by a part of a step, and never where the motion ends before.
    """
    if not steps_late.any():
        return by_arriving
    found = np.zeros_like(by_arriving)
    for j, late in enumerate(steps_late):
        whole, part = divmod(float(late), 1.0)
        for shift, share in ((int(whole), 1.0 - part), (int(whole) + 1, part)):
            found[: max(len(found) - shift, 0), j] += share * by_arriving[shift:, j]
    return found


def _swept(plant: Plant, first: Floats, commands: Floats, step: float) -> Floats:
    """The first state and that after every step, (k + 1, width)."""
    states = np.empty((len(commands) + 1, len(first)))
    states[0] = first
    done = native_plant(plant, step).forward_sweep(first, commands, step, states[1:])
    if done < len(commands):
        why = reason(plant, states[done + 1], "the steps are too long for this motion")
        raise ValueError(f"the motion ends at t = {done * step:.6g} s: {why}; must last for the whole duration")
    return states


def _weights(plant: Plant, loss: Loss, t: Floats, here: State) -> tuple[float, Floats]:
    """The loss, and its gradient as weights on states."""
    q, qd = here.q.copy(), here.qd.copy()
    answer: Any = loss(t.copy(), q, qd)
    if not isinstance(answer, tuple) or len(answer) != 3:
        raise ValueError(f"loss gave {kind_of(answer)}: must be three things, the loss and its gradients by q and qd")
    value, *gradients = answer
    number = number_checks.as_float(value.item() if isinstance(value, np.ndarray) and not value.shape else value)
    if not np.isfinite(number):
        raise ValueError(f"loss = {short(value)}: must be a finite number")
    weights = np.zeros((len(t), plant.states.width))
    split = plant.states.split(weights)
    for name, gradient, to in zip(("q", "qd"), gradients, (split.q, split.qd), strict=True):
        if gradient is None:
            continue
        called = f"the loss's gradient by {name}"
        array = number_checks.finite(
            called, number_checks.real_numbers(called, gradient, f"numbers of shape {to.shape}")
        )
        if array.shape != to.shape:
            raise ValueError(f"{called} has shape {array.shape}: must be {to.shape}")
        to[:] = array
    return number, weights
