"""The outward pass that the recursions share: from muscle lengths to how every section sits and moves."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.arms.section import Section
from continuarm.sections.inertia import Body, body
from continuarm.sections.kinematics import Shape, Tip, shape, shape_rate, tip, tip_rate, tip_velocity_product
from continuarm.sections.spatial import Array, block, cross, joined, skew, symmetric, times, transpose, vector


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


def shape_of(section: Section, q: Array) -> Array:
    """x_i = B q_i + (0, 0, L): (..., 3)."""
    return times(section.shape_map, q) + vector(0.0, 0.0, section.length)


def rate_of(section: Section, qd: Array) -> Array:
    """ẋ_i = B q̇_i, and likewise ẍ_i: (..., 3)."""
    return times(section.shape_map, qd)


def length_rate_of(section: Section, xd: Array) -> Array:
    """Back from ẋ_i or ẍ_i to q̇_i or q̈_i: (..., 3)."""
    return times(section.length_map, xd)


def force_of(section: Section, tau: Array) -> Array:
    """The force over x_i of muscle forces τ_i, B⁻ᵀ τ_i: (..., 3)."""
    return times(transpose(section.length_map), tau)


def muscle_force_of(section: Section, force: Array) -> Array:
    """Back from a force over x_i to muscle forces, Bᵀ (force): (..., 3)."""
    return times(transpose(section.shape_map), force)


def parts(arm: Arm, *vectors: Array) -> list[Any]:
    """Section by section: the section and its part (..., 3) of each vector (..., 3n)."""
    return [
        (section, *(vector[..., 3 * i : 3 * i + 3] for vector in vectors)) for i, section in enumerate(arm.sections)
    ]


def passed(section: Section, q: Array, qd: Array, omega: Array) -> tuple[Passage, Array]:
    """One section outward: its passage, and the angular velocity of the next base in its own frame."""
    here = shape(shape_of(section, q))
    end = tip(section, here)
    return Passage(here, end, omega), times(transpose(end.rotation), tip_rate(end, rate_of(section, qd), omega))


def moving(section: Section, model: object, passage: Passage, qd: Array) -> Link:
    """What a section's motion asks for, once it is known how its base turns."""
    here, end, omega = passage
    xd = rate_of(section, qd)
    rate = shape_rate(here, xd)
    product = tip_velocity_product(here, rate, end, xd, omega)
    return Link(body(section, model, here, rate, omega), end, product)


def links(arm: Arm, q: Array, qd: Array) -> tuple[list[Link], Load]:
    """All sections outward from the fixed base, and what the last tip carries."""
    chain, omega = [], np.zeros(3)
    for section, qi, qdi in parts(arm, q, qd):
        passage, omega = passed(section, qi, qdi, omega)
        chain.append(moving(section, arm.inertia, passage, qdi))
    return chain, payload(*arm.point_mass, omega)


def payload(mass: Array, offset: Array, omega: Array) -> Load:
    """A point mass at c: force m (a + ω̇×c + ω×(ω×c)), moment c × force."""
    c = vector(*offset)
    moment = mass * skew(c)
    inertia = symmetric(block([[-moment @ skew(c), moment], [-moment, mass * np.eye(3)]]))
    force = mass * cross(omega, cross(omega, c))
    return Load(inertia, joined(cross(c, force), force))


def base_acceleration(gravity: Array) -> Array:
    """Gravity as a base that accelerates by -g: (6,)."""
    return joined(np.zeros(3), -gravity)
