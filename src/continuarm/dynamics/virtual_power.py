"""The power of all forces in a virtual motion: μᵀ (M q̈ + C q̇ + D q̇ + G + K_e q), in one pass outward.

It is a sum over sections, and what one section hands to the next are three vectors: the angular velocity of the next
base, its acceleration, and its velocity in the virtual motion μ. That makes it the short way to derivatives. By
q̈ = M⁻¹ (τ - ...) the derivatives of λᵀ q̈ are those of -μᵀ (...) at fixed q̈ and μ = M⁻¹ λ: once q̈ and μ are known,
so is everything that the sections hand outward, and the reverse derivatives are one pass inward.
"""

from __future__ import annotations

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.arms.section import Section, Stop
from continuarm.dynamics.chain import (
    base_acceleration,
    onward_acceleration,
    outward,
    payload_body,
    section_by_section,
)
from continuarm.dynamics.implicit import impedance, lean
from continuarm.dynamics.inverse import demand, payload_wrench
from continuarm.sections.coordinates import rate_of
from continuarm.sections.spatial import Array, dot, times
from continuarm.sections.springs import damping, elastic, stop_force


def virtual_power(arm: Arm, q: Array, qd: Array, qdd: Array, mu: Array) -> Array:
    """μᵀ (M q̈ + C q̇ + D q̇ + G + K_e q), end stops with the springs: (...,), W."""
    omega, acceleration, virtual_motion, power = (
        np.zeros(3),
        base_acceleration(arm.base_gravity),
        np.zeros(6),
        np.zeros(()),
    )
    for section, qi, qdi, qddi, mui in section_by_section(arm, q, qd, qdd, mu):
        more, omega, acceleration, virtual_motion = section_virtual_power(
            arm.inertia, section, qi, qdi, qddi, mui, omega, acceleration, virtual_motion
        )
        power = power + more + spring_virtual_power(section, qi, qdi, mui)
        for stop in section.stops:
            power = power + stop_virtual_power(stop, qi, mui)
    return power + payload_virtual_power(*arm.carried_mass, omega, acceleration, virtual_motion)


def section_virtual_power(
    model: object,
    section: Section,
    q: Array,
    qd: Array,
    qdd: Array,
    mu: Array,
    omega: Array,
    acceleration: Array,
    virtual_motion: Array,
) -> tuple[Array, Array, Array, Array]:
    """A section's part, W, of its motion alone; and ω (..., 3), V̇ and virtual velocity (..., 6) of the next base."""
    passage, onward = outward(section, q, qd, omega)
    at_base, own, next_acceleration = demand(model, section, passage, qd, qdd, acceleration)
    end, along = passage.tip, rate_of(section, mu)
    power = (virtual_motion * at_base).sum(axis=-1) + dot(along, own)
    return power, onward, next_acceleration, onward_acceleration(end, np.zeros(6), virtual_motion, along)


# Less work for native code: the base of the first section neither turns nor moves in any virtual motion, and a last
# section without payload hands nothing on.


def base_virtual_power(
    model: object, section: Section, q: Array, qd: Array, qdd: Array, mu: Array, acceleration: Array
) -> tuple[Array, Array, Array, Array]:
    """`section_virtual_power` of the first section."""
    still = np.zeros(3), np.zeros(6)
    return section_virtual_power(model, section, q, qd, qdd, mu, still[0], acceleration, still[1])


def tip_virtual_power(
    model: object,
    section: Section,
    q: Array,
    qd: Array,
    qdd: Array,
    mu: Array,
    omega: Array,
    acceleration: Array,
    virtual_motion: Array,
) -> Array:
    """`section_virtual_power` of the last section: its own part alone."""
    return section_virtual_power(model, section, q, qd, qdd, mu, omega, acceleration, virtual_motion)[0]


def spring_virtual_power(section: Section, springs: Array, dampers: Array, mu: Array) -> Array:
    """μ_iᵀ (K_e l + D l̇) of springs at lengths l and dampers at rates l̇: (...,), W."""
    return dot(mu, elastic(section, springs) + damping(section, dampers))


def stage_virtual_power(
    section: Section, extra: Array, qdd: Array, springs: Array, dampers: Array, mu: Array, step: Array
) -> Array:
    """The same in a stage of an implicit step, where springs and dampers resist acceleration too: (...,), W.

    extra: (..., 3, 3) over q_i, N/m, of end stops and of what leans on q.
    """
    resisted = times(impedance(section, extra, step), qdd)
    return spring_virtual_power(section, springs, dampers, mu) + dot(mu, resisted)


def lean_virtual_power(block: Array, springs: Array, there: Array, mu: Array) -> Array:
    """That of forces that lean on q, beyond what they are at q̂: μ_iᵀ K (l - q̂): (...,), W."""
    return -dot(mu, lean(block, springs, there, np.zeros(3)))


def stop_virtual_power(stop: Stop, q: Array, mu: Array) -> Array:
    """That of a muscle pressed into its stop: (...,), W."""
    return dot(mu, stop_force(stop, q))


def payload_virtual_power(
    mass: Array, offset: Array, omega: Array, acceleration: Array, virtual_motion: Array
) -> Array:
    """That of the payload at the last tip: (...,), W."""
    wrench = payload_wrench(payload_body(mass, offset, omega), acceleration)
    return (virtual_motion * wrench).sum(axis=-1)
