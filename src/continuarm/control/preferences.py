"""What inverse kinematics does with the freedom that a target leaves: the least elastic energy, or the least change."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from continuarm.common.number_checks import Booleans, Floats
from continuarm.control.muscle_ranges import MuscleRanges
from continuarm.control.places import Place
from continuarm.control.search_steps import LOCK, Goal, Search, damped_step
from continuarm.engine.quantities import elastic_energy, elastic_forces

MOST_STEPS = 100
CORRECTIONS = 8
"""Steps back onto the target after a step along it."""
PASSES = 8
"""In which muscles are found that a step takes to an end of their range."""
ENOUGH = 1e-5
"""A step that would save less than this part of the cost is not worth it."""


def preferred(
    place: Place, ranges: MuscleRanges, goal: Goal, search: Search, prefer: str, wish: Floats, threads: int | None
) -> None:
    """Moves the postures that reach their targets to where they cost less, the targets kept.

    The cost is the elastic energy, or ½|q - wish|². A step is that of Newton for K_e or for 1, within J d = 0 and the
    ranges; it is followed back onto the target and taken where it saves, or halved.
    """
    cost = _Cost(ranges, prefer, wish, threads)
    left = np.flatnonzero(search.reached)
    part = np.ones(len(search.q))
    for _ in range(MOST_STEPS):
        if not len(left):
            return
        q = search.q[left]
        before = cost.of(q, left)
        slopes = goal.rows(left).slopes(place.jacobian(q, threads))
        gradient = cost.gradient(q, left)
        step = _along_target(ranges, cost, q, slopes, gradient)
        there = ranges.ahead(q, part[left][:, None] * step)
        there, misses = _back(place, ranges, goal.rows(left), there, threads)
        saves = goal.is_met(*goal.parts(misses)) & (cost.of(there, left) < before)
        search.q[left[saves]], search.misses[left[saves]] = there[saves], misses[saves]
        search.iterations[left] += 1
        promised = -np.einsum("ki,ki->k", gradient, step)
        part[left] = np.where(saves, np.minimum(1.0, 2 * part[left]), part[left] / 2)
        left = left[(promised > ENOUGH * before) & (part[left] > 1e-4)]


class _Cost:
    """What postures cost, its gradient, and the matrix of a Newton step."""

    def __init__(self, ranges: MuscleRanges, prefer: str, wish: Floats, threads: int | None) -> None:
        self.arm, self.wish, self.threads, self.is_energy = ranges.arm, wish, threads, prefer == "energy"
        self.stiffness = np.stack(
            [np.asarray(section.stiffness_matrix) if self.is_energy else np.eye(3) for section in ranges.arm.sections]
        )
        self.compliance = np.linalg.inv(self.stiffness)

    def of(self, q: Floats, which: NDArray[np.intp]) -> Floats:
        if self.is_energy:
            return elastic_energy(self.arm, q, threads=self.threads)
        return np.asarray(((q - self.wish[which]) ** 2).sum(axis=-1) / 2)

    def gradient(self, q: Floats, which: NDArray[np.intp]) -> Floats:
        if self.is_energy:
            return elastic_forces(self.arm, q, threads=self.threads)
        return np.asarray(q - self.wish[which])


def _along_target(ranges: MuscleRanges, cost: _Cost, q: Floats, slopes: Floats, gradient: Floats) -> Floats:
    """The d of least ½ dᵀ H d + gᵀ d with J d = 0 and q + d within the ranges, about: (k, 3n).

    Muscles that would go beyond an end are led to that end by very stiff springs, and the step is solved for again.
    """
    there = ranges.lengths(q)
    led, up, room = np.zeros(there.shape, dtype=bool), np.zeros(there.shape, dtype=bool), np.zeros_like(there)
    for _ in range(PASSES):
        inverses, pulled = _led(ranges, cost, led, room)
        rows, downhill = _eased(inverses, slopes), _eased(inverses, (gradient - pulled)[:, None])[:, 0]
        square = rows @ np.swapaxes(slopes, 1, 2)
        square += (1e-12 * np.trace(square, axis1=1, axis2=2) + 1e-300)[:, None, None] * np.eye(square.shape[-1])
        pulls = np.linalg.solve(square, slopes @ downhill[..., None])
        step = (np.swapaxes(pulls, 1, 2) @ rows)[:, 0] - downhill
        moved = ranges.lengths(step)
        low, high = there + moved < ranges.least, there + moved > ranges.greatest
        more = (low | high) & ~led
        # a spring that pulls towards an end, and does not hold back from beyond it, is let go
        wrong = led & (np.where(up, moved - room, room - moved) < 0)
        if not (more.any() or wrong.any()):
            break
        up = np.where(more, high, up)
        room = np.where(more, np.where(low, ranges.least, ranges.greatest) - there, room)
        led = (led | more) & ~wrong
    return np.asarray(step)


def _led(ranges: MuscleRanges, cost: _Cost, led: Booleans, room: Floats) -> tuple[list[Floats], Floats]:
    """(H + k Wᵀ W)⁻¹ of every section, W the rows of muscles that are led, and the force k Wᵀ room, (k, 3n)."""
    inverses, pulled = [], np.zeros((len(led), 3 * len(cost.stiffness)))
    for i, (own, muscle_map) in enumerate(zip(ranges.muscles, ranges.maps, strict=True)):
        if not led[:, own].any():
            inverses.append(cost.compliance[i])  # the same for every posture
            continue
        springs = LOCK * float(np.trace(cost.stiffness[i])) * led[:, own]
        inverses.append(np.linalg.inv(cost.stiffness[i] + np.einsum("kj,ja,jb->kab", springs, muscle_map, muscle_map)))
        pulled[:, 3 * i : 3 * i + 3] = (springs * room[:, own]) @ muscle_map
    return inverses, pulled


def _eased(inverses: list[Floats], rows: Floats) -> Floats:
    """Rows (k, m, 3n) times the inverses of all sections."""
    return np.concatenate([rows[:, :, 3 * i : 3 * i + 3] @ each for i, each in enumerate(inverses)], axis=-1)


def _back(place: Place, ranges: MuscleRanges, goal: Goal, q: Floats, threads: int | None) -> tuple[Floats, Floats]:
    """Postures led back onto their targets by undamped steps, and what they miss."""
    nothing = np.full(len(q), 1e-12)
    misses = goal.misses(place.poses(q, threads))
    for _ in range(CORRECTIONS):
        if goal.is_met(*goal.parts(misses)).all():
            break
        step, _ = damped_step(ranges, q, goal.slopes(place.jacobian(q, threads)), misses, nothing)
        q = ranges.ahead(q, step)
        misses = goal.misses(place.poses(q, threads))
    return q, misses
