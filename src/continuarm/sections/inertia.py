"""One section's inertia: a model is twelve functions of y, and they give the 9x9 inertia and the bias.

With (ω, v) the motion of the section's base in its own frame, and n, k, ẏ, w as in kinematics.py, every model
has

    K = m/2 |v|² + m v·(ω×p̄ + p̄˙) + ½ ωᵀ A ω + ω·B + ½ Q

    A = A1 (xxᵀ + yyᵀ) + A2 n nᵀ + A3 z zᵀ + A4 (n zᵀ + z nᵀ)
    B = B1 w z + B2 k̇ + B3 ẏ k + B4 w n
    Q = Q1 ṡ² + Q2 ṡ ẏ + Q3 |ṅ|² + Q4 ẏ²,        Q2 = s dQ1/dy

where each coefficient is m s² (a function of y) + I (a function of y), I = m r²/4, except Q1 = m (...), Q2 = m s (...).

Accelerations are those of points: a = v̇ + ω×v. Then v itself appears in no equation (the laws are the same in a
train), and gravity is a base that accelerates by -g.
"""

from __future__ import annotations

from functools import singledispatch
from typing import NamedTuple

import numpy as np

from continuarm.arms.inertia_models import UNSHAPED, CentreOfGravity, Integral, PointMass
from continuarm.arms.section import Section
from continuarm.sections.entire_functions import Jet, Scalar, jets, slope, stumpff_of_twice_the_angle
from continuarm.sections.kinematics import Shape, ShapeRate, centre_of_gravity
from continuarm.sections.spatial import Array, block, components, cross, dot, matrix, skew, spatial_vector, vector


class Parts(NamedTuple):
    """One coefficient as functions of y: coefficient = m s² linear + I angular (Q1: m linear, Q2: m s linear)."""

    linear: Jet | float
    angular: Jet | float


class Coefficients(NamedTuple):
    """The twelve functions that make an inertia model."""

    A1: Parts
    A2: Parts
    A3: Parts
    A4: Parts
    B1: Parts
    B2: Parts
    B3: Parts
    B4: Parts
    Q1: Parts
    Q2: Parts
    Q3: Parts
    Q4: Parts


@singledispatch
def coefficients(model: object, here: Shape) -> Coefficients:
    """The coefficient functions of an inertia model at a shape."""
    raise TypeError(f"{model!r} is not an inertia model: must be Integral, CentreOfGravity or PointMass")


@coefficients.register
def _integral(model: Integral, here: Shape) -> Coefficients:
    """Thin discs all along the section (eqs. 17 Kwi, 19 Kvi), integrated in closed form: c_k at y and, as d_k, at 4y.

    ∫g2² = 8 d5 - 2 c5,  ∫g1 g2 = 4 d4 - c4,  ∫g1² = 2 d3,  y ∫g2² = 2 c3 - 2 d3,  ∫g0² = (1 + d1)/2,
    ∫(g1 g2' - g2 g1') = 8 d6 - c5/2,  ∫(g2 g2' + y g2'² + g1'²) = 8 d7 - c6/2 + c7/2,
    and for rotation ∫(y g3² + 2 g1 g3)/4 - ∫g2²/2 = c5 - 2 d5.
    """
    c = jets(here.c)
    d = jets(stumpff_of_twice_the_angle(here.y, here.c), scale=4)
    p12 = 4 * d[4] - c[4]
    p22 = 8 * d[5] - 2 * c[5]
    y_p22 = 2 * (c[3] - d[3])
    return Coefficients(
        A1=Parts(2 * c[3], 1.0),
        A2=Parts(-p22, 2 * d[3]),
        A3=Parts(y_p22, 1.5 + d[1] / 2),
        A4=Parts(-p12, d[2]),
        B1=Parts(p22, y_p22),
        B2=Parts(p12, c[2]),
        B3=Parts(8 * d[6] - c[5] / 2, c[4] / 2),
        B4=Parts(0.0, -p12),
        Q1=Parts(2 * c[3], 0.0),
        Q2=Parts(slope(3, c, 2), 0.0),
        Q3=Parts(p22, 4 * c[3] - 2 * d[3]),
        Q4=Parts(8 * d[7] + (c[7] - c[6]) / 2, c[5] - 2 * d[5]),
    )


