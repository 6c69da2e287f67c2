"""The web server of the viewer: one page for those who have its address, on this machine unless asked otherwise.

It holds little whatever is sent to it: one request for each connection, a bounded number of connections, heads and
bodies of bounded length, and no patience with who is slow.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import secrets
import socket
import sys
import threading
from collections.abc import Awaitable, Callable, Mapping
from typing import NamedTuple

from continuarm.viewer.http_requests import (
    LONGEST_HEAD,
    PATIENCE,
    PIECE,
    STATUS,
    Refusal,
    Request,
    body_of,
    check_sender,
    read_request,
)

MOST_CONNECTIONS = 100
"""At a time. One more, and the one that has waited longest without asking for anything is closed."""
LINGER = 1.0
"""Seconds in which what still comes is read and forgotten after a refusal, so that the sender reads why."""

FRAME_ANCESTORS = "frame-ancestors 'self' http://localhost:* http://127.0.0.1:* https://localhost:* vscode-webview:"
"""Who may show the page in a frame: notebooks on this machine, who need its address as everybody does."""
HEADERS = {
    "Cache-Control": "no-store",
    "Connection": "close",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class Exchange:
    """A request and the way to answer it."""

    def __init__(self, request: Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.request, self._reader, self.writer = request, reader, writer

    async def body(self, limit: int) -> bytes:
        """The whole body."""
        return b"".join([piece async for piece in body_of(self.request, self._reader, self.writer, limit)])

    async def save_body(self, path: str, limit: int) -> None:
        """Writes the body to a file, piece by piece."""
        with open(path, "wb") as file:
            async for piece in body_of(self.request, self._reader, self.writer, limit):
                file.write(piece)

    async def answer(self, text: str | bytes, kind: str = "text/plain", status: int = 200, policy: str = "") -> None:
        """Sends an answer whole; policy: what a page may do (Content-Security-Policy)."""
        data = text if isinstance(text, bytes) else text.encode()
        self.begin(kind, status, policy, len(data))
        for start in range(0, len(data), PIECE):
            await self.send(data[start : start + PIECE])

    def begin(self, kind: str, status: int = 200, policy: str = "", length: int | None = None) -> None:
        """Begins an answer, to be sent piece by piece."""
        letters = "; charset=utf-8" if kind.startswith("text/") or kind.endswith("json") else ""
        headers = HEADERS | {"Content-Type": kind + letters}
        headers["Content-Security-Policy"] = policy or "default-src 'none'; frame-ancestors 'none'"
        if length is not None:
            headers["Content-Length"] = str(length)
        lines = [f"HTTP/1.1 {status} {STATUS[status]}", *(f"{name}: {value}" for name, value in headers.items())]
        self.writer.write("\r\n".join([*lines, "", ""]).encode("latin-1"))

    async def send(self, data: bytes) -> None:
        """Sends a piece of an answer and waits until it is taken; ConnectionError where nobody takes it."""
        self.writer.write(data)
        try:
            async with asyncio.timeout(PATIENCE):
                await self.writer.drain()
        except TimeoutError:
            self.writer.transport.abort()
            raise ConnectionAbortedError from None


Handler = Callable[[Exchange], Awaitable[None]]


class _Connection(NamedTuple):
    writer: asyncio.StreamWriter
    asked: list[Request]  # empty as long as the request is not complete


class Server:
    """Answers what is asked for by method and path, in a thread of its own, until it is closed.

    host, port: where it listens; any free port if none is given. Its `url` has the token without which nothing is
    answered.
    """

    def __init__(self, handlers: Mapping[tuple[str, str], Handler], host: str, port: int | None) -> None:
        self._handlers = dict(handlers)
        self._socket = listening_socket(host, port)
        self.token = secrets.token_urlsafe(16)
        address, number = self._socket.getsockname()[:2]
        self.url = f"http://{shown_address(address)}:{number}/?token={self.token}"
        self.names = host_names(host, address, number)
        self._connections: dict[asyncio.Task[None], _Connection] = {}
        self._ended, self._started = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="continuarm viewer", daemon=True)
        self._thread.start()
        self._started.wait()

    def _run(self) -> None:
        try:
            with contextlib.suppress(asyncio.CancelledError):
                asyncio.run(self._serve())
        finally:
            self._started.set()
            self._ended.set()

    async def _serve(self) -> None:
        self.loop, self._main = asyncio.get_running_loop(), asyncio.current_task()
        self.loop.set_exception_handler(lambda loop, context: None)  # a connection that breaks is nobody's concern
        server = await asyncio.start_server(self._connected, sock=self._socket, limit=LONGEST_HEAD)
        self._started.set()
        try:
            await self.loop.create_future()  # until it is cancelled
        finally:
            server.close()  # serve_forever() would wait for open connections, which end after this, from Python 3.12 on

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._make_room()
        self._connections[task] = connection = _Connection(writer, [])
        try:
            await self._exchange(reader, connection)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # whoever asked has gone
        finally:
            self._connections.pop(task, None)
            writer.close()

    def _make_room(self) -> None:
        """Closes the connection that has waited longest without asking, where there are too many."""
        if len(self._connections) >= MOST_CONNECTIONS:
            idle = (task for task, connection in self._connections.items() if not connection.asked)
            longest = next(idle, None)
            if longest is not None:
                self._connections.pop(longest).writer.transport.abort()
                longest.cancel()

    async def _exchange(self, reader: asyncio.StreamReader, connection: _Connection) -> None:
        writer = connection.writer
        try:
            request = await read_request(reader)
            check_sender(request, self.token, self.names)
            connection.asked.append(request)
            if len(self._connections) > MOST_CONNECTIONS:
                raise Refusal(503, "too many look at once")
            handler = self._handlers.get((request.method, request.path))
            if handler is None:
                elsewhere = any(path == request.path for _, path in self._handlers)
                raise Refusal(405, "not in this way") if elsewhere else Refusal(404, "there is nothing here")
            await handler(Exchange(request, reader, writer))
        except Refusal as refusal:
            await self._refuse(refusal, reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            raise
        except Exception:  # a fault of ours: the page is told, the others go on
            await self._refuse(Refusal(500, "the viewer failed at this"), reader, writer)

    async def _refuse(self, refusal: Refusal, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await Exchange(Request("", "", {}, {}), reader, writer).answer(refusal.sentence, status=refusal.status)
        if writer.can_write_eof():
            writer.write_eof()
        with contextlib.suppress(TimeoutError, ConnectionError):
            async with asyncio.timeout(LINGER):
                while await reader.read(PIECE):
                    pass

    def close(self) -> None:
        """Ends all connections and the thread."""
        if self._thread.is_alive():
            self.loop.call_soon_threadsafe(self._main.cancel)  # type: ignore[union-attr]
            if self._thread is not threading.current_thread():
                self._thread.join(timeout=5)

    def wait(self, seconds: float) -> bool:
        """Waits until it is closed, or for some time; whether it is closed."""
        return self._ended.wait(seconds)


def listening_socket(host: str, port: int | None) -> socket.socket:
    """A socket that listens at an address of this machine, on any free port if none is given."""
    if port is not None and (isinstance(port, bool) or not isinstance(port, int) or not 0 <= port <= 65535):
        raise ValueError(f"port = {port!r}: must be a whole number from 0 to 65535")
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port or 0, type=socket.SOCK_STREAM)[0]
        opened = socket.socket(family, kind, protocol)
        try:
            if sys.platform == "win32":  # there REUSEADDR would let others listen at the same place
                opened.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
            else:
                opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            opened.bind(address)
            opened.listen(MOST_CONNECTIONS)
        except OSError:
            opened.close()
            raise
        return opened
    except (OSError, UnicodeError) as error:
        where = f"host = {host!r}" if port is None else f"host = {host!r}, port = {port}"
        why = getattr(error, "strerror", None) or "there is no such host"
        raise ValueError(f"{where}: cannot listen there: {why}") from None


def shown_address(address: str) -> str:
    """An address by which a browser on this machine finds what listens there."""
    shown = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(address, address)
    return f"[{shown}]" if ":" in shown else shown


def host_names(host: str, address: str, port: int) -> frozenset[str] | None:
    """What a request may call this server, with its port; None for one that listens everywhere: anything."""
    place = ipaddress.ip_address(address.partition("%")[0])
    if place.is_unspecified:
        return None
    names = {shown_address(address), f"[{host}]" if ":" in host else host.lower()}
    names |= {"localhost"} if place.is_loopback else set()
    return frozenset({f"{name}:{port}" for name in names} | (names if port == 80 else set()))
