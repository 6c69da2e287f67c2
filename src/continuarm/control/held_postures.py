"""Postures that pressures hold: where an arm rests under them, and how near to a place that brings its tip."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from continuarm.arms.arm import Arm
from continuarm.common.limits import HIGHEST_PRESSURE
from continuarm.common.number_checks import Floats, not_too_large, number_above, real_numbers
from continuarm.common.text import short
from continuarm.control.bounded_squares import bounded_least_squares
from continuarm.control.muscle_inversion import lines_of, require_areas
from continuarm.dynamics.plant import Plant
from continuarm.engine.muscle_springs import springs_over_q
from continuarm.engine.quantities import static_stiffness, tip_jacobian, tip_poses
from continuarm.sections.muscles_and_valves import along, push_slope
from continuarm.statics.rest import resting

FILLED = 0.4
"""Part of the highest pressure in all muscles from where there is most room for more and for less."""
MOST_STEPS = 25
CLOSE = 1e-5
"""m: the tip is there."""
NO_NEARER = 1e-6
"""m: a search that comes nearer by less than this has come as near as it can."""


class HeldPosture(NamedTuple):
    """Where an arm rests under pressures."""

    q: Floats  # (3n,), m
    pressures: Floats  # (muscles,), Pa
    tip: Floats  # (3,), m, world frame
    distance: float  # m, of the tip from where it should be


class HeldPostures:
    """Postures in which an arm rests under pressures from 0 to the highest, Pa."""

    def __init__(self, arm: Arm, highest: float) -> None:
        require_areas(arm)
        self.arm, self.plant = arm, Plant(arm)
        self.highest = number_above("highest", highest, 0.0, HIGHEST_PRESSURE, "Pa", "pascals")
        line_of, lines = lines_of(arm)
        self.spread = np.eye(lines)[line_of]  # (muscles, lines)
        zones = np.array([float(muscle.dead_zone) for _, muscle in self.plant.muscles])
        # below its dead zone a muscle does nothing, and no slope says that more would do something
        self.least = np.array([zones[line_of == line].min() for line in range(lines)])

    @cached_property
    def middle(self) -> HeldPosture:
        """Under a part of the highest pressure in all muscles; ValueError where there is no such posture."""
        pressures = np.full(len(self.spread), FILLED * self.highest)
        found = self._held(pressures, None, np.zeros(3 * self.arm.n))
        if found is None:
            raise ValueError(f"{self.arm.name!r} does not come to rest under {FILLED * self.highest:g} Pa everywhere")
        return found._replace(distance=0.0)

    def nearest(self, position: ArrayLike, start: HeldPosture | None = None) -> HeldPosture:
        """The posture whose tip is at a place, (3,), m, or as near to it as was found.

        Of several, pressures near those of the middle are taken. Gauss and Newton's search from a posture, by how the
        place of rest changes with pressures: dx = J K⁻¹ ∂τ/∂P dP, within their limits.
        """
        aim = not_too_large("position", real_numbers("position", position, "three numbers in m"), "m")
        if aim.shape != (3,):
            raise ValueError(f"position = {short(position)}: must be three numbers in m")
        found = self._search(aim, self.middle if start is None else start)
        if start is None or found.distance < CLOSE:
            return found
        return min(found, self._search(aim, self.middle), key=lambda each: each.distance)

    def distances(self, positions: ArrayLike) -> Floats:
        """How far from places on a path, (k, 3), m, the tip at rest stays, (k,), m: 0 of those it can be held at."""
        found, here = [], self.middle
        for position in np.asarray(positions):
            here = self.nearest(position, here)
            found.append(here.distance)
        return np.array(found)

    def _search(self, aim: Floats, start: HeldPosture) -> HeldPosture:
        best, damping = start._replace(distance=float(np.linalg.norm(start.tip - aim))), 0.0
        for _ in range(MOST_STEPS):
            if best.distance < CLOSE:
                break
            slopes = self._tip_slopes(best)
            trial = self._held(self._step(best, aim, slopes, damping), aim, best.q)
            if trial is None or trial.distance >= best.distance:
                if damping > 1e3 * np.linalg.norm(slopes):
                    break
                damping = max(10 * damping, 0.1 * float(np.linalg.norm(slopes)))
                continue
            gained, best, damping = best.distance - trial.distance, trial, damping / 10
            if gained < NO_NEARER and best.distance > NO_NEARER:
                break
        return best

    def _step(self, here: HeldPosture, aim: Floats, slopes: Floats, damping: float) -> Floats:
        """Pressures (muscles,) from which the tip is nearer, as far as slopes tell; damped, they change less."""
        middle = FILLED * self.highest
        now = (self.spread.T @ here.pressures / self.spread.sum(axis=0) - middle) / self.highest
        rows = np.concatenate([slopes, damping * np.eye(len(now))])
        wanted = np.concatenate([aim - here.tip + slopes @ now, damping * now])
        least = (np.minimum(self.least, middle) - middle) / self.highest
        most = np.full(len(now), 1 - FILLED)
        found = bounded_least_squares(rows[None], wanted[None], least, most)[0]
        return np.asarray(self.spread @ (middle + self.highest * found))

    def _tip_slopes(self, here: HeldPosture) -> Floats:
        """How the tip at rest moves with the pressures of lines: (3, lines), m for the highest."""
        plant, q = self.plant, here.q
        forces = np.zeros((len(q), len(plant.muscles)))
        for j, (i, muscle) in enumerate(plant.muscles):
            own = slice(3 * i, 3 * i + 3)
            acting = max(here.pressures[j], float(muscle.dead_zone) + 1.0)
            forces[own, j] = push_slope(muscle, acting, along(muscle, q[own])) * muscle.row
        springs = springs_over_q(self.arm, plant.muscle_stiffnesses(here.pressures, q))
        moved = np.linalg.solve(static_stiffness(self.arm, q) + springs, forces @ self.spread)
        return np.asarray(self.highest * tip_jacobian(self.arm, q)[-1, 3:] @ moved)

    def _held(self, pressures: Floats, aim: Floats | None, start: Floats) -> HeldPosture | None:
        plant = self.plant
        found = resting(plant, plant.commands.split(plant.commands.rows(pressures, 0.0, 0.0)[0]), start)
        if not found.converged:
            return None
        tip = tip_poses(self.arm, found.q)[-1, :3, 3]
        return HeldPosture(found.q, pressures, tip, 0.0 if aim is None else float(np.linalg.norm(tip - aim)))
