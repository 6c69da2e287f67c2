"""One section's shape: x = (a, b, s) -> poses along it, and how its tip moves.

The bending vector n = (a, b, 0) and the arc length s are linear in the muscle lengths; with y = a² + b² = φ² and
g_k(ξ) = ξᵏ c_k(ξ² y) the modal form of the paper (eq. 1 HTM_section, whose last factor must be R_Z(-θ)) is

    p(ξ) = s (g2 n + g1 z)        R(ξ) = exp(ξ [k]×) = 1 + g1 [k]× + g2 [k]×²,    k = z × n = (-b, a, 0)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from continuarm.arms.section import Section
from continuarm.sections.entire_functions import Scalar, slope, stumpff
from continuarm.sections.spatial import (
    Array,
    components,
    cross,
    matrix,
    rotation_about_z,
    scaled,
    spatial_vector,
    times,
    vector,
)


class Shape(NamedTuple):
    """The shape of one section and the functions of y that everything else is made of."""

    a: Scalar
    b: Scalar
    s: Scalar
    y: Scalar
    c: tuple[Scalar, ...]

    @property
    def n(self) -> Array:
        """Bending vector (a, b, 0), rad."""
        return vector(self.a, self.b, 0.0)

    @property
    def k(self) -> Array:
        """Axis of bending times angle, z × n, rad."""
        return vector(-self.b, self.a, 0.0)


class ShapeRate(NamedTuple):
    """The rates ṅ, k̇, ṡ, ẏ = 2 n·ṅ and w = a ḃ - b ȧ of a shape."""

    n: Array
    k: Array
    s: Scalar
    y: Scalar
    w: Scalar
    n_squared: Scalar


class Tip(NamedTuple):
    """How the next section's base sits on and moves with this section, all in this section's base frame.

    `subspace` is Ŝ (6x3): Ŝ ẋ is the velocity, relative to this base, of the tip's body at this base's origin.
    """

    rotation: Array
    position: Array
    subspace: Array


def shape(x: Array) -> Shape:
    """(..., 3) -> Shape of (...,)."""
    a, b, s = components(x)
    y = a * a + b * b
    return Shape(a, b, s, y, stumpff(y))


def shape_rate(here: Shape, xd: Array) -> ShapeRate:
    """ẋ (..., 3) -> ShapeRate."""
    ad, bd, sd = components(xd)
    return ShapeRate(
        n=vector(ad, bd, 0.0),
        k=vector(-bd, ad, 0.0),
        s=sd,
        y=2 * (here.a * ad + here.b * bd),
        w=here.a * bd - here.b * ad,
        n_squared=ad * ad + bd * bd,
    )


def arc(here: Shape, g1: Scalar, g2: Scalar) -> tuple[Array, Array]:
    """Rotation and position for given g1, g2: at ξ with g_k(ξ), averaged over the section with c_2, c_3."""
    a, b, s = here.a, here.b, here.s
    rotation = matrix(
        [
            [1 - a * a * g2, -a * b * g2, a * g1],
            [-a * b * g2, 1 - b * b * g2, b * g1],
            [-a * g1, -b * g1, 1 - here.y * g2],
        ]
    )
    return rotation, vector(s * a * g2, s * b * g2, s * g1)


def arc_at(x: Array, xi: Array) -> tuple[Array, Array]:
    """Rotation (..., 3, 3) and position (..., 3) of the disc at ξ, in the section's base frame (eq. 1 HTM_section)."""
    here = shape(x)
    c = stumpff(xi * xi * here.y)
    return arc(here, xi * c[1], xi * xi * c[2])


def centre_of_gravity(here: Shape) -> Array:
    """p̄ = ∫ p dξ (eq. 9 HTM_c_section): (..., 3), m."""
    return arc(here, here.c[2], here.c[3])[1]


def tip(section: Section, here: Shape) -> Tip:
    """Pose of the next section's base and the motion subspace Ŝ.

    Ŝ ẋ = (g1 k̇ + g2 w z + g3 ẏ k / 2,   ṡ (g2 n + g1 z) + s (g3 ẏ z / 2 - g2 ṅ)), all g at ξ = 1: no derivative of a g
    is left, because g2' + (g2² - g1 g3)/2 = 0 and g1' + g2/2 = g3/2.
    """
    sigma, cosine, sine = section.joint
    _, g1, g2, g3 = here.c[:4]
    a, b, s = here.a, here.b, here.s
    rotation, position = arc(here, g1, g2)
    subspace = matrix(
        [
            [-g3 * a * b, -g1 - g3 * b * b, 0.0],
            [g1 + g3 * a * a, g3 * a * b, 0.0],
            [-g2 * b, g2 * a, 0.0],
            [-s * g2, 0.0, a * g2],
            [0.0, -s * g2, b * g2],
            [s * g3 * a, s * g3 * b, g1],
        ]
    )
    return Tip(
        rotation=rotation @ rotation_about_z(cosine, sine),
        position=position + sigma * rotation[..., :, 2],
        subspace=subspace,
    )


def tip_rate(here: Tip, xd: Array, omega: Array) -> Array:
    """Angular velocity of the tip in this section's base frame, for that of the base: (..., 3), rad/s."""
    return omega + times(here.subspace[..., :3, :], xd)


def tip_velocity_product(here: Shape, rate: ShapeRate, end: Tip, xd: Array, omega: Array) -> Array:
    """The part of the tip's acceleration that is there when ω̇ = 0, a = 0 and ẍ = 0: (..., 6), at this base's origin.

    (u˙ + ω×u,   v̂˙ + (2ω + u)×v̂ + ω'×(ω'×p)) with (u, v̂) = Ŝ ẋ, their rates at ẍ = 0, and ω' = ω + u.
    """
    g3 = here.c[3]
    s, n, z = here.s, here.n, np.array([0.0, 0.0, 1.0])
    g1_slope, g2_slope, g3_slope = (slope(k, here.c) for k in (1, 2, 3))
    relative = times(end.subspace, xd)
    u, v = relative[..., :3], relative[..., 3:]
    bend = g3_slope * rate.y * rate.y / 2 + g3 * rate.n_squared

    u_rate = scaled(rate.y * (g1_slope + g3 / 2), rate.k) + scaled(rate.y * g2_slope * rate.w, z) + scaled(bend, here.k)
    v_rate = scaled(rate.s * rate.y * g2_slope, n) - scaled(s * g2_slope * rate.y, rate.n)
    v_rate = v_rate + scaled(rate.s * rate.y * (g1_slope + g3 / 2) + s * bend, z)
    tip_omega = omega + u
    return spatial_vector(
        u_rate + cross(omega, u),
        v_rate + cross(2 * omega + u, v) + cross(tip_omega, cross(tip_omega, end.position)),
    )
