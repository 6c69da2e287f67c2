"""Who may write a file: one run at a time. A lock is held by a process and ends with it, however it ends.

The lock of run.nc is on an empty file beside it, .continuarm-<hash of its name>.lock, which is there as long as a run
is. The system takes the lock from a process that was killed; its file stays, and tells the next run that the other one
did not come to its end and may have left temporary files.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

from continuarm.common.text import shown

__all__ = ["claimed", "temporary_name"]

_FOREIGN = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)  # what others put there is not waited for
_ATTEMPTS = 100  # to lock a file that others make and remove all the time

_held: dict[Path, tuple[int, int]] = {}  # process and thread by the file that it writes
_descriptors: set[int] = set()  # of the locks that this process holds
_guard = threading.Lock()


def _leave_to_the_parent() -> None:
    """In a process that was forked: locks are its parent's, and end with it though its children live on."""
    global _guard
    for descriptor in _descriptors:
        with contextlib.suppress(OSError):
            os.close(descriptor)
    _descriptors.clear()
    _held.clear()
    _guard = threading.Lock()  # another thread of the parent may have held it


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_to_the_parent)

if sys.platform == "win32":
    import msvcrt

    _LOCK_AT = 1 << 30  # the byte is locked for all others, so it is one that nobody reads

    def _lock(descriptor: int) -> bool:
        """Whether the lock is ours now."""
        os.lseek(descriptor, _LOCK_AT, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        return True

else:
    import fcntl

    def _lock(descriptor: int) -> bool:
        """Whether the lock is ours now."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def temporary_name(target: Path, end: str) -> str:
    """A name beside the target that only its writers use: of its lock, or of a file that is not yet complete."""
    return f".continuarm-{hashlib.sha256(os.fsencode(target.name)).hexdigest()[:16]}{end}"


@contextlib.contextmanager
def claimed(target: Path, *, again: bool = False) -> Iterator[None]:
    """The right to write a file, links followed; ValueError where another run has it.

    Temporary files of a run that was killed are removed. again: the thread that has the right already may ask again.
    Folders that have no locks, as in some networks, give it to everybody.
    """
    target = Path(os.path.realpath(target))
    me = os.getpid(), threading.get_ident()
    with _guard:
        holder = _held.get(target)
        if holder is not None and (holder != me or not again):
            raise _in_use(target)
        _held[target] = me
    if holder is not None:
        yield
        return
    try:
        with _locked(target):
            yield
    finally:
        _held.pop(target, None)  # in a forked process it is gone


def _in_use(target: Path) -> ValueError:
    return ValueError(f"{shown(target)}: another run is writing it")


@contextlib.contextmanager
def _locked(target: Path) -> Iterator[None]:
    path = target.with_name(temporary_name(target, ".lock"))
    descriptor = _locked_descriptor(target, path)
    if descriptor is not None:
        _descriptors.add(descriptor)
    try:
        yield
    finally:
        if descriptor is not None and descriptor in _descriptors:
            _descriptors.discard(descriptor)
            with contextlib.suppress(OSError):  # it may be gone, and Windows removes only what is closed
                path.unlink()
            os.close(descriptor)
            if sys.platform == "win32":
                with contextlib.suppress(OSError):
                    path.unlink()


def _locked_descriptor(target: Path, path: Path) -> int | None:
    """The lock's file, open and locked; None where there are no locks."""
    for _ in range(_ATTEMPTS):
        try:
            descriptor, is_new = _open(path)
        except OSError:  # whatever keeps the lock from being made will keep the file from being written, and say why
            return None
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise OSError
            if not _lock(descriptor):
                os.close(descriptor)
                raise _in_use(target)
            ours = os.path.samestat(os.fstat(descriptor), os.stat(path))
        except FileNotFoundError:  # who had it removed it just now
            ours = False
        except OSError:  # no locks here
            os.close(descriptor)
            return None
        if ours:
            if not is_new:
                _remove_leftovers(target)
            return descriptor
        os.close(descriptor)
    raise _in_use(target)


def _open(path: Path) -> tuple[int, bool]:
    """The file, and whether it was not there before."""
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | _FOREIGN, 0o666), True
    except FileExistsError:
        pass
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | _FOREIGN, 0o666), False
    except PermissionError:  # left by somebody else, who lets it be read
        return os.open(path, os.O_RDONLY | _FOREIGN), False


def _remove_leftovers(target: Path) -> None:
    for each in target.parent.glob(temporary_name(target, "-*.tmp")):
        with contextlib.suppress(OSError):
            each.unlink()
