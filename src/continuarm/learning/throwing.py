"""Throwing: the tip lets go of its payload, which flies on and lands."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from continuarm.arms.arm import Arm
from continuarm.common.number_checks import Floats, number_above
from continuarm.engine.quantities import tip_jacobian, tip_poses
from continuarm.learning.tasks import ERROR, Drawn, Report, Task
from continuarm.learning.world import Observations, Rows, Truths, World

FLIGHT = 30
"""Points of a flight that is drawn."""


class Throw(Task):
    """The payload is to land on a target on the ground; it is let go once, and that ends the episode.

    It is let go at the end of an action whose last number is above 0, with the position p and the velocity v that the
    payload then has: v = v_tip + ω × R offset. From there it is a point mass in free fall, without air: it lands where
    p + v t + ½ g t² meets the ground, a plane square to gravity. What the arm does afterwards does not matter, as the
    payload no longer touches it. The reward of letting go is 1 / (1 + (d / tolerance)²) for a landing at a distance d
    from the target, and all others are 0. An arm without a payload gets one of 50 g.

    Parameters
    ----------
    tolerance : float, optional
        How near to the target it must land, m.
    drop : float, optional
        How far the ground is below the lowest tip of all rest shapes, m.
    farthest : float, optional
        The largest distance of a target from the point below the base, m.

    Examples
    --------
    >>> import gymnasium
    >>> import continuarm.learning
    >>> env = gymnasium.make("continuarm/Throw-v0", drop=1.0)
    >>> env.action_space.shape  # a pressure for each of nine muscles, and letting go
    (10,)
    """

    numbers, width, releases = 2, 6, True

    def __init__(self, tolerance: float = 0.05, drop: float = 0.5, farthest: float = 1.0) -> None:
        self.tolerance = number_above("tolerance", tolerance, 0.0, 1e3, "m", "metres")
        self.drop = number_above("drop", drop, 0.0, 1e3, "m", "metres")
        self.farthest = number_above("farthest", farthest, 0.0, 1e3, "m", "metres")

    def attach(self, world: World) -> None:
        count, pull = len(world), np.array(world.arm.gravity)
        if not pull.any():
            raise ValueError("gravity = (0, 0, 0): must be another for Throw, or nothing falls to the ground")
        self._gravity, self._down = pull, pull / np.linalg.norm(pull)
        self._ground = float((world.shapes.tips @ self._down).max()) + self.drop
        side = np.eye(3)[np.argmin(np.abs(self._down))]
        along = np.cross(self._down, side)
        along /= np.linalg.norm(along)
        self._level = np.stack([along, np.cross(self._down, along)])
        self._target, self._landing = np.zeros((count, 3)), np.zeros((count, 3))
        self._place, self._velocity = np.zeros((count, 3)), np.zeros((count, 3))  # of each when it was let go
        self._distance, self._thrown = np.zeros(count), np.zeros(count, dtype=bool)

    def begin(self, world: World, rows: Rows, numbers: Floats) -> NDArray[np.intp]:
        away, turn = self.farthest * np.sqrt(numbers[:, 0]), 2 * np.pi * numbers[:, 1]  # evenly over the disc
        flat = np.stack([away * np.cos(turn), away * np.sin(turn)], axis=-1)
        across, along = flat[:, :1] * self._level[0], flat[:, 1:] * self._level[1]
        self._target[rows] = self._ground * self._down + across + along
        self._thrown[rows] = False
        return np.zeros(len(rows), dtype=np.intp)

    def look(self, world: World) -> None:
        """Nothing to see before it is thrown."""

    def observe(self, world: World, out: Observations) -> None:
        out[:, :3], out[:, 3:] = self._target, self._target - world.tips

    def scales(self, world: World) -> Floats:
        return np.repeat([1.0, ERROR], 3) / world.reach

    def score(self, world: World, released: Truths | None) -> tuple[Floats, Truths]:
        self._thrown = np.zeros(len(world), dtype=bool) if released is None else released & ~world.left
        reward, which = np.zeros(len(world)), world.batch.which
        for k in np.flatnonzero(self._thrown):
            place, velocity = payload_motion(world.arms[int(which[k])], world.q[k], world.qd[k])
            self._place[k], self._velocity[k] = place, velocity
            time = flight_time(place, velocity, self._gravity, self._ground)
            self._landing[k] = flown(place, velocity, self._gravity, time)
            self._distance[k] = np.sqrt(((self._landing[k] - self._target[k]) ** 2).sum())
            reward[k] = 1 / (1 + (self._distance[k] / self.tolerance) ** 2)
        return reward, self._thrown.copy()

    def report(self, world: World) -> Report:
        hit = self._thrown & (self._distance <= self.tolerance)
        found: Report = {"is_success": (hit, None)}
        if self._thrown.any():
            thrown = self._thrown.copy()
            found["distance"] = (np.where(thrown, self._distance, 0.0), thrown)
            found["landing"] = (np.where(thrown[:, None], self._landing, 0.0), thrown)
        return found

    def drawn(self, world: World, place: int) -> Drawn:
        if not self._thrown[place]:
            return Drawn(self._target[place])
        begin, velocity = self._place[place], self._velocity[place]
        times = np.linspace(0.0, flight_time(begin, velocity, self._gravity, self._ground), FLIGHT)
        return Drawn(self._target[place], flight=flown(begin, velocity, self._gravity, times))

    def in_view(self, world: World) -> Floats:
        return self._ground * self._down + self.farthest * np.concatenate([self._level, -self._level])


def payload_motion(arm: Arm, q: Floats, qd: Floats) -> tuple[Floats, Floats]:
    """Position, m, and velocity, m/s, of what the last tip carries, (3,) each, world frame."""
    tip, jacobian = tip_poses(arm, q)[-1], tip_jacobian(arm, q)[-1]
    offset = tip[:3, :3] @ np.array(arm.carried_mass[1])
    turning, moving = np.split(jacobian @ qd, 2)
    return tip[:3, 3] + offset, moving + np.cross(turning, offset)


def flight_time(position: Floats, velocity: Floats, gravity: Floats, ground: float) -> float:
    """Time, s, until what flies freely reaches the ground; 0 where it is there already.

    ground: m, how far from the origin the plane is in the direction of gravity.
    """
    strength = float(np.sqrt(gravity @ gravity))
    falls, depth = float(velocity @ gravity) / strength, ground - float(position @ gravity) / strength
    if depth <= 0:
        return 0.0
    return float((np.sqrt(falls**2 + 2 * strength * depth) - falls) / strength)


def flown(position: Floats, velocity: Floats, gravity: Floats, time: float | Floats) -> Floats:
    """p + v t + ½ g t², (..., 3), m, for times (...), s."""
    t = np.asarray(time)[..., None]
    return np.asarray(position + velocity * t + 0.5 * gravity * t * t)
