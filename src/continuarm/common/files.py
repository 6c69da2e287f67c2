"""Files: where something may be written, written whole or not at all, and tables as laboratories write them."""

from __future__ import annotations

import contextlib
import csv
import os
import shutil
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path

from continuarm.common.text import printable, short


def file_name(path: object) -> str:
    """The name of a file as messages show it; ValueError where it is no name at all."""
    text = os.fspath(path) if isinstance(path, os.PathLike) else path
    if not isinstance(text, str) or not text:
        raise ValueError(f"path = {short(path)}: must be the name of a file")
    return printable(text)


def output_path(path: str | os.PathLike[str], suffixes: Sequence[str] = ()) -> Path:
    """The file that would be written to, links followed; ValueError says why it cannot be. Best asked before a run.

    A rename would put a file in place of anything: only of a file that may be written, or of nothing. No suffixes: any.
    """
    name = file_name(path)
    try:
        place = Path(os.path.realpath(path))
        folder, is_there = place.parent, place.exists()
    except (OSError, ValueError) as error:  # no system has such a name
        raise ValueError(f"{name}: cannot be written: {cause(error)}") from None
    allowed = suffixes[0] if len(suffixes) == 1 else f"one of {', '.join(suffixes)}"
    for is_so, sentence in (
        (place.is_dir(), "is a folder, not a file"),
        (bool(suffixes) and place.suffix.lower() not in suffixes, f"the suffix must be {allowed}"),
        (not folder.is_dir(), f"the folder {str(folder)!r} does not exist"),
        (is_there and not place.is_file(), "is a device, not a file"),
        (is_there and not os.access(place, os.W_OK), "is read-only"),
        (not os.access(folder, os.W_OK | os.X_OK), f"the folder {str(folder)!r} is read-only"),
    ):
        if is_so:
            raise ValueError(printable(f"{name}: {sentence}"))
    return place


@contextlib.contextmanager
def beside(target: Path, durable: bool = True) -> Iterator[Path]:
    """A name beside the target to write to, renamed to it at the end: all of it or, after a fault, what was there.

    It has the permissions of what was there. durable: its bytes are on the disk before its name is.
    """
    new = target.with_name(f".{uuid.uuid4().hex}.tmp")
    try:
        yield new
        if durable:
            with open(new, "r+b") as file:
                os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, new)
        os.replace(new, target)
    finally:
        with contextlib.suppress(OSError):
            new.unlink(missing_ok=True)


@contextlib.contextmanager
def replaced(target: Path) -> Iterator[Path]:
    """As `beside`; what the system refuses is a ValueError of one sentence."""
    try:
        with beside(target) as new:
            yield new
    except OSError as error:
        raise ValueError(printable(f"{target}: cannot be written: {cause(error)}")) from None


def cause(error: Exception) -> str:
    """What the system or a library says, on one line."""
    if isinstance(error, OSError) and error.errno:
        return os.strerror(error.errno)
    return " ".join(str(error).split()) or type(error).__name__


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
