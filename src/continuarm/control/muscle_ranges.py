"""How far muscles go: their ranges as bounds on q, points within them, and steps that stay within."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import ArrayLike

from continuarm.arms.arm import Arm
from continuarm.common.number_checks import Booleans, Floats, first, not_too_large, real_numbers
from continuarm.sections.model_range import FULL_TURN

FREE_RANGE = 0.5
"""A muscle of a section without length_range goes this part of the section's length either way."""
LARGEST_BEND = FULL_TURN - 1e-3
"""rad; just inside the model's range."""
AT_END = 1e-12
"""m: a muscle this near to an end of its range is at it."""


class MuscleRanges:
    """least ≤ W q ≤ greatest of all muscles, (muscles,), m; of the default layout bounds on q itself."""

    def __init__(self, arm: Arm, limits: ArrayLike | None = None) -> None:
        self.arm = arm
        self.least, self.greatest = _ranges(arm) if limits is None else _given(arm, limits)
        self.maps = [np.asarray(section.muscle_map) for section in arm.sections]
        counts = [len(each) for each in self.maps]
        ends = np.cumsum([0, *counts])
        self.muscles = [slice(a, b) for a, b in itertools.pairwise(ends)]
        """The muscles of every section."""
        self.is_box = all(section.muscles is None for section in arm.sections)
        """Whether every coordinate is a muscle: bounds on q, one by one."""
        self.middle = self._inside((self.least + self.greatest) / 2)
        self._bends = [np.asarray(section.shape_map)[:2] for section in arm.sections]
        reach = [
            np.linalg.norm(bend, axis=0).sum() * (self.greatest[own] - self.least[own]).max() / 2
            for bend, own in zip(self._bends, self.muscles, strict=True)
        ]
        self._can_bend_too_far = not self.is_box or max(reach) > LARGEST_BEND

    def _inside(self, lengths: Floats) -> Floats:
        """q (3n,) whose muscles come nearest to some lengths; ValueError where no q is within the ranges."""
        found = np.zeros(3 * self.arm.n)
        for i, (own, rows) in enumerate(zip(self.muscles, self.maps, strict=True)):
            # the middle of a polytope: as far as can be from every end
            q = lengths[own] if self.is_box else _deepest(rows, self.least[own], self.greatest[own])
            inside = (rows @ q > self.least[own]) & (rows @ q < self.greatest[own])
            if not inside.all():
                name = self.arm.muscle_names[own.start + int(np.argmin(inside))]
                raise ValueError(f"limits: section {i + 1} of {self.arm.n} has no shape with {name} within its own")
            found[3 * i : 3 * i + 3] = q
        return found

    def samples(self, rng: np.random.Generator, count: int) -> Floats:
        """Random q within the ranges, (count, 3n); of the default layout evenly spread."""
        if self.is_box:
            return self.within(rng.uniform(self.least, self.greatest, (count, len(self.least))))
        way = rng.normal(size=(count, 3 * self.arm.n))
        ends = self.ahead(np.broadcast_to(self.middle, way.shape), 1e3 * way)
        parts = np.repeat(rng.uniform(size=(count, self.arm.n)) ** (1 / 3), 3, axis=-1)
        return self.middle + parts * (ends - self.middle)

    def lengths(self, q: Floats) -> Floats:
        """Of all muscles: (..., 3n) -> (..., muscles)."""
        if self.is_box:
            return q
        return np.concatenate([q[..., 3 * i : 3 * i + 3] @ rows.T for i, rows in enumerate(self.maps)], axis=-1)

    def within(self, q: Floats) -> Floats:
        """q brought within the ranges: clipped where they are bounds on q, else drawn towards their middle."""
        if self.is_box:
            return self._not_too_bent(np.clip(q, self.least, self.greatest))
        return self.ahead(np.broadcast_to(self.middle, q.shape), q - self.middle)

    def ahead(self, q: Floats, step: Floats) -> Floats:
        """q + step, as far as the ranges allow: (..., 3n)."""
        if self.is_box:
            return self.within(q + step)
        found = np.array(np.broadcast_to(q, np.broadcast_shapes(q.shape, step.shape)))
        for i, (own, rows) in enumerate(zip(self.muscles, self.maps, strict=True)):
            there, way = found[..., 3 * i : 3 * i + 3] @ rows.T, step[..., 3 * i : 3 * i + 3] @ rows.T
            room = np.where(way > 0, self.greatest[own] - there, self.least[own] - there)
            parts = np.divide(room, way, out=np.full_like(way, np.inf), where=np.abs(way) > 1e-300)
            part = np.clip(parts.min(axis=-1, keepdims=True), 0.0, 1.0)
            found[..., 3 * i : 3 * i + 3] += part * step[..., 3 * i : 3 * i + 3]
        return self._not_too_bent(found)

    def blocked(self, q: Floats, way: Floats) -> Booleans:
        """Muscles (..., muscles) that are at an end of their range and would go beyond it along a way (..., 3n)."""
        there, along = self.lengths(q), self.lengths(way)
        down, up = (there <= self.least + AT_END) & (along < 0), (there >= self.greatest - AT_END) & (along > 0)
        return np.asarray(down | up)

    def _not_too_bent(self, q: Floats) -> Floats:
        if not self._can_bend_too_far:
            return q
        q = np.array(q)
        for i, bend in enumerate(self._bends):
            own = q[..., 3 * i : 3 * i + 3]
            turned = np.linalg.norm(own @ bend.T, axis=-1, keepdims=True)
            mean = own.mean(axis=-1, keepdims=True)
            q[..., 3 * i : 3 * i + 3] = mean + (own - mean) * np.minimum(1.0, LARGEST_BEND / np.maximum(turned, 1e-300))
        return q


