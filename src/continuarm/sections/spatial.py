"""Small vectors and matrices with leading batch axes: 3-vectors, rotations, 6-vectors (angular part first).

Written with + - × ÷ on components and `@` only, so that the same code runs on floats, complex numbers and recording
scalars.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = Any
"""(..., shape): numbers, or scalars that record what is done to them."""


def vector(*components: Array) -> Array:
    """(...,) each -> (..., k)."""
    return np.stack(np.broadcast_arrays(*components), axis=-1)


def matrix(rows: list[list[Array]]) -> Array:
    """(...,) each -> (..., rows, columns)."""
    height, width = len(rows), len(rows[0])
    entries = vector(*(entry for row in rows for entry in row))
    return entries.reshape(*entries.shape[:-1], height, width)


def components(v: Array) -> tuple[Array, ...]:
    """(..., k) -> k of (...,)."""
    return tuple(v[..., i] for i in range(v.shape[-1]))


def transpose(m: Array) -> Array:
    """Over the last two axes."""
    return np.swapaxes(m, -1, -2)


def times(m: Array, v: Array) -> Array:
    """(..., r, c) and (..., c) -> (..., r)."""
    if m.ndim == 2 and v.ndim > 1 and m.dtype == v.dtype == float:  # one matrix for a batch: one product, not many
        return v @ m.T
    return (m @ v[..., None])[..., 0]


def scaled(scalar: Array, v: Array) -> Array:
    """(...,) and (..., k) -> (..., k)."""
    return np.asarray(scalar)[..., None] * v


def dot(u: Array, v: Array) -> Array:
    """(..., 3) and (..., 3) -> (...,)."""
    return u[..., 0] * v[..., 0] + u[..., 1] * v[..., 1] + u[..., 2] * v[..., 2]


def positive_part(a: Array) -> Array:
    """max(a, 0), by the real part for a complex number."""
    if isinstance(a, (float, complex, np.ndarray, np.generic)) and np.asarray(a).dtype != object:
        return np.where(np.real(a) > 0, a, 0.0)
    number = np.asarray(a).item()
    return max(number, 0.0) if isinstance(number, (int, float)) else number.positive_part()


def is_positive(a: Array) -> Array:
    """1 where a > 0, else 0: the slope of positive_part."""
    if isinstance(a, (float, complex, np.ndarray, np.generic)) and np.asarray(a).dtype != object:
        return np.where(np.real(a) > 0, 1.0, 0.0)
    number = np.asarray(a).item()
    return float(number > 0) if isinstance(number, (int, float)) else number.is_positive()


def magnitude(a: Array) -> Array:
    """|a|, by the real part for a complex number."""
    return positive_part(a) + positive_part(-a)


def cross(u: Array, v: Array) -> Array:
    """(..., 3) and (..., 3) -> (..., 3)."""
    u1, u2, u3 = components(u)
    v1, v2, v3 = components(v)
    return vector(u2 * v3 - u3 * v2, u3 * v1 - u1 * v3, u1 * v2 - u2 * v1)


def skew(v: Array) -> Array:
    """[v]×: (..., 3) -> (..., 3, 3)."""
    x, y, z = components(v)
    return matrix([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def spatial_vector(top: Array, bottom: Array) -> Array:
    """(..., 3) and (..., 3) -> (..., 6)."""
    return vector(*components(top), *components(bottom))


def block(rows: list[list[Array]]) -> Array:
    """Matrices over the last two axes put together, batch axes broadcast."""
    return np.concatenate([np.concatenate(_aligned(row), axis=-1) for row in _aligned_rows(rows)], axis=-2)


def _aligned(matrices: list[Array]) -> list[Array]:
    batch = np.broadcast_shapes(*(m.shape[:-2] for m in matrices))
    return [np.broadcast_to(m, batch + m.shape[-2:]) for m in matrices]


def _aligned_rows(rows: list[list[Array]]) -> list[list[Array]]:
    batch = np.broadcast_shapes(*(m.shape[:-2] for row in rows for m in row))
    return [[np.broadcast_to(m, batch + m.shape[-2:]) for m in row] for row in rows]


def symmetric(m: Array) -> Array:
    """The upper triangle mirrored, so that rounding cannot break the symmetry of an inertia."""
    size = m.shape[-1]
    return matrix([[m[..., min(i, j), max(i, j)] for j in range(size)] for i in range(size)])


def rotation_about_z(cosine: Array, sine: Array) -> Array:
    """(..., 3, 3)."""
    return matrix([[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 1.0]])


def pose(rotation: Array, position: Array) -> Array:
    """(..., 3, 3) and (..., 3) -> (..., 4, 4)."""
    top = block([[rotation, position[..., None]]])
    return block([[top], [np.array([[0.0, 0.0, 0.0, 1.0]])]])


def inertia_at_base(inertia: Array, rotation: Array, position: Array) -> Array:
    """Xᵀ I X: a 6x6 inertia given at a tip, seen from the base; X = [[Rᵀ, 0], [-Rᵀ [p]×, Rᵀ]]."""
    turn = transpose(rotation)
    angular = rotation @ inertia[..., :3, :3] @ turn
    coupling = rotation @ inertia[..., :3, 3:] @ turn
    linear = symmetric(rotation @ inertia[..., 3:, 3:] @ turn)
    p = skew(position)
    moved = coupling + p @ linear
    return block([[symmetric(angular - coupling @ p + p @ transpose(moved)), moved], [transpose(moved), linear]])


def wrench_at_base(wrench: Array, rotation: Array, position: Array) -> Array:
    """Xᵀ f: moment and force given at a tip, seen from the base; (..., 6)."""
    force = times(rotation, wrench[..., 3:])
    return spatial_vector(times(rotation, wrench[..., :3]) + cross(position, force), force)


def motion_at_tip(motion: Array, rotation: Array, position: Array) -> Array:
    """X V: angular and linear motion of a body given at the base, seen from the tip; (..., 6)."""
    angular, linear = motion[..., :3], motion[..., 3:]
    turned = transpose(rotation)
    return spatial_vector(times(turned, angular), times(turned, linear + cross(angular, position)))


def solved(m: Array, right: Array) -> Array:
    """m⁻¹ right for symmetric positive definite (..., 3, 3) and (..., 3, k), by m = L D Lᵀ."""
    d1 = m[..., 0, 0]
    l21, l31 = m[..., 0, 1] / d1, m[..., 0, 2] / d1
    d2 = m[..., 1, 1] - l21 * m[..., 0, 1]
    e = m[..., 1, 2] - l21 * m[..., 0, 2]
    l32 = e / d2
    d3 = m[..., 2, 2] - l31 * m[..., 0, 2] - l32 * e
    r1, r2, r3 = (right[..., i, :] for i in range(3))
    r2 = r2 - scaled(l21, r1)
    r3 = r3 - scaled(l31, r1) - scaled(l32, r2)
    x3 = scaled(1 / d3, r3)
    x2 = scaled(1 / d2, r2) - scaled(l32, x3)
    x1 = scaled(1 / d1, r1) - scaled(l21, x2) - scaled(l31, x3)
    return np.stack([x1, x2, x3], axis=-2)
