"""The report of `continuarm reproduce`: one HTML file that loads nothing else."""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Mapping, Sequence
from typing import Any

from continuarm.common.html_page import html_page, html_table
from continuarm.reproduction.misprints import MISPRINTS
from continuarm.reproduction.study import Drawing, Findings, Study, WordTable
from continuarm.reproduction.summary import TALLY, summary_sentences, tally
from continuarm.reproduction.verdicts import AGREES, DIFFERS, IN_PART, NOISY, NOT_RUN, OPEN

__all__ = ["report_html"]

PAPER = (
    "I. S. Godage, R. J. Webster III and I. D. Walker, “Center-of-Gravity-Based Approach for Modeling Dynamics of "
    "Multisection Continuum Arms”, IEEE Transactions on Robotics 35 (5), 2019, pp. 1097–1108"
)
SHORT_PAPER = "Godage, Webster and Walker, IEEE Transactions on Robotics 35 (5), 2019"
CLASSES = {AGREES: "good", IN_PART: "partly", DIFFERS: "bad", OPEN: "open", NOISY: "open", NOT_RUN: "open"}
MARKS = {AGREES: "✓", IN_PART: "◐", DIFFERS: "✗", OPEN: "?", NOISY: "≈", NOT_RUN: "–"}


def marked(text: str) -> str:
    """Escaped, with what stands below and above the line: β_{1}^{υ}."""
    safe = re.sub(r" (?=%|± |· 10\^)|(?<= ·) (?=10\^)", "\u00a0", html.escape(text, quote=True))
    safe = re.sub(r"\|[^|\s]+(?: − [^|\s]+)?\|", r"<span class='together'>\g<0></span>", safe)
    below = re.sub(r"_\{([^{}]*)\}", r"<sub>\1</sub>", safe)
    return re.sub(r"\^\{([^{}]*)\}", r"<sup>\1</sup>", below)


def report_html(
    studies: Sequence[Study],
    found: Mapping[str, Findings],
    claims: Sequence[Mapping[str, Any]],
    about: Mapping[str, Any],
    pictures: Mapping[str, str],
) -> str:
    """The whole file.

    about: extent, seed, machine, versions, wall times and parameters, as in report.json.
    pictures: the SVG text of every drawing, by name.
    """
    numbers = {name: k for k, name in enumerate(pictures, start=1)}
    figures = {
        each.name: _figure(numbers[each.name], each, pictures[each.name])
        for study in studies
        for each in study.drawings
        if each.name in pictures
    }
    body = [
        _head(claims, found, about),
        _contents(studies),
        _about(found, about),
        "<h2 id='claims'>What the paper claims, and what was found</h2>",
        _claims_table(claims, {study.name: k for k, study in enumerate(studies, start=1)}),
        *(_study(k, study, found, about, figures) for k, study in enumerate(studies, start=1)),
        _misprints(),
        _machine(about),
    ]
    return html_page("Reproduction: centre-of-gravity dynamics of continuum arms", body)


def _head(claims: Sequence[Mapping[str, Any]], found: Mapping[str, Findings], about: Mapping[str, Any]) -> str:
    """What fits one screen: counts of verdicts, and the sentences that matter."""
    counts = "".join(
        f"<li class='{CLASSES[verdict]}'>{MARKS[verdict]} <strong>{count}</strong> {TALLY[verdict]}</li>"
        for verdict, count in tally(claims).items()
    )
    quick = "" if about["extent"]["name"] == "full" else ", in a quick run"
    sentences = "".join(f"<li>{marked(sentence)}</li>" for sentence in summary_sentences(found))
    return (
        "<h1>Centre-of-gravity dynamics of continuum arms: a reproduction</h1>"
        f"<p class='soft small'>{marked(SHORT_PAPER)}</p>"
        f"<p class='lead'>Of {len(claims)} claims of the paper{quick}</p><ul class='tally'>{counts}</ul>"
        + (f"<ol class='summary'>{sentences}</ol>" if sentences else "")
    )


