"""What a drawn arm is made of: points, meshes and colours from q and pressures. Plain NumPy, no display."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from continuarm.arms.arm import Arm
from continuarm.arms.section import Section
from continuarm.common.number_checks import Floats
from continuarm.engine.quantities import centres_of_gravity, poses_along, tip_poses

Mesh = tuple[Floats, NDArray[np.uint32]]
"""Vertices (v, 3) and triangles (f, 3) of indices into them."""

DISCS = 13
"""Places along a section at which its tube and muscles are drawn: a full turn has corners of 30 degrees."""
SIDES = 18
TUBE, MUSCLE, PLATE, THICKNESS, BEAD = 0.5, 0.3, 1.55, 0.3, 0.72
"""Radii of tube, muscles, plates and centres of gravity, and thickness of a plate, in radii of the section."""

PLATE_COLOUR, GHOST_COLOUR, PAYLOAD_COLOUR, CENTRE_COLOUR = "#596273", "#E08A3C", "#3B4252", "#20242C"
SECTION_COLOURS = ("#2F6DB5", "#1FA187", "#8A63C4", "#5FA8DD", "#4C7A34")
"""Cold, so that warm pressures stand out; repeated for arms of more sections."""
PRESSURE_COLOURS = ("#D5D9E0", "#F6C667", "#EF7F3C", "#B5152B")
"""From no pressure to the highest, evenly spaced."""


class Drawing(NamedTuple):
    """An arm in one state, ready to be drawn; lengths in m, world frame."""

    tubes: Floats  # (n, DISCS · SIDES, 3): vertices of each section's tube, ring by ring
    muscles: Rods  # (muscles · (DISCS - 1)) of them, muscle by muscle
    plates: Rods  # base and tips, then what joins a tip to the next section where they are apart
    centres: Floats  # (n, 3): centres of gravity
    tips: Floats  # (n, 3)
    payload: Floats  # (3,)


class Rods(NamedTuple):
    """Straight rods: m of them."""

    centres: Floats  # (m, 3)
    turns: Floats  # (m, 4): quaternions w, x, y, z that turn +Z into the rod's direction
    sizes: Floats  # (m, 3): radius, radius, length


def drawing(arm: Arm, q: ArrayLike, centres: bool = True) -> Drawing:
    """What is drawn of an arm at q, (3n,) in m; centres of gravity, which take the longest, if asked for."""
    poses, tips = poses_along(arm, q, np.linspace(0, 1, DISCS)), tip_poses(arm, q)
    radii = np.array([section.radius for section in arm.sections])
    thick = np.concatenate([np.full(len(s.muscle_map), MUSCLE * s.radius) for s in arm.sections])
    return Drawing(
        tubes=tube(poses, TUBE * radii),
        muscles=rods(muscle_curves(arm, poses), thick),
        plates=plates(arm, poses, tips),
        centres=centres_of_gravity(arm, q) if centres else np.zeros((arm.n, 3)),
        tips=tips[:, :3, 3],
        payload=tips[-1, :3, 3] + tips[-1, :3, :3] @ np.array(arm.carried_mass[1]),
    )


def tube(poses: Floats, radii: ArrayLike, sides: int = SIDES) -> Floats:
    """Circles about the z axes of discs: poses (n, k, 4, 4), radii (n,) -> (n, k · sides, 3)."""
    angles = np.arange(sides) * 2 * np.pi / sides
    circle = np.stack([np.cos(angles), np.sin(angles), 0 * angles])
    around = np.asarray(radii)[:, None, None, None] * (poses[..., :3, :3] @ circle)
    rings = poses[..., :3, 3, None] + around
    return np.swapaxes(rings, -1, -2).reshape(len(poses), -1, 3)


@lru_cache
def tube_faces(tubes: int, rings: int = DISCS, sides: int = SIDES) -> NDArray[np.uint32]:
    """Triangles of some tubes one after the other, normals outward: (tubes · (rings - 1) · sides · 2, 3)."""
    ring, side = np.meshgrid(np.arange(rings - 1), np.arange(sides), indexing="ij")
    here, beside = ring * sides + side, ring * sides + (side + 1) % sides
    faces = np.stack([here, beside, beside + sides, here, beside + sides, here + sides], axis=-1).reshape(-1, 3)
    return (np.arange(tubes)[:, None, None] * rings * sides + faces).reshape(-1, 3).astype(np.uint32)


def muscle_curves(arm: Arm, poses: Floats) -> Floats:
    """Points along every muscle: poses (..., n, k, 4, 4) of discs -> (..., muscles, k, 3).

    Each runs at its angle and distance from the axis, so that the curve is L + l long.
    """
    curves = []
    for i, section in enumerate(arm.sections):
        discs = poses[..., i, :, :3, 3, None] + poses[..., i, :, :3, :3] @ muscle_layout(section)
        curves.append(np.moveaxis(discs, -1, -3))
    return np.concatenate(curves, axis=-3)


def muscle_layout(section: Section) -> Floats:
    """Where the muscles of a section go through its discs: (3, muscles), m.

    A muscle at (x, y) is longer by s - L - x a - y b: its place is what its length has of (a, b).
    """
    over_shape = section.muscle_map @ section.length_map
    return np.stack([-over_shape[:, 0], -over_shape[:, 1], np.zeros(len(over_shape))])


def rods(curves: Floats, radii: ArrayLike) -> Rods:
    """Rods from point to point of curves: (m, k, 3), radii (m,) -> m · (k - 1) rods."""
    steps = np.diff(curves, axis=1)
    lengths = np.linalg.norm(steps, axis=-1)
    sizes = np.repeat(np.asarray(radii, dtype=float), steps.shape[1])
    return Rods(
        ((curves[:, 1:] + curves[:, :-1]) / 2).reshape(-1, 3),
        turns_to((steps / np.maximum(lengths, 1e-300)[..., None]).reshape(-1, 3)),
        np.stack([sizes, sizes, lengths.ravel()], axis=-1),
    )


def plates(arm: Arm, poses: Floats, tips: Floats) -> Rods:
    """A plate at the base, one at the end of every section, and rods across the joints that have a length."""
    discs = np.concatenate([poses[:1, 0], poses[:, -1]])
    ends = Rods(discs[:, :3, 3], quaternions(discs[:, :3, :3]), plate_sizes(arm))
    apart = [i for i, section in enumerate(arm.sections) if section.offset > 0]
    if not apart:
        return ends
    across = np.stack([poses[apart, -1, :3, 3], tips[apart, :3, 3]], axis=1)
    joints = rods(across, [arm.sections[i].radius for i in apart])
    return Rods(*(np.concatenate(pair) for pair in zip(ends, joints, strict=True)))


def plate_sizes(arm: Arm) -> Floats:
    """Radius, radius and thickness of the plates at the base, which is larger, and at every end: (n + 1, 3), m."""
    radii = [float(np.linalg.norm(muscle_layout(section), axis=0).max()) for section in arm.sections]
    return np.outer([1.25 * radii[0], *radii], [PLATE, PLATE, THICKNESS])


def payload_radius(arm: Arm) -> float:
    """Of a ball that stands for the payload, m: that of the mass in water, between half and three section radii."""
    radius = arm.sections[-1].radius
    return float(np.clip((arm.carried_mass[0] / 1000 * 3 / 4 / np.pi) ** (1 / 3), 0.5 * radius, 3 * radius))


def turns_to(directions: Floats) -> Floats:
    """Quaternions (m, 4) that turn +Z into directions (m, 3) of length 1, about an axis square to both."""
    x, y, z = directions.T
    found = np.stack([1 + z, -y, x, 0 * z], axis=-1)
    found[1 + z < 1e-9] = (0, 1, 0, 0)  # straight back: any such axis will do
    return found / np.linalg.norm(found, axis=-1, keepdims=True)


def quaternions(rotations: Floats) -> Floats:
    """Rotation matrices (..., 3, 3) as quaternions w, x, y, z: (..., 4).

    Of the matrix 4 q qᵀ, whose rows are all multiples of q, the row that is largest is taken.
    """
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = np.moveaxis(rotations, (-2, -1), (0, 1))
    rows = np.array(
        [
            [1 + xx + yy + zz, zy - yz, xz - zx, yx - xy],
            [zy - yz, 1 + xx - yy - zz, yx + xy, xz + zx],
            [xz - zx, yx + xy, 1 - xx + yy - zz, zy + yz],
            [yx - xy, xz + zx, zy + yz, 1 - xx - yy + zz],
        ]
    )
    rows = np.moveaxis(rows, (0, 1), (-2, -1))
    largest = np.argmax(np.diagonal(rows, axis1=-2, axis2=-1), axis=-1)
    found = np.take_along_axis(rows, largest[..., None, None], axis=-2)[..., 0, :]
    return np.asarray(found / np.linalg.norm(found, axis=-1, keepdims=True))


@lru_cache
def cylinder(sides: int = SIDES) -> Mesh:
    """A closed cylinder of radius 1 and length 1 about the origin, along Z; its edges are sharp."""
    angles = np.arange(sides) * 2 * np.pi / sides
    rim = np.stack([np.cos(angles), np.sin(angles), np.full(sides, 0.5)], axis=-1)
    low, high = rim * [1, 1, -1], rim
    this, after = np.arange(sides), (np.arange(sides) + 1) % sides
    wall = np.stack([this, after, after + sides, this, after + sides, this + sides], axis=-1).reshape(-1, 3)
    bottom, top = 2 * sides, 3 * sides + 1
    caps = [
        np.stack([np.full(sides, bottom), bottom + 1 + after, bottom + 1 + this], axis=-1),
        np.stack([np.full(sides, top), top + 1 + this, top + 1 + after], axis=-1),
    ]
    vertices = np.concatenate([low, high, [[0, 0, -0.5]], low, [[0, 0, 0.5]], high])
    return vertices, np.concatenate([wall, *caps]).astype(np.uint32)


@lru_cache
def ball(rings: int = 9, sides: int = 16) -> Mesh:
    """A ball of radius 1 about the origin."""
    latitude = np.linspace(-np.pi / 2, np.pi / 2, rings)[:, None]
    longitude = np.arange(sides) * 2 * np.pi / sides
    vertices = np.stack(
        [
            np.cos(latitude) * np.cos(longitude),
            np.cos(latitude) * np.sin(longitude),
            np.sin(latitude) + 0 * longitude,
        ],
        axis=-1,
    )
    return vertices.reshape(-1, 3), tube_faces(1, rings, sides)


def pressure_colours(pressures: ArrayLike, highest: float) -> NDArray[np.uint8]:
    """Colours of pressures (...,) from 0 to the highest, in one unit: (..., 3); beyond them, that of the end."""
    anchors = np.array([rgb(colour) for colour in PRESSURE_COLOURS], dtype=float)
    part = np.clip(np.asarray(pressures, dtype=float) / highest, 0, 1) * (len(anchors) - 1)
    channels = [np.interp(part, np.arange(len(anchors)), channel) for channel in anchors.T]
    return np.rint(np.stack(channels, axis=-1)).astype(np.uint8)


def section_colour(section: int) -> str:
    """The colour of a section, numbered from 0."""
    return SECTION_COLOURS[section % len(SECTION_COLOURS)]


def rgb(colour: str) -> tuple[int, int, int]:
    """#RRGGBB as three numbers from 0 to 255."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
