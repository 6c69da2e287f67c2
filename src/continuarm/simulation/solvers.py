"""How a motion is computed: small objects that say which method and how accurately, and start a run."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from continuarm.common.number_checks import Floats, as_float, whole_number
from continuarm.common.text import short
from continuarm.dynamics.mass_and_coriolis import COMPLEX_STEP
from continuarm.dynamics.plant import Plant
from continuarm.engine import compiled
from continuarm.engine.directions import NOWHERE, Directions
from continuarm.engine.native_arm import native_plant
from continuarm.simulation.commands_over_time import CommandsOverTime, Control
from continuarm.simulation.control_loop import USUAL, Allowance, Run, reason
from continuarm.simulation.interpolation import cubic
from continuarm.simulation.tracked_steps import TrackedSteps

LEAST_ATOL = 1e-15
"""m: below it the rounding of length changes alone exceeds the tolerance: an arm at rest takes millions of steps."""


@dataclass(frozen=True)
class Adaptive:
    """Compiled backward differences of order 1 to 5 with error control; never returns to Python between outputs.

    The default atol was chosen on the paper's experiment 1, where it keeps the tips within a micrometre. Sensitivities
    are integrated with the motion, and steps are as short as both need: slopes times the size of what changes have ten
    times the tolerances of the state.

    Parameters
    ----------
    rtol : float, optional
        Relative tolerance of a step.
    atol : float, optional
        Absolute tolerance, m for q and 100 times that in m/s for q̇.
    longest_step : float, optional
        In s.
    highest_order : int, optional
        1 to 5.

    Examples
    --------
    >>> arm = ca.load_arm("prototype")
    >>> steps = ca.PressureSteps({"l33": [(0.0, 600e3)]})
    >>> motion = ca.simulate(arm, steps, duration=1, solver=ca.Adaptive(rtol=1e-8))
    >>> motion.record["solver"]
    'Adaptive(rtol=1e-08, atol=5e-11, longest_step=inf, highest_order=5)'
    """

    rtol: float = 1e-6
    atol: float = 5e-11
    longest_step: float = float("inf")
    highest_order: int = 5

    def start(self, plant: Plant, state: Floats, directions: Directions = NOWHERE) -> Run:
        """A run from a state at t = 0, with its slopes in some directions."""
        _check_tolerances(self.rtol, self.atol)
        if not as_float(self.longest_step) >= 1e-9:
            raise ValueError(f"longest_step = {short(self.longest_step)}: must be at least 1e-9 s")
        whole_number("highest_order", self.highest_order, least=1, most=5)
        return _AdaptiveRun(self, plant, state, directions)

    def check(self, drive: CommandsOverTime, duration: float) -> None:
        """Follows all commands."""


class _AdaptiveRun:
    controls = False

    def __init__(self, solver: Adaptive, plant: Plant, state: Floats, directions: Directions) -> None:
        if compiled.native is None:
            raise ValueError(f"solver = Adaptive(): {compiled.NOT_BUILT}, or use CVODE() or FixedStep()")
        self.plant = plant
        self.motion = compiled.native.AdaptiveMotion(
            native_plant(plant),
            state.tolist(),
            as_float(solver.rtol),
            _tolerances(as_float(solver.atol), plant, directions).tolist(),
            min(as_float(solver.longest_step), 1e300),
            solver.highest_order,
            directions.constant_slopes(0.0).ravel().tolist(),
            directions.threshold_slopes().ravel().tolist(),
        )
        self.width = len(state)

    def commanded(self, drive: CommandsOverTime, times: Floats) -> Floats:
        return drive.at(times)

    def drive(self, drive: CommandsOverTime) -> None:
        self.motion.drive(*map(np.ascontiguousarray, (drive.times, drive.begin, drive.end)))

    def advance(self, times: Floats, allowance: Allowance = USUAL) -> tuple[Floats, str]:
        states = np.empty((len(times), self.width))
        rows, failed = self.motion.advance(np.ascontiguousarray(times), states, *allowance)
        if not failed:
            return states[:rows], ""
        refused = self.motion.refused() or self.motion.state()[: self.plant.states.width]
        return states[:rows], f"t = {self.time():.6g} s: {reason(self.plant, np.array(refused))}"

    def time(self) -> float:
        return float(self.motion.time())

    def state(self) -> Floats:
        return np.array(self.motion.state())

    def counts(self) -> dict[str, int]:
        return dict(self.motion.counts())


@dataclass(frozen=True)
class FixedStep:
    """Implicit steps of one length, order 2, O(n) each: for control rates, where the cost must be known beforehand.

    Springs, dampers, stops and muscles are taken implicitly, so that a step is stable however stiff they are (see
    `implicit_step`); commands are averaged over it, so that a jump inside gives its true impulse. A muscle that only
    touches its stop may chatter there where a step is longer than a bounce: at 1 kHz, above about 1e5 N/m. A stiff
    branch of creep that relaxes within a step is stable, but followed coarsely: from a rate of 2/T on within 1 %.
    Hysteresis is followed while b times the way of a step is small: below about 1, or it overshoots.

    Parameters
    ----------
    rate : float, optional
        Steps per second, Hz.

    Examples
    --------
    >>> arm = ca.load_arm("prototype")
    >>> steps = ca.PressureSteps({"l33": [(0.0, 600e3)]})
    >>> motion = ca.simulate(arm, steps, duration=1, solver=ca.FixedStep(rate=2000))
    >>> motion.record["steps"]
    2000
    """

    rate: float = 1000.0

    def start(self, plant: Plant, state: Floats, directions: Directions = NOWHERE) -> Run:
        """A run from a state at t = 0, with its slopes in some directions."""
        if not 0 < as_float(self.rate) <= 1e7:
            raise ValueError(f"rate of FixedStep = {short(self.rate)}: must be above 0 Hz and at most 1e7 Hz")
        return _FixedRun(self, plant, state, directions)

    def check(self, drive: CommandsOverTime, duration: float) -> None:
        """A motion has at least one step, and a controller is asked every so many whole steps."""
        if as_float(self.rate) * duration < 1 - 1e-9:
            raise ValueError(
                f"rate of FixedStep = {self.rate:g} Hz: must be at least {1 / duration:g} Hz, a step in {duration:g} s"
            )
        if drive.control is not None:
            ratio = as_float(self.rate) / drive.control.rate
            if abs(ratio - round(ratio)) > 1e-9 * ratio or round(ratio) < 1:
                raise ValueError(
                    f"rate of the controller = {drive.control.rate:g} Hz: "
                    f"must be that of FixedStep, {self.rate:g} Hz, or a whole fraction of it"
                )


class _FixedRun:
    def __init__(self, solver: FixedStep, plant: Plant, state: Floats, directions: Directions) -> None:
        self.plant, self.step, self.done = plant, 1 / as_float(solver.rate), 0
        if compiled.native is None:
            self.block = 1
            self.motion: Any = _NumpySteps(plant, state, self.step, directions)
        else:
            # steps computed before their states are thinned out
            self.block = max(100, 60_000 // plant.arm.n // (1 + len(directions)))
            slopes = directions.constant_slopes(self.step), directions.threshold_slopes()
            self.motion = compiled.native.SteppedMotion(
                native_plant(plant, self.step),
                state.tolist(),
                plant.thresholds.tolist(),
                self.step,
                *(each.ravel().tolist() for each in slopes),
            )
        self.before = self.after = state
        self.loop: TrackedSteps | None = None

    @property
    def controls(self) -> bool:
        return self.loop is not None

    def commanded(self, drive: CommandsOverTime, times: Floats) -> Floats:
        return drive.at(times) if self.loop is None else drive.at(times) + self.loop.answers(times)

    def drive(self, drive: CommandsOverTime) -> None:
        self.motion.drive(*map(np.ascontiguousarray, (drive.times, drive.begin, drive.end)))

    def advance(self, times: Floats, allowance: Allowance = USUAL) -> tuple[Floats, str]:
        steps = times / self.step
        whole = np.rint(steps)
        steps = np.where(np.abs(steps - whole) < 1e-6, whole, steps)  # 0.3 s is 300 steps
        known = steps[: int(steps.searchsorted(self.done, side="right"))]
        if len(known) and known[0] < self.done:
            found = [self._between(known, self.done - 1, np.stack([self.before, self.after]))]
        else:  # as a controller asks
            found = [self.after[None]] * len(known) or [np.empty((0, len(self.after)))]
        last = min(int(np.ceil(steps[-1])), self.done + allowance.steps)
        end = time.perf_counter() + allowance.seconds
        while self.done < last and time.perf_counter() < end:
            count = int(min(self.block, last - self.done))
            states = np.empty((count, len(self.after)))
            rows = self.motion.advance(states)
            first, states = self.done, np.concatenate([self.after[None], states[:rows]])
            self.done += rows
            begin, end_row = steps.searchsorted([first, self.done], side="right").tolist()
            found.append(self._between(steps[begin:end_row], first, states))
            if rows:
                self.before, self.after = states[-2], states[-1]
            if rows < count:
                refused = np.array(self.motion.refused())
                why = reason(self.plant, refused, "the steps are too long for this motion")
                return np.concatenate(found), f"t = {self.done * self.step:.6g} s: {why}"
        return np.concatenate(found), ""

    def _between(self, steps: Floats, first: int, states: Floats) -> Floats:
        """States at some numbers of steps, whole or not, from those at first, first + 1, ...: cubic in q.

        Slopes, which follow a state, are interpolated as it is.
        """
        low = np.minimum(np.maximum(steps.astype(int) - first, 0), len(states) - 1)
        if (first + low == steps).all():
            return states[low]
        part = (steps - first - low)[:, None, None]
        rows = states.reshape(len(states), -1, self.plant.states.width)
        here, there = rows[low], rows[np.minimum(low + 1, len(states) - 1)]
        found = here + part * (there - here)
        (q, v, *_), (q_next, v_next, *_) = map(self.plant.states.split, (here, there))
        self.plant.states.split(found).q[:] = cubic(part, self.step, q, q_next, v, v_next)
        return found.reshape(len(steps), states.shape[1])

    def state(self) -> Floats:
        return np.array(self.after)

    def time(self) -> float:
        return self.done * self.step

    def counts(self) -> dict[str, int]:
        return {"evaluations": 2 * self.done, "steps": self.done, "rejected": 0}  # a step has two stages


def start_loop(solver: FixedStep, plant: Plant, state: Floats, control: Control) -> Run:
    """A run from a state whose controller is asked in compiled code; by Python where that is not built."""
    made = _FixedRun(solver, plant, state, NOWHERE)
    if compiled.native is not None:
        made.motion = made.loop = TrackedSteps(plant, state, made.step, control)
    return made


class _NumpySteps:
    """What native.SteppedMotion does, by the NumPy plant; slopes by complex steps."""

    def __init__(self, plant: Plant, state: Floats, step: float, directions: Directions) -> None:
        self.plant, self.step, self.done, self.moved = plant, step, 0, directions.plants
        self.state, *self.slopes = state.reshape(1 + len(directions), -1)
        self._refused = self.state

    def drive(self, times: Floats, begin: Floats, end: Floats) -> None:
        self.commands = CommandsOverTime(times, begin, end)

    def advance(self, states: Floats) -> int:
        for row in range(len(states)):
            with np.errstate(all="ignore"):  # what is not finite ends the motion
                after = self._after(self.plant, self.state)
                slopes = [
                    self._after(plant, self.state + 1j * COMPLEX_STEP * slope).imag / COMPLEX_STEP
                    for plant, slope in zip(self.moved, self.slopes, strict=True)
                ]
            if not (np.isfinite(after).all() and self.plant.margin(after) > 0):
                self._refused = after if np.isfinite(after).all() else self.state
                return row
            self.state, self.slopes = after, slopes
            states[row] = np.concatenate([after, *slopes])
            self.done += 1
        return len(states)

    def _after(self, plant: Plant, state: Floats) -> Floats:
        begin, end = self.done * self.step, (self.done + 1) * self.step
        return plant.step(self.commands.mean(begin, end, plant.thresholds), state, self.step)

    def refused(self) -> Floats:
        return self._refused


@dataclass(frozen=True)
class CVODE:
    """SUNDIALS CVODE, variable-order backward differences (the ode15s of the paper): the reference, through Python.

    Parameters
    ----------
    rtol : float, optional
        Relative tolerance of a step.
    atol : float, optional
        Absolute tolerance, m for q and 100 times that in m/s for q̇.
    highest_order : int, optional
        1 to 5.

    Examples
    --------
    >>> arm = ca.load_arm("prototype")
    >>> steps = ca.PressureSteps({"l33": [(0.0, 600e3)]})
    >>> reference = ca.simulate(arm, steps, duration=1, solver=ca.CVODE(rtol=1e-9, atol=1e-13))
    >>> motion = ca.simulate(arm, steps, duration=1)
    >>> bool(np.abs(motion.tips - reference.tips).max() < 2e-6)  # m
    True
    """

    rtol: float = 1e-6
    atol: float = 1e-10
    highest_order: int = 5

    def start(self, plant: Plant, state: Floats, directions: Directions = NOWHERE) -> Run:
        """A run from a state at t = 0."""
        _refuse_slopes("CVODE()", directions)
        _check_tolerances(self.rtol, self.atol)
        whole_number("highest_order", self.highest_order, least=1, most=5)
        from continuarm.simulation.cvode_run import CvodeRun

        tolerances = _tolerances(as_float(self.atol), plant)
        return CvodeRun(plant, state, as_float(self.rtol), tolerances, self.highest_order)

    def check(self, drive: CommandsOverTime, duration: float) -> None:
        """Follows all commands."""


def default_solver() -> Adaptive | CVODE:
    """The compiled solver where it is built, else SUNDIALS on the NumPy plant."""
    return CVODE() if compiled.native is None else Adaptive()


def _tolerances(atol: float, plant: Plant, directions: Directions = NOWHERE) -> Floats:
    """Absolute tolerances of a state, energies left out: those of q in m, of q̇ 100 times that in m/s.

    Those of pressures, hysteresis and creep are such that the spring of a muscle would move by that of q. Slopes, times
    the size of what changes, have those of the state here; their errors count a tenth (native/adaptive.hpp).
    """
    size = 3 * plant.arm.n
    tolerances = [np.full(size, atol), np.full(size, 100 * atol)]
    if plant.states.remembers:
        stiffness = np.array([np.trace(plant.arm.sections[i].stiffness_matrix) / 3 for i, _ in plant.muscles])
        area = np.array([muscle.area or 1.0 for _, muscle in plant.muscles])
        tolerances += [atol * stiffness / area, *([atol * stiffness] * (1 + len(plant.branches)))]
    state = np.concatenate(tolerances)
    return np.concatenate([state, *(state / size for size in directions.sizes)])


def _refuse_slopes(solver: str, directions: Directions) -> None:
    if directions:
        raise ValueError(f"sensitivities: {solver} does not compute them: must come with Adaptive() or FixedStep()")


def _check_tolerances(rtol: float, atol: float) -> None:
    for name, value, least in (("rtol", rtol, 1e-13), ("atol", atol, LEAST_ATOL)):
        if not least <= as_float(value) <= 1:
            raise ValueError(f"{name} = {short(value)}: must be between {least:g} and 1")
