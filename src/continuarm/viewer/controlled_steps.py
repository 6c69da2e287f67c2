"""Steps of a live arm whose controller is asked on the way, as many at a time as a picture needs."""

from __future__ import annotations

import numpy as np

from continuarm.common.number_checks import Floats
from continuarm.dynamics.plant import Plant
from continuarm.engine import compiled
from continuarm.simulation.commands_over_time import CommandsOverTime, Control
from continuarm.simulation.solvers import FixedStep, start_loop
from continuarm.simulation.tracked_steps import TrackedSteps


class ControlledSteps:
    """A run from a state at t = 0 by fixed steps, which may end in the middle of a controller's period."""

    def __init__(self, solver: FixedStep, plant: Plant, state: Floats, control: Control) -> None:
        self.plant, self.control = plant, control
        inside = control.tracking is not None and compiled.native is not None
        self._run = start_loop(solver, plant, state, control) if inside else solver.start(plant, state)
        self._loop: TrackedSteps | None = getattr(self._run, "loop", None)
        self._time, self._period = 0.0, -1
        self._answer = np.zeros(plant.commands.width)

    @property
    def answer(self) -> Floats:
        """What the controller last commanded: (commands,)."""
        return self._answer if self._loop is None else self._loop.latest()

    def drive(self, drive: CommandsOverTime) -> None:
        """What drives the arm from now on beside its controller."""
        self._beside = drive
        if self._loop is not None:
            self._run.drive(drive)

    def advance(self, times: Floats) -> tuple[Floats, str]:
        """Goes on to the last of some times; the states there, and why it stops, if it does."""
        if self._loop is not None:
            return self._run.advance(times)
        last, rate, stopped = float(times[-1]), self.control.rate, ""
        while self._time < last - 1e-9 and not stopped:
            period = int(self._time * rate + 1e-6)
            if period != self._period:
                self._answer = self.control.answer(self._time, self.plant, self._run.state())
                self._period = period
            end = (period + 1) / rate
            self._run.drive(self._beside.piece(self._time, end).plus_held(self._answer))
            until = min(end, last)
            _, stopped = self._run.advance(np.array([until]))
            self._time = until
        return self._run.state()[None], stopped

    def state(self) -> Floats:
        """The state now."""
        return self._run.state()
