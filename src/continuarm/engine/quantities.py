"""The quantities of an arm: what users call.

Every function takes an arm and arrays with leading batch axes, (..., 3n), and two choices:
engine: "native" (the default where it is built) or "reference", the NumPy form that defines the quantity.
threads: how many threads a batch may use; all processors if left out.
"""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from continuarm.arms.arm import Arm
from continuarm.common.number_checks import Floats, whole_number
from continuarm.engine.evaluation import Engine, evaluated
from continuarm.engine.table import QUANTITIES

_FORWARD_DYNAMICS = QUANTITIES["forward_dynamics"]
_INVERSE_DYNAMICS = QUANTITIES["inverse_dynamics"]
_BIAS_FORCES = QUANTITIES["bias_forces"]
_GRAVITY_FORCES = QUANTITIES["gravity_forces"]
_ELASTIC_FORCES = QUANTITIES["elastic_forces"]
_DAMPING_FORCES = QUANTITIES["damping_forces"]
_MASS_MATRIX = QUANTITIES["mass_matrix"]
_CORIOLIS_MATRIX = QUANTITIES["coriolis_matrix"]
_KINETIC_ENERGY = QUANTITIES["kinetic_energy"]
_GRAVITATIONAL_ENERGY = QUANTITIES["gravitational_energy"]
_ELASTIC_ENERGY = QUANTITIES["elastic_energy"]
_TIP_POSES = QUANTITIES["tip_poses"]
_POSES_ALONG = QUANTITIES["poses_along"]
_TIP_JACOBIAN = QUANTITIES["tip_jacobian"]
_CENTRES_OF_GRAVITY = QUANTITIES["centres_of_gravity"]
_WRENCH_FORCES = QUANTITIES["wrench_forces"]
_STATIC_STIFFNESS = QUANTITIES["static_stiffness"]
_LINEARIZATION = QUANTITIES["linearization"]
_IMPLICIT_STEP = QUANTITIES["implicit_step"]


def forward_dynamics(
    arm: Arm, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, *, engine: Engine | None = None, threads: int | None = None
) -> Floats:
    """The accelerations q̈ = M⁻¹ (τ - C q̇ - D q̇ - G - K_e q), in O(n) without forming M.

    q, qd, tau: (..., 3n) in m, m/s, N; returns (..., 3n) in m/s². With τ = G + K_e q at rest it is zero.
    """
    return cast(Floats, evaluated(_FORWARD_DYNAMICS, arm, (q, qd, tau), engine, threads))


def inverse_dynamics(
    arm: Arm, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, engine: Engine | None = None, threads: int | None = None
) -> Floats:
    """The muscle forces τ = M q̈ + C q̇ + D q̇ + G + K_e q that give an acceleration.

    q, qd, qdd: (..., 3n) in m, m/s, m/s²; returns (..., 3n) in N, positive extends. At rest it is G + K_e q.
    """
    return cast(Floats, evaluated(_INVERSE_DYNAMICS, arm, (q, qd, qdd), engine, threads))


def bias_forces(
    arm: Arm, q: ArrayLike, qd: ArrayLike, *, engine: Engine | None = None, threads: int | None = None
) -> Floats:
    """Everything but M q̈ in the equation of motion: C q̇ + D q̇ + G + K_e q, i.e. the τ that gives q̈ = 0.

    q, qd: (..., 3n) in m, m/s; returns (..., 3n) in N.
    """
    return cast(Floats, evaluated(_BIAS_FORCES, arm, (q, qd), engine, threads))


def gravity_forces(arm: Arm, q: ArrayLike, *, engine: Engine | None = None, threads: int | None = None) -> Floats:
    """G = ∂P_g/∂q with P_g = -Σ m gᵀ p̄ (eq. 29 Gi_c): q (..., 3n) in m -> (..., 3n) in N."""
    return cast(Floats, evaluated(_GRAVITY_FORCES, arm, (q,), engine, threads))


def elastic_forces(arm: Arm, q: ArrayLike, *, engine: Engine | None = None, threads: int | None = None) -> Floats:
    """K_e q and the end stops (eq. 30 Ge): q (..., 3n) in m -> (..., 3n) in N."""
    return cast(Floats, evaluated(_ELASTIC_FORCES, arm, (q,), engine, threads))


