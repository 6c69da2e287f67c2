"""An arm as a page has it: the poses of its discs as places and turns over time, and names on it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from continuarm.arms.arm import Arm
from continuarm.common.number_checks import Floats
from continuarm.drawing.bodies import disc_frames, muscle_layout
from continuarm.dynamics.poses import Frame
from continuarm.sections.spatial import Array

DISCS = 7
"""Discs along a section. Tubes between two are bent, so that a full turn in six pieces is round."""
ROWS_AT_ONCE = 500
"""Rows whose poses are computed together: bounds the memory that they take as matrices."""


def disc_poses(arm: Arm, q: ArrayLike) -> Floats:
    """Where the discs are: (k, 3n) in m -> (k, disc_count, 7), positions in m and quaternions w, x, y, z."""
    values = np.asarray(q, dtype=float)
    parts = [_poses_of(arm, values[row : row + ROWS_AT_ONCE]) for row in range(0, len(values), ROWS_AT_ONCE)]
    poses = np.concatenate(parts)
    turns = poses[..., 3:]
    same = np.where((turns[1:] * turns[:-1]).sum(axis=-1) < 0, -1, 1)  # q and -q are the same turn: no jumps over time
    turns[1:] *= np.cumprod(same, axis=0)[..., None]
    return poses


def _poses_of(arm: Arm, q: Floats) -> Floats:
    poses = disc_frames(arm, q, DISCS)
    return np.concatenate([poses[..., :3, 3], quaternions(poses[..., :3, :3])], axis=-1)


def labels(arm: Arm) -> list[dict[str, Any]]:
    """Names of muscles, each in the middle of its section: name, disc and place on it."""
    found, number = [], 0
    for i, section in enumerate(arm.sections):
        for x, y, _ in muscle_layout(section).T:
            place = [float(x), float(y), 0.0]
            found.append({"name": arm.muscle_names[number], "disc": i * DISCS + DISCS // 2, "place": place})
            number += 1
    return found


def quaternions(rotations: Floats) -> Floats:
    """Rotation matrices (..., 3, 3) as quaternions w, x, y, z: (..., 4).

    Of the rows of `turn_rows`, which are all multiples of q, the largest is taken.
    """
    rows = turn_rows((rotations, np.zeros(3)))
    largest = np.argmax(np.diagonal(rows, axis1=-2, axis2=-1), axis=-1)
    found = np.take_along_axis(rows, largest[..., None, None], axis=-2)[..., 0, :]
    return np.asarray(found / np.linalg.norm(found, axis=-1, keepdims=True))


def turn_rows(frame: Frame) -> Array:
    """4 q qᵀ of the rotation of a frame, whose quaternion is q = (w, x, y, z): (..., 4, 4)."""
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = np.moveaxis(frame[0], (-2, -1), (0, 1))
    rows = np.array(
        [
            [1 + xx + yy + zz, zy - yz, xz - zx, yx - xy],
            [zy - yz, 1 + xx - yy - zz, yx + xy, xz + zx],
            [xz - zx, yx + xy, 1 - xx + yy - zz, zy + yz],
            [yx - xy, xz + zx, zy + yz, 1 - xx - yy + zz],
        ]
    )
    return np.moveaxis(rows, (0, 1), (-2, -1))
