"""How a motion is computed: small objects that say which method and how accurately, and start a run."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from continuarm.common.number_checks import Floats, as_float, whole_number
from continuarm.common.text import short
from continuarm.dynamics.plant import Plant
from continuarm.engine import compiled
from continuarm.engine.native_arm import native_plant
from continuarm.simulation.commands_over_time import CommandsOverTime
from continuarm.simulation.control_loop import USUAL, Allowance, Run, reason
from continuarm.simulation.interpolation import cubic

LEAST_ATOL = 1e-15
"""m: below it the rounding of length changes alone exceeds the tolerance: an arm at rest takes millions of steps."""


@dataclass(frozen=True)
class Adaptive:
    """Compiled backward differences of order 1 to 5 with error control; never returns to Python between outputs.

    The default atol was chosen on the paper's experiment 1, where it keeps the tips within a micrometre.

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

    def start(self, plant: Plant, state: Floats) -> Run:
        """A run from a state at t = 0."""
        _check_tolerances(self.rtol, self.atol)
        if not as_float(self.longest_step) >= 1e-9:
            raise ValueError(f"longest_step = {short(self.longest_step)}: must be at least 1e-9 s")
        whole_number("highest_order", self.highest_order, least=1, most=5)
        return _AdaptiveRun(self, plant, state)

    def check(self, drive: CommandsOverTime, duration: float) -> None:
        """Follows all commands."""


