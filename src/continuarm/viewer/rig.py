"""An arm as a puppet: vertices that are fixed to discs, and where the discs are over time.

With it a page draws a whole motion without knowing what a continuum arm is: every vertex is p + R x of its disc.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from continuarm.arms.arm import Arm
from continuarm.common.number_checks import Floats
from continuarm.engine.quantities import centres_of_gravity, poses_along, tip_poses
from continuarm.viewer.shapes import (
    BEAD,
    CENTRE_COLOUR,
    DISCS,
    GHOST_COLOUR,
    MUSCLE,
    PAYLOAD_COLOUR,
    PLATE_COLOUR,
    TUBE,
    ball,
    cylinder,
    muscle_layout,
    payload_radius,
    plate_sizes,
    quaternions,
    rgb,
    section_colour,
    tube_faces,
)

ROUND, THIN = 16, 8
"""Sides of tubes, and of muscles."""
ROWS_AT_ONCE = 500
"""Rows whose poses are computed together: bounds the memory that they take as matrices."""


class Rig(NamedTuple):
    """The vertices of a puppet, in the frames of their discs, and the triangles of its parts.

    The discs are those along the sections, DISCS for each, then the base's mount, the tips, the centres of gravity and
    the payload: `disc_count` of them.
    """

    disc: NDArray[np.uint32]  # (v,)
    place: Floats  # (v, 3), m
    normal: Floats  # (v, 3)
    colour: NDArray[np.uint8]  # (v, 3)
    muscle: NDArray[np.int32]  # (v,): whose pressure is the colour; -1: nobody's
    parts: dict[str, NDArray[np.uint32]]  # triangles (f, 3)


def disc_count(arm: Arm) -> int:
    """How many discs a rig of an arm hangs on."""
    return arm.n * DISCS + 2 * arm.n + 1


def disc_poses(arm: Arm, q: ArrayLike) -> Floats:
    """Where the discs are: (k, 3n) in m -> (k, discs, 7), positions in m and quaternions w, x, y, z."""
    values = np.asarray(q, dtype=float)
    parts = [_poses_of(arm, values[row : row + ROWS_AT_ONCE]) for row in range(0, len(values), ROWS_AT_ONCE)]
    poses = np.concatenate(parts)
    turns = poses[..., 3:]
    same = np.where((turns[1:] * turns[:-1]).sum(axis=-1) < 0, -1, 1)  # q and -q are the same turn: no jumps over time
    turns[1:] *= np.cumprod(same, axis=0)[..., None]
    return poses


def _poses_of(arm: Arm, q: Floats) -> Floats:
    along = poses_along(arm, q, np.linspace(0, 1, DISCS)).reshape(len(q), -1, 4, 4)
    tips = tip_poses(arm, q)
    plain = np.broadcast_to(np.eye(4), (len(q), arm.n + 1, 4, 4)).copy()
    plain[:, :-1, :3, 3] = centres_of_gravity(arm, q)
    plain[:, -1, :3, 3] = tips[:, -1, :3, 3] + tips[:, -1, :3, :3] @ np.array(arm.carried_mass[1])
    poses = np.concatenate([along, tips, plain], axis=1)
    return np.concatenate([poses[..., :3, 3], quaternions(poses[..., :3, :3])], axis=-1)


class _Builder:
    def __init__(self) -> None:
        self.vertices: list[tuple[Floats, ...]] = []
        self.parts: dict[str, list[NDArray[np.uint32]]] = {}
        self.count = 0

    def add(
        self, part: str, disc: ArrayLike, place: Floats, normal: Floats, faces: ArrayLike, colour: str, muscle: int = -1
    ) -> None:
        size = len(place)
        columns = (disc, place, normal, rgb(colour), muscle)
        widths = ((size,), (size, 3), (size, 3), (size, 3), (size,))
        self.vertices.append(tuple(np.broadcast_to(each, width) for each, width in zip(columns, widths, strict=True)))
        self.parts.setdefault(part, []).append(np.asarray(faces, dtype=np.uint32) + np.uint32(self.count))
        self.count += size

    def rig(self) -> Rig:
        disc, place, normal, colour, muscle = (np.concatenate(each) for each in zip(*self.vertices, strict=True))
        parts = {part: np.concatenate(faces) for part, faces in self.parts.items()}
        return Rig(disc.astype(np.uint32), place, normal, colour.astype(np.uint8), muscle.astype(np.int32), parts)


def rig(arm: Arm, ghost: bool = False) -> Rig:
    """The puppet of an arm; a ghost is of one colour and has no muscles."""
    build = _Builder()
    discs = np.arange(arm.n * DISCS).reshape(arm.n, DISCS)
    number = 0
    for i, section in enumerate(arm.sections):
        circle = _circle(ROUND)
        build.add(
            "tube",
            np.repeat(discs[i], ROUND),
            np.tile(TUBE * section.radius * circle, (DISCS, 1)),
            np.tile(circle, (DISCS, 1)),
            tube_faces(1, DISCS, ROUND),
            GHOST_COLOUR if ghost else section_colour(i),
        )
        for place in [] if ghost else muscle_layout(section).T:
            circle = _circle(THIN)
            build.add(
                "muscles",
                np.repeat(discs[i], THIN),
                np.tile(place + MUSCLE * section.radius * circle, (DISCS, 1)),
                np.tile(circle, (DISCS, 1)),
                tube_faces(1, DISCS, THIN),
                PLATE_COLOUR,
                number,
            )
            number += 1
    sizes = plate_sizes(arm)
    metal = GHOST_COLOUR if ghost else PLATE_COLOUR
    for disc, size in zip([0, *discs[:, -1]], sizes, strict=True):
        build.add("plates", disc, *_rod(size), metal)
    for i, section in enumerate(arm.sections):
        if section.offset > 0:  # hangs on the tip beyond the joint and reaches back
            place, normal, faces = _rod(np.array([section.radius, section.radius, section.offset]))
            build.add("plates", arm.n * DISCS + i, place - [0, 0, section.offset / 2], normal, faces, metal)
        beads, faces = ball(7, 12)
        dark = GHOST_COLOUR if ghost else CENTRE_COLOUR
        build.add("centres of gravity", arm.n * (DISCS + 1) + i, BEAD * section.radius * beads, beads, faces, dark)
    if arm.payload is not None:
        beads, faces = ball()
        build.add("plates", disc_count(arm) - 1, payload_radius(arm) * beads, beads, faces, PAYLOAD_COLOUR)
    return build.rig()


def _circle(sides: int) -> Floats:
    angles = np.arange(sides) * 2 * np.pi / sides
    return np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=-1)


def _rod(size: Floats) -> tuple[Floats, Floats, NDArray[np.uint32]]:
    """A cylinder of a size (radius, radius, length): places, normals and triangles."""
    places, faces = cylinder(ROUND)
    walls = 2 * ROUND
    normals = np.where(np.arange(len(places))[:, None] < walls, places * [1, 1, 0], np.sign(places) * [0, 0, 1])
    return places * size, normals, faces


def posed(puppet: Rig, poses: Floats) -> Floats:
    """Where the vertices are, for one row of poses (discs, 7): (v, 3), m. A page does the same."""
    position, (w, x, y, z) = poses[puppet.disc, :3], poses[puppet.disc, 3:].T
    vector = np.stack([x, y, z], axis=-1)
    across = 2 * np.cross(vector, puppet.place)
    turned: Floats = position + puppet.place + w[:, None] * across + np.cross(vector, across)
    return turned
