"""The report of `continuarm reproduce`: one HTML file that loads nothing else."""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Mapping, Sequence
from typing import Any

from continuarm.common.html_page import html_page, html_table
from continuarm.reproduction.findings import AGREES, DIFFERS, IN_PART, NOT_RUN, OPEN, Drawing, Findings, Part, Shown
from continuarm.reproduction.summary import SENTENCES

__all__ = ["report_html"]

PAPER = (
    "I. S. Godage, R. J. Webster III and I. D. Walker, “Center-of-Gravity-Based Approach for Modeling Dynamics of "
    "Multisection Continuum Arms”, IEEE Transactions on Robotics 35 (5), 2019, pp. 1097–1108"
)
TALLY = {AGREES: "agree", IN_PART: "agree in part", DIFFERS: "differ", OPEN: "cannot be checked", NOT_RUN: "not run"}
CLASSES = {AGREES: "good", IN_PART: "partly", DIFFERS: "bad", OPEN: "open", NOT_RUN: "open"}
MARKS = {AGREES: "✓", IN_PART: "◐", DIFFERS: "✗", OPEN: "?", NOT_RUN: "–"}

MISPRINTS = (
    "HTM_section: the last rotation must be R_{Z}(−θ); with R_{Z}(θ) a section twists when it bends.",
    "Ckj: the printed indices give the transposed matrix; C_{jk} = ½ Σ_{h} (M_{jk,h} + M_{jh,k} − M_{kh,j}) q̇_{h} "
    "makes Ṁ − 2C skew.",
    "dKw_i: the factor 2 belongs to the cross term. In the table of M_{i,h} the second η_{11}^{ω} is η_{22}^{ω}, and "
    "2AᵀB stands for AᵀB + BᵀA.",
    "σ_{11}^{υ}: the product 2 J^{υ}ᵀ J^{Ω} p̄ is to be symmetrised.",
    "Ggi_derivation: the last line has one R^{i−1} too many.",
    "R̄ is an average of rotations and no rotation; the energies are taken as printed (Kwi_c, Kvi_c).",
)
"""Corrections to the print, without which the numbers could not be had; equations by their labels in the source."""


def marked(text: str) -> str:
    """Escaped, with what stands below and above the line: β_{1}^{υ}."""
    safe = re.sub(r" (?=%|± |· 10\^)|(?<= ·) (?=10\^)", "\u00a0", html.escape(text, quote=True))
    below = re.sub(r"_\{([^{}]*)\}", r"<sub>\1</sub>", safe)
    return re.sub(r"\^\{([^{}]*)\}", r"<sup>\1</sup>", below)


def report_html(
    parts: Sequence[Part],
    found: Mapping[str, Findings],
    claims: Sequence[Mapping[str, Any]],
    about: Mapping[str, Any],
    pictures: Mapping[str, str],
) -> str:
    """The whole file.

    about: effort, seed, machine, versions, wall times and parameters, as in report.json.
    pictures: the SVG text of every drawing, by name.
    """
    numbers = {name: k for k, name in enumerate(pictures, start=1)}
    figures = {
        each.name: _figure(numbers[each.name], each, pictures[each.name])
        for part in parts
        for each in part.drawings
        if each.name in pictures
    }
    body = [
        _head(claims, found, about),
        _contents(parts),
        "<h2 id='claims'>What the paper claims, and what was found</h2>",
        _claims_table(claims, {part.name: k for k, part in enumerate(parts, start=1)}),
        *(_part(k, part, found, about, figures) for k, part in enumerate(parts, start=1)),
        "<h2 id='misprints'>Corrections to the print</h2>",
        "<p>The equations had to be corrected in places before their numbers could be computed:</p>",
        "<ul>" + "".join(f"<li>{marked(each)}</li>" for each in MISPRINTS) + "</ul>",
        _machine(about),
    ]
    return html_page("Reproduction: centre-of-gravity dynamics of continuum arms", body)


def _head(claims: Sequence[Mapping[str, Any]], found: Mapping[str, Findings], about: Mapping[str, Any]) -> str:
    counts = {verdict: sum(row["verdict"] == verdict for row in claims) for verdict in CLASSES}
    tally = ", ".join(f"{count} {TALLY[verdict]}" for verdict, count in counts.items() if count)
    lines = [
        "<h1>Centre-of-gravity dynamics of continuum arms: a reproduction</h1>",
        f"<p class='soft'>{marked(PAPER)}</p>",
    ]
    if about["effort"]["name"] != "full":
        lines.append(
            "<p class='box partly'><strong>Quick run.</strong> Fewer samples and repeats than the paper "
            f"({about['effort']['fit_samples']:,} instead of 1,000,000 for the fits): a look, not a measurement. Run "
            "without <code>--quick</code> for the full numbers.</p>"
        )
    missing = [part for part in about["parts"] if part not in found]
    if missing:
        lines.append(f"<p class='box partly'>Parts that were not run: {marked(', '.join(missing))}.</p>")
    lines += [
        "<p><strong>What this is.</strong> Every numerical claim of the paper that can be computed without its "
        "measurements was computed again, from its equations, with the open library continuarm, by one command: "
        "<code>continuarm reproduce</code>. This file is its report. Each figure's data lie beside it as CSV, all "
        "numbers in <code>report.json</code>.</p>",
        f"<p><strong>Summary.</strong> {marked(f'Of {len(claims)} claims: {tally}. ' + summary(found))}</p>",
    ]
    return "\n".join(lines)


