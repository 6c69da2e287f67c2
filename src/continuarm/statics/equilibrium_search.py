"""Where an arm comes to rest: stable equilibria of whole batches."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from continuarm.arms.arm import Arm, per_section
from continuarm.common.number_checks import Floats, first
from continuarm.engine.muscle_springs import springs_over_q
from continuarm.engine.quantities import elastic_forces, gravity_forces, static_stiffness, wrench_forces
from continuarm.engine.state_checks import checked, common_batch
from continuarm.sections.model_range import FULL_TURN

MOST_STEPS = 200
SMALL = 1e-11
"""An imbalance that counts as none, over the largest force; one Newton step follows, which leaves only rounding."""
UNSTABLE = -1e-7
"""A stiffness over K_e below this is negative: rounding stays far above it."""
SHORTEST = 1e-3
"""A section that has shrunk to this part of its length goes on to nothing."""
LARGEST_BEND = FULL_TURN - 1e-4
"""rad; just inside the model's range."""
PUSH = 0.05
"""rad of bending, to leave an unstable equilibrium."""
CHUNK = 1_000_000
"""Entries of a batch of matrices that are worked on together: 8 MB."""


class Equilibria(NamedTuple):
    """Equilibria of a batch, also where there are none: there q is where the search ended.

    Attributes
    ----------
    q : ndarray, (..., 3n)
        In m.
    converged : ndarray of bool, (...)
        Where there is an equilibrium.
    reason : ndarray of str, (...)
        Why there is none; empty where there is one.
    residual : ndarray, (...)
        The largest force that is not balanced, N.

    Examples
    --------
    >>> arm = ca.load_arm("prototype")
    >>> found = ca.equilibria(arm, [np.zeros(9), np.full(9, -2e3)])
    >>> found.converged.tolist(), str(found.reason[1])
    ([True, False], 'section 3 of 3 would shrink to nothing')
    """

    q: Floats  # (..., 3n), m
    converged: NDArray[np.bool_]  # (...)
    reason: NDArray[np.str_]  # (...), why there is none; empty where there is one
    residual: Floats  # (...), N, the largest force that is not balanced

    def __repr__(self) -> str:
        found, size = np.count_nonzero(self.converged), np.size(self.converged)
        return f"Equilibria(q of shape {np.shape(self.q)}, m, {found} of {size} converged)"

    def q_or_raise(self, arm: Arm) -> Floats:
        """q, if the search found an equilibrium everywhere; ValueError says where and why it did not.

        Parameters
        ----------
        arm : Arm
            For its name.

        Returns
        -------
        ndarray, (..., 3n)
            m.
        """
        if not self.converged.all():
            at = first(~self.converged)
            where = f" at index {list(at)} of the batch" if at else ""
            raise ValueError(f"no equilibrium of {arm.name!r} found{where}: {self.reason[at]}")
        return self.q


class Loads(NamedTuple):
    """What acts besides gravity and K_e, for a batch of one axis; None: nothing of that kind."""

    tau: Floats  # (b, 3n), N
    wrench: Floats  # (b, 6), N m and N
    springs: Floats | None  # (b, 3n, 3n), N/m over q

    def at(self, rows: Any) -> Loads:
        """Those of some states of the batch."""
        return Loads(self.tau[rows], self.wrench[rows], None if self.springs is None else self.springs[rows])


