"""Figures of motions: section tips, pressures or forces, energies and the arm itself. No display is needed."""

from __future__ import annotations

import os
import textwrap
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from continuarm.common.files import output_path, replaced
from continuarm.common.number_checks import Floats
from continuarm.common.text import printable
from continuarm.engine.quantities import backbone
from continuarm.simulation.inputs import UNITS
from continuarm.simulation.motion import Motion

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


SUFFIXES = (".png", ".svg", ".pdf")
"""The kinds of file that a figure is written to."""

# Colours that stay apart for colour-blind eyes (Okabe and Ito); blue, black and red for X, Y and Z as in the paper.
BLUE, RED, GREEN, ORANGE, SKY, PURPLE, BLACK = (
    *("#0072B2", "#D55E00", "#009E73", "#E69F00", "#56B4E9", "#CC79A7", "#000000"),
)
AXES = {"X": BLUE, "Y": BLACK, "Z": RED}
CYCLE = (BLUE, RED, GREEN, ORANGE, PURPLE, SKY, BLACK)
NAVY = "#003A5C"
DASHED = (0, (4, 2))
DASHES = ("-", "--", ":", "-.")
ENERGIES = {"kinetic": BLUE, "gravitational": GREEN, "elastic": RED, "supplied": BLACK, "dissipated": ORANGE}

TEXT = 8.0  # points
MOST_SHAPES = 7
POINTS = 25  # of the backbone, on each section
MOST_NAMES = 12
"""Entries of a legend: beyond it, how many more there are."""


def plot_motion(motion: Motion, other: Motion | None = None, title: str = "", note: str = "") -> Figure:
    """A figure of a motion, or of two compared: tips, muscles and energies over time, and the arm at some times.

    Of an `other` motion at the same times, tips and arm are dashed, and a panel shows the distances of its tips.
    A title stands above what the figure says by itself, a note below it. matplotlib's windows and current figure are
    left alone.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    if not len(motion.t):
        raise ValueError("motion has no states: there is nothing to draw")
    distances = None if other is None else tip_distances(motion, other)
    driven = [(label, curves) for label, curves in driven_by(motion).items() if curves]

    figure = Figure(figsize=(10.0, 7.5), layout="constrained")
    FigureCanvasAgg(figure)
    figure.suptitle(_title(title, motion, other), fontsize=TEXT + 2, parse_math=False)
    if note:
        figure.supxlabel(printable(note), fontsize=TEXT - 1, color="0.35", parse_math=False)
    columns = figure.add_gridspec(1, 2, width_ratios=[1.1, 1])
    panels = 3 + (distances is not None) + len(driven)
    rows = columns[0].subgridspec(panels, 1)
    over_time = [figure.add_subplot(rows[0])]
    over_time += [figure.add_subplot(rows[k], sharex=over_time[0]) for k in range(1, panels)]
    for k, axes in enumerate(over_time[:3]):
        _draw_coordinate(axes, k, motion, other)
    over_time[0].legend(**_legend("section"))
    if distances is not None:
        _draw_distances(over_time[3], motion.t, distances)
    for axes, (label, curves) in zip(over_time[panels - len(driven) :], driven, strict=True):
        _draw_driven(axes, motion.t, label, curves)
    _time_axis(over_time[-1])
    for axes in over_time:
        axes.label_outer()

    picture = _picture(motion)
    tall = float(np.clip(0.7 * picture.half_height / picture.half_width, 0.8, 1.7))
    right = columns[1].subgridspec(2, 1, height_ratios=[tall, 1])
    last = None if other is None else 1e3 * backbone(other.arm, other.q[-1], points=POINTS)
    sides = right[0].subgridspec(1, 2)
    _draw_arm([figure.add_subplot(sides[k]) for k in range(2)], picture, last)
    energies = figure.add_subplot(right[1])
    _draw_energies(energies, motion)
    _time_axis(energies)
    return figure


def tip_distances(motion: Motion, other: Motion) -> Floats:
    """How far apart the section tips of two motions are at each time: (k, n), m; up to the end of the shorter one."""
    if motion.arm.n != other.arm.n:
        raise ValueError(f"other has {other.arm.n} sections: must have {motion.arm.n}, as the motion it is compared to")
    both = min(len(motion.t), len(other.t))
    if not np.allclose(motion.t[:both], other.t[:both], rtol=1e-9, atol=1e-9):
        raise ValueError("other has states at other times: must have the rate of the motion it is compared to")
    apart: Floats = np.linalg.norm(motion.tips[:both] - other.tips[:both], axis=-1)
    return apart


def check_figure_path(path: str | os.PathLike[str]) -> Path:
    """The file that a figure would be written to, links followed; ValueError says why it cannot be.

    Best asked before a long run.
    """
    return output_path(path, SUFFIXES)


def save_figure(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Writes a figure as PNG, SVG or PDF, by the suffix, beside its place and renames it: all of it or nothing."""
    place = check_figure_path(path)
    with replaced(place) as beside, warnings.catch_warnings():  # a letter that the font lacks is drawn as a box
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        figure.savefig(beside, format=place.suffix[1:].lower(), dpi=200)


