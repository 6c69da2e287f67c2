"""The outward pass that the recursions share: from muscle lengths to how every section sits and moves."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.arms.section import Section
from continuarm.sections.coordinates import rate_of, shape_of
from continuarm.sections.inertia import SectionBody, section_body
from continuarm.sections.kinematics import Shape, Tip, shape, shape_rate, tip, tip_rate, tip_velocity_product
from continuarm.sections.spatial import (
    Array,
    block,
    cross,
    motion_at_tip,
    skew,
    spatial_vector,
    symmetric,
    times,
    transpose,
    vector,
)


class Passage(NamedTuple):
    """A section on the way outward: its shape, how its tip sits and moves, and the angular velocity of its base."""

    shape: Shape
    tip: Tip
    omega: Array


class Articulated(NamedTuple):
    """What a tip carries, as Featherstone's articulated body: force on it = IA (acceleration) + pA, in its frame."""

    IA: Array  # (..., 6, 6), inertia
    pA: Array  # (..., 6), force at zero acceleration


def section_by_section(arm: Arm, *vectors: Array) -> list[Any]:
    """The section and its three entries (..., 3) of each vector (..., 3n), from the base to the tip."""
    return [
        (section, *(vector[..., 3 * i : 3 * i + 3] for vector in vectors)) for i, section in enumerate(arm.sections)
    ]


def outward(section: Section, q: Array, qd: Array, omega: Array) -> tuple[Passage, Array]:
    """One section outward: its passage, and the angular velocity of the next base in its own frame."""
    here = shape(shape_of(section, q))
    end = tip(section, here)
    return Passage(here, end, omega), times(transpose(end.rotation), tip_rate(end, rate_of(section, qd), omega))


def weigh(model: object, section: Section, passage: Passage, qd: Array) -> tuple[SectionBody, Array]:
    """A section's body, and the velocity-product acceleration of its tip seen from its base (..., 6)."""
    here, end, omega = passage
    xd = rate_of(section, qd)
    rate = shape_rate(here, xd)
    product = tip_velocity_product(here, rate, end, xd, omega)
    return section_body(section, model, here, rate, omega), product


def passages(arm: Arm, q: Array, qd: Array) -> tuple[list[Passage], Array]:
    """All sections outward from the fixed base, and the angular velocity of the last tip in its own frame."""
    found, omega = [], np.zeros(3)
    for section, qi, qdi in section_by_section(arm, q, qd):
        passage, omega = outward(section, qi, qdi, omega)
        found.append(passage)
    return found, omega


def payload_body(mass: Array, offset: Array, omega: Array) -> Articulated:
    """A point mass at c of the last tip: force m (a + ω̇×c + ω×(ω×c)), moment c × force."""
    c = vector(*offset)
    moment = mass * skew(c)
    inertia = symmetric(block([[-moment @ skew(c), moment], [-moment, mass * np.eye(3)]]))
    force = mass * cross(omega, cross(omega, c))
    return Articulated(inertia, spatial_vector(cross(c, force), force))


def base_acceleration(gravity: Array) -> Array:
    """Gravity as a base that accelerates by -g: (6,)."""
    return spatial_vector(np.zeros(3), -gravity)


def onward_acceleration(end: Tip, product: Array, acceleration: Array, xdd: Array) -> Array:
    """X (V̇ + Ŝ ẍ + b̂): acceleration of the next base, in its own frame, (..., 6)."""
    return motion_at_tip(acceleration + times(end.subspace, xdd) + product, end.rotation, end.position)