def _about(found: Mapping[str, Findings], about: Mapping[str, Any]) -> str:
    """What this is, and how much of it was computed."""
    lines = [
        "<p>Every numerical claim of the paper that can be computed without its measurements was computed again, from "
        "its equations, with the open library continuarm, by one command: <code>continuarm reproduce</code>. This file "
        "is its report. Each figure's data lie beside it as CSV, all numbers in <code>report.json</code>. The paper: "
        f"{marked(PAPER)}; sections, figures, tables and equations are cited by their numbers in print.</p>"
    ]
    if about["extent"]["name"] != "full":
        lines.append(
            "<p class='box partly'><strong>Quick run.</strong> Fewer samples and repeats than the paper "
            f"({about['extent']['fit_samples']:,} instead of 1,000,000 for the fits): a look, not a measurement. Run "
            "without <code>--quick</code> for the full numbers.</p>"
        )
    missing = [study for study in about["studies"] if study not in found]
    if missing:
        lines.append(f"<p class='box partly'>Studies that were not run: {marked(', '.join(missing))}.</p>")
    return "\n".join(lines)


def _contents(studies: Sequence[Study]) -> str:
    places = {"claims": "Claims"} | {study.name: f"{k}. {study.title}" for k, study in enumerate(studies, start=1)}
    places |= {"misprints": "Corrections to the print", "machine": "Machine, versions, times"}
    links = " · ".join(f"<a href='#{name}'>{marked(title)}</a>" for name, title in places.items())
    return f"<nav class='small screen'><p>{links}</p></nav>"


def _claims_table(claims: Sequence[Mapping[str, Any]], numbers: Mapping[str, int]) -> str:
    rows = []
    for row in claims:
        verdict = row["verdict"]
        judged = f"<span class='strong line {CLASSES[verdict]}'>{MARKS[verdict]} {html.escape(verdict)}</span>"
        link = f"<a class='small' href='#{row['study']}'>study&nbsp;{numbers[row['study']]}</a>"
        claim = f"{marked(row['claim'])} <span class='line soft small'>{marked(row['where'])}</span>"
        times = f" <span class='soft'>{marked(row['times'])}</span>" if row["times"] else ""
        rows.append((claim, marked(row["paper"]), marked(row["ours"]), f"{judged}{marked(row['why'])}{times} {link}"))
    return html_table(("claim, and where", "the paper", "here", "verdict, and why"), rows, kind="sentences claims")


def _misprints() -> str:
    rows = [[marked(cell) for cell in each] for each in MISPRINTS]
    return (
        "<h2 id='misprints'>Corrections to the print</h2><p>Before their numbers could be computed these places had to "
        "be corrected or decided. Equations are cited by number and by the label of the paper's source.</p>"
        + html_table(("where", "printed", "corrected"), rows, kind="sentences")
    )


def _study(
    number: int, study: Study, found: Mapping[str, Findings], about: Mapping[str, Any], figures: Mapping[str, str]
) -> str:
    heading = f"<h2 id='{study.name}'>{number}. {marked(study.title)}</h2>"
    if study.name not in found:
        return f"{heading}<p class='soft'>Not run.</p>"
    here = found[study.name]
    lines = [heading, *(f"<p>{marked(paragraph)}</p>" for paragraph in study.method)]
    lines += [_shown(each) for each in study.word_tables(here)]
    lines += [figures[each.name] for each in study.drawings]
    text = ", ".join(f"{name} = {_value(value)}" for name, value in about["parameters"][study.name].items())
    wall, load = about["wall_times"][study.name], about["loads"][study.name]
    busy = (
        "" if load is None else f", at a load average of {load:g} on {about['machine']['usable_processors']} processors"
    )
    lines.append(f"<p class='small soft'>Parameters: {marked(text)}. Computed in {wall:.1f} s{busy}.</p>")
    return "\n".join(lines)


def _value(value: Any) -> str:
    if isinstance(value, list):
        return f"({', '.join(map(_value, value))})"
    return f"{value:,}" if isinstance(value, int) else f"{value:.6g}" if isinstance(value, float) else str(value)


def _shown(shown: WordTable) -> str:
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
        f"<figure id='figure-{drawing.name}'><div class='scroll'><img alt=\"{words}\" "
        f"src='data:image/svg+xml;base64,{source}'></div>"
        f"<figcaption><strong>Figure {number}.</strong> {marked(drawing.caption)} "
        f"<span class='screen'>Data: {data}.</span></figcaption></figure>"
    )


def _machine(about: Mapping[str, Any]) -> str:
    facts = {
        "command": "continuarm reproduce" + (" --quick" if about["extent"]["name"] == "quick" else ""),
        "seed": about["seed"],
        "written": about["written"],
        "all studies": f"{sum(about['wall_times'].values()):.0f} s",
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
