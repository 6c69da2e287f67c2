"""From where one looks at an arm: in perspective, or along an axis."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from continuarm.arms.arm import Arm
from continuarm.common.number_checks import Floats

FIELD_OF_VIEW = np.radians(30)
ELEVATION, TURN = 0.26, -0.5
"""From how far above the horizon one looks, and how far from square at the points, rad."""
MARGIN = 1.06
"""How much wider than what must be in it a picture is."""


class Camera(NamedTuple):
    """Axes of a picture in the world, all of length 1, and what is in its middle, m."""

    right: Floats  # (3,)
    top: Floats  # (3,)
    back: Floats  # (3,), from the picture to who looks on
    target: Floats  # (3,), m
    distance: float  # from the eye to the target, m; infinite: parallel projection

    def seen(self, points: Floats) -> Floats:
        """Where points (..., 3) are in the picture: (..., 2), to the right and up, in m at the target."""
        turned = (points - self.target) @ np.stack([self.right, self.top, self.back], axis=-1)
        if np.isfinite(self.distance):
            turned[..., :2] *= (self.distance / (self.distance - turned[..., 2:])).clip(0.0, 1e6)
        return np.asarray(turned[..., :2])

    def nearness(self, points: Floats) -> Floats:
        """How much nearer to the eye than the target points (..., 3) are: (...,), m.

        Of two points it tells on which side of the plane halfway between them the eye is.
        """
        away = points - self.target
        if not np.isfinite(self.distance):
            return np.asarray(away @ self.back)
        return np.asarray(self.distance - np.linalg.norm(away - self.distance * self.back, axis=-1))

    def in_front(self, points: Floats) -> NDArray[np.bool_]:
        """Whether points (..., 3) are clearly before the eye."""
        return np.asarray((points - self.target) @ self.back < 0.9 * self.distance)


class Frame(NamedTuple):
    """A camera and how much of the picture's plane it shows: half its width and height, m."""

    camera: Camera
    half_width: float
    half_height: float


def up_direction(arm: Arm) -> Floats:
    """Against gravity; without gravity, against the unbent arm, which then hangs."""
    down = np.array(arm.gravity) if np.any(arm.gravity) else arm.base_orientation[:, 2]
    return np.asarray(-down / np.linalg.norm(down))


def looking(points: Floats, up: Floats) -> Floats:
    """The direction from points (m, 3) to a camera that looks almost square at them, somewhat from above."""
    level = np.eye(3) - np.outer(up, up)
    spread = (points - points.mean(axis=0)) @ level
    size = float(np.abs(spread).max()) ** 2 + 1e-12
    # The level direction in which the points lie closest together; `up` itself comes first.
    sizes, axes = np.linalg.eigh(spread.T @ spread / len(points) / size - np.outer(up, up))
    across = axes[:, 1]
    if sizes[2] - sizes[1] < 1e-6:  # no direction is better than others: one in which the world axes are apart
        across = level @ np.array([-1.0, -0.3, -0.2] if abs(up[0]) < 0.9 else [-0.3, -1.0, -0.2])
    across = across / np.linalg.norm(across)
    across = -across if across[np.argmax(np.abs(across))] > 0 else across
    aside = np.cross(up, across)
    return np.asarray(np.cos(ELEVATION) * (np.cos(TURN) * across + np.sin(TURN) * aside) + np.sin(ELEVATION) * up)


def perspective(points: Floats, radius: float, up: Floats, aspect: float) -> Frame:
    """A view of balls of a radius, m, about points (m, 3): as near as has them all in a picture of width / height."""
    back = looking(points, up)
    right = np.cross(up, back)
    right = right / np.linalg.norm(right)
    top = np.cross(back, right)
    axes = np.stack([right, top, back], axis=-1)
    slopes = np.tan(FIELD_OF_VIEW / 2) * np.array([max(aspect, 1.0), max(1 / aspect, 1.0)])
    target = (points.min(axis=0) + points.max(axis=0)) / 2
    distance = np.inf
    for _ in range(5):  # what is nearer is larger: the middle of the picture is found step by step
        seen = (points - target) @ axes
        if np.isfinite(distance):
            scaled = seen[:, :2] * distance / (distance - seen[:, 2:])
            target = target + axes[:, :2] @ ((scaled.min(axis=0) + scaled.max(axis=0)) / 2)
            seen = (points - target) @ axes
        outer = (MARGIN * np.abs(seen[:, :2]) + radius) / slopes + seen[:, 2:] + radius
        distance = float(outer.max())
    half_width, half_height = distance * slopes
    return Frame(Camera(right, top, back, target, distance), half_width, half_height)


def along_axis(across: int, up: int, hangs: bool) -> Camera:
    """A parallel view in which one world axis points to the right, and another up, or down if it `hangs`."""
    right, top = np.eye(3)[across], (-1 if hangs else 1) * np.eye(3)[up]
    return Camera(right, top, np.cross(right, top), np.zeros(3), np.inf)