class _AdaptiveRun:
    def __init__(self, solver: Adaptive, plant: Plant, state: Floats) -> None:
        if compiled.native is None:
            raise ValueError(f"solver = Adaptive(): {compiled.NOT_BUILT}, or use CVODE() or FixedStep()")
        self.plant = plant
        self.motion = compiled.native.AdaptiveMotion(
            native_plant(plant),
            state.tolist(),
            as_float(solver.rtol),
            _tolerances(as_float(solver.atol), plant).tolist(),
            min(as_float(solver.longest_step), 1e300),
            solver.highest_order,
        )

    def drive(self, drive: CommandsOverTime) -> None:
        self.motion.drive(*map(np.ascontiguousarray, (drive.times, drive.begin, drive.end)))

    def advance(self, times: Floats, allowance: Allowance = USUAL) -> tuple[Floats, str]:
        states = np.empty((len(times), self.plant.states.width))
        rows, failed = self.motion.advance(np.ascontiguousarray(times), states, *allowance)
        if not failed:
            return states[:rows], ""
        refused = self.motion.refused() or self.motion.state()
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
    touches its stop may chatter there where a step is longer than a bounce: at 1 kHz, above about 1e5 N/m.

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

    def start(self, plant: Plant, state: Floats) -> Run:
        """A run from a state at t = 0."""
        if not 0 < as_float(self.rate) <= 1e7:
            raise ValueError(f"rate of FixedStep = {short(self.rate)}: must be above 0 Hz and at most 1e7 Hz")
        return _FixedRun(self, plant, state)

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
    def __init__(self, solver: FixedStep, plant: Plant, state: Floats) -> None:
        self.plant, self.step, self.done = plant, 1 / as_float(solver.rate), 0
        if compiled.native is None:
            self.block = 1
            self.motion: Any = _NumpySteps(plant, state, self.step)
        else:
            self.block = max(100, 60_000 // plant.arm.n)  # steps computed before their states are thinned out
            thresholds = plant.thresholds.tolist()
            self.motion = compiled.native.SteppedMotion(
                native_plant(plant, self.step), state.tolist(), thresholds, self.step
            )
        self.before = self.after = state

    def drive(self, drive: CommandsOverTime) -> None:
        self.motion.drive(*map(np.ascontiguousarray, (drive.times, drive.begin, drive.end)))

    def advance(self, times: Floats, allowance: Allowance = USUAL) -> tuple[Floats, str]:
        steps = times / self.step
        whole = np.rint(steps)
        steps = np.where(np.abs(steps - whole) < 1e-6, whole, steps)  # 0.3 s is 300 steps
        found = [self._between(steps[steps <= self.done], self.done - 1, np.stack([self.before, self.after]))]
        last = min(int(np.ceil(steps[-1])), self.done + allowance.steps)
        end = time.perf_counter() + allowance.seconds
        while self.done < last and time.perf_counter() < end:
            count = int(min(self.block, last - self.done))
            states = np.empty((count, len(self.after)))
            rows = self.motion.advance(states)
            first, states = self.done, np.concatenate([self.after[None], states[:rows]])
            self.done += rows
            found.append(self._between(steps[(steps > first) & (steps <= self.done)], first, states))
            if rows:
                self.before, self.after = states[-2], states[-1]
            if rows < count:
                refused = np.array(self.motion.refused())
                why = reason(self.plant, refused, "the steps are too long for this motion")
                return np.concatenate(found), f"t = {self.done * self.step:.6g} s: {why}"
        return np.concatenate(found), ""

    def _between(self, steps: Floats, first: int, states: Floats) -> Floats:
        """States at some numbers of steps, whole or not, from those at first, first + 1, ...: cubic in q."""
        low = np.clip(np.floor(steps).astype(int) - first, 0, len(states) - 1)
        part = (steps - first - low)[:, None]
        here, there = states[low], states[np.minimum(low + 1, len(states) - 1)]
        found = here + part * (there - here)
        (q, v, *_), (q_next, v_next, *_) = map(self.plant.states.split, (here, there))
        self.plant.states.split(found).q[:] = cubic(part, self.step, q, q_next, v, v_next)
        return found

    def state(self) -> Floats:
        return np.array(self.after)

    def time(self) -> float:
        return self.done * self.step

    def counts(self) -> dict[str, int]:
        return {"evaluations": 2 * self.done, "steps": self.done, "rejected": 0}  # a step has two stages


class _NumpySteps:
    """What native.SteppedMotion does, by the NumPy plant."""

    def __init__(self, plant: Plant, state: Floats, step: float) -> None:
        self.plant, self.state, self.step, self.done = plant, state, step, 0
        self._refused = state

    def drive(self, times: Floats, begin: Floats, end: Floats) -> None:
        self.commands = CommandsOverTime(times, begin, end)

    def advance(self, states: Floats) -> int:
        for row in range(len(states)):
            commanded = self.commands.mean(self.done * self.step, (self.done + 1) * self.step, self.plant.thresholds)
            with np.errstate(all="ignore"):  # what is not finite ends the motion
                after = self.plant.step(commanded, self.state, self.step)
            if not (np.isfinite(after).all() and self.plant.margin(after) > 0):
                self._refused = after if np.isfinite(after).all() else self.state
                return row
            states[row] = self.state = after
            self.done += 1
        return len(states)

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

    def start(self, plant: Plant, state: Floats) -> Run:
        """A run from a state at t = 0."""
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


def _tolerances(atol: float, plant: Plant) -> Floats:
    """Absolute tolerances of a state, energies left out: those of q in m, of q̇ 100 times that in m/s.

    Those of pressures, hysteresis and creep are such that the spring of a muscle would move by that of q.
    """
    size = 3 * plant.arm.n
    tolerances = [np.full(size, atol), np.full(size, 100 * atol)]
    if plant.states.remembers:
        stiffness = np.array([np.trace(plant.arm.sections[i].stiffness_matrix) / 3 for i, _ in plant.muscles])
        area = np.array([muscle.area or 1.0 for _, muscle in plant.muscles])
        tolerances += [atol * stiffness / area, *([atol * stiffness] * (1 + len(plant.branches)))]
    return np.concatenate(tolerances)


def _check_tolerances(rtol: float, atol: float) -> None:
    for name, value, least in (("rtol", rtol, 1e-13), ("atol", atol, LEAST_ATOL)):
        if not least <= as_float(value) <= 1:
            raise ValueError(f"{name} = {short(value)}: must be between {least:g} and 1")