def summary(found: Mapping[str, Findings]) -> str:
    """What was found, in a few sentences, as far as the parts were run."""
    return " ".join(sentence(found[part]) for part, sentence in SENTENCES if part in found)


def _contents(parts: Sequence[Part]) -> str:
    places = {"claims": "Claims"} | {part.name: f"{k}. {part.title}" for k, part in enumerate(parts, start=1)}
    places |= {"misprints": "Corrections to the print", "machine": "Machine, versions, times"}
    links = " · ".join(f"<a href='#{name}'>{marked(title)}</a>" for name, title in places.items())
    return f"<nav class='small screen'><p>{links}</p></nav>"


def _claims_table(claims: Sequence[Mapping[str, Any]], numbers: Mapping[str, int]) -> str:
    rows = []
    for row in claims:
        verdict = row["verdict"]
        told = f"<span class='strong line {CLASSES[verdict]}'>{MARKS[verdict]} {html.escape(verdict)}</span>"
        link = f"<a class='small' href='#{row['part']}'>part&nbsp;{numbers[row['part']]}</a>"
        measured = f"{marked(row['measured'])} {link}"
        rows.append((marked(row["claim"]), marked(row["where"]), measured, f"{told}{marked(row['why'])}"))
    heads = ("claim", "where in the paper", "measured here", "agrees or differs, and why")
    return html_table(heads, rows, kind="sentences")


def _part(
    number: int, part: Part, found: Mapping[str, Findings], about: Mapping[str, Any], figures: Mapping[str, str]
) -> str:
    heading = f"<h2 id='{part.name}'>{number}. {marked(part.title)}</h2>"
    if part.name not in found:
        return f"{heading}<p class='soft'>Not run.</p>"
    here = found[part.name]
    lines = [heading, *(f"<p>{marked(paragraph)}</p>" for paragraph in part.method)]
    lines += [_shown(each) for each in part.shown(here)]
    lines += [figures[each.name] for each in part.drawings]
    told = ", ".join(f"{name} = {_value(value)}" for name, value in about["parameters"][part.name].items())
    wall, load = about["wall_times"][part.name], about["loads"][part.name]
    busy = (
        "" if load is None else f", at a load average of {load:g} on {about['machine']['usable_processors']} processors"
    )
    lines.append(f"<p class='small soft'>Parameters: {marked(told)}. Computed in {wall:.1f} s{busy}.</p>")
    return "\n".join(lines)


def _value(value: Any) -> str:
    if isinstance(value, list):
        return f"({', '.join(map(_value, value))})"
    return f"{value:,}" if isinstance(value, int) else f"{value:.6g}" if isinstance(value, float) else str(value)


def _shown(shown: Shown) -> str:
    table = html_table(
        [marked(column) for column in shown.columns], ([marked(cell) for cell in row] for row in shown.rows)
    )
    note = f"<p class='small soft'>{marked(shown.note)}</p>" if shown.note else ""
    return f"<h3>{marked(shown.heading)}</h3>{table}{note}"


def _figure(number: int, drawing: Drawing, svg: str) -> str:
    source = base64.b64encode(svg.encode()).decode()
    data = ", ".join(f"figures/{name}.csv" for name in (drawing.name, *drawing.more_tables))
    words = html.escape(re.sub(r"[_^]\{([^{}]*)\}", r"\1", drawing.caption), quote=True)
    return (
        f"<figure id='figure-{drawing.name}'><img alt=\"{words}\" src='data:image/svg+xml;base64,{source}'>"
        f"<figcaption><strong>Figure {number}.</strong> {marked(drawing.caption)} "
        f"<span class='screen'>Data: {data}.</span></figcaption></figure>"
    )


def _machine(about: Mapping[str, Any]) -> str:
    facts = {
        "command": "continuarm reproduce" + (" --quick" if about["effort"]["name"] == "quick" else ""),
        "seed": about["seed"],
        "written": about["written"],
        "all parts": f"{sum(about['wall_times'].values()):.0f} s",
        **{name.replace("_", " "): value for name, value in about["machine"].items()},
        **{name.replace("_", " "): value for name, value in about["versions"].items() if value is not None},
        "source": about["source"],
    }
    rows = "".join(f"<dt>{html.escape(name)}</dt><dd>{html.escape(str(value))}</dd>" for name, value in facts.items())
    return (
        "<h2 id='machine'>Machine, versions, times</h2>"
        f"<p>Times depend on the machine and on what else it does; all other numbers depend on the seed alone.</p>"
        f"<dl>{rows}</dl>"
    )
