"""What objects show of themselves in a notebook: a picture beside tables, in the colours of the page.

Notebooks have no style sheet of ours: every element carries its own style, and takes ink and ground from the page.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.arms.summary import SECTION_COLUMNS, arm_facts, arm_words, section_rows
from continuarm.common.html_page import html_text
from continuarm.drawing.svg import arm_svg

MOST_ROWS = 12
"""Of a table: beyond it, how many more there are."""
LONGEST_TEXT = 300
"""Letters of other people's text."""
_LINE = "border-bottom:1px solid #8884;padding:2px 8px"


def card(title: str, picture: str, *parts: str) -> str:
    """A title in plain words, a picture as HTML beside or above other pieces of HTML."""
    heading = f'<div style="font-weight:600;margin-bottom:4px">{html_text(title)}</div>'
    beside = f'<div style="flex:none">{picture}</div>' if picture else ""
    words = f'<div style="min-width:16em">{heading}{"".join(parts)}</div>'
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
