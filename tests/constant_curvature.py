"""A section's pose without shape functions: constant curvature is the exponential of a constant twist."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import expm

from continuarm.arms.section import Section

Array = NDArray[Any]


def twist(section: Section, q_i: Array) -> Array:
    """X = [k, s z] for muscle lengths q_i (..., 3): (..., 4, 4)."""
    a, b, s = np.moveaxis(q_i @ section.shape_map.T + [0, 0, section.length], -1, 0)
    zero = np.zeros_like(a)
    rows = [[zero, zero, a, zero], [zero, zero, b, zero], [-a, -b, zero, s], [zero] * 4]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def twisted_pose(section: Section, q_i: Array, xi: ArrayLike) -> Array:
    """exp(ξX), joint left out: q_i (..., 3) and ξ, broadcast, -> (..., 4, 4)."""
    return expm(np.asarray(xi)[..., None, None] * twist(section, q_i))


def mean_twisted_pose(section: Section, q_i: Array) -> Array:
    """∫ exp(ξX) dξ, which is the upper right block of exp [[X, I], [0, 0]], for q_i (3,): (4, 4)."""
    return expm(np.block([[twist(section, q_i), np.eye(4)], [np.zeros((4, 8))]]))[:4, 4:]
