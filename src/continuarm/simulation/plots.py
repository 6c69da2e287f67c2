"""Figures of motions: section tips, what drives them, energies and the arm itself. No display is needed."""

from __future__ import annotations

import os
import textwrap
import warnings
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from continuarm.common.argument_checks import require_kind
from continuarm.common.files import output_path, replaced
from continuarm.common.number_checks import Floats
from continuarm.common.text import printable
from continuarm.drawing.colours import AXES, BLACK, BLUE, CYCLE, GREEN, ORANGE, PURPLE, RED, faded, pressure_limit
from continuarm.drawing.figures import (
    DASHED,
    LABELS,
    POINTS,
    TEXT,
    Box,
    Shapes,
    draw_pressure_bar,
    draw_views,
    legend_beside,
    new_figure,
    plain_axes,
    views_for,
    views_height,
)
from continuarm.engine.quantities import backbone
from continuarm.simulation.followed_panels import commands_apart, tip_errors
from continuarm.simulation.motion import Motion
from continuarm.simulation.pressure_commands import UNITS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


SUFFIXES = (".png", ".svg", ".pdf")
"""The kinds of file that a figure is written to."""

DASHES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1, 1)), (0, (5, 1.5, 1, 1.5)))
ENERGIES = {"kinetic": BLUE, "gravitational": GREEN, "elastic": RED, "supplied": BLACK, "dissipated": ORANGE}
SINCE_START = ("gravitational", "elastic")
"""Energies whose zero is a choice: they are drawn as changes since the start."""

PRESSURE = "pressure, kPa"
MOST_SHAPES = 6
LINE = 16
"""Letters of a line in the legends beside panels."""
MOST_NAMES = 12
"""Entries of a legend: beyond it, how many more there are."""
NEAR = 0.02
"""A muscle is at the end of its range if it comes nearer than this part of it."""

WIDTH, LEAST_HEIGHT = 10.0, 7.5
LEFT, CURVES, RIGHT, ENERGY = 0.68, 3.45, 5.2, 2.65
"""Inches of a figure: where curves begin, how wide they are, where the right half begins, how wide its curves are."""
PANEL, GAP, BELOW = 1.05, 0.13, 0.52
"""Inches: the least height of a panel, between two, and below the last."""


class Panel(NamedTuple):
    """Curves over time, (k,) each, by name."""

    label: str  # what they are, and their unit
    curves: Mapping[str, Floats]
    limits: tuple[float, ...] = ()  # drawn as lines
    faint: Mapping[str, Floats] = MappingProxyType({})  # of the same names, beneath: what was commanded


def plot_motion(motion: Motion, other: Motion | None = None, title: str = "", note: str = "") -> Figure:
    """A figure of a motion, or of two compared: tips, what drives it and energies over time, and the arm at some times.

    Lengths of muscles are drawn where some come to the ends of their range, a wrench where there is one, also as an
    arrow. Of an `other` motion at the same times, tips and arm are dashed, and a panel shows the distances of its tips.
    Of motions that do not end together, arms and distances are drawn up to the end of the shorter one, which is marked.
    A title stands above what the figure says by itself, a note below it. matplotlib's windows and current figure are
    left alone.
    """
    require_kind("motion", motion, Motion, "a Motion (see simulate)")
    if not len(motion.t):
        raise ValueError("motion has no states: there is nothing to draw")
    distances = None if other is None else tip_distances(motion, other)
    both = len(motion.t) if distances is None else len(distances)
    if not both:
        raise ValueError("other has no states: there is nothing to compare")
    driven = [_driven(motion, label, curves) for label, curves in driven_by(motion).items() if curves]
    driven += muscles_at_ends(motion)
    errors = tip_errors(motion)
    driven = ([Panel("tip off, mm", errors)] if errors else []) + driven

    words = _title(title, motion, other)
    above, below = 0.17 * words.count("\n") + 0.42, BELOW + (0.2 if note else 0.0)
    count = 3 + (distances is not None) + len(driven)
    height = max(LEAST_HEIGHT, above + below + count * (PANEL + GAP))
    figure = new_figure((WIDTH, height))
    figure.suptitle(words, fontsize=TEXT + 2, y=1 - 0.1 / height, va="top", linespacing=1.15, parse_math=False)
    if note:
        figure.supxlabel(printable(note), y=0.06 / height, fontsize=TEXT - 1, color="0.35", parse_math=False)

    panels = _stacked_panels(figure, count, above, below)
    for k in range(3):
        _draw_coordinate(panels[k], k, motion, other)
    panels[0].legend(**legend_beside("section"))
    if other is not None and distances is not None:
        _draw_distances(panels[3], motion.t, distances)
        _name_both(panels[1], told_apart(motion, other))
        if len(motion.t) != len(other.t):
            for axes in panels[:4]:
                axes.axvline(float(motion.t[both - 1]), color="0.45", linewidth=0.8, linestyle=":", zorder=1)
    for axes, panel in zip(panels[count - len(driven) :], driven, strict=True):
        _draw_panel(axes, motion.t, panel)
    _time_axis(panels[-1])

    shapes = _shapes(motion.rows(slice(0, both)), None if other is None else other.rows(slice(0, both)))
    views = views_for(shapes)
    right, room = WIDTH - RIGHT - 0.05, height - above - below
    low = below + float(np.clip(room - views_height(views, right), 0.3 * room, 0.6 * room))
    draw_views(Box(RIGHT, low, right, height - above - low), figure, views, shapes)
    if shapes.highest:
        draw_pressure_bar(Box(WIDTH - 0.68, low + 0.95, 0.5, 0.07), figure, shapes.highest)
    energies = Box(RIGHT + LABELS[0], below, ENERGY, low - below - 0.25).panel(figure)
    _draw_energies(energies, motion, None if other is None else _in_legend(told_apart(motion, other)[0]))
    _time_axis(energies)
    return figure


