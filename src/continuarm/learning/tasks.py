"""What an arm is to do: reach a point, track a point that moves, hold its tip against a push."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from continuarm.common.number_checks import Floats, number_above
from continuarm.common.text import short
from continuarm.engine.quantities import tip_poses
from continuarm.learning.world import Observations, Rows, Truths, World

Report = dict[str, tuple[NDArray[Any], Truths | None]]
"""Values (count, ...) by name, and for which arms they are, all if None."""

ERROR = 5.0
"""How much larger than positions distances to a target are observed: in fifths of the reach."""


class Drawn(NamedTuple):
    """What a picture shows beside an arm."""

    target: Floats  # (3,), m
    force: Floats | None = None  # (3,), N, on the tip
    flight: Floats | None = None  # (k, 3), m, of what was thrown


class Task(ABC):
    """One task for many arms, each in an episode of its own; an episode is made of some random numbers.

    Attributes
    ----------
    numbers : int
        How many random numbers, uniform in [0, 1), an episode is made of.
    width : int
        How many numbers of an observation are the task's.
    releases : bool
        Whether an action has one more number, which lets go of the payload where it is above 0.
    """

    numbers: int
    width: int
    releases = False

    @abstractmethod
    def attach(self, world: World) -> None:
        """Makes room for the arms of a world."""

    @abstractmethod
    def begin(self, world: World, rows: Rows, numbers: Floats) -> NDArray[np.intp]:
        """Draws episodes for some arms of numbers (rows, numbers); the rest shapes at which they begin, (rows,)."""

    @abstractmethod
    def look(self, world: World) -> None:
        """Sees how far the arms are from what they are to do."""

    def wrench(self, world: World) -> Floats | None:
        """What acts on the tips during the next action, (count, 6), N m and N."""
        return None

    @abstractmethod
    def observe(self, world: World, out: Observations) -> None:
        """What is observed of the task, into (count, width), m."""

    @abstractmethod
    def scales(self, world: World) -> Floats:
        """By what each of these numbers is multiplied, (width,), 1/m, to be about 1 where it is large."""

    @abstractmethod
    def score(self, world: World, released: Truths | None) -> tuple[Floats, Truths]:
        """The rewards of the last action and which episodes it ended, (count,) each."""

    @abstractmethod
    def report(self, world: World) -> Report:
        """What is told beside observations."""

    @abstractmethod
    def drawn(self, world: World, place: int) -> Drawn:
        """What a picture of one arm shows."""

    def in_view(self, world: World) -> Floats:
        """Points (m, 3), m, that pictures are to have in view beside the shapes of the arm."""
        return np.zeros((0, 3))


class AimedTask(Task):
    """A task for the tip: to be near a target for some time without a break.

    The reward of an action is ½ (1 - d / 2R) + ½ / (1 + (d / tolerance)²), between 0 and 1 for a distance d and a reach
    R: the first part says from everywhere which way is better, the second that nearer is better still. None is
    negative, so that no arm gains by leaving the model's range.
    """

    width = 6

    def __init__(self, tolerance: float, hold: float) -> None:
        self.tolerance = number_above("tolerance", tolerance, 0.0, 1e3, "m", "metres")
        self.hold = number_above("hold", hold, 0.0, 1e6, "s", "seconds")

    def attach(self, world: World) -> None:
        self.target = np.zeros((len(world), 3))
        self.near = np.zeros(len(world), dtype=np.int64)  # actions in a row
        self._needed = max(1, round(self.hold / world.control_step))

    def look(self, world: World) -> None:
        self._error = self.target - world.tips
        x, y, z = self._error.T
        self._distance = np.sqrt(x * x + y * y + z * z)

    def observe(self, world: World, out: Observations) -> None:
        out[:, :3], out[:, 3:6] = self.target, self._error

    def scales(self, world: World) -> Floats:
        return np.repeat([1.0, ERROR, ERROR], 3)[: self.width] / world.reach

    def score(self, world: World, released: Truths | None) -> tuple[Floats, Truths]:
        self.near += 1
        self.near *= self._distance <= self.tolerance
        far, near = self._distance * (0.25 / world.reach), self._distance * (1 / self.tolerance)
        return np.maximum(0.5 - far, 0.0) + 0.5 / (1.0 + near * near), np.zeros(len(world), dtype=bool)

    def report(self, world: World) -> Report:
        return {"distance": (self._distance, None), "is_success": (self.near >= self._needed, None)}

    def drawn(self, world: World, place: int) -> Drawn:
        return Drawn(self.target[place])


def _shape(world: World, numbers: Floats) -> NDArray[np.intp]:
    """Rest shapes by numbers in [0, 1)."""
    return np.asarray((numbers * len(world.shapes.q)).astype(np.intp))


class Reach(AimedTask):
    """The tip is to go to a point and to stay there; points are tips of rest shapes, so that all can be reached.

    Parameters
    ----------
    tolerance : float, optional
        How near the tip must be, m.
    hold : float, optional
        For how long without a break, s.

    Examples
    --------
    >>> import gymnasium
    >>> import continuarm.learning
    >>> env = gymnasium.make("continuarm/Reach-v0", tolerance=0.02)
    >>> env.unwrapped.task.tolerance
    0.02
    """

    numbers = 1

    def __init__(self, tolerance: float = 0.01, hold: float = 0.1) -> None:
        super().__init__(tolerance, hold)

    def begin(self, world: World, rows: Rows, numbers: Floats) -> NDArray[np.intp]:
        self.target[rows] = world.shapes.tips[_shape(world, numbers[:, 0])]
        self.near[rows] = 0
        return np.zeros(len(rows), dtype=np.intp)


class Track(AimedTask):
    """The tip is to stay with a point that moves as the tip does between two rest shapes, there and back.

    With rest shapes a and b and a period T, the point is the tip of the shape q_a + ½ (1 - cos 2πt/T) (q_b - q_a).

    Parameters
    ----------
    tolerance : float, optional
        How near the tip must be, m.
    hold : float, optional
        For how long without a break, s.
    periods : (float, float), optional
        The shortest and the longest period, s.
    ahead : float, optional
        How long before the point is somewhere that is observed, s.

    Examples
    --------
    >>> import gymnasium
    >>> import continuarm.learning
    >>> env = gymnasium.make("continuarm/Track-v0", periods=(2.0, 4.0))
    >>> env.observation_space.shape
    (30,)
    """

    numbers, width = 3, 9

    def __init__(
        self,
        tolerance: float = 0.02,
        hold: float = 0.5,
        periods: tuple[float, float] = (1.0, 3.0),
        ahead: float = 0.05,
    ) -> None:
        super().__init__(tolerance, hold)
        if not isinstance(periods, (tuple, list)) or len(periods) != 2:
            raise ValueError(f"periods = {short(periods)}: must be the shortest and the longest, in seconds")
        shortest = number_above("periods[0]", periods[0], 0.0, 1e6, "s", "seconds")
        longest = number_above("periods[1]", periods[1], 0.0, 1e6, "s", "seconds")
        if longest < shortest:
            raise ValueError(f"periods[1] = {longest:g} s: must be at least periods[0] = {shortest:g} s")
        self.periods = (shortest, longest)
        self.ahead = number_above("ahead", ahead, 0.0, 1e3, "s", "seconds")

    def attach(self, world: World) -> None:
        self._from, self._way = np.zeros_like(world.q), np.zeros_like(world.q)
        self._rate = np.ones(len(world))
        super().attach(world)

    def begin(self, world: World, rows: Rows, numbers: Floats) -> NDArray[np.intp]:
        one, other = (world.shapes.q[_shape(world, numbers[:, k])] for k in (0, 1))
        self._from[rows], self._way[rows] = one, other - one
        shortest, longest = self.periods
        self._rate[rows] = 2 * np.pi / (shortest + numbers[:, 2] * (longest - shortest))
        self.near[rows] = 0
        return np.zeros(len(rows), dtype=np.intp)

    def _point(self, world: World, later: float) -> Floats:
        share = 0.5 * (1.0 - np.cos(self._rate * (world.t + later)))
        q = self._from + share[:, None] * self._way
        return np.ascontiguousarray(tip_poses(world.arm, q)[:, -1, :3, 3])

    def look(self, world: World) -> None:
        self.target = self._point(world, 0.0)
        super().look(world)

    def observe(self, world: World, out: Observations) -> None:
        super().observe(world, out)
        out[:, 6:] = self._point(world, self.ahead) - self.target


class Hold(AimedTask):
    """The tip is to stay where it is although a force begins to push it, in any direction, which is not observed.

    An arm begins at a rest shape, and its target is the tip of that. The force begins between 0.1 and 0.5 s and stays.

    Parameters
    ----------
    tolerance : float, optional
        How near the tip must be, m.
    hold : float, optional
        For how long without a break, s.
    push : float, optional
        The largest force, N; the least is half of it.

    Examples
    --------
    >>> import gymnasium
    >>> import continuarm.learning
    >>> env = gymnasium.make("continuarm/Hold-v0", push=0.2)
    >>> env.unwrapped.task.push
    0.2
    """

    numbers = 5
    begins = (0.1, 0.5)

    def __init__(self, tolerance: float = 0.02, hold: float = 0.3, push: float = 0.5) -> None:
        super().__init__(tolerance, hold)
        self.push = number_above("push", push, 0.0, 1e6, "N", "newtons")

    def attach(self, world: World) -> None:
        self._force, self._onset = np.zeros((len(world), 3)), np.zeros(len(world))
        super().attach(world)

    def begin(self, world: World, rows: Rows, numbers: Floats) -> NDArray[np.intp]:
        shapes = _shape(world, numbers[:, 0])
        height, turn = 2 * numbers[:, 1] - 1, 2 * np.pi * numbers[:, 2]  # evenly over all directions
        level = np.sqrt(1 - height * height)
        size = self.push * (0.5 + 0.5 * numbers[:, 3])
        way = np.stack([level * np.cos(turn), level * np.sin(turn), height], axis=-1)
        self._force[rows] = size[:, None] * way
        first, last = self.begins
        self._onset[rows] = first + numbers[:, 4] * (last - first)
        self.target[rows] = world.shapes.tips[shapes]
        self.near[rows] = 0
        return shapes

    def _acts(self, world: World) -> Floats:
        return np.asarray(self._force * (world.t >= self._onset)[:, None])

    def wrench(self, world: World) -> Floats | None:
        return np.concatenate([np.zeros((len(world), 3)), self._acts(world)], axis=1)

    def drawn(self, world: World, place: int) -> Drawn:
        return Drawn(self.target[place], self._acts(world)[place])
