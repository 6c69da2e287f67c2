"""The mass matrix M(q), block by block from what each section carries, and the Coriolis matrix C(q, q̇)."""

from __future__ import annotations

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.arms.section import Section
from continuarm.dynamics.chain import Passage, passages, payload_body, weigh
from continuarm.dynamics.inverse import motion_forces
from continuarm.sections.spatial import Array, block, inertia_at_base, symmetric, transpose, wrench_at_base

COMPLEX_STEP = 1e-100
"""Complex step: no difference is taken, so it only has to be small."""


def mass_matrix(arm: Arm, q: Array) -> Array:
    """M(q): (..., 3n, 3n). Inward: what hangs on each tip; then each section's wrench on the sections before it."""
    chain, omega = passages(arm, q, np.zeros(3 * arm.n))
    blocks = [[np.zeros((3, 3))] * arm.n for _ in range(arm.n)]
    inertia = payload_body(*arm.carried_mass, omega).IA
    for i in reversed(range(arm.n)):
        inertia, wrenches, blocks[i][i] = compose(arm.inertia, arm.sections[i], chain[i], inertia)
        for j in reversed(range(i)):
            blocks[j][i], wrenches = hand_down(arm.sections[j], chain[j], wrenches)
    return symmetric(block(blocks))


def compose(model: object, section: Section, passage: Passage, inertia: Array) -> tuple[Array, Array, Array]:
    """One section inward: inertia seen from its base, and wrenches (6x3) and muscle forces (3x3) of its unit q̈."""
    still = np.zeros(3)
    body, _ = weigh(model, section, passage._replace(omega=still), still)
    end, B = passage.tip, section.shape_map
    IC = inertia_at_base(inertia, end.rotation, end.position)
    IC_S = IC @ end.subspace
    H = symmetric(body.H + transpose(end.subspace) @ IC_S)
    return symmetric(body.I + IC), (body.F + IC_S) @ B, symmetric(transpose(B) @ H @ B)


def hand_down(section: Section, passage: Passage, wrenches: Array) -> tuple[Array, Array]:
    """The muscle forces (3x3) and the wrenches at its base (6x3) of a section whose tip carries wrenches (6x3)."""
    end = passage.tip
    columns = wrench_at_base(transpose(wrenches), end.rotation[..., None, :, :], end.position[..., None, :])
    at_base = transpose(columns)
    return transpose(end.subspace @ section.shape_map) @ at_base, at_base


def coriolis_matrix(arm: Arm, q: Array, qd: Array) -> Array:
    """C(q, q̇) of the Christoffel symbols: (..., 3n, 3n).

    C q̇ is quadratic in q̇ and its symbols are symmetric in k and h, so C = ½ ∂(C q̇)/∂q̇, taken exactly by a complex
    step. C is linear in q̇, which is taken in units of its size: a product with the step would else underflow.
    """
    size = 3 * arm.n
    _, exponent = np.frexp(np.abs(qd).max(axis=-1, initial=0.0))
    units = np.eye(size).reshape(size, *(1,) * (q.ndim - 1), size)
    rates = np.ldexp(qd, -exponent[..., None]) + 1j * COMPLEX_STEP * units
    forces = motion_forces(arm, q, rates, np.zeros(size), np.zeros(3))
    return np.ldexp(np.moveaxis(forces.imag / (2 * COMPLEX_STEP), 0, -1), exponent[..., None, None])