def equilibrium(
    arm: Arm,
    tau: ArrayLike | None = None,
    *,
    wrench: ArrayLike | None = None,
    muscle_stiffness: ArrayLike | None = None,
    start: ArrayLike | None = None,
) -> Floats:
    """The q at which an arm comes to rest: G(q) + K_e q = τ + Jᵀ w - Wᵀ k W q, end stops included, and stable.

    Batch axes broadcast. The force left over is rounding. Laws of muscles, a `preload` among them, are not in it: their
    forces are τ; `simulate(..., start="equilibrium")` begins where they are balanced too.

    Parameters
    ----------
    arm : Arm
    tau : array_like, (..., 3n), optional
        Constant forces τ, N; none if left out.
    wrench : array_like, (..., 6), optional
        w: moment, N m, and force, N, on the last tip, world axes; none if left out.
    muscle_stiffness : array_like, (..., muscles), optional
        k: springs along the muscles beside K_e, N/m, such as those of muscles that pressure stiffens.
    start : array_like, (..., 3n), optional
        Where the search begins, m, q = 0 if left out: of several equilibria it finds one, most often one near.

    Returns
    -------
    ndarray, (..., 3n)
        q, m.

    Raises
    ------
    ValueError
        Where none is found in the model's range; `equilibria` says so instead.

    Examples
    --------
    >>> arm = ca.load_arm("prototype")
    >>> q = ca.equilibrium(arm, wrench=[0, 0, 0, 0.1, 0, 0])  # pulled along X by 0.1 N
    >>> print((1e3 * ca.tip_poses(arm, q)[-1, [0, 2], 3]).round(1))  # mm, X and Z of the tip
    [ 22.5 450.2]
    """
    return equilibria(arm, tau, wrench=wrench, muscle_stiffness=muscle_stiffness, start=start).q_or_raise(arm)


