"""Figures of a prediction: every measured coordinate under its prediction, the distance between them, the commands.

Lines and letters in INK and GRID take the colours of the page that the figures are put into, light or dark.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from continuarm.common.number_checks import Floats
from continuarm.common.text import printable
from continuarm.drawing.colours import BLUE, CYCLE, RED
from continuarm.drawing.figures import TEXT
from continuarm.drawing.shown_figure import ShownFigure
from continuarm.identification.measurement_units import for_people, readable
from continuarm.identification.predicted_sensors import PredictedSensor
from continuarm.identification.report_figures import INK, MOST_POINTS, plain_axes
from continuarm.identification.validation import PredictedRecording
from continuarm.simulation.pressure_commands import UNITS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["prediction_figure"]

WIDTH, HIGH, MARGIN = 11.0, 1.65, 0.7
"""Inches: of a figure, of a row, and of what is above and below all rows."""
MOST_ROWS = 12
"""Rows of sensors: beyond it, how many more there are."""
MOST_STEPS = 2000
"""Points of a curve: a page of hours stays one that a browser opens."""
MOST_NAMES = 12
"""Commands that the legend names."""
ACROSS = 3
"""Coordinates in a row; the distance is the panel after them."""


class Cell(NamedTuple):
    """A coordinate of a sensor."""

    sensor: PredictedSensor
    column: int


def prediction_figure(run: PredictedRecording) -> Figure:
    """One recording: a row for each tip or orientation, or for up to three muscles, and a last one of the commands."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    rows = _rows(run.sensors)
    shown, more = rows[:MOST_ROWS], len(rows) - MOST_ROWS
    figure = ShownFigure(figsize=(WIDTH, MARGIN + HIGH * (len(shown) + 1)), layout="constrained")
    FigureCanvasAgg(figure)
    grid = figure.add_gridspec(len(shown) + 1, ACROSS + 1, width_ratios=[1.0] * ACROSS + [1.25])
    across = "row" if run.static else "time, s"
    last = figure.add_subplot(grid[-1, :-1])
    for k, cells in enumerate(shown):
        panels = [figure.add_subplot(grid[k, c], sharex=last) for c in range(len(cells))]
        for panel, cell in zip(panels, cells, strict=True):
            _draw_coordinate(panel, cell, run.static)
        beside = figure.add_subplot(grid[k, -1], sharex=last)
        _draw_distances(beside, list(dict.fromkeys(cell.sensor for cell in cells)), run.static)
        for panel in (*panels, beside):
            panel.set_xlabel(across, fontsize=TEXT - 1, color=INK)
    _draw_commands(last, run, across)
    names = figure.add_subplot(grid[-1, -1])
    names.axis("off")
    handles, labels = last.get_legend_handles_labels()
    if handles:
        _legend(names, handles, labels)
    title = "measured (dots) and predicted (lines)" + (f"; {more} more rows are not drawn" if more > 0 else "")
    figure.suptitle(f"{printable(run.name)}: {title}".replace("$", r"\$"), fontsize=TEXT + 1, color=INK)
    return figure


def _rows(sensors: Sequence[PredictedSensor]) -> list[list[Cell]]:
    """What stands in one row: the coordinates of one sensor, or muscles that follow each other."""
    rows: list[list[Cell]] = []
    for sensor in sensors:
        cells = [Cell(sensor, column) for column in range(len(sensor.channels))]
        thin = len(cells) == 1 and rows and len(rows[-1]) < ACROSS and len(rows[-1][0].sensor.channels) == 1
        if thin:
            rows[-1] += cells
        else:
            rows.append(cells)
    return rows


