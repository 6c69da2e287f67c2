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
from continuarm.engine.muscle_springs import springs_over_q
from continuarm.engine.state_checks import checked, common_batch
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

    With τ = G + K_e q at rest it is zero.

    Parameters
    ----------
    arm : Arm
    q, qd, tau : array_like, (..., 3n)
        Muscle length changes, m, their velocities, m/s, and muscle forces, N, positive extends.
    engine : {"native", "reference"}, optional
        Compiled code, the default where it is built, or the NumPy form that defines the quantity.
    threads : int, optional
        How many threads a batch may use; all processors if left out.

    Returns
    -------
    ndarray, (..., 3n)
        q̈, m/s².

    Examples
    --------
    >>> arm = ca.load_arm("prototype")
    >>> still, push = np.zeros(9), np.full(9, 2.0)
    >>> print(ca.forward_dynamics(arm, still, still, push).round(2))
    [ 26.3   26.3   26.3  -72.63 -72.63 -72.63 264.21 264.21 264.21]
    """
    return cast(Floats, evaluated(_FORWARD_DYNAMICS, arm, (q, qd, tau), engine, threads))


def inverse_dynamics(
    arm: Arm, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, engine: Engine | None = None, threads: int | None = None
) -> Floats:
    """The muscle forces τ = M q̈ + C q̇ + D q̇ + G + K_e q that give an acceleration.

    At rest it is G + K_e q, the forces that hold the arm still.

    Parameters
    ----------
    arm : Arm
    q, qd, qdd : array_like, (..., 3n)
        Muscle length changes, m, their velocities, m/s, and accelerations, m/s².
    engine, threads : optional
        Which code computes it, and on how many threads: as for `forward_dynamics`.

    Returns
    -------
    ndarray, (..., 3n)
        τ, N, positive extends.

    Examples
    --------
    >>> arm = ca.load_arm("prototype")
    >>> still = np.zeros(9)
    >>> print(ca.inverse_dynamics(arm, still, still, still).round(3))  # muscles that hold the weight of what is below
    [-0.818 -0.818 -0.818 -0.491 -0.491 -0.491 -0.164 -0.164 -0.164]
    """
    return cast(Floats, evaluated(_INVERSE_DYNAMICS, arm, (q, qd, qdd), engine, threads))


def bias_forces(
    arm: Arm, q: ArrayLike, qd: ArrayLike, *, engine: Engine | None = None, threads: int | None = None
) -> Floats:
    """Everything but M q̈ in the equation of motion: C q̇ + D q̇ + G + K_e q, i.e. the τ that gives q̈ = 0.

    Parameters
    ----------
    arm : Arm
    q, qd : array_like, (..., 3n)
        Muscle length changes, m, and their velocities, m/s.
    engine, threads : optional
        Which code computes it, and on how many threads: as for `forward_dynamics`.

    Returns
    -------
    ndarray, (..., 3n)
        In N.

    Examples
    --------
    >>> arm = ca.load_arm("prototype")
    >>> q, qd = np.full(9, 0.01), np.full(9, 0.1)
    >>> bool(np.allclose(ca.bias_forces(arm, q, qd), ca.inverse_dynamics(arm, q, qd, np.zeros(9))))
    True
    """
    return cast(Floats, evaluated(_BIAS_FORCES, arm, (q, qd), engine, threads))


def gravity_forces(arm: Arm, q: ArrayLike, *, engine: Engine | None = None, threads: int | None = None) -> Floats:
    """G = ∂P_g/∂q with P_g = -Σ m gᵀ p̄ (eq. 29 Gi_c).

    Of an unbent arm that hangs, each muscle has a third of the weight of all that is below, and of half its section.

    Parameters
    ----------
    arm : Arm
    q : array_like, (..., 3n)
        Muscle length changes, m.
    engine, threads : optional
        Which code computes it, and on how many threads: as for `forward_dynamics`.

    Returns
    -------
    ndarray, (..., 3n)
        In N.

    Examples
    --------
    >>> arm = ca.load_arm("prototype")
    >>> print(ca.gravity_forces(arm, np.zeros(9)).round(3))
    [-0.818 -0.818 -0.818 -0.491 -0.491 -0.491 -0.164 -0.164 -0.164]
    """
    return cast(Floats, evaluated(_GRAVITY_FORCES, arm, (q,), engine, threads))


def elastic_forces(arm: Arm, q: ArrayLike, *, engine: Engine | None = None, threads: int | None = None) -> Floats:
    """K_e q and the end stops (eq. 30 Ge).

    Parameters
    ----------
    arm : Arm
    q : array_like, (..., 3n)
        Muscle length changes, m.
    engine, threads : optional
        Which code computes it, and on how many threads: as for `forward_dynamics`.

    Returns
    -------
    ndarray, (..., 3n)
        In N.

    Examples
    --------
    >>> arm = ca.load_arm("prototype")
    >>> print(ca.elastic_forces(arm, np.full(9, 0.01)))  # 1700 N/m, 10 mm
    [17. 17. 17. 17. 17. 17. 17. 17. 17.]
    """
    return cast(Floats, evaluated(_ELASTIC_FORCES, arm, (q,), engine, threads))


def damping_forces(arm: Arm, qd: ArrayLike, *, engine: Engine | None = None, threads: int | None = None) -> Floats:
    """D q̇.

    Parameters
    ----------
    arm : Arm
    qd : array_like, (..., 3n)
        Velocities of the muscle length changes, m/s.
    engine, threads : optional
        Which code computes it, and on how many threads: as for `forward_dynamics`.

    Returns
    -------
    ndarray, (..., 3n)
        In N.

    Examples
    --------
    >>> arm = ca.load_arm("prototype")
    >>> print(ca.damping_forces(arm, np.full(9, 0.1)))  # 110 N s/m, 0.1 m/s
    [11. 11. 11. 11. 11. 11. 11. 11. 11.]
    """
    return cast(Floats, evaluated(_DAMPING_FORCES, arm, (qd,), engine, threads))


def mass_matrix(arm: Arm, q: ArrayLike, *, engine: Engine | None = None, threads: int | None = None) -> Floats:
    """M(q), symmetric and, for the integral model, positive definite: kinetic energy = ½ q̇ᵀ M q̇.

    Column k is the force of a unit acceleration of q_k at rest.

    Parameters
    ----------
    arm : Arm
    q : array_like, (..., 3n)
        Muscle length changes, m.
    engine, threads : optional
        Which code computes it, and on how many threads: as for `forward_dynamics`.

    Returns
    -------
    ndarray, (..., 3n, 3n)
        kg.

    Examples
    --------
    >>> arm = ca.load_arm("prototype")
    >>> M = ca.mass_matrix(arm, np.zeros(9))
    >>> M.shape, bool(np.allclose(M, M.T)), bool(np.linalg.eigvalsh(M)[0] > 0)
    ((9, 9), True, True)
    """
    return cast(Floats, evaluated(_MASS_MATRIX, arm, (q,), engine, threads))


def coriolis_matrix(
    arm: Arm, q: ArrayLike, qd: ArrayLike, *, engine: Engine | None = None, threads: int | None = None
) -> Floats:
    """C(q, q̇) of the Christoffel symbols: Ṁ - 2C is skew (eq. 26 Ckj, corrected).

    C_jk = ½ Σ_h (M_jk,h + M_jh,k - M_kh,j) q̇_h.

    Parameters
    ----------
    arm : Arm
    q, qd : array_like, (..., 3n)
        Muscle length changes, m, and their velocities, m/s.
    engine, threads : optional
        Which code computes it, and on how many threads: as for `forward_dynamics`.

    Returns
    -------
    ndarray, (..., 3n, 3n)
        N s/m.

    Examples
    --------
    >>> arm = ca.load_arm("prototype")
    >>> q, qd = np.linspace(0, 0.03, 9), np.full(9, 0.2)
    >>> C = ca.coriolis_matrix(arm, q, qd)
    >>> terms = C @ qd + ca.damping_forces(arm, qd) + ca.gravity_forces(arm, q) + ca.elastic_forces(arm, q)
    >>> bool(np.allclose(terms, ca.bias_forces(arm, q, qd)))
    True
    """
    return cast(Floats, evaluated(_CORIOLIS_MATRIX, arm, (q, qd), engine, threads))


def kinetic_energy(
    arm: Arm, q: ArrayLike, qd: ArrayLike, *, engine: Engine | None = None, threads: int | None = None
) -> Floats:
    """½ q̇ᵀ M q̇ in O(n), payload included.

    Parameters
    ----------
    arm : Arm
    q, qd : array_like, (..., 3n)
        Muscle length changes, m, and their velocities, m/s.
    engine, threads : optional
        Which code computes it, and on how many threads: as for `forward_dynamics`.

    Returns
    -------
    ndarray, (...,)
        In J.

    Examples
    --------
    >>> arm = ca.load_arm("prototype")
    >>> q, qd = np.zeros(9), np.full(9, 0.1)
    >>> M = ca.mass_matrix(arm, q)
    >>> round(float(ca.kinetic_energy(arm, q, qd)), 6), round(float(qd @ M @ qd / 2), 6)
    (0.0045, 0.0045)
    """
    return cast(Floats, evaluated(_KINETIC_ENERGY, arm, (q, qd), engine, threads))


def gravitational_energy(arm: Arm, q: ArrayLike, *, engine: Engine | None = None, threads: int | None = None) -> Floats:
    """P_g = -Σ m gᵀ p̄, the same for every inertia model; zero at the base's origin.

    Parameters
    ----------
    arm : Arm
    q : array_like, (..., 3n)
        Muscle length changes, m.
    engine, threads : optional
        Which code computes it, and on how many threads: as for `forward_dynamics`.

    Returns
    -------
    ndarray, (...,)
        In J.

    Examples
    --------
    >>> arm = ca.load_arm("prototype")
    >>> round(float(ca.gravitational_energy(arm, np.zeros(9))), 3)  # 0.3 kg, 0.225 m below the base
    -0.662
    """
    return cast(Floats, evaluated(_GRAVITATIONAL_ENERGY, arm, (q,), engine, threads))


def elastic_energy(arm: Arm, q: ArrayLike, *, engine: Engine | None = None, threads: int | None = None) -> Floats:
    """½ qᵀ K_e q plus what the end stops hold.

    Parameters
    ----------
    arm : Arm
    q : array_like, (..., 3n)
        Muscle length changes, m.
    engine, threads : optional
        Which code computes it, and on how many threads: as for `forward_dynamics`.

    Returns
    -------
    ndarray, (...,)
        In J.

    Examples
    --------
    >>> arm = ca.load_arm("prototype")
    >>> round(float(ca.elastic_energy(arm, np.full(9, 0.01))), 3)  # nine springs of 1700 N/m, 10 mm each
    0.765
    """
    return cast(Floats, evaluated(_ELASTIC_ENERGY, arm, (q,), engine, threads))


def potential_energy(arm: Arm, q: ArrayLike, *, engine: Engine | None = None, threads: int | None = None) -> Floats:
    """P_g + P_e, whose gradient is G + K_e q.

    Parameters
    ----------
    arm : Arm
    q : array_like, (..., 3n)
        Muscle length changes, m.
    engine, threads : optional
        Which code computes it, and on how many threads: as for `forward_dynamics`.

    Returns
    -------
    ndarray, (...,)
        In J.

    Examples
    --------
    >>> arm = ca.load_arm("prototype")
    >>> rest = ca.equilibrium(arm)
    >>> bool(ca.potential_energy(arm, rest) < ca.potential_energy(arm, rest + 1e-3))  # least where it rests
    True
    """
    gravitational = gravitational_energy(arm, q, engine=engine, threads=threads)
    return gravitational + elastic_energy(arm, q, engine=engine, threads=threads)


def tip_poses(arm: Arm, q: ArrayLike, *, engine: Engine | None = None, threads: int | None = None) -> Floats:
    """Pose T^i of every tip in the world frame, where the next section is attached, joint included (eq. 2 HTM_ith).

    Unbent, tip i is on the base's +Z axis.

    Parameters
    ----------
    arm : Arm
    q : array_like, (..., 3n)
        Muscle length changes, m.
    engine, threads : optional
        Which code computes it, and on how many threads: as for `forward_dynamics`.

    Returns
    -------
    ndarray, (..., n, 4, 4)
        Homogeneous matrices [[R, p], [0, 1]], positions p in m.

    Examples
    --------
    >>> arm = ca.load_arm("prototype")
    >>> print(ca.tip_poses(arm, np.zeros(9))[:, :3, 3])
    [[0.   0.   0.15]
     [0.   0.   0.3 ]
     [0.   0.   0.45]]
    """
    return cast(Floats, evaluated(_TIP_POSES, arm, (q,), engine, threads))


def poses_along(
    arm: Arm, q: ArrayLike, xi: ArrayLike, *, engine: Engine | None = None, threads: int | None = None
) -> Floats:
    """Pose of the discs at ξ of every section in the world frame.

    ξ = 0 is a section's base, ξ = 1 its tip before the joint.

    Parameters
    ----------
    arm : Arm
    q : array_like, (..., 3n)
        Muscle length changes, m.
    xi : array_like, (k,)
        Places ξ along each section, from 0 to 1.
    engine, threads : optional
        Which code computes it, and on how many threads: as for `forward_dynamics`.

    Returns
    -------
    ndarray, (..., n, k, 4, 4)
        Homogeneous matrices, positions in m.

    Examples
    --------
    >>> arm = ca.load_arm("prototype")
    >>> poses = ca.poses_along(arm, np.zeros(9), [0, 0.5, 1])
    >>> poses.shape, poses[0, 1, :3, 3].tolist()  # half way along the first section
    ((3, 3, 4, 4), [0.0, 0.0, 0.075])
    """
    return cast(Floats, evaluated(_POSES_ALONG, arm, (q, xi), engine, threads))


def backbone(
    arm: Arm, q: ArrayLike, points: int = 50, *, engine: Engine | None = None, threads: int | None = None
) -> Floats:
    """Points on the arm's axis in the world frame, evenly spaced from base to tip of each section.

    Parameters
    ----------
    arm : Arm
    q : array_like, (..., 3n)
        Muscle length changes, m.
    points : int, optional
        Of each section, ends included.
    engine, threads : optional
        Which code computes it, and on how many threads: as for `forward_dynamics`.

    Returns
    -------
    ndarray, (..., n · points, 3)
        In m.

    Examples
    --------
    >>> arm = ca.load_arm("prototype")
    >>> ca.backbone(arm, np.zeros(9), points=20).shape
    (60, 3)
    """
    places = np.linspace(0, 1, whole_number("points", points, least=2))
    poses = poses_along(arm, q, places, engine=engine, threads=threads)
    return poses[..., :3, 3].reshape(*poses.shape[:-4], arm.n * len(places), 3)


def centres_of_gravity(arm: Arm, q: ArrayLike, *, engine: Engine | None = None, threads: int | None = None) -> Floats:
    """Centre of gravity p̄ of every section in the world frame (eq. 9 HTM_c_section), the same for every inertia model.

    Unbent, that of section i is in the middle of it.

    Parameters
    ----------
    arm : Arm
    q : array_like, (..., 3n)
        Muscle length changes, m.
    engine, threads : optional
        Which code computes it, and on how many threads: as for `forward_dynamics`.

    Returns
    -------
    ndarray, (..., n, 3)
        In m.

    Examples
    --------
    >>> arm = ca.load_arm("prototype")
    >>> print(ca.centres_of_gravity(arm, np.zeros(9))[:, 2])
    [0.075 0.225 0.375]
    """
    return cast(Floats, evaluated(_CENTRES_OF_GRAVITY, arm, (q,), engine, threads))


def tip_jacobian(arm: Arm, q: ArrayLike, *, engine: Engine | None = None, threads: int | None = None) -> Floats:
    """Velocity of every tip over q̇, in the world frame.

    Parameters
    ----------
    arm : Arm
    q : array_like, (..., 3n)
        Muscle length changes, m.
    engine, threads : optional
        Which code computes it, and on how many threads: as for `forward_dynamics`.

    Returns
    -------
    ndarray, (..., n, 6, 3n)
        Rows 0-2: angular velocity, rad/m; rows 3-5: linear velocity, m/m, which is ∂(tip position)/∂q.

    Examples
    --------
    >>> arm = ca.load_arm("prototype")
    >>> J = ca.tip_jacobian(arm, np.zeros(9))
    >>> J.shape, J[-1, 5].round(3).tolist()  # a muscle that extends by 3 mm moves the straight arm's tip by 1 mm
    ((3, 6, 9), [0.333, 0.333, 0.333, 0.333, 0.333, 0.333, 0.333, 0.333, 0.333])
    """
    return cast(Floats, evaluated(_TIP_JACOBIAN, arm, (q,), engine, threads))


def wrench_forces(
    arm: Arm, q: ArrayLike, wrench: ArrayLike, *, engine: Engine | None = None, threads: int | None = None
) -> Floats:
    """Jᵀ w: what a wrench on the last tip does over q, in O(n).

    Parameters
    ----------
    arm : Arm
    q : array_like, (..., 3n)
        Muscle length changes, m.
    wrench : array_like, (..., 6)
        Moment, N m, and force, N, on the last tip, world axes.
    engine, threads : optional
        Which code computes it, and on how many threads: as for `forward_dynamics`.

    Returns
    -------
    ndarray, (..., 3n)
        In N.

    Examples
    --------
    >>> arm = ca.load_arm("prototype")
    >>> print(ca.wrench_forces(arm, np.zeros(9), [0, 0, 0, 0, 0, 3.0]))  # pulled down by 3 N
    [1. 1. 1. 1. 1. 1. 1. 1. 1.]
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
    """∂(G + K_e q - Jᵀ w)/∂q, exact, end stops included: how the force that holds an arm still changes with q.

    Symmetric but for the part of a moment, which has no energy.

    Parameters
    ----------
    arm : Arm
    q : array_like, (..., 3n)
        Muscle length changes, m.
    wrench : array_like, (..., 6), optional
        Moment, N m, and force, N, on the last tip, world axes; none if left out.
    engine, threads : optional
        Which code computes it, and on how many threads: as for `forward_dynamics`.

    Returns
    -------
    ndarray, (..., 3n, 3n)
        N/m.

    Examples
    --------
    The stiffness of the tip against forces is the inverse of J K⁻¹ Jᵀ:

    >>> arm = ca.load_arm("prototype")
    >>> q = ca.equilibrium(arm)
    >>> J = ca.tip_jacobian(arm, q)[-1, 3:]
    >>> compliance = J @ np.linalg.solve(ca.static_stiffness(arm, q), J.T)
    >>> print(np.diag(compliance).round(5))  # m/N, along X, Y and Z
    [0.22599 0.22599 0.00059]
    """
    return cast(
        Floats, evaluated(_STATIC_STIFFNESS, arm, (q, np.zeros(6) if wrench is None else wrench), engine, threads)
    )


