"""The mass matrix M(q) and the Coriolis matrix C(q, q̇), column by column from the O(n) inverse dynamics."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from continuarm.arguments import Floats, checked
from continuarm.arm import Arm
from continuarm.chain import links
from continuarm.inverse_dynamics import carried_forces, motion_forces
from continuarm.spatial import Array, symmetric

STEP = 1e-100
"""Complex step: no difference is taken, so it only has to be small."""


def mass_matrix(arm: Arm, q: ArrayLike) -> Floats:
    """M(q), symmetric and, for the integral model, positive definite: kinetic energy = ½ q̇ᵀ M q̇.

    q: (..., 3n) in m; returns (..., 3n, 3n) in kg. Column k is the force of a unit acceleration of q_k at rest.
    """
    (q,) = checked(arm, q=q)
    chain, load = links(arm, q, np.zeros(3 * arm.n))
    return symmetric(_columns(q, lambda unit: carried_forces(arm, chain, load, unit, np.zeros(3))))


def coriolis_matrix(arm: Arm, q: ArrayLike, qd: ArrayLike) -> Floats:
    """C(q, q̇) of the Christoffel symbols, C_jk = ½ Σ_h (M_jk,h + M_jh,k - M_kh,j) q̇_h: Ṁ - 2C is skew (eq. Ckj, corrected).

    q, qd: (..., 3n) in m, m/s; returns (..., 3n, 3n) in N s/m. C q̇ is quadratic in q̇ and its symbols are symmetric
    in k and h, so C = ½ ∂(C q̇)/∂q̇, taken exactly by a complex step.
    """
    q, qd = checked(arm, q=q, qd=qd)

    def column(unit: Array) -> Array:
        moved = qd + 1j * STEP * unit
        return motion_forces(arm, q, moved, np.zeros(3 * arm.n), np.zeros(3)).imag / (2 * STEP)

    return _columns(q, column)


def _columns(q: Array, column: object) -> Array:
    """Columns for unit vectors, which run over a new leading axis: (..., 3n, 3n)."""
    size = q.shape[-1]
    units = np.eye(size).reshape(size, *(1,) * (q.ndim - 1), size)
    return np.moveaxis(np.broadcast_to(column(units), (size, *q.shape)), 0, -1)  # type: ignore[operator]
