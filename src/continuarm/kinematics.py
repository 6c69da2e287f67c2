"""Where the arm is: poses along it, its backbone, and how its tips move with the muscles."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from continuarm.arguments import Floats, checked, fractions, whole_number
from continuarm.arm import Arm
from continuarm.chain import shapes
from continuarm.section_kinematics import Tip, arc_at, shape, tip
from continuarm.spatial import Array, block, cross, pose, times, transpose


def tip_poses(arm: Arm, q: ArrayLike) -> Floats:
    """Pose T^i of every tip in the world frame, where the next section is attached, joint σ, γ included (eq. HTM_ith).

    q: (..., 3n) in m; returns (..., n, 4, 4), positions in m. Unbent, tip i is on the base's +Z axis.
    """
    (q,) = checked(arm, q=q)
    return np.stack([pose(rotation, position) for rotation, position in _tips(arm, q)[1:]], axis=-3)


def poses_along(arm: Arm, q: ArrayLike, xi: ArrayLike) -> Floats:
    """Pose of the discs at ξ of every section in the world frame.

    ξ = 0 is a section's base, ξ = 1 its tip before the joint.
    q: (..., 3n) in m, xi: (k,) in [0, 1]; returns (..., n, k, 4, 4), positions in m.
    """
    (q,) = checked(arm, q=q)
    places = fractions("xi", xi)
    rows = []
    for (base, origin), x in zip(_tips(arm, q)[:-1], shapes(arm, q), strict=True):
        rotation, position = arc_at(x[..., None, :], places)
        base, origin = base[..., None, :, :], origin[..., None, :]
        rows.append(pose(base @ rotation, origin + times(base, position)))
    return np.stack(rows, axis=-4)


def backbone(arm: Arm, q: ArrayLike, points: int = 50) -> Floats:
    """Points on the arm's axis in the world frame, evenly spaced from base to tip of each section.

    q: (..., 3n) in m; returns (..., n · points, 3) in m.
    """
    places = np.linspace(0, 1, whole_number("points", points, least=2))
    poses = poses_along(arm, q, places)
    return poses[..., :3, 3].reshape(*poses.shape[:-4], arm.n * len(places), 3)


def tip_jacobian(arm: Arm, q: ArrayLike) -> Floats:
    """Velocity of every tip over q̇: rows 0-2 its angular, rows 3-5 its linear velocity, in the world frame.

    q: (..., 3n) in m; returns (..., n, 6, 3n), rad/m and m/m. Rows 3-5 are ∂(tip position)/∂q.
    """
    (q,) = checked(arm, q=q)
    frames = _tips(arm, q)
    columns = [
        _world_columns(frame, tip(section, shape(x)).subspace @ section.shape_map)
        for frame, section, x in zip(frames, arm.sections, shapes(arm, q), strict=False)
    ]
    rows = []
    for i, (_, position) in enumerate(frames[1:]):
        moved = [
            _moved(origin, column, position) for (_, origin), column in zip(frames, columns[: i + 1], strict=False)
        ]
        still = np.zeros((*q.shape[:-1], 6, 3 * (arm.n - i - 1)))
        rows.append(block([[*moved, still]]))
    return np.stack(rows, axis=-3)


def _tips(arm: Arm, q: Array) -> list[tuple[Array, Array]]:
    """Rotation and position of the base and of every tip, in the world frame: n + 1 of them."""
    batch = q.shape[:-1]
    rotation, position = np.broadcast_to(arm.base_orientation, (*batch, 3, 3)), np.zeros((*batch, 3))
    frames = [(rotation, position)]
    for section, x in zip(arm.sections, shapes(arm, q), strict=True):
        end: Tip = tip(section, shape(x))
        rotation, position = rotation @ end.rotation, position + times(rotation, end.position)
        frames.append((rotation, position))
    return frames


def _world_columns(frame: tuple[Array, Array], subspace: Array) -> Array:
    rotation, _ = frame
    return block([[rotation @ subspace[..., :3, :]], [rotation @ subspace[..., 3:, :]]])


def _moved(origin: Array, column: Array, point: Array) -> Array:
    """Columns given at a section's base origin, for a point: v + ω × (point - origin)."""
    angular, linear = transpose(column[..., :3, :]), transpose(column[..., 3:, :])
    return block([[transpose(angular)], [transpose(linear + cross(angular, (point - origin)[..., None, :]))]])
