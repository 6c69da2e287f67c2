"""What objects show of themselves in a notebook: a picture beside tables, in the colours of the page.

Notebooks have no style sheet of ours: every element carries its own style, and takes ink and ground from the page.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.arms.summary import SECTION_COLUMNS, arm_facts, arm_words, section_rows
from continuarm.common.html_page import html_text
from continuarm.common.number_checks import Floats
from continuarm.drawing.colours import SKY
from continuarm.drawing.svg import arm_svg

MOST_ROWS = 12
"""Of a table: beyond it, how many more there are."""
LONGEST_TEXT = 300
"""Letters of other people's text."""
WIDE, HIGH = 130, 18
"""Of a drawing in a cell, pixels."""
_LINE = "border-bottom:1px solid #8884;padding:2px 8px"


def card(title: str, picture: str, *parts: str) -> str:
    """A title in plain words, a picture as HTML beside or above other pieces of HTML."""
    heading = f'<div style="font-weight:600;margin-bottom:4px">{html_text(title)}</div>'
    beside = f'<div style="flex:none">{picture}</div>' if picture else ""
    words = f'<div style="flex:1 1 24em;min-width:0;max-width:60em;overflow-x:auto">{heading}{"".join(parts)}</div>'
    layout = "display:flex;flex-wrap:wrap;gap:16px;align-items:flex-start"
    return f'<div style="{layout};font-size:13px;line-height:1.4">{beside}{words}</div>'


def facts_table(facts: Mapping[str, str]) -> str:
    """Facts in plain words by what they are about."""
    rows = (
        f'<tr><td style="{_LINE};text-align:left;opacity:.75">{html_text(name)}</td>'
        f'<td style="{_LINE};text-align:left">{_shortened(fact)}</td></tr>'
        for name, fact in facts.items()
    )
    return f'<table style="border-collapse:collapse;margin:0 0 8px">{"".join(rows)}</table>'


def plain_table(headings: Sequence[str], rows: Iterable[Sequence[str]], drawn: bool = False) -> str:
    """A table in plain words; if the last column is drawn, its cells are HTML. Of a long one, the first rows."""
    listed = list(rows)
    head = "".join(f'<th style="{_LINE};text-align:left">{html_text(each)}</th>' for each in headings)
    body = []
    for row in listed[:MOST_ROWS]:
        cells = [_shortened(each) for each in (row[:-1] if drawn else row)] + ([row[-1]] if drawn else [])
        body.append("<tr>" + "".join(f'<td style="{_LINE};text-align:left">{cell}</td>' for cell in cells) + "</tr>")
    more = len(listed) - MOST_ROWS
    note = f'<div style="opacity:.75">and {more} more</div>' if more > 0 else ""
    return f'<table style="border-collapse:collapse;margin:0 0 8px"><tr>{head}</tr>{"".join(body)}</table>{note}'


def sentences(words: Iterable[str]) -> str:
    """Sentences one below the other."""
    return "".join(f'<div style="max-width:40em;margin:2px 0">{_shortened(each)}.</div>' for each in words)


def _shortened(words: str) -> str:
    text = " ".join(words.split()) if "\n" not in words.strip() else words.replace("\n", "; ")
    return html_text(text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 3] + "...")


def arm_card(arm: Arm) -> str:
    """An arm, unbent, and what it is."""
    shown = {name: fact for name, fact in arm_facts(arm).items() if name not in ("arm", "sections")}
    if not any(arm.base_rotation):
        del shown["base rotation"]
    headings = [f"{name}, {unit}" if unit else name for name, unit in SECTION_COLUMNS.items()]
    sections = plain_table(headings, section_rows(arm))
    return card(arm_words(arm), arm_svg(arm, np.zeros(3 * arm.n)), facts_table(shown), sections)


def curve_svg(values: Floats) -> str:
    """A curve as high as its cell about zero: values (k,), from -1 to 1."""
    x = np.linspace(1, WIDE - 1, len(values))
    y = HIGH / 2 - (HIGH / 2 - 1.5) * np.clip(values, -1, 1)
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))
    zero = f'<path d="M0 {HIGH / 2}H{WIDE}" stroke="currentColor" opacity=".25"/>'
    return _cell(f'{zero}<polyline points="{points}" fill="none" stroke="{SKY}" stroke-width="1.3"/>')


def interval_svg(low: float, value: float, high: float, half: float) -> str:
    """An interval about a value, on a scale from value - half to value + half; one that reaches beyond is cut off."""
    if not (np.isfinite([low, value, high]).all() and half > 0):
        return _cell("")
    left, right = (float(np.clip(WIDE / 2 * (1 + (end - value) / half), 1, WIDE - 1)) for end in (low, high))
    line = f'<path d="M{left:.1f} {HIGH / 2}H{right:.1f}" stroke="{SKY}" stroke-width="4" opacity=".8"/>'
    return _cell(f'{line}<circle cx="{WIDE / 2}" cy="{HIGH / 2}" r="3" fill="currentColor"/>')


def _cell(drawn: str) -> str:
    size = f'width="{WIDE}" height="{HIGH}" viewBox="0 0 {WIDE} {HIGH}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} style="vertical-align:middle">{drawn}</svg>'
