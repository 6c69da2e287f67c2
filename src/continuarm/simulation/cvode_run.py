"""A motion in progress, computed by CVODE of SUNDIALS, which asks this side for every rate."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from continuarm.common.number_checks import Floats
from continuarm.dynamics.plant import Plant
from continuarm.engine import compiled
from continuarm.engine.native_arm import native_plant
from continuarm.simulation.commands_over_time import SHORTEST, CommandsOverTime
from continuarm.simulation.control_loop import USUAL, Allowance, reason, steps_made


class CvodeRun:
    """Starts anew where a command jumps, and does not step over knots unseen.

    CVODE keeps its past from one call of advance to the next, so that a motion does not depend on when somebody wanted
    to see what there was of it. It does not tell its steps: they are counted from the times at which it asks for rates.
    """

    controls = False

    def __init__(self, plant: Plant, state: Floats, rtol: float, tolerances: Floats, highest_order: int) -> None:
        from sksundae.cvode import CVODE  # takes longer than many motions: not part of their time

        self.solver_of = CVODE
        self.plant, self.rtol, self.highest_order = plant, rtol, highest_order
        # the energies are summed up beside the motion: they have no part in its error
        self.tolerances = np.append(tolerances, [1e30, 1e30])
        self.given, self.given_at = state.copy(), 0.0
        self.tally = {"evaluations": 0, "steps": 0, "rejected": 0}
        self.refused, self.latest_rate = state, np.zeros(len(state))
        self.rate, self.margin = _plant_functions(plant)
        self.cvode: Any = None

    def drive(self, drive: CommandsOverTime) -> None:
        self.commands, self.cvode = drive, None
        jumps = (drive.end[:-1] != drive.begin[1:]).any(axis=1)
        self.sloped = len(drive.times) > 1 and bool((drive.begin != drive.end).any())
        gaps = np.diff(drive.times)
        uneven = self.sloped and gaps.min() < np.median(gaps) / 10  # then from knot to knot
        self.longest = float(gaps.min()) if self.sloped and not uneven else 0.0
        jumps[-1:] = True  # after the last knot nothing changes
        self.bounds = drive.times[1:] if uneven else drive.times[1:][jumps]

    def commanded(self, drive: CommandsOverTime, times: Floats) -> Floats:
        """The commands at times."""
        return drive.at(times)

    def advance(self, times: Floats, allowance: Allowance = USUAL) -> tuple[Floats, str]:
        end, most = time.perf_counter() + allowance.seconds, steps_made(self) + allowance.steps
        found, first = np.empty((len(times), len(self.given))), True
        with _silent():
            for row, wanted in enumerate(times):
                # an output time and a knot, or two of either, closer than SHORTEST are one: CVODE makes no such step
                while wanted > self.given_at + SHORTEST:
                    if not first and (time.perf_counter() > end or steps_made(self) >= most):
                        return found[:row], ""
                    first = False  # however little is allowed, it goes on
                    why = self._toward(float(wanted))
                    if why:
                        return found[:row], f"t = {self.given_at:.6g} s: {why}"
                found[row] = self.given
        return found, ""

    def _start(self) -> None:
        """CVODE anew, from where it is to the next knot where the commands jump."""
        self.begun = self.latest = self.given_at
        later = self.bounds[self.bounds > self.begun + SHORTEST]
        self.until = float(later[0]) if len(later) else self.begun + 1e9
        self.row = self.commands.at([self.begun + SHORTEST])[0]
        self.steady = not self.sloped or not len(later)
        self.cvode = self.solver_of(
            self._rate,
            method="BDF",
            rtol=self.rtol,
            atol=self.tolerances,
            max_step=self.longest if len(later) else 0.0,
            max_order=self.highest_order,
            max_num_steps=STEPS,
            eventsfn=lambda time, y, events: self._edge(y, events),
            num_events=1,
        )
        with _without_log():
            self.cvode.init_step(self.begun, self.given)

    def _toward(self, wanted: float) -> str:
        """To a time, or less far: to where CVODE has to start anew, or has made STEPS; why the motion ends, if so."""
        if self.cvode is None:
            self._start()
        before = self.given_at
        result = self.cvode.step(min(wanted, self.until), "normal", self.until)
        self.given, self.given_at = result.y, float(result.t)
        if result.status == TOO_MUCH_WORK and self.given_at - before <= STEPS * np.spacing(before):
            return reason(self.plant, self.refused)  # its steps are so short that time stands still
        if (result.status < 0 and result.status != TOO_MUCH_WORK) or result.status == ROOT_FOUND:
            return reason(self.plant, self.refused, str(result.message))
        if self.given_at >= self.until - SHORTEST:
            self.cvode, self.given_at = None, self.until
        return ""

    def _rate(self, time: float, y: Any, out: Any) -> None:
        self.tally["evaluations"] += 1
        if time > self.latest:
            self.tally["steps"] += 1
        elif time < self.latest:  # the step to the time before was not taken
            self.tally["rejected"] += 1
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
        return self.given

    def time(self) -> float:
        return self.given_at

    def counts(self) -> dict[str, int]:
        return dict(self.tally)


ROOT_FOUND, TOO_MUCH_WORK = 2, -1
"""What CVODE answers where the edge of the model's range lies inside a step, and where it has made STEPS."""
STEPS = 100
"""Steps after which it lets others look at the clock."""


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


class _SilentHere:
    """Standard output for all threads but those that are silent: CVODE's errors are told as reasons, not printed."""

    def __init__(self, real: Any) -> None:
        self.real = real
        self.threads: list[int] = []

    def write(self, text: str) -> int:
        return len(text) if threading.get_ident() in self.threads else self.real.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)


@contextlib.contextmanager
def _without_log() -> Iterator[None]:
    """SUNDIALS, which asks the environment where to write warnings and errors as a solver is made, writes them nowhere.

    What it has to say is in what it returns.
    """
    names = ("SUNLOGGER_WARNING_FILENAME", "SUNLOGGER_ERROR_FILENAME")
    with _silencing:
        before = {name: os.environ.get(name) for name in names}
        os.environ.update(dict.fromkeys(names, os.devnull))
        try:
            yield
        finally:
            for name, value in before.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value


_silencing = threading.Lock()


@contextlib.contextmanager
def _silent() -> Iterator[None]:
    """Nothing that this thread prints is seen."""
    with _silencing:
        if not isinstance(sys.stdout, _SilentHere):
            sys.stdout = _SilentHere(sys.stdout)
        screen: Any = sys.stdout
        screen.threads.append(threading.get_ident())
    try:
        yield
    finally:
        with _silencing:
            screen.threads.remove(threading.get_ident())
            if sys.stdout is screen and not screen.threads:
                sys.stdout = screen.real
