"""The child process of `guarded_hdf5`: reads plain numbers and texts of one HDF5 file, and can open no other.

Runs as a script, with the file and the names of what is wanted; imports nothing of this package. It writes a line of
JSON: {"texts": {name: text, None or {"problem": why not}}, "shapes": {name: shape or {"problem": why not}}}, or
{"problem": why nothing can be read}. For every name that comes on its standard input it then writes such a line, {}
or a problem, and the numbers of this variable.
"""

from __future__ import annotations

import faulthandler
import json
import os
import signal
import sys
from typing import Any

import h5py  # type: ignore[import-untyped]
import numpy as np

if sys.platform != "win32":
    import resource

SECONDS = 0.3
"""Of the processor: what is in a file of an arm of some sections is found in a hundredth of it."""

BYTES_A_SECOND = 3e7
"""Of texts and numbers, on a slow machine."""

MEMORY = 1 << 29
"""Bytes beyond what the libraries take when they are loaded, and beyond the numbers that are read."""

FILTERS = {1, 2, 3, 32000}
"""Of compressed numbers: deflate, shuffle, Fletcher's checksum, LZF. All others are plug-ins."""

LAYOUTS = {h5py.h5d.COMPACT, h5py.h5d.CONTIGUOUS, h5py.h5d.CHUNKED}
"""How numbers lie in the file itself."""


class Limits:
    """How much time and memory the HDF5 library has."""

    def __init__(self) -> None:
        self.loaded: int | None = None
        if sys.platform == "win32":
            self.nothing = open(os.devnull, "w", encoding="ascii")  # noqa: SIM115 (it stays open to the end)
            return
        for each in (resource.RLIMIT_CORE, resource.RLIMIT_FSIZE):
            _lower(each, 0)
        if os.path.exists("/proc/self/statm"):
            with open("/proc/self/statm", encoding="ascii") as file:
                self.loaded = int(file.read().split()[0]) * resource.getpagesize()

    def allow(self, seconds: float, numbers: int) -> None:
        """From now on so much time of the processor, and memory for so many bytes of numbers."""
        if sys.platform == "win32":
            faulthandler.dump_traceback_later(20 * seconds, exit=True, file=self.nothing)
            return
        signal.setitimer(signal.ITIMER_PROF, seconds)
        if self.loaded is not None:
            _lower(resource.RLIMIT_AS, self.loaded + MEMORY + 3 * numbers)

    def open_nothing_more(self) -> None:
        """Whatever the file refers to: other files, plug-ins."""
        if sys.platform != "win32":
            _lower(resource.RLIMIT_NOFILE, 0)


def _lower(limit: int, most: int) -> None:
    if sys.platform == "win32":
        return
    _, highest = resource.getrlimit(limit)
    resource.setrlimit(limit, (most if highest == resource.RLIM_INFINITY else min(most, highest), highest))


def main() -> None:
    """Answers until nobody asks any more."""
    path, wanted = sys.argv[3], json.loads(sys.argv[4])
    limits = Limits()
    most_text = wanted["most_text"]
    limits.allow(SECONDS + min(os.path.getsize(path), 2 * most_text) / BYTES_A_SECOND, 0)
    try:
        file = h5py.File(path, "r", locking=False)
        limits.open_nothing_more()
        datasets = {name: plain_dataset(file, name) for name in wanted["variables"]}
        texts = {name: plain_text(file, name, most_text) for name in wanted["texts"]}
        shapes = {name: found if isinstance(found, dict) else found.shape for name, found in datasets.items()}
    except Exception as error:  # of a damaged file, the library raises anything
        tell(problem(error))
        return
    tell({"texts": texts, "shapes": shapes})
    for line in sys.stdin:
        found = datasets[line.strip()]
        size = 8 * int(np.prod(found.shape))
        limits.allow(SECONDS + size / BYTES_A_SECOND, size)
        try:
            values = np.zeros(found.shape, "<f8")
            if values.size:
                found.read(h5py.h5s.ALL, h5py.h5s.ALL, values)
        except Exception as error:
            tell(problem(error))
            return
        tell({})
        sys.stdout.buffer.write(values.reshape(-1).view(np.uint8).data)
        sys.stdout.buffer.flush()


def tell(answer: dict[str, Any]) -> None:
    """One line."""
    sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
    sys.stdout.buffer.flush()


def problem(words: object) -> dict[str, str]:
    """Why something is not read."""
    text = " ".join(str(words).split()) or type(words).__name__
    return {"problem": text[:500]}


def plain_dataset(file: Any, name: str) -> Any:
    """A dataset of real numbers that lie in the file itself; or a problem. No number is read."""
    key = name.encode()
    if not file.id.links.exists(key):
        return problem("is missing")
    if file.id.links.get_info(key).type != h5py.h5l.TYPE_HARD:
        return problem("is a link: must be in the file itself")
    found = h5py.h5o.open(file.id, key)
    if not isinstance(found, h5py.h5d.DatasetID):
        return problem("does not hold rows of numbers")
    made = found.get_create_plist()
    if made.get_layout() not in LAYOUTS or made.get_external_count():
        return problem("refers to another file: must be in the file itself")
    unknown = {made.get_filter(k)[0] for k in range(made.get_nfilters())} - FILTERS
    if unknown:
        return problem(f"is compressed by the filter {min(unknown)}: must be deflate or none")
    kind = found.get_type()
    if type(kind) is not h5py.h5t.TypeFloatID or kind.committed() or kind.get_size() > 8 or not found.rank:
        return problem("does not hold rows of numbers")
    return found


def plain_text(file: Any, name: str, most: int) -> Any:
    """A text, None, or a problem; other programs that wrote the file again may have made bytes of it, or a list."""
    key = name.encode()
    if not h5py.h5a.exists(file.id, key):
        return None
    found = h5py.h5a.open(file.id, key)
    kind, space = found.get_type(), found.get_space()
    if type(kind) is not h5py.h5t.TypeStringID or kind.committed() or kind.get_size() > most:
        return problem("is not text")
    if space.get_simple_extent_type() == h5py.h5s.NULL:
        return ""
    if space.get_simple_extent_npoints() != 1:
        return problem("is not text")
    value = np.asarray(file.attrs[name]).reshape(-1)[0]
    text = bytes(value).decode() if isinstance(value, bytes) else str(value)
    return text if len(text) <= most else problem("is too long")


if __name__ == "__main__":
    main()
