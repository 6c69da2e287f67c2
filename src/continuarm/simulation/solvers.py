"""How a motion is computed: small objects that say which method and how accurately, and start a run."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from continuarm.common.number_checks import Floats, is_number, whole_number
from continuarm.dynamics.plant import Plant
from continuarm.engine import compiled
from continuarm.engine.native_arm import native_plant
from continuarm.simulation import control_loop
from continuarm.simulation.commands_over_time import SHORTEST, CommandsOverTime
from continuarm.simulation.control_loop import Run, reason
from continuarm.simulation.interpolation import cubic


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
        if not (is_number(self.longest_step) and self.longest_step >= 1e-9):
            raise ValueError(f"longest_step = {self.longest_step!r}: must be at least 1e-9 s")
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
            solver.rtol,
            _tolerances(solver.atol, plant).tolist(),
            min(solver.longest_step, 1e300),
            solver.highest_order,
        )

    def drive(self, drive: CommandsOverTime) -> None:
        self.motion.drive(*map(np.ascontiguousarray, (drive.times, drive.begin, drive.end)))

    def advance(self, times: Floats) -> tuple[Floats, str]:
        states = np.empty((len(times), self.plant.states.width))
        rows, failed, reached = self.motion.advance(np.ascontiguousarray(times), states, control_loop.PATIENCE)
        if not failed:
            return states[:rows], ""
        refused = self.motion.refused() or self.motion.state()
        return states[:rows], f"t = {reached:.6g} s: {reason(self.plant, np.array(refused))}"

    def state(self) -> Floats:
        return np.array(self.motion.state())

    def counts(self) -> dict[str, int]:
        return dict(self.motion.counts())


@dataclass(frozen=True)
class FixedStep:
    """Implicit steps of one length, order 2, O(n) each: for control rates, where the cost must be known beforehand.

    Springs, dampers and stops are taken implicitly, so that a step is stable however stiff they are (see
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
        if not (is_number(self.rate) and 0 < self.rate <= 1e7):
            raise ValueError(f"rate of FixedStep = {self.rate!r}: must be above 0 Hz and at most 1e7 Hz")
        return _FixedRun(self, plant, state)

    def check(self, drive: CommandsOverTime, duration: float) -> None:
        """A motion has at least one step, and a controller is asked every so many whole steps."""
        if self.rate * duration < 1 - 1e-9:
            raise ValueError(
                f"rate of FixedStep = {self.rate:g} Hz: must be at least {1 / duration:g} Hz, a step in {duration:g} s"
            )
        if drive.control is not None:
            ratio = self.rate / drive.control.rate
            if abs(ratio - round(ratio)) > 1e-9 * ratio or round(ratio) < 1:
                raise ValueError(
                    f"rate of the controller = {drive.control.rate:g} Hz: "
                    f"must be that of FixedStep, {self.rate:g} Hz, or a whole fraction of it"
                )


class _FixedRun:
    def __init__(self, solver: FixedStep, plant: Plant, state: Floats) -> None:
        self.plant, self.step, self.done = plant, 1 / solver.rate, 0
        self.block = max(100, 60_000 // plant.arm.n)  # steps computed before their states are thinned out
        if compiled.native is None:
            self.motion: Any = _NumpySteps(plant, state, self.step)
        else:
            thresholds = plant.thresholds.tolist()
            self.motion = compiled.native.SteppedMotion(
                native_plant(plant, self.step), state.tolist(), thresholds, self.step
            )
        self.before = self.after = state

    def drive(self, drive: CommandsOverTime) -> None:
        self.motion.drive(*map(np.ascontiguousarray, (drive.times, drive.begin, drive.end)))

    def advance(self, times: Floats) -> tuple[Floats, str]:
        steps = times / self.step
        whole = np.rint(steps)
        steps = np.where(np.abs(steps - whole) < 1e-6, whole, steps)  # 0.3 s is 300 steps
        found = [self._between(steps[steps <= self.done], self.done - 1, np.stack([self.before, self.after]))]
        last, began = int(np.ceil(steps[-1])), time.perf_counter()
        while self.done < last and time.perf_counter() < began + control_loop.PATIENCE:
            count = min(self.block, last - self.done)
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
        return _CvodeRun(self, plant, state)

    def check(self, drive: CommandsOverTime, duration: float) -> None:
        """Follows all commands."""


class _CvodeRun:
    def __init__(self, solver: CVODE, plant: Plant, state: Floats) -> None:
        self.solver, self.plant = solver, plant
        # the energies are summed up beside the motion: they have no part in its error
        self.tolerances = np.append(_tolerances(solver.atol, plant), [1e30, 1e30])
        self.time, self.now = 0.0, state.copy()
        self.tally = {"evaluations": 0, "steps": 0, "rejected": 0}
        self.refused, self.latest_rate = state, np.zeros(len(state))
        self.rate, self.margin = _plant_functions(plant)

    def drive(self, drive: CommandsOverTime) -> None:
        self.commands = drive

    def advance(self, times: Floats) -> tuple[Floats, str]:
        """Starts anew where a command jumps, and does not step over knots unseen."""
        from sksundae.cvode import CVODE

        drive = self.commands
        jumps = (drive.end[:-1] != drive.begin[1:]).any(axis=1)
        bounds = drive.times[1:][jumps]
        lines = len(drive.times) > 1 and bool((drive.begin != drive.end).any())
        gaps = np.diff(drive.times)
        if lines and gaps.min() < np.median(gaps) / 10:  # uneven: from knot to knot
            bounds = drive.times[1:]
        longest = float(gaps.min()) if lines and len(bounds) < len(gaps) else 0.0
        # an output time and a knot, or two of either, that are closer than SHORTEST are one: CVODE makes no such step
        done = int(np.searchsorted(times, self.time + SHORTEST, side="right"))
        found = [np.repeat(self.now[None], done, axis=0)]
        while done < len(times):
            ahead = bounds[bounds > self.time + SHORTEST]
            last = float(times[-1])
            end = float(ahead[0]) if len(ahead) and ahead[0] <= last + SHORTEST else last
            within = int(np.searchsorted(times, end - SHORTEST)) - done
            at_end = int(np.searchsorted(times, end + SHORTEST, side="right")) - done - within
            wanted = np.concatenate([[self.time], times[done : done + within], [end]])
            wanted, place = np.unique(wanted, return_inverse=True)
            cvode = CVODE(
                self._rate,
                method="BDF",
                rtol=self.solver.rtol,
                atol=self.tolerances,
                max_step=longest,
                max_order=self.solver.highest_order,
                max_num_steps=1_000_000,
                eventsfn=lambda time, y, events: self._edge(y, events),
                num_events=1,
            )
            self.begun = self.latest = self.time
            self.row = drive.at([self.time + SHORTEST])[0]
            self.steady = bool((self.row == drive.before([end])[0]).all()) and not lines
            result = cvode.solve(wanted, self.now)
            reached = np.array(result.y)
            known = place[1:-1] < len(reached) - (float(result.t[-1]) < end)  # the last one may be where it stopped
            found.append(reached[place[1:-1][known]])
            self.time, self.now = float(result.t[-1]), reached[-1]
            if self.time >= end:
                found.append(np.repeat(self.now[None], at_end, axis=0))
                done += within + at_end
            else:
                why = reason(self.plant, self.refused, str(result.message))
                return np.concatenate(found), f"t = {self.time:.6g} s: {why}"
        return np.concatenate(found), ""

    def _rate(self, time: float, y: Any, out: Any) -> None:
        tally = self.tally
        tally["evaluations"] += 1
        if time > self.latest:
            tally["steps"] += 1
        elif time < self.latest:  # the step to the time before was not taken
            tally["rejected"] += 1
        self.latest = time
        if not self.steady:
            self.row = self.commands.before([time])[0] if time > self.begun else self.row
        if self.rate(self.row, y, out):
            self.latest_rate = np.array(out)
            return
        if np.isfinite(y).all():
            self.refused = np.array(y)
            if self.margin(y) <= 0:  # goes on as it was, to the edge that it has just passed
                out[:] = self.latest_rate
                return
        out[:] = np.nan  # CVODE tries a shorter step

    def _edge(self, y: Any, events: Any) -> None:
        """Zero at the edge of the model's range."""
        events[0] = self.margin(y)

    def state(self) -> Floats:
        return self.now

    def counts(self) -> dict[str, int]:
        return dict(self.tally)


def _plant_functions(plant: Plant) -> tuple[Callable[[Floats, Floats, Floats], bool], Callable[[Floats], float]]:
    """The rate of a plant, written into its third argument, false where the model does not hold; and the margin."""
    if compiled.native is not None:
        native = native_plant(plant)
        return native.rate, native.margin

    def rate(commands: Floats, state: Floats, out: Floats) -> bool:
        with np.errstate(all="ignore"):
            if not (np.isfinite(state).all() and plant.margin(state) > 0):
                return False
            out[:] = plant.rate(commands, state)
        return bool(np.isfinite(out).all())

    return rate, lambda state: float(plant.margin(state))


def default_solver() -> Adaptive | CVODE:
    """The compiled solver where it is built, else SUNDIALS on the NumPy plant."""
    return CVODE() if compiled.native is None else Adaptive()


def _tolerances(atol: float, plant: Plant) -> Floats:
    """Absolute tolerances of a state, energies left out: those of q in m, of q̇ 100 times that in m/s.

    Those of pressures and hysteresis are such that the spring of a muscle would move by that of q.
    """
    size = 3 * plant.arm.n
    tolerances = [np.full(size, atol), np.full(size, 100 * atol)]
    if plant.states.remembers:
        stiffness = np.array([np.trace(plant.arm.sections[i].stiffness_matrix) / 3 for i, _ in plant.muscles])
        area = np.array([muscle.area or 1.0 for _, muscle in plant.muscles])
        tolerances += [atol * stiffness / area, atol * stiffness]
    return np.concatenate(tolerances)


def _check_tolerances(rtol: float, atol: float) -> None:
    for name, value, least in (("rtol", rtol, 1e-13), ("atol", atol, 1e-300)):
        if not (is_number(value) and least <= value <= 1):
            raise ValueError(f"{name} = {value!r}: must be between {least:g} and 1")
