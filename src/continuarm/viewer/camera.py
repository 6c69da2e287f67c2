"""From where a page looks, and what it must have in view."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.common.number_checks import Floats
from continuarm.drawing.bodies import plate_sizes
from continuarm.drawing.camera import looking, up_direction
from continuarm.drawing.scenery import GAP


def view(arms: Sequence[Arm], points: Floats) -> dict[str, Any]:
    """What a page must know to place its camera for points (m, 3) of arms, m.

    `toward` is the direction from the arm to the camera, `corners` are the outermost points of what is drawn: the page
    moves the camera so that it has them all in view, whatever the shape of its window.
    """
    up = up_direction(arms[0])
    directions = _directions()
    radius = max(float(plate_sizes(arm).max()) for arm in arms)
    corners = points[np.argmax(points @ directions.T, axis=0)] + radius * directions
    size = float(np.ptp(corners, axis=0).max())
    return {
        "up": up.tolist(),
        "toward": looking(points, up).tolist(),
        "corners": np.unique(corners.round(6), axis=0).tolist(),
        "floor": float((corners @ up).min() - GAP * size),
        "size": size,
    }


def _directions() -> Floats:
    """Directions all around: (50, 3), evenly spread on a spiral."""
    count = 50
    height = (2 * np.arange(count) + 1) / count - 1
    turn = np.pi * (1 + 5**0.5) * np.arange(count)
    level = np.sqrt(1 - height**2)
    return np.stack([level * np.cos(turn), level * np.sin(turn), height], axis=-1)


def within_reach(arm: Arm) -> Floats:
    """Places that have most of what an arm can reach between them: its base, its end, and to the sides."""
    reach = sum(section.length + section.offset for section in arm.sections)
    turned = arm.base_orientation.T
    aside = 0.62 * reach * np.concatenate([turned[:2], -turned[:2]]) + 0.7 * reach * turned[2]
    return np.concatenate([np.zeros((1, 3)), 1.1 * reach * turned[2:], aside])
