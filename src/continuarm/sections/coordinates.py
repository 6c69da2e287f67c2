"""Muscle lengths q_i = (l1, l2, l3) of a section and its shape x = (a, b, s): each is linear in the other."""

from __future__ import annotations

from continuarm.arms.section import Section
from continuarm.sections.spatial import Array, times, transpose, vector


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
