"""Where an arm is: poses of tips and discs, its axis, centres of gravity, and how tips move with q."""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from continuarm.arms.arm import Arm
from continuarm.common.number_checks import Floats, whole_number
from continuarm.engine.evaluation import Engine, evaluated
from continuarm.engine.table import QUANTITIES

_TIP_POSES = QUANTITIES["tip_poses"]
_POSES_ALONG = QUANTITIES["poses_along"]
_TIP_JACOBIAN = QUANTITIES["tip_jacobian"]
_CENTRES_OF_GRAVITY = QUANTITIES["centres_of_gravity"]


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
