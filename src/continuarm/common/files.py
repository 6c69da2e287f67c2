"""Files: where something may be written, written whole or not at all, and tables as laboratories write them."""

from __future__ import annotations

import contextlib
import csv
import os
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path

from continuarm.common.text import printable


def output_path(path: str | os.PathLike[str], suffixes: Sequence[str]) -> Path:
    """The file that would be written to, links followed; ValueError says why it cannot be. Best asked before a run."""
    place, name = Path(os.path.realpath(path)), printable(str(os.fspath(path)))
    allowed = suffixes[0] if len(suffixes) == 1 else f"one of {', '.join(suffixes)}"
    for is_so, sentence in (
        (place.suffix.lower() not in suffixes, f"the suffix must be {allowed}"),
        (place.is_dir(), "is a folder, not a file"),
        (not place.parent.is_dir(), f"the folder {str(place.parent)!r} does not exist"),
        (not os.access(place.parent, os.W_OK | os.X_OK), f"the folder {str(place.parent)!r} is read-only"),
    ):
        if is_so:
            raise ValueError(f"{name}: {sentence}")
    return place


@contextlib.contextmanager
def replaced(target: Path) -> Iterator[Path]:
    """A name beside the target to write to, renamed to it at the end: all of it or, after a fault, what was there."""
    beside = target.with_name(f".{uuid.uuid4().hex}.tmp")
    try:
        yield beside
        os.replace(beside, target)
    except OSError as error:
        raise ValueError(f"{printable(str(target))}: cannot be written: {error.strerror or error}") from None
    finally:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)


def table_lines(path: str | os.PathLike[str]) -> list[tuple[int, list[str]]]:
    """The lines of a table by their numbers, as cells; empty ones and those that begin with # are left out.

    Cells are separated by commas, semicolons or tabs, whichever the first line has most of; where it is not the comma,
    a comma in a number is a decimal one. ValueError says why a file cannot be read, in words that go after its name.
    """
    place = Path(path)
    if place.is_dir():
        raise ValueError("is a folder, not a file")
    try:
        text = place.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise ValueError("there is no such file") from None
    except UnicodeDecodeError:
        raise ValueError("is not a table of comma-separated values: it is not UTF-8 text") from None
    except OSError as error:
        raise ValueError(f"cannot be read: {error.strerror or error}") from None
    lines = [(k, line) for k, line in enumerate(text.splitlines(), start=1) if line.strip() and line.lstrip()[0] != "#"]
    if len(lines) < 2:
        raise ValueError("must have a header and at least one row")
    between = max(",;\t", key=lines[0][1].count)
    try:
        rows = [(k, [cell.strip() for cell in next(csv.reader([line], delimiter=between))]) for k, line in lines]
    except csv.Error as error:
        raise ValueError(f"is not a table of comma-separated values: {error}") from None
    if all(len(row) > 1 and not row[-1] for _, row in rows):  # every line ends with a separator
        rows = [(k, row[:-1]) for k, row in rows]
    if between != ",":
        rows[1:] = [(k, [cell.replace(",", ".") for cell in row]) for k, row in rows[1:]]
    return rows
