"""Requests of a browser: read within bounds, and refused unless they come from the page itself."""

from __future__ import annotations

import asyncio
import hmac
import re
from collections.abc import AsyncIterator
from typing import NamedTuple
from urllib.parse import parse_qsl, urlsplit

LONGEST_HEAD = 16 * 1024
"""Bytes of a request line and its headers."""
PIECE = 64 * 1024
"""Bytes of a body that are held in memory at a time."""
PATIENCE = 10.0
"""Seconds for the head of a request, for the next piece of a body, and for a piece of an answer to be taken."""
WHOLE = 120.0
"""Seconds for a whole body."""
TOKEN = "x-continuarm-token"

STATUS = {
    200: "OK",
    400: "Bad Request",
    403: "Forbidden",
    404: "Not Found",
    405: "Method Not Allowed",
    408: "Request Timeout",
    411: "Length Required",
    413: "Content Too Large",
    431: "Request Header Fields Too Large",
    500: "Internal Server Error",
    501: "Not Implemented",
    503: "Service Unavailable",
}
_LINE = re.compile(r"([A-Z]+) (/[!-~]*) HTTP/1\.[01]")
_FIELD = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t -~]*?)[ \t]*")


class Refusal(Exception):
    """A request that is not answered as it wants: a status of HTTP and one sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status, self.sentence = status, sentence


class Request(NamedTuple):
    """The head of a request; names of headers in lower case."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]

    @property
    def length(self) -> int:
        """Bytes of the body, which must be declared."""
        if "transfer-encoding" in self.headers:
            raise Refusal(501, "a body must come whole, not in chunks")
        declared = self.headers.get("content-length")
        if declared is None:
            raise Refusal(411, "the length of the body is missing")
        if not re.fullmatch(r"\d{1,15}", declared):
            raise Refusal(400, "the length of the body is not a number")
        return int(declared)


def parsed(head: bytes) -> Request:
    """The head of a request, up to the empty line; Refusal where it is none."""
    lines = head.decode("latin-1").removesuffix("\r\n\r\n").split("\r\n")
    first = _LINE.fullmatch(lines[0])
    fields = [_FIELD.fullmatch(line) for line in lines[1:]]
    if not first or not all(fields):
        raise Refusal(400, "this is not a request of HTTP/1.1")
    names = [field[1].lower() for field in fields if field]
    if len(set(names)) < len(names):  # two lengths, two hosts: nobody can tell which is meant
        raise Refusal(400, "a header is given twice")
    try:
        address = urlsplit(first[2])
        query = dict(parse_qsl(address.query, keep_blank_values=True, max_num_fields=20))
    except ValueError:
        raise Refusal(400, "the address cannot be read") from None
    headers = {field[1].lower(): field[2] for field in fields if field}
    return Request(first[1], address.path, query, headers)


async def read_request(reader: asyncio.StreamReader) -> Request:
    """The head of the request that comes next."""
    try:
        async with asyncio.timeout(PATIENCE):
            return parsed(await reader.readuntil(b"\r\n\r\n"))
    except TimeoutError:
        raise Refusal(408, "the request took too long") from None
    except asyncio.LimitOverrunError:
        raise Refusal(431, f"the head of the request is longer than {LONGEST_HEAD} bytes") from None


def check_sender(request: Request, token: str, names: frozenset[str] | None) -> None:
    """Refusal unless the request has the page's token and does not come from another page.

    names: what `Host` may be, against a foreign name that leads here (DNS rebinding); None: anything, as the token
    must be known all the same. A link or frame elsewhere may open the page, which says nothing to that other page;
    nothing else may be asked for from elsewhere, not even from another port of this machine.
    """
    host, headers = request.headers.get("host", ""), request.headers
    if not host or (names is not None and host.lower() not in names):
        raise Refusal(403, "the page has another address")
    if "origin" in headers and headers["origin"].lower() != f"http://{host.lower()}":
        raise Refusal(403, "another page asks")
    opens = request.method == "GET" and request.path == "/" and headers.get("sec-fetch-mode") == "navigate"
    if headers.get("sec-fetch-site", "none") not in ("none", "same-origin") and not opens:
        raise Refusal(403, "another page asks")
    given = headers.get(TOKEN) or request.query.get("token", "")
    if not hmac.compare_digest(given.encode(), token.encode()):
        raise Refusal(403, "the address lacks its token: open it as it was printed")


async def body_of(
    request: Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, limit: int
) -> AsyncIterator[bytes]:
    """The body in pieces; Refusal where it is longer than the limit, ends too early or stops coming."""
    left = request.length
    if left > limit:
        raise Refusal(413, f"{left} bytes: must be at most {limit}")
    if request.headers.get("expect", "").lower() == "100-continue":
        writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
    clock = asyncio.get_running_loop().time
    end = clock() + WHOLE
    while left:
        try:
            async with asyncio.timeout(min(PATIENCE, end - clock())):
                piece = await reader.read(min(PIECE, left))
        except TimeoutError:
            raise Refusal(408, "the body stopped coming") from None
        if not piece:
            raise Refusal(400, "the body is shorter than was said")
        left -= len(piece)
        yield piece
