"""Energies of an arm."""

from __future__ import annotations

from typing import cast

from numpy.typing import ArrayLike

from continuarm.arms.arm import Arm
from continuarm.common.number_checks import Floats
from continuarm.engine.evaluation import Engine, evaluated
from continuarm.engine.table import QUANTITIES

_KINETIC_ENERGY = QUANTITIES["kinetic_energy"]
_GRAVITATIONAL_ENERGY = QUANTITIES["gravitational_energy"]
_ELASTIC_ENERGY = QUANTITIES["elastic_energy"]


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
