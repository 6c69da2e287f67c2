"""The figures of `continuarm reproduce`, each drawn from the numbers of its study alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from continuarm.drawing.colours import AXES, BLACK, BLUE, GREEN, ORANGE, RED, SKY
from continuarm.drawing.figures import DASHED, TEXT, plain_axes
from continuarm.reproduction.study import Findings
from continuarm.reproduction.tables import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAGENTA = "#C2008C"
GREY = "#777777"
WIDE = 7.2
"""Inches: two columns of a journal."""
MODEL_COLOURS = {
    "fitted": BLUE,
    "small bends": GREEN,
    "literature": ORANGE,
    "not shaped": RED,
    "point mass": BLACK,
}
SHAPED = ("fitted", "small bends", "literature")
TERM_TITLES = {
    "linear base": r"(a) $\int p^T\Omega^T\Omega\,p$",
    "linear cross": r"(b) $\int p^T\Omega^T\dot{p}$",
    "linear own": r"(c) $\int \dot{p}^T\dot{p}$",
    "angular own": r"(d) $T_2\int \dot{R}^T\dot{R}$",
    "angular base": r"(e) $T_2\int R^T\Omega^T\Omega\,R$",
    "angular cross": r"(f) $T_2\int \dot{R}^T\Omega\,R$",
}
"""In the order of the paper's Fig. 3."""
BETAS = {
    f"{name} {part}": rf"$\beta_{k}^{{\{kind}}}$"
    for name, kind in (("linear", "upsilon"), ("angular", "omega"))
    for k, part in enumerate(("base", "cross", "own"), start=1)
}


