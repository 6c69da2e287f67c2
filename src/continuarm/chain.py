"""The outward pass that the recursions share: from muscle lengths to how every section sits and moves."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from continuarm.arm import Arm, Section
from continuarm.section_inertia import Body, body
from continuarm.section_kinematics import Shape, Tip, shape, shape_rate, tip, tip_rate, tip_velocity_product
from continuarm.spatial import Array, cross, joined, skew, times, transpose, vector


class Passage(NamedTuple):
    """A section on the way outward: its shape, how its tip sits and moves, and the angular velocity of its base."""

    here: Shape
    tip: Tip
    omega: Array


class Link(NamedTuple):
    """One section in motion: its body, its tip, and the acceleration its tip has anyway, seen from its base."""

    body: Body
    tip: Tip
    velocity_product: Array


class Load(NamedTuple):
    """What a tip carries: inertia (..., 6, 6) and force at zero acceleration (..., 6), in the tip's frame."""

    inertia: Array
    bias: Array


def shapes(arm: Arm, q: Array) -> list[Array]:
    """x_i = B q_i + (0, 0, L) of every section: n of (..., 3)."""
    return [
        times(section.shape_map, q[..., 3 * i : 3 * i + 3]) + np.array([0.0, 0.0, section.length])
        for i, section in enumerate(arm.sections)
    ]


def shape_rates(arm: Arm, qd: Array) -> list[Array]:
    """ẋ_i = B q̇_i, and likewise ẍ_i: n of (..., 3)."""
    return [times(section.shape_map, qd[..., 3 * i : 3 * i + 3]) for i, section in enumerate(arm.sections)]


def shape_forces(arm: Arm, tau: Array) -> list[Array]:
    """Generalised forces over x_i, B⁻ᵀ τ_i: n of (..., 3)."""
    return [times(section.length_map.T, tau[..., 3 * i : 3 * i + 3]) for i, section in enumerate(arm.sections)]


def muscle_forces(arm: Arm, forces: list[Array]) -> Array:
    """Back from forces over x_i to τ = Bᵀ (force): (..., 3n)."""
    return np.concatenate(
        [times(section.shape_map.T, force) for section, force in zip(arm.sections, forces, strict=True)], axis=-1
    )


def muscle_rates(arm: Arm, xds: list[Array]) -> Array:
    """Back from ẋ_i or ẍ_i to q̇ or q̈: (..., 3n)."""
    return np.concatenate(
        [times(section.length_map, xd) for section, xd in zip(arm.sections, xds, strict=True)], axis=-1
    )


def passed(section: Section, x: Array, xd: Array, omega: Array) -> tuple[Passage, Array]:
    """One section outward: its passage, and the angular velocity of the next base in its own frame."""
    here = shape(x)
    end = tip(section, here)
    return Passage(here, end, omega), times(transpose(end.rotation), tip_rate(end, xd, omega))


def moving(section: Section, model: object, passage: Passage, xd: Array) -> Link:
    """What a section's motion asks for, once it is known how its base turns."""
    here, end, omega = passage
    rate = shape_rate(here, xd)
    product = tip_velocity_product(here, rate, end, xd, omega)
    return Link(body(section, model, here, rate, omega), end, product)


def links(arm: Arm, q: Array, qd: Array) -> tuple[list[Link], Load]:
    """All sections outward from the fixed base, and what the last tip carries."""
    chain, omega = [], np.zeros(3)
    for section, x, xd in zip(arm.sections, shapes(arm, q), shape_rates(arm, qd), strict=True):
        passage, omega = passed(section, x, xd, omega)
        chain.append(moving(section, arm.inertia, passage, xd))
    return chain, payload(arm, omega)


def payload(arm: Arm, omega: Array) -> Load:
    """A point mass at c: force m (a + ω̇×c + ω×(ω×c)), moment c × force; nothing if there is none."""
    mass, offset = (0.0, (0.0, 0.0, 0.0)) if arm.payload is None else (arm.payload.mass, arm.payload.offset)
    c = vector(*offset)
    arm_of_mass = mass * skew(c)
    inertia = np.block([[-arm_of_mass @ skew(c), arm_of_mass], [-arm_of_mass, mass * np.eye(3)]])
    force = mass * cross(omega, cross(omega, c))
    return Load(inertia, joined(cross(c, force), force))


def base_acceleration(gravity: Array) -> Array:
    """Gravity as a base that accelerates by -g: (6,)."""
    return joined(np.zeros(3), -gravity)
