"""What the side panel says: readings, a bar of pressure colours and small plots, as HTML without scripts."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from continuarm.common.number_checks import Floats
from continuarm.simulation.inputs import UNITS
from continuarm.simulation.motion import Motion
from continuarm.simulation.plots import AXES, CYCLE, ENERGIES, driven_by
from continuarm.viewer.live import Figures
from continuarm.viewer.shapes import PRESSURE_COLOURS, section_colour

WIDTH, HEIGHT = 340, 120
LEFT, RIGHT, TOP, BOTTOM = 42, 8, 20, 18
MOST_POINTS = 240
MOST_TIPS = 10
MOST_NAMED = 7
_STYLE = "font-family:inherit;font-size:12px;line-height:1.45;padding:0 0.9em"
_NUMBER = "text-align:right;font-variant-numeric:tabular-nums"


class Curve(NamedTuple):
    """A line of a plot."""

    name: str  # nothing: it is not named
    colour: str
    values: Floats


def plot(title: str, times: ArrayLike, curves: Sequence[Curve], now: float | None = None) -> str:
    """A small plot of curves over time, s, with a line at the time now: SVG that takes the colours of the page."""
    t = np.asarray(times, dtype=float)
    kept = np.unique(np.linspace(0, len(t) - 1, min(len(t), MOST_POINTS)).astype(int))
    first, last = float(t[0]), float(t[-1]) if t[-1] > t[0] else float(t[0]) + 1
    values = [np.asarray(curve.values, dtype=float) for curve in curves]
    low, high = _range(values)

    def x(time: Floats | float) -> Floats | float:
        return LEFT + (WIDTH - LEFT - RIGHT) * (time - first) / (last - first)

    def y(value: Floats | float) -> Floats | float:
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (value - low) / (high - low)

    parts = [f'<text x="{LEFT}" y="12" font-weight="600">{html.escape(title)}</text>']
    place = WIDTH - RIGHT
    for curve in reversed([curve for curve in curves if curve.name]):
        parts.append(
            f'<text x="{place}" y="12" text-anchor="end" fill="{curve.colour}">{html.escape(curve.name)}</text>'
        )
        place -= 7 * len(curve.name) + 9
    for value in _ticks(low, high):
        parts.append(
            f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(value):.1f}" y2="{y(value):.1f}" stroke="#8884"/>'
            f'<text x="{LEFT - 5}" y="{y(value) + 4:.1f}" text-anchor="end">{value:g}</text>'
        )
    for value in _ticks(first, last):
        parts.append(f'<text x="{x(value):.1f}" y="{HEIGHT - 4}" text-anchor="middle">{value:g}</text>')
    for curve, each in zip(curves, values, strict=True):
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x(t[kept]), y(each[kept]), strict=True))  # type: ignore[arg-type]
        parts.append(f'<polyline points="{points}" fill="none" stroke="{curve.colour}" stroke-width="1.4"/>')
    if now is not None:
        at = float(x(min(max(now, first), last)))
        height = f'y1="{TOP - 3}" y2="{HEIGHT - BOTTOM}"'
        parts.append(f'<line class="now" x1="{at:.1f}" x2="{at:.1f}" {height} stroke="currentColor"/>')
    return (
        f'<div style="{_STYLE}"><svg viewBox="0 0 {WIDTH} {HEIGHT}" width="100%" font-size="10.5" fill="currentColor">'
        + "".join(parts)
        + "</svg></div>"
    )


def plot_at(drawn: str, share: float) -> str:
    """A plot whose line of now is moved to a share of its time, from 0 to 1."""
    x = f"{LEFT + (WIDTH - LEFT - RIGHT) * min(max(share, 0.0), 1.0):.1f}"
    return re.sub(r'class="now" x1="[^"]*" x2="[^"]*"', f'class="now" x1="{x}" x2="{x}"', drawn)


def _range(values: Sequence[Floats]) -> tuple[float, float]:
    low = min((float(each.min()) for each in values if each.size), default=0.0)
    high = max((float(each.max()) for each in values if each.size), default=1.0)
    margin = 0.05 * (high - low) or max(abs(low), 1e-3) * 0.1
    return low - margin, high + margin


def _ticks(low: float, high: float) -> list[float]:
    """About four round numbers between two."""
    step = 10.0 ** np.floor(np.log10((high - low) / 2))
    step *= next(factor for factor in (1, 2, 5, 10) if (high - low) / (factor * step) <= 4.5)
    first, last = int(np.ceil(low / step)), int(np.floor(high / step))
    return [round(k * step, 12) for k in range(first, last + 1)]


def tip_plot(motion: Motion, now: float) -> str:
    """Where the last tip is over time, mm."""
    tip = 1e3 * motion.tips[:, -1]
    curves = [Curve(letter, page_colour(colour), tip[:, k]) for k, (letter, colour) in enumerate(AXES.items())]
    return plot(f"tip {motion.arm.n}, mm", motion.t - motion.t[0], curves, now)


def energy_plot(motion: Motion, now: float) -> str:
    """The energies over time, J."""
    names = {"kinetic": "kin", "gravitational": "grav", "elastic": "elast", "supplied": "in", "dissipated": "lost"}
    curves = [Curve(names[name], page_colour(ENERGIES[name]), values) for name, values in motion.energies.items()]
    return plot("energy, J", motion.t - motion.t[0], curves, now)


def force_plot(motion: Motion, now: float) -> str:
    """The commanded forces over time, N, by coordinate; nothing for a motion without any."""
    title = "force, N"
    pushed = driven_by(motion)[title]
    if not pushed:
        return ""
    curves = [
        Curve(name if k < MOST_NAMED else "", page_colour(CYCLE[k % len(CYCLE)]), values)
        for k, (name, values) in enumerate(pushed.items())
    ]
    return plot(title, motion.t - motion.t[0], curves, now)


def plots_of(motion: Motion, now: float) -> list[str]:
    """All plots of a motion: its tip, its energies, and forces if there are any."""
    return [tip_plot(motion, now), energy_plot(motion, now), force_plot(motion, now)]


def pressure_bar(motions: Sequence[Motion], highest: float) -> str:
    """The bar of colours, unless no muscle of any motion has a pressure."""
    return colour_bar(highest) if any(motion.pressures.any() for motion in motions) else ""


def page_colour(colour: str) -> str:
    """Black is the page's own text colour, which is not black on a dark page."""
    return "currentColor" if colour == "#000000" else colour


