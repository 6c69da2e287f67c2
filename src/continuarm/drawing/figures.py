"""Figures of an arm: its bodies in the axes of matplotlib, in perspective and along the world axes.

Panels are placed by hand, in inches: what has equal scales in both directions then fills its place.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from continuarm.arms.arm import Arm, per_section
from continuarm.arms.summary import arm_totals, arm_words
from continuarm.common.number_checks import Floats, numbers_of_shape
from continuarm.common.text import printable
from continuarm.drawing.bodies import axis_points, disc_frames, widest
from continuarm.drawing.camera import Camera, along_axis, up_direction
from continuarm.drawing.colours import (
    BLACK,
    NAVY,
    PRESSURE_COLOURS,
    PURPLE,
    RED,
    faded,
    pressure_colours,
    pressure_limit,
)
from continuarm.drawing.muscle_names import name_muscles
from continuarm.drawing.painter import detail_for, painted, solids
from continuarm.drawing.scene import FACES, MOST_SECTIONS, Scene
from continuarm.drawing.scenery import arrow
from continuarm.drawing.views import LETTERS, View, Views, views_of
from continuarm.engine.quantities import backbone, tip_poses

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TEXT = 8.0  # points
DASHED = (0, (4, 2))
MM = 1e3
MOST_SHAPES = 50
POINTS = 25
"""Of the axis, on each section."""
LABELS = 0.55, 0.42
"""Inches to the left of a panel and below it, for its numbers and its label."""
LEGEND = 0.84
"""Inches to the right of views, for the names of shapes."""
BETWEEN = 0.14
"""Inches between two views that share an axis."""
NAMES = 0.45, 0.15
"""Inches at the sides of an arm, and above and below it, for the names of its muscles."""


class Box(NamedTuple):
    """A place in a figure, inches from its lower left."""

    left: float
    bottom: float
    width: float
    height: float

    def panel(self, figure: Figure) -> Axes:
        """Axes there."""
        width, height = figure.get_size_inches()
        return figure.add_axes((self.left / width, self.bottom / height, self.width / width, self.height / height))


class Shapes(NamedTuple):
    """An arm in one state, with its bodies, and in earlier ones, as lines."""

    arm: Arm
    q: Floats  # (3n,), m
    earlier: Floats  # (k, points, 3), m: axes, the oldest first
    names: Sequence[str] = ()  # (k + 1) of them, such as times; none: no legend
    pressures: Floats | None = None  # (muscles,), Pa
    highest: float = 0.0  # Pa, the end of the colours
    arrows: Sequence[tuple[str, Floats]] = ()  # on the last tip: name, and (3,), m in the picture
    other: Floats | None = None  # (points, 3), m: the axis of another arm, dashed

    @property
    def points(self) -> Floats:
        """All that is to be in view: (m, 3), m."""
        tip = tip_poses(self.arm, self.q)[-1, :3, 3]
        ends = [(tip + each)[None] for _, each in self.arrows]
        others = [] if self.other is None else [self.other]
        own = axis_points(self.arm, self.q, POINTS)
        return np.concatenate([own, self.earlier.reshape(-1, 3), *ends, *others])


def plot_arm(arm: Arm, q: ArrayLike | None = None, pressures: ArrayLike | None = None) -> Figure:
    """A figure of an arm in one state or several: in perspective, and along the world axes that matter.

    q: (3n,) or (k, 3n), m; unbent if left out. Of several, the last has its bodies, the others are lines, the older the
    paler. pressures: (muscles,), Pa, of the last, as colours of its muscles, which are named where there is room.
    """
    states = np.atleast_2d(per_section(arm, "q", np.zeros(3 * arm.n) if q is None else q))
    if states.ndim != 2 or not 1 <= len(states) <= MOST_SHAPES:
        allowed = f"({3 * arm.n},), or (k, {3 * arm.n}) with k at most {MOST_SHAPES}"
        raise ValueError(f"q has shape {states.shape}: must be {allowed}")
    pressed = None
    if pressures is not None:
        count = len(arm.muscle_names)
        pressed = numbers_of_shape("pressures", pressures, count, f"{count} muscles of {arm.name!r}")
        if pressed.ndim != 1:
            raise ValueError(f"pressures has shape {pressed.shape}: must be ({count},), those of the last state")
        if pressed.min() < 0:
            least = int(np.argmin(pressed))
            raise ValueError(f"pressures: {arm.muscle_names[least]} = {pressed[least]:g} Pa must be 0 or more")
    highest = 0.0 if pressed is None else pressure_limit(pressed)
    shapes = Shapes(arm, states[-1], backbone(arm, states[:-1], points=POINTS), (), pressed, highest)
    low = 0.75 if highest else 0.1
    beside = Box(4.5, low, 4.4, 5.2 - low)
    views = with_room_for_names(views_for(shapes), beside)

    figure = new_figure((9.0, 5.6))
    figure.suptitle(printable(arm_words(arm)), fontsize=TEXT + 2, y=0.985, parse_math=False)
    draw_perspective(Box(0.1, low, 4.3, 5.2 - low), figure, shapes)
    for axes, view in zip(draw_views(beside, figure, views, shapes), views.views, strict=True):
        name_muscles(axes, view, arm, states[-1])
    if highest:
        draw_pressure_bar(Box(3.0, 0.42, 3.0, 0.09), figure, highest)
    return figure


def new_figure(size: tuple[float, float]) -> Figure:
    """An empty figure, inches; matplotlib's windows and current figure are left alone."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    from continuarm.drawing.shown_figure import ShownFigure

    figure = ShownFigure(figsize=size)
    figure.set_layout_engine("none")  # whatever the user's settings are: places are in inches
    FigureCanvasAgg(figure)
    return figure