@coefficients.register
def _centre_of_gravity(model: CentreOfGravity, here: Shape) -> Coefficients:
    """One disc at the centre of gravity (eqs. 18 Kwi_c, 20 Kvi_c as printed), shaped by β (eqs. 21 dKw_i, 22 dKv_i).

    F1 = ∫g2 = c3 and F2 = ∫g1 = c2: p̄ = s (F1 n + F2 z) and R̄ = 1 + F2 [k]× + F1 [k]×².
    """
    c = jets(here.c)
    y = Jet(here.y, 1.0)
    v1, v2, v3 = model.beta_linear
    o1, o2, o3 = model.beta_angular
    F1, F1_slope = c[3], slope(3, c)
    F2, F2_slope = c[2], slope(2, c)
    F11, F12 = F1 * F1, F1 * F2
    N = y * F11 + F2 * F2
    N_slope = F11 + 2 * (y * F1 * F1_slope + F2 * F2_slope)
    W = F2 * F1_slope - F1 * F2_slope
    U = F1 * F1_slope + y * F1_slope * F1_slope + F2_slope * F2_slope
    rho = 2 - 2 * y * F1 + y * N
    return Coefficients(
        A1=Parts(v1 * N, o1 * (rho - 1)),
        A2=Parts(-v1 * F11, o1 * (2 * F1 - y * F11)),
        A3=Parts(v1 * y * F11, o1 * (rho - y * F2 * F2)),
        A4=Parts(-v1 * F12, o1 * (F2 - y * F12)),
        B1=Parts(v2 * F11, o2 * y * F11),
        B2=Parts(v2 * F12, o2 * (F2 + y * F12)),
        B3=Parts(v2 * W, o2 * (F2_slope + y * W)),
        B4=Parts(0.0, 0.0),
        Q1=Parts(v3 * N, 0.0),
        Q2=Parts(v3 * N_slope, 0.0),
        Q3=Parts(v3 * F11, o3 * (N + y * F11)),
        Q4=Parts(v3 * U, o3 * (N_slope / 2 + y * U)),
    )


@coefficients.register
def _point_mass(model: PointMass, here: Shape) -> Coefficients:
    """The same with β = 1 and no disc (section II-D)."""
    return Coefficients(*(Parts(parts.linear, 0.0) for parts in coefficients(UNSHAPED, here)))


class Term(NamedTuple):
    """A coefficient and its partial derivatives in y and s."""

    value: Scalar
    y: Scalar
    s: Scalar

    def rate(self, rate: ShapeRate) -> Scalar:
        """Its time derivative."""
        return self.y * rate.y + self.s * rate.s


class Terms(NamedTuple):
    """The twelve coefficients of K at a section's shape."""

    A1: Term
    A2: Term
    A3: Term
    A4: Term
    B1: Term
    B2: Term
    B3: Term
    B4: Term
    Q1: Term
    Q2: Term
    Q3: Term
    Q4: Term


class SectionBody(NamedTuple):
    """A section as a body that moves with its base and by x, its inertia 𝓜 in blocks and its bias, in its base frame.

    [[I, F], [Fᵀ, H]] (base acceleration, ẍ) + (p, C) = (wrench at the base, force over x)
    """

    I: Array  # (..., 6, 6), of the base
    F: Array  # (..., 6, 3), between base and x
    H: Array  # (..., 3, 3), of x
    p: Array  # (..., 6), wrench when nothing accelerates
    C: Array  # (..., 3), force over x when nothing accelerates


def terms(section: Section, model: object, here: Shape) -> Terms:
    """The twelve coefficients of K with their derivatives."""
    m, s = section.mass, here.s
    powers = {2: (m * s * s, 2 * m * s), 1: (m * s, m), 0: (m, 0.0)}

    def term(parts: Parts, power: int) -> Term:
        linear, angular = (part if isinstance(part, Jet) else Jet(part, 0.0) for part in parts)
        scale, scale_slope = powers[power]
        return Term(
            scale * linear.value + section.disc_inertia * angular.value,
            scale * linear.slope + section.disc_inertia * angular.slope,
            scale_slope * linear.value,
        )

    made = coefficients(model, here)
    return Terms(*(term(parts, {"Q1": 0, "Q2": 1}.get(name, 2)) for name, parts in made._asdict().items()))


