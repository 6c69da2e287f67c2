"""The search of inverse kinematics: damped steps of many postures towards their targets, within muscle ranges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from continuarm.common.number_checks import Booleans, Floats
from continuarm.control.muscle_ranges import MuscleRanges
from continuarm.control.places import Place

MOST_STEPS = 60
FIRST_DAMPING, LEAST_DAMPING, MOST_DAMPING = 1e-3, 1e-9, 1e6
"""Over the size of J Jᵀ."""
STUCK = 1e-9
"""A search that could come nearer by less than this part of its distance has found the nearest."""
LOCK = 1e8
"""By how much a direction along a muscle that is at an end of its range is stiffer than the others."""


class Goal(NamedTuple):
    """Targets of a place: positions, and orientations if they matter."""

    positions: Floats  # (k, 3), m
    turns: Floats | None  # (k, 3, 3)
    tolerance: float  # m and rad
    size: float  # m, by which rad count beside m

    def rows(self, which: Any) -> Goal:
        """Some of the targets."""
        return self._replace(positions=self.positions[which], turns=None if self.turns is None else self.turns[which])

    def misses(self, poses: Floats) -> Floats:
        """How far poses are from the targets: (k, 3), m; or (k, 6), rotation vectors times size first."""
        moved = self.positions - poses[:, :3, 3]
        if self.turns is None:
            return moved
        return np.concatenate([self.size * rotation_vectors(self.turns @ _transposed(poses[:, :3, :3])), moved], axis=1)

    def slopes(self, jacobian: Floats) -> Floats:
        """What the misses lose over q: (k, 3 or 6, 3n)."""
        if self.turns is None:
            return jacobian[:, 3:]
        scaled = jacobian.copy()
        scaled[:, :3] *= self.size
        return scaled

    def parts(self, misses: Floats) -> tuple[Floats, Floats]:
        """Distances, m, and angles, rad, of misses."""
        distance = np.linalg.norm(misses[:, -3:], axis=1)
        return distance, np.zeros_like(distance) if self.turns is None else (
            np.linalg.norm(misses[:, :3], axis=1) / self.size
        )

    def is_met(self, distance: Floats, angle: Floats) -> Booleans:
        """Whether both are within the tolerance."""
        return np.asarray((distance <= self.tolerance) & (angle <= self.tolerance))

    def features(self, poses: Floats) -> Floats:
        """What makes poses alike: positions and, if they matter, orientations as points."""
        if self.turns is None:
            return np.ascontiguousarray(poses[:, :3, 3])
        turns = self.size / np.sqrt(2) * poses[:, :3, :3].reshape(len(poses), 9)
        return np.concatenate([poses[:, :3, 3], turns], axis=1)

    def target_features(self) -> Floats:
        """The same of the targets."""
        if self.turns is None:
            return self.positions
        return np.concatenate([self.positions, self.size / np.sqrt(2) * self.turns.reshape(len(self.turns), 9)], axis=1)


def rotation_vectors(turns: Floats) -> Floats:
    """Rotation matrices (k, 3, 3) as vectors, rad."""
    from scipy.spatial.transform import Rotation

    return np.asarray(Rotation.from_matrix(turns).as_rotvec()) if len(turns) else np.zeros((0, 3))


def _transposed(matrices: Floats) -> Floats:
    return np.swapaxes(matrices, -1, -2)


@dataclass
class Search:
    """Where a search ended, for each target."""

    q: Floats  # (k, 3n)
    misses: Floats  # (k, 3 or 6)
    iterations: NDArray[np.int64]
    goal: Goal

    @property
    def distance(self) -> Floats:
        """m."""
        return self.goal.parts(self.misses)[0]

    @property
    def angle(self) -> Floats:
        """rad."""
        return self.goal.parts(self.misses)[1]

    @property
    def reached(self) -> Booleans:
        """Whether the target is met."""
        return self.goal.is_met(*self.goal.parts(self.misses))

    def take(self, which: NDArray[np.intp], other: Search) -> None:
        """The better end of another search for some of the targets."""
        self.iterations[which] += other.iterations
        nearer = np.linalg.norm(other.misses, axis=1) < np.linalg.norm(self.misses[which], axis=1)
        self.q[which[nearer]], self.misses[which[nearer]] = other.q[nearer], other.misses[nearer]


def searched(place: Place, ranges: MuscleRanges, goal: Goal, starts: Floats, threads: int | None) -> Search:
    """From starts (k, 3n) within the ranges to targets: damped least squares, each by its own damping."""
    q = starts.copy()
    end = Search(q, goal.misses(place.poses(q, threads)), np.zeros(len(q), dtype=np.int64), goal)
    left = np.flatnonzero(~end.reached)
    damping = np.full(len(q), FIRST_DAMPING)
    for _ in range(MOST_STEPS):
        if not len(left):
            break
        part = goal.rows(left)
        here, miss = q[left], end.misses[left]
        slopes = part.slopes(place.jacobian(here, threads))
        step, gain = damped_step(ranges, here, slopes, miss, damping[left])
        there = ranges.ahead(here, step)
        missed = part.misses(place.poses(there, threads))
        before, after = (np.einsum("ki,ki->k", each, each) for each in (miss, missed))
        better = after < before
        chosen = left[better]
        q[chosen], end.misses[chosen] = there[better], missed[better]
        end.iterations[left] += 1
        damping[left] = np.clip(damping[left] * np.where(better, 0.1, 8.0), LEAST_DAMPING, 2 * MOST_DAMPING)
        stuck = (gain <= STUCK * before) | (damping[left] > MOST_DAMPING)
        stuck |= better & (before - after < 1e-6 * before)
        met = part.is_met(*part.parts(end.misses[left]))
        left = left[~met & ~stuck]
    return end


def damped_step(
    ranges: MuscleRanges, q: Floats, slopes: Floats, misses: Floats, damping: Floats
) -> tuple[Floats, Floats]:
    """P Jᵀ (J P Jᵀ + λ)⁻¹ e with P free of the muscles at their ends, (k, 3n), and |J P Jᵀ e|, what it could gain."""
    downhill = (misses[:, None] @ slopes)[:, 0]
    locked = ranges.blocked(q, downhill)
    for _ in range(1 if ranges.is_box else 3):
        eased = freed(ranges, slopes, locked)
        square = eased @ _transposed(slopes)
        size = np.trace(square, axis1=1, axis2=2)
        square += (damping * size + 1e-300)[:, None, None] * np.eye(square.shape[-1])
        step = (np.linalg.solve(square, misses[..., None])[:, :, 0][:, None] @ eased)[:, 0]
        more = ranges.blocked(q, step) & ~locked
        if not more.any():
            break
        locked = locked | more
    gained = np.einsum("ki,kij,kj->k", misses, square, misses)
    return step, np.asarray(gained / np.maximum(size, 1e-300) * (size > 1e-20))


def freed(ranges: MuscleRanges, rows: Floats, locked: Booleans) -> Floats:
    """Rows (k, m, 3n) without what they have along locked muscles (k, muscles)."""
    if ranges.is_box:
        return rows * ~locked[:, None, :]
    found = rows.copy()
    for i, (own, muscle_map) in enumerate(zip(ranges.muscles, ranges.maps, strict=True)):
        some = np.flatnonzero(locked[:, own].any(axis=1))
        if len(some):
            held = np.einsum("kj,ja,jb->kab", LOCK * locked[some][:, own].astype(float), muscle_map, muscle_map)
            eased = rows[some][:, :, 3 * i : 3 * i + 3] @ np.linalg.inv(np.eye(3) + held)
            found[some, :, 3 * i : 3 * i + 3] = eased
    return found
