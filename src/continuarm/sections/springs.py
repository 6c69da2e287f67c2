"""One section's own forces, over its muscle lengths q_i: springs, dampers and end stops."""

from __future__ import annotations

import numpy as np

from continuarm.arms.section import Section
from continuarm.sections.spatial import Array, is_positive, positive_part, scaled, times


def elastic(section: Section, q: Array) -> Array:
    """K_e q_i: (..., 3), N (eq. Ge)."""
    return times(section.stiffness_matrix, q)


def damping(section: Section, qd: Array) -> Array:
    """D q̇_i: (..., 3), N."""
    return times(section.damping_matrix, qd)


def impedance(section: Section, step: Array) -> Array:
    """h D + h² K_e over q_i: (3, 3), kg; what springs and dampers add to the inertia in an implicit step h."""
    return step * (section.damping_matrix + step * section.stiffness_matrix)


def elastic_energy(section: Section, q: Array) -> Array:
    """½ q_iᵀ K_e q_i: (...,), J."""
    return (q * times(section.stiffness_matrix, q)).sum(axis=-1) / 2


def overrun(muscle: Array, limits: Array, q: Array) -> Array:
    """How far a muscle, one row of the muscle map, is beyond its range, negative below it: (...,), m; 0 inside."""
    length = muscle[0] * q[..., 0] + muscle[1] * q[..., 1] + muscle[2] * q[..., 2]
    return positive_part(length - limits[1]) - positive_part(limits[0] - length)


def stop(muscle: Array, limits: Array, stiffness: Array, q: Array) -> tuple[Array, Array]:
    """The force over q_i (..., 3), N, and the energy (...,), J, of a muscle pressed into its stop."""
    beyond = overrun(muscle, limits, q)
    force = stiffness * beyond
    return scaled(force, muscle), force * beyond / 2


def stop_impedance(muscle: Array, limits: Array, stiffness: Array, step: Array, q: Array) -> Array:
    """h² k over q_i of a muscle that is in its stop, else zero: (..., 3, 3), kg."""
    length = muscle[0] * q[..., 0] + muscle[1] * q[..., 1] + muscle[2] * q[..., 2]
    pressed = is_positive(length - limits[1]) + is_positive(limits[0] - length)
    return np.asarray(step * step * stiffness * pressed)[..., None, None] * (muscle[:, None] * muscle)
