"""Inverse kinematics: the q that brings a place on the arm to a position or a pose, for whole batches.

Damped least squares (Levenberg and Marquardt) in the directions that muscle ranges leave free, from the nearest of many
known postures, and from others where that fails. What is left of the freedom goes to a preference.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from continuarm.arms.arm import Arm, per_section, require_arm
from continuarm.common.argument_checks import choice
from continuarm.common.number_checks import (
    Booleans,
    Floats,
    finite,
    first,
    not_too_large,
    number_above,
    real_numbers,
    seed_number,
    whole_number,
)
from continuarm.control.muscle_ranges import MuscleRanges
from continuarm.control.places import Place
from continuarm.control.preferences import preferred
from continuarm.control.search_steps import Goal, searched

KNOWN = 4096
"""Random postures, from the nearest of which a search begins."""
TRIES = 12
"""Other postures from which the search begins again where it failed."""
CHUNK = 8192
"""Targets that are worked on together: their matrices stay in the processor's cache."""


@dataclass(frozen=True, eq=False, repr=False)
class Postures:
    """Postures for targets, also for those that are out of reach: there q is the nearest that was found.

    Attributes
    ----------
    q : ndarray, (..., 3n)
        m, within the ranges of the muscles.
    reached : ndarray of bool, (...)
        Where the target is met within the tolerance.
    distance : ndarray, (...)
        From the target, m.
    angle : ndarray, (...)
        Between the orientations, rad; 0 where only a position is asked for.
    iterations : ndarray of int, (...)
        Steps of the search, of all its starts together.
    reason : ndarray of str, (...)
        Why a target is not met; empty where it is.

    Examples
    --------
    >>> arm = ca.load_arm("prototype")
    >>> found = ca.inverse_kinematics(arm, [[0.1, 0.1, 0.5], [0.0, 0.0, 1.0]])
    >>> found
    Postures(q of shape (2, 9), m, 1 of 2 reached)
    >>> str(found.reason[1])
    'out of reach: the nearest found is 340 mm away'
    """

    q: Floats
    reached: Booleans
    distance: Floats
    angle: Floats
    iterations: NDArray[np.int64]
    reason: NDArray[np.str_]

    def __repr__(self) -> str:
        found, size = np.count_nonzero(self.reached), np.size(self.reached)
        return f"Postures(q of shape {np.shape(self.q)}, m, {found} of {size} reached)"

    def q_or_raise(self, arm: Arm) -> Floats:
        """q, if every target is met; ValueError says which is not, and why.

        Parameters
        ----------
        arm : Arm
            For its name.

        Returns
        -------
        ndarray, (..., 3n)
            m.
        """
        if not self.reached.all():
            at = first(~self.reached)
            where = f" at index {list(at)} of the batch" if at else ""
            raise ValueError(f"no posture of {arm.name!r}{where}: {self.reason[at]}")
        return self.q


