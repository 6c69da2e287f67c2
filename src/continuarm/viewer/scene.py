"""What stands in the scene: arms with muscles, plates and traces; ground, gravity, and where the camera is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from continuarm.arms.arm import Arm
from continuarm.common.number_checks import Floats
from continuarm.viewer.camera import FIELD_OF_VIEW, GAP, Camera, camera_for, up_direction
from continuarm.viewer.shapes import (
    BEAD,
    CENTRE_COLOUR,
    DISCS,
    GHOST_COLOUR,
    PAYLOAD_COLOUR,
    PLATE_COLOUR,
    SECTION_COLOURS,
    Drawing,
    Rods,
    ball,
    cylinder,
    payload_radius,
    pressure_colours,
    rgb,
    section_colour,
    tube_faces,
    turns_to,
)

if TYPE_CHECKING:
    import viser


PARTS = ("tube", "muscles", "plates", "traces", "centres of gravity")
"""What of an arm can be shown or hidden."""

PAPER = np.array([255.0, 255.0, 255.0])
PALEST = 0.3
"""How much colour is left of the oldest part of a trace."""
GHOST_OPACITY = 0.35
MOST_TRACED = 900
"""Lines of all traces of an arm together."""


class ArmNodes:
    """One arm in the scene. A ghost, to be compared with another arm, is translucent and has no muscles."""

    def __init__(self, server: viser.ViserServer, name: str, arm: Arm, highest: float, ghost: bool = False) -> None:
        self.server, self.name, self.arm, self.highest, self.ghost = server, name, arm, highest, ghost
        self.opacity = GHOST_OPACITY if ghost else None
        self.visible = dict.fromkeys(PARTS, True)
        self.nodes: dict[str, list[Any]] = {part: [] for part in PARTS}
        self.colours: NDArray[np.uint8] | None = None

    def show(self, drawn: Drawing, pressures: Floats) -> None:
        """Draws the arm anew: pressures (muscles,) in Pa."""
        if not self.nodes["tube"]:
            self._add(drawn, pressures)
            return
        for group, tube in zip(self._groups(), self.nodes["tube"], strict=True):
            tube.vertices = drawn.tubes[group].reshape(-1, 3)
        for part, rods in (("muscles", drawn.muscles), ("plates", drawn.plates)):
            for node in self.nodes[part][:1]:
                node.batched_positions, node.batched_wxyzs, node.batched_scales = rods.centres, rods.turns, rods.sizes
        for muscles in self.nodes["muscles"]:
            muscles.batched_colors = self._muscle_colours(pressures)
        self.nodes["centres of gravity"][0].batched_positions = drawn.centres
        if self.arm.payload is not None:
            self.nodes["plates"][1].position = drawn.payload

    def _groups(self) -> list[slice]:
        """The sections of each colour: they share a mesh, so that long arms have few."""
        colours = 1 if self.ghost else min(self.arm.n, len(SECTION_COLOURS))
        return [slice(first, None, colours) for first in range(colours)]

    def _muscle_colours(self, pressures: Floats) -> NDArray[np.uint8]:
        return linear(np.repeat(pressure_colours(pressures, self.highest), DISCS - 1, axis=0))

    def _add(self, drawn: Drawing, pressures: Floats) -> None:
        scene, ghost = self.server.scene, rgb(GHOST_COLOUR)
        for first, group in enumerate(self._groups()):
            self.nodes["tube"].append(
                scene.add_mesh_simple(
                    f"{self.name}/tube{first}",
                    drawn.tubes[group].reshape(-1, 3),
                    tube_faces(len(drawn.tubes[group])),
                    color=ghost if self.ghost else rgb(section_colour(first)),
                    opacity=self.opacity,
                    cast_shadow=not self.ghost,
                    visible=self.visible["tube"],
                )
            )
        faint, plates = linear(np.array(ghost)), linear(np.array(rgb(PLATE_COLOUR)))
        if not self.ghost:
            self.nodes["muscles"].append(self._rods("muscles", drawn.muscles, self._muscle_colours(pressures)))
        self.nodes["plates"].append(self._rods("plates", drawn.plates, faint if self.ghost else plates))
        reach = np.array([section.radius for section in self.arm.sections])
        self.nodes["centres of gravity"].append(
            scene.add_batched_meshes_simple(
                f"{self.name}/centres",
                *ball(),
                np.tile([1.0, 0.0, 0.0, 0.0], (self.arm.n, 1)),
                drawn.centres,
                batched_scales=BEAD * reach,
                batched_colors=faint if self.ghost else linear(np.array(rgb(CENTRE_COLOUR))),
                opacity=self.opacity,
                lod="off",
                visible=self.visible["centres of gravity"],
            )
        )
        if self.arm.payload is not None:
            self.nodes["plates"].append(
                scene.add_icosphere(
                    f"{self.name}/payload",
                    radius=payload_radius(self.arm),
                    color=rgb(PAYLOAD_COLOUR),
                    opacity=self.opacity,
                    position=drawn.payload,
                    visible=self.visible["plates"],
                )
            )

    def _rods(self, part: str, rods: Rods, colours: Any) -> Any:
        return self.server.scene.add_batched_meshes_simple(
            f"{self.name}/{part}",
            *cylinder(),
            rods.turns,
            rods.centres,
            batched_scales=rods.sizes,
            batched_colors=colours,
            opacity=self.opacity,
            lod="off",
            cast_shadow=not self.ghost,
            visible=self.visible[part],
        )

    def trace(self, segments: Floats, colours: NDArray[np.uint8]) -> None:
        """Draws where the tips were: segments and their colours (m, 2, 3)."""
        if not self.nodes["traces"]:
            line = self.server.scene.add_line_segments(
                f"{self.name}/traces", segments, colours, thickness=2.5, thickness_units="screen"
            )
            line.visible = self.visible["traces"]
            self.nodes["traces"].append(line)
            return
        line = self.nodes["traces"][0]
        line.points, line.colors = segments, colours

    def set_visible(self, part: str, visible: bool) -> None:
        """Shows or hides a part."""
        self.visible[part] = visible
        for node in self.nodes[part]:
            node.visible = visible

    def remove(self) -> None:
        """Takes the arm out of the scene."""
        for nodes in self.nodes.values():
            while nodes:
                nodes.pop().remove()


def trace_segments(tips: Floats, ghost: bool = False, most: int = MOST_TRACED) -> tuple[Floats, NDArray[np.uint8]]:
    """Lines along the paths of tips (k, n, 3), pale where they are old: points (m, 2, 3), colours (m, 2, 3).

    At most so many lines, however long the motion: tips in between are left out.
    """
    count, sections = tips.shape[:2]
    kept = np.unique(np.linspace(0, count - 1, min(count, most // sections + 1)).astype(int))
    paths = tips[kept].swapaxes(0, 1)
    segments = np.stack([paths[:, :-1], paths[:, 1:]], axis=2).reshape(-1, 2, 3)
    full = np.array([rgb(GHOST_COLOUR if ghost else section_colour(i)) for i in range(sections)], dtype=float)
    fresh = np.linspace(PALEST, 1.0, len(kept))[None, :, None]
    shades = PAPER + fresh * (full[:, None] - PAPER)
    colours = np.stack([shades[:, :-1], shades[:, 1:]], axis=2).reshape(-1, 2, 3)
    return segments, linear(colours)


def linear(colours: NDArray[Any]) -> NDArray[np.uint8]:
    """Colours from 0 to 255 as amounts of light: viser takes those of lines and of repeated shapes for such."""
    return np.rint(255 * (np.asarray(colours) / 255.0) ** 2.2).astype(np.uint8)


class Stage:
    """Everything that does not move with an arm: ground, gravity, light, camera."""

    def __init__(self, server: viser.ViserServer) -> None:
        self.server = server
        self.camera: Camera | None = None
        self.nodes: list[Any] = []
        self.gravity_nodes: list[Any] = []

    def set_up(self, arm: Arm, points: Floats, path: Floats) -> None:
        """Ground below all points (m, 3), camera for them; what was there is replaced."""
        scene, up = self.server.scene, up_direction(arm)
        for node in self.nodes:
            node.remove()
        scene.set_up_direction(up)
        scene.configure_default_lights(cast_shadow=True)
        heights = points @ up
        size = float(np.ptp(points, axis=0).max())
        middle = points.mean(axis=0)
        floor = middle + (heights.min() - GAP * size - middle @ up) * up
        cell = 10.0 ** np.floor(np.log10(size / 2))
        self.ground = scene.add_grid(
            "/ground",
            plane="xy",
            width=60 * cell,
            height=60 * cell,
            cell_size=cell,
            section_size=5 * cell,
            cell_color=(222, 227, 234),
            section_color=(196, 204, 215),
            shadow_opacity=0.16,
            fade_distance=9 * size,
            fade_strength=1.5,
            position=floor,
            wxyz=turns_to(up[None])[0],
        )
        self.nodes = [self.ground]
        self.size = size
        self.camera = camera_for(points, path, up)
        self.show_gravity(arm)
        start = self.server.initial_camera
        start.position, start.look_at, start.up = self.camera
        start.fov, start.near, start.far = float(FIELD_OF_VIEW), 0.01 * size, 100 * size

    def show_gravity(self, arm: Arm) -> None:
        """An arrow beside the base along gravity; nothing without gravity."""
        strength = float(np.linalg.norm(arm.gravity))
        for node in self.gravity_nodes:
            node.remove()
        self.gravity_nodes = []
        if not strength:
            return
        along = np.array(arm.gravity) / strength
        begin = 0.5 * self.size * self.camera.free_side if self.camera else np.zeros(3)
        length = 0.16 * self.size
        self.gravity_nodes = [
            self.server.scene.add_arrows(
                "/gravity",
                np.stack([begin, begin + length * along])[None],
                (110, 118, 132),
                shaft_radius=0.045 * length,
                head_radius=0.13 * length,
                head_length=0.3 * length,
            ),
            self.server.scene.add_label("/g", "g", position=begin + 1.25 * length * along),
        ]

    def reset_camera(self) -> None:
        """Puts the camera of everybody who looks back to where it was at first."""
        if self.camera is None:
            return
        for client in self.server.get_clients().values():
            with client.atomic():
                client.camera.up_direction = self.camera.up
                client.camera.position, client.camera.look_at = self.camera.position, self.camera.look_at