def driven_by(motion: Motion) -> dict[str, dict[str, Floats]]:
    """What drives a motion over time: pressures, kPa, by muscle, and forces, N, by coordinate, where there are any.

    In the order in which they begin.
    """
    return {
        "pressure, kPa": _begun(motion.arm.muscle_names, motion.pressures / UNITS["kPa"]),
        "force, N": _begun(motion.arm.coordinate_names, motion.forces),
    }


def since_start(energies: dict[str, Floats], first: dict[str, float] | None = None) -> dict[str, Floats]:
    """Energies (k,) as they are drawn: gravitational and elastic energy less what they were at first, J.

    Where they are zero is a choice, and they may be large beside the others. first: those of the first row if left out.
    """
    begin = first or {name: values[0] for name, values in energies.items()}
    return {
        name: values - (begin[name] if name in ("gravitational", "elastic") else 0.0)
        for name, values in energies.items()
    }


def _begun(names: list[str], columns: Floats) -> dict[str, Floats]:
    """The columns (k, names) that are not zero throughout, by name, in the order of their first entry that is not."""
    begins = [(int(column.argmax()), k) for k, column in enumerate(columns.T != 0) if column.any()]
    return {names[k]: columns[:, k] for _, k in sorted(begins)}


def what_drives(motion: Motion) -> str:
    """What drives a motion, in words: pressures, forces, a wrench on the tip, or nothing."""
    words = (("pressure in", "muscles"), ("force on", "coordinates"))
    found = [
        f"{kind} {', '.join(names) if len(names) <= 6 else f'{len(names)} {many}'}"
        for (kind, many), names in zip(words, driven_by(motion).values(), strict=True)
        if names
    ]
    found += ["a wrench on the tip"] if motion.wrench.any() else []
    return ", ".join(found or ["nothing drives it"])


def _title(given: str, motion: Motion, other: Motion | None) -> str:
    lines = [f"{motion.arm.name}, {motion.t[-1]:g} s, {what_drives(motion)}"]
    if other is None:
        lines[0] += f", {motion.arm.inertia.model} model"
    else:
        lines.append("{} (solid) and {} (dashed)".format(*told_apart(motion, other)))
    lines += [f"stopped: {each.stopped}" for each in (motion, other) if each is not None and each.stopped]
    return "\n".join(textwrap.fill(printable(line), 120) for line in [*given.splitlines(), *lines])


def told_apart(motion: Motion, other: Motion) -> tuple[str, str]:
    """The first thing in which two motions differ, for their legend."""
    for of in (lambda m: f"{m.arm.inertia.model} model", lambda m: m.arm.name, lambda m: m.record.get("solver", "")):
        if of(motion) != of(other):
            return of(motion), of(other)
    return "first", "second"


def _shade(colour: str, share: float) -> tuple[float, float, float]:
    """A colour faded to a share of its strength."""
    from matplotlib.colors import to_rgb

    red, green, blue = (1 - share * (1 - part) for part in to_rgb(colour))
    return red, green, blue


def _legend(title: str | None = None) -> dict[str, Any]:
    """Beside the panel, where no line runs beneath it."""
    place: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1.01, 1.04), "borderaxespad": 0.0}
    look: dict[str, Any] = {"frameon": False, "fontsize": TEXT - 1, "handlelength": 1.4, "labelspacing": 0.25}
    return place | look | {"title": title, "title_fontsize": TEXT - 1, "alignment": "left"}


def _plain(axes: Axes, label: str) -> None:
    axes.set_ylabel(label, fontsize=TEXT)
    axes.tick_params(labelsize=TEXT - 1)
    axes.grid(color="0.92", linewidth=0.6)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.margins(x=0)


def _time_axis(axes: Axes) -> None:
    axes.set_xlabel("time, s", fontsize=TEXT)


def _some(count: int, most: int) -> set[int]:
    """Which of 0 ... count - 1 are named: all, or some with the first and the last."""
    return {round(k) for k in np.linspace(0, count - 1, min(count, most))}


def _draw_coordinate(axes: Axes, k: int, motion: Motion, other: Motion | None) -> None:
    """X, Y or Z of all section tips; the nearer to the base, the paler."""
    name, colour = list(AXES.items())[k]
    n, named = motion.arm.n, _some(motion.arm.n, 5)
    for i in range(n):
        shade = _shade(colour, 0.3 + 0.7 * (i + 1) / n)
        # Wide and pale beneath the other's dashes: both can be seen where they are the same.
        look: dict[str, Any] = {"linewidth": 1.2} if other is None else {"linewidth": 2.6, "alpha": 0.4}
        axes.plot(motion.t, 1e3 * motion.tips[:, i, k], color=shade, label=str(i + 1) if i in named else None, **look)
        if other is not None:
            axes.plot(other.t, 1e3 * other.tips[:, i, k], color=shade, linestyle=DASHED, linewidth=1.0)
    _plain(axes, f"{name}, mm")
    # A tip that stays in a plane moves off it by rounding only: that is not to fill the panel.
    least = 0.05e3 * sum(section.length for section in motion.arm.sections)
    low, high = axes.get_ylim()
    if high - low < least:
        axes.set_ylim((low + high - least) / 2, (low + high + least) / 2)


