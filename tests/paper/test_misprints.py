"""What docs/notation.md lists as misprints: the formulas as printed fail where the corrected ones hold.

Every formula is written down here as it stands in print, on blocks of its own (the derivative's index first), and
compared with derivatives by complex step or with the kinetic energy along the section by quadrature.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from constant_curvature import twisted_pose
from continuarm.arms.arm import Arm
from continuarm.arms.inertia_models import CentreOfGravity
from continuarm.arms.section import Section
from continuarm.paper.algorithm1 import (
    Frame,
    Shape,
    angular_inertia,
    carried,
    inertia_and_gravity,
    linear_inertia,
    mean_shape,
    paper_terms,
    tip_shape,
)

Array = NDArray[Any]

BETA = (1.3, 0.8, 1.7)
"""Three different numbers."""
STEP = 1e-30
FIRST = Section(length=0.2, radius=0.02, mass=0.3, stiffness=1000, offset=0.03, twist=0.7)
SECOND = Section(length=0.15, radius=0.0125, mass=0.1, stiffness=1700)
Q1, Q2 = np.array([0.01, 0.035, 0.02]), np.array([0.03, 0.0, 0.012])
QD = np.array([0.1, -0.2, 0.05, -0.15, 0.12, 0.3])
BASE = Frame(np.eye(3), np.zeros(3), *(np.zeros(size) for size in ((0, 3, 3), (0, 0, 3, 3), (0, 3), (0, 0, 3))))


def before(q1: Array = Q1) -> Frame:
    """The tip of the first section."""
    return carried(BASE, tip_shape(FIRST, q1))


def mean(q2: Array = Q2) -> Shape:
    """R̄ and p̄ of the second section."""
    return mean_shape(SECOND, q2)


def gradient(function: Callable[[Array], Array], q: Array) -> Array:
    """Derivatives by complex step, the differentiation index first."""
    return np.stack([np.asarray(function(q + 1j * STEP * e)).imag / STEP for e in np.eye(len(q))])


def t2(blocks: Array) -> Array:
    """T_2 of 3x3 blocks."""
    return np.asarray(blocks[..., 0, 0] + blocks[..., 1, 1])


def agree(found: Any, wanted: Any) -> None:
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-11 * np.abs(wanted).max())


def differ(found: Any, wanted: Any) -> None:
    assert np.abs(np.asarray(found) - wanted).max() > 0.01 * np.abs(wanted).max()


# ---- Pose ------------------------------------------------------------------------------------------------------------


def rotation(axis: str, angle: float) -> Array:
    turned = np.eye(4)
    i, j = {"Z": (0, 1), "Y": (2, 0)}[axis]
    turned[i, i] = turned[j, j] = np.cos(angle)
    turned[j, i] = np.sin(angle)
    turned[i, j] = -turned[j, i]
    return turned


def along_x(distance: float) -> Array:
    moved = np.eye(4)
    moved[0, 3] = distance
    return moved


@pytest.mark.parametrize("xi", [0.0, 0.4, 1.0])
def test_the_last_rotation_of_the_pose_has_the_opposite_sign(xi: float) -> None:
    """Eq. 1 HTM_section."""
    a, b, s = SECOND.shape_map @ Q2 + [0, 0, SECOND.length]
    theta, phi = np.arctan2(b, a), np.hypot(a, b)
    bent = rotation("Z", theta) @ along_x(s / phi) @ rotation("Y", xi * phi) @ along_x(-s / phi)
    agree(bent @ rotation("Z", -theta), twisted_pose(SECOND, Q2, xi))
    differ(bent @ rotation("Z", theta), twisted_pose(SECOND, Q2, xi))


# ---- Kinetic energy --------------------------------------------------------------------------------------------------


class Terms(NamedTuple):
    """Base, cross and own term of a kinetic energy, without the factor 2 of the cross term."""

    base: float
    cross: float
    own: float


XI, WEIGHT = np.polynomial.legendre.leggauss(32)
XI, WEIGHT = (XI + 1) / 2, WEIGHT / 2
OMEGA = np.array([[0.0, -3.0, 2.0], [3.0, 0.0, -1.0], [-2.0, 1.0, 0.0]])


def poses(q2: Array) -> Array:
    return twisted_pose(SECOND, q2, XI)


T, TD = poses(Q2), poses(Q2 + 1j * STEP * QD[3:]).imag / STEP
R, RD, P, PD = T[:, :3, :3], TD[:, :3, :3], T[:, :3, 3], TD[:, :3, 3]


def averaged(values: Array) -> Array:
    return np.tensordot(WEIGHT, values, 1)


def angular(R: Array, RD: Array, sum_of: Callable[[Array], Any]) -> Terms:
    parts = (R.mT @ OMEGA.T @ OMEGA @ R, RD.mT @ OMEGA @ R, RD.mT @ RD)
    return Terms(*(float(sum_of(t2(part))) for part in parts))


def linear(p: Array, pd: Array, sum_of: Callable[[Array], Any]) -> Terms:
    turned = p @ OMEGA.T
    return Terms(*(float(sum_of((u * v).sum(-1))) for u, v in ((turned, turned), (turned, pd), (pd, pd))))


ENERGIES = {
    "eq. 21 dKw_i": (angular(R, RD, averaged), angular(averaged(R), averaged(RD), float)),
    "eq. 22 dKv_i": (linear(P, PD, averaged), linear(averaged(P), averaged(PD), float)),
}
FACTORS = {"eq. 21 dKw_i": (2, 1, 1), "eq. 22 dKv_i": (1, 1, 1)}
"""Of base, cross and own term, as printed."""


def test_the_terms_are_those_of_the_energies() -> None:
    """½ ωᵀ diag(1, 1, 2) ω and ½ |v|² of a disc are base + 2 cross + own: eqs. 17 Kwi, 19 Kvi."""
    spin = R.mT @ (OMEGA @ R + RD)
    omega = np.stack([spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]], axis=-1)
    whole, _ = ENERGIES["eq. 21 dKw_i"]
    agree(whole.base + 2 * whole.cross + whole.own, averaged(omega**2 @ [1, 1, 2]))
    whole, _ = ENERGIES["eq. 22 dKv_i"]
    agree(whole.base + 2 * whole.cross + whole.own, averaged(((P @ OMEGA.T + PD) ** 2).sum(-1)))


@pytest.mark.parametrize("equation", ENERGIES)
def test_the_factor_two_belongs_to_the_cross_term(equation: str) -> None:
    integral, centre = ENERGIES[equation]
    differences = np.array(integral) - np.array(centre)
    energy = np.array([1, 2, 1]) @ np.array(integral) - np.array([1, 2, 1]) @ np.array(centre)
    agree(differences @ [1, 2, 1], energy)
    differ(differences @ FACTORS[equation], energy)


# ---- Mass matrix and its derivatives ---------------------------------------------------------------------------------


def test_sigma_11_as_printed_is_not_symmetric() -> None:
    """Eq. 25 Mv_c: J^υᵀ(J^υ + 2 J^Ω p̄) has the energy of its symmetric part, but is no mass matrix."""
    J, Jp = before().J_v, before().J_omega @ mean().p
    printed = J @ J.T + 2 * J @ Jp.T + BETA[0] * Jp @ Jp.T
    corrected = linear_inertia(1.0, BETA, mean(), before())[0][:3, :3]
    differ(printed, printed.T)
    agree((printed + printed.T) / 2, corrected)


def sigma_12(at: Frame, here: Shape) -> Array:
    """[k, j]: β2 T_2((J_k R̄)ᵀ R̄_{,j}), eq. 24 Mw_c_scaled."""
    return BETA[1] * t2((at.J_omega @ here.R).mT[:, None] @ here.R_q)


def test_eta_12_exchanges_the_factors() -> None:
    """Eq. 27 dMw_C, h in q^{i-1}: β2 (H_h R̄_{,q})ᵀ R̄ is the derivative with the opposite sign, as H_h is skew."""
    at, here = before(), mean()
    wanted = gradient(lambda q1: sigma_12(before(q1), here), Q1)
    printed = BETA[1] * t2((at.H_omega[:, :, None] @ here.R_q).mT @ here.R)
    agree(printed, -wanted)
    agree(angular_inertia(1.0, BETA, here, at)[1][:3, :3, 3:], wanted)


def test_gamma_12_exchanges_the_factors_and_lacks_a_beta_2() -> None:
    """Eq. 27 dMw_C, h in q_i."""
    at, here = before(), mean()
    wanted = gradient(lambda q2: sigma_12(at, mean(q2)), Q2)
    J = at.J_omega[None, :, None]  # [h, k, j]
    first = t2((J @ here.R_qq[:, None]).mT @ here.R)
    second = t2((J @ here.R_q[None, None]).mT @ here.R_q[:, None, None])
    agree(BETA[1] * (first + second), -wanted)  # with β2 on both only the sign is left
    differ(BETA[1] * first + second, -wanted)
    differ(BETA[1] * first + second, wanted)
    agree(angular_inertia(1.0, BETA, here, at)[1][3:, :3, 3:], wanted)


@pytest.mark.parametrize("inertia", [angular_inertia, linear_inertia])
def test_twice_one_product_is_not_the_derivative_of_a_square(inertia: Callable[..., Any]) -> None:
    """Eqs. 27 dMw_C, 28 dMv_c: γ22 = 2 Aᵀ_{,h} A as printed is not symmetric; A_{,h}ᵀ A + Aᵀ A_{,h} is meant."""
    here = mean()
    A, A_h = (here.p_q, here.p_qq) if inertia is linear_inertia else (_rows(here.R_q), _rows(here.R_qq))
    printed = 2 * BETA[2] * A_h @ A.T
    wanted = gradient(lambda q2: inertia(1.0, BETA, mean(q2), before())[0][3:, 3:], Q2)
    differ(printed, printed.mT)
    agree((printed + printed.mT) / 2, wanted)


def _rows(blocks: Array) -> Array:
    """T_2(AᵀB) of 3x3 blocks is the dot product of such rows."""
    return blocks[..., :2].reshape(*blocks.shape[:-2], 6)


# ---- Coriolis matrix and gravity -------------------------------------------------------------------------------------

ARM = Arm(sections=(FIRST, SECOND), inertia=CentreOfGravity())
Q = np.concatenate([Q1, Q2])


def test_coriolis_as_printed_is_the_transpose_and_another_force() -> None:
    """Eq. 26 Ckj: Ṁ - 2C and Ṁ - 2Cᵀ are both skew, and only one C q̇ is Lagrange's."""
    terms = paper_terms(ARM, Q, QD)
    dM, C = terms.dM, terms.C
    # [C]_jk = ½ Σ_h (M_kj,h + M_kh,j - M_hj,k) q̇_h; dM[h] = M_{,h}
    printed = (np.einsum("hkj,h->jk", dM, QD) + np.einsum("jkh,h->jk", dM, QD) - np.einsum("khj,h->jk", dM, QD)) / 2
    agree(printed, C.T)
    rate = np.tensordot(QD, dM, 1)
    for each in (C, printed):
        agree((rate - 2 * each) + (rate - 2 * each).T + rate, rate)
    slope = gradient(lambda q: QD @ inertia_and_gravity(ARM, q)[0] @ QD / 2, Q)
    agree(C @ QD, rate @ QD - slope)
    differ(printed @ QD, rate @ QD - slope)


def test_the_derivation_of_gravity_turns_once_too_often() -> None:
    """Eq. 37 Ggi_derivation: R^{i-1} stands before the bracket and again inside it."""
    at, here = before(), mean()
    g = np.array([1.0, 2.0, -9.0])

    def height(q2: Array) -> Array:
        return np.asarray(g @ (at.p + at.R @ mean(q2).p))

    wanted = gradient(height, Q2)
    agree(here.p_q @ at.R.T @ g, wanted)
    differ((here.p_q @ at.R.T) @ at.R.T @ g, wanted)
