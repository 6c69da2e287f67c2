"""The motion near a state, exactly: (δq, δq̇)˙ = A (δq, δq̇) + B δτ."""

from __future__ import annotations

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.dynamics.forward import forward_dynamics
from continuarm.dynamics.inverse import elastic_forces, gravity_forces
from continuarm.dynamics.mass_and_coriolis import COMPLEX_STEP
from continuarm.dynamics.poses import wrench_forces
from continuarm.sections.spatial import Array


def linearization(arm: Arm, q: Array, qd: Array, tau: Array) -> tuple[Array, Array]:
    """A = ∂(q̇, q̈)/∂(q, q̇) and B = ∂(q̇, q̈)/∂τ at a state: derivatives to rounding, not differences.

    q, qd, tau: (..., 3n) in m, m/s, N; returns A (..., 6n, 6n) and B (..., 6n, 3n). The lower block of B is M⁻¹.
    """
    size, batch = 3 * arm.n, q.shape[:-1]
    steps = (1j * COMPLEX_STEP * np.eye(3 * size)).reshape(3 * size, 3, *(1,) * len(batch), size)
    moved = forward_dynamics(arm, q + steps[:, 0], qd + steps[:, 1], tau + steps[:, 2])
    slopes = np.moveaxis(moved.imag / COMPLEX_STEP, 0, -1)
    A = np.zeros((*batch, 2 * size, 2 * size))
    B = np.zeros((*batch, 2 * size, size))
    A[..., :size, size:] = np.eye(size)
    A[..., size:, :] = slopes[..., : 2 * size]
    B[..., size:, :] = slopes[..., 2 * size :]
    return A, B


def static_stiffness(arm: Arm, q: Array, wrench: Array) -> Array:
    """∂(G + K_e q - Jᵀ w)/∂q, end stops included: (..., 3n, 3n)."""
    size = 3 * arm.n
    units = (1j * COMPLEX_STEP * np.eye(size)).reshape(size, *(1,) * (q.ndim - 1), size)
    moved = static_forces(arm, q + units, wrench)
    return np.moveaxis(moved.imag / COMPLEX_STEP, 0, -1)


def static_forces(arm: Arm, q: Array, wrench: Array) -> Array:
    """G + K_e q - Jᵀ w, end stops included: the τ that holds the arm still, (..., 3n)."""
    return gravity_forces(arm, q) + elastic_forces(arm, q) - wrench_forces(arm, q, wrench)
