"""Kinetic and potential energy of the arm."""

from __future__ import annotations

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.arms.section import Section
from continuarm.dynamics.chain import links, parts, rate_of, shape_of
from continuarm.sections.inertia import Body
from continuarm.sections.kinematics import Shape, Tip, centre_of_gravity, shape, tip
from continuarm.sections.spatial import Array, dot, motion_at_tip, times, transpose, vector
from continuarm.sections.springs import elastic_energy as spring_energy
from continuarm.sections.springs import stop


def kinetic_energy(arm: Arm, q: Array, qd: Array) -> Array:
    """½ q̇ᵀ M q̇ in O(n), section by section from its own 9x9 inertia, payload included.

    q, qd: (..., 3n) in m, m/s; returns (...,) in J.
    """
    chain, load = links(arm, q, qd)
    motion, total = np.zeros(6), np.zeros(q.shape[:-1])
    for here, (section, qdi) in zip(chain, parts(arm, qd), strict=True):
        energy, motion = energy_passed(section, here.body, here.tip, qdi, motion)
        total = total + energy
    return total + carried_energy(load.inertia, motion)


def energy_passed(section: Section, body: Body, end: Tip, qd: Array, motion: Array) -> tuple[Array, Array]:
    """One section outward: its kinetic energy (...,), and the motion (ω, v) of the next base (..., 6)."""
    xd = rate_of(section, qd)
    momentum = times(body.base, motion) + 2 * times(body.coupling, xd)
    energy = ((motion * momentum).sum(axis=-1) + (xd * times(body.own, xd)).sum(axis=-1)) / 2
    return energy, motion_at_tip(motion + times(end.subspace, xd), end.rotation, end.position)


def carried_energy(inertia: Array, motion: Array) -> Array:
    """½ Vᵀ I V: (...,), J."""
    return (motion * times(inertia, motion)).sum(axis=-1) / 2


def gravitational_energy(arm: Arm, q: Array) -> Array:
    """P_g = -Σ m gᵀ p̄, the same for every inertia model: q (..., 3n) in m -> (...,) in J; zero at the base's origin."""
    gravity, height = arm.base_gravity, np.zeros(q.shape[:-1])
    total = height
    for section, qi in parts(arm, q):
        here = shape(shape_of(section, qi))
        energy, gravity, height = fallen(section, here, tip(section, here), gravity, height)
        total = total + energy
    mass, offset = arm.point_mass
    return total + held_up(mass, offset, gravity, height)


def fallen(section: Section, here: Shape, end: Tip, gravity: Array, height: Array) -> tuple[Array, Array, Array]:
    """One section outward: its energy -m gᵀ p̄ (...,), and g (..., 3) and gᵀ p (...,) at the next base, in its frame."""
    energy = -section.mass * (height + dot(gravity, centre_of_gravity(here)))
    return energy, times(transpose(end.rotation), gravity), height + dot(gravity, end.position)


def held_up(mass: Array, offset: Array, gravity: Array, height: Array) -> Array:
    """-m gᵀ p of a point mass at the last tip: (...,), J."""
    return -mass * (height + dot(gravity, vector(*offset)))


def elastic_energy(arm: Arm, q: Array) -> Array:
    """½ qᵀ K_e q plus what the end stops hold: q (..., 3n) in m -> (...,) in J."""
    total = np.zeros(q.shape[:-1])
    for section, qi in parts(arm, q):
        total = total + spring_energy(section, qi)
        for muscle, limits, stiffness in section.stops:
            total = total + stop(muscle, limits, stiffness, qi)[1]
    return total
