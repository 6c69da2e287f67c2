"""A sweep on disk: sweep.nc when it is complete, and sweep.nc.parts with all that is done until then.

The parts are records one after the other: length, checksum, and as much of a part as JSON holds before its numbers. A
record that a killed run left unfinished at the end is cut off. Both files say which sweep they are of; those of another
are refused, and not touched.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np

from continuarm.common.file_locks import claimed
from continuarm.common.files import beside, cause, opened, output_path
from continuarm.common.interruption import uninterrupted
from continuarm.common.text import shown
from continuarm.simulation.guarded_hdf5 import GuardedHdf5, is_hdf5
from continuarm.simulation.motion_index import MOST_TEXT
from continuarm.sweeps.identity import differences
from continuarm.sweeps.layout import FORMAT, Swept, netcdf_bytes, read_failures, read_layout
from continuarm.sweeps.points import Points
from continuarm.sweeps.tasks import Part

SUFFIXES = (".nc", ".nc4", ".h5")

_HEAD = struct.Struct("<8sQI")
_MARK = b"sweeping"
_MOST_BYTES = 1 << 34  # of a record; more is a damage


def check_sweep_path(path: str | os.PathLike[str]) -> Path:
    """The file that a sweep would be written to, links followed; ValueError says why it cannot be."""
    return output_path(path, SUFFIXES)


def parts_path(path: Path) -> Path:
    """Where the parts of an unfinished sweep are: sweep.nc.parts of sweep.nc."""
    return path.with_name(f"{path.name}.parts")


class SweepFile:
    """The file of a sweep, which no other run can write at the same time; a context manager."""

    def __init__(self, path: str | os.PathLike[str], identity: Mapping[str, str]) -> None:
        self.path = check_sweep_path(path)
        self.parts = parts_path(self.path)
        self._identity = dict(identity)
        self._held = contextlib.ExitStack()
        self._file: IO[bytes] | None = None
        self._is_empty = False

    def __enter__(self) -> SweepFile:
        self._held.enter_context(claimed(self.path))
        return self

    def __exit__(self, *_: object) -> None:
        """Parts stay, unless there are none."""
        if self._file is not None and self._is_empty:
            self.forget()
        self._held.close()

    def finished(self, points: Points, title: str) -> Swept | None:
        """The sweep of a complete file; None where there is no file, ValueError where it is of another sweep."""
        if not self.path.exists():
            return None
        try:
            return _read(self.path, self._identity, points, title)
        except _OtherSweepError as error:
            raise ValueError(f"{shown(self.path)}: {error}: must be a new file, or remove this one") from None
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise ValueError(f"{shown(self.path)}: is damaged: {cause(error)}") from None
        except OSError as error:
            raise ValueError(f"{shown(self.path)}: cannot be read: {cause(error)}") from None

    def begun(self) -> list[tuple[tuple[int, ...], Part]]:
        """The parts that another run of this sweep left; opens the file for more."""
        with self._sentence():
            file = self._held.enter_context(open(self.parts, "a+b"))  # noqa: SIM115 (the stack closes it)
            self._file = file
            file.seek(0)
            records = list(_records(file))
            if records:
                self._refuse_others(records[0][0])
            elif not _begins(file):
                hint = "must be a new file, or remove this one"
                raise ValueError(f"{shown(self.parts)}: is not what a sweep left: {hint}")
            file.truncate(records[-1][2] if records else 0)
            file.seek(0, os.SEEK_END)
            self._is_empty = len(records) <= 1
            if not records:
                self._write({"format": FORMAT, "identity": self._identity}, ())
            return [_part(about, numbers) for about, numbers, _ in records[1:]]

    def add(self, numbers: Sequence[int], part: Part) -> None:
        """One more part: it is safe from the end of the process when this returns."""
        shapes = {name: value.shape for name, value in part.values.items()}
        errors = {k: text for k, text in enumerate(part.errors) if text}
        about = {"points": list(map(int, numbers)), "shapes": shapes, "errors": errors}
        with self._sentence():
            self._write(about, part.values.values())
        self._is_empty = False

    def finish(self, swept: Swept) -> None:
        """Puts the complete file in its place, and removes the parts."""
        with self._sentence():
            with uninterrupted():  # a Ctrl-C inside the HDF5 library comes out as another error
                content = netcdf_bytes(swept)
            with beside(self.path) as new:
                new.write_bytes(content)
        self.forget()

    def forget(self) -> None:
        """Removes the parts."""
        if self._file is not None:
            self._file.close()
        with contextlib.suppress(OSError):
            self.parts.unlink()

    def _write(self, about: Mapping[str, Any], arrays: Any) -> None:
        assert self._file is not None
        line = json.dumps(about).encode() + b"\n"
        body = line + b"".join(np.ascontiguousarray(each, "<f8").tobytes() for each in arrays)
        self._file.write(_HEAD.pack(_MARK, len(body), zlib.crc32(body)) + body)
        self._file.flush()

    def _refuse_others(self, about: Mapping[str, Any]) -> None:
        changed = differences(about.get("identity", {}), self._identity)
        if changed or about.get("format") != FORMAT:
            raise ValueError(f"{shown(self.parts)}: {_other(changed)}: must be a new file, or remove this one")

    @contextlib.contextmanager
    def _sentence(self) -> Iterator[None]:
        try:
            yield
        except (OSError, RuntimeError) as error:  # RuntimeError: the HDF5 library
            raise ValueError(f"{shown(self.path)}: cannot be written: {cause(error)}") from None


class _OtherSweepError(ValueError):
    """Which sweep a file is of."""


def _other(changed: Sequence[str]) -> str:
    return f"is of another sweep, with another {', '.join(changed)}" if changed else "is of another sweep"


def _begins(file: IO[bytes]) -> bool:
    """Whether it is the beginning of parts, or empty."""
    file.seek(0)
    return _MARK.startswith(file.read(len(_MARK)))


def _records(file: IO[bytes]) -> Iterator[tuple[dict[str, Any], bytes, int]]:
    """JSON, bytes of the numbers, and where the record ends; up to the first that is not whole."""
    while True:
        head = file.read(_HEAD.size)
        if len(head) < _HEAD.size:
            return
        mark, length, check = _HEAD.unpack(head)
        if mark != _MARK or length > _MOST_BYTES or length > os.fstat(file.fileno()).st_size:
            return
        body = file.read(length)
        if len(body) < length or zlib.crc32(body) != check:
            return
        line, _, numbers = body.partition(b"\n")
        yield json.loads(line), numbers, file.tell()


def _part(about: Mapping[str, Any], numbers: bytes) -> tuple[tuple[int, ...], Part]:
    found = np.frombuffer(numbers, "<f8")
    values, begin = {}, 0
    for name, shape in about["shapes"].items():
        end = begin + math.prod(shape)
        values[name] = found[begin:end].reshape(shape).astype(float)
        begin = end
    points = tuple(about["points"])
    errors = about["errors"]
    return points, Part(values, tuple(errors.get(str(k), "") for k in range(len(points))))


def _read(path: Path, identity: Mapping[str, str], points: Points, title: str) -> Swept:
    """A complete file, by a process that can do no harm: it may come from a stranger."""
    with opened(path) as file:
        if not is_hdf5(file):
            raise _OtherSweepError("is not a NetCDF-4 file")
    with GuardedHdf5(path, ("format", "identity", "layout", "failures"), (), MOST_TEXT) as source:
        if source.text("format") != FORMAT:
            raise _OtherSweepError("is not of a sweep")
        changed = differences(json.loads(source.text("identity") or "{}"), identity)
        if changed:
            raise _OtherSweepError(_other(changed))
        variables, shapes, labels = read_layout(source.text("layout") or "")
        errors = read_failures(source.text("failures") or "{}", points.count)
    values = {}
    with GuardedHdf5(path, (), tuple(variables), MOST_TEXT) as source:
        for name, shape in shapes.items():
            values[name] = source.numbers(name, (*points.shape, *shape)).reshape(points.count, *shape)
    return Swept(points, variables, labels, values, errors, dict(identity), title)
