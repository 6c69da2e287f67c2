"""The index at the end of a motion file: its texts, and where its rows are, to be read without the HDF5 library.

    the HDF5 file | index, JSON | its length, and the SHA-256 of all bytes but the rows

HDF5 ends where its own header says, so that other programs do not see the index. Whatever of them changes the file
through the HDF5 library cuts it off: an index that is there but does not fit is a damage. It is no protection against
malice, and need not be: what is read here is text, and numbers from places that are in the file.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from continuarm.common.number_checks import Floats

__all__ = ["IndexedMotion", "append_index", "read_index"]

MOST_TEXT = 1 << 24
"""Characters of a text of a motion file: the description of an arm of 10,000 sections takes half of it."""

_END = struct.Struct("<16sQ32s")
_MARK = b"continuarm index"
_MOST_BYTES = 8 * MOST_TEXT  # of what is not rows: each text is there twice

Places = dict[str, tuple[int, int]]
"""First byte and number of bytes of the rows of each variable."""


class IndexedMotion:
    """A motion file that is read by its index."""

    def __init__(self, file: BinaryIO, texts: Mapping[str, str], places: Places) -> None:
        self._file, self._texts, self._places = file, texts, places

    def text(self, name: str) -> str | None:
        """A text of the file, None if it has none of that name."""
        return self._texts.get(name)

    def count(self, name: str) -> int:
        """How many rows a variable has that has one number in each."""
        return self._place(name)[1] // 8

    def numbers(self, name: str, shape: tuple[int, ...]) -> Floats:
        """A variable of that shape."""
        place, size = self._place(name)
        needed = 8 * math.prod(shape)
        if size != needed:
            raise ValueError(f"{name} has {size} bytes: must have {needed} for its arm and time")
        values = np.empty(shape, "<f8")
        self._file.seek(place)
        if self._file.readinto(values.reshape(-1).view(np.uint8).data) != size:  # type: ignore[attr-defined]
            raise ValueError(f"{name} ends before its last row")
        return values.astype(float, copy=False)

    def _place(self, name: str) -> tuple[int, int]:
        if name not in self._places:
            raise ValueError(f"the variable {name} is missing")
        return self._places[name]


def append_index(path: Path, texts: Mapping[str, str], places: Places) -> None:
    """Writes the index of a complete file at its end. The rows may be written later."""
    index = json.dumps({"texts": dict(texts), "rows": places}).encode()
    with open(path, "r+b") as file:
        end = file.seek(0, os.SEEK_END)
        hashed = _hash(file, places, end, index)
        file.seek(end)
        file.write(index + _END.pack(_MARK, len(index), hashed))


def read_index(file: BinaryIO) -> IndexedMotion | None:
    """The motion of a file that has an index, None of one that has none; ValueError if it does not fit the file."""
    size = file.seek(0, os.SEEK_END)
    if size < _END.size:
        return None
    file.seek(size - _END.size)
    mark, length, hashed = _END.unpack(file.read(_END.size))
    if mark != _MARK:
        return None
    end = size - _END.size - length
    if end < 0 or length > _MOST_BYTES:
        raise ValueError("its index does not fit it")
    file.seek(end)
    index = file.read(length)
    try:
        found = json.loads(index)
        texts, places = found["texts"], found["rows"]
        fits = _are_texts(texts) and isinstance(places, dict) and _are_places(places, end)
    except (ValueError, KeyError, TypeError, RecursionError):
        fits = False
    if not fits or hashed != _hash(file, places, end, index):
        raise ValueError("its checksum does not fit it")
    return IndexedMotion(file, texts, places)


def _are_texts(texts: Any) -> bool:
    return isinstance(texts, dict) and all(isinstance(text, str) for text in texts.values())


def _are_places(places: dict[str, Any], end: int) -> bool:
    """Within the file, of whole numbers, not twice in the same place, and not much outside them."""
    after = outside = 0
    for pair in sorted(places.values()):
        place, size = pair
        if not (type(place) is int and type(size) is int and after <= place and 0 <= size <= end - place) or size % 8:
            return False
        outside += place - after
        after = place + size
    return after <= end and outside + end - after <= _MOST_BYTES


def _hash(file: BinaryIO, places: Places, end: int, index: bytes) -> bytes:
    hashed = hashlib.sha256()
    for start, stop in _outside(places, end):
        file.seek(start)
        hashed.update(file.read(stop - start))
    hashed.update(index)
    return hashed.digest()


def _outside(places: Places, end: int) -> Iterator[tuple[int, int]]:
    after = 0
    for place, size in sorted(places.values()):
        yield after, place
        after = place + size
    yield after, end
