"""Ctrl-C during long work: the first ends it where nothing is lost, the second ends it at once."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

__all__ = ["Interruption", "RaisedInterrupts", "deferred_interruption", "uninterrupted"]


class Interruption:
    """Whether Ctrl-C was pressed, and what it may end.

    Work that may be left unfinished is inside `ends()`, and calls `check()` wherever it can stop, from any thread. What
    is outside goes on; it finds in `accepted` whether such work was ended, and in `asked` whether a Ctrl-C still waits.
    """

    def __init__(self) -> None:
        self.asked = False
        self.accepted = False
        self.insisted = False
        self._may_end = 0

    @contextlib.contextmanager
    def ends(self) -> Iterator[None]:
        """Work that a Ctrl-C ends, or any KeyboardInterrupt in it; what comes after the block goes on."""
        self._may_end += 1
        try:
            yield
            self.check()
        except KeyboardInterrupt:
            if self.insisted:
                raise
            self.asked, self.accepted = False, True
        finally:
            self._may_end -= 1

    def check(self) -> None:
        """Raises KeyboardInterrupt if Ctrl-C was pressed and the work may end here."""
        if self.insisted or (self.asked and self._may_end):
            raise KeyboardInterrupt

    def pressed(self) -> bool:
        """Notes that Ctrl-C was pressed; whether it may wait, as the first may and the second not."""
        if self.asked or self.accepted:
            self.insisted = True
        self.asked = True
        return not self.insisted


class RaisedInterrupts:
    """Python's own handler of Ctrl-C, which remembers whether there was one.

    A KeyboardInterrupt while an extension module is imported may come out as another error.
    """

    def __init__(self) -> None:
        self.any = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        self.any = True
        signal.default_int_handler(number, frame)


@contextlib.contextmanager
def deferred_interruption(at_first: Callable[[], object] = lambda: None) -> Iterator[Interruption]:
    """Until the end of the block the first Ctrl-C is only noted, and `at_first` called; the second raises at once.

    Inside another such block it is that of the other. Elsewhere than in the main thread, which alone gets signals, and
    where the program has a handler of its own, KeyboardInterrupt comes as ever.
    """
    before: Any = signal.getsignal(signal.SIGINT)
    outer = getattr(before, "interruption", None)
    if isinstance(outer, Interruption) and threading.current_thread() is threading.main_thread():
        yield outer
        return
    interruption = Interruption()
    raises = before is signal.default_int_handler or isinstance(before, RaisedInterrupts)
    if not raises or threading.current_thread() is not threading.main_thread():
        yield interruption
        return

    def handler(number: int, frame: FrameType | None) -> None:
        if interruption.pressed():
            at_first()
        else:
            before(number, frame)

    handler.interruption = interruption  # type: ignore[attr-defined]
    signal.signal(signal.SIGINT, handler)
    try:
        yield interruption
    finally:
        signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Short work in a library that a Ctrl-C would leave in disorder: it comes after the block."""
    with deferred_interruption() as interruption:
        yield
    if interruption.asked and not hasattr(signal.getsignal(signal.SIGINT), "interruption"):
        raise KeyboardInterrupt
