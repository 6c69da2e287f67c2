"""Frames of a moving arm as arrays of pixels, for videos: one figure, of which only what moves is drawn again."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from continuarm.arms.arm import Arm
from continuarm.common.number_checks import Floats
from continuarm.drawing.colours import PRESSURE_COLOURS, rgb
from continuarm.drawing.scene import Scene

DPI = 100.0
INK = "#24292F"


class Stage:
    """An arm before a camera that does not move."""

    def __init__(self, arm: Arm, points: Floats, size: tuple[int, int], highest: float = 0.0, name: str = "") -> None:
        """points: (m, 3), m, what is to be in view; size: width and height in pixels.

        highest: pressure, Pa, at the end of the colours; none are shown if it is 0. name: what stands below the arm.
        """
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
        from matplotlib.transforms import Bbox

        width, height = size
        figure = Figure(figsize=(width / DPI, height / DPI), dpi=DPI, facecolor="white")
        figure.set_layout_engine("none")
        self.canvas = FigureCanvasAgg(figure)
        self.axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
        self.scene = Scene(self.axes, arm, points, width / height, highest)
        self.highest = highest
        letters = max(min(width, height) / 45, 5.0)  # points: as large in every size
        look = {"transform": figure.transFigure, "color": INK, "parse_math": False}
        self.label = self.axes.text(0.025, 0.965, "", fontsize=1.15 * letters, va="top", **look)  # type: ignore[arg-type]
        below = self.axes.text(0.025, 0.03, name, fontsize=0.8 * letters, **look)  # type: ignore[arg-type]
        if highest:
            self._draw_pressure_bar(letters)
        self.moving = [*self.scene.artists, self.label, below]
        for artist in self.moving:
            artist.set_animated(True)
        self.canvas.draw()
        self.background = self.canvas.copy_from_bbox(figure.bbox)
        self.bar = self.canvas.copy_from_bbox(Bbox([[0.67 * width, 0], [width, 0.135 * height]])) if highest else None

    def _draw_pressure_bar(self, letters: float) -> None:
        bar = self.canvas.figure.add_axes((0.7, 0.06, 0.27, 0.02))
        anchors = np.array([rgb(colour) for colour in PRESSURE_COLOURS]) / 255
        part = np.linspace(0, len(anchors) - 1, 256)
        row = np.stack([np.interp(part, np.arange(len(anchors)), channel) for channel in anchors.T], axis=-1)
        bar.imshow(row[None], aspect="auto", extent=(0.0, self.highest / 1e3, 0.0, 1.0))
        bar.set_yticks([])
        bar.set_xticks([0.0, self.highest / 2e3, self.highest / 1e3])
        bar.set_title("pressure, kPa", fontsize=0.8 * letters, color=INK, pad=0.3 * letters)
        bar.tick_params(labelsize=0.8 * letters, labelcolor=INK, length=0, pad=0.3 * letters)
        for spine in bar.spines.values():
            spine.set_visible(False)

    def pixels(
        self,
        label: str,
        q: Floats,
        pressures: Floats | None = None,
        trail: Floats | None = None,
        force: Floats | None = None,
        target: Floats | None = None,
    ) -> NDArray[np.uint8]:
        """One frame, (height, width, 3): a label, and what Scene.show takes."""
        self.scene.show(q, pressures, trail, force, target)
        self.label.set_text(label)
        self.canvas.restore_region(self.background)
        for artist in self.moving:
            self.axes.draw_artist(artist)
        if self.bar is not None:
            self.canvas.restore_region(self.bar)
        return np.array(self.canvas.buffer_rgba())[..., :3]