def damping_forces(arm: Arm, qd: ArrayLike, *, engine: Engine | None = None, threads: int | None = None) -> Floats:
    """D q̇: qd (..., 3n) in m/s -> (..., 3n) in N."""
    return cast(Floats, evaluated(_DAMPING_FORCES, arm, (qd,), engine, threads))


def mass_matrix(arm: Arm, q: ArrayLike, *, engine: Engine | None = None, threads: int | None = None) -> Floats:
    """M(q), symmetric and, for the integral model, positive definite: kinetic energy = ½ q̇ᵀ M q̇.

    q: (..., 3n) in m; returns (..., 3n, 3n) in kg. Column k is the force of a unit acceleration of q_k at rest.
    """
    return cast(Floats, evaluated(_MASS_MATRIX, arm, (q,), engine, threads))


def coriolis_matrix(
    arm: Arm, q: ArrayLike, qd: ArrayLike, *, engine: Engine | None = None, threads: int | None = None
) -> Floats:
    """C(q, q̇) of the Christoffel symbols: Ṁ - 2C is skew (eq. 26 Ckj, corrected).

    C_jk = ½ Σ_h (M_jk,h + M_jh,k - M_kh,j) q̇_h.
    q, qd: (..., 3n) in m, m/s; returns (..., 3n, 3n) in N s/m.
    """
    return cast(Floats, evaluated(_CORIOLIS_MATRIX, arm, (q, qd), engine, threads))


def kinetic_energy(
    arm: Arm, q: ArrayLike, qd: ArrayLike, *, engine: Engine | None = None, threads: int | None = None
) -> Floats:
    """½ q̇ᵀ M q̇ in O(n), payload included.

    q, qd: (..., 3n) in m, m/s; returns (...,) in J.
    """
    return cast(Floats, evaluated(_KINETIC_ENERGY, arm, (q, qd), engine, threads))


def gravitational_energy(arm: Arm, q: ArrayLike, *, engine: Engine | None = None, threads: int | None = None) -> Floats:
    """P_g = -Σ m gᵀ p̄, the same for every inertia model: q (..., 3n) in m -> (...,) in J; zero at the base's origin."""
    return cast(Floats, evaluated(_GRAVITATIONAL_ENERGY, arm, (q,), engine, threads))


def elastic_energy(arm: Arm, q: ArrayLike, *, engine: Engine | None = None, threads: int | None = None) -> Floats:
    """½ qᵀ K_e q plus what the end stops hold: q (..., 3n) in m -> (...,) in J."""
    return cast(Floats, evaluated(_ELASTIC_ENERGY, arm, (q,), engine, threads))


def potential_energy(arm: Arm, q: ArrayLike, *, engine: Engine | None = None, threads: int | None = None) -> Floats:
    """P_g + P_e: G + K_e q is its gradient; q (..., 3n) in m -> (...,) in J."""
    gravitational = gravitational_energy(arm, q, engine=engine, threads=threads)
    return gravitational + elastic_energy(arm, q, engine=engine, threads=threads)


def tip_poses(arm: Arm, q: ArrayLike, *, engine: Engine | None = None, threads: int | None = None) -> Floats:
    """Pose T^i of every tip in the world frame, where the next section is attached, joint included (eq. 2 HTM_ith).

    q: (..., 3n) in m; returns (..., n, 4, 4), positions in m. Unbent, tip i is on the base's +Z axis.
    """
    return cast(Floats, evaluated(_TIP_POSES, arm, (q,), engine, threads))


def poses_along(
    arm: Arm, q: ArrayLike, xi: ArrayLike, *, engine: Engine | None = None, threads: int | None = None
) -> Floats:
    """Pose of the discs at ξ of every section in the world frame.

    ξ = 0 is a section's base, ξ = 1 its tip before the joint.
    q: (..., 3n) in m, xi: (k,) in [0, 1]; returns (..., n, k, 4, 4), positions in m.
    """
    return cast(Floats, evaluated(_POSES_ALONG, arm, (q, xi), engine, threads))


