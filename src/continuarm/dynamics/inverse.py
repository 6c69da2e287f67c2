"""Forces from accelerations in O(n): one pass outward for accelerations, one inward for forces."""

from __future__ import annotations

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.arms.section import Section
from continuarm.dynamics.chain import Link, base_acceleration, links, muscle_force_of, parts, rate_of
from continuarm.sections.kinematics import Tip
from continuarm.sections.spatial import Array, motion_at_tip, times, transpose, wrench_at_base
from continuarm.sections.springs import damping, elastic, stop


def inverse_dynamics(arm: Arm, q: Array, qd: Array, qdd: Array) -> Array:
    """The muscle forces τ = M q̈ + C q̇ + D q̇ + G + K_e q that give an acceleration.

    q, qd, qdd: (..., 3n) in m, m/s, m/s²; returns (..., 3n) in N, positive extends. At rest it is G + K_e q.
    """
    moved = motion_forces(arm, q, qd, qdd, arm.base_gravity)
    return moved + elastic_forces(arm, q) + damping_forces(arm, qd)


def bias_forces(arm: Arm, q: Array, qd: Array) -> Array:
    """Everything but M q̈ in the equation of motion: C q̇ + D q̇ + G + K_e q, i.e. the τ that gives q̈ = 0.

    q, qd: (..., 3n) in m, m/s; returns (..., 3n) in N.
    """
    return inverse_dynamics(arm, q, qd, np.zeros(3 * arm.n))


def gravity_forces(arm: Arm, q: Array) -> Array:
    """G = ∂P_g/∂q with P_g = -Σ m gᵀ p̄ (eq. Gi_c): q (..., 3n) in m -> (..., 3n) in N."""
    still = np.zeros(3 * arm.n)
    return motion_forces(arm, q, still, still, arm.base_gravity)


def elastic_forces(arm: Arm, q: Array) -> Array:
    """K_e q and the end stops (eq. Ge): q (..., 3n) in m -> (..., 3n) in N."""
    forces = []
    for section, qi in parts(arm, q):
        force = elastic(section, qi)
        for muscle, limits, stiffness in section.stops:
            force = force + stop(muscle, limits, stiffness, qi)[0]
        forces.append(force)
    return np.concatenate(forces, axis=-1)


def damping_forces(arm: Arm, qd: Array) -> Array:
    """D q̇: qd (..., 3n) in m/s -> (..., 3n) in N."""
    return np.concatenate([damping(section, qdi) for section, qdi in parts(arm, qd)], axis=-1)


def motion_forces(arm: Arm, q: Array, qd: Array, qdd: Array, gravity: Array) -> Array:
    """M q̈ + C q̇ + G: (..., 3n)."""
    chain, load = links(arm, q, qd)
    acceleration, demands = base_acceleration(gravity), []
    for here, (section, qddi) in zip(chain, parts(arm, qdd), strict=True):
        xdd = rate_of(section, qddi)
        demands.append(demand(here, acceleration, xdd))
        acceleration = onward_acceleration(here.tip, here.velocity_product, acceleration, xdd)
    wrench, forces = times(load.inertia, acceleration) + load.bias, []
    for here, section, (base, own) in zip(reversed(chain), reversed(arm.sections), reversed(demands), strict=True):
        force, wrench = carried(section, here.tip, base, own, wrench)
        forces.append(force)
    return np.concatenate(forces[::-1], axis=-1)


def demand(here: Link, acceleration: Array, xdd: Array) -> tuple[Array, Array]:
    """𝓜 (ω̇, a, ẍ) + bias of one section: wrench at its base (..., 6) and force over x (..., 3)."""
    body = here.body
    return (
        times(body.base, acceleration) + times(body.coupling, xdd) + body.base_bias,
        times(transpose(body.coupling), acceleration) + times(body.own, xdd) + body.own_bias,
    )


def onward_acceleration(end: Tip, velocity_product: Array, acceleration: Array, xdd: Array) -> Array:
    """X (V̇ + Ŝ ẍ + b̂): acceleration of the next base, in its own frame, (..., 6)."""
    return motion_at_tip(acceleration + times(end.subspace, xdd) + velocity_product, end.rotation, end.position)


def carried(section: Section, end: Tip, base: Array, own: Array, wrench: Array) -> tuple[Array, Array]:
    """One section inward: its muscle forces (..., 3), and the wrench at its base (..., 6) for that at its tip."""
    at_base = wrench_at_base(wrench, end.rotation, end.position)
    return muscle_force_of(section, own + times(transpose(end.subspace), at_base)), base + at_base
