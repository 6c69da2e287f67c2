"""Kinetic and potential energy of the arm."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from continuarm.arguments import Floats, checked
from continuarm.arm import Arm
from continuarm.chain import links, shape_rates, shapes
from continuarm.section_forces import elastic_energy as section_elastic_energy
from continuarm.section_kinematics import centre_of_gravity, shape, tip
from continuarm.spatial import dot, motion_at_tip, times, transpose, vector


def kinetic_energy(arm: Arm, q: ArrayLike, qd: ArrayLike) -> Floats:
    """½ q̇ᵀ M q̇ in O(n), section by section from its own 9x9 inertia, payload included.

    q, qd: (..., 3n) in m, m/s; returns (...,) in J.
    """
    q, qd = checked(arm, q=q, qd=qd)
    chain, load = links(arm, q, qd)
    motion, total = np.zeros(6), np.zeros(q.shape[:-1])
    for here, xd in zip(chain, shape_rates(arm, qd), strict=True):
        body, end = here.body, here.tip
        momentum = times(body.base, motion) + 2 * times(body.coupling, xd)
        total = total + ((motion * momentum).sum(axis=-1) + (xd * times(body.own, xd)).sum(axis=-1)) / 2
        motion = motion_at_tip(motion + times(end.subspace, xd), end.rotation, end.position)
    return total + (motion * times(load.inertia, motion)).sum(axis=-1) / 2


def gravitational_energy(arm: Arm, q: ArrayLike) -> Floats:
    """P_g = -Σ m gᵀ p̄, the same for every inertia model: q (..., 3n) in m -> (...,) in J; zero at the base's origin."""
    (q,) = checked(arm, q=q)
    gravity, height = arm.base_gravity, np.zeros(q.shape[:-1])  # gᵀ (position of the base), in the base's own frame
    total = height
    for section, x in zip(arm.sections, shapes(arm, q), strict=True):
        here = shape(x)
        end = tip(section, here)
        total = total - section.mass * (height + dot(gravity, centre_of_gravity(here)))
        height = height + dot(gravity, end.position)
        gravity = times(transpose(end.rotation), gravity)
    if arm.payload is not None:
        total = total - arm.payload.mass * (height + dot(gravity, vector(*arm.payload.offset)))
    return total


def elastic_energy(arm: Arm, q: ArrayLike) -> Floats:
    """½ qᵀ K_e q plus what the end stops hold: q (..., 3n) in m -> (...,) in J."""
    (q,) = checked(arm, q=q)
    return np.sum(
        [section_elastic_energy(each, q[..., 3 * i : 3 * i + 3]) for i, each in enumerate(arm.sections)], axis=0
    )


def potential_energy(arm: Arm, q: ArrayLike) -> Floats:
    """P_g + P_e: G + K_e q is its gradient; q (..., 3n) in m -> (...,) in J."""
    return gravitational_energy(arm, q) + elastic_energy(arm, q)
