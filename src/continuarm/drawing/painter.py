"""Bodies as shaded polygons, the farthest first: what every picture of an arm is painted with."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from continuarm.arms.arm import Arm
from continuarm.common.number_checks import Floats
from continuarm.drawing.bodies import Body, bodies
from continuarm.drawing.camera import Camera
from continuarm.drawing.colours import rgb


class Detail(NamedTuple):
    """How finely an arm is drawn."""

    discs: int  # along each section
    tube: int  # sides of tubes and plates
    muscle: int  # sides of muscles; 0: none are drawn

    def faces(self, arm: Arm) -> int:
        """About how many faces an arm then has."""
        muscles = sum(len(section.muscle_map) for section in arm.sections)
        along = (self.discs - 1) * (arm.n * self.tube + muscles * self.muscle)
        return along + 2 * (arm.n + 1) * self.tube


DETAILS = (
    *(Detail(21, 24, 14), Detail(15, 18, 10), Detail(11, 16, 8), Detail(9, 12, 8), Detail(7, 10, 6), Detail(5, 8, 6)),
    *(Detail(4, 6, 5), Detail(3, 6, 4), Detail(3, 6, 0), Detail(2, 4, 0)),
)


def detail_for(arm: Arm, faces: int) -> Detail:
    """The finest detail that has no more than so many faces; for an arm of very many sections, the coarsest."""
    return next((each for each in DETAILS if each.faces(arm) <= faces), DETAILS[-1])


class Solids(NamedTuple):
    """Faces of all bodies of an arm: vertices that are fixed to discs, and what each face belongs to.

    A slab is what lies between two neighbouring discs, a plate, or a ball: planes part the slabs of a section, so that
    of two neighbours one is drawn before the other as a whole. A piece is what one body has in one slab.
    """

    detail: Detail
    disc: NDArray[np.intp]  # (v,)
    place: Floats  # (v, 3), m, in the frame of its disc
    faces: NDArray[np.intp]  # (f, 4): vertices, anticlockwise from outside
    colour: Floats  # (f, 3), 0 to 1
    muscle: NDArray[np.intp]  # (f,): whose pressure is the colour; -1: nobody's
    piece: NDArray[np.intp]  # (f,)
    slab: NDArray[np.intp]  # (pieces,): the first piece of the slab that each is in, which is about its axis

    def vertices(self, poses: Floats) -> Floats:
        """Where the vertices are, for poses (discs, 4, 4): (v, 3), m."""
        turned = np.einsum("vij,vj->vi", poses[self.disc, :3, :3], self.place)
        return np.asarray(poses[self.disc, :3, 3] + turned)


class Painted(NamedTuple):
    """Polygons of a picture in the order in which they are painted."""

    quads: Floats  # (m, 4, 2), m in the plane of the picture
    colours: Floats  # (m, 3), 0 to 1


def solids(arm: Arm, detail: Detail) -> Solids:
    """The bodies of an arm as faces."""
    build = _Builder()
    hidden = ["centres of gravity"] + (["muscles"] if detail.muscle == 0 else [])
    found = [body for body in bodies(arm, detail.discs) if body.part not in hidden]
    plates = {body.first: body.length / 2 for body in found if body.kind == "rod" and not any(body.at)}
    for i in range(
        1, arm.n
    ):  # a plate is at the end of a section and, if there is no joint between, at the next's base
        if not arm.sections[i - 1].offset:
            plates[i * detail.discs] = plates[i * detail.discs - 1]
    for body in found:
        if body.kind == "tube":
            build.tube(body, detail.tube if body.muscle < 0 else detail.muscle, plates)
        elif body.kind == "rod":
            build.rod(body, detail.tube)
        else:
            build.ball(body, 2 * (detail.tube // 2))
    return build.solids(detail)


class _Builder:
    def __init__(self) -> None:
        self.disc: list[NDArray[np.intp]] = []
        self.place: list[Floats] = []
        self.face: list[NDArray[np.intp]] = []
        self.of_face: list[tuple[Floats, int, int]] = []  # colour, muscle, piece
        self.slabs: dict[tuple[int, float], int] = {}
        self.pieces: list[int] = []
        self.count = 0

    def vertices(self, disc: NDArray[np.intp], place: Floats) -> int:
        self.disc.append(disc)
        self.place.append(place)
        first, self.count = self.count, self.count + len(disc)
        return first

    def faces(self, corners: NDArray[np.intp], body: Body, slab: tuple[int, float]) -> None:
        self.pieces.append(self.slabs.setdefault(slab, len(self.pieces)))
        self.face.append(corners)
        self.of_face += [(np.array(rgb(body.colour)) / 255, body.muscle, len(self.pieces) - 1)] * len(corners)

    def tube(self, body: Body, sides: int, plates: dict[int, float]) -> None:
        discs = np.arange(body.first, body.last + 1)
        rings = np.tile(np.asarray(body.at) + body.radius * _circle(sides), (len(discs), 1))
        # It ends at the faces of the plates, not inside them: what does not meet needs no order.
        rings[:sides, 2] += plates.get(body.first, 0.0)
        rings[-sides:, 2] -= plates.get(body.last, 0.0)
        first = self.vertices(np.repeat(discs, sides), rings)
        for k, disc in enumerate(discs[:-1]):
            self.faces(first + k * sides + _wall(sides), body, (int(disc), np.inf))

    def rod(self, body: Body, sides: int) -> None:
        ends = [_circle(sides) * body.radius + [0, 0, z] for z in (-body.length / 2, body.length / 2)]
        places = np.concatenate(ends) + np.asarray(body.at)
        first = self.vertices(np.full(2 * sides, body.first), places)
        caps = [_cap(sides)[:, ::-1], sides + _cap(sides)]
        self.faces(first + np.concatenate([_wall(sides), *caps]), body, (body.first, body.at[2]))

    def ball(self, body: Body, sides: int) -> None:
        rings = sides // 2 + 1
        latitude = np.linspace(-np.pi / 2, np.pi / 2, rings)[:, None]
        longitude = np.arange(sides) * 2 * np.pi / sides
        level = [np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude)]
        places = np.stack([*level, np.sin(latitude) + 0 * longitude], axis=-1).reshape(-1, 3)
        first = self.vertices(np.full(len(places), body.first), np.asarray(body.at) + body.radius * places)
        walls = np.concatenate([k * sides + _wall(sides) for k in range(rings - 1)])
        self.faces(first + walls, body, (body.first, body.at[2]))

    def solids(self, detail: Detail) -> Solids:
        colour, muscle, piece = zip(*self.of_face, strict=True)
        return Solids(
            detail,
            np.concatenate(self.disc),
            np.concatenate(self.place),
            np.concatenate(self.face),
            np.array(colour),
            np.array(muscle),
            np.array(piece),
            np.array(self.pieces),
        )


def _circle(sides: int) -> Floats:
    angles = (np.arange(sides) + 0.5) * 2 * np.pi / sides
    return np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=-1)


def _wall(sides: int) -> NDArray[np.intp]:
    """From one ring of vertices to the next."""
    here = np.arange(sides)
    beside = (here + 1) % sides
    return np.stack([here, beside, beside + sides, here + sides], axis=-1)


def _cap(sides: int) -> NDArray[np.intp]:
    """A ring of vertices filled with strips: all faces have four corners."""
    left = np.arange(sides // 2)
    right = sides - 1 - left
    return np.stack([right[:-1], left[:-1], left[1:], right[1:]], axis=-1)


def painted(
    solid: Solids, poses: Floats, camera: Camera, up: Floats, muscle_colours: NDArray[np.uint8] | None = None
) -> Painted:
    """The faces that are seen of an arm whose discs have poses (discs, 4, 4), lit from above and from the left.

    muscle_colours: (muscles, 3), of pressures; all as without pressure if left out.
    """
    around = solid.vertices(poses)[solid.faces]  # (f, 4, 3)
    corners = camera.seen(around)
    across, along = corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1]
    front = np.flatnonzero(across[:, 0] * along[:, 1] > across[:, 1] * along[:, 0])

    sums = [np.bincount(solid.piece, each, minlength=len(solid.slab)) for each in around.mean(axis=1).T]
    of_piece = camera.nearness(np.stack(sums, axis=-1) / np.bincount(solid.piece)[:, None])
    pieces = solid.piece[front]
    front = front[np.lexsort((of_piece[pieces], of_piece[solid.slab[pieces]]))]

    colours = solid.colour
    if muscle_colours is not None:
        colours = np.where(solid.muscle[:, None] >= 0, muscle_colours[solid.muscle] / 255, colours)
    around = around[front]
    normals = np.cross(around[:, 2] - around[:, 0], around[:, 3] - around[:, 1])
    normals /= np.linalg.norm(normals, axis=-1, keepdims=True) + 1e-300
    return Painted(corners[front], lit(colours[front], normals, camera, up))


def lit(colours: Floats, normals: Floats, camera: Camera, up: Floats) -> Floats:
    """Colours (m, 3) of faces with normals (m, 3): daylight from above, the sun from the left behind who looks on.

    As strong as in the viewer's page (player/shaders.js).
    """
    sun = up - 0.5 * camera.right + 0.6 * camera.back
    sun = sun / np.linalg.norm(sun)
    between = (sun + camera.back) / np.linalg.norm(sun + camera.back)
    sky, direct, facing = 0.5 + 0.5 * normals @ up, normals @ sun, normals @ camera.back
    gloss = np.maximum(normals @ between, 0.0) ** 40
    strength = 0.42 + 0.22 * sky + 0.3 * np.maximum(direct, 0.0) + 0.12 * np.maximum(facing, 0.0)
    return np.clip(colours * strength[:, None] + 0.1 * gloss[:, None], 0.0, 1.0)