def _stacked_panels(figure: Figure, count: int, above: float, below: float) -> list[Axes]:
    """Panels one above the other that share their time, with so many inches above and below them."""
    height = figure.get_size_inches()[1]
    each = (height - above - below + GAP) / count
    places = [Box(LEFT, height - above - (k + 1) * each + GAP, CURVES, each - GAP) for k in range(count)]
    panels = [place.panel(figure) for place in places]
    for axes in panels[1:]:
        axes.sharex(panels[0])
    for axes in panels[:-1]:
        axes.tick_params(labelbottom=False)
    return panels


def tip_distances(motion: Motion, other: Motion) -> Floats:
    """How far apart the section tips of two motions are at each time: (k, n), m; up to the end of the shorter one."""
    require_kind("other", other, Motion, "a Motion (see simulate)")
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
    """What drives a motion over time: pressures by muscle, forces by coordinate, force and moment on the tip by axis.

    Those that are not zero throughout, in the order in which they begin.
    """
    return {
        PRESSURE: _begun(motion.arm.muscle_names, motion.pressures / UNITS["kPa"]),
        "force, N": _begun(motion.arm.coordinate_names, motion.forces),
        "tip force, N": _begun(list(AXES), motion.wrench[:, 3:]),
        "tip moment, N m": _begun(list(AXES), motion.wrench[:, :3]),
    }


def muscles_at_ends(motion: Motion) -> list[Panel]:
    """Length changes, mm, of the muscles that come to the ends of their length_range, and these; or nothing."""
    lengths, names = motion.arm.muscle_lengths(motion.q), motion.arm.muscle_names
    found, limits, column = {}, set(), 0
    for section in motion.arm.sections:
        for _ in section.muscle_map:
            if section.length_range is not None:
                least, greatest = section.length_range
                near = NEAR * (greatest - least)
                ends = {least} if lengths[:, column].min() < least - near else set()
                ends |= {greatest} if lengths[:, column].max() > greatest - near else set()
                if ends:
                    found[names[column]] = 1e3 * lengths[:, column]
                    limits |= {1e3 * end for end in ends}
            column += 1
    return [Panel("length change, mm", found, tuple(sorted(limits)))] if found else []


def since_start(energies: dict[str, Floats], first: dict[str, float] | None = None) -> dict[str, Floats]:
    """Energies (k,) as they are drawn: gravitational and elastic energy less what they were at first, J.

    Where they are zero is a choice, and they may be large beside the others. first: those of the first row if left out.
    """
    begin = first or {name: values[0] for name, values in energies.items()}
    return {name: values - (begin[name] if name in SINCE_START else 0.0) for name, values in energies.items()}


def _driven(motion: Motion, label: str, curves: dict[str, Floats]) -> Panel:
    """What drives a motion; commands beneath pressures where they are not the same."""
    commands = commands_apart(motion) if label == PRESSURE else {}
    return Panel(label, curves, (), {name: each / UNITS["kPa"] for name, each in commands.items() if name in curves})