def inverse_kinematics(
    arm: Arm,
    position: ArrayLike | None = None,
    pose: ArrayLike | None = None,
    *,
    at: int | tuple[int, float] | None = None,
    start: ArrayLike | None = None,
    limits: ArrayLike | None = None,
    prefer: Literal["energy", "change"] | None = None,
    solutions: int | None = None,
    tolerance: float = 1e-9,
    seed: int = 0,
    threads: int | None = None,
) -> Postures:
    """The muscle length changes that bring a place on the arm to a position or to a pose, within the muscles' ranges.

    Solves p(q) = position, or T(q) = pose, by damped least squares: of an arm with more coordinates than the target has
    numbers, one of many solutions, the one that `prefer` says. A target that cannot be met is said to be so, with the
    nearest posture that was found; other starts were tried, but a proof that there is none this is not.

    Parameters
    ----------
    arm : Arm
    position : array_like, (..., 3)
        m, world frame. Either this or a pose.
    pose : array_like, (..., 4, 4)
        A homogeneous matrix: a rotation and a position, m, world frame.
    at : int or (int, float), optional
        The place: 2 is the tip of the second section, (2, 0.5) the middle of it; the last tip if left out.
    start : array_like, (..., 3n), optional
        Where the search begins, m; from the nearest of many random postures if left out.
    limits : array_like, (2,) or (muscles, 2), optional
        Least and greatest length change of the muscles, m; the `length_range` of each section if left out, and half of
        its length either way where it has none.
    prefer : {"energy", "change"}, optional
        Of all solutions that with the least elastic energy near by, or the one least changed from `start`. Without, the
        one that the search comes to first, which is the quickest.
    solutions : int, optional
        So many, from starts that lie apart: an axis more after the batch, (..., solutions).
    tolerance : float, optional
        m from the position, and rad from the orientation, that count as met.
    seed : int, optional
        Of the random postures.
    threads : int, optional
        How many threads a batch may use; all processors if left out.

    Returns
    -------
    Postures

    Examples
    --------
    >>> arm = ca.load_arm("prototype")
    >>> found = ca.inverse_kinematics(arm, [0.1, 0.1, 0.5], prefer="energy")
    >>> bool(found.reached), float(found.q.min()) >= 0, float(found.q.max()) <= 0.07
    (True, True, True)
    >>> print(ca.tip_poses(arm, found.q)[-1, :3, 3].round(6))
    [0.1 0.1 0.5]
    """
    require_arm(arm)
    place, ranges = Place(arm, at), MuscleRanges(arm, limits)
    goal, batch = _goal(arm, position, pose, number_above("tolerance", tolerance, 0.0, 1.0, "m", "metres"))
    if prefer is not None:
        choice("prefer", prefer, ("energy", "change"))
    if prefer == "change" and start is None:
        raise ValueError("prefer = 'change': needs a start, from which to change")
    count = 1 if solutions is None else whole_number("solutions", solutions, least=1, most=1000)
    began = None if start is None else per_section(arm, "start", start)
    if began is not None:
        try:
            began = np.broadcast_to(began, (*batch, 3 * arm.n)).reshape(-1, 3 * arm.n)
        except ValueError:
            raise ValueError(f"start has shape {began.shape}: must fit the targets, {(*batch, 3 * arm.n)}") from None
    known = _Known(place, ranges, goal, seed_number("seed", seed), threads)
    found = [
        _found(place, ranges, goal.rows(slice(low, low + CHUNK)), known, count, prefer, threads, began, low)
        for low in range(0, len(goal.positions), CHUNK)
    ] or [_nothing(3 * arm.n)]
    shape = batch if solutions is None else (*batch, count)
    q, iterations, distance, angle = (np.concatenate(each) for each in zip(*found, strict=True))
    reached = goal.is_met(distance, angle)
    reason = _reasons(goal, reached, distance, angle)
    return Postures(
        q.reshape(*shape, 3 * arm.n),
        reached.reshape(shape),
        distance.reshape(shape),
        angle.reshape(shape),
        iterations.reshape(shape),
        reason.reshape(shape),
    )


@dataclass
class _Known:
    """Random postures and where they bring the place; made when first needed."""

    place: Place
    ranges: MuscleRanges
    goal: Goal
    seed: int
    threads: int | None

    def __post_init__(self) -> None:
        self._made: tuple[Floats, object] | None = None

    def nearest(self, goal: Goal, count: int) -> Floats:
        """(targets, count, 3n): those that come nearest to targets, the nearest first."""
        from scipy.spatial import cKDTree

        if self._made is None:
            q = self.ranges.samples(np.random.default_rng(self.seed), KNOWN)
            self._made = q, cKDTree(self.goal.features(self.place.poses(q, self.threads)))
        q, tree = self._made
        _, which = tree.query(goal.target_features(), k=count)  # type: ignore[attr-defined]
        return np.asarray(q[np.reshape(which, (len(goal.positions), count))])


