"""News for those who look: everybody gets the newest frame when ready for it, and who is slow misses some."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import struct
from typing import Any

import numpy as np

from continuarm.common.number_checks import Floats
from continuarm.viewer.server import Exchange

FRAME, NEWS = 0, 1
"""Kinds of message: numbers, and JSON. Each begins with its length in bytes, its kind and a time, s."""
HELD = 64 * 1024
"""Bytes that may be on their way to one who looks; beyond it frames are left out."""


def message(kind: int, content: bytes, time: float = 0.0) -> bytes:
    """A message as it is sent."""
    return struct.pack("<IId", len(content), kind, time) + content


class Feed:
    """The newest frame and the newest news, for any number of pages."""

    def __init__(self) -> None:
        self.watchers: set[asyncio.Event] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        # Each with its number, in one assignment: between two, a page could be sent the same frame twice.
        self._frame, self._news = (0, b""), (0, b"")

    def show(self, time: float, numbers: Floats) -> None:
        """A frame from any thread."""
        self._frame = self._frame[0] + 1, message(FRAME, np.asarray(numbers, dtype="<f4").tobytes(), time)
        self._wake()

    def tell(self, news: dict[str, Any]) -> None:
        """News from any thread: who comes later is told too."""
        self._news = self._news[0] + 1, message(NEWS, json.dumps(news, allow_nan=False).encode())
        self._wake()

    def _wake(self) -> None:
        if self._loop is not None and self.watchers:
            with contextlib.suppress(RuntimeError):  # the server has just been closed
                self._loop.call_soon_threadsafe(self._set)

    def _set(self) -> None:
        for event in self.watchers:
            event.set()

    async def follow(self, exchange: Exchange) -> None:
        """Sends what is new for as long as somebody takes it."""
        self._loop = asyncio.get_running_loop()
        transport = exchange.writer.transport
        transport.set_write_buffer_limits(high=HELD)
        transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, HELD)
        exchange.begin("application/octet-stream")
        event = asyncio.Event()
        event.set()
        frames = version = -1  # the last ones sent
        self.watchers.add(event)
        try:
            while True:
                await event.wait()
                event.clear()
                number, news = self._news
                if version != number:
                    version = number
                    await exchange.send(news)
                number, frame = self._frame
                if frames != number:
                    frames = number
                    await exchange.send(frame)
        finally:
            self.watchers.discard(event)
