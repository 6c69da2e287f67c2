"""A motion in progress: what every solver offers, and how it is led from output time to output time.

A run gives states as they are asked for, so that a long motion can show progress, be written as it goes, and keep what
it has when it is stopped. A state is a row of numbers in the plant's layout, `plant.states`; its slopes in directions,
where they are asked for, follow it in the same row and layout, one after the other.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from typing import NamedTuple, Protocol

import numpy as np

from continuarm.common.number_checks import Floats
from continuarm.dynamics.plant import Plant
from continuarm.engine.directions import NOWHERE, Directions
from continuarm.engine.quantities import forward_dynamics
from continuarm.engine.state_checks import checked
from continuarm.simulation.commands_over_time import CommandsOverTime

PATIENCE = 0.25
"""For so long, s, a run may compute before it gives what it has: to be shown, written, or stopped."""


class Allowance(NamedTuple):
    """What a run may use before it gives what it has."""

    seconds: float = PATIENCE  # of computing
    steps: float = math.inf  # taken and rejected


USUAL = Allowance()
"""What a run may use where nobody counts."""


class Budget:
    """What a whole motion may cost: seconds from now on, and steps, taken and rejected; None: as much as it takes."""

    def __init__(self, most_seconds: float | None = None, most_steps: int | None = None) -> None:
        self.most_seconds, self.most_steps = most_seconds, most_steps
        self._end = math.inf if most_seconds is None else time.perf_counter() + most_seconds

    def allowance(self, run: Run) -> Allowance:
        """What the run may use now."""
        steps = math.inf if self.most_steps is None else self.most_steps - steps_made(run)
        return Allowance(min(PATIENCE, self._end - time.perf_counter()), steps)

    def used_up(self, run: Run) -> str:
        """Why the motion has to end, if it has."""
        found = ""
        if self.most_steps is not None and steps_made(run) >= self.most_steps:
            found = f"most_steps = {self.most_steps} are used up"
        elif time.perf_counter() >= self._end:
            found = f"most_seconds = {self.most_seconds:g} are used up"
        return found and f"t = {run.time():.6g} s: {found}"


def steps_made(run: Run) -> int:
    """Steps of a run so far, taken and rejected."""
    counts = run.counts()
    return counts["steps"] + counts["rejected"]


class Run(Protocol):
    """A motion in progress."""

    @property
    def controls(self) -> bool:
        """Whether a controller is asked inside the run, and not between its parts."""

    def commanded(self, drive: CommandsOverTime, times: Floats) -> Floats:
        """The commands (k, commands) at times up to now, a controller's answers among them if it is asked inside."""

    def drive(self, drive: CommandsOverTime) -> None:
        """New commands from now on."""

    def advance(self, times: Floats, allowance: Allowance = USUAL) -> tuple[Floats, str]:
        """States (k, width) at the first of some ascending times, and the reason where the motion ends.

        Fewer than asked for and no reason: what was allowed is used up, and it wants to be asked again.
        """

    def state(self) -> Floats:
        """The state now."""

    def time(self) -> float:
        """The time up to which it is computed, s."""

    def counts(self) -> dict[str, int]:
        """What was done so far: evaluations, steps, rejected."""


class Solver(Protocol):
    """A way to compute motions."""

    def start(self, plant: Plant, state: Floats, directions: Directions = NOWHERE) -> Run:
        """A run from a state at t = 0; its slopes in some directions follow it, one after the other."""

    def check(self, drive: CommandsOverTime, duration: float) -> None:
        """Raises ValueError if the solver cannot follow such commands for so long."""


class MotionPart(NamedTuple):
    """States (k, width) and commands (k, commands) at the next k output times, and why the motion ends if it does."""

    states: Floats
    commands: Floats
    counts: dict[str, int]
    stopped: str = ""


