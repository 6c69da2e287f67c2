"""A small picture of an arm as SVG: light enough for a notebook, on light and on dark pages."""

from __future__ import annotations

from itertools import groupby
from typing import NamedTuple

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.common.number_checks import Floats
from continuarm.drawing.bodies import axis_points, disc_frames, widest
from continuarm.drawing.camera import Camera, perspective, up_direction
from continuarm.drawing.colours import pressure_colours, pressure_limit, section_colour
from continuarm.drawing.painter import Painted, detail_for, painted, solids
from continuarm.engine.quantities import backbone

FACES = 700
"""Of an arm in a picture: about half of them are seen."""
MOST_SECTIONS = 300
"""Of an arm whose bodies are drawn; of a longer one, only its axis."""
POINTS = 300
"""Of a line, at most."""
LONGEST, MARGIN = 240.0, 6.0
"""Of the sides of an arm, and the space around it, pixels."""
CORNER, REACH = 64.0, 15.0
"""Side of the square with the world axes beside it, and how long these are, pixels."""


class _Line(NamedTuple):
    points: Floats  # (m, 2), m in the picture
    style: str


def arm_svg(
    arm: Arm, q: Floats, pressures: Floats | None = None, earlier: Floats | None = None, trail: Floats | None = None
) -> str:
    """An arm at q, (3n,) in m, in perspective; the world axes and gravity are in a corner.

    pressures: (muscles,), Pa, as colours. earlier: (k, 3n), m, shapes whose axes are drawn, the oldest the palest.
    trail: (k, 3), m, a path.
    """
    up = up_direction(arm)
    shapes = np.atleast_2d(q) if earlier is None else np.concatenate([earlier, np.atleast_2d(q)])
    axes = backbone(arm, shapes, points=max(min(12, POINTS // arm.n), 2))
    axes = axes[:, _some(axes.shape[1])]
    path = np.zeros((0, 3)) if trail is None else trail[_some(len(trail))]
    points = np.concatenate([axis_points(arm, q, 2), axes.reshape(-1, 3), path])
    camera = perspective(points, widest(arm), up, 1.0).camera

    pale = 0.15 + 0.4 * np.arange(len(axes)) / len(axes)
    styles = [f'stroke="currentColor" stroke-width="2" opacity="{strength:.2f}"' for strength in pale[:-1]]
    lines = [_Line(camera.seen(line), style) for line, style in zip(axes[:-1], styles, strict=True)]
    if len(path):
        lines.append(_Line(camera.seen(path), f'stroke="{section_colour(arm.n - 1)}" stroke-width="1.2"'))
    found = Painted(np.zeros((0, 4, 2)), np.zeros((0, 3)))
    if arm.n > MOST_SECTIONS:
        lines.append(_Line(camera.seen(axes[-1]), 'stroke="currentColor" stroke-width="2"'))
    else:
        solid = solids(arm, detail_for(arm, FACES))
        shades = None if pressures is None else pressure_colours(pressures, pressure_limit(pressures))
        found = painted(solid, disc_frames(arm, q, solid.detail.discs), camera, up, shades)

    all_points = np.concatenate([found.quads.reshape(-1, 2), *(line.points for line in lines)])
    low, high = all_points.min(axis=0), all_points.max(axis=0)
    scale = LONGEST / max(float((high - low).max()), 1e-9)
    width, height = CORNER + (high - low)[0] * scale + MARGIN, max((high - low)[1] * scale + 2 * MARGIN, CORNER)

    def pixels(of_picture: Floats) -> Floats:
        at = (of_picture - low) * scale
        return np.stack([CORNER + at[..., 0], height - MARGIN - at[..., 1]], axis=-1)

    body = "".join(f'<path d="{_path(pixels(line.points))}" fill="none" {line.style}/>' for line in lines)
    body += _faces(pixels(found.quads), found.colours) + _corner(arm, camera, height)
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">{body}</svg>'


def _some(count: int) -> Floats:
    """Rows of a line: all, or so many that they look the same."""
    return np.unique(np.linspace(0, count - 1, min(count, POINTS)).round().astype(int))


def _path(points: Floats) -> str:
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)


def _faces(quads: Floats, colours: Floats) -> str:
    """Faces one after the other; those of one colour together. Edges are painted too, or gaps would shine through."""
    shades = ["#" + bytes(each).hex() for each in np.rint(255 * colours).astype(np.uint8).tolist()]
    parts = []
    for shade, same in groupby(zip(shades, quads, strict=True), key=lambda pair: pair[0]):
        outline = "".join(_path(quad) + "z" for _, quad in same)
        parts.append(f'<path color="{shade}" d="{outline}"/>')
    return f'<g fill="currentColor" stroke="currentColor" stroke-width=".4">{"".join(parts)}</g>'


def _corner(arm: Arm, camera: Camera, height: float) -> str:
    """The world axes as the camera sees them, and gravity beside them, in the lower left."""
    turned = np.stack([camera.right, -camera.top], axis=-1)
    middle = np.array([0.36 * CORNER, height - CORNER / 2])
    marks = [(letter, middle, axis @ turned) for letter, axis in zip("XYZ", np.eye(3), strict=True)]
    pull = np.array(arm.gravity)
    if pull.any():
        along = pull / np.linalg.norm(pull) @ turned
        marks.append(("g", np.array([0.84 * CORNER, height - CORNER / 2]) - 0.5 * REACH * along, along))
    parts = []
    for name, begin, along in marks:
        end = begin + REACH * along
        dashes = ' stroke-dasharray="3 2"' if name == "g" else ""
        parts.append(f'<path d="{_path(np.array([begin, end]))}" stroke="currentColor"{dashes}/>')
        x, y = end + 7 * along / max(float(np.linalg.norm(along)), 0.5) + [0, 3.5]
        parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="middle">{name}</text>')
    return f'<g fill="currentColor" font-size="10" font-family="sans-serif" opacity=".75">{"".join(parts)}</g>'