def _begun(names: list[str], columns: Floats) -> dict[str, Floats]:
    """The columns (k, names) that are not zero throughout, by name, in the order of their first entry that is not."""
    begins = [(int(column.argmax()), k) for k, column in enumerate(columns.T != 0) if column.any()]
    return {names[k]: columns[:, k] for _, k in sorted(begins)}


def what_drives(motion: Motion) -> str:
    """What drives a motion, in words: a controller, pressures, forces, a wrench, or nothing; or which mode it is."""
    if "mode" in motion.record:
        return str(motion.record["mode"])
    words = (("pressure in", "muscles"), ("force on", "coordinates"))
    found = [
        f"{kind} {', '.join(names) if len(names) <= 6 else f'{len(names)} {many}'}"
        for (kind, many), names in zip(words, driven_by(motion).values(), strict=False)
        if names
    ]
    found += ["a wrench on the tip"] if motion.wrench.any() else []
    kinds = {"Controller": "a controller", "Loop": "a closed loop"}
    controlled = [kinds[each] for each in [motion.record.get("input")] if each in kinds]
    return ", ".join(controlled + found or ["nothing drives it"])


def _title(given: str, motion: Motion, other: Motion | None) -> str:
    lines = [f"{motion.arm.name}, {motion.t[-1]:g} s, {what_drives(motion)}"]
    if other is None:
        lines[0] += f", {motion.arm.inertia.model} model"
    else:
        names = told_apart(motion, other)
        lines.append("{} (solid) and {} (dashed)".format(*names))
        if len(motion.t) != len(other.t):
            shorter = int(len(other.t) < len(motion.t))
            lines[-1] += f", compared up to {(motion, other)[shorter].t[-1]:g} s, where {names[shorter]} ends"
    lines += [f"stopped: {each.stopped}" for each in (motion, other) if each is not None and each.stopped]
    return "\n".join(textwrap.fill(printable(line), 120) for line in [*given.splitlines(), *lines])


def told_apart(motion: Motion, other: Motion) -> tuple[str, str]:
    """In what two motions differ, for their legend: the names of their arms, their inertia models, else the solver."""
    kinds = (lambda m: m.arm.name, lambda m: f"{m.arm.inertia.model} model")
    differ = [of for of in kinds if of(motion) != of(other)]
    if differ:
        first, second = (", ".join(of(each) for of in differ) for each in (motion, other))
        return first, second
    solvers = tuple(each.record.get("solver", "") for each in (motion, other))
    return solvers if solvers[0] != solvers[1] else ("first", "second")


def some_rows(motion: Motion, most: int) -> NDArray[np.intp]:
    """Rows of a motion from the first to the last, between which its tip has gone equally far: few where it rests."""
    path = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(motion.tips[:, -1], axis=0), axis=-1))])
    rows = np.unique(np.searchsorted(path, np.linspace(0, path[-1], most) * (1 - 1e-12)))
    rows[-1] = len(path) - 1
    return rows


def _shapes(motion: Motion, other: Motion | None) -> Shapes:
    """The arm as it ends, and at some times before."""
    arm, rows = motion.arm, some_rows(motion, MOST_SHAPES)
    size = 0.22 * float(np.ptp(np.concatenate([np.zeros((1, 3)), motion.tips.reshape(-1, 3)]), axis=0).max())
    arrows = []
    for unit, pull in (("N", motion.wrench[:, 3:]), ("N m", motion.wrench[:, :3])):
        largest, last = np.linalg.norm(pull, axis=-1).max(), float(np.linalg.norm(pull[-1]))
        if last > 0:
            arrows.append((f"{last:.3g} {unit}", (size if unit == "N" else 0.6 * size) * pull[-1] / largest))
    return Shapes(
        arm,
        motion.q[-1],
        backbone(arm, motion.q[rows[:-1]], points=POINTS),
        [f"{motion.t[row]:.3g} s" for row in rows],
        motion.pressures[-1] if motion.pressures.any() else None,
        pressure_limit(motion.pressures),
        arrows,
        None if other is None else backbone(other.arm, other.q[-1], points=POINTS),
    )


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
        shade = faded(colour, 0.3 + 0.7 * (i + 1) / n)
        # Wide and pale beneath the other's dashes: both can be seen where they are the same.
        look: dict[str, Any] = {"linewidth": 1.2} if other is None else {"linewidth": 2.6, "alpha": 0.4}
        axes.plot(motion.t, 1e3 * motion.tips[:, i, k], color=shade, label=str(i + 1) if i in named else None, **look)
        if other is not None:
            axes.plot(other.t, 1e3 * other.tips[:, i, k], color=shade, linestyle=DASHED, linewidth=1.0)
    if motion.reference_tips is not None:
        goal = 1e3 * motion.reference_tips[:, k]
        axes.plot(motion.t, goal, color=BLACK, linestyle=DASHED, linewidth=0.8, label="goal")
    _over_time(axes, f"{name}, mm")
    # A tip that stays in a plane moves off it by rounding only: that is not to fill the panel.
    least = 0.05e3 * sum(section.length for section in motion.arm.sections)
    low, high = axes.get_ylim()
    if high - low < least:
        axes.set_ylim((low + high - least) / 2, (low + high + least) / 2)


