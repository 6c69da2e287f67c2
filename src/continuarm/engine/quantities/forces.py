"""Forces over q: the terms of the equation of motion, what a wrench does, and how forces at rest change with q."""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from continuarm.arms.arm import Arm
from continuarm.common.number_checks import Floats
from continuarm.engine.evaluation import Engine, evaluated
from continuarm.engine.table import QUANTITIES

_BIAS_FORCES = QUANTITIES["bias_forces"]
_GRAVITY_FORCES = QUANTITIES["gravity_forces"]
_ELASTIC_FORCES = QUANTITIES["elastic_forces"]
_DAMPING_FORCES = QUANTITIES["damping_forces"]
_WRENCH_FORCES = QUANTITIES["wrench_forces"]
_STATIC_STIFFNESS = QUANTITIES["static_stiffness"]


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