def _found(
    place: Place,
    ranges: MuscleRanges,
    goal: Goal,
    known: _Known,
    count: int,
    prefer: str | None,
    threads: int | None,
    began: Floats | None,
    low: int,
) -> tuple[Floats, NDArray[np.int64], Floats, Floats]:
    """q, iterations, distance and angle of some targets, each `count` times."""
    targets = len(goal.positions)
    if count > 1:
        goal = goal.rows(np.repeat(np.arange(targets), count))
    if began is None and prefer == "energy" and count == 1:  # from unbent, the first solution costs little already
        starts = np.tile(ranges.within(np.zeros(ranges.middle.shape)), (targets, 1))
    elif began is None:
        starts = known.nearest(goal.rows(slice(None, None, count)), 8 * count if count > 1 else 1)
        starts = starts[:, :: 8 if count > 1 else 1].reshape(targets * count, -1)
    else:
        starts = ranges.within(began[low : low + targets])
        if count > 1:
            others = known.nearest(goal.rows(slice(None, None, count)), 8 * count)[:, ::8]
            others[:, 0] = starts
            starts = others.reshape(targets * count, -1)
    search = searched(place, ranges, goal, starts, threads)
    left = np.flatnonzero(~search.reached)
    if len(left):
        again = known.nearest(goal.rows(left), TRIES + 1)
        for k in range(1, TRIES + 1):
            rows = np.flatnonzero(~search.reached[left])
            if not len(rows):
                break
            search.take(left[rows], searched(place, ranges, goal.rows(left[rows]), again[rows, k], threads))
    if prefer is not None:
        wish = starts if began is None else ranges.within(began[low : low + targets]).repeat(count, axis=0)
        preferred(place, ranges, goal, search, prefer, wish, threads)
    return search.q, search.iterations, search.distance, search.angle


def _nothing(size: int) -> tuple[Floats, NDArray[np.int64], Floats, Floats]:
    return np.zeros((0, size)), np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(0)


def _goal(
    arm: Arm, position: ArrayLike | None, pose: ArrayLike | None, tolerance: float
) -> tuple[Goal, tuple[int, ...]]:
    """Targets in one row after the other, and the shape of their batch."""
    if (position is None) == (pose is None):
        raise ValueError("position, pose: must be one of the two")
    size = float(sum(section.length for section in arm.sections)) / 4
    if position is not None:
        found = not_too_large("position", real_numbers("position", position, "numbers of shape (..., 3), m"), "m")
        if found.shape[-1:] != (3,):
            raise ValueError(f"position has shape {found.shape}: must be (..., 3)")
        return Goal(found.reshape(-1, 3), None, tolerance, size), found.shape[:-1]
    assert pose is not None
    found = finite("pose", real_numbers("pose", pose, "matrices of shape (..., 4, 4)"))
    if found.shape[-2:] != (4, 4):
        raise ValueError(f"pose has shape {found.shape}: must be (..., 4, 4)")
    turns = found[..., :3, :3]
    off = np.abs(np.swapaxes(turns, -1, -2) @ turns - np.eye(3)).max(axis=(-1, -2)) > 1e-6
    off |= (np.linalg.det(turns) < 0) | (np.abs(found[..., 3, :] - [0, 0, 0, 1]).max(axis=-1) > 1e-9)
    if off.any():
        where = f" at index {list(first(off))} of the batch" if off.ndim else ""
        raise ValueError(f"pose{where}: must be a rotation and a position over a row 0, 0, 0, 1")
    places = not_too_large("pose", found[..., :3, 3], "m")
    return Goal(places.reshape(-1, 3), turns.reshape(-1, 3, 3), tolerance, size), found.shape[:-2]


def _reasons(goal: Goal, reached: Booleans, distance: Floats, angle: Floats) -> NDArray[np.str_]:
    reason = np.zeros(reached.shape, dtype="U80")
    for k in np.flatnonzero(~reached):
        turned = "" if goal.turns is None else f" and {np.rad2deg(angle[k]):.3g}° off"
        reason[k] = f"out of reach: the nearest found is {1e3 * distance[k]:.3g} mm away{turned}"
    return reason