def _ranges(arm: Arm) -> tuple[Floats, Floats]:
    """length_range of every section, or half of its length either way."""
    pairs = [
        np.broadcast_to(
            section.length_range or (-FREE_RANGE * section.length, FREE_RANGE * section.length),
            (len(section.muscle_map), 2),
        )
        for section in arm.sections
    ]
    least, greatest = np.concatenate(pairs).T
    return least, greatest


def _given(arm: Arm, limits: ArrayLike) -> tuple[Floats, Floats]:
    count = len(arm.muscle_names)
    pairs = not_too_large("limits", real_numbers("limits", limits, "pairs of least and greatest, m"), "m")
    if pairs.shape not in ((2,), (count, 2)):
        raise ValueError(f"limits has shape {pairs.shape}: must be (2,), or ({count}, 2) for each muscle")
    least, greatest = np.broadcast_to(pairs, (count, 2)).T
    if not (least < greatest).all():
        at = first(~(least < greatest))[0]
        raise ValueError(f"limits of {arm.muscle_names[at]} = {least[at]:g} to {greatest[at]:g} m: must ascend")
    shortest = np.concatenate([np.full(len(s.muscle_map), -s.length) for s in arm.sections])
    if not (least > shortest).all():
        at = first(~(least > shortest))[0]
        raise ValueError(f"limits of {arm.muscle_names[at]} = {least[at]:g} m: must be above {shortest[at]:g} m")
    return np.array(least), np.array(greatest)


def _deepest(rows: Floats, least: Floats, greatest: Floats) -> Floats:
    """The point of least ≤ W q ≤ greatest that is furthest from all ends: a linear program."""
    from scipy.optimize import linprog

    ones = np.ones((len(rows), 1))
    found = linprog(
        [0.0, 0.0, 0.0, -1.0],
        np.block([[rows, ones], [-rows, ones]]),
        np.concatenate([greatest, -least]),
        bounds=[(None, None)] * 4,
    )
    return np.asarray(found.x[:3])
