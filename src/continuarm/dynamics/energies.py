"""Kinetic and potential energy of the arm."""

from __future__ import annotations

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.arms.section import Section
from continuarm.dynamics.chain import Articulated, Passage, passages, payload_body, section_by_section, weigh
from continuarm.sections.coordinates import rate_of
from continuarm.sections.kinematics import centre_of_gravity
from continuarm.sections.spatial import Array, dot, motion_at_tip, times, transpose, vector
from continuarm.sections.springs import elastic_energy as spring_energy
from continuarm.sections.springs import stop_energy


def kinetic_energy(arm: Arm, q: Array, qd: Array) -> Array:
    """½ q̇ᵀ M q̇ in O(n), section by section from its own 9x9 inertia, payload included: (...,)."""
    still = np.zeros(3 * arm.n)
    chain, omega = passages(arm, q, still)
    motion, total = np.zeros(6), np.zeros(q.shape[:-1])
    for passage, (section, qdi) in zip(chain, section_by_section(arm, qd), strict=True):
        energy, motion = kinetic(arm.inertia, section, passage, qdi, motion)
        total = total + energy
    return total + payload_kinetic(payload_body(*arm.carried_mass, omega), motion)


def kinetic(model: object, section: Section, passage: Passage, qd: Array, motion: Array) -> tuple[Array, Array]:
    """One section outward: its kinetic energy (...,), and the motion (ω, v) of the next base (..., 6)."""
    still = np.zeros(3)
    body, _ = weigh(model, section, passage._replace(omega=still), still)
    xd, end = rate_of(section, qd), passage.tip
    momentum = times(body.I, motion) + 2 * times(body.F, xd)
    energy = ((motion * momentum).sum(axis=-1) + (xd * times(body.H, xd)).sum(axis=-1)) / 2
    return energy, motion_at_tip(motion + times(end.subspace, xd), end.rotation, end.position)


def payload_kinetic(carried: Articulated, motion: Array) -> Array:
    """½ Vᵀ IA V: (...,), J."""
    return (motion * times(carried.IA, motion)).sum(axis=-1) / 2


def gravitational_energy(arm: Arm, q: Array) -> Array:
    """P_g = -Σ m gᵀ p̄: (...,)."""
    gravity, height = arm.base_gravity, np.zeros(q.shape[:-1])
    total = height
    for passage, section in zip(passages(arm, q, np.zeros(3 * arm.n))[0], arm.sections, strict=True):
        energy, gravity, height = fall(section, passage, gravity, height)
        total = total + energy
    return total + payload_fall(*arm.carried_mass, gravity, height)


def fall(section: Section, passage: Passage, gravity: Array, height: Array) -> tuple[Array, Array, Array]:
    """One section outward: its energy -m gᵀ p̄ (...,), and g (..., 3) and gᵀ p (...,) at the next base, in its frame."""
    end = passage.tip
    energy = -section.mass * (height + dot(gravity, centre_of_gravity(passage.shape)))
    return energy, times(transpose(end.rotation), gravity), height + dot(gravity, end.position)


def payload_fall(mass: Array, offset: Array, gravity: Array, height: Array) -> Array:
    """-m gᵀ p of a point mass at the last tip: (...,), J."""
    return -mass * (height + dot(gravity, vector(*offset)))


def elastic_energy(arm: Arm, q: Array) -> Array:
    """½ qᵀ K_e q plus what the end stops hold: (...,)."""
    total = np.zeros(q.shape[:-1])
    for section, qi in section_by_section(arm, q):
        total = total + spring_energy(section, qi)
        for stop in section.stops:
            total = total + stop_energy(stop, qi)
    return total