def _draw_coordinate(axes: Axes, cell: Cell, static: bool) -> None:
    sensor, c = cell
    unit, scale = for_people(sensor.unit)
    every = -(-len(sensor.times) // MOST_POINTS)
    dots: dict[str, Any] = {"linestyle": "", "marker": "o", "markersize": 2.2, "markeredgewidth": 0}
    axes.plot(sensor.times[::every], scale * sensor.measured[::every, c], color=INK, alpha=0.55, **dots)
    style: dict[str, Any] = {"linestyle": "", "marker": "_", "markersize": 6} if static else {"linewidth": 1.2}
    few = slice(None, None, _apart(sensor.times))
    axes.plot(sensor.times[few], scale * sensor.predicted[few, c], color=BLUE, **style)
    axes.set_ylabel(f"{sensor.channels[c]}, {unit}", fontsize=TEXT, color=INK)
    plain_axes(axes)


def _draw_distances(axes: Axes, sensors: Sequence[PredictedSensor], static: bool) -> None:
    """The distance of each sensor; of one alone its numbers too."""
    unit, scale = for_people(sensors[0].unit)
    highest = 0.0
    for k, sensor in enumerate(sensors):
        colour = RED if len(sensors) == 1 else CYCLE[k % len(CYCLE)]
        style: dict[str, Any] = {"linestyle": "", "marker": "o", "markersize": 3} if static else {"linewidth": 1.0}
        axes.plot(*_highest(sensor.times, scale * sensor.distance), color=colour, label=sensor.channels[0], **style)
        highest = max(highest, 0.0 if np.isnan(sensor.worst) else scale * sensor.worst)
    axes.set_ylim(0.0, 1.4 * highest or 1.0)
    if len(sensors) == 1:
        words = "nothing compared"
        if sensors[0].compared:
            rms, motion = (readable(each, sensors[0].unit) for each in (sensors[0].rms, sensors[0].motion))
            words = f"rms {rms}; motion's sd {motion}"
        axes.text(0.98, 0.96, words, transform=axes.transAxes, ha="right", va="top", fontsize=TEXT - 1, color=INK)
    else:
        _legend(axes, *axes.get_legend_handles_labels())
    axes.set_ylabel(f"{'angle' if sensors[0].unit == 'rad' else 'distance'}, {unit}", fontsize=TEXT, color=INK)
    plain_axes(axes)


def _draw_commands(axes: Axes, run: PredictedRecording, across: str) -> None:
    units = {name.partition("[")[2].rstrip("]") for name in run.commands}
    pressures = units == {"Pa"}
    for k, (name, values) in enumerate(run.commands.items()):
        drawn: Floats = values / UNITS["kPa"] if name.endswith("[Pa]") else values
        plain = name.partition(" ")[0] if pressures else name.replace("[Pa]", "[kPa]")
        style: dict[str, Any] = {"linestyle": "", "marker": "_", "markersize": 6} if run.static else {"linewidth": 1.1}
        label = plain if k < MOST_NAMES else f"_{plain}"
        few = slice(None, None, _apart(run.times))
        axes.plot(run.times[few], drawn[few], color=CYCLE[k % len(CYCLE)], label=label, **style)
    label = "commands, kPa" if pressures or not run.commands else "commands"
    axes.set_ylabel(label, fontsize=TEXT, color=INK)
    axes.set_xlabel(across, fontsize=TEXT - 1, color=INK)
    plain_axes(axes)


def _apart(times: Floats) -> int:
    return -(-len(times) // MOST_STEPS)


def _highest(times: Floats, values: Floats) -> tuple[Floats, Floats]:
    """Of each row of samples that a point stands for, the highest: the worst is drawn, however long the recording."""
    every = _apart(times)
    if every == 1:
        return times, values
    starts = np.arange(0, len(values), every)
    return times[starts], np.fmax.reduceat(values, starts)


def _legend(axes: Axes, handles: Any, labels: Any) -> None:
    legend = axes.legend(handles, labels, fontsize=TEXT - 1, frameon=False, ncols=3, handlelength=1.0, loc="upper left")
    for text in legend.get_texts():
        text.set_color(INK)
