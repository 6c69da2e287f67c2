"""Implicit steps of a closed loop whose controller is asked in compiled code."""

from __future__ import annotations

import numpy as np

from continuarm.common.number_checks import Floats
from continuarm.dynamics.plant import Plant
from continuarm.engine import compiled
from continuarm.engine.native_arm import native_plant
from continuarm.engine.section_numbers import VALVE, flat
from continuarm.sections.muscles_and_valves import valve_step
from continuarm.simulation.commands_over_time import CommandsOverTime, Control


class TrackedSteps:
    """What a `SteppedMotion` does, in whole periods of a controller; its answers are kept."""

    def __init__(self, plant: Plant, state: Floats, step: float, control: Control) -> None:
        tracking = control.tracking
        assert tracking is not None
        self.plant, self.step, self.rate, self.goals = plant, step, control.rate, tracking.goals
        self.steps = round(1 / (step * control.rate))
        leads = [flat(VALVE, valve_step(muscle, tracking.lead)) for _, muscle in tracking.model.muscles]
        self.motion = compiled.native.ClosedLoop(
            native_plant(plant, step),
            native_plant(tracking.model),
            leads,
            state.tolist(),
            step,
            self.steps,
            [*tracking.of_acceleration, *tracking.of_velocity, tracking.highest, tracking.change],
        )
        self.periods, self.asked = 0, [np.zeros((0, len(plant.muscles)))]
        self.forgotten = 0  # periods whose answers nobody will ask for
        self.ready = np.zeros((0, len(state)))  # steps that are made and not handed out yet
        self.failed = False

    def drive(self, times: Floats, begin: Floats, end: Floats) -> None:
        """What drives the plant beside the controller."""
        self.commands = CommandsOverTime(times, begin, end)

    def advance(self, states: Floats) -> int:
        """States after the next steps, (k, width): rows written."""
        missing = len(states) - len(self.ready)
        if missing > 0 and not self.failed:
            self.ready = np.concatenate([self.ready, self._made(-(-missing // self.steps))])
        count = min(len(states), len(self.ready))
        states[:count], self.ready = self.ready[:count], self.ready[count:]
        return count

    def _made(self, periods: int) -> Floats:
        numbers = np.arange(self.periods, self.periods + periods)
        first, count = self.periods * self.steps, periods * self.steps
        beside = self.commands.means(self.step, count, self.plant.thresholds, first)
        states, asked = np.empty((count, self.plant.states.width)), np.empty((periods, len(self.plant.muscles)))
        goals = np.ascontiguousarray(self.goals(numbers / self.rate))
        made = self.motion.advance(goals, np.ascontiguousarray(beside), states, asked)
        self.failed = made < count
        self.periods += -(-made // self.steps)
        self.asked.append(asked[: -(-made // self.steps)])
        return states[:made]

    def answers(self, times: Floats) -> Floats:
        """Commands of the controller at times, (k, commands): the answer of the period, held until the next."""
        self.asked = [np.concatenate(self.asked)]
        found = np.zeros((len(times), self.plant.commands.width))
        if len(self.asked[0]):
            period = np.clip((times * self.rate + 1e-6).astype(int) - self.forgotten, 0, len(self.asked[0]) - 1)
            found[:, : len(self.plant.muscles)] = self.asked[0][period]
        return found

    def latest(self) -> Floats:
        """The last answer, as a row of commands; those before it are forgotten, however long the run goes on."""
        self.asked = [np.concatenate(self.asked)[-1:]]
        self.forgotten = self.periods - len(self.asked[0])
        found = np.zeros(self.plant.commands.width)
        found[: len(self.plant.muscles)] = self.asked[0].sum(axis=0)  # nothing before the first
        return found

    def state(self) -> list[float]:
        """The state now."""
        return list(self.motion.state())

    def refused(self) -> list[float]:
        """Where a step could not be made."""
        return list(self.motion.refused())