def linearization(
    arm: Arm,
    q: ArrayLike,
    qd: ArrayLike,
    tau: ArrayLike,
    *,
    muscle_stiffness: ArrayLike | None = None,
    engine: Engine | None = None,
    threads: int | None = None,
) -> tuple[Floats, Floats]:
    """A = ∂(q̇, q̈)/∂(q, q̇) and B = ∂(q̇, q̈)/∂τ at a state: derivatives to rounding, not differences.

    The lower block of B is M⁻¹. τ is taken as constant beside the springs: what valves and hysteresis add to the
    state, their lags and their forces, is not in A and B.

    Parameters
    ----------
    arm : Arm
    q, qd, tau : array_like, (..., 3n)
        Muscle length changes, m, their velocities, m/s, and muscle forces, N, positive extends.
    muscle_stiffness : array_like, (..., muscles), optional
        k: springs along the muscles beside K_e, N/m, such as those of muscles that pressure stiffens. They act besides
        τ, by -Wᵀ k W q, as in `equilibrium` and `vibrations`. Those that `muscle_stiffness(arm, q, pressures)` gives
        are slopes: with them a τ that holds the arm at rest is inverse_dynamics(arm, q, 0, 0) + Wᵀ k W q.
    engine, threads : optional
        Which code computes it, and on how many threads: as for `forward_dynamics`.

    Returns
    -------
    A : ndarray, (..., 6n, 6n)
        Over the state (q, q̇).
    B : ndarray, (..., 6n, 3n)
        Over τ.

    Examples
    --------
    >>> arm = ca.load_arm("prototype")
    >>> q = ca.equilibrium(arm)
    >>> A, B = ca.linearization(arm, q, np.zeros(9), np.zeros(9))
    >>> A.shape, B.shape, bool(np.linalg.eigvals(A).real.max() < 0)  # the arm rests stably
    ((18, 18), (18, 9), True)
    """
    if muscle_stiffness is None:
        return cast(tuple[Floats, Floats], evaluated(_LINEARIZATION, arm, (q, qd, tau), engine, threads))
    at, speed, force = checked(arm, q=q, qd=qd, tau=tau)
    springs = springs_over_q(arm, muscle_stiffness)
    common_batch({"q": at.shape, "muscle_stiffness": (*springs.shape[:-2], len(arm.muscle_names))})
    held = force - (springs @ at[..., None])[..., 0]
    A, B = cast(tuple[Floats, Floats], evaluated(_LINEARIZATION, arm, (at, speed, held), engine, threads))
    size = 3 * arm.n
    A[..., size:, :size] -= B[..., size:, :] @ springs  # the chain rule: what the springs do is a part of τ
    return A, B


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

    A batch of arms steps together.

    Parameters
    ----------
    arm : Arm
    q, qd, tau : array_like, (..., 3n)
        Muscle length changes, m, their velocities, m/s, and muscle forces, N, positive extends.
    step : float
        h, s.
    engine, threads : optional
        Which code computes it, and on how many threads: as for `forward_dynamics`.

    Returns
    -------
    q, qd : ndarray, (..., 3n)
        m and m/s, a step later.

    Examples
    --------
    >>> arm = ca.load_arm("prototype")
    >>> q, qd = np.zeros(9), np.zeros(9)
    >>> for _ in range(1000):  # a second
    ...     q, qd = ca.implicit_step(arm, q, qd, np.full(9, 2.0), 1e-3)
    >>> round(1e3 * float(ca.tip_poses(arm, q)[-1, 2, 3]), 2)  # mm below the base
    454.39
    """
    return cast(tuple[Floats, Floats], evaluated(_IMPLICIT_STEP, arm, (q, qd, tau, step), engine, threads))
