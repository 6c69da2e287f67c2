"""The HTML page of every report: one file that loads nothing else, light or dark as the reader's screen is."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files

from continuarm.common.text import printable

__all__ = ["html_page", "html_table", "html_text"]


def html_page(title: str, body: Iterable[str]) -> str:
    """The whole file: a title in plain words, and pieces of HTML one after the other."""
    head = (
        "<meta charset='utf-8'><meta name='viewport' content='width=device-width, initial-scale=1'>"
        f"<title>{html_text(title)}</title><style>\n{_style()}</style>"
    )
    return f"<!doctype html>\n<html lang='en'><head>{head}</head>\n<body>\n" + "\n".join(body) + "\n</body></html>\n"


def html_text(words: str) -> str:
    """Words of others on a page: escaped, and without control characters."""
    return html.escape(printable(words), quote=True)


def html_table(
    headings: Sequence[str], rows: Iterable[Sequence[str]], *, first_number: int | None = None, kind: str = ""
) -> str:
    """A table that scrolls by itself where it is wider than the page; headings and cells are HTML.

    first_number: the column from which on cells are numbers, to the right.
    kind: classes of the table; "sentences" for long cells, which narrow screens show one below the other, each with
    its heading.
    """
    numbers = len(headings) if first_number is None else first_number
    classes = ["" if k < numbers else " class='number'" for k in range(len(headings))]
    head = "".join(f"<th scope='col'{each}>{cell}</th>" for cell, each in zip(headings, classes, strict=True))
    if "sentences" in kind.split():
        classes = [f" data-heading='{_without_tags(cell)}'" for cell in headings]
    body = "".join(
        "<tr>" + "".join(f"<td{each}>{cell}</td>" for cell, each in zip(row, classes, strict=True)) + "</tr>"
        for row in rows
    )
    table = f"<table class='{kind}'>" if kind else "<table>"
    return f"<div class='scroll'>{table}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"


def _without_tags(cell: str) -> str:
    return re.sub(r"<[^>]*>", "", cell)


@cache
def _style() -> str:
    return (files("continuarm.common") / "report.css").read_text(encoding="utf-8")
