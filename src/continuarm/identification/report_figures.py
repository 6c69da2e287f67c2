"""Figures of a fit: measured against simulated, what is left of each sensor, and how parameters are tied together.

Lines and letters in INK and GRID take the colours of the page that the figures are put into, light or dark.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from continuarm.common.number_checks import Floats
from continuarm.common.text import printable
from continuarm.drawing.colours import BLUE, RED
from continuarm.drawing.figures import TEXT
from continuarm.identification.goodness_of_fit import Misfit
from continuarm.identification.measurement_units import for_people
from continuarm.identification.recorded_commands import RecordedCommands
from continuarm.identification.result import Identification
from continuarm.identification.sensor_comparison import SensorComparison

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["GRID", "INK", "correlation_figure", "recording_figure"]

INK, GRID = "#24292f", "#d0d7df"
COLOURS = (BLUE, INK, RED, "#009E73", "#CC79A7", "#E69F00")
MOST_POINTS = 400
"""Measured points of a line: more cannot be told apart."""
MOST_ROWS = 12
BINS = 41


def recording_figure(result: Identification, recording: str) -> Figure:
    """One recording: of each sensor what it measured and what it would read of the fitted arm, and the difference."""
    sensors = [sensor for sensor in result.comparisons if sensor.recording == recording]
    if not sensors:
        names = dict.fromkeys(each.recording for each in result.comparisons)
        raise ValueError(f"recording = {recording!r}: must be one of {', '.join(names)}")
    misfits = {each.sensor: each for each in (*result.misfit, *result.held_out) if each.recording == recording}
    rows = _rows(sensors)[:MOST_ROWS]
    driven = next((each for each in result.commands if each.recording == recording and each.names), None)
    below = 0 if driven is None else 1
    figure = _new_figure((9.0, 0.6 + 1.75 * (len(rows) + 0.8 * below)))
    heights = [1.0] * len(rows) + [0.8] * below
    grid = figure.add_gridspec(len(heights), 3, width_ratios=[3, 3, 1.1], height_ratios=heights)
    first: list[Any] = [None, None]
    for k, together in enumerate(rows):
        over_time = [figure.add_subplot(grid[k, c], sharex=first[c]) for c in range(2)]
        first = first if k else over_time
        beside = figure.add_subplot(grid[k, 2])
        _draw_values(over_time[0], together)
        limit = _draw_differences(over_time[1], together)
        _draw_histogram(beside, together, [misfits[sensor.sensor] for sensor in together], limit)
        if k == 0:
            over_time[0].set_title("measured (dots), simulated (lines)", fontsize=TEXT, color=INK, loc="right")
            over_time[1].set_title("measured less simulated", fontsize=TEXT, color=INK)
            beside.set_title("how often", fontsize=TEXT, color=INK)
        if k == len(rows) - 1:
            for axes in over_time[below:]:
                axes.set_xlabel("row" if sensors[0].static else "time, s", fontsize=TEXT, color=INK)
            over_time[0].tick_params(labelbottom=not below)
            beside.set_xlabel(_unit(together[0]), fontsize=TEXT, color=INK)
        else:
            for axes in over_time:
                axes.tick_params(labelbottom=False)
    if driven is not None:
        _draw_commands(figure.add_subplot(grid[-1, 0], sharex=first[0]), driven)
    return figure


def correlation_figure(result: Identification) -> Figure:
    """How the errors of parameters are tied together: blue with each other, red against each other."""
    from matplotlib.patches import Rectangle

    count = len(result.parameters)
    size = float(np.clip(0.42 * count, 2.0, 9.0))
    figure = _new_figure((size + 2.2, size + 1.5))
    axes = figure.add_subplot()
    for i in range(count):
        for j in range(count):
            value = float(result.correlation[i, j])
            colour = BLUE if value > 0 else RED
            axes.add_patch(Rectangle((j - 0.5, i - 0.5), 1, 1, facecolor=colour, alpha=0.85 * abs(value), linewidth=0))
            if count <= 16 and i != j:
                shown = f"{value:.2f}".replace("0.", ".").replace("-.00", "0").replace(".00", "0")
                axes.text(j, i, shown, ha="center", va="center", fontsize=TEXT - 1, color=INK)
    names = [printable(each.name) for each in result.parameters]
    axes.set_xticks(range(count), names, rotation=40, ha="right", rotation_mode="anchor", fontsize=TEXT - 1)
    axes.set_yticks(range(count), names, fontsize=TEXT - 1)
    axes.set_xlim(-0.5, count - 0.5)
    axes.set_ylim(count - 0.5, -0.5)
    axes.set_aspect("equal")
    plain_axes(axes)
    axes.grid(visible=False)
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    return figure


def _new_figure(size: tuple[float, float]) -> Figure:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    figure.patch.set_visible(False)
    FigureCanvasAgg(figure)
    return figure


def _rows(sensors: Sequence[SensorComparison]) -> list[list[SensorComparison]]:
    """What is drawn in one row: a tip, or up to three muscles of one kind that follow each other."""
    rows: list[list[SensorComparison]] = []
    for sensor in sensors:
        thin = len(sensor.channels) == 1
        if thin and rows and len(rows[-1]) < 3 and len(rows[-1][0].channels) == 1:
            rows[-1].append(sensor)
        else:
            rows.append([sensor])
    return rows


def _scale(sensor: SensorComparison) -> float:
    return for_people(sensor.unit)[1]


def _unit(sensor: SensorComparison) -> str:
    return for_people(sensor.unit)[0]


def _columns(together: Sequence[SensorComparison]) -> list[tuple[SensorComparison, int, str, str]]:
    """Sensor, column, name and colour of all channels of a row."""
    named = [(sensor, c, sensor.channels[c]) for sensor in together for c in range(len(sensor.channels))]
    return [(sensor, c, name, COLOURS[k % len(COLOURS)]) for k, (sensor, c, name) in enumerate(named)]


def _draw_values(axes: Axes, together: Sequence[SensorComparison]) -> None:
    for sensor, c, name, colour in _columns(together):
        scale, every = _scale(sensor), -(-len(sensor.times) // MOST_POINTS)
        measured, used = scale * sensor.measured[:, c], sensor.used[:, c]
        if sensor.static:
            axes.plot(sensor.times, scale * sensor.simulated[:, c], "_", color=colour, markersize=6, label=name)
        else:
            axes.plot(sensor.times, scale * sensor.simulated[:, c], color=colour, linewidth=1.1, label=name)
        dots: dict[str, Any] = {"linestyle": "", "marker": "o", "markersize": 1.6, "markeredgewidth": 0}
        axes.plot(sensor.times[::every], np.where(used, measured, np.nan)[::every], color=colour, alpha=0.6, **dots)
        axes.plot(sensor.times[::every], np.where(used, np.nan, measured)[::every], color=GRID, **dots)
    title = together[0].sensor if len(together) == 1 else f"{together[0].sensor} to {together[-1].sensor}"
    axes.set_ylabel(f"{title}, {_unit(together[0])}", fontsize=TEXT, color=INK)
    plain_axes(axes)
    _legend(axes)


def _draw_commands(axes: Axes, driven: RecordedCommands) -> None:
    """What was commanded, below the tips that it moves."""
    table = driven.read_as == "table"
    for k, name in enumerate(driven.names):
        look: dict[str, Any] = {"linestyle": "", "marker": "_"} if table else {"linewidth": 1.0}
        axes.plot(driven.times, driven.values[:, k], color=COLOURS[k % len(COLOURS)], label=name, **look)
    axes.set_ylabel(f"commands, {driven.unit}", fontsize=TEXT, color=INK)
    axes.set_xlabel("row" if table else "time, s", fontsize=TEXT, color=INK)
    plain_axes(axes)
    _legend(axes)


def _legend(axes: Axes) -> None:
    """Above the axes, in one row if it has room."""
    place: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (-0.01, 0.97), "borderaxespad": 0.0}
    columns = max(3, -(-len(axes.get_legend_handles_labels()[1]) // 2))
    legend = axes.legend(**place, fontsize=TEXT - 1, frameon=False, ncols=columns, handlelength=1.0, columnspacing=1.2)
    for text in legend.get_texts():
        text.set_color(INK)


def _draw_differences(axes: Axes, together: Sequence[SensorComparison]) -> float:
    """Differences over time; outliers are arrows at the edge. Returns the edge."""
    inner = [_scale(t) * t.difference[t.inliers] for t in together]
    limit = 1.15 * max((float(np.abs(each).max()) for each in inner if len(each)), default=1.0) or 1.0
    for sensor, c, _, colour in _columns(together):
        left, far = _scale(sensor) * sensor.difference[:, c], sensor.outliers[:, c]
        good = np.where(sensor.inliers[:, c], left, np.nan)
        every = -(-len(sensor.times) // MOST_POINTS)
        size = 3.0 if sensor.static else 1.8
        axes.plot(
            sensor.times[::every], good[::every], "o", color=colour, markersize=size, markeredgewidth=0, alpha=0.75
        )
        for sign, marker in ((1, "^"), (-1, "v")):
            at = far & (sign * np.nan_to_num(left) > 0)
            axes.plot(sensor.times[at], np.full(at.sum(), 0.94 * sign * limit), marker, color=colour, markersize=2.5)
    axes.axhline(0.0, color=INK, linewidth=0.6)
    axes.set_ylim(-limit, limit)
    axes.set_ylabel(_unit(together[0]), fontsize=TEXT, color=INK)
    plain_axes(axes)
    return limit


def _draw_histogram(axes: Axes, together: Sequence[SensorComparison], misfits: Sequence[Misfit], limit: float) -> None:
    """All channels of a row, and the Gaussian of the sensor's noise."""
    values: Floats = np.concatenate([_scale(t) * t.difference[t.inliers] for t in together])
    edges = np.linspace(-limit, limit, BINS)
    width = edges[1] - edges[0]
    axes.hist(values, edges.tolist(), density=True, color=BLUE, alpha=0.35)
    sigma = max(float(np.mean([_scale(t) * m.noise for t, m in zip(together, misfits, strict=True)])), 1e-12)
    at = np.linspace(-limit, limit, 201)
    axes.plot(at, np.exp(-0.5 * (at / sigma) ** 2) / (sigma * np.sqrt(2 * np.pi)), color=INK, linewidth=0.9)
    highest = max(float(np.histogram(values, edges, density=True)[0].max(initial=0.0)), 1e-12) if len(values) else 1.0
    axes.set_ylim(0, 1.25 * max(highest, min(1 / (sigma * 2.5), 2 / width)))
    multiple = max(each.multiple for each in misfits)
    axes.text(
        0.98, 0.95, f"{multiple:.2f} × noise", transform=axes.transAxes, ha="right", va="top", fontsize=TEXT - 1.5
    )
    axes.texts[-1].set_color(INK)
    plain_axes(axes)
    axes.set_yticks([])


def plain_axes(axes: Axes) -> None:
    """Axes with a thin frame on two sides and a faint grid."""
    axes.patch.set_visible(False)
    axes.tick_params(labelsize=TEXT - 1, colors=INK, labelcolor=INK)
    axes.grid(color=GRID, linewidth=0.5)
    axes.set_axisbelow(True)
    for side, spine in axes.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(INK)
        spine.set_linewidth(0.6)
