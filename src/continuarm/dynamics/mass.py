"""The mass matrix M(q), block by block from what each section carries, and the Coriolis matrix C(q, q̇)."""

from __future__ import annotations

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.arms.section import Section
from continuarm.dynamics.chain import links
from continuarm.dynamics.inverse import motion_forces
from continuarm.sections.inertia import Body
from continuarm.sections.kinematics import Tip
from continuarm.sections.spatial import Array, block, inertia_at_base, symmetric, transpose, wrench_at_base

STEP = 1e-100
"""Complex step: no difference is taken, so it only has to be small."""


def mass_matrix(arm: Arm, q: Array) -> Array:
    """M(q), symmetric and, for the integral model, positive definite: kinetic energy = ½ q̇ᵀ M q̇.

    q: (..., 3n) in m; returns (..., 3n, 3n) in kg. Column k is the force of a unit acceleration of q_k at rest.
    """
    # inward: what hangs on each tip; then each section's wrench on the sections before it
    chain, load = links(arm, q, np.zeros(3 * arm.n))
    blocks = [[np.zeros((3, 3))] * arm.n for _ in range(arm.n)]
    inertia = load.inertia
    for i in reversed(range(arm.n)):
        inertia, wrench, blocks[i][i] = composed(arm.sections[i], chain[i].body, chain[i].tip, inertia)
        for j in reversed(range(i)):
            blocks[j][i], wrench = handed_down(arm.sections[j], chain[j].tip, wrench)
    return symmetric(block(blocks))


def composed(section: Section, body: Body, end: Tip, inertia: Array) -> tuple[Array, Array, Array]:
    """One section inward: inertia seen from its base, and wrench (6x3) and muscle forces (3x3) of its unit q̈."""
    carried = inertia_at_base(inertia, end.rotation, end.position)
    pushed = carried @ end.subspace
    own = symmetric(body.own + transpose(end.subspace) @ pushed)
    to_shape = section.shape_map
    return (
        symmetric(body.base + carried),
        (body.coupling + pushed) @ to_shape,
        symmetric(transpose(to_shape) @ own @ to_shape),
    )


def handed_down(section: Section, end: Tip, wrench: Array) -> tuple[Array, Array]:
    """The muscle forces (3x3) and the wrench at its base (6x3) of a section whose tip carries a wrench (6x3)."""
    columns = wrench_at_base(transpose(wrench), end.rotation[..., None, :, :], end.position[..., None, :])
    at_base = transpose(columns)
    return transpose(end.subspace @ section.shape_map) @ at_base, at_base


def coriolis_matrix(arm: Arm, q: Array, qd: Array) -> Array:
    """C(q, q̇) of the Christoffel symbols: Ṁ - 2C is skew (eq. Ckj, corrected).

    C_jk = ½ Σ_h (M_jk,h + M_jh,k - M_kh,j) q̇_h.
    q, qd: (..., 3n) in m, m/s; returns (..., 3n, 3n) in N s/m. C q̇ is quadratic in q̇ and its symbols are symmetric
    in k and h, so C = ½ ∂(C q̇)/∂q̇, taken exactly by a complex step.
    """
    size = 3 * arm.n
    units = np.eye(size).reshape(size, *(1,) * (q.ndim - 1), size)
    forces = motion_forces(arm, q, qd + 1j * STEP * units, np.zeros(size), np.zeros(3))
    return np.moveaxis(forces.imag / (2 * STEP), 0, -1)
