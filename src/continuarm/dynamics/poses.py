"""Where the arm is: poses along it, centres of gravity, and how its tips move with the muscles."""

from __future__ import annotations

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.arms.section import Section
from continuarm.dynamics.chain import Passage, passages, section_by_section
from continuarm.sections.coordinates import muscle_force_of, shape_of
from continuarm.sections.kinematics import arc_at, centre_of_gravity
from continuarm.sections.spatial import Array, block, cross, pose, spatial_vector, times, transpose

Frame = tuple[Array, Array]
"""Rotation (..., 3, 3) and position (..., 3), m, in the world frame."""


def tip_poses(arm: Arm, q: Array) -> Array:
    """Pose T^i of every tip in the world frame (eq. 2 HTM_ith): (..., n, 4, 4)."""
    return np.stack([pose(*frame) for frame in _frames(arm, q)[1][1:]], axis=-3)


def poses_along(arm: Arm, q: Array, xi: Array) -> Array:
    """Pose of the discs at ξ of every section in the world frame: (..., n, k, 4, 4)."""
    rows = []
    for (base, origin), (section, qi) in zip(_frames(arm, q)[1][:-1], section_by_section(arm, q), strict=True):
        frame = base[..., None, :, :], origin[..., None, :]
        rows.append(pose(*place(section, qi[..., None, :], xi, frame)))
    return np.stack(rows, axis=-4)


def centres_of_gravity(arm: Arm, q: Array) -> Array:
    """Centre of gravity of every section in the world frame: (..., n, 3)."""
    chain, frames = _frames(arm, q)
    centres = [place_centre(passage, frame) for passage, frame in zip(chain, frames[:-1], strict=True)]
    return np.stack(centres, axis=-2)


def tip_jacobian(arm: Arm, q: Array) -> Array:
    """Velocity of every tip over q̇, angular part first, in the world frame: (..., n, 6, 3n)."""
    chain, frames = _frames(arm, q)
    columns = [
        move(section, passage, frame) for section, passage, frame in zip(arm.sections, chain, frames[:-1], strict=True)
    ]
    rows = []
    for i, point in enumerate(frames[1:]):
        moved = [move_point(columns[j], frames[j], point) for j in range(i + 1)]
        still = np.zeros((*q.shape[:-1], 6, 3 * (arm.n - i - 1)))
        rows.append(block([[*moved, still]]))
    return np.stack(rows, axis=-3)


def wrench_forces(arm: Arm, q: Array, wrench: Array) -> Array:
    """Jᵀ w: what a moment and a force on the last tip, in world axes, do over q: (..., 3n)."""
    chain, frames = _frames(arm, q)
    moved = zip(arm.sections, chain, frames[:-1], strict=True)
    forces = [feel_wrench(section, passage, frame, frames[-1], wrench) for section, passage, frame in moved]
    return np.concatenate(forces, axis=-1)


def _frames(arm: Arm, q: Array) -> tuple[list[Passage], list[Frame]]:
    """The passages, and the frames of the base and of every tip: n + 1 of them."""
    chain, _ = passages(arm, q, np.zeros(3 * arm.n))
    batch = q.shape[:-1]
    frames = [(np.broadcast_to(arm.base_orientation, (*batch, 3, 3)), np.zeros((*batch, 3)))]
    for passage in chain:
        frames.append(attach(passage, frames[-1]))
    return chain, frames


def attach(passage: Passage, frame: Frame) -> Frame:
    """One section outward: frame of the next base, for that of this base (eq. 3 pR_recursive)."""
    rotation, position = frame
    return rotation @ passage.tip.rotation, position + times(rotation, passage.tip.position)


def place(section: Section, q: Array, xi: Array, frame: Frame) -> Frame:
    """Frame of the disc at ξ, for that of the section's base."""
    rotation, position = frame
    turn, where = arc_at(shape_of(section, q), xi)
    return rotation @ turn, position + times(rotation, where)


def place_centre(passage: Passage, frame: Frame) -> Array:
    """A section's centre of gravity in the world, for the frame of its base: (..., 3), m."""
    rotation, position = frame
    return position + times(rotation, centre_of_gravity(passage.shape))


def move(section: Section, passage: Passage, frame: Frame) -> Array:
    """Angular and linear velocity over q̇_i, in world axes, of the tip's body at the section's base: (..., 6, 3)."""
    rotation, _ = frame
    columns = passage.tip.subspace @ section.shape_map
    return block([[rotation @ columns[..., :3, :]], [rotation @ columns[..., 3:, :]]])


def move_point(columns: Array, frame: Frame, point: Frame) -> Array:
    """Such columns for another point of that body: v + ω × (point - base)."""
    away = point[1] - frame[1]
    angular, linear = transpose(columns[..., :3, :]), transpose(columns[..., 3:, :])
    return block([[transpose(angular)], [transpose(linear + cross(angular, away[..., None, :]))]])


def feel_wrench(section: Section, passage: Passage, frame: Frame, point: Frame, wrench: Array) -> Array:
    """The muscle forces (..., 3) of a moment and a force (..., 6), in world axes, on a point that a section carries."""
    rotation, position = frame
    moment, force = wrench[..., :3], wrench[..., 3:]
    turned = transpose(rotation)
    at_base = spatial_vector(times(turned, moment + cross(point[1] - position, force)), times(turned, force))
    return muscle_force_of(section, times(transpose(passage.tip.subspace), at_base))
