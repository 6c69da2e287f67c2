"""The paper's own Algorithm 1: M, C and G from recursive Jacobians and Hessians, term by term as printed.

Equations are cited by the number in print and the label of the paper's source (Godage, Webster, Walker, IEEE T-RO
2019). "Corrected" means: not as printed, see docs/notation.md, "Where the paper's print is corrected".
It is here to be read beside the paper and to check the O(n) recursions, not to be fast: the derivatives M_{,h}
alone are (3n)³ numbers, summed over the sections at a cost of O(n⁴) (the paper states O(n²)).

Where the paper stacks blocks in wide matrices, here every block has its own index, derivatives first:

    R_{i,q_i}      R_q[k]      (3, 3, 3)       J_i^Ω  J_omega[k]     (3i, 3, 3)      J_i^υ  J_v[k]     (3i, 3)
    R_{i,q_i,q_i}  R_qq[h, k]  (3, 3, 3, 3)    H_i^Ω  H_omega[h, k]  (3i, 3i, 3, 3)  H_i^υ  H_v[h, k]  (3i, 3i, 3)

with H[h, k] = J[k]_{,h}. Leading axes, if any, run over points along a section.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, singledispatch
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import block_diag

from continuarm.arms.arm import Arm
from continuarm.arms.inertia_models import CentreOfGravity, Integral, PointMass
from continuarm.arms.section import Section
from continuarm.common.number_checks import whole_number
from continuarm.engine.state_checks import checked
from continuarm.sections.entire_functions import jets, slope, stumpff

__all__ = ["PaperTerms", "paper_forward_dynamics", "paper_terms"]

Array = NDArray[Any]
"""float64; complex for differentiation by complex step: nothing here conjugates or takes a modulus."""

Inertia = tuple[Array, Array]
"""M_i (3i, 3i), kg, and its derivatives M_{i,h} (3i, 3i, 3i), the differentiation index first, kg/m."""


class PaperTerms(NamedTuple):
    """The terms of M q̈ + (C + D) q̇ + G + K_e q = τ (eq. 23 eom), in kg, kg/s, N, N/m and N s/m."""

    M: Array  # (3n, 3n)
    C: Array  # (3n, 3n), from Christoffel symbols
    G: Array  # (3n,), gravity only
    K_e: Array  # (3n, 3n)
    D: Array  # (3n, 3n)
    dM: Array  # (3n, 3n, 3n): dM[h] = M_{,h}


# ---- Algorithm 1 ----------------------------------------------------------------------------------------------------


def paper_terms(arm: Arm, q: ArrayLike, qd: ArrayLike, *, points: int = 24) -> PaperTerms:
    """M, C, G, K_e and D of an arm by Algorithm 1, for one state.

    q, qd: (3n,), m and m/s; points: Gauss-Legendre points along a section, for the integral model only.
    """
    q, qd = _one_state(arm, q=q, qd=qd)
    return equation_terms(arm, q, qd, whole_number("points", points, 1))


def equation_terms(arm: Arm, q: Array, qd: Array, points: int) -> PaperTerms:
    """`paper_terms` of arrays that were checked, or that hold other numbers than floats."""
    M, dM, G = inertia_and_gravity(arm, q, points)
    K_e = block_diag(*(section.stiffness_matrix for section in arm.sections))  # eq. 30 Ge: G^e = K_e q
    D = block_diag(*(section.damping_matrix for section in arm.sections))
    return PaperTerms(M, christoffel(dM, qd), G, K_e, D, dM)


def paper_forward_dynamics(arm: Arm, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, *, points: int = 24) -> Array:
    """q̈ that solves M q̈ + (C + D) q̇ + G + K_e q = τ; q, qd, tau: (3n,), m, m/s and N -> (3n,), m/s²."""
    q, qd, tau = _one_state(arm, q=q, qd=qd, tau=tau)
    for i, section in enumerate(arm.sections):
        if section.stop_stiffness > 0:
            raise ValueError(f"section {i + 1}: stop_stiffness = {section.stop_stiffness}: must be 0, as in the paper")
    terms = paper_terms(arm, q, qd, points=points)
    return np.linalg.solve(terms.M, accelerating_force(terms, q, qd, tau))


def accelerating_force(terms: PaperTerms, q: Array, qd: Array, tau: Array) -> Array:
    """M q̈ = τ - (C + D) q̇ - G - K_e q (eq. 23 eom): (3n,), N."""
    return tau - (terms.C + terms.D) @ qd - terms.G - terms.K_e @ q


def inertia_and_gravity(arm: Arm, q: Array, points: int = 24) -> tuple[Array, Array, Array]:
    """The loop of Algorithm 1 over the sections: M (3n, 3n), M_{,h} (3n, 3n, 3n) and G (3n,)."""
    size = 3 * arm.n
    M, dM, G = np.zeros((size,) * 2, q.dtype), np.zeros((size,) * 3, q.dtype), np.zeros(size, q.dtype)
    tip = _base()
    for i, section in enumerate(arm.sections):
        own, upto = slice(3 * i, 3 * i + 3), slice(3 * i + 3)
        mean = mean_shape(section, q[own])
        M_i, dM_i = section_inertia(arm.inertia, section, q[own], mean, tip, points)
        M[upto, upto] += M_i
        dM[upto, upto, upto] += dM_i  # Algorithm 1, corrected: h runs over the 3i entries of q^i
        G[upto] += _gravity(section.mass, arm.base_gravity, tip, mean)
        tip = carried(tip, tip_shape(section, q[own]))  # Algorithm 1, corrected: H with J
    if arm.payload is not None:  # not in the paper: a point mass held in the last frame
        held = _rigid_shape(arm.payload.offset)
        M_load, dM_load = disc_inertia(arm.payload.mass, 0.0, carried(tip, held))
        M, dM, G = M + M_load, dM + dM_load, G + _gravity(arm.payload.mass, arm.base_gravity, tip, held)
    return M, dM, G


def christoffel(dM: Array, qd: Array) -> Array:
    """C_jk = ½ Σ_h (M_jk,h + M_jh,k - M_kh,j) q̇_h, shape (3n, 3n): Ṁ - 2C is skew (eq. 26 Ckj, corrected)."""
    dMqd = dM @ qd  # [k, j]: Σ_h M_jh,k q̇_h
    return (np.tensordot(qd, dM, 1) + dMqd.T - dMqd) / 2


def _gravity(mass: float, g: Array, before: Frame, mean: Shape) -> Array:
    """G_i of P_g = -m gᵀ p̄^i, g in the base frame (eqs. 29 Gi_c, 37 Ggi_derivation, corrected): (3i,), N."""
    J_p = np.concatenate([before.J_v + before.J_omega @ mean.p, mean.p_q])
    return -mass * J_p @ (before.R.T @ g)


# ---- Section inertia: one disc, discs along the section, or the shaped disc at the centre of gravity -----------------


@singledispatch
def section_inertia(model: Any, section: Section, q_i: Array, mean: Shape, before: Frame, points: int) -> Inertia:
    """M_i and M_{i,h} of the section that follows the frame `before`."""
    raise TypeError(f"no inertia for the model {model!r}")


@section_inertia.register(Integral)
def _discs(model: Integral, section: Section, q_i: Array, mean: Shape, before: Frame, points: int) -> Inertia:
    # eqs. 17 Kwi, 19 Kvi: a disc at every ξ, with the Jacobians and Hessians at that ξ.
    xi, weight = _gauss(points)
    M, dM = disc_inertia(section.mass, section.disc_inertia, carried(before, point_shape(section, q_i, xi)))
    return np.tensordot(weight, M, 1), np.tensordot(weight, dM, 1)


@section_inertia.register(CentreOfGravity)
def _shaped(model: CentreOfGravity, section: Section, q_i: Array, mean: Shape, before: Frame, points: int) -> Inertia:
    M_w, dM_w = angular_inertia(section.disc_inertia, model.beta_angular, mean, before)
    M_v, dM_v = linear_inertia(section.mass, model.beta_linear, mean, before)
    return M_w + M_v, dM_w + dM_v


@section_inertia.register(PointMass)
def _point(model: PointMass, section: Section, q_i: Array, mean: Shape, before: Frame, points: int) -> Inertia:
    return linear_inertia(section.mass, (1.0, 1.0, 1.0), mean, before)


def disc_inertia(mass: float, I_xx: float, at: Frame) -> Inertia:
    """M = m J^υᵀ J^υ + I_xx T_2(J^Ωᵀ J^Ω) of a disc in the frame `at`, (..., 3i, 3i), and M_{,h}, (..., 3i, 3i, 3i)."""
    J_w, H_w = _t2(at.J_omega), _t2(at.H_omega)
    M = mass * at.J_v @ at.J_v.mT + I_xx * J_w @ J_w.mT
    half = mass * at.H_v @ at.J_v.mT[..., None, :, :] + I_xx * H_w @ J_w.mT[..., None, :, :]
    return M, _with_transpose(half)


def angular_inertia(I_xx: float, beta: tuple[float, float, float], mean: Shape, before: Frame) -> Inertia:
    """M̄_i^ω and M̄_{i,h}^ω of the shaped energy (eqs. 18 Kwi_c, 24 Mw_c_scaled, 27 dMw_C, the last corrected).

    The energy is taken as printed, without R̄ R̄ᵀ, though R̄ is no rotation.
    """
    JR, HR = _t2(before.J_omega @ mean.R), _t2(before.H_omega @ mean.R)
    JR_h = _t2(before.J_omega @ mean.R_q[:, None])
    R_q, R_qq = _t2(mean.R_q), _t2(mean.R_qq)
    # eq. 24 Mw_c_scaled
    sigma11 = beta[0] * JR @ JR.T
    sigma12 = beta[1] * JR @ R_q.T
    sigma22 = beta[2] * R_q @ R_q.T
    # eq. 27 dMw_C, corrected, h in q^{i-1}
    eta11 = _with_transpose(beta[0] * HR @ JR.T)
    eta12 = beta[1] * HR @ R_q.T
    eta22 = np.zeros((len(eta12), 3, 3))
    # eq. 27 dMw_C, corrected, h in q_i
    gamma11 = _with_transpose(beta[0] * JR_h @ JR.T)
    gamma12 = beta[1] * (JR_h @ R_q.T + JR @ R_qq.mT)
    gamma22 = _with_transpose(beta[2] * R_qq @ R_q.T)
    dM = np.concatenate([_blocks(eta11, eta12, eta22), _blocks(gamma11, gamma12, gamma22)])
    return I_xx * _blocks(sigma11, sigma12, sigma22), I_xx * dM


def linear_inertia(mass: float, beta: tuple[float, float, float], mean: Shape, before: Frame) -> Inertia:
    """M̄_i^υ and M̄_{i,h}^υ of the shaped energy (eqs. 20 Kvi_c, 25 Mv_c, 28 dMv_c, the last two corrected)."""
    J, H = before.J_v, before.H_v
    Jp, Hp = before.J_omega @ mean.p, before.H_omega @ mean.p
    Jp_h = np.einsum("kab,hb->hka", before.J_omega, mean.p_q)
    p_q, p_qq = mean.p_q, mean.p_qq
    # eq. 25 Mv_c, corrected
    sigma11 = J @ J.T + _with_transpose(J @ Jp.T) + beta[0] * Jp @ Jp.T
    sigma12 = (J + beta[1] * Jp) @ p_q.T
    sigma22 = beta[2] * p_q @ p_q.T
    # eq. 28 dMv_c, corrected, h in q^{i-1}
    eta11 = _with_transpose(H @ (J + Jp).T + Hp @ J.T + beta[0] * Hp @ Jp.T)
    eta12 = (H + beta[1] * Hp) @ p_q.T
    eta22 = np.zeros((len(eta12), 3, 3))
    # eq. 28 dMv_c, h in q_i
    gamma11 = _with_transpose(Jp_h @ J.T + beta[0] * Jp_h @ Jp.T)
    gamma12 = (J + beta[1] * Jp) @ p_qq.mT + beta[1] * Jp_h @ p_q.T
    gamma22 = _with_transpose(beta[2] * p_qq @ p_q.T)
    dM = np.concatenate([_blocks(eta11, eta12, eta22), _blocks(gamma11, gamma12, gamma22)])
    return mass * _blocks(sigma11, sigma12, sigma22), mass * dM


def _t2(blocks: Array) -> Array:
    """The first two columns of 3x3 blocks as rows of six: T_2(AᵀB) is the dot product of such rows."""
    return blocks[..., :2].reshape(*blocks.shape[:-2], 6)


def _with_transpose(half: Array) -> Array:
    return half + half.mT


def _blocks(b11: Array, b12: Array, b22: Array) -> Array:
    """[[b11, b12], [b12ᵀ, b22]]."""
    return np.concatenate([np.concatenate([b11, b12], -1), np.concatenate([b12.mT, b22], -1)], -2)


# ---- Frames along the arm: recursive pose, Jacobians and Hessians ----------------------------------------------------


@dataclass(frozen=True)
class Frame:
    """A frame on the arm: pose in the base frame, Jacobians and Hessians of its body velocities."""

    R: Array  # (..., 3, 3)
    p: Array  # (..., 3)
    J_omega: Array  # (..., 3i, 3, 3)
    H_omega: Array  # (..., 3i, 3i, 3, 3)
    J_v: Array  # (..., 3i, 3)
    H_v: Array  # (..., 3i, 3i, 3)


class Shape(NamedTuple):
    """A frame of a section relative to its base, with derivatives in q_i."""

    R: Array  # (..., 3, 3)
    R_q: Array  # (..., 3, 3, 3)
    R_qq: Array  # (..., 3, 3, 3, 3)
    p: Array  # (..., 3)
    p_q: Array  # (..., 3, 3)
    p_qq: Array  # (..., 3, 3, 3)


def carried(before: Frame, shape: Shape) -> Frame:
    """The frame at `shape` after the tip `before`: eqs. 3 pR_recursive, 5 Jo, 6 Ho, 7 Jv, 8 Hv.

    With the averages R̄, p̄ as shape: eqs. 11 pR_c_recursive, 13 Jo_c, 14 Ho_c, 15 Jv_c, 16 Hv_c.
    """
    J, H = before.J_omega, before.H_omega
    R, R_q, R_qq, p, p_q, p_qq = shape
    # R and Rᵀ against blocks with one and with two indices; blocks [h] of q_i against blocks [k] of q^{i-1}.
    R1, R2, Rh = R[..., None, :, :], R[..., None, None, :, :], R_q[..., :, None, :, :]
    lever = before.J_v + _times(J, p)

    J_omega = np.concatenate([R1.mT @ J @ R1, R1.mT @ R_q], -3)  # eq. 5 Jo
    J_v = np.concatenate([lever @ R, p_q @ R], -2)  # eq. 7 Jv: rows Rᵀ(...)
    H_omega = _lower(  # eq. 6 Ho
        R2.mT @ H @ R2,
        Rh.mT @ (J @ R1)[..., None, :, :, :] + (R1.mT @ J)[..., None, :, :, :] @ Rh,
        Rh.mT @ R_q[..., None, :, :, :] + R2.mT @ R_qq,
        axis=-3,
    )
    H_v = _lower(  # eq. 8 Hv
        (before.H_v + _times(H, p)) @ R1,
        lever[..., None, :, :] @ R_q + np.einsum("kab,...hb->...hka", J, p_q) @ R1,
        p_q[..., None, :, :] @ R_q + p_qq @ R1,
        axis=-2,
    )
    return Frame(before.R @ R, before.p + p @ before.R.T, J_omega, H_omega, J_v, H_v)


def _times(blocks: Array, p: Array) -> Array:
    """3x3 blocks (k.., 3, 3) times positions (..., 3): (..., k.., 3)."""
    rank = blocks.ndim - 2
    return (blocks @ p.reshape(*p.shape[:-1], *(1,) * rank, 3, 1))[..., 0]


def _lower(b11: Array, b21: Array, b22: Array, axis: int) -> Array:
    """[[b11, 0], [b21, b22]] over the indices h, k, of which k is at `axis`."""
    zero = np.zeros_like(b21).swapaxes(axis - 1, axis)
    return np.concatenate([np.concatenate([b11, zero], axis), np.concatenate([b21, b22], axis)], axis - 1)


def _base() -> Frame:
    J_omega, H_omega, J_v, H_v = (np.zeros(shape) for shape in ((0, 3, 3), (0, 0, 3, 3), (0, 3), (0, 0, 3)))
    return Frame(np.eye(3), np.zeros(3), J_omega, H_omega, J_v, H_v)


# ---- One section: R, p and their derivatives in q_i (eqs. 1 HTM_section, 9 HTM_c_section) ----------------------------


def point_shape(section: Section, q_i: Array, xi: ArrayLike) -> Shape:
    """The frame at ξ, joint left out: u = g_1, w = g_2, g_k = ξᵏ c_k(ξ² y)."""
    xi = np.asarray(xi, dtype=float)
    c = stumpff(xi**2 * _bend(section, q_i))

    def g(k: int) -> tuple[Array, Array, Array]:
        value, first, second = _in_y(c, k)
        return xi**k * value, xi ** (k + 2) * first, xi ** (k + 4) * second

    return section_shape(section, q_i, g(1), g(2))


def mean_shape(section: Section, q_i: Array) -> Shape:
    """The centre-of-gravity frame R̄_i, p̄_i (eq. 9 HTM_c_section): u = ∫g_1 = c_2, w = ∫g_2 = c_3."""
    c = stumpff(_bend(section, q_i))
    return section_shape(section, q_i, _in_y(c, 2), _in_y(c, 3))


def tip_shape(section: Section, q_i: Array) -> Shape:
    """The frame of the next section: ξ = 1, then σ along Z and γ about Z (eq. 1 HTM_section)."""
    R, R_q, R_qq, p, p_q, p_qq = point_shape(section, q_i, 1.0)
    sigma, cos, sin = section.joint
    turn = np.array([[cos, -sin, 0.0], [sin, cos, 0.0], [0.0, 0.0, 1.0]])
    along = [position + sigma * turned[..., 2] for position, turned in ((p, R), (p_q, R_q), (p_qq, R_qq))]
    return Shape(R @ turn, R_q @ turn, R_qq @ turn, *along)


def _rigid_shape(offset: ArrayLike) -> Shape:
    """A point held in the frame before it, with no coordinates of its own."""
    base = _base()
    return Shape(base.R, base.J_omega, base.H_omega, np.array(offset), base.J_v, base.H_v)


def section_shape(section: Section, q_i: Array, u: tuple[Any, Any, Any], w: tuple[Any, Any, Any]) -> Shape:
    """R = I + u K + w K² and p = s (w n + u z) with derivatives in q_i; n = (a, b, 0), K = [z × n]×.

    (a, b, s) = B q_i + (0, 0, L); u, w: values (...) and first and second derivatives in y = a² + b².
    It is eq. 1 HTM_section, corrected, written without λ and θ.
    """
    x = section.shape_map @ q_i + np.array([0.0, 0.0, section.length])
    n = _Jet(_PLANE @ x, _PLANE, np.zeros((3, 3, 3)))
    s = _Jet(x[2:], np.array([[0.0], [0.0], [1.0]]), np.zeros((3, 3, 1)))
    K = np.tensordot(x, _K_X, 1)
    K1 = _Jet(K.reshape(9), _K_X.reshape(3, 9), np.zeros((3, 3, 9)))
    K2 = _Jet((K @ K).reshape(9), (_K_X @ K + K @ _K_X).reshape(3, 9), _K2_XX.reshape(3, 3, 9))

    u_x, w_x = _of_y(u, n.value), _of_y(w, n.value)
    R = (u_x * K1 + w_x * K2).over(section.shape_map)
    p = (s * (w_x * n + u_x * _Z)).over(section.shape_map)
    R_value, R_q, R_qq = (entries.reshape(*entries.shape[:-1], 3, 3) for entries in (R.value, R.first, R.second))
    return Shape(np.eye(3) + R_value, R_q, R_qq, p.value, p.first, p.second)


@dataclass(frozen=True)
class _Jet:
    """Entries (..., e) with first (..., 3, e) and second (..., 3, 3, e) derivatives, through + and ×."""

    value: Array
    first: Array
    second: Array

    def __add__(self, other: _Jet) -> _Jet:
        return _Jet(self.value + other.value, self.first + other.first, self.second + other.second)

    def __mul__(self, other: _Jet) -> _Jet:
        f, f_x, f_xx, g, g_x, g_xx = self.value, self.first, self.second, other.value, other.first, other.second
        cross = f_x[..., :, None, :] * g_x[..., None, :, :]
        return _Jet(
            f * g,
            f_x * g[..., None, :] + f[..., None, :] * g_x,
            f_xx * g[..., None, None, :] + cross + cross.swapaxes(-3, -2) + f[..., None, None, :] * g_xx,
        )

    def over(self, B: Array) -> _Jet:
        """The same entries differentiated in q, where x = B q + constant."""
        return _Jet(self.value, B.T @ self.first, np.einsum("jh,...jke,kl->...hle", B, self.second, B))


_PLANE = np.diag([1.0, 1.0, 0.0])  # n = _PLANE x, and y = n·n
_K_X = np.array([[[0, 0, 1], [0, 0, 0], [-1, 0, 0]], [[0, 0, 0], [0, 0, 1], [0, -1, 0]], [[0] * 3] * 3], dtype=float)
_K2_XX = _K_X[:, None] @ _K_X[None, :] + _K_X[None, :] @ _K_X[:, None]
_Z = _Jet(np.array([0.0, 0.0, 1.0]), np.zeros((3, 3)), np.zeros((3, 3, 3)))


def _of_y(f: tuple[Any, Any, Any], n: Array) -> _Jet:
    """A function of y = n·n as a function of x = (a, b, s)."""
    value, first, second = (np.asarray(part)[..., None] for part in f)
    f_xx = 4 * second[..., None] * np.outer(n, n) + 2 * first[..., None] * _PLANE
    return _Jet(value, (2 * first * n)[..., None], f_xx[..., None])


def _in_y(c: tuple[Any, ...], k: int) -> tuple[Any, Any, Any]:
    """c_k, its first and its second derivative."""
    first = slope(k, jets(c))
    return c[k], first.value, first.slope


def _bend(section: Section, q_i: Array) -> Any:
    """y = φ² = a² + b²."""
    a, b = section.shape_map[:2] @ q_i
    return a * a + b * b


@cache
def _gauss(points: int) -> tuple[Array, Array]:
    """Gauss-Legendre points and weights on 0 <= ξ <= 1."""
    xi, weight = np.polynomial.legendre.leggauss(points)
    return (xi + 1) / 2, weight / 2


def _one_state(arm: Arm, **values: ArrayLike) -> tuple[Array, ...]:
    vectors = checked(arm, **values)
    if vectors[0].ndim > 1:
        raise ValueError(
            f"{', '.join(values)} have shape {vectors[0].shape}: must be ({3 * arm.n},), one state at a time"
        )
    return vectors