def equilibria(
    arm: Arm,
    tau: ArrayLike | None = None,
    *,
    wrench: ArrayLike | None = None,
    muscle_stiffness: ArrayLike | None = None,
    start: ArrayLike | None = None,
) -> Equilibria:
    """As `equilibrium`, for batches of which some may have none: says which and why instead of raising.

    Newton's method downhill: away from saddles, and along the edge of the range where it is met.

    Parameters
    ----------
    arm : Arm
    tau, wrench, muscle_stiffness, start : optional
        As for `equilibrium`.

    Returns
    -------
    Equilibria

    Examples
    --------
    >>> arm = ca.load_arm("prototype")
    >>> forces = np.zeros((50, 9))
    >>> forces[:, 8] = np.linspace(0, 60, 50)  # N, one muscle of the last section
    >>> found = ca.equilibria(arm, forces)
    >>> found.q.shape, bool(found.converged.all())
    ((50, 9), True)
    """
    q, loads, batch = _given(arm, tau, wrench, muscle_stiffness, start)
    search = _Search(arm)
    q = search.within_range(q, np.zeros_like(q))
    converged, reason, residual = np.zeros(len(q), dtype=bool), np.zeros(len(q), dtype="U64"), np.zeros(len(q))
    together = max(1, CHUNK // (3 * arm.n) ** 2)
    for begin in range(0, len(q), together):
        rows = slice(begin, begin + together)
        with np.errstate(over="ignore", invalid="ignore"):  # forces beyond all bounds end as those without equilibrium
            q[rows], converged[rows], residual[rows] = _settled(search, q[rows], loads.at(rows))
    reason[~converged] = search.reasons(q[~converged], residual[~converged])
    whole = q.reshape(*batch, 3 * arm.n)
    return Equilibria(whole, converged.reshape(batch), reason.reshape(batch), residual.reshape(batch))


def stiffness(arm: Arm, q: Floats, loads: Loads) -> Floats:
    """∂(G + K_e q + Wᵀ k W q - Jᵀ w)/∂q: (b, 3n) -> (b, 3n, 3n), N/m."""
    whole = static_stiffness(arm, q, loads.wrench)
    return whole if loads.springs is None else whole + loads.springs


def _given(arm: Arm, tau: Any, wrench: Any, muscle_stiffness: Any, start: Any) -> tuple[Floats, Loads, tuple[int, ...]]:
    """What a user gave, checked, with all batch axes made one; and the batch axes."""
    checked(arm)
    (begin,) = checked(arm, {"q": "start"}, q=np.zeros(3 * arm.n) if start is None else start)
    given = {"start": begin, "tau": per_section(arm, "tau", np.zeros(3 * arm.n) if tau is None else tau)}
    (given["wrench"],) = checked(arm, wrench=np.zeros(6) if wrench is None else wrench)
    shapes = {name: array.shape for name, array in given.items()}
    if muscle_stiffness is not None:
        given["springs"] = springs_over_q(arm, muscle_stiffness)
        shapes["muscle_stiffness"] = (*given["springs"].shape[:-2], len(arm.muscle_names))
    batch = common_batch(shapes)
    flat = {}
    for (name, array), shape in zip(given.items(), shapes.values(), strict=True):
        inner = array.shape[len(shape) - 1 :]
        flat[name] = np.broadcast_to(array, batch + inner).reshape(-1, *inner)
    return flat["start"].copy(), Loads(flat["tau"], flat["wrench"], flat.get("springs")), batch


def root_of_stiffness(arm: Arm) -> Floats:
    """Inverse of the lower Cholesky factor of K_e: (3n, 3n); over it, an arm without weight has the stiffness 1."""
    root = np.zeros((3 * arm.n, 3 * arm.n))
    for i, section in enumerate(arm.sections):
        rows = slice(3 * i, 3 * i + 3)
        root[rows, rows] = np.linalg.inv(np.linalg.cholesky(section.stiffness_matrix))
    return root


def _imbalance(arm: Arm, q: Floats, loads: Loads) -> tuple[Floats, Floats]:
    """The force that moves the arm (b, 3n), zero at an equilibrium, and the largest force in it (b,), N."""
    terms = [loads.tau, -gravity_forces(arm, q), -elastic_forces(arm, q)]
    if loads.wrench.any():
        terms.append(wrench_forces(arm, q, loads.wrench))
    if loads.springs is not None:
        terms.append(-(loads.springs @ q[..., None])[..., 0])
    return np.sum(terms, axis=0), np.max(np.abs(terms), axis=(0, -1))


def _settled(search: _Search, q: Floats, loads: Loads) -> tuple[Floats, NDArray[np.bool_], Floats]:
    """Damped Newton steps downhill, all states together, each until it rests or gives up: q, which rest, residual."""
    arm = search.arm
    converged, damping, active = np.zeros(len(q), dtype=bool), np.zeros(len(q)), np.arange(len(q))
    force, largest = _imbalance(arm, q, loads)
    for _ in range(MOST_STEPS):
        if not len(active):
            break
        here, pull, acting = q[active], force[active], loads.at(active)
        step, push, least = search.steps(stiffness(arm, here, acting), pull, damping[active])
        balanced = np.abs(pull).max(axis=-1) <= SMALL * largest[active]
        settled, saddle = balanced & (least > UNSTABLE), balanced & (least <= UNSTABLE)
        there = search.within_range(here, np.where(saddle[:, None], push, step))
        new_pull, new_largest = _imbalance(arm, there, acting)

        # The work done on the way, by the trapezoidal rule: the energy lost, but without the rounding of large
        # energies, and it is there for moments too, which have no energy.
        way = there - here
        at_first, work = (pull * way).sum(axis=-1), ((pull + new_pull) * way).sum(axis=-1) / 2
        smaller = np.abs(new_pull).max(axis=-1) < np.abs(pull).max(axis=-1)
        taken = np.where(settled, smaller, saddle | ((at_first > 0) & (work > 1e-3 * at_first)))

        rows = active[taken]
        q[rows], force[rows] = there[taken], new_pull[taken]
        largest[rows] = np.maximum(largest[rows], new_largest[taken])
        softest = np.clip(np.abs(least), 1e-4, 0.1)
        less = np.where(damping[active] < 0.05 * softest, 0.0, damping[active] / 4)
        damping[active] = np.where(taken, less, np.maximum(4 * damping[active], softest))
        converged[active] = settled
        hopeless = search.stuck(q[active], way) | (damping[active] > 1e8)
        active = active[~(settled | hopeless)]
    return q, converged, np.abs(force).max(axis=-1)


class _Search:
    """Steps of the search, measured by K_e."""

    def __init__(self, arm: Arm) -> None:
        self.arm = arm
        self.to_shape = np.stack([section.shape_map for section in arm.sections])
        self.to_lengths = np.stack([section.length_map for section in arm.sections])
        self.lengths = np.array([section.length for section in arm.sections])
        self.root = root_of_stiffness(arm)

    def steps(self, stiff: Floats, pull: Floats, damping: Floats) -> tuple[Floats, Floats, Floats]:
        """Newton step, push out of an unstable equilibrium (b, 3n), m, and least stiffness over K_e (b,).

        Directions of negative stiffness count with its magnitude: the step then leads downhill.
        """
        scaled = self.root @ stiff @ self.root.T
        turned = scaled.swapaxes(-1, -2)
        values, vectors = np.linalg.eigh((scaled + turned) / 2)
        least, lift = values[:, 0].copy(), np.maximum(np.abs(values), 1e-6) - values
        # a moment has no energy and makes the stiffness unsymmetric: its eigenvalues tell whether the arm creeps back
        doubtful = np.flatnonzero((least <= UNSTABLE) & (np.abs(scaled - turned).max(axis=(-2, -1)) > 1e-8))
        least[doubtful] = np.linalg.eigvals(scaled[doubtful]).real.min(axis=-1)
        lift[doubtful] *= (least[doubtful] <= UNSTABLE)[:, None]
        lift += damping[:, None]
        lifted = scaled + (vectors * lift[:, None, :]) @ vectors.swapaxes(-1, -2)
        step = np.linalg.solve(lifted, (pull @ self.root.T)[..., None])[..., 0] @ self.root
        # no symmetry of an arm leaves cos 0, cos 1, cos 2, ... without a part in the unstable directions
        unstable = vectors * (values < UNSTABLE)[:, None, :]
        push = unstable @ unstable.swapaxes(-1, -2) @ np.cos(np.arange(3 * self.arm.n)) @ self.root
        size = np.maximum(self._extent(push, self.lengths), 1e-300)
        return step, push * (PUSH / size)[:, None], least

    def within_range(self, q: Floats, step: Floats) -> Floats:
        """q after a step: cut short where a section bends by 1 rad or halves, or where it would close to a circle."""
        shapes = self.shapes(q)
        short_enough = step / np.maximum(1.0, self._extent(step, shapes[..., 2]))[:, None]
        change = self._change(short_enough)
        bend = np.hypot(*np.moveaxis((shapes + change)[..., :2], -1, 0))
        over = np.maximum(bend / LARGEST_BEND, 1.0)[..., None]
        change[..., :2] = np.where(over > 1, (shapes + change)[..., :2] / over - shapes[..., :2], change[..., :2])
        return q + (self.to_lengths @ change[..., None]).reshape(q.shape)

    def shapes(self, q: Floats) -> Floats:
        """x = (a, b, s) of every section: (b, 3n) -> (b, n, 3)."""
        return self._change(q) + self.lengths[:, None] * [0.0, 0.0, 1.0]

    def edges(self, q: Floats) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Which sections are bent as far as the search goes, and which are as short as it goes: (b, n)."""
        a, b, s = np.moveaxis(self.shapes(q), -1, 0)
        return np.hypot(a, b) > LARGEST_BEND - 1e-9, s < SHORTEST * self.lengths

    def stuck(self, q: Floats, way: Floats) -> NDArray[np.bool_]:
        """Whether a section has shrunk to nothing, or is at its largest bend and stays there: (b,)."""
        closed, gone = self.edges(q)
        return gone.any(axis=-1) | (closed.any(axis=-1) & (self._extent(way, self.lengths) < 1e-4))

    def reasons(self, q: Floats, residual: Floats) -> list[str]:
        """Why the search ended where it found no equilibrium: (b,)."""
        reasons = [f"the search ended with {force:.3g} N left unbalanced" for force in residual]
        for wrong, what in zip(self.edges(q), ("bend beyond 2π", "shrink to nothing"), strict=True):
            for row in np.flatnonzero(wrong.any(axis=-1)):
                reasons[row] = f"section {np.argmax(wrong[row]) + 1} of {self.arm.n} would {what}"
        return reasons

    def _change(self, step: Floats) -> Floats:
        return (self.to_shape @ step.reshape(len(step), self.arm.n, 3, 1))[..., 0]

    def _extent(self, step: Floats, long: Floats) -> Floats:
        """How far a step goes (b,): 1 is a bend by 1 rad, or a change by half the length, of some section."""
        a, b, s = np.moveaxis(self._change(step), -1, 0)
        return np.maximum(np.hypot(a, b), 2 * np.abs(s) / long).max(axis=-1)
