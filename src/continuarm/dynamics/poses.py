"""Where the arm is: poses along it, its backbone, and how its tips move with the muscles."""

from __future__ import annotations

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.arms.section import Section
from continuarm.dynamics.chain import parts, shape_of
from continuarm.sections.kinematics import Tip, arc_at, shape, tip
from continuarm.sections.spatial import Array, block, cross, pose, times, transpose


def tip_poses(arm: Arm, q: Array) -> Array:
    """Pose T^i of every tip in the world frame, where the next section is attached, joint σ, γ included (eq. HTM_ith).

    q: (..., 3n) in m; returns (..., n, 4, 4), positions in m. Unbent, tip i is on the base's +Z axis.
    """
    return np.stack([pose(rotation, position) for rotation, position in _frames(arm, q)[1:]], axis=-3)


def poses_along(arm: Arm, q: Array, xi: Array) -> Array:
    """Pose of the discs at ξ of every section in the world frame.

    ξ = 0 is a section's base, ξ = 1 its tip before the joint.
    q: (..., 3n) in m, xi: (k,) in [0, 1]; returns (..., n, k, 4, 4), positions in m.
    """
    rows = []
    for (base, origin), (section, qi) in zip(_frames(arm, q)[:-1], parts(arm, q), strict=True):
        rows.append(pose(*placed(section, qi[..., None, :], xi, base[..., None, :, :], origin[..., None, :])))
    return np.stack(rows, axis=-4)


def tip_jacobian(arm: Arm, q: Array) -> Array:
    """Velocity of every tip over q̇: rows 0-2 its angular, rows 3-5 its linear velocity, in the world frame.

    q: (..., 3n) in m; returns (..., n, 6, 3n), rad/m and m/m. Rows 3-5 are ∂(tip position)/∂q.
    """
    frames = _frames(arm, q)
    columns = []
    for (rotation, _), (section, qi) in zip(frames[:-1], parts(arm, q), strict=True):
        columns.append(moved_by(section, tip(section, shape(shape_of(section, qi))), rotation))
    rows = []
    for i, (_, position) in enumerate(frames[1:]):
        moved = [at_point(columns[j], position - frames[j][1]) for j in range(i + 1)]
        still = np.zeros((*q.shape[:-1], 6, 3 * (arm.n - i - 1)))
        rows.append(block([[*moved, still]]))
    return np.stack(rows, axis=-3)


def _frames(arm: Arm, q: Array) -> list[tuple[Array, Array]]:
    """Rotation and position of the base and of every tip, in the world frame: n + 1 of them."""
    batch = q.shape[:-1]
    frames = [(np.broadcast_to(arm.base_orientation, (*batch, 3, 3)), np.zeros((*batch, 3)))]
    for section, qi in parts(arm, q):
        frames.append(attached(tip(section, shape(shape_of(section, qi))), *frames[-1]))
    return frames


def attached(end: Tip, rotation: Array, position: Array) -> tuple[Array, Array]:
    """One section outward: frame of the next base in the world, for that of this base (eq. pR_recursive)."""
    return rotation @ end.rotation, position + times(rotation, end.position)


def placed(section: Section, q: Array, xi: Array, rotation: Array, position: Array) -> tuple[Array, Array]:
    """Frame of the disc at ξ in the world, for that of the section's base."""
    turn, place = arc_at(shape_of(section, q), xi)
    return rotation @ turn, position + times(rotation, place)


def moved_by(section: Section, end: Tip, rotation: Array) -> Array:
    """Angular and linear velocity over q̇_i, in world axes, of the tip's body at the section's base: (..., 6, 3)."""
    columns = end.subspace @ section.shape_map
    return block([[rotation @ columns[..., :3, :]], [rotation @ columns[..., 3:, :]]])


def at_point(columns: Array, away: Array) -> Array:
    """Such columns for a point away from the base: v + ω × (point - base)."""
    angular, linear = transpose(columns[..., :3, :]), transpose(columns[..., 3:, :])
    return block([[transpose(angular)], [transpose(linear + cross(angular, away[..., None, :]))]])