def _over_time(axes: Axes, label: str) -> None:
    plain_axes(axes, up=label)
    axes.margins(x=0)
    axes.locator_params(axis="y", nbins=5)


def _draw_distances(axes: Axes, t: Floats, distances: Floats) -> None:
    n, named = distances.shape[1], _some(distances.shape[1], 5)
    for i in range(n):
        shade = faded(PURPLE, 0.3 + 0.7 * (i + 1) / n)
        name = str(i + 1) if i in named else None
        axes.plot(t[: len(distances)], 1e3 * distances[:, i], color=shade, linewidth=1.2, label=name)
    _over_time(axes, "tips apart, mm")
    axes.set_ylim(bottom=0)
    axes.legend(**legend_beside("section"))


def _draw_panel(axes: Axes, t: Floats, panel: Panel) -> None:
    """Curves, each with a colour and dashes of its own; zero is in view."""
    for k, (name, values) in enumerate(panel.curves.items()):
        # Seven colours and four dashes: 28 looks, and neighbours differ in both, so that grey is enough.
        look: dict[str, Any] = {"color": CYCLE[k % len(CYCLE)], "linestyle": DASHES[k % len(DASHES)], "linewidth": 1.2}
        if name in panel.faint:
            axes.plot(t, panel.faint[name], color=look["color"], linewidth=2.6, alpha=0.3, zorder=1)
        axes.plot(t, values, label=name if k < MOST_NAMES else None, **look)
    _over_time(axes, panel.label)
    for limit in panel.limits:
        axes.axhline(limit, color="0.55", linewidth=0.8, zorder=1)
    if not panel.limits and min(values.min() for values in panel.curves.values()) >= 0:
        axes.set_ylim(bottom=0)
    more = len(panel.curves) - MOST_NAMES
    title = f"and {more} more" if more > 0 else None
    if panel.faint:
        title = "\n".join(filter(None, (title, "pale: commands")))
    axes.legend(**legend_beside(title), ncols=1 if len(panel.curves) <= 6 else 2, columnspacing=0.8)


def _in_legend(name: str) -> str:
    """A name in the few letters that a legend has for a line."""
    return "\n".join(textwrap.wrap(printable(name), LINE, max_lines=3, placeholder="...")) or "..."


def _name_both(axes: Axes, names: tuple[str, str]) -> None:
    """Which of two motions is solid and which is dashed."""
    from matplotlib.lines import Line2D

    looks: tuple[dict[str, Any], ...] = ({"linewidth": 2.6, "alpha": 0.4}, {"linewidth": 1.0, "linestyle": DASHED})
    handles = [
        Line2D([], [], color=BLACK, label=_in_legend(name), **look) for name, look in zip(names, looks, strict=True)
    ]
    axes.legend(handles=handles, **legend_beside())
    _as_they_are(axes)


def _as_they_are(axes: Axes) -> None:
    """Other people's names are no formulas, whatever signs they have."""
    legend = axes.get_legend()
    assert legend is not None
    for text in [*legend.get_texts(), legend.get_title()]:
        text.set_parse_math(False)


def _draw_energies(axes: Axes, motion: Motion, whose: str | None) -> None:
    """Kinetic energy; gravitational and elastic energy since the start; work done and lost; whose, of two motions."""
    for (name, values), dashes in zip(since_start(motion.energies).items(), (*DASHES, "-"), strict=True):
        label = f"change of {name}" if name in SINCE_START else name
        axes.plot(motion.t, values, color=ENERGIES[name], linestyle=dashes, linewidth=1.2, label=label)
    _over_time(axes, "energy, J")
    axes.legend(**legend_beside(whose and f"of {whose}"))
    _as_they_are(axes)