def backbone(
    arm: Arm, q: ArrayLike, points: int = 50, *, engine: Engine | None = None, threads: int | None = None
) -> Floats:
    """Points on the arm's axis in the world frame, evenly spaced from base to tip of each section.

    q: (..., 3n) in m; returns (..., n · points, 3) in m.
    """
    places = np.linspace(0, 1, whole_number("points", points, least=2))
    poses = poses_along(arm, q, places, engine=engine, threads=threads)
    return poses[..., :3, 3].reshape(*poses.shape[:-4], arm.n * len(places), 3)


def centres_of_gravity(arm: Arm, q: ArrayLike, *, engine: Engine | None = None, threads: int | None = None) -> Floats:
    """Centre of gravity p̄ of every section in the world frame (eq. 9 HTM_c_section), the same for every inertia model.

    q: (..., 3n) in m; returns (..., n, 3) in m. Unbent, that of section i is in the middle of it.
    """
    return cast(Floats, evaluated(_CENTRES_OF_GRAVITY, arm, (q,), engine, threads))


def tip_jacobian(arm: Arm, q: ArrayLike, *, engine: Engine | None = None, threads: int | None = None) -> Floats:
    """Velocity of every tip over q̇: rows 0-2 its angular, rows 3-5 its linear velocity, in the world frame.

    q: (..., 3n) in m; returns (..., n, 6, 3n), rad/m and m/m. Rows 3-5 are ∂(tip position)/∂q.
    """
    return cast(Floats, evaluated(_TIP_JACOBIAN, arm, (q,), engine, threads))


def wrench_forces(
    arm: Arm, q: ArrayLike, wrench: ArrayLike, *, engine: Engine | None = None, threads: int | None = None
) -> Floats:
    """Jᵀ w: what a wrench on the last tip does over q, in O(n).

    q: (..., 3n) in m; wrench: (..., 6), moment in N m and force in N, world axes; returns (..., 3n) in N.
    """
    return cast(Floats, evaluated(_WRENCH_FORCES, arm, (q, wrench), engine, threads))


def static_stiffness(
    arm: Arm,
    q: ArrayLike,
    wrench: ArrayLike | None = None,
    *,
    engine: Engine | None = None,
    threads: int | None = None,
) -> Floats:
    """∂(G + K_e q - Jᵀ w)/∂q, end stops included: how the force that holds an arm still changes with q.

    q: (..., 3n) in m; wrench: (..., 6) on the last tip, moment in N m and force in N, world axes, none if left out;
    returns (..., 3n, 3n) in N/m, exact. Symmetric but for the part of a moment, which has no energy.
    """
    return cast(
        Floats, evaluated(_STATIC_STIFFNESS, arm, (q, np.zeros(6) if wrench is None else wrench), engine, threads)
    )


def linearization(
    arm: Arm, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, *, engine: Engine | None = None, threads: int | None = None
) -> tuple[Floats, Floats]:
    """A = ∂(q̇, q̈)/∂(q, q̇) and B = ∂(q̇, q̈)/∂τ at a state: derivatives to rounding, not differences.

    q, qd, tau: (..., 3n) in m, m/s, N; returns A (..., 6n, 6n) and B (..., 6n, 3n). The lower block of B is M⁻¹.
    """
    return cast(tuple[Floats, Floats], evaluated(_LINEARIZATION, arm, (q, qd, tau), engine, threads))


def implicit_step(
    arm: Arm,
    q: ArrayLike,
    qd: ArrayLike,
    tau: ArrayLike,
    step: float,
    *,
    engine: Engine | None = None,
    threads: int | None = None,
) -> tuple[Floats, Floats]:
    """The state a step h later under forces that are constant meanwhile: order 2, L-stable in springs and dampers.

    q, qd, tau: (..., 3n) in m, m/s, N; step in s; returns q and q̇ (..., 3n). A batch of arms steps together.
    """
    return cast(tuple[Floats, Floats], evaluated(_IMPLICIT_STEP, arm, (q, qd, tau, step), engine, threads))
