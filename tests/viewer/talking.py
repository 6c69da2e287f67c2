"""For the tests of the viewer's server: requests byte by byte, as a browser or an attacker sends them."""

from __future__ import annotations

import json
import socket
import struct
from contextlib import contextmanager
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

import numpy as np

from continuarm.viewer.http_requests import TOKEN

PATIENCE = 60.0  # s: against hanging, not a measure of anything


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()


class Place(NamedTuple):
    """Where a viewer listens, and its token."""

    host: str
    port: int
    token: str

    @classmethod
    def of(cls, url: str) -> Place:
        parts = urlsplit(url)
        return cls(parts.hostname or "", parts.port or 0, parse_qs(parts.query)["token"][0])

    def connect(self) -> socket.socket:
        opened = socket.create_connection((self.host, self.port), timeout=PATIENCE)
        opened.settimeout(PATIENCE)
        return opened

    def raw(self, data: bytes) -> Answer | None:
        """What comes back for some bytes; None where the connection is just closed."""
        with self.connect() as line:
            try:
                line.sendall(data)
                line.shutdown(socket.SHUT_WR)
            except OSError:
                pass  # closed before everything was sent: the answer may be there all the same
            return read_answer(line)

    def ask(
        self, target: str = "/", method: str = "GET", body: bytes | None = None, **headers: str | None
    ) -> Answer | None:
        """A request as the page makes it; headers by name (host, origin, sec_fetch_site ...), None: left out."""
        own = f"{self.host}:{self.port}"
        given: dict[str, str | None] = {"host": own, TOKEN: self.token}
        if body is not None:
            given["content-length"] = str(len(body))
        given |= {name.replace("_", "-"): value for name, value in headers.items()}
        lines = [
            f"{method} {target} HTTP/1.1",
            *(f"{name}: {value}" for name, value in given.items() if value is not None),
        ]
        return self.raw("\r\n".join([*lines, "", ""]).encode() + (body or b""))

    def do(self, wanted: Any) -> Answer | None:
        return self.ask("/do", "POST", wanted if isinstance(wanted, bytes) else json.dumps(wanted).encode())

    def head(self, target: str, method: str = "GET", **more: str) -> bytes:
        """The head of a good request, for who wants to go on by hand."""
        lines = [f"{method} {target} HTTP/1.1", f"Host: {self.host}:{self.port}", f"{TOKEN}: {self.token}"]
        return "\r\n".join([*lines, *(f"{name}: {value}" for name, value in more.items()), "", ""]).encode()


def read_answer(line: socket.socket) -> Answer | None:
    data = b""
    try:
        while piece := line.recv(1 << 20):
            data += piece
    except ConnectionError:
        pass
    if not data:
        return None
    head, _, body = data.removeprefix(b"HTTP/1.1 100 Continue\r\n\r\n").partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = dict(each.lower().split(": ", 1) for each in lines)
    return Answer(int(first.split()[1]), headers, body)


class Watcher:
    """One who looks at a live arm: reads messages one after the other."""

    def __init__(self, line: socket.socket) -> None:
        self.stream = line.makefile("rb")
        while self.stream.readline().strip():
            pass

    def message(self) -> tuple[int, float, Any]:
        """Kind, time, and numbers or news."""
        length, kind, time = struct.unpack("<IId", self.stream.read(16))
        content = self.stream.read(length)
        return kind, time, json.loads(content) if kind else np.frombuffer(content, "<f4")


@contextmanager
def watching(place: Place) -> Any:
    with place.connect() as line:
        line.sendall(place.head("/frames"))
        watcher = Watcher(line)
        with watcher.stream:
            yield watcher