def new_figure(rows: int, columns: int, height: float, **options: Any) -> tuple[Figure, Any]:
    """A figure two journal columns wide, and its axes (rows, columns); no window is opened."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDE, height), layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(rows, columns, squeeze=False, **options)
    for axes in panels.flat:
        plain_axes(axes)
    return figure, panels


def label(axes: Axes, x: str = "", y: str = "", title: str = "") -> None:
    """What the axes show."""
    axes.set_xlabel(x, fontsize=TEXT)
    axes.set_ylabel(y, fontsize=TEXT)
    axes.set_title(title, fontsize=TEXT, loc="left")


def legend(axes: Axes, **place: Any) -> None:
    """A legend without a frame."""
    axes.legend(**{"frameon": False, "fontsize": TEXT - 1, "handlelength": 1.8} | place)


def draw_terms(found: Findings, sampling: str) -> Figure:
    """Six scatter plots: integral over centre-of-gravity term, and the fitted line."""
    table = found.tables[f"energy-terms-{sampling}"]
    fit = found.numbers["fits"][f"{sampling}, term by term"]
    figure, panels = new_figure(2, 3, 4.4)
    shades: Any = None
    terms = {term["name"]: term for term in fit["terms"]}
    for axes, name in zip(panels.flat, TERM_TITLES, strict=True):
        term, symbol = terms[name], BETAS[name]
        x, y = table[f"{name}, centre of gravity"], table[f"{name}, integral"]
        shades = axes.scatter(x, y, c=table["bend"], vmin=0, s=3, linewidths=0, cmap="viridis", rasterized=True)
        ends = np.array([min(x.min(), 0.0), x.max()])
        axes.plot(ends, term["beta"] * ends, color=RED, linewidth=1.0, label=f"{symbol} = {term['beta']:.4f}")
        label(axes, title=TERM_TITLES[name])
        axes.ticklabel_format(style="sci", scilimits=(-2, 3), useMathText=True)
        for axis in (axes.xaxis, axes.yaxis):
            axis.get_offset_text().set_fontsize(TEXT - 2)
        legend(axes, loc="upper left")
    figure.supxlabel("centre-of-gravity term, 1/s²", fontsize=TEXT)
    figure.supylabel("integral term, 1/s²", fontsize=TEXT)
    bar = figure.colorbar(shades, ax=panels, shrink=0.8, pad=0.02)
    bar.set_label("bend φ, rad", fontsize=TEXT)
    bar.ax.tick_params(labelsize=TEXT - 1)
    return figure


def draw_ratios(found: Findings) -> Figure:
    """Six plots of the ratio of the terms over the bend."""
    table = found.tables["energy-ratios-2pi"]
    fit = found.numbers["fits"]["2pi, term by term"]
    limits = found.numbers["small_bends"]
    betas = {term["name"]: term["beta"] for term in fit["terms"]}
    small = dict(zip(betas, [*limits["beta_linear"], *limits["beta_angular"]], strict=True))
    literature = dict(zip(betas, found.numbers["published"]["beta_linear"], strict=False))
    figure, panels = new_figure(2, 3, 4.0, sharex=True)
    for axes, name in zip(panels.flat, TERM_TITLES, strict=True):
        beta, symbol, limit, printed = betas[name], BETAS[name], small[name], literature.get(name)
        axes.scatter(table["bend"], table[name], s=3, linewidths=0, color=SKY, rasterized=True)
        axes.axhline(beta, color=RED, linewidth=1.2, label=f"fitted {beta:.3f}")
        axes.axhline(limit, color=BLACK, linewidth=1.0, linestyle=":", label=f"small bends {limit:.3f}")
        if printed is not None:
            axes.axhline(printed, color=ORANGE, linewidth=1.0, linestyle="--", label=f"literature {printed:.3f}")
        label(axes, title=f"{symbol} from {TERM_TITLES[name][4:]}")
        axes.set_ylim(min(beta, limit) - 0.35, max(beta, limit) + 0.65)
        axes.set_xlim(0, 4 * np.pi / 3)
        legend(axes, loc="upper left", frameon=True, edgecolor="none", framealpha=0.8)
    figure.supxlabel("bend φ, rad", fontsize=TEXT)
    figure.supylabel("integral term / centre-of-gravity term", fontsize=TEXT)
    return figure


def draw_errors(found: Findings) -> Figure:
    """Errors of single samples, and histograms."""
    samples, histograms = found.tables["energy-errors"], found.tables["energy-errors-histogram"]
    figure, panels = new_figure(1, 3, 2.9)
    left, middle, right = panels[0]
    left.plot(samples["sample"], samples["fitted"], ".", color=BLUE, markersize=1.6, rasterized=True)
    mean = found.numbers["models"]["fitted"]["signed_mean"]
    left.axhline(mean, color=RED, linewidth=1.0)
    label(left, "sample", "energy error, % of largest energy", f"(a) fitted β, mean of all {mean:.2g} %")
    for axes, names, title in (
        (middle, [name for name in MODEL_COLOURS if name in SHAPED], "(b) shaped"),
        (right, list(MODEL_COLOURS), "(c) all models"),
    ):
        for name in names:
            low, high = histograms[f"{name}, from"], histograms[f"{name}, to"]
            density = 1e-3 * histograms[f"{name}, samples"] / (high - low)
            axes.stairs(density, [*low, high[-1]], color=MODEL_COLOURS[name], linewidth=1.1, label=name)
        axes.set_yscale("log")
        axes.locator_params(axis="x", nbins=4)
        label(axes, "energy error, % of largest energy", "samples per 0.001 %" if axes is middle else "", title)
        legend(axes, loc="upper right")
    return figure


def draw_error_growth(found: Findings) -> Figure:
    """Errors over the number of sections."""
    table = found.tables["energy-errors-over-length"]
    figure, panels = new_figure(1, 1, 2.8)
    axes = panels[0, 0]
    for name, colour in MODEL_COLOURS.items():
        axes.loglog(table["sections"], table[name], "o-", color=colour, linewidth=1.2, markersize=3.5, label=name)
    whole_ticks(axes, [int(n) for n in table["sections"]])
    label(axes, "number of sections", "mean energy error, %")
    legend(axes, loc="lower left")
    return figure


def whole_ticks(axes: Axes, ticks: list[int]) -> None:
    """A logarithmic axis with whole numbers."""
    axes.set_xticks(ticks, [str(n) for n in ticks])
    axes.minorticks_off()


GROWTH_LOOKS = {
    "Algorithm 1, integral": (RED, "s"),
    "Algorithm 1, centre of gravity": (BLUE, "o"),
    "O(n) engine, integral": (GREEN, "^"),
}


def draw_operations(found: Findings) -> Figure:
    """Operations over the number of sections, and the gain."""
    table = found.tables["operations"]
    figure, panels = new_figure(1, 2, 3.6, width_ratios=(1.5, 1))
    left, right = panels[0]
    n = table["sections"]
    for name, (colour, marker) in GROWTH_LOOKS.items():
        left.loglog(n, table[name], color=colour, marker=marker, markersize=3, linewidth=1.0, label=name)
    far = n >= 10
    for power, style in ((2, ":"), (3, "--"), (4, "-.")):
        start = table["Algorithm 1, centre of gravity"][far][0] / 3
        line = start * (n[far] / n[far][0]) ** power
        left.loglog(n[far], line, color=GREY, linewidth=0.9, linestyle=style, label=f"~ n{'⁰¹²³⁴'[power]}")
    whole_ticks(left, [1, 2, 3, 5, 10, 20, 50, 100])
    label(left, "number of sections n", "operations of one forward dynamics", "(a) operations")
    legend(left, loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=2)
    right.semilogx(n, table["gain"], "o-", color=MAGENTA, markersize=3, linewidth=1.0)
    right.set_ylim(0, 1.15 * table["gain"].max())
    whole_ticks(right, [1, 3, 10, 30, 100])
    label(right, "number of sections n", "operations of integral / centre of gravity", "(b) gain, Algorithm 1")
    return figure


def draw_times(found: Findings) -> Figure:
    """Times over the number of sections with their spread, and the gain."""
    table = found.time_tables["times"]
    figure, panels = new_figure(1, 2, 3.4, width_ratios=(1.5, 1))
    left, right = panels[0]
    for name, (colour, marker) in GROWTH_LOOKS.items():
        draw_spread(left, table, name, color=colour, marker=marker, label=name)
    left.set_xscale("log")
    left.set_yscale("log")
    whole_ticks(left, [1, 2, 3, 5, 10, 20, 50, 100])
    label(left, "number of sections n", "one forward dynamics, µs", "(a) time")
    legend(left, loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=2)
    draw_spread(right, table, "gain", color=MAGENTA, marker="o")
    right.set_ylim(bottom=0)
    label(right, "number of sections n", "time of integral / centre of gravity", "(b) gain, Algorithm 1")
    return figure


def draw_spread(axes: Axes, table: Table, name: str, **look: Any) -> None:
    """Medians over the number of sections, with bars from the least to the greatest; nothing where there is none."""
    there = np.isfinite(table[f"{name}, median"])
    if not there.any():
        return
    middle, low, high = (table[f"{name}, {kind}"][there] for kind in ("median", "least", "greatest"))
    bars = [middle - low, high - middle]
    axes.errorbar(table["sections"][there], middle, bars, markersize=3, linewidth=1.0, elinewidth=0.7, **look)


def draw_experiment(found: Findings, number: int) -> Figure:
    """Tips of the three sections with the distance between the models, and the distance of all: the paper's layout."""
    table, name = found.tables[f"experiment-{number}"], f"Experiment {number}"
    figure, panels = new_figure(4, 1, 7.4, sharex=True, height_ratios=(1, 1, 1, 0.8))
    t = table["t"]
    apart = {kind: np.stack([table[f"difference {i} {kind}"] for i in (1, 2, 3)]) for kind in ("fitted", "small bends")}
    for i, axes in zip((1, 2, 3), panels[:3, 0], strict=True):
        draw_tip(axes, table, i)
        label(axes, y=f"tip of section {i}, mm")
        beside = axes.twinx()
        beside.plot(t, apart["fitted"][i - 1], color=MAGENTA, linewidth=0.9)
        beside.plot(t, apart["small bends"][i - 1], color=MAGENTA, linewidth=0.9, linestyle=":")
        beside.set_ylim(0, 3.2 * apart["fitted"][i - 1].max())
        beside.set_ylabel("difference, mm", fontsize=TEXT, color=MAGENTA)
        beside.tick_params(labelsize=TEXT - 1, colors=MAGENTA)
        for side in ("top", "left"):
            beside.spines[side].set_visible(False)
        beside.spines["right"].set_color(MAGENTA)
    legend(panels[0, 0], loc="lower center", ncols=6, bbox_to_anchor=(0.5, 1.0))
    for time, muscle, pressure in found.numbers["experiments"][str(number)]["steps"]:
        for axes in panels[:, 0]:
            axes.axvline(time, color=GREY, linewidth=0.8, linestyle="--")
        place = {"transform": panels[0, 0].get_xaxis_transform(), "fontsize": TEXT - 1, "color": GREY}
        panels[0, 0].text(time, 0.62, f" {muscle} {pressure:g} kPa", **place)
    bottom = panels[3, 0]
    bottom.plot(t, apart["fitted"].max(axis=0), color=MAGENTA, linewidth=1.1, label="largest of the tips, fitted β")
    bottom.plot(t, apart["fitted"].mean(axis=0), color=MAGENTA, linewidth=1.1, linestyle=DASHED, label="mean, fitted β")
    bottom.plot(
        t, apart["small bends"].max(axis=0), color=GREY, linewidth=0.9, linestyle=":", label="largest, small-bend β"
    )
    bottom.set_ylim(0, 1.35 * max(each.max() for each in apart.values()))
    bottom.set_xlim(0, t[-1])
    label(bottom, "time, s", "difference, mm")
    legend(bottom, loc="upper left", ncols=3)
    figure.suptitle(f"{name}: {found.numbers['experiments'][str(number)]['title']}", fontsize=TEXT + 1)
    figure.supxlabel(found.numbers["label"], fontsize=TEXT - 1, color="0.35")
    return figure


