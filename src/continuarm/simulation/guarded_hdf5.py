"""Numbers and texts of an HDF5 file that others wrote or changed, read in a process of its own.

The HDF5 library believes what it reads. Damaged files make it run in circles, crash, or ask for more memory than there
is; ill-meant ones make it read other files: external storage, external links, virtual datasets. So it reads in a child
process (`hdf5_child`), which has little time and memory, can open no other file, and is asked for plain numbers and
texts alone. The time is that of the processor, so that a busy machine refuses nothing. Where the system knows no such
limits, as on Windows, the time is that of the clock, and what the file refers to is refused by its kind only.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from continuarm.common.number_checks import Floats

SIGNATURE = b"\x89HDF\r\n\x1a\n"

DEFLATE = 1100
"""Bytes that one byte may stand for: the compression that all HDF5 libraries know makes no more of it."""

_LONGEST_LINE = 1 << 30
_CLOCK, _BYTES_A_SECOND = 60.0, 1e6  # of a very busy machine
_START = "import json, runpy, sys; sys.path[:] = json.loads(sys.argv[1]); runpy.run_path(sys.argv[2], {}, '__main__')"
_WATCHDOG = 1  # what a child answers that ends itself because its time is over
_CHANGED = "is not as continuarm wrote it"


def is_hdf5(file: BinaryIO) -> bool:
    """Whether a file begins as HDF5 files do, or has such a beginning after 512, 1024, ... bytes of something else."""
    size = file.seek(0, os.SEEK_END)
    place = 0
    while place < size:
        file.seek(place)
        if file.read(len(SIGNATURE)) == SIGNATURE:
            return True
        place = max(512, 2 * place)
    return False


def missing_bytes(file: BinaryIO) -> int:
    """How many bytes are missing at the end of a file, by what its HDF5 header says; 0 where it says nothing."""
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    head = file.read(64)
    places = {0: 40, 1: 44, 2: 28, 3: 28}  # of the end, by the version of the header
    if len(head) < 64 or head[:8] != SIGNATURE or head[8] not in places:
        return 0
    place = places[head[8]]
    return max(0, int.from_bytes(head[place : place + 8], "little") - size)


class GuardedHdf5:
    """Texts (attributes of the file) and variables (datasets of real numbers) by name; a context manager.

    most_text: how many characters a text may have.
    ValueError says what is wrong with the file, in words that go after "is damaged: ".
    """

    def __init__(
        self, path: str | os.PathLike[str], texts: Sequence[str], variables: Sequence[str], most_text: int
    ) -> None:
        self._size = os.path.getsize(path)
        wanted = {"texts": list(texts), "variables": list(variables), "most_text": most_text}
        self._child = _start(Path(path), wanted)
        self._clock = threading.Timer(_CLOCK + self._size / _BYTES_A_SECOND, self._child.kill)
        self._clock.daemon = True
        try:
            self._clock.start()
            found = self._answer()
            self._texts, self._shapes = found["texts"], found["shapes"]
            self._check_sizes()
        except BaseException:
            self.close()
            raise

    def text(self, name: str) -> str | None:
        """A text of the file, None if it has none of that name."""
        found: Any = self._texts[name]
        if isinstance(found, dict):
            raise ValueError(f"the attribute {name} {found['problem']}")
        return None if found is None else str(found)

    def count(self, name: str) -> int:
        """How many rows a variable has that has one number in each."""
        shape = self._shape(name)
        if len(shape) != 1:
            raise ValueError(f"{name} has shape {shape}: must have one number a row")
        return shape[0]

    def numbers(self, name: str, shape: tuple[int, ...]) -> Floats:
        """A variable of that shape."""
        if self._shape(name) != shape:
            raise ValueError(f"{name} has shape {self._shape(name)}: must be {shape} for its arm and time")
        values = np.empty(shape, "<f8")
        with contextlib.suppress(OSError):  # it is gone: its end says why
            self._child.stdin.write(f"{name}\n".encode())
            self._child.stdin.flush()
        self._answer()
        if self._child.stdout.readinto(values.reshape(-1).view(np.uint8).data) != values.nbytes:
            raise ValueError(self._end())
        return values.astype(float, copy=False)

    def close(self) -> None:
        """Ends the child, whatever it does."""
        self._clock.cancel()
        self._child.kill()
        with contextlib.suppress(OSError):
            self._child.communicate()

    def __enter__(self) -> GuardedHdf5:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _shape(self, name: str) -> tuple[int, ...]:
        found = self._shapes[name]
        if isinstance(found, dict):
            raise ValueError(f"the variable {name} {found['problem']}")
        return tuple(found)

    def _check_sizes(self) -> None:
        """Before any number is read: a small file does not hold very many."""
        size = 8 * sum(math.prod(shape) for shape in self._shapes.values() if isinstance(shape, list))
        if size > DEFLATE * self._size:
            raise ValueError(f"its {self._size} bytes claim to be {size} bytes of numbers")

    def _answer(self) -> dict[str, Any]:
        """One line of the child."""
        line = self._child.stdout.readline(_LONGEST_LINE)
        if not line.endswith(b"\n"):
            raise ValueError(self._end())
        found: dict[str, Any] = json.loads(line)
        if "problem" in found:
            raise ValueError(found["problem"])
        return found

    def _end(self) -> str:
        """How the child came to its end before it was asked to."""
        try:
            code = self._child.wait(_CLOCK)
        except subprocess.TimeoutExpired:  # it still runs, and says nothing that can be understood
            code = 0
        if code in (-signal.SIGKILL, -signal.SIGPROF) if os.name == "posix" else code == _WATCHDOG:
            return "the HDF5 library finds no end in it"
        return "the HDF5 library fails on it" if code < 0 else f"it {_CHANGED}, and looking at it failed"


def _start(path: Path, wanted: dict[str, Any]) -> Any:
    if getattr(sys, "frozen", False) or not sys.executable:
        raise ValueError(f"it {_CHANGED}, and there is no Python here to look at it with care")
    forgotten = ("HDF5_DRIVER", "HDF5_VOL_CONNECTOR", "HDF5_PLUGIN_PATH")
    kept = {name: value for name, value in os.environ.items() if name not in forgotten}
    kept |= dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    kept["HDF5_PLUGIN_PRELOAD"] = "::"  # which stands for no plug-ins at all
    packages = json.dumps([each for each in sys.path if each])
    script = Path(__file__).with_name("hdf5_child.py")
    command = [sys.executable, "-I", "-S", "-c", _START, packages, str(script), os.path.abspath(path)]
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [*command, json.dumps(wanted)], stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, env=kept
    )
