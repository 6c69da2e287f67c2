"""Names of muscles beside the sections of an arm that is seen along a world axis, where there is room for them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.common.number_checks import Floats
from continuarm.drawing.bodies import muscle_layout
from continuarm.drawing.camera import Camera, along_axis
from continuarm.drawing.views import View
from continuarm.engine.quantities import poses_along

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Annotation

SIZE, GAP = 6.5, 6.0
"""Points: of the letters, and from the middle of a muscle to its name."""
MOST_SECTIONS, MOST_BESIDE = 12, 4
"""Of an arm whose muscles are named, and names on one side of a section."""
SHORTEST = 24.0
"""Points that a section must be long in the picture."""
MIDDLE = 0.2
"""A muscle that is nearer to the axis than this part of the farthest is before or behind it, and has no side."""
ALONG = 41
"""Points on each muscle, where no name may be."""


class Label(NamedTuple):
    """Names on one side of a section."""

    words: str
    at: Floats  # (2,), mm in the axes
    away: Floats  # (2,), of length 1, on the page: away from the section


def name_muscles(axes: Axes, view: View, arm: Arm, q: Floats) -> None:
    """Names of muscles at both sides of each section, the nearer first, where they cover nothing; q: (3n,), m.

    A muscle before or behind the axis of its section has no name in this view.
    """
    if arm.n > MOST_SECTIONS:
        return
    camera, plane = along_axis(view.across, view.up, view.hangs), [view.across, view.up]
    muscles = _muscle_lines(arm, q)
    drawn = [1e3 * each[..., plane].reshape(-1, 2) for each in muscles] + [line.get_xydata() for line in axes.lines]
    drawn += [path.vertices for collection in axes.collections for path in collection.get_paths()]
    taken = axes.transData.transform(np.concatenate(drawn))
    placed: list[Annotation] = []
    for label in _labels(axes, camera, plane, arm, muscles):
        text = _written(axes, label)
        if _has_room(axes, text, taken, placed):
            placed.append(text)
        else:
            text.remove()


def _muscle_lines(arm: Arm, q: Floats) -> list[Floats]:
    """Points on the muscles of each section, the last row on its axis: (muscles + 1, ALONG, 3), m."""
    found = []
    for section, frames in zip(arm.sections, poses_along(arm, q, np.linspace(0.0, 1.0, ALONG)), strict=True):
        places = np.concatenate([muscle_layout(section).T, np.zeros((1, 3))])
        found.append(frames[:, :3, 3] + np.einsum("pij,mj->mpi", frames[:, :3, :3], places))
    return found


def _labels(axes: Axes, camera: Camera, plane: list[int], arm: Arm, muscles: list[Floats]) -> Iterator[Label]:
    """The names of each section by the side on which they are seen, if it is long enough in the picture."""
    figure, half, number = axes.get_figure(root=True), ALONG // 2, 0
    assert figure is not None
    for lines in muscles:
        names = arm.muscle_names[number : number + len(lines) - 1]
        number += len(names)
        seen = axes.transData.transform(1e3 * lines[:, half, plane])
        begin, end = axes.transData.transform(1e3 * lines[-1][[0, -1]][:, plane])
        length = float(np.hypot(*(end - begin)))
        if length < SHORTEST / 72 * figure.dpi:
            continue
        square = np.array([end[1] - begin[1], begin[0] - end[0]]) / length
        offsets = (seen[:-1] - seen[-1]) @ square
        order = np.argsort(-camera.nearness(lines[:-1, half]), kind="stable")
        for side in (1.0, -1.0):
            own = [k for k in order if side * offsets[k] > MIDDLE * np.abs(offsets).max()]
            if 0 < len(own) <= MOST_BESIDE:
                farthest = max(own, key=lambda k: side * offsets[k])
                yield Label(", ".join(names[k] for k in own), 1e3 * lines[farthest, half, plane], side * square)


def _written(axes: Axes, label: Label) -> Annotation:
    x, y = label.away
    return axes.annotate(
        label.words,
        tuple(label.at),
        xytext=(GAP * x, GAP * y),
        textcoords="offset points",
        fontsize=SIZE,
        color="0.25",
        ha="left" if x > 0.4 else "right" if x < -0.4 else "center",
        va="bottom" if y > 0.4 else "top" if y < -0.4 else "center",
        parse_math=False,
        zorder=100,
    )


def _has_room(axes: Axes, text: Annotation, taken: Floats, placed: list[Annotation]) -> bool:
    """Whether a text is inside the axes and covers no point (m, 2) on the page, and no other text."""
    box, room = text.get_window_extent(), axes.bbox
    inside = room.x0 < box.x0 and box.x1 < room.x1 and room.y0 < box.y0 and box.y1 < room.y1
    covered = (box.min < taken).all(axis=-1) & (taken < box.max).all(axis=-1)
    return inside and not covered.any() and not box.count_overlaps([each.get_window_extent() for each in placed])