def draw_tip(axes: Axes, table: Table, i: int) -> None:
    """X, Y and Z of one tip, in both models."""
    for letter, colour in AXES.items():
        solid, dashed = table[f"{letter}{i} CoG"], table[f"{letter}{i} integral"]
        # Wide and pale beneath the other's dashes: both can be seen where they are the same.
        axes.plot(table["t"], solid, color=colour, linewidth=2.6, alpha=0.35, label=f"{letter} CoG")
        axes.plot(table["t"], dashed, color=colour, linewidth=1.0, linestyle=DASHED, label=f"{letter} integral")


def draw_models(found: Findings) -> Figure:
    """Share of states over the error of their accelerations."""
    table = found.tables["model-accelerations"]
    figure, panels = new_figure(1, 1, 2.8)
    axes = panels[0, 0]
    for name, colour in MODEL_COLOURS.items():
        axes.semilogx(table[name], table["share of states"], color=colour, linewidth=1.3, label=name)
    label(axes, "acceleration error |q̈ - q̈ integral| / |q̈ integral|, %", "states with a smaller error, %")
    axes.set_ylim(0, 100)
    legend(axes, loc="upper left")
    return figure


def draw_modal(found: Findings) -> Figure:
    """Errors of the truncated pose over the bend."""
    table = found.tables["modal-errors"]
    figure, panels = new_figure(1, 2, 3.0, sharey=True)
    for axes, kind, title in zip(
        panels[0], ("position", "rotation"), ("(a) position / length", "(b) rotation"), strict=True
    ):
        for order, colour in ((9, SKY), (11, GREEN), (13, ORANGE), (15, RED)):
            axes.semilogy(
                table["bend"],
                np.maximum(table[f"order {order}, {kind}"], 2e-17),
                color=colour,
                linewidth=1.2,
                label=f"order {order}",
            )
        own = np.maximum(table["this library"], 2e-17)
        axes.semilogy(table["bend"], own, color=BLACK, linewidth=1.0, label="this library")
        axes.axhline(1, color=GREY, linewidth=0.8, linestyle="--")
        for place, name in ((4 * np.pi / 3, "4π/3"), (2 * np.pi, "2π")):
            axes.axvline(place, color=GREY, linewidth=0.8, linestyle=":")
            axes.text(place, 2e-17, f" {name}", fontsize=TEXT - 1, color=GREY)
        axes.set_ylim(1e-17, 1e6)
        axes.set_xlim(0, 4 * np.pi)
        label(axes, "bend φ, rad", "largest error of an entry" if kind == "position" else "", title)
    legend(panels[0, 0], loc="lower right")
    return figure


def draw_straight(found: Findings) -> Figure:
    """Relative errors near φ = 0."""
    table = found.tables["near-straight"]
    figure, panels = new_figure(1, 1, 3.0)
    axes = panels[0, 0]
    for name, colour in (("tip position", BLUE), ("centre of gravity", ORANGE), ("inertia integral", RED)):
        shown = np.clip(table[f"{name}, curve"], 2e-17, 1)
        axes.loglog(table["bend"], shown, color=colour, linewidth=1.1, label=f"{name}, curve parameters")
        own = np.clip(table[f"{name}, own"], 2e-17, 1)
        axes.loglog(table["bend"], own, color=colour, linewidth=1.0, linestyle=":", label=f"{name}, this library")
    axes.set_ylim(1e-17, 10)
    axes.set_xlim(table["bend"][0], table["bend"][-1])
    label(axes, "bend φ, rad", "relative error")
    legend(axes, loc="center left", bbox_to_anchor=(0.0, 0.45))
    return figure
