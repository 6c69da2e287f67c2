"""A target that a hand moves: what a controller follows meanwhile is smooth, and within reach."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from continuarm.arms.arm import Arm
from continuarm.common.number_checks import Floats
from continuarm.control.held_postures import HeldPosture, HeldPostures
from continuarm.control.pressing import HIGHEST, FeedbackLaw, Pressing
from continuarm.control.reference_checks import Space
from continuarm.control.references import Target
from continuarm.engine.quantities import tip_poses
from continuarm.statics.modes import natural_frequencies

QUICKEST, SLOWEST = 0.25, 3.0
"""s, of a way to a new target; between them it takes one swing of the slowest natural mode."""


@dataclass(frozen=True, eq=False)
class Approach:
    """A way from where something is and how it moves to rest at a goal, with a continuous acceleration.

    x(s) of fifth order in s = (t - begin)/duration; from rest it is the way of least jerk.
    """

    start: Target
    goal: Floats  # like the position of the start, m
    begin: float  # s
    duration: float  # s

    def at(self, t: ArrayLike) -> Target:
        """Position, velocity and acceleration at times (...), s; at rest at the goal after its end."""
        T = self.duration
        s = np.clip((np.asarray(t, dtype=float)[..., None] - self.begin) / T, 0.0, 1.0)
        x, v, a = self.start.position, T * self.start.velocity, T * T * self.start.acceleration
        way = self.goal - x
        c3, c4, c5 = 10 * way - 6 * v - 1.5 * a, -15 * way + 8 * v + 1.5 * a, 6 * way - 3 * v - 0.5 * a
        return Target(
            x + s * (v + s * (a / 2 + s * (c3 + s * (c4 + s * c5)))),
            (v + s * (a + s * (3 * c3 + s * (4 * c4 + s * 5 * c5)))) / T,
            (a + s * (6 * c3 + s * (12 * c4 + s * 20 * c5))) / T**2,
        )


class Dragged:
    """A reference that goes to a target wherever somebody puts it, or to the nearest place that pressures hold.

    Of the tip for controllers that feed back the tip, else of q. It begins at rest at q, (3n,), m, and goes to where
    the arm rests under middling pressures in all muscles.
    """

    def __init__(self, arm: Arm, controller: FeedbackLaw, q: Floats) -> None:
        self.arm: Arm = getattr(controller, "arm", arm)
        in_muscles = isinstance(controller, Pressing) and getattr(controller, "space", "muscles") == "muscles"
        self.space: Space = "muscles" if in_muscles else "tip"
        self.postures = HeldPostures(self.arm, float(getattr(controller, "highest", HIGHEST)))
        middle = self.postures.middle
        springs = self.postures.plant.muscle_stiffnesses(middle.pressures, middle.q)
        slowest = float(natural_frequencies(self.arm, middle.q, muscle_stiffness=springs)[0])
        self.duration = float(np.clip(1 / slowest, QUICKEST, SLOWEST)) if slowest > 0 else SLOWEST
        self.restart(q)

    def restart(self, q: Floats) -> None:
        """At rest at q at t = 0, and on the way to the middle."""
        self.begun = 0.0
        here = self._place(q)
        self._way = Approach(Target(here, np.zeros_like(here), np.zeros_like(here)), here, 0.0, self.duration)
        self.go(self.postures.middle, self.postures.middle.tip, 0.0)

    def found(self, position: ArrayLike) -> HeldPosture:
        """The posture nearest to a target (3,), m; ValueError where that is no place."""
        return self.postures.nearest(position, self.held)

    def go(self, held: HeldPosture, target: Floats, time: float) -> None:
        """From where the reference is at a time, s, to a posture that was found for a target."""
        goal = self._place(held.q)
        self._way = Approach(self._way.at(time), goal, time, self.duration)
        self.held, self.target = held, target

    def at(self, t: ArrayLike) -> Target:
        """Position, velocity and acceleration at times (...) since `begun`."""
        return self._way.at(np.asarray(t) + self.begun)

    def tip(self, time: float) -> Floats:
        """Where the tip is to be at a time, (3,), m."""
        x = self._way.at(time).position
        return x if self.space == "tip" else tip_poses(self.arm, x)[-1, :3, 3]

    def _place(self, q: Floats) -> Floats:
        return tip_poses(self.arm, q)[-1, :3, 3] if self.space == "tip" else np.array(q)
