"""An arm as a puppet: simple bodies that hang on discs, and where the discs are.

With it a page draws an arm without knowing what a continuum arm is: a point x of a disc is at p + R x, and tubes run
from disc to disc.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from continuarm.arms.arm import Arm
from continuarm.arms.section import Section
from continuarm.common.number_checks import Floats
from continuarm.engine.quantities import centres_of_gravity, poses_along, tip_poses

DISCS = 7
"""Discs along a section. Tubes between two are bent, so that a full turn in six pieces is round."""
TUBE, MUSCLE, PLATE, THICKNESS, BEAD = 0.5, 0.3, 1.55, 0.3, 0.72
"""Radii of tube, muscles, plates and centres of gravity, and thickness of a plate, in radii of the section."""
SLEEVE = 1.06
"""A ghost is a sleeve around where the arm would be: so much wider than muscles and plates."""
ROWS_AT_ONCE = 500
"""Rows whose poses are computed together: bounds the memory that they take as matrices."""

PLATE_COLOUR, GHOST_COLOUR, PAYLOAD_COLOUR, CENTRE_COLOUR = "#596273", "#C2378F", "#3B4252", "#20242C"
SECTION_COLOURS = ("#2F6DB5", "#1FA187", "#8A63C4", "#5FA8DD", "#4C7A34")
"""Cold, so that warm pressures stand out; repeated for arms of more sections."""
PRESSURE_COLOURS = ("#C9CED8", "#F6C667", "#EF7F3C", "#B5152B")
"""From no pressure to the highest, evenly spaced."""


class Part(NamedTuple):
    """A body of one colour that hangs on discs; lengths in m."""

    part: str  # what is shown or hidden together
    kind: str  # tube: round, from the first disc to the last; rod: a cylinder along Z of a disc; ball
    first: int  # disc
    last: int  # disc; the first one, for what hangs on one
    at: tuple[float, float, float]  # where its axis or centre is, in the frame of its disc
    radius: float
    length: float  # of a rod
    colour: str
    muscle: int = -1  # whose pressure is the colour; -1: nobody's


def disc_count(arm: Arm) -> int:
    """How many discs the puppet of an arm hangs on: along the sections, tips, centres of gravity, the payload."""
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


def parts(arm: Arm, ghost: bool = False) -> list[Part]:
    """The bodies of an arm's puppet; a ghost is of one colour and has no muscles."""
    found: list[Part] = []
    axis, wide = (0.0, 0.0, 0.0), SLEEVE if ghost else 1.0
    number = 0
    for i, section in enumerate(arm.sections):
        ends = i * DISCS, (i + 1) * DISCS - 1
        layout = muscle_layout(section)
        around = float(np.linalg.norm(layout, axis=0).max()) + MUSCLE * section.radius
        radius = SLEEVE * around if ghost else TUBE * section.radius
        found.append(Part("tube", "tube", *ends, axis, radius, 0.0, GHOST_COLOUR if ghost else section_colour(i)))
        for x, y, _ in [] if ghost else layout.T:
            at = (float(x), float(y), 0.0)
            found.append(Part("muscles", "tube", *ends, at, MUSCLE * section.radius, 0.0, PLATE_COLOUR, number))
            number += 1
    metal = GHOST_COLOUR if ghost else PLATE_COLOUR
    discs = [0, *((i + 1) * DISCS - 1 for i in range(arm.n))]
    for disc, (radius, thickness) in zip(discs, plate_sizes(arm), strict=True):
        found.append(Part("plates", "rod", disc, disc, axis, wide * radius, wide * thickness, metal))
    for i, section in enumerate(arm.sections):
        tip, centre = arm.n * DISCS + i, arm.n * (DISCS + 1) + i
        if section.offset > 0:  # hangs on the tip beyond the joint and reaches back
            back = (0.0, 0.0, -section.offset / 2)
            found.append(Part("plates", "rod", tip, tip, back, wide * section.radius, section.offset, metal))
        dark = GHOST_COLOUR if ghost else CENTRE_COLOUR
        found.append(Part("centres of gravity", "ball", centre, centre, axis, BEAD * section.radius, 0.0, dark))
    if arm.payload is not None:
        disc = disc_count(arm) - 1
        colour = GHOST_COLOUR if ghost else PAYLOAD_COLOUR
        found.append(Part("payload", "ball", disc, disc, axis, wide * payload_radius(arm), 0.0, colour))
    return found


def labels(arm: Arm) -> list[dict[str, Any]]:
    """Names of muscles, each in the middle of its section: name, disc and place on it."""
    found, number = [], 0
    for i, section in enumerate(arm.sections):
        for x, y, _ in muscle_layout(section).T:
            place = [float(x), float(y), 0.0]
            found.append({"name": arm.muscle_names[number], "disc": i * DISCS + DISCS // 2, "place": place})
            number += 1
    return found


def muscle_layout(section: Section) -> Floats:
    """Where the muscles of a section go through its discs: (3, muscles), m.

    A muscle at (x, y) is longer by s - L - x a - y b: its place is what its length has of (a, b).
    """
    over_shape = section.muscle_map @ section.length_map
    return np.stack([-over_shape[:, 0], -over_shape[:, 1], np.zeros(len(over_shape))])


def plate_sizes(arm: Arm) -> Floats:
    """Radius and thickness of the plates at the base, which is larger, and at every end: (n + 1, 2), m."""
    radii = [float(np.linalg.norm(muscle_layout(section), axis=0).max()) for section in arm.sections]
    return np.outer([1.25 * radii[0], *radii], [PLATE, THICKNESS])


def payload_radius(arm: Arm) -> float:
    """Of a ball that stands for the payload, m: that of the mass in water, between half and three section radii."""
    radius = arm.sections[-1].radius
    return float(np.clip((arm.carried_mass[0] / 1000 * 3 / 4 / np.pi) ** (1 / 3), 0.5 * radius, 3 * radius))


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


def section_colour(section: int) -> str:
    """The colour of a section, numbered from 0."""
    return SECTION_COLOURS[section % len(SECTION_COLOURS)]
