"""What the commands print: plain tables, JSON, progress. Rich is imported only when there is something to show."""

from __future__ import annotations

import contextlib
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from continuarm.common.file_locks import claimed
from continuarm.common.text import printable

if TYPE_CHECKING:
    from rich.table import Table


def new_table(*columns: str, headings: bool = True) -> Table:
    """A table without lines, to be filled with rows of text; what a terminal would obey is shown as escapes."""
    from rich.table import Table

    class PrintableTable(Table):
        def add_row(self, *cells: Any, **options: Any) -> None:
            super().add_row(*("\n".join(map(printable, cell.split("\n"))) for cell in cells), **options)

    table = PrintableTable(box=None, show_header=headings, pad_edge=False, padding=(0, 2, 0, 0))
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def one_line(text: str) -> str:
    """Other people's text on one line, without control characters."""
    return printable(" ".join(text.split()))


def show(*tables: Table) -> None:
    """Prints tables with an empty line between them."""
    from rich.console import Console

    # Names and descriptions are other people's text: no markup, no emoji, nothing to highlight.
    console = Console(markup=False, emoji=False, highlight=False)
    for i, table in enumerate(tables):
        if i:
            console.print()
        console.print(table)


MOST_NAMES = 6


def some_of(words: Sequence[str]) -> str:
    """The first of some words, and how many more there are."""
    more = len(words) - MOST_NAMES
    return ", ".join(words[:MOST_NAMES]) + (f" and {more} more" if more > 0 else "")


def warn(sentence: str) -> None:
    """Says something that the user should know, on standard error."""
    print(f"warning: {printable(sentence)}", file=sys.stderr)


def show_json(value: Any) -> None:
    """Prints a value as JSON, in letters that the output has; those that a terminal would obey become escapes."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    try:
        text.encode(sys.stdout.encoding)
    except UnicodeEncodeError:
        text = json.dumps(value, indent=2)
    print("\n".join(line if line.isprintable() else "".join(map(_json_letter, line)) for line in text.split("\n")))


def _json_letter(letter: str) -> str:
    if letter.isprintable():
        return letter
    return f"\\u{ord(letter):04x}" if letter < "\U00010000" else json.dumps(letter)[1:-1]


_claims = contextlib.ExitStack()


def claim(place: Path) -> Path:
    """Keeps other runs from writing a file until this command ends; ValueError if one does already."""
    _claims.enter_context(claimed(place))
    return place


def release() -> None:
    """Other runs may write what was claimed."""
    _claims.close()


PATIENCE = 0.5
"""Seconds that a run may take before it shows how far it is."""


@contextlib.contextmanager
def progress_bar(what: str) -> Iterator[Callable[..., None] | None]:
    """What to tell the share done, from 0 to 1, and a few words if there are any.

    Drawn on standard error if that is a terminal, and gone at the end.
    """
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    begin = time.monotonic()
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    task = bar.add_task(what, total=1.0)

    def tell(share: float, words: str = "") -> None:
        bar.update(task, completed=share, description=f"{what}, {words}" if words else what)
        if not bar.live.is_started and time.monotonic() - begin > PATIENCE:
            bar.start()

    try:
        yield tell
    finally:
        if bar.live.is_started:
            bar.stop()
