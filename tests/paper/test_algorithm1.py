"""Laws that the paper's recursion must obey, on random arms and against poses made without its formulas.

The reference pose is exp(ξ [k, s z]): a section of constant curvature is the exponential of a constant twist, which
knows neither shape functions nor series and has no singularity when straight. Velocities are complex-step derivatives
of it, so both sides are exact to rounding; tolerances are rounding times the size of the sums (1e-12) unless said.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from constant_curvature import mean_twisted_pose, twisted_pose
from continuarm.arms.arm import Arm, Payload
from continuarm.arms.inertia_models import SMALL_BENDS, CentreOfGravity, InertiaModel, Integral, PointMass
from continuarm.arms.section import Section
from continuarm.paper.algorithm1 import (
    Frame,
    carried,
    inertia_and_gravity,
    mean_shape,
    paper_forward_dynamics,
    paper_terms,
    point_shape,
    section_inertia,
    tip_shape,
)

pytestmark = pytest.mark.slow

Array = NDArray[Any]

MODELS = (
    Integral(),
    CentreOfGravity(beta_linear=(1.31, 1.42, 1.77), beta_angular=(0.97, 0.86, 1.21)),  # six different numbers
    PointMass(),
)
BENDS = ((0.0, 0.0), (1e-12, 1e-12), (1e-8, 1e-8), (1e-4, 1e-4), (0.1, 3.0), (3.0, 2 * np.pi), (2 * np.pi, 2 * np.pi))
STEP = 1e-30  # complex step: no subtraction, so no lower limit


@dataclass(frozen=True)
class Case:
    arm: Arm
    q: Array
    qd: Array
    rng: np.random.Generator


def random_case(seed: int, sections: int, bend: tuple[float, float], inertia: InertiaModel = MODELS[0]) -> Case:
    """An arm of unequal sections with joints, tilted base and payload, each bent by an angle within `bend`."""
    rng = np.random.default_rng(seed)
    made, q = [], []
    for _ in range(sections):
        section = Section(
            length=rng.uniform(0.1, 0.3),
            radius=rng.uniform(0.01, 0.05),
            mass=rng.uniform(0.05, 0.5),
            stiffness=tuple(rng.uniform(500, 2000, 3)),
            damping=tuple(rng.uniform(10, 100, 3)),
            offset=rng.uniform(0.0, 0.05),
            twist=rng.uniform(-np.pi, np.pi),
        )
        phi, theta, stretch = rng.uniform(*bend), rng.uniform(-np.pi, np.pi), rng.uniform(-0.3, 0.5) * section.length
        made.append(section)
        q.append(section.length_map @ [phi * np.cos(theta), phi * np.sin(theta), stretch])
    arm = Arm(
        sections=tuple(made),
        inertia=inertia,
        gravity=tuple(rng.normal(size=3) * 10),
        base_rotation=tuple(rng.normal(size=3)),
        payload=Payload(mass=rng.uniform(0.05, 0.2), offset=tuple(rng.normal(size=3) * 0.05)) if seed % 2 else None,
    )
    return Case(arm, np.concatenate(q), rng.normal(size=3 * sections) * 0.2, rng)


CASES = [(seed, 1 + seed % 4, bend) for seed, bend in enumerate(BENDS)]


@pytest.fixture(params=CASES, ids=lambda case: f"{case[1]} sections, bend {case[2][0]:.3g} to {case[2][1]:.3g}")
def geometry(request: pytest.FixtureRequest) -> Case:
    return random_case(*request.param)


@pytest.fixture(params=MODELS, ids=lambda model: model.model)
def case(request: pytest.FixtureRequest, geometry: Case) -> Case:
    arm = geometry.arm.replace(inertia=request.param)
    return Case(arm, geometry.q, geometry.qd, geometry.rng)


def agree(found: Any, wanted: Any, tolerance: float = 1e-12) -> None:
    """Equal within a tolerance relative to the largest entry."""
    np.testing.assert_allclose(found, wanted, rtol=0, atol=tolerance * max(np.abs(wanted).max(), 1e-300))


def derivative(function: Callable[[Array], Array], q: Array, direction: Array) -> Array:
    return np.asarray(function(q + 1j * STEP * direction)).imag / STEP


def compose(outer: Callable[[Any], Array], inner: Callable[[Array], Any]) -> Callable[[Array], Array]:
    return lambda q: outer(inner(q))


def gradient(function: Callable[[Array], Array], q: Array) -> Array:
    """Derivatives in every entry of q, the differentiation index first."""
    return np.stack([derivative(function, q, e) for e in np.eye(len(q))])


def mass_matrix(arm: Arm, q: Array) -> Array:
    return inertia_and_gravity(arm, q)[0]


# ---- The reference: poses by the exponential of a twist --------------------------------------------------------------

XI, WEIGHT = np.polynomial.legendre.leggauss(32)  # more points than the code under test, and not its default
XI, WEIGHT = (XI + 1) / 2, WEIGHT / 2


def joint(section: Section) -> Array:
    cos, sin = np.cos(section.twist), np.sin(section.twist)
    return np.array([[cos, -sin, 0, 0], [sin, cos, 0, 0], [0, 0, 1, section.offset], [0, 0, 0, 1]])


def tips(arm: Arm, q: Array) -> list[Array]:
    """(4, 4) in the world frame: the base of every section, then the last frame."""
    base = np.eye(4)
    base[:3, :3] = arm.base_orientation
    poses = [base]
    for section, q_i in zip(arm.sections, q.reshape(-1, 3), strict=True):
        poses.append(poses[-1] @ twisted_pose(section, q_i, 1.0) @ joint(section))
    return poses


def vee(omega: Array) -> Array:
    return np.stack([omega[..., 2, 1], omega[..., 0, 2], omega[..., 1, 0]], axis=-1)


def payload_energy(arm: Arm, q: Array, qd: Array) -> float:
    if arm.payload is None:
        return 0.0
    held = np.array([*arm.payload.offset, 1.0])
    v = derivative(lambda q: (tips(arm, q)[-1] @ held)[:3], q, qd)
    return float(arm.payload.mass * v @ v / 2)


# ---- Kinematics ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shape", "pose"),
    [
        (partial(point_shape, xi=0.37), partial(twisted_pose, xi=0.37)),
        (tip_shape, lambda section, q_i: twisted_pose(section, q_i, 1.0) @ joint(section)),
        (mean_shape, mean_twisted_pose),
    ],
    ids=["point", "tip", "mean"],
)
def test_section_shape_is_the_exponential_of_a_twist_with_both_derivatives(
    geometry: Case, shape: Callable[..., Any], pose: Callable[..., Array]
) -> None:
    for section, q_i in zip(geometry.arm.sections, geometry.q.reshape(-1, 3), strict=True):
        found, T, T_q = shape(section, q_i), pose(section, q_i), gradient(partial(pose, section), q_i)
        agree(found.R, T[:3, :3])
        agree(found.p, T[:3, 3])
        agree(found.R_q, T_q[:, :3, :3])
        agree(found.p_q, T_q[:, :3, 3])
        agree(found.R_qq, gradient(compose(attrgetter("R_q"), partial(shape, section)), q_i))
        agree(found.p_qq, gradient(compose(attrgetter("p_q"), partial(shape, section)), q_i))


def last_frame(arm: Arm, q: Array, shape: Callable[[Section, Array], Any]) -> Frame:
    """The frame at `shape` of the last section, carried from the base."""
    frame = Frame(np.eye(3), np.zeros(3), *(np.zeros(size) for size in ((0, 3, 3), (0, 0, 3, 3), (0, 3), (0, 0, 3))))
    parts = q.reshape(-1, 3)
    for section, q_i in zip(arm.sections[:-1], parts[:-1], strict=True):
        frame = carried(frame, tip_shape(section, q_i))
    return carried(frame, shape(arm.sections[-1], parts[-1]))


@pytest.mark.parametrize("shape", [tip_shape, mean_shape], ids=["tip: Jo, Ho, Jv, Hv", "CoG: Jo_c, Ho_c, Jv_c, Hv_c"])
def test_jacobians_are_body_velocities_and_hessians_their_derivatives(
    geometry: Case, shape: Callable[[Section, Array], Any]
) -> None:
    def frame(q: Array) -> Frame:
        return last_frame(geometry.arm, q, shape)

    at, q = frame(geometry.q), geometry.q
    agree(at.J_omega, at.R.T @ gradient(lambda q: frame(q).R, q))
    agree(at.J_v, gradient(lambda q: frame(q).p, q) @ at.R)
    agree(at.H_omega, gradient(lambda q: frame(q).J_omega, q))
    agree(at.H_v, gradient(lambda q: frame(q).J_v, q))


def test_tip_frame_is_the_product_of_the_section_poses(geometry: Case) -> None:
    arm = geometry.arm.replace(base_rotation=(0.0, 0.0, 0.0))
    found, wanted = last_frame(arm, geometry.q, tip_shape), tips(arm, geometry.q)[-1]
    agree(found.R, wanted[:3, :3])
    agree(found.p, wanted[:3, 3])


# ---- Mass matrix and kinetic energy ----------------------------------------------------------------------------------


def test_mass_matrix_is_symmetric(case: Case) -> None:
    M = paper_terms(case.arm, case.q, case.qd).M
    agree(M, M.T, 1e-14)


def test_integral_mass_matrix_is_positive_definite(geometry: Case) -> None:
    assert np.linalg.eigvalsh(paper_terms(geometry.arm, geometry.q, geometry.qd).M)[0] > 0


def test_integral_energy_is_the_sum_of_disc_energies(geometry: Case) -> None:
    arm, q, qd = geometry.arm, geometry.q, geometry.qd
    energy = payload_energy(arm, q, qd)
    for i, section in enumerate(arm.sections):

        def poses(q: Array, i: int = i, section: Section = section) -> Array:
            return tips(arm, q)[i] @ twisted_pose(section, q[3 * i : 3 * i + 3], XI)

        T, Td = poses(q), derivative(poses, q, qd)
        omega, v = vee(T[:, :3, :3].mT @ Td[:, :3, :3]), Td[:, :3, 3]
        I = section.mass * section.radius**2 / 4 * np.array([1, 1, 2])  # thin disc: I_zz = 2 I_xx
        energy += WEIGHT @ (section.mass * (v**2).sum(-1) + omega**2 @ I) / 2
    M = paper_terms(arm, q, qd).M
    agree(qd @ M @ qd / 2, energy)


def test_shaped_energy_is_the_printed_one(geometry: Case) -> None:
    """Eqs. 18 Kwi_c, 20 Kvi_c with β on the terms of dKw_i, dKv_i, from averages of the reference poses."""
    model = MODELS[1]
    assert isinstance(model, CentreOfGravity)
    (w1, w2, w3), (v1, v2, v3) = model.beta_angular, model.beta_linear
    arm, q, qd = geometry.arm.replace(inertia=model), geometry.q, geometry.qd
    bases, bases_d = np.array(tips(arm, q)), derivative(lambda q: np.array(tips(arm, q)), q, qd)
    energy = payload_energy(arm, q, qd)
    for section, q_i, qd_i, T, Td in zip(
        arm.sections, q.reshape(-1, 3), qd.reshape(-1, 3), bases[:-1], bases_d[:-1], strict=True
    ):
        mean, mean_d = mean_twisted_pose(section, q_i), derivative(partial(mean_twisted_pose, section), q_i, qd_i)
        omega, v = T[:3, :3].T @ Td[:3, :3], T[:3, :3].T @ Td[:3, 3]
        R, Rd, p, pd = mean[:3, :3], mean_d[:3, :3], mean[:3, 3], mean_d[:3, 3]
        angular = w1 * R.T @ omega.T @ omega @ R + 2 * w2 * Rd.T @ omega @ R + w3 * Rd.T @ Rd
        linear = v @ v + 2 * v @ omega @ p + 2 * v @ pd
        linear += v1 * p @ omega.T @ omega @ p + 2 * v2 * p @ omega.T @ pd + v3 * pd @ pd
        energy += section.mass * section.radius**2 / 8 * (angular[0, 0] + angular[1, 1]) + section.mass / 2 * linear
    M = paper_terms(arm, q, qd).M
    agree(qd @ M @ qd / 2, energy)


def test_point_mass_is_the_disc_without_shaping_and_without_size(geometry: Case) -> None:
    bare = CentreOfGravity(beta_linear=(1.0, 1.0, 1.0), beta_angular=(0.0, 0.0, 0.0))
    M, wanted = (paper_terms(geometry.arm.replace(inertia=m), geometry.q, geometry.qd).M for m in (PointMass(), bare))
    agree(M, wanted, 1e-14)


@pytest.mark.parametrize(
    ("model", "wanted"),
    [(Integral(), 1.0), (SMALL_BENDS, 1.0), (CentreOfGravity(), 1.047), (PointMass(), 0.0)],
    ids=["integral", "small-bend limits", "fitted", "point mass"],
)
def test_case_study_a_section_that_spins_has_energy_unless_it_is_a_point(model: InertiaModel, wanted: float) -> None:
    """Section II-D: a resting straight section on a frame spinning about Z has K = m r² ω_z² / 4 times β1^ω, if any."""
    section = Section(length=0.15, radius=0.0125, mass=0.1, stiffness=1700)
    spin = np.array([[[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]])
    before = Frame(np.eye(3), np.zeros(3), spin, np.zeros((1, 1, 3, 3)), np.zeros((1, 3)), np.zeros((1, 1, 3)))
    M, _ = section_inertia(model, section, np.zeros(3), mean_shape(section, np.zeros(3)), before, 24)
    assert M[0, 0] / 2 == pytest.approx(wanted * section.mass * section.radius**2 / 4, rel=1e-14, abs=1e-20)


def test_cutting_sections_in_two_changes_nothing(geometry: Case) -> None:
    """Integral model: halves with tied coordinates q/2 are the same body. Holds for M, C q̇ and G."""
    halves, tie = [], []
    for i, section in enumerate(geometry.arm.sections):
        half = section.replace(length=section.length / 2, mass=section.mass / 2)
        halves += [half.replace(offset=0.0, twist=0.0), half]
        tie += [np.eye(3 * geometry.arm.n)[3 * i : 3 * i + 3] / 2] * 2
    A = np.concatenate(tie)
    whole = paper_terms(geometry.arm, geometry.q, geometry.qd)
    cut = paper_terms(geometry.arm.replace(sections=tuple(halves)), A @ geometry.q, A @ geometry.qd)
    agree(A.T @ cut.M @ A, whole.M)
    agree(A.T @ cut.C @ A @ geometry.qd, whole.C @ geometry.qd)
    agree(A.T @ cut.G, whole.G)


def test_quadrature_has_converged_at_its_default(geometry: Case) -> None:
    found, wanted = (paper_terms(geometry.arm, geometry.q, geometry.qd, points=points) for points in (24, 60))
    agree(found.M, wanted.M, 1e-13)
    agree(found.dM, wanted.dM, 1e-13)


# ---- Coriolis matrix, gravity, equation of motion --------------------------------------------------------------------


def test_mass_matrix_derivatives_are_its_complex_steps(case: Case) -> None:
    wanted = gradient(partial(mass_matrix, case.arm), case.q)
    # at a full turn c_2 is zero and comes from c_8 by four subtractions: three digits less than elsewhere
    agree(paper_terms(case.arm, case.q, case.qd).dM, wanted, 5e-12)


def test_mdot_minus_2c_is_skew(case: Case) -> None:
    Mdot = derivative(partial(mass_matrix, case.arm), case.q, case.qd)
    skew = Mdot - 2 * paper_terms(case.arm, case.q, case.qd).C
    agree(skew + skew.T + Mdot, Mdot)


def test_coriolis_force_is_lagranges(case: Case) -> None:
    """C q̇ = Ṁ q̇ - ∂K/∂q; the printed indices, C transposed, keep Ṁ - 2C skew and fail here."""
    arm, q, qd = case.arm, case.q, case.qd
    Mdot = derivative(partial(mass_matrix, arm), q, qd)
    slope = gradient(lambda q: qd @ mass_matrix(arm, q) @ qd / 2, q)
    agree(paper_terms(arm, q, qd).C @ qd, Mdot @ qd - slope)


def gravity_potential(arm: Arm, q: Array) -> Array:
    g, bases = np.array(arm.gravity), tips(arm, q)
    energy = 0.0 * q[0]
    for i, section in enumerate(arm.sections):
        energy -= section.mass * (bases[i] @ mean_twisted_pose(section, q[3 * i : 3 * i + 3]))[:3, 3] @ g
    if arm.payload is not None:
        energy -= arm.payload.mass * (bases[-1] @ [*arm.payload.offset, 1.0])[:3] @ g
    return energy


def test_gravity_force_is_the_gradient_of_the_potential_in_every_model(geometry: Case) -> None:
    wanted = gradient(partial(gravity_potential, geometry.arm), geometry.q)
    for model in MODELS:
        agree(paper_terms(geometry.arm.replace(inertia=model), geometry.q, geometry.qd).G, wanted)


def test_power_in_is_energy_change_plus_dissipation(geometry: Case) -> None:
    """d/dt (K + P) = q̇·τ - q̇ᵀ D q̇ along the solution, with energies from the reference."""
    arm, q, qd, n = geometry.arm, geometry.q, geometry.qd, geometry.arm.n
    tau = geometry.rng.normal(size=3 * n) * 10
    qdd = paper_forward_dynamics(arm, q, qd, tau)
    K_e, D = (np.zeros((3 * n, 3 * n)) for _ in range(2))
    for i, section in enumerate(arm.sections):
        own = slice(3 * i, 3 * i + 3)
        K_e[own, own], D[own, own] = np.diag(np.array(section.stiffness)), np.diag(np.array(section.damping))

    def energy(t: Array) -> Array:
        q_t, qd_t = q + qd * t, qd + qdd * t
        return qd_t @ mass_matrix(arm, q_t) @ qd_t / 2 + gravity_potential(arm, q_t) + q_t @ K_e @ q_t / 2

    supplied, lost = qd @ tau, qd @ D @ qd
    # energy() is a sum of stiff terms, so the error is measured against them
    scale = np.abs(qd) @ (np.abs(tau) + np.abs(K_e @ q)) + lost
    assert abs(derivative(lambda t: energy(t[0]), np.zeros(1), np.ones(1)) - (supplied - lost)) < 1e-11 * scale


@pytest.mark.parametrize(
    "model", MODELS[:2], ids=lambda model: model.model
)  # a point mass has no inertia at a full turn
def test_acceleration_solves_the_equation_of_motion(geometry: Case, model: InertiaModel) -> None:
    arm, q, qd = geometry.arm.replace(inertia=model), geometry.q, geometry.qd
    tau = geometry.rng.normal(size=len(q)) * 10
    M, C, G, K_e, D, _ = paper_terms(arm, q, qd)
    qdd = paper_forward_dynamics(arm, q, qd, tau)
    forces = np.stack([tau, (C + D) @ qd, G, K_e @ q])
    # a solve leaves a residual of rounding times |M| |q̈|
    size = np.abs(forces).max() + np.abs(M).sum(axis=1).max() * np.abs(qdd).max()
    assert np.abs(M @ qdd + forces[1:].sum(axis=0) - tau).max() < 1e-13 * size


# ---- What is refused -------------------------------------------------------------------------------------------------


def prototype(**changes: Any) -> Arm:
    return Arm(sections=(Section(length=0.15, radius=0.0125, mass=0.1, stiffness=1700, **changes),))


@pytest.mark.parametrize(
    ("q", "says"),
    [
        (np.zeros(4), r"q .*\(4,\).*3"),
        (np.zeros((2, 3)), r"q.*\(2, 3\).*\(3,\)"),
        ([np.nan, 0.0, 0.0], r"q\[0\] = nan.*finite"),
        ([0.0, 0.0, 0.2], r"section 1 .*10\.66.*2π"),
        ([-0.2, -0.2, -0.2], r"section 1 .*-0\.05 m.* 0"),
    ],
)
def test_a_state_outside_the_model_is_refused(q: Any, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        paper_terms(prototype(), q, np.zeros(3))


def test_stops_are_refused() -> None:
    arm = prototype(length_range=(0.0, 0.07), stop_stiffness=1e4)
    with pytest.raises(ValueError, match=r"section 1: stop_stiffness"):
        paper_forward_dynamics(arm, np.zeros(3), np.zeros(3), np.zeros(3))
