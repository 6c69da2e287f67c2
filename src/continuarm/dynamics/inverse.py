"""Forces from accelerations in O(n): one pass outward for accelerations, one inward for forces."""

from __future__ import annotations

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.arms.section import Section
from continuarm.dynamics.chain import (
    Articulated,
    Passage,
    base_acceleration,
    onward_acceleration,
    passages,
    payload_body,
    section_by_section,
    weigh,
)
from continuarm.sections.coordinates import muscle_force_of, rate_of
from continuarm.sections.spatial import Array, times, transpose, wrench_at_base
from continuarm.sections.springs import damping, elastic, stop_force


def inverse_dynamics(arm: Arm, q: Array, qd: Array, qdd: Array) -> Array:
    """τ = M q̈ + C q̇ + D q̇ + G + K_e q: (..., 3n)."""
    return motion_forces(arm, q, qd, qdd, arm.base_gravity) + elastic_forces(arm, q) + damping_forces(arm, qd)


def bias_forces(arm: Arm, q: Array, qd: Array) -> Array:
    """C q̇ + D q̇ + G + K_e q: (..., 3n)."""
    return inverse_dynamics(arm, q, qd, np.zeros(3 * arm.n))


def gravity_forces(arm: Arm, q: Array) -> Array:
    """G = ∂P_g/∂q: (..., 3n)."""
    still = np.zeros(3 * arm.n)
    return motion_forces(arm, q, still, still, arm.base_gravity)


def elastic_forces(arm: Arm, q: Array) -> Array:
    """K_e q and the end stops: (..., 3n)."""
    forces = []
    for section, qi in section_by_section(arm, q):
        force = elastic(section, qi)
        for stop in section.stops:
            force = force + stop_force(stop, qi)
        forces.append(force)
    return np.concatenate(forces, axis=-1)


def damping_forces(arm: Arm, qd: Array) -> Array:
    """D q̇: (..., 3n)."""
    return np.concatenate([damping(section, qdi) for section, qdi in section_by_section(arm, qd)], axis=-1)


def motion_forces(arm: Arm, q: Array, qd: Array, qdd: Array, gravity: Array) -> Array:
    """M q̈ + C q̇ + G: (..., 3n)."""
    chain, omega = passages(arm, q, qd)
    acceleration, demands = base_acceleration(gravity), []
    for passage, (section, qdi, qddi) in zip(chain, section_by_section(arm, qd, qdd), strict=True):
        at_base, own, acceleration = demand(arm.inertia, section, passage, qdi, qddi, acceleration)
        demands.append((at_base, own))
    wrench, forces = payload_wrench(payload_body(*arm.carried_mass, omega), acceleration), []
    inward = zip(arm.sections, chain, demands, strict=True)
    for section, passage, (at_base, own) in reversed(list(inward)):
        force, wrench = carry(section, passage, at_base, own, wrench)
        forces.append(force)
    return np.concatenate(forces[::-1], axis=-1)


def demand(
    model: object, section: Section, passage: Passage, qd: Array, qdd: Array, acceleration: Array
) -> tuple[Array, Array, Array]:
    """What one section needs: wrench at its base (..., 6), force over x (..., 3); and the next base's acceleration."""
    body, product = weigh(model, section, passage, qd)
    xdd = rate_of(section, qdd)
    return (
        times(body.I, acceleration) + times(body.F, xdd) + body.p,
        times(transpose(body.F), acceleration) + times(body.H, xdd) + body.C,
        onward_acceleration(passage.tip, product, acceleration, xdd),
    )


def payload_wrench(carried: Articulated, acceleration: Array) -> Array:
    """IA V̇ + pA: what the payload asks of the last tip, (..., 6)."""
    return times(carried.IA, acceleration) + carried.pA


def carry(section: Section, passage: Passage, at_base: Array, own: Array, wrench: Array) -> tuple[Array, Array]:
    """One section inward: its muscle forces (..., 3), and the wrench at its base (..., 6) for that at its tip."""
    end = passage.tip
    lifted = wrench_at_base(wrench, end.rotation, end.position)
    return muscle_force_of(section, own + times(transpose(end.subspace), lifted)), at_base + lifted
