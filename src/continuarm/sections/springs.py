"""One section's own forces, over its muscle lengths q_i: springs, dampers and end stops."""

from __future__ import annotations

import numpy as np

from continuarm.arms.section import Section, Stop
from continuarm.sections.spatial import Array, is_positive, positive_part, scaled, times


def elastic(section: Section, q: Array) -> Array:
    """K_e q_i: (..., 3), N (eq. 30 Ge)."""
    return times(section.stiffness_matrix, q)


def elastic_energy(section: Section, q: Array) -> Array:
    """½ q_iᵀ K_e q_i: (...,), J."""
    return (q * times(section.stiffness_matrix, q)).sum(axis=-1) / 2


def damping(section: Section, qd: Array) -> Array:
    """D q̇_i: (..., 3), N."""
    return times(section.damping_matrix, qd)


def damping_power(section: Section, qd: Array) -> Array:
    """q̇_iᵀ D q̇_i: (...,), W."""
    return (qd * times(section.damping_matrix, qd)).sum(axis=-1)


def overrun(stop: Stop, q: Array) -> Array:
    """How far a muscle is beyond its range, negative below it: (...,), m; 0 inside."""
    length = _length(stop, q)
    return positive_part(length - stop.greatest) - positive_part(stop.least - length)


def stop_force(stop: Stop, q: Array) -> Array:
    """The force over q_i of a muscle pressed into its stop: (..., 3), N."""
    return scaled(stop.stiffness * overrun(stop, q), stop.row)


def stop_energy(stop: Stop, q: Array) -> Array:
    """½ k (overrun)²: (...,), J."""
    beyond = overrun(stop, q)
    return stop.stiffness * beyond * beyond / 2


def stop_stiffness(stop: Stop, q: Array) -> Array:
    """k over q_i of a muscle that is in its stop, else zero: (..., 3, 3), N/m; the slope of stop_force."""
    return spring_over_lengths(stop.stiffness * pressed(stop, q), stop.row)


def pressed(stop: Stop, q: Array) -> Array:
    """1 where a muscle is in its stop, else 0: (...,)."""
    length = _length(stop, q)
    return is_positive(length - stop.greatest) + is_positive(stop.least - length)


def spring_over_lengths(stiffness: Array, row: Array) -> Array:
    """w k wᵀ: a spring along a muscle with the row w of the muscle map, over q_i: (...,) -> (..., 3, 3), N/m."""
    return np.asarray(stiffness)[..., None, None] * (row[:, None] * row)


def _length(stop: Stop, q: Array) -> Array:
    return stop.row[0] * q[..., 0] + stop.row[1] * q[..., 1] + stop.row[2] * q[..., 2]