def colour_bar(highest: float) -> str:
    """Which colour of a muscle is which pressure: highest in Pa."""
    shades = ", ".join(PRESSURE_COLOURS)
    marks = "".join(f"<span>{highest / UNITS['kPa'] * k / 4:.0f}</span>" for k in range(5))
    return (
        f'<div style="{_STYLE}"><div style="font-weight:600">pressure of the muscles, kPa</div>'
        f'<div style="height:10px;border-radius:5px;margin:3px 0;background:linear-gradient(to right, {shades})"></div>'
        f'<div style="display:flex;justify-content:space-between">{marks}</div></div>'
    )


def readings(time: float, energies: dict[str, float], tips: Floats, others: Floats | None = None) -> str:
    """Time, energies and where the tips are (n, 3), in m; with other tips, how far these are away."""
    shown = "".join(
        f'<td style="{_NUMBER}"><span style="opacity:.65">{name}</span><br/>{value:.3f} J</td>'
        for name, value in energies.items()
    )
    apart = "" if others is None else '<th style="text-align:right">apart, mm</th>'
    rows = []
    for i, tip in enumerate(1e3 * tips):
        if MOST_TIPS <= i < len(tips) - 1:
            continue
        cells = "".join(f'<td style="{_NUMBER}">{_plain(value)}</td>' for value in tip)
        if others is not None:
            away = np.linalg.norm(tips[i] - others[i]) * 1e3 if i < len(others) else float("nan")
            cells += f'<td style="{_NUMBER}">{away:.2f}</td>'
        dot = f'<span style="color:{section_colour(i)}">&#9679;</span>'
        rows.append(f"<tr><td>{dot} {i + 1}</td>{cells}</tr>")
    return (
        f'<div style="{_STYLE}">'
        f'<div style="font-size:20px;{_NUMBER};text-align:left" data-reading="time">{time:.3f} s</div>'
        f'<table style="width:100%;border-spacing:0;margin:2px 0 6px"><tr>{shown}</tr></table>'
        '<table style="width:100%;border-spacing:0" data-reading="tips"><tr><th style="text-align:left">tip</th>'
        '<th style="text-align:right">x, mm</th><th style="text-align:right">y, mm</th>'
        f'<th style="text-align:right">z, mm</th>{apart}</tr>{"".join(rows)}</table></div>'
    )


def _plain(value: float) -> str:
    return f"{round(value, 1) + 0:.1f}"


def speed_table(figures: Figures) -> str:
    """How well a live arm keeps time; red where it does not."""
    cells = (
        ("real time", f"{figures.real_time_factor:.2f} x", figures.real_time_factor < 0.98),
        ("one step", f"{1e6 * figures.step_time:.1f} µs", False),
        ("late steps", f"{100 * figures.late_share:.2f} %", figures.late_share > 0.01),
    )
    shown = "".join(
        f'<td style="{_NUMBER}"><span style="opacity:.65">{name}</span><br/>'
        f'<span style="{"color:#B5152B;font-weight:600" if bad else ""}" data-reading="{name}">{value}</span></td>'
        for name, value, bad in cells
    )
    return f'<div style="{_STYLE}"><table style="width:100%;border-spacing:0"><tr>{shown}</tr></table></div>'


def notice(sentence: str) -> str:
    """Something the user must know, such as why a file was not opened; nothing for no sentence."""
    if not sentence:
        return ""
    return (
        f'<div role="alert" data-reading="notice" style="{_STYLE};margin:4px 0.9em;padding:6px 9px;border-radius:5px;'
        f'background:#B5152B1c;border-left:3px solid #B5152B">{html.escape(sentence)}</div>'
    )


def heading(names: Sequence[tuple[str, str]]) -> str:
    """What is shown: names with the colour that each is drawn in."""
    rows = "".join(
        f'<div><span style="color:{colour}">&#9632;</span> {html.escape(" ".join(name.split()))}</div>'
        for name, colour in names
    )
    return f'<div style="{_STYLE}">{rows}</div>'