def inertia(section: Section, here: Shape, t: Terms) -> tuple[Array, Array, Array]:
    """𝓜 in blocks: I (..., 6, 6), F (..., 6, 3) and H (..., 3, 3), read off K."""
    m, a, b, s = section.mass, here.a, here.b, here.s
    A1, A2, A3, A4, B1, B2, B3, B4, Q1, Q2, Q3, Q4 = (term.value for term in t)
    F1, F2 = here.c[3], here.c[2]
    F1_slope, F2_slope = slope(3, here.c), slope(2, here.c)
    moment = skew(m * centre_of_gravity(here))
    angular = matrix(
        [
            [A1 + A2 * a * a, A2 * a * b, A4 * a],
            [A2 * a * b, A1 + A2 * b * b, A4 * b],
            [A4 * a, A4 * b, A3],
        ]
    )
    I = block([[angular, moment], [-moment, m * np.eye(3)]])
    F = matrix(
        [
            [-(2 * B3 + B4) * a * b, B4 * a * a - 2 * B3 * b * b - B2, 0.0],
            [B2 + 2 * B3 * a * a - B4 * b * b, (2 * B3 + B4) * a * b, 0.0],
            [-B1 * b, B1 * a, 0.0],
            [m * s * (F1 + 2 * a * a * F1_slope), m * s * 2 * a * b * F1_slope, m * a * F1],
            [m * s * 2 * a * b * F1_slope, m * s * (F1 + 2 * b * b * F1_slope), m * b * F1],
            [m * s * 2 * a * F2_slope, m * s * 2 * b * F2_slope, m * F2],
        ]
    )
    H = matrix(
        [
            [Q3 + 4 * a * a * Q4, 4 * a * b * Q4, a * Q2],
            [4 * a * b * Q4, Q3 + 4 * b * b * Q4, b * Q2],
            [a * Q2, b * Q2, Q1],
        ]
    )
    return I, F, H


def bias(section: Section, here: Shape, rate: ShapeRate, t: Terms, omega: Array) -> tuple[Array, Array]:
    """What is left of Lagrange's equations when ω̇ = 0, a = 0 and ẍ = 0: p (..., 6) and C (..., 3).

    p: (Ȧ ω + Ḃ + ω×(A ω + B),  m (p̄¨ + 2 ω×p̄˙ + ω×(ω×p̄)));   C: d/dt ∂K/∂ẋ - ∂K/∂x.
    """
    return (
        spatial_vector(_base_moment(here, rate, t, omega), _base_force(section, here, rate, omega)),
        _own_force(here, rate, t, omega),
    )


def _base_force(section: Section, here: Shape, rate: ShapeRate, omega: Array) -> Array:
    s, c = here.s, here.c
    a, b, _ = components(here.n)
    ad, bd, _ = components(rate.n)
    F1, F2 = jets(c)[3], jets(c)[2]
    F1_curve, F2_curve = slope(3, jets(c)).slope, slope(2, jets(c)).slope
    centre = centre_of_gravity(here)
    along_n = rate.s * F1.value + s * F1.slope * rate.y
    along_nd = s * F1.value
    along_z = rate.s * F2.value + s * F2.slope * rate.y
    velocity = vector(along_n * a + along_nd * ad, along_n * b + along_nd * bd, along_z)
    y_rate2 = 2 * rate.n_squared
    curve_n = 2 * rate.s * F1.slope * rate.y + s * (F1_curve * rate.y * rate.y + F1.slope * y_rate2)
    curve_nd = 2 * (rate.s * F1.value + s * F1.slope * rate.y)
    curve_z = 2 * rate.s * F2.slope * rate.y + s * (F2_curve * rate.y * rate.y + F2.slope * y_rate2)
    acceleration = vector(curve_n * a + curve_nd * ad, curve_n * b + curve_nd * bd, curve_z)
    return section.mass * (acceleration + cross(omega, 2 * velocity + cross(omega, centre)))


def _base_moment(here: Shape, rate: ShapeRate, t: Terms, omega: Array) -> Array:
    a, b, ad, bd = here.a, here.b, *components(rate.n)[:2]
    o1, o2, o3 = components(omega)
    across, across_rate = a * o1 + b * o2, ad * o1 + bd * o2  # n·ω and ṅ·ω
    A1, A2, A3, A4, B1, B2, B3, B4 = t[:8]
    A1d, A2d, A3d, A4d, B1d, B2d, B3d, B4d = (term.rate(rate) for term in t[:8])
    # A ω + B and d/dt of it at constant ω and ṅ, written along ω_xy, n, ṅ, k, k̇ and z
    on_n = A2.value * across + A4.value * o3 + B4.value * rate.w
    on_k = B3.value * rate.y
    momentum = vector(
        A1.value * o1 + on_n * a - on_k * b - B2.value * bd,
        A1.value * o2 + on_n * b + on_k * a + B2.value * ad,
        A3.value * o3 + A4.value * across + B1.value * rate.w,
    )
    on_n_rate = A2d * across + A2.value * across_rate + A4d * o3 + B4d * rate.w
    on_k_rate = B3d * rate.y + 2 * B3.value * rate.n_squared
    on_kd = B2d + B3.value * rate.y
    momentum_rate = vector(
        A1d * o1 + on_n_rate * a + on_n * ad - on_k_rate * b - on_kd * bd,
        A1d * o2 + on_n_rate * b + on_n * bd + on_k_rate * a + on_kd * ad,
        A3d * o3 + A4d * across + A4.value * across_rate + B1d * rate.w,
    )
    return momentum_rate + cross(omega, momentum)


