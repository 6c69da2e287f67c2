"""The equation of motion: solved for q̈ and for τ, its matrices, about a state, and one step further."""

from __future__ import annotations

from typing import cast

from numpy.typing import ArrayLike

from continuarm.arms.arm import Arm
from continuarm.common.number_checks import Floats
from continuarm.engine.evaluation import Engine, evaluated
from continuarm.engine.muscle_springs import springs_over_q
from continuarm.engine.state_checks import checked, common_batch
from continuarm.engine.table import QUANTITIES

_FORWARD_DYNAMICS = QUANTITIES["forward_dynamics"]
_INVERSE_DYNAMICS = QUANTITIES["inverse_dynamics"]
_MASS_MATRIX = QUANTITIES["mass_matrix"]
_CORIOLIS_MATRIX = QUANTITIES["coriolis_matrix"]
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
