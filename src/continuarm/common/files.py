"""Files: what may be read and how much of it, where something may be written, written whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
import time
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from continuarm.common.file_locks import claimed, temporary_name
from continuarm.common.text import printable, short, shown

BINARY = getattr(os, "O_BINARY", 0)
DO_NOT_WAIT = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
"""Opening a pipe waits for a writer otherwise."""

NOBODY, SILENCE = 0.3, 30.0
"""Seconds to wait for somebody who writes to a pipe, and then for what he writes."""

_PAUSE = 0.01

_NOT_A_FILE = (
    (stat.S_ISDIR, "folder"),
    (stat.S_ISFIFO, "pipe"),
    (stat.S_ISSOCK, "socket"),
    (stat.S_ISCHR, "device"),
    (stat.S_ISBLK, "device"),
)


def file_name(path: object) -> str:
    """The name of a file as messages show it; ValueError where it is no name at all."""
    text = os.fspath(path) if isinstance(path, os.PathLike) else path
    if not isinstance(text, str) or not text:
        raise ValueError(f"path = {short(path)}: must be the name of a file")
    return shown(text)


# Reading: a refusal is a ValueError in words that go after the name of the file


def opened(path: str | os.PathLike[str]) -> BinaryIO:
    """An ordinary file, open for reading: folders, devices, pipes and sockets are refused, and none is waited for."""
    return os.fdopen(_descriptor(path, pipes=False), "rb")


def content(path: str | os.PathLike[str], most: int) -> bytes:
    """All bytes of an ordinary file or a pipe, at most so many.

    A pipe, as the shell makes of `<(command)`, is read to its end. One that nobody writes to is refused at once, one
    that stays silent after half a minute.
    """
    with os.fdopen(_descriptor(path, pipes=True), "rb", buffering=0) as file:
        about = os.fstat(file.fileno())
        is_pipe = stat.S_ISFIFO(about.st_mode)
        if not is_pipe and about.st_size > most:
            raise ValueError(f"is longer than {most} bytes")
        try:
            found = _from_pipe(file.fileno(), most) if is_pipe else _from_file(file.fileno(), most)
        except OSError as error:
            raise ValueError(f"cannot be read: {cause(error)}") from None
    if len(found) > most:
        raise ValueError(f"is longer than {most} bytes")
    return found


def _descriptor(path: str | os.PathLike[str], pipes: bool) -> int:
    try:
        descriptor = os.open(path, os.O_RDONLY | BINARY | DO_NOT_WAIT)
    except FileNotFoundError:
        raise ValueError("there is no such file") from None
    except (OSError, ValueError) as error:  # ValueError: no system has such a name
        if getattr(error, "errno", None) == errno.ENXIO:
            raise ValueError("is a socket, not a file") from None
        if os.path.isdir(path):  # Windows does not open folders
            raise ValueError("is a folder, not a file") from None
        raise ValueError(f"cannot be read: {cause(error)}") from None
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode) or (pipes and stat.S_ISFIFO(mode)):
        return descriptor
    os.close(descriptor)
    raise ValueError(f"is a {next((name for is_so, name in _NOT_A_FILE if is_so(mode)), 'device')}, not a file")


def _from_file(descriptor: int, most: int) -> bytes:
    """To its end, or one byte too many: some files of the system do not say how long they are."""
    found = bytearray()
    while len(found) <= most:
        part = os.read(descriptor, min(1 << 20, most + 1 - len(found)))
        if not part:
            break
        found += part
    return bytes(found)


def _from_pipe(descriptor: int, most: int) -> bytes:
    found, waited = bytearray(), 0.0
    while len(found) <= most:
        try:
            part: bytes | None = os.read(descriptor, 1 << 16)
        except BlockingIOError:
            part = None  # somebody has it open and may still write
        if part:
            found += part
            waited = 0.0
        elif part is not None and found:
            break
        elif waited > (SILENCE if part is None else NOBODY):
            raise ValueError("is a pipe that nobody writes to" if part is not None else "is a pipe that stays silent")
        else:
            time.sleep(_PAUSE)
            waited += _PAUSE
    return bytes(found)


# Writing


def output_path(path: str | os.PathLike[str], suffixes: Sequence[str] = ()) -> Path:
    """The file that would be written to, links followed; ValueError says why it cannot be. Best asked before a run.

    A rename would put a file in place of anything: only of a file that may be written, or of nothing. No suffixes: any.
    """
    name = file_name(path)
    try:
        place = Path(os.path.realpath(path))
        folder, is_there = place.parent, place.exists()
        if place.is_symlink():
            raise OSError(errno.ELOOP, "links lead in a circle")
    except (OSError, ValueError) as error:  # no system has such a name
        raise ValueError(f"{name}: cannot be written: {cause(error)}") from None
    allowed = suffixes[0] if len(suffixes) == 1 else f"one of {', '.join(suffixes)}"
    for is_so, sentence in (
        (place.is_dir(), "is a folder, not a file"),
        (bool(suffixes) and place.suffix.lower() not in suffixes, f"the suffix must be {allowed}"),
        (not folder.is_dir(), f"the folder '{shown(folder)}' does not exist"),
        (is_there and not place.is_file(), "is a device, not a file"),
        (is_there and not os.access(place, os.W_OK), "is read-only"),
        (not os.access(folder, os.W_OK | os.X_OK), f"the folder '{shown(folder)}' is read-only"),
    ):
        if is_so:
            raise ValueError(f"{name}: {sentence}")
    return place


def output_folder(folder: str | os.PathLike[str]) -> Path:
    """A folder to write into, made where it is missing; ValueError says why it cannot be."""
    place = Path(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
        if not os.access(place, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except (OSError, ValueError) as error:  # ValueError: no system has such a path
        raise ValueError(f"{shown(folder)}: cannot be written into: {cause(error)}") from None
    return place


@contextlib.contextmanager
def beside(target: Path, *, durable: bool = True, owner: Path | None = None) -> Iterator[Path]:
    """A name beside the target to write to, renamed to it at the end: all of it or, after a fault, what was there.

    It has the permissions of what was there. durable: its bytes are on the disk before its name is. owner: the file
    whose next run removes what a killed one left; the target itself if left out.
    """
    new = target.with_name(temporary_name(owner or target, f"-{uuid.uuid4().hex}.tmp"))
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
    """As `beside`, by one run at a time; what the system refuses is a ValueError of one sentence."""
    try:
        with claimed(target, again=True), beside(target) as new:
            yield new
    except OSError as error:
        raise ValueError(f"{shown(target)}: cannot be written: {cause(error)}") from None


def cause(error: Exception) -> str:
    """What the system or a library says, on one line."""
    if isinstance(error, OSError) and error.errno:
        return os.strerror(error.errno)
    return printable(" ".join(str(error).split())) or type(error).__name__
