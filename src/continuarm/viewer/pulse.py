"""A thread that does something again and again."""

from __future__ import annotations

import threading
from collections.abc import Callable

LONGEST_WAIT = 60.0
"""How long the end of one call is waited for, s: calls take milliseconds, but a busy machine may not let them run."""


class Pulse:
    """A thread that calls a function again and again until it is closed; what goes wrong in it is reported."""

    def __init__(self, function: Callable[[threading.Event], None], name: str) -> None:
        self.failure: BaseException | None = None
        self._function, self._ended = function, threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            while not self._ended.is_set():
                self._function(self._ended)
        except Exception as error:
            self.failure = error
            self._ended.set()

    def wait(self, seconds: float | None = None) -> bool:
        """Waits until it has ended, or for some time; whether it has ended."""
        return self._ended.wait(seconds)

    def close(self) -> None:
        """Ends it and waits for what it is doing: a thread left inside compiled code would abort the program's end."""
        self._ended.set()
        if self._thread is not threading.current_thread():
            self._thread.join(LONGEST_WAIT)
