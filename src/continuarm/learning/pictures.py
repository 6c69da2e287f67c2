"""Pictures of arms at their tasks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from continuarm.common.number_checks import whole_number
from continuarm.common.text import printable, short
from continuarm.drawing.bodies import axis_points
from continuarm.drawing.raster import Stage
from continuarm.learning.tasks import Task
from continuarm.learning.world import World

SHOWN = 100
"""Rest shapes that are to be in view."""
SMALLEST, LARGEST = 64, 4096
"""Sides of a picture, pixels."""
ARROW = 0.3
"""m that a force of 1 N is long, over the reach of the arm."""


class Pictures:
    """Frames of arms before one camera, all drawn with the geometry of the nominal one."""

    def __init__(self, world: World, highest_pressure: float, size: Sequence[int]) -> None:
        if not isinstance(size, (tuple, list)) or len(size) != 2:
            raise ValueError(f"size = {short(size)}: must be width and height in pixels, such as (480, 360)")
        width, height = (whole_number(f"size[{k}]", each, SMALLEST, LARGEST) for k, each in enumerate(size))
        self._world, self._highest, self._size = world, highest_pressure, (width, height)
        self._stage: Stage | None = None

    def frame(self, task: Task, place: int) -> NDArray[np.uint8]:
        """One picture, (height, width, 3): the arm, its target, what pushes it, what it threw."""
        world, drawn = self._world, task.drawn(self._world, place)
        if self._stage is None:
            points = axis_points(world.arm, world.shapes.q[:SHOWN], 6)
            shown = np.concatenate([points, task.in_view(world)])
            self._stage = Stage(world.arm, shown, self._size, self._highest, printable(world.arm.name))
        force = None if drawn.force is None else ARROW * world.reach * drawn.force
        return self._stage.pixels(
            f"{world.t[place]:.2f} s", world.q[place], world.commanded[place], drawn.flight, force, drawn.target
        )