def plain_axes(axes: Axes, across: str = "", up: str = "") -> None:
    """Axes with small labels and a pale grid behind what is drawn."""
    axes.set_xlabel(across, fontsize=TEXT)
    axes.set_ylabel(up, fontsize=TEXT)
    axes.tick_params(labelsize=TEXT - 1)
    axes.grid(color="0.92", linewidth=0.6)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def legend_beside(title: str | None = None) -> dict[str, Any]:
    """Options of a legend to the right of its panel, where no line runs beneath it."""
    place: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1.01, 1.04), "borderaxespad": 0.0}
    look: dict[str, Any] = {"frameon": False, "fontsize": TEXT - 1, "handlelength": 1.6, "labelspacing": 0.25}
    return place | look | {"title": title, "title_fontsize": TEXT - 1, "alignment": "left"}


def views_for(shapes: Shapes) -> Views:
    """The views in which there is something to see of an arm."""
    arm = shapes.arm
    return views_of(shapes.points, np.array(arm.gravity), arm_totals(arm)["length"], widest(arm))


def views_height(views: Views, width: float) -> float:
    """How high a box of a width is that views with a legend fill, both in inches."""
    gaps = BETWEEN * (len(views.views) - 1)
    room = width - LABELS[0] - LEGEND - (0.0 if views.stacked else gaps)
    return room / views.aspect + LABELS[1] + (gaps if views.stacked else 0.0)


def draw_views(box: Box, figure: Figure, views: Views, shapes: Shapes) -> list[Axes]:
    """The views of an arm within a box, at one scale and as large as they can be; the legend is beside them."""
    scale, spare_width, spare_height = _fitted(views, box, LEGEND if shapes.names else 0.1)
    x, y = box.left + LABELS[0] + spare_width / 2, box.bottom + box.height - spare_height / 2
    drawn: list[Axes] = []
    for view in views.views:
        width, height = 2 * view.half_width, 2 * view.half_height
        axes = Box(x, y - scale * height, scale * width, scale * height).panel(figure)
        draw_view(axes, view, shapes)
        _few_numbers(axes, scale * width, scale * height)
        if views.stacked:
            y -= scale * height + BETWEEN
        else:
            x += scale * width + BETWEEN
        drawn.append(axes)
    for axes in drawn[:-1] if views.stacked else drawn[1:]:
        axes.set_xlabel("") if views.stacked else axes.set_ylabel("")
        axes.tick_params(labelbottom=not views.stacked, labelleft=views.stacked)
    if shapes.names:
        drawn[0 if views.stacked else -1].legend(**legend_beside() | {"bbox_to_anchor": (1.02, 1.0)})
    return drawn


def _fitted(views: Views, box: Box, legend: float) -> tuple[float, float, float]:
    """Inches per m at which views fill a box, and the inches across and up that are left over."""
    (left, below), gaps = LABELS, BETWEEN * (len(views.views) - 1)
    widths, heights = ([2 * getattr(view, half) for view in views.views] for half in ("half_width", "half_height"))
    wide, tall = (max(widths), sum(heights)) if views.stacked else (sum(widths), max(heights))
    across = box.width - left - legend - (0 if views.stacked else gaps)
    up = box.height - below - (gaps if views.stacked else 0)
    scale = min(across / wide, up / tall)
    return scale, across - scale * wide, up - scale * tall


def with_room_for_names(views: Views, box: Box) -> Views:
    """Views of the same scale that take what a box without legend has left over, for names beside the arm."""
    scale, across, up = _fitted(views, box, 0.1)
    count = len(views.views)
    wider = min(NAMES[0], across / (2 if views.stacked else 2 * count)) / scale
    higher = min(NAMES[1], up / (2 * count if views.stacked else 2)) / scale
    found = [
        view._replace(half_width=view.half_width + wider, half_height=view.half_height + higher) for view in views.views
    ]
    return views._replace(views=tuple(found))


def _few_numbers(axes: Axes, width: float, height: float) -> None:
    """As many numbers along the axes as there is room for; inches."""
    from matplotlib.ticker import MaxNLocator

    for axis, room in ((axes.xaxis, width / 0.5), (axes.yaxis, height / 0.4)):
        axis.set_major_locator(MaxNLocator(nbins=max(min(int(room), 7), 1), steps=[1, 2, 5, 10]))


