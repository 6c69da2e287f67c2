"""Tables of comma-separated values as laboratories write them."""

from __future__ import annotations

import array
import csv
import io
import math
import os
import zlib
from collections.abc import Collection, Iterable, Iterator, Sequence

import numpy as np

from continuarm.common.files import content
from continuarm.common.number_checks import Floats
from continuarm.common.text import short

MOST_BYTES = 200_000_000
"""Of a table: hours of a laboratory's sensors, and short of exhausting the memory."""

MOST_COLUMNS = 100_000
LONGEST_LINE = 4_000_000

_NO_TABLE = "is not a table of comma-separated values"
_GZIP = b"\x1f\x8b"


def table_lines(path: str | os.PathLike[str]) -> Iterator[tuple[int, list[str]]]:
    """The lines of a table by their numbers, as cells; empty ones and those that begin with # are left out.

    Cells are separated by commas, semicolons or tabs, whichever the first line has most of; where it is not the comma,
    a comma in a number is a decimal one. What gzip packed is unpacked. ValueError says why a file cannot be read, in
    words that go after its name.
    """
    between, width, count = "", 0, 0
    for number, line in _lines(path):
        if not between:
            between = max(",;\t", key=line.count)
        if line.count(between) > MOST_COLUMNS:
            raise ValueError(f"line {number} has more than {MOST_COLUMNS} cells")
        try:
            cells = [cell.strip() for cell in next(csv.reader([line], delimiter=between))]
        except csv.Error as error:
            raise ValueError(f"{_NO_TABLE}: line {number}: {error}") from None
        if not count and len(cells) > 1 and not cells[-1]:  # every line ends with a separator
            width = len(cells)
        if len(cells) == width and not cells[-1]:
            del cells[-1]
        if count and between != ",":
            cells = [cell.replace(",", ".") for cell in cells]
        yield number, cells
        count += 1
    if count < 2:
        raise ValueError("must have a header and at least one row")


def table_numbers(
    lines: Iterable[tuple[int, list[str]]], scales: Sequence[float], gaps: Collection[str] = ()
) -> tuple[Floats, list[int]]:
    """The numbers of rows times the scales of their columns, (k, columns), and the numbers of their lines.

    gaps: what stands, in small letters, for a number that is missing, NaN. Numbers that are too large are infinite.
    """
    width = len(scales)
    found, numbers = array.array("d"), []
    for number, cells in lines:
        if len(cells) != width:
            raise ValueError(f"line {number} has {len(cells)} cells: must have {width}, as the header")
        try:
            found.extend(list(map(float, cells)))
        except ValueError:
            found.extend(_with_gaps(number, cells, gaps))
        numbers.append(number)
    with np.errstate(over="ignore"):
        return np.frombuffer(found).reshape(-1, width) * np.array(scales), numbers


def _unpacked(packed: bytes) -> bytes:
    """What gzip packed, at most so many bytes as a table may have: a small file can hold very much."""
    found = bytearray()
    while packed[:2] == _GZIP:  # there may be several parts
        part = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
        try:
            found += part.decompress(packed, MOST_BYTES + 1 - len(found))
        except zlib.error:
            raise ValueError(f"{_NO_TABLE}: it begins as gzip does and cannot be unpacked") from None
        if len(found) > MOST_BYTES:
            raise ValueError(f"is longer than {MOST_BYTES} bytes when unpacked")
        if not part.eof:
            raise ValueError(f"{_NO_TABLE}: it is packed by gzip and not complete")
        packed = part.unused_data
    return bytes(found)


def _with_gaps(number: int, cells: list[str], gaps: Collection[str]) -> list[float]:
    try:
        return [math.nan if cell.lower() in gaps else float(cell) for cell in cells]
    except ValueError:
        allowed = f"must be {len(cells)} numbers{', or empty cells for gaps' if gaps else ''}"
        raise ValueError(f"line {number} is {short(cells)}: {allowed}") from None


def _lines(path: str | os.PathLike[str]) -> Iterator[tuple[int, str]]:
    found = content(path, MOST_BYTES)
    if found[:2] == _GZIP:
        found = _unpacked(found)
    if found[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise ValueError(f"{_NO_TABLE}: it is UTF-16 text: must be UTF-8")
    try:
        for number, line in enumerate(io.TextIOWrapper(io.BytesIO(found), encoding="utf-8-sig"), start=1):
            if len(line) > LONGEST_LINE:
                raise ValueError(f"line {number} is longer than {LONGEST_LINE} characters")
            if line.strip() and line.lstrip()[0] != "#":
                yield number, line
    except UnicodeDecodeError:
        raise ValueError(f"{_NO_TABLE}: it is not UTF-8 text") from None
