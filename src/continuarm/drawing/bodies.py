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
from continuarm.drawing.colours import PAYLOAD_COLOUR, PLATE_COLOUR, PRESSURE_COLOURS, section_colour
from continuarm.engine.quantities import poses_along, tip_poses

TUBE, MUSCLE, PLATE, THICKNESS = 0.5, 0.3, 1.55, 0.3
"""Radii of tube, muscles and plates, and thickness of a plate, in radii of the section."""


class Body(NamedTuple):
    """A body of one colour that hangs on discs; lengths in m."""

    kind: str  # tube: round, from the first disc to the last; rod: a cylinder along Z of a disc; ball
    first: int  # disc
    last: int  # disc; the first one, for what hangs on one
    at: tuple[float, float, float]  # where its axis or centre is, in the frame of its disc
    radius: float
    length: float  # of a rod
    colour: str
    muscle: int = -1  # whose pressure gives the colour; -1: nobody's


def disc_poses(arm: Arm, q: ArrayLike, discs: int) -> Floats:
    """Where the discs are: (..., 3n) in m -> (..., n · discs + n + 1, 4, 4).

    So many along each section from its base to its end, then the tips of all sections, then the payload.
    """
    along = poses_along(arm, q, np.linspace(0, 1, discs))
    tips = tip_poses(arm, q)
    payload = tips[..., -1:, :, :].copy()
    payload[..., :3, 3] += payload[..., :3, :3] @ np.array(arm.carried_mass[1])
    return np.concatenate([along.reshape(*along.shape[:-4], -1, 4, 4), tips, payload], axis=-3)


def bodies(arm: Arm, discs: int, muscles: bool = True) -> list[Body]:
    """The bodies of an arm, for so many discs along each section; muscles only if asked for."""
    found: list[Body] = []
    axis = (0.0, 0.0, 0.0)
    number = 0
    for i, section in enumerate(arm.sections):
        ends = i * discs, (i + 1) * discs - 1
        found.append(Body("tube", *ends, axis, TUBE * section.radius, 0.0, section_colour(i)))
        for x, y, _ in muscle_layout(section).T if muscles else ():
            at = (float(x), float(y), 0.0)
            found.append(Body("tube", *ends, at, MUSCLE * section.radius, 0.0, PRESSURE_COLOURS[0], number))
            number += 1
    ends_of_sections = [0, *((i + 1) * discs - 1 for i in range(arm.n))]
    for disc, (radius, thickness) in zip(ends_of_sections, plate_sizes(arm), strict=True):
        found.append(Body("rod", disc, disc, axis, radius, thickness, PLATE_COLOUR))
    for i, section in enumerate(arm.sections):
        if section.offset > 0:  # hangs on the tip beyond the joint and reaches back
            tip, back = arm.n * discs + i, (0.0, 0.0, -section.offset / 2)
            found.append(Body("rod", tip, tip, back, section.radius, section.offset, PLATE_COLOUR))
    if arm.payload is not None:
        disc = arm.n * (discs + 1)
        found.append(Body("ball", disc, disc, axis, payload_radius(arm), 0.0, PAYLOAD_COLOUR))
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
