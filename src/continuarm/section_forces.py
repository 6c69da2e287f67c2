"""One section's own forces, over its muscle lengths q_i: springs, dampers and end stops."""

from __future__ import annotations

import numpy as np

from continuarm.arm import Section
from continuarm.spatial import Array, times


def elastic(section: Section, q: Array) -> Array:
    """K_e q_i and, where a muscle is beyond its range, its stop: (..., 3), N (eq. Ge)."""
    force = times(section.stiffness_matrix, q)
    if section.stop_stiffness:
        force = force + section.stop_stiffness * times(section.muscle_map.T, overrun(section, q))
    return force


def damping(section: Section, qd: Array) -> Array:
    """D q̇_i: (..., 3), N."""
    return times(section.damping_matrix, qd)


def overrun(section: Section, q: Array) -> Array:
    """How far each muscle is beyond its range, negative below it: (..., muscles), m; zero inside."""
    if section.length_range is None:
        return np.zeros((*q.shape[:-1], len(section.muscle_map)))
    least, greatest = section.length_range
    length = times(section.muscle_map, q)
    return np.where(length.real > greatest, length - greatest, np.where(length.real < least, length - least, 0.0))


def elastic_energy(section: Section, q: Array) -> Array:
    """½ q_iᵀ K_e q_i plus the energy in the stops: (...,), J."""
    beyond = overrun(section, q)
    spring = (q * times(section.stiffness_matrix, q)).sum(axis=-1)
    return (spring + section.stop_stiffness * (beyond * beyond).sum(axis=-1)) / 2
