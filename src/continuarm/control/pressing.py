"""What all controllers share: limits, what they remember, and the way from τ to commands."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from continuarm.arms.arm import Arm, require_arm
from continuarm.common.limits import HIGHEST_PRESSURE
from continuarm.common.number_checks import Floats, duration, number_above
from continuarm.control.muscle_goals import InMuscles, one_posture
from continuarm.control.muscle_inversion import NEAR, require_areas, solved_pressures
from continuarm.control.references import Reference, Target
from continuarm.dynamics.plant import Plant
from continuarm.dynamics.plant_states import State
from continuarm.dynamics.tracking import within

HIGHEST = 700e3
"""Pa, unless another is said."""
LEAD = 0.005
"""s, in which valves that lag are to have brought pressures where they are wanted."""
UNLIMITED = 1e15
"""Pa/s: a rate that nothing has."""


class FeedbackLaw(Protocol):
    """Anything that can close a loop."""

    def command(self, t: float, state: Floats, reference: Reference) -> Floats:
        """Pressures of all muscles, (muscles,), Pa."""


class Memory:
    """What a controller keeps between calls: when it was last asked, what it answered, and what it summed up."""

    def __init__(self, arm: Arm, size: int) -> None:
        self.plant = Plant(arm)
        self.size = size
        self.goals: tuple[Reference, InMuscles] | None = None
        self.begin()

    def begin(self) -> None:
        self.last, self.sum = -np.inf, np.zeros(self.size)
        self.command: Floats | None = None

    def passed(self, t: float) -> float:
        """Seconds since the last call; 0 at the first, where all begins anew."""
        since = t - self.last
        if not 0 < since < np.inf:
            self.begin()
            since = 0.0
        self.last = t
        return since

    def goal(self, arm: Arm, reference: Reference, posture: ArrayLike | None, t: float) -> Target:
        """The reference as q."""
        if self.goals is None or self.goals[0] is not reference:
            self.goals = reference, InMuscles(arm, reference, posture)
        return self.goals[1].at(t)


@dataclass(frozen=True, eq=False, kw_only=True)
class Pressing(ABC):
    """What all controllers share: limits, and the way from τ to commands.

    Parameters
    ----------
    highest : float, optional
        Of all pressures, Pa.
    fastest : float, optional
        Of all changes of a command, Pa/s.
    lead : float, optional
        s, in which valves that lag are to have brought the pressures there.
    posture : array_like, (3n,), optional
        To which muscles stay near where the reference is of the tip, m; the middle of their ranges if left out.
    """

    highest: float = HIGHEST
    fastest: float = UNLIMITED
    lead: float = LEAD
    posture: ArrayLike | None = None
    _memory: dict[str, Memory] = field(default_factory=dict, init=False, repr=False, compare=False)

    @abstractmethod
    def command(self, t: float, state: Floats, reference: Reference) -> Floats:
        """Pressures of all muscles.

        Parameters
        ----------
        t : float
            s.
        state : ndarray, (width,)
            Of the plant, in the layout of the arm's plant.
        reference : Reference
            What to follow.

        Returns
        -------
        ndarray, (muscles,)
            Pa.
        """

    def _check_limits(self, arm: Arm) -> None:
        require_arm(arm)
        require_areas(arm)
        zone = max(float(section.dead_zone) for section in arm.sections)
        self._set(highest=number_above("highest", self.highest, zone, HIGHEST_PRESSURE, "Pa", "pascals"))
        self._set(fastest=number_above("fastest", self.fastest, 0.0, UNLIMITED, "Pa/s", "pascals a second"))
        self._set(lead=duration("lead", self.lead, most=10.0))
        if self.posture is not None:
            self._set(posture=one_posture(arm, "posture", self.posture))

    def _set(self, **fields: object) -> None:
        """Fields as they were checked."""
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def _remembered(self, arm: Arm, size: int) -> Memory:
        if "own" not in self._memory:
            self._memory["own"] = Memory(arm, size)
        return self._memory["own"]

    def _commands(self, memory: Memory, here: State, tau: Floats, since: float) -> tuple[Floats, Floats]:
        """Commands for τ within the limits, and where τ is given by all muscles of a section: 1 or 0, (3n,)."""
        plant, lead = memory.plant, self.lead if memory.plant.lagged.any() else 0.0
        held = here.hysteresis + here.creep.sum(axis=-2)
        _, found, felt = solved_pressures(
            plant, here.q[None], tau[None], held[None], self.highest, here.pressures[None], lead
        )
        commands, near = found[0], np.abs(felt[0] - tau) <= NEAR * max(1.0, np.abs(tau).max())
        given = np.repeat(near.reshape(-1, 3).all(axis=1), 3).astype(float)
        if memory.command is not None and self.fastest < UNLIMITED:
            change = self.fastest * since
            commands = within(commands, memory.command - change, memory.command + change)
        memory.command = commands
        return commands, given