def draw_view(axes: Axes, view: View, shapes: Shapes) -> None:
    """An arm seen along a world axis, mm; the older its shapes, the paler."""
    camera = along_axis(view.across, view.up, view.hangs)
    plane, count = [view.across, view.up], len(shapes.earlier) + 1
    names: Sequence[str | None] = shapes.names or [None] * count
    for k, line in enumerate(shapes.earlier):
        share = (k + 1) / count
        look: dict[str, Any] = {"color": faded(NAVY, 0.15 + 0.6 * share), "zorder": 2 + k}
        axes.plot(*(MM * line[:, plane]).T, linewidth=1.0 + 0.8 * share, label=names[k], **look)
        axes.plot(*(MM * line[POINTS - 1 :: POINTS, plane]).T, linestyle="", marker="o", markersize=2.5 + share, **look)
    draw_bodies(axes, view, camera, shapes, zorder=2 + count)
    axes.plot([], [], color=PRESSURE_COLOURS[0], linewidth=4, label=names[-1])
    if shapes.other is not None:
        look = {"color": BLACK, "linestyle": DASHED, "linewidth": 1.2, "zorder": 3 + count}
        axes.plot(*(MM * shapes.other[:, plane]).T, **look)
    axes.plot(0.0, 0.0, marker="+", color=BLACK, markersize=5, zorder=4 + count)
    tip = tip_poses(shapes.arm, shapes.q)[-1, :3, 3]
    for (name, pull), colour in zip(shapes.arrows, (RED, PURPLE), strict=False):
        outline = arrow(camera, tip, tip + pull, 0.02 * max(view.half_width, view.half_height))
        axes.fill(*(MM * _on_page(outline, view)).T, color=colour, zorder=5 + count, linewidth=0, label=name)
    plain_axes(axes, f"{LETTERS[view.across]}, mm", f"{LETTERS[view.up]}, mm")
    (x, y), halves = MM * np.array(view.middle), MM * np.array([view.half_width, view.half_height])
    axes.set_xlim(x - halves[0], x + halves[0])
    axes.set_ylim(y - halves[1], y + halves[1])
    axes.set_aspect("equal")
    if view.hangs:
        axes.invert_yaxis()


def _on_page(points: Floats, view: View) -> Floats:
    """Points (..., 2) of the picture in the coordinates of the axes, which grow downwards where the axis hangs."""
    return points * [1.0, -1.0 if view.hangs else 1.0]


def draw_bodies(axes: Axes, view: View, camera: Camera, shapes: Shapes, zorder: float) -> None:
    """The bodies of an arm seen along a world axis, mm; of an arm of very many sections, its axis."""
    from matplotlib.collections import PolyCollection

    arm = shapes.arm
    if arm.n > MOST_SECTIONS:
        line = MM * backbone(arm, shapes.q, points=2)[:, [view.across, view.up]]
        axes.plot(*line.T, color=NAVY, linewidth=1.8, zorder=zorder)
        return
    solid = solids(arm, detail_for(arm, FACES))
    poses = disc_frames(arm, shapes.q, solid.detail.discs)
    shades = None if shapes.pressures is None else pressure_colours(shapes.pressures, shapes.highest)
    found = painted(solid, poses, camera, up_direction(arm), shades)
    look: dict[str, Any] = {"facecolors": found.colours, "edgecolors": found.colours, "linewidths": 0.25}
    axes.add_collection(PolyCollection(list(MM * _on_page(found.quads, view)), zorder=zorder, **look), autolim=False)


def draw_perspective(box: Box, figure: Figure, shapes: Shapes) -> Axes:
    """An arm above the ground, somewhat from above."""
    axes = box.panel(figure)
    scene = Scene(axes, shapes.arm, shapes.points, box.width / box.height, shapes.highest)
    for k, line in enumerate(shapes.earlier):
        share = (k + 1) / (len(shapes.earlier) + 1)
        axes.plot(*scene.camera.seen(line).T, color=faded(NAVY, 0.15 + 0.6 * share), linewidth=1.2, zorder=1.5)
    scene.show(shapes.q, shapes.pressures)
    return axes


def draw_pressure_bar(box: Box, figure: Figure, highest: float) -> None:
    """Which colour of a muscle is which pressure; highest in Pa."""
    from matplotlib.colors import LinearSegmentedColormap

    axes = box.panel(figure)
    colours = LinearSegmentedColormap.from_list("pressure", list(PRESSURE_COLOURS))
    axes.imshow(np.linspace(0, 1, 256)[None], aspect="auto", cmap=colours, extent=(0.0, highest / 1e3, 0.0, 1.0))
    axes.set_yticks([])
    axes.set_xticks([0.0, highest / 1e3] if box.width < 1 else np.linspace(0.0, highest / 1e3, 5))
    axes.set_xlabel("kPa" if box.width < 1 else "pressure, kPa", fontsize=TEXT - 1, labelpad=1)
    axes.tick_params(labelsize=TEXT - 1, length=2, pad=2)
    for spine in axes.spines.values():
        spine.set_visible(False)