def _own_force(here: Shape, rate: ShapeRate, t: Terms, omega: Array) -> Array:
    a, b, ad, bd = here.a, here.b, *components(rate.n)[:2]
    o1, o2, o3 = components(omega)
    across = a * o1 + b * o2  # n·ω
    side, side_rate = a * o2 - b * o1, ad * o2 - bd * o1  # k·ω and k̇·ω
    A1, A2, A3, A4, B1, B2, B3, B4, Q1, Q2, Q3, Q4 = t
    e1, e2, e3, e4 = o1 * o1 + o2 * o2, across * across, o3 * o3, 2 * across * o3

    # along n, ṅ, k, k̇, ω_xy and o = ω×z: d/dt ∂/∂ṅ - ∂/∂n of ½ ωᵀAω, ω·B and ½ Q in turn
    turn = B2.y - B3.value
    on_n = -(A1.y * e1 + A2.y * e2 + A3.y * e3 + A4.y * e4)
    on_n = on_n - 2 * turn * side_rate + 2 * B3.s * rate.s * side
    on_n = on_n + 2 * Q4.s * rate.s * rate.y + Q4.y * rate.y * rate.y + (4 * Q4.value - Q3.y) * rate.n_squared
    on_nd = Q3.rate(rate)
    on_k = B1.s * rate.s * o3
    on_kd = 2 * (B1.value + here.y * B1.y) * o3 + (3 * B4.value + 2 * here.y * B4.y) * across
    on_omega = -(A2.value * across + A4.value * o3)
    on_o = turn * rate.y + B2.s * rate.s

    force_s = -(A1.s * e1 + A2.s * e2 + A3.s * e3 + A4.s * e4) / 2
    force_s = force_s - B1.s * rate.w * o3 - B2.s * side_rate - B3.s * rate.y * side
    force_s = force_s + Q1.y * rate.y * rate.s + (Q2.y - Q4.s) * rate.y * rate.y / 2
    force_s = force_s + (Q2.value - Q3.s / 2) * rate.n_squared
    return vector(
        on_n * a + on_nd * ad - on_k * b - on_kd * bd + on_omega * o1 + on_o * o2,
        on_n * b + on_nd * bd + on_k * a + on_kd * ad + on_omega * o2 - on_o * o1,
        force_s,
    )


def section_body(section: Section, model: object, here: Shape, rate: ShapeRate, omega: Array) -> SectionBody:
    """𝓜 and bias of a section whose base turns with ω (in its own frame)."""
    t = terms(section, model, here)
    return SectionBody(*inertia(section, here, t), *bias(section, here, rate, t, omega))


def kinetic_terms(here: Shape, rate: ShapeRate, t: Terms, omega: Array) -> tuple[Scalar, Scalar, Scalar]:
    """The terms ½ ωᵀ A ω, ω·B and ½ Q of K: base, cross and own, (...,) each, J; what is left of K when v = 0."""
    o1, o2, o3 = components(omega)
    A1, A2, A3, A4, B1, B2, B3, B4, Q1, Q2, Q3, Q4 = (term.value for term in t)
    across, side, side_rate = dot(here.n, omega), dot(here.k, omega), dot(rate.k, omega)
    base = A1 * (o1 * o1 + o2 * o2) + A2 * across * across + A3 * o3 * o3 + 2 * A4 * across * o3
    cross_term = B1 * rate.w * o3 + B2 * side_rate + B3 * rate.y * side + B4 * rate.w * across
    own = Q1 * rate.s * rate.s + Q2 * rate.s * rate.y + Q3 * rate.n_squared + Q4 * rate.y * rate.y
    return base / 2, cross_term, own / 2
