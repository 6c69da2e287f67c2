"""Where one looks from: a camera that has a whole motion in view, and the ends of its colours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.common.number_checks import Floats
from continuarm.simulation.motion import Motion

FIELD_OF_VIEW = np.radians(32)
GAP = 0.07
"""How far the ground is below the lowest tip, in sizes of the whole."""


def pressure_limit(motions: Sequence[Motion]) -> float:
    """The end of the colour bar, Pa: the highest pressure of all motions, rounded up to 100 kPa."""
    highest = max(float(motion.pressures.max(initial=0.0)) for motion in motions)
    return 1e5 * max(float(np.ceil(highest / 1e5 - 1e-9)), 1.0)


def places_of(motions: Sequence[Motion]) -> tuple[Floats, Floats]:
    """All places that tips reach, and the base; and the path of the last tip."""
    tips = [motion.tips[:: max(len(motion.t) // 500, 1)] for motion in motions]
    return np.concatenate([np.zeros((1, 3)), *(each.reshape(-1, 3) for each in tips)]), tips[0][:, -1]


class Camera(NamedTuple):
    """Where one looks from, at what, and what is up; m."""

    position: Floats
    look_at: Floats
    up: Floats

    @property
    def free_side(self) -> Floats:
        """From the arm's base to the left or right, where there is more room in the picture."""
        right = np.cross(self.look_at - self.position, self.up)
        right = right / np.linalg.norm(right)
        return right if self.look_at @ right >= 0 else -right


def up_direction(arm: Arm) -> Floats:
    """Against gravity; without gravity, against the unbent arm, which then hangs."""
    down = np.array(arm.gravity) if np.any(arm.gravity) else arm.base_orientation[:, 2]
    return -down / np.linalg.norm(down)


def camera_for(points: Floats, path: Floats, up: Floats, elevation: float = 0.26, turn: float = -0.5) -> Camera:
    """A camera that has all points (m, 3) in view and looks almost square at a path (k, 3)."""
    low, high = points.min(axis=0), points.max(axis=0)
    middle = (low + high) / 2
    reach = max(float(np.linalg.norm(points - middle, axis=1).max()), 1e-3)
    level = np.eye(3) - np.outer(up, up)
    swing = (path - path.mean(axis=0)) @ level
    sizes, axes = np.linalg.eigh(swing.T @ swing + 1e-9 * reach**2 * level - reach**2 * np.outer(up, up))
    across = axes[:, 1]  # level, and the path moves least that way
    if sizes[2] - sizes[1] < 1e-6 * reach**2:
        across = level @ np.array([0.3, -1.0, 0.2])
    across = across / np.linalg.norm(across)
    across = -across if across[np.argmax(np.abs(across))] > 0 else across
    aside = np.cross(up, across)
    direction = np.cos(elevation) * (np.cos(turn) * across + np.sin(turn) * aside) + np.sin(elevation) * up
    distance = 1.05 * reach / np.sin(FIELD_OF_VIEW / 2)
    target = middle - 0.06 * reach * up  # some ground below
    return Camera(target + distance * direction, target, up)
