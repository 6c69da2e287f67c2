"""Accelerations from forces in O(n): the articulated-body recursion, three short passes over the sections."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from continuarm.arm import Arm, Section
from continuarm.chain import Link, Load, base_acceleration, force_of, length_rate_of, links, parts
from continuarm.engine import quantity
from continuarm.inverse_dynamics import damping_forces, elastic_forces, onward_acceleration
from continuarm.section_kinematics import Tip
from continuarm.spatial import Array, inertia_at_base, solved, symmetric, times, transpose, wrench_at_base


class Response(NamedTuple):
    """How a section answers: ẍ = free - held · (acceleration of its base)."""

    free: Array
    held: Array


@quantity
def forward_dynamics(arm: Arm, q: Array, qd: Array, tau: Array) -> Array:
    """The accelerations q̈ = M⁻¹ (τ - C q̇ - D q̇ - G - K_e q), in O(n) without forming M.

    q, qd, tau: (..., 3n) in m, m/s, N; returns (..., 3n) in m/s². With τ = G + K_e q at rest it is zero.
    """
    chain, load = links(arm, q, qd)
    forces = tau - elastic_forces.reference(arm, q) - damping_forces.reference(arm, qd)
    responses = []
    for here, (section, force) in zip(reversed(chain), reversed(parts(arm, forces)), strict=True):
        load, response = absorbed(here, load, force_of(section, force))
        responses.append(response)
    acceleration, qdds = base_acceleration(arm.base_gravity), []
    for here, response, section in zip(chain, reversed(responses), arm.sections, strict=True):
        qdd, acceleration = responded(section, here.tip, here.velocity_product, response, acceleration)
        qdds.append(qdd)
    return np.concatenate(qdds, axis=-1)


def absorbed(here: Link, load: Load, force: Array) -> tuple[Load, Response]:
    """One section inward: takes the load of its tip, eliminates its own ẍ, and is the load of the section before."""
    body, end = here.body, here.tip
    carried = inertia_at_base(load.inertia, end.rotation, end.position)
    resisted = wrench_at_base(load.bias, end.rotation, end.position) + times(carried, here.velocity_product)
    pushed = carried @ end.subspace

    base = body.base + carried
    coupling = body.coupling + pushed
    own = body.own + transpose(end.subspace) @ pushed
    base_bias = body.base_bias + resisted
    own_bias = body.own_bias + times(transpose(end.subspace), resisted)

    held = solved(own, transpose(coupling))
    free = solved(own, (force - own_bias)[..., None])[..., 0]
    return (
        Load(symmetric(base - coupling @ held), base_bias + times(coupling, free)),
        Response(free, held),
    )


def responded(
    section: Section, end: Tip, velocity_product: Array, response: Response, acceleration: Array
) -> tuple[Array, Array]:
    """One section outward again: its q̈ (..., 3), and the acceleration of the next base (..., 6)."""
    xdd = response.free - times(response.held, acceleration)
    return length_rate_of(section, xdd), onward_acceleration(end, velocity_product, acceleration, xdd)
