"""What a drawn arm is made of: simple bodies that hang on discs, and where the discs are.

With it a page or a picture draws an arm without knowing what a continuum arm is: a point x of a disc is at p + R x,
and tubes run from disc to disc.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from continuarm.arms.arm import Arm
from continuarm.arms.section import Section
from continuarm.common.number_checks import Floats
from continuarm.drawing.colours import (
    CENTRE_COLOUR,
    GHOST_COLOUR,
    PAYLOAD_COLOUR,
    PLATE_COLOUR,
    PRESSURE_COLOURS,
    section_colour,
)
from continuarm.dynamics.poses import Frame
from continuarm.engine.quantities import backbone, centres_of_gravity, poses_along, tip_poses
from continuarm.sections.spatial import Array, times

TUBE, MUSCLE, PLATE, THICKNESS, BEAD = 0.5, 0.3, 1.55, 0.3, 0.72
"""Radii of tube, muscles, plates and centres of gravity, and thickness of a plate, in radii of the section."""
SLEEVE = 1.06
"""A ghost is a sleeve around where the arm would be: so much wider than muscles and plates."""


class Body(NamedTuple):
    """A body of one colour that hangs on discs; lengths in m."""

    part: str  # what is shown or hidden together
    kind: str  # tube: round, from the first disc to the last; rod: a cylinder along Z of a disc; ball
    first: int  # disc
    last: int  # disc; the first one, for what hangs on one
    at: tuple[float, float, float]  # where its axis or centre is, in the frame of its disc
    radius: float
    length: float  # of a rod
    colour: str
    muscle: int = -1  # whose pressure gives the colour; -1: nobody's


def disc_count(arm: Arm, discs: int) -> int:
    """How many discs the bodies of an arm hang on, with so many along each section."""
    return arm.n * discs + 2 * arm.n + 1


def disc_frames(arm: Arm, q: ArrayLike, discs: int) -> Floats:
    """Where the discs are: (..., 3n) in m -> (..., disc_count, 4, 4).

    So many along each section from its base to its end, then the tips, the centres of gravity, and the payload.
    """
    along = poses_along(arm, q, np.linspace(0, 1, discs))
    tips, centres = tip_poses(arm, q), centres_of_gravity(arm, q)
    batch = tips.shape[:-3]
    plain = np.broadcast_to(np.eye(4), (*batch, arm.n + 1, 4, 4)).copy()
    plain[..., :-1, :3, 3] = centres
    last = tips[..., -1, :3, :3], tips[..., -1, :3, 3]
    plain[..., -1, :3, 3] = payload_place(last, np.array(arm.carried_mass[1]))
    return np.concatenate([along.reshape(*batch, -1, 4, 4), tips, plain], axis=-3)


def payload_place(frame: Frame, offset: Array) -> Array:
    """Where the payload is in the world, for the frame of the last tip: (..., 3), m."""
    rotation, position = frame
    return position + times(rotation, offset)


def bodies(arm: Arm, discs: int, ghost: bool = False) -> list[Body]:
    """The bodies of an arm with so many discs along each section; a ghost is of one colour and has no muscles."""
    found: list[Body] = []
    axis, wide = (0.0, 0.0, 0.0), SLEEVE if ghost else 1.0
    number = 0
    for i, section in enumerate(arm.sections):
        ends = i * discs, (i + 1) * discs - 1
        layout = muscle_layout(section)
        around = float(np.linalg.norm(layout, axis=0).max()) + MUSCLE * section.radius
        radius = SLEEVE * around if ghost else TUBE * section.radius
        found.append(Body("tube", "tube", *ends, axis, radius, 0.0, GHOST_COLOUR if ghost else section_colour(i)))
        for x, y, _ in [] if ghost else layout.T:
            at = (float(x), float(y), 0.0)
            colour = PRESSURE_COLOURS[0]
            found.append(Body("muscles", "tube", *ends, at, MUSCLE * section.radius, 0.0, colour, number))
            number += 1
    metal = GHOST_COLOUR if ghost else PLATE_COLOUR
    plates = [0, *((i + 1) * discs - 1 for i in range(arm.n))]
    for disc, (radius, thickness) in zip(plates, plate_sizes(arm), strict=True):
        found.append(Body("plates", "rod", disc, disc, axis, wide * radius, wide * thickness, metal))
    for i, section in enumerate(arm.sections):
        tip, centre = arm.n * discs + i, arm.n * (discs + 1) + i
        if section.offset > 0:  # hangs on the tip beyond the joint and reaches back
            back = (0.0, 0.0, -section.offset / 2)
            found.append(Body("plates", "rod", tip, tip, back, wide * section.radius, section.offset, metal))
        dark = GHOST_COLOUR if ghost else CENTRE_COLOUR
        found.append(Body("centres of gravity", "ball", centre, centre, axis, BEAD * section.radius, 0.0, dark))
    if arm.payload is not None:
        disc = disc_count(arm, discs) - 1
        colour = GHOST_COLOUR if ghost else PAYLOAD_COLOUR
        found.append(Body("payload", "ball", disc, disc, axis, wide * payload_radius(arm), 0.0, colour))
    return found


def muscle_layout(section: Section) -> Floats:
    """Where the muscles of a section go through its discs: (3, muscles), m.

    A muscle at (x, y) is longer by s - L - x a - y b: its place is what its length has of (a, b).
    """
    over_shape = section.muscle_map @ section.length_map
    return np.stack([-over_shape[:, 0], -over_shape[:, 1], np.zeros(len(over_shape))])


def outer_radii(arm: Arm) -> Floats:
    """How far the muscles of every section are from its axis: (n,), m."""
    return np.array([float(np.linalg.norm(muscle_layout(section), axis=0).max()) for section in arm.sections])


def plate_sizes(arm: Arm) -> Floats:
    """Radius and thickness of the plates at the base, which is larger, and at every end: (n + 1, 2), m."""
    radii = outer_radii(arm)
    return np.outer([1.25 * radii[0], *radii], [PLATE, THICKNESS])


def payload_radius(arm: Arm) -> float:
    """Of a ball that stands for the payload, m: that of the mass in water, between half and three section radii."""
    radius = arm.sections[-1].radius
    return float(np.clip((arm.carried_mass[0] / 1000 * 3 / 4 / np.pi) ** (1 / 3), 0.5 * radius, 3 * radius))


def axis_points(arm: Arm, q: ArrayLike, points: int) -> Floats:
    """What a picture must have in view, but for the width of the bodies: (..., 3n) in m -> (m, 3), m.

    The base, so many points on the axis of each section, and the payload.
    """
    tip = tip_poses(arm, q)[..., -1, :3, :]
    payload = tip @ np.array([*arm.carried_mass[1], 1.0])
    axis = backbone(arm, q, points=points)
    return np.concatenate([np.zeros((1, 3)), axis.reshape(-1, 3), payload.reshape(-1, 3)])


def widest(arm: Arm) -> float:
    """How far the bodies of an arm reach from its axis, m."""
    return max(float(plate_sizes(arm)[:, 0].max()), payload_radius(arm) if arm.payload else 0.0)
