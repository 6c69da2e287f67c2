"""Where an arm rests under pressures: what targets are taken from, so that every one of them can be reached."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.common.number_checks import Floats
from continuarm.dynamics.commands import Commands
from continuarm.dynamics.plant import Plant
from continuarm.engine.quantities import tip_poses
from continuarm.statics.rest import resting

SHAPES = 1024
"""How many are looked for."""
AT_REST = 0.5
"""Share of the lines that have no pressure: where all have some, arms bend little."""


class RestShapes(NamedTuple):
    """Shapes of an arm at rest, the first without pressure."""

    q: Floats  # (shapes, 3n), m
    pressures: Floats  # (shapes, muscles), Pa
    tips: Floats  # (shapes, 3), m, of the last section, world frame

    @property
    def longest(self) -> float:
        """The largest change of a length among them, m."""
        return float(np.abs(self.q).max())

    @property
    def reach(self) -> float:
        """The largest distance of a tip from the base, m."""
        return float(np.sqrt((self.tips**2).sum(axis=-1)).max())


def rest_shapes(arm: Arm, highest_pressure: float, line_of: list[int], seed: int = 0) -> RestShapes:
    """Shapes under random pressures up to the highest, Pa, of all lines; line_of: the line of every muscle.

    ValueError where the arm does not rest without pressure, or nowhere else.
    """
    rng, plant = np.random.default_rng(seed), Plant(arm)
    lines = rng.uniform(0.0, highest_pressure, (SHAPES, max(line_of) + 1))
    lines[rng.random(lines.shape) < AT_REST] = 0.0
    lines[0] = 0.0
    pressures = lines[:, line_of]
    found = resting(plant, Commands(pressures, np.zeros((SHAPES, 3 * arm.n)), np.zeros((SHAPES, 6))))
    if not found.converged[0]:
        raise ValueError(f"{arm.name!r} does not rest without pressure, {found.reason[0]}: must hang or stand still")
    rests = np.flatnonzero(found.converged)
    if len(rests) < SHAPES // 10:
        reason = next(each for each in found.reason if each)
        raise ValueError(
            f"highest_pressure = {highest_pressure:g} Pa: must be lower, {arm.name!r} rests under few of the pressures "
            f"below it: {reason}"
        )
    q = np.ascontiguousarray(found.q[rests])
    return RestShapes(q, pressures[rests], np.ascontiguousarray(tip_poses(arm, q)[:, -1, :3, 3]))