def _draw_distances(axes: Axes, t: Floats, distances: Floats) -> None:
    n, named = distances.shape[1], _some(distances.shape[1], 5)
    for i in range(n):
        label = str(i + 1) if i in named else None
        axes.plot(
            t[: len(distances)],
            1e3 * distances[:, i],
            color=_shade(PURPLE, 0.3 + 0.7 * (i + 1) / n),
            linewidth=1.2,
            label=label,
        )
    _plain(axes, "distance of tips, mm")
    axes.set_ylim(bottom=0)
    axes.legend(**_legend("section"))


def _draw_driven(axes: Axes, t: Floats, label: str, curves: dict[str, Floats]) -> None:
    """Pressures or forces, each with a look of its own; zero is in view."""
    for k, (name, values) in enumerate(curves.items()):
        dashes = DASHES[k // len(CYCLE) % len(DASHES)]
        look: dict[str, Any] = {"color": CYCLE[k % len(CYCLE)], "linestyle": dashes, "linewidth": 1.2}
        axes.plot(t, values, label=name if k < MOST_NAMES else None, **look)
    _plain(axes, label)
    if min(values.min() for values in curves.values()) >= 0:
        axes.set_ylim(bottom=0)
    more = len(curves) - MOST_NAMES
    axes.legend(**_legend(f"and {more} more" if more > 0 else None), ncols=1 if len(curves) <= 7 else 2)


def _draw_energies(axes: Axes, motion: Motion) -> None:
    """Kinetic energy; gravitational and elastic energy since the start; work done and lost."""
    for name, values in since_start(motion.energies).items():
        axes.plot(motion.t, values, color=ENERGIES[name], linewidth=1.2, label=name)
    _plain(axes, "energy, J")
    axes.legend(**_legend())


class _Picture(NamedTuple):
    """The backbone at some times, mm, and the window through which it is seen from two sides."""

    times: Floats  # (shapes,), s
    lines: Floats  # (shapes, points, 3), mm
    up: int  # the axis along which gravity pulls most
    hangs: bool  # gravity pulls towards +up
    middle: Floats  # (3,), mm
    half_width: float  # mm
    half_height: float  # mm

    @property
    def sides(self) -> list[int]:
        """The axes across."""
        return [axis for axis in range(3) if axis != self.up]


def _picture(motion: Motion) -> _Picture:
    """The arm at times between which its tip has gone equally far: few where it rests."""
    path = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(motion.tips[:, -1], axis=0), axis=-1))])
    rows = np.unique(np.searchsorted(path, np.linspace(0, path[-1], MOST_SHAPES) * (1 - 1e-12)))
    rows[-1] = len(path) - 1
    lines = 1e3 * backbone(motion.arm, motion.q[rows], points=POINTS)
    gravity = np.array(motion.arm.gravity)
    up = int(np.argmax(np.abs(gravity))) if gravity.any() else 2
    low, high = lines.min(axis=(0, 1)), lines.max(axis=(0, 1))
    span = 1.08 * (high - low)
    half_height = max(span[up], 0.5 * span.max()) / 2
    half_width = max(*np.delete(span, up) / 2, 0.45 * half_height)
    return _Picture(motion.t[rows], lines, up, gravity[up] > 0, (low + high) / 2, half_width, half_height)


def _draw_arm(views: list[Axes], picture: _Picture, other: Floats | None) -> None:
    """Two side views of the arm, the older the paler; the last shape of another (points, 3), mm, dashed."""
    up, letters = picture.up, list(AXES)
    for axes, side in zip(views, picture.sides, strict=True):
        for k, (time, line) in enumerate(zip(picture.times, picture.lines, strict=True)):
            share = (k + 1) / len(picture.times)
            look: dict[str, Any] = {"color": _shade(NAVY, 0.05 + 0.95 * share), "zorder": 2 + k}
            axes.plot(line[:, side], line[:, up], linewidth=1.5 + 1.5 * share, label=f"{time:.3g} s", **look)
            tips = line[POINTS - 1 :: POINTS]
            axes.plot(tips[:, side], tips[:, up], linestyle="", marker="o", markersize=3 + 1.5 * share, **look)
        if other is not None:
            axes.plot(other[:, side], other[:, up], color=SKY, linestyle=DASHED, linewidth=1.0, zorder=20)
        axes.plot(0.0, 0.0, marker="s", color=BLACK, markersize=6, zorder=21)
        _plain(axes, f"{letters[up]}, mm")
        axes.set_xlabel(f"{letters[side]}, mm", fontsize=TEXT)
        axes.set_xlim(picture.middle[side] - picture.half_width, picture.middle[side] + picture.half_width)
        axes.set_ylim(picture.middle[up] - picture.half_height, picture.middle[up] + picture.half_height)
        axes.set_aspect("equal", adjustable="box", anchor="N")
        if picture.hangs:
            axes.invert_yaxis()
    views[-1].set_ylabel("")
    views[-1].legend(**_legend("time"))