def computed_parts(
    run: Run,
    plant: Plant,
    drive: CommandsOverTime,
    times: Floats,
    budget: Budget | None = None,
    chunk: int = 2000,
) -> Iterator[MotionPart]:
    """A motion part by part: states at the times, the first of which is 0, as far as the budget lasts."""
    budget = Budget() if budget is None else budget
    if drive.control is None or run.controls:
        run.drive(drive)
        done, stopped = 0, ""
        while done < len(times) and not stopped:
            few_are_left = len(times) - done < chunk + chunk // 10  # not worth a part of their own
            wanted = times[done:] if few_are_left else times[done : done + chunk]
            states, stopped = run.advance(wanted, budget.allowance(run))
            done += len(states)
            if done < len(times) and not stopped:
                stopped = budget.used_up(run)
            if len(states) or stopped:
                yield MotionPart(states, run.commanded(drive, wanted[: len(states)]), run.counts(), stopped)
        return
    period, done, stopped = 0, 0, ""
    while done < len(times) and not stopped:
        found: list[Floats] = []
        commanded: list[Floats] = []
        fault: BaseException | None = None
        began = time.perf_counter()
        while done < len(times) and not stopped and time.perf_counter() < began + PATIENCE:
            begin, end = period / drive.control.rate, (period + 1) / drive.control.rate
            try:
                piece = _controlled(run, plant, drive, begin, end)
            except BaseException as error:  # the user's function: what was computed before is kept
                fault = error
                break
            run.drive(piece)
            inside = times[done : int(times.searchsorted(end))]
            more = done + len(inside) < len(times)
            # the end is asked for as well, so that the next period begins there exactly
            states, stopped = _all_of(run, np.append(inside, end) if more else inside, budget)
            found.append(states[: len(inside)])
            commanded.append(piece.at(inside[: len(states)]))
            done += len(inside)
            period += 1
            if done < len(times) and not stopped:
                stopped = budget.used_up(run)
        if found:
            yield MotionPart(np.concatenate(found), np.concatenate(commanded), run.counts(), stopped)
        if isinstance(fault, StopIteration):  # which would end this generator, and not say why
            raise RuntimeError("the controller raised StopIteration") from fault
        if fault is not None:
            raise fault


def _controlled(run: Run, plant: Plant, drive: CommandsOverTime, begin: float, end: float) -> CommandsOverTime:
    """The commands from one time to another, with what the controller answers to the state now."""
    assert drive.control is not None
    return drive.piece(begin, end).plus_held(drive.control.answer(begin, plant, run.state()))


def _all_of(run: Run, times: Floats, budget: Budget) -> tuple[Floats, str]:
    """States at all of some times, unless the motion or its budget ends."""
    found, stopped = run.advance(times, budget.allowance(run))
    while len(found) < len(times) and not stopped:
        stopped = budget.used_up(run)
        if stopped:
            break
        states, stopped = run.advance(times[len(found) :], budget.allowance(run))
        found = np.concatenate([found, states])
    return found, stopped


def reason(plant: Plant, refused: Floats, otherwise: str = "") -> str:
    """Why the model does not hold at a state: the section and what is beyond which limit."""
    arm, size = plant.arm, 3 * plant.arm.n
    if not np.isfinite(refused).all():
        number = int(np.argmin(np.isfinite(refused)))
        if number < plant.states.pressures:
            return f"section {number % size // 3 + 1} of {arm.n} has a state that is not finite"
        return "a pressure, a hysteresis or an energy is not finite"
    here = plant.states.split(refused)
    try:
        q, qd = checked(arm, q=here.q.copy(), qd=here.qd.copy())
        forward_dynamics(arm, q, qd, np.zeros(size))
    except ValueError as error:
        return str(error)
    if otherwise:
        return otherwise
    fastest = int(np.argmax(np.abs(qd)))
    return f"no step is short enough for section {fastest // 3 + 1} of {arm.n}, which moves at {qd[fastest]:.3g} m/s"
