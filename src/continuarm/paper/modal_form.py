"""The paper's truncated modal form of a section's pose, for comparison only.

The paper replaces every entry of T(ξ) (eq. 1 HTM_section) by its multivariate Taylor polynomial in the joint variables
about q_i = 0, cut at a total degree (13 and 15 are the degrees it names). In the bending vector (a, b), linear in q_i,
and the lengths s = L + e, e = (l1 + l2 + l3) / 3, every entry is a monomial times a series in y = a² + b²:

    R(ξ) = [[1 - a² g2, -a b g2, a g1], [-a b g2, 1 - b² g2, b g1], [-a g1, -b g1, g0]]
    p(ξ) = (L + e) (a g2, b g2, g1)              g_k = ξᵏ c_k(ξ² y) = ξᵏ Σ_j (-ξ² y)ʲ / (k + 2j)!

so a cut at degree N keeps the terms yʲ with 2j + (degree of the monomial) <= N. The library itself truncates nothing.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from continuarm.arms.section import Section
from continuarm.common.number_checks import whole_number
from continuarm.sections.entire_functions import taylor

__all__ = ["ModalError", "modal_error", "modal_pose", "pose_by_angles"]

Array = NDArray[np.float64]


class ModalError(NamedTuple):
    """The largest error of any entry of the truncated pose, each of the shape of φ."""

    position: Array  # relative to the arc length s
    rotation: Array


def modal_pose(section: Section, q_i: ArrayLike, xi: ArrayLike = 1.0, order: int = 15) -> Array:
    """T(ξ) of a section, joint left out, as polynomials of total degree `order` in q_i.

    q_i: (..., 3), m; xi: broadcast against (...) -> (..., 4, 4), position in m. Exact as the order grows, at any bend.
    """
    q_i = np.asarray(q_i, dtype=float)
    if q_i.shape[-1:] != (3,):
        raise ValueError(f"q_i has shape {q_i.shape}: must be (..., 3)")
    a, b, e = np.moveaxis(q_i @ section.shape_map.T, -1, 0)
    return _truncated_pose(a, b, e, section.length, np.asarray(xi, dtype=float), whole_number("order", order, 1))


def modal_error(order: int, phi: ArrayLike, xi: float = 1.0) -> ModalError:
    """Errors of the truncated pose of a section bent by φ in the plane b = 0, at its unactuated length (s = L).

    phi: any shape, rad. No other bending direction has a larger error; with e ≠ 0 the cut in p falls elsewhere.
    """
    phi = np.asarray(phi, dtype=float)
    zero = np.zeros_like(phi)
    truncated = _truncated_pose(phi, zero, zero, 1.0, np.asarray(xi, dtype=float), whole_number("order", order, 1))
    error = np.abs(truncated[..., :3, :] - pose_by_angles(phi, xi))
    return ModalError(error[..., 3].max(axis=-1), error[..., :3].max(axis=(-2, -1)))


def pose_by_angles(phi: ArrayLike, xi: float = 1.0) -> Array:
    """R(ξ) and p(ξ)/s of a section bent by φ in the plane b = 0, in sines and cosines: φ of any shape, (..., 3, 4)."""
    angle = xi * np.asarray(phi, dtype=float)
    cos, sin, zero, one = np.cos(angle), np.sin(angle), np.zeros_like(angle), np.ones_like(angle)
    # sin(ξφ)/φ and (1 - cos ξφ)/φ with φ = 0 allowed; np.sinc(t) is sin(πt)/(πt)
    along, across = xi * np.sinc(angle / np.pi), xi * np.sin(angle / 2) * np.sinc(angle / (2 * np.pi))
    return _matrix([[cos, zero, sin, across], [zero, one, zero, zero], [-sin, zero, cos, along]])


def _truncated_pose(a: Array, b: Array, e: Array, length: float, xi: Array, order: int) -> Array:
    y = a * a + b * b

    def g(k: int, factor: int) -> Any:
        """g_k as far as it may go beside a monomial of degree `factor`."""
        terms = (order - factor) // 2 + 1
        return xi**k * taylor(k, xi * xi * y, terms) if terms > 0 else 0 * xi * y

    g2, g1, g0 = g(2, factor=2), g(1, factor=1), g(0, factor=0)
    # L a g2 and e a g2 differ by one degree, and so may end at different powers of y
    bow = length * g(2, factor=1) + e * g(2, factor=2)
    rise = length * g(1, factor=0) + e * g(1, factor=1)
    return _matrix(
        [
            [1 - a * a * g2, -a * b * g2, a * g1, a * bow],
            [-a * b * g2, 1 - b * b * g2, b * g1, b * bow],
            [-a * g1, -b * g1, g0, rise],
            [0 * g0, 0 * g0, 0 * g0, 1 + 0 * g0],
        ]
    )


def _matrix(rows: list[list[Array]]) -> Array:
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
