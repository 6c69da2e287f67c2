"""The motion near a state, exactly: (δq, δq̇)˙ = A (δq, δq̇) + B δτ."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from continuarm.arguments import Floats, checked, require_finite
from continuarm.arm import Arm
from continuarm.forward_dynamics import accelerations
from continuarm.mass_matrix import STEP


def linearization(arm: Arm, q: ArrayLike, qd: ArrayLike, tau: ArrayLike) -> tuple[Floats, Floats]:
    """A = ∂(q̇, q̈)/∂(q, q̇) and B = ∂(q̇, q̈)/∂τ at a state: derivatives to rounding, by complex step, not differences.

    q, qd, tau: (..., 3n) in m, m/s, N; returns A (..., 6n, 6n) and B (..., 6n, 3n). The lower block of B is M⁻¹.
    """
    q, qd, tau = checked(arm, q=q, qd=qd, tau=tau)
    size = 3 * arm.n
    steps = (1j * STEP * np.eye(3 * size)).reshape(3, size, 3, *(1,) * (q.ndim - 1), size)
    steps = steps.reshape(3 * size, 3, *(1,) * (q.ndim - 1), size)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):  # a singular M is reported below
        moved = accelerations(arm, q + steps[:, 0], qd + steps[:, 1], tau + steps[:, 2])
    slopes = require_finite(arm, "the linearization", np.moveaxis(moved.imag / STEP, 0, -1))
    batch = q.shape[:-1]
    A = np.zeros((*batch, 2 * size, 2 * size))
    B = np.zeros((*batch, 2 * size, size))
    A[..., :size, size:] = np.eye(size)
    A[..., size:, :] = slopes[..., : 2 * size]
    B[..., size:, :] = slopes[..., 2 * size :]
    return A, B
