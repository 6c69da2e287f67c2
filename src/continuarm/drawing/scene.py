"""An arm above the ground in the axes of matplotlib, in perspective: drawn once, then moved."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.common.number_checks import Floats
from continuarm.drawing.bodies import disc_frames, widest
from continuarm.drawing.camera import perspective, up_direction
from continuarm.drawing.colours import BLACK, RED, pressure_colours, section_colour, shades
from continuarm.drawing.painter import detail_for, painted, solids
from continuarm.drawing.scenery import Shadow, arrow, grid_lines, ground
from continuarm.engine.quantities import backbone, tip_poses

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

FACES = 2500
"""Of an arm: about half of them are seen."""
MOST_SECTIONS = 300
"""Of an arm whose bodies are drawn; of a longer one, only its axis."""
SHADE, GRID = "#E9ECF0", "#C7CED8"


class Scene:
    """The artists of an arm, its shadow, the ground, the path of its tip and a force on it."""

    def __init__(self, axes: Axes, arm: Arm, points: Floats, aspect: float, highest: float = 0.0) -> None:
        """points: (m, 3), m, what is to be in view; aspect: width over height; highest: Pa, the end of the colours."""
        from matplotlib.collections import LineCollection, PolyCollection

        self.arm, self.highest, self.up = arm, highest, up_direction(arm)
        radius = widest(arm)
        plane = ground(points, radius, self.up)
        # The shadow of most of it is to be in view, too; that of a far corner may be cut off.
        below = plane.below(points) * 0.8 + 0.2 * plane.below(points.mean(axis=0))
        frame = perspective(np.concatenate([points, below]), radius, self.up, aspect)
        self.camera, self.size = frame.camera, frame.half_height
        lines, strengths = grid_lines(plane, self.camera)
        shown = strengths > 0.02
        for axis, half in enumerate((frame.half_width, frame.half_height)):
            shown &= (lines[..., axis].min(axis=1) < half) & (lines[..., axis].max(axis=1) > -half)
        self.solids = solids(arm, detail_for(arm, FACES)) if arm.n <= MOST_SECTIONS else None
        self.shadow = None
        if self.solids is not None:
            self.shadow = Shadow(arm, self.solids.detail.discs, plane, self.camera)

        self.shade = PolyCollection([], facecolors=SHADE, edgecolors=SHADE, linewidths=0.5, zorder=1)
        self.grid = LineCollection(
            list(lines[shown]), colors=shades(GRID, strengths[shown]), linewidths=0.7, zorder=1.2
        )
        self.path = LineCollection([], linewidths=1.5, capstyle="round", zorder=1.4)
        self.body = PolyCollection([], linewidths=0.3, zorder=2)
        self.arrow = PolyCollection([], facecolors=RED, linewidths=0, zorder=3)
        (self.axis,) = axes.plot([], [], color=BLACK, linewidth=1.5, zorder=2)
        ring = {"marker": "o", "markersize": 10, "markerfacecolor": "none", "markeredgewidth": 2.0, "color": RED}
        (self.target,) = axes.plot([], [], linestyle="", zorder=4, **ring)  # type: ignore[arg-type]
        for collection in (self.shade, self.grid, self.path, self.body, self.arrow):
            axes.add_collection(collection, autolim=False)
        axes.set_xlim(-frame.half_width, frame.half_width)
        axes.set_ylim(-frame.half_height, frame.half_height)
        axes.set_axis_off()

    @property
    def artists(self) -> list[Artist]:
        """All that is drawn, in this order."""
        return [self.shade, self.grid, self.path, self.body, self.axis, self.arrow, self.target]

    def show(
        self,
        q: Floats,
        pressures: Floats | None = None,
        trail: Floats | None = None,
        force: Floats | None = None,
        target: Floats | None = None,
    ) -> None:
        """Moves the arm to q, (3n,) in m; pressures: (muscles,), Pa.

        trail: (k, 3), m, a path that ends now; force: (3,), on the last tip, as an arrow of this length, m; target: a
        place (3,), m, with a ring around it.
        """
        self.target.set_data(*([[], []] if target is None else self.camera.seen(target[None]).T))
        if self.solids is None or self.shadow is None:
            self.axis.set_data(*self.camera.seen(backbone(self.arm, q, points=2)).T)
        else:
            poses = disc_frames(self.arm, q, self.solids.detail.discs)
            muscles = None if pressures is None else pressure_colours(pressures, self.highest)
            found = painted(self.solids, poses, self.camera, self.up, muscles)
            self.body.set_verts(found.quads)  # type: ignore[arg-type]
            self.body.set_facecolor(found.colours)  # type: ignore[arg-type]
            self.body.set_edgecolor(found.colours)  # type: ignore[arg-type]
            self.shade.set_verts(self.shadow.polygons(poses))  # type: ignore[arg-type]
        if trail is not None and len(trail) > 1:
            seen = self.camera.seen(trail)
            self.path.set_segments(np.stack([seen[:-1], seen[1:]], axis=1))  # type: ignore[arg-type]
            age = np.arange(len(seen) - 1)[::-1]
            # What is old stays as it is: it costs nothing in a GIF.
            colour = section_colour(self.arm.n - 1)
            self.path.set_color(list(shades(colour, np.clip(1 - 0.03 * age, 0.4, 1.0))))
        else:
            self.path.set_segments([])
        outlines = []
        if force is not None and np.any(force):
            tip = tip_poses(self.arm, q)[-1, :3, 3]
            outlines = [arrow(self.camera, tip, tip + force, 0.02 * self.size)]
        self.arrow.set_verts(outlines)
