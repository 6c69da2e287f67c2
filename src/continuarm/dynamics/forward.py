"""Accelerations from forces in O(n): the articulated-body recursion, three short passes over the sections."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.arms.section import Section
from continuarm.dynamics.chain import Load, base_acceleration, force_of, length_rate_of, links, parts
from continuarm.dynamics.inverse import damping_forces, elastic_forces, onward_acceleration
from continuarm.sections.inertia import Body
from continuarm.sections.kinematics import Tip
from continuarm.sections.spatial import Array, inertia_at_base, solved, symmetric, times, transpose, wrench_at_base


class Response(NamedTuple):
    """How a section answers: ẍ = free - held · (acceleration of its base)."""

    free: Array
    held: Array


def forward_dynamics(arm: Arm, q: Array, qd: Array, tau: Array) -> Array:
    """The accelerations q̈ = M⁻¹ (τ - C q̇ - D q̇ - G - K_e q), in O(n) without forming M.

    q, qd, tau: (..., 3n) in m, m/s, N; returns (..., 3n) in m/s². With τ = G + K_e q at rest it is zero.
    """
    forces = tau - elastic_forces(arm, q) - damping_forces(arm, qd)
    return accelerations(arm, q, qd, forces, [np.zeros((3, 3))] * arm.n)


def accelerations(arm: Arm, q: Array, qd: Array, forces: Array, added: list[Array]) -> Array:
    """q̈ of (M + added) q̈ = forces - C q̇ - G: (..., 3n); `added` has a matrix over q_i (..., 3, 3) for each section."""
    chain, load = links(arm, q, qd)
    responses = []
    inward = zip(reversed(chain), reversed(parts(arm, forces)), reversed(added), strict=True)
    for here, (section, force), extra in inward:
        lift = lifted(here.tip, here.velocity_product, load)
        load, response = absorbed(stiffened(section, here.body, extra), here.tip, lift, force_of(section, force))
        responses.append(response)
    acceleration, qdds = base_acceleration(arm.base_gravity), []
    for here, response, section in zip(chain, reversed(responses), arm.sections, strict=True):
        qdd, acceleration = responded(section, here.tip, here.velocity_product, response, acceleration)
        qdds.append(qdd)
    return np.concatenate(qdds, axis=-1)


def stiffened(section: Section, body: Body, extra: Array) -> Body:
    """A body whose own ẍ is resisted by an extra matrix over q_i as well, B⁻ᵀ (extra) B⁻¹."""
    return body._replace(own=body.own + transpose(section.length_map) @ extra @ section.length_map)


def lifted(end: Tip, velocity_product: Array, load: Load) -> Load:
    """What hangs on a section's tip, seen from its base: inertia, and force when only the velocity product is there."""
    inertia = inertia_at_base(load.inertia, end.rotation, end.position)
    return Load(inertia, wrench_at_base(load.bias, end.rotation, end.position) + times(inertia, velocity_product))


def absorbed(body: Body, end: Tip, lift: Load, force: Array) -> tuple[Load, Response]:
    """One section inward: takes what hangs on its tip, eliminates its own ẍ, and is the load of the section before."""
    pushed = lift.inertia @ end.subspace
    coupling = body.coupling + pushed
    own = body.own + transpose(end.subspace) @ pushed
    own_bias = body.own_bias + times(transpose(end.subspace), lift.bias)

    held = solved(own, transpose(coupling))
    free = solved(own, (force - own_bias)[..., None])[..., 0]
    return (
        Load(
            symmetric(body.base + lift.inertia - coupling @ held),
            body.base_bias + lift.bias + times(coupling, free),
        ),
        Response(free, held),
    )


def responded(
    section: Section, end: Tip, velocity_product: Array, response: Response, acceleration: Array
) -> tuple[Array, Array]:
    """One section outward again: its q̈ (..., 3), and the acceleration of the next base (..., 6)."""
    xdd = response.free - times(response.held, acceleration)
    return length_rate_of(section, xdd), onward_acceleration(end, velocity_product, acceleration, xdd)
