"""What stands around an arm in a picture: the ground with its grid, the arm's shadow, and arrows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.common.number_checks import Floats
from continuarm.drawing.bodies import outer_radii, plate_sizes
from continuarm.drawing.camera import Camera

GAP = 0.07
"""How far the ground is below the lowest point, in sizes of the whole."""
CELLS = 12
"""Of the grid, to each side."""


class Ground(NamedTuple):
    """A level plane: a point of it, and its axes, all of length 1."""

    origin: Floats  # (3,), m
    east: Floats  # (3,)
    north: Floats  # (3,)
    up: Floats  # (3,)
    cell: float  # m, of its grid: a power of ten

    def below(self, points: Floats) -> Floats:
        """Where points (..., 3) have their shadow when the sun is overhead: (..., 3)."""
        return points - ((points - self.origin) @ self.up)[..., None] * self.up


def ground(points: Floats, radius: float, up: Floats) -> Ground:
    """The ground somewhat below balls of a radius, m, about points (m, 3)."""
    size = float(np.ptp(points, axis=0).max()) + 2 * radius
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    level = float((points @ up).min()) - radius - GAP * size
    aside = np.array([1.0, 0.0, 0.0]) if abs(up[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
    east = np.cross(up, aside)
    east = east / np.linalg.norm(east)
    cell = 10.0 ** np.floor(np.log10(size / 2))
    return Ground(middle + (level - middle @ up) * up, east, np.cross(up, east), up, float(cell))


def grid_lines(plane: Ground, camera: Camera) -> tuple[Floats, Floats]:
    """Lines of the grid in the picture, (m, 2, 2), and how strong each is, (m,), 0 to 1: they fade with distance."""
    along = np.arange(-CELLS, CELLS + 1)
    x, y = np.meshgrid(along, along, indexing="ij")
    nodes = plane.origin + plane.cell * (x[..., None] * plane.east + y[..., None] * plane.north)
    away = np.hypot(x, y) / CELLS
    seen = camera.seen(nodes)
    in_front = camera.in_front(nodes)
    lines, strengths = [], []
    both = slice(None)
    for here, there in (((slice(0, -1), both), (slice(1, None), both)), ((both, slice(0, -1)), (both, slice(1, None)))):
        shown = in_front[here] & in_front[there]
        lines.append(np.stack([seen[here][shown], seen[there][shown]], axis=1))
        strengths.append(np.clip(1 - (away[here][shown] + away[there][shown]) / 2, 0, 1))
    return np.concatenate(lines), np.concatenate(strengths)


class Shadow:
    """The shadow of an arm on the ground below it, when the sun is overhead."""

    DIRECTIONS = 14

    def __init__(self, arm: Arm, discs: int, plane: Ground, camera: Camera) -> None:
        self.plane, self.camera, self.discs = plane, camera, discs
        angles = np.arange(self.DIRECTIONS) * 2 * np.pi / self.DIRECTIONS
        self.rim = np.stack([np.cos(angles), np.sin(angles), 0 * angles])  # (3, DIRECTIONS)
        self.radii = np.repeat(outer_radii(arm), discs)
        self.plates = np.concatenate([[0], np.arange(1, arm.n + 1) * discs - 1])
        self.plate_radii = plate_sizes(arm)[:, 0]

    def polygons(self, poses: Floats) -> Floats:
        """For poses (discs, 4, 4): (m, DIRECTIONS, 2) in the picture, one for each slab and plate."""
        count = len(self.radii)
        rims = poses[:count, None, :3, 3] + np.moveaxis(
            self.radii[:, None, None] * (poses[:count, :3, :3] @ self.rim), -1, -2
        )
        inner = np.arange(count - 1)[(np.arange(1, count) % self.discs) != 0]
        slabs = np.concatenate([rims[inner], rims[inner + 1]], axis=1)
        at = poses[self.plates]
        plates = at[:, None, :3, 3] + np.moveaxis(self.plate_radii[:, None, None] * (at[:, :3, :3] @ self.rim), -1, -2)
        return np.concatenate([self._hulls(slabs), self._hulls(plates)])

    def _hulls(self, points: Floats) -> Floats:
        """The outermost of points (m, k, 3) on the ground in DIRECTIONS directions, in the picture."""
        level = np.stack([points @ self.plane.east, points @ self.plane.north], axis=-1)
        outermost = np.argmax(level @ self.rim[:2], axis=1)  # (m, DIRECTIONS)
        chosen = np.take_along_axis(points, outermost[..., None], axis=1)
        return self.camera.seen(self.plane.below(chosen))


def arrow(camera: Camera, begin: Floats, end: Floats, width: float) -> Floats:
    """An arrow from one point to another, (3,) each in m: the outline (7, 2) of its shaft and head in the picture."""
    tail, tip = camera.seen(np.stack([begin, end]))
    long = float(np.linalg.norm(tip - tail))
    along = (tip - tail) / long if long > 0 else np.array([0.0, 1.0])
    aside = np.array([-along[1], along[0]])
    head = min(3.2 * width, long)
    neck = tip - head * along
    outline = [tail + 0.5 * width * aside, neck + 0.5 * width * aside, neck + 1.5 * width * aside, tip]
    outline += [neck - 1.5 * width * aside, neck - 0.5 * width * aside, tail - 0.5 * width * aside]
    return np.array(outline)
