"""Hostile clients of the viewer's server: it goes on, tells nothing to who lacks its token, and holds little memory.

A server of a motion and one of a live arm run in a process of their own. After what is sent to them a good client is
served as before.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import re
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import numpy as np

from attack import damage, hdf5_damage, hostile
from attack.attacker import Attacker, Case, Finding, check_sentence
from attack.damaged_files import Originals
from cli_process import environment

SERVERS = """
import sys
import continuarm as ca
from continuarm.viewer.viewer import live_arm, view_motion
arm = ca.load_arm("prototype-muscles")
viewers = [view_motion(ca.simulate(arm, duration=0.1), block=False), live_arm(arm, block=False)]
print("ready", flush=True)
sys.stdin.read()
"""
LATEST = 30.0
"""s: a client that has asked and waits for longer is not served."""
MOST_MEMORY = 300_000_000
"""Bytes by which the servers may grow, whatever is sent."""
MOST_FILES = 400
"""Open files and connections of the servers."""
IDLE = 120
"""Connections that an attacker keeps open without asking for anything."""
LARGEST_ANSWER = 50_000_000

Rng = np.random.Generator


class Target:
    """One of the two servers: where it is, and what a request of its own page looks like."""

    def __init__(self, url: str, live: bool) -> None:
        place = urlsplit(url)
        assert place.hostname is not None
        self.host, self.port, self.live = place.hostname, place.port, live
        self.token = dict(part.split("=", 1) for part in place.query.split("&"))["token"]

    def head(self, method: str = "GET", path: str = "/", **headers: str | None) -> bytes:
        """A request of the page; headers that are None are left out."""
        whole: dict[str, str | None] = {"Host": f"{self.host}:{self.port}", "X-Continuarm-Token": self.token}
        whole |= {name.replace("_", "-"): value for name, value in headers.items()}
        lines = [
            f"{method} {path} HTTP/1.1",
            *(f"{name}: {value}" for name, value in whole.items() if value is not None),
        ]
        return "\r\n".join([*lines, "", ""]).encode("utf-8", "surrogatepass")

    def post(self, path: str, body: bytes, **headers: str | None) -> bytes:
        """The same with a body."""
        return self.head("POST", path, **({"Content_Length": str(len(body))} | headers)) + body

    def connected(self) -> socket.socket:
        """A connection."""
        try:
            return socket.create_connection((self.host, self.port), timeout=LATEST)
        except OSError as error:
            raise Finding("the server does not take connections", str(error)) from None

    def asked(self, sent: bytes, most: int = LARGEST_ANSWER, ends: bool = False) -> bytes:
        """What comes back until the server closes; nothing where it closes at once. ends: says that this was all."""
        began, found = time.monotonic(), b""
        with self.connected() as connection:
            with contextlib.suppress(OSError):
                connection.sendall(sent)
                if ends:
                    connection.shutdown(socket.SHUT_WR)
            with contextlib.suppress(ConnectionError):
                while len(found) < most:
                    connection.settimeout(max(0.01, LATEST - (time.monotonic() - began)))
                    try:
                        some = connection.recv(1 << 16)
                    except TimeoutError:
                        raise Finding("a request is not answered", f"after {LATEST:g} s: {sent[:500]!r}") from None
                    if not some:
                        break
                    found += some
        return found


class Servers:
    """Both servers, in a process of their own, and the connections that are kept open."""

    def __init__(self) -> None:
        self.words = open("servers.txt", "w+")  # noqa: SIM115 (open for as long as they run)
        pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": self.words}
        self.process = subprocess.Popen([sys.executable, "-c", SERVERS], env=environment(), text=True, **pipes)
        assert self.process.stdout is not None
        printed = list(itertools.takewhile(lambda line: line != "ready\n", self.process.stdout))
        urls = [found[0] for line in printed if (found := re.search(r"http://\S+", line))]
        assert len(urls) == 2, self.said()
        self.motion, self.live = Target(urls[0], live=False), Target(urls[1], live=True)
        self.idle: list[socket.socket] = []
        self.serve("at first")
        self.memory = self._memory()

    def _memory(self) -> int:
        return int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * 4096

    def serve(self, told: str) -> None:
        """A good client gets its page, and frames of finite numbers."""
        for target in (self.motion, self.live):
            answer = target.asked(target.head(path=f"/?token={target.token}", X_Continuarm_Token=None))
            if status_of(answer) != 200 or b"</html>" not in answer:
                raise Finding("a good client is not served", f"{answer[:300]!r}\nafter {told}")
        self._check_frames(told)

    def _check_frames(self, told: str) -> None:
        answer = self.live.asked(self.live.head(path="/frames"), most=20_000)
        head, _, frames = answer.partition(b"\r\n\r\n")
        if status_of(head) != 200 or len(frames) < 16:
            raise Finding("a live arm shows nothing", f"{answer[:300]!r}\nafter {told}")
        while len(frames) >= 16:
            length, kind, seconds = struct.unpack_from("<IId", frames)
            content, frames = frames[16 : 16 + length], frames[16 + length :]
            if (
                len(content) == length
                and kind == 0
                and not np.isfinite([seconds, *np.frombuffer(content, "<f4")]).all()
            ):
                raise Finding("a live arm shows numbers that are not finite", told)

    def check(self, told: str) -> None:
        """It lives, says nothing on standard error, and holds little."""
        if self.process.poll() is not None:
            raise Finding("the server has ended", f"{self.process.returncode}\n{self.said()}\nafter {told}")
        if self.said():
            words = self.said()
            self.words.truncate(0)
            raise Finding(
                f"the server complains {words.strip().splitlines()[-1][:80]}", f"{words[-1500:]}\nafter {told}"
            )
        if self._memory() - self.memory > MOST_MEMORY:
            raise Finding("the server keeps memory", f"{self._memory()} of {self.memory} bytes at first, after {told}")
        files = len(list(Path(f"/proc/{self.process.pid}/fd").iterdir()))
        if files > MOST_FILES:
            raise Finding("the server keeps files open", f"{files}, after {told}")

    def said(self) -> str:
        """What the servers wrote on standard error."""
        return Path("servers.txt").read_text(errors="replace")


def status_of(answer: bytes) -> int | None:
    """The status of an answer; None where there is none."""
    found = re.match(rb"HTTP/1\.1 (\d{3}) ", answer)
    return int(found[1]) if found else None


def begin(folder: Path) -> Case:
    """Cases against the same two servers."""
    servers, originals = Servers(), Originals(folder)

    def case(rng: Rng) -> str:
        kind = hostile.pick(rng, KINDS)
        target = servers.live if rng.random() < 0.5 else servers.motion
        told = f"{kind.__name__[1:]} at the {'live arm' if target.live else 'motion'}"
        try:
            outcome = kind(rng, target, servers, originals)
        except Finding as finding:
            finding.what += f"\nafter {told}"
            raise
        servers.check(told)
        if rng.random() < 0.2:
            servers.serve(told)
        return f"{kind.__name__[1:]}: {outcome}"

    return case


def judged(target: Target, answer: bytes, sent: bytes, allowed: tuple[int, ...] = ()) -> str:
    """A status that is no fault of the server, a refusal in one sentence, and no word about the token."""
    status = status_of(answer)
    if status is None:
        if answer:
            raise Finding("an answer is not HTTP", f"{answer[:300]!r}\nto {sent[:500]!r}")
        if allowed and 0 not in allowed:
            raise Finding("no answer", f"to {sent[:500]!r}")
        return "closed"
    if allowed and status not in allowed:
        raise Finding(f"status {status} where {allowed} is right", f"{answer[:300]!r}\nto {sent[:500]!r}")
    if status == 500:
        raise Finding("status 500", f"{answer[:500]!r}\nto {sent[:500]!r}")
    head, _, body = answer.partition(b"\r\n\r\n")
    if b"access-control-allow-origin" in head.lower():
        raise Finding("other pages may read the answer", head.decode("latin-1"))
    if status != 200:
        if target.token.encode() in answer:
            raise Finding("a refusal tells the token", f"{answer[:500]!r}\nto {sent[:500]!r}")
        check_sentence(body.decode("utf-8"), "a refusal of the viewer")
    return str(status)


# What is sent


def _page(rng: Rng, target: Target, servers: Servers, originals: Originals) -> str:
    sent = target.head(path=f"/?token={target.token}", X_Continuarm_Token=None)
    return judged(target, target.asked(sent), sent, (200,))


def _without_token(rng: Rng, target: Target, servers: Servers, originals: Originals) -> str:
    t = target.token
    wrong = hostile.pick(
        rng, (None, "", t[:-1], t + "x", t.swapcase(), t[::-1], "x" * 5000, "é", "%00", '"', t + "\x00")
    )
    method, path = hostile.pick(
        rng, (("GET", "/"), ("GET", "/frames"), ("POST", "/do"), ("POST", "/file?name=a.nc"), ("GET", "/x"))
    )
    if rng.random() < 0.5 and wrong is not None:
        path += ("&" if "?" in path else "?") + "token=" + quote(wrong)
        sent = target.head(method, path, X_Continuarm_Token=None, Content_Length="0")
    else:
        sent = target.head(method, path, X_Continuarm_Token=wrong, Content_Length="0")
    return judged(target, target.asked(sent), sent, (400, 403))


def _wrong_sender(rng: Rng, target: Target, servers: Servers, originals: Originals) -> str:
    port = target.port
    elsewhere = (f"evil.example:{port}", f"127.0.0.1.evil.example:{port}", f"localhost:{port}@evil.example", "a, b")
    nearly = ("127.0.0.1:1", "127.0.0.1", f"[::1]:{port}", f"127.1:{port}", f"0x7f000001:{port}", f"localhost.:{port}")
    hosts = (None, "", "evil.example", "127.0.0.1:99999999", *elsewhere, *nearly)
    origins = (
        "null",
        "https://evil.example",
        f"https://127.0.0.1:{port}",
        "http://127.0.0.1:1",
        "file://",
        "",
        f"http://localhost:{port}",
    )
    changes = (
        {"Host": hostile.pick(rng, hosts)},
        {"Origin": hostile.pick(rng, origins)},
        {"Sec_Fetch_Site": hostile.pick(rng, ("cross-site", "same-site", "x"))},
    )
    method, path = hostile.pick(rng, (("GET", "/frames"), ("POST", "/do"), ("POST", "/file?name=a.nc"), ("GET", "/")))
    sent = target.head(method, path, **(hostile.pick(rng, changes) | {"Content_Length": "2"})) + b"{}"
    return judged(target, target.asked(sent), sent, (400, 403))


MALFORMED = (
    b"GET / HTTP/9.9", b"GET  / HTTP/1.1", b"get / HTTP/1.1", b"GET http://evil.example/ HTTP/1.1",
    b"GET //evil.example/ HTTP/1.1", b"GET /../../../etc/passwd HTTP/1.1", b"GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1",
    b"GET /player/../server.py HTTP/1.1", b"OPTIONS * HTTP/1.1", b"CONNECT evil.example:443 HTTP/1.1",
    b"TRACE / HTTP/1.1", b"HEAD / HTTP/1.1", b"PUT / HTTP/1.1", b"DELETE /do HTTP/1.1", b"GET /", b"",
    b"PRI * HTTP/2.0", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"\x00" * 100,
    b"GET /?" + b"a=1&" * 3000 + b" HTTP/1.1", b"GET /" + b"a" * 20000 + b" HTTP/1.1", b"GET /\xff\xfe HTTP/1.1",
    b"GET /?token=\x00 HTTP/1.1", b"GET /[ HTTP/1.1", b"GET /?%zz=%zz HTTP/1.1",
)  # fmt: skip
LINES = (
    b"Host: a\r\nHost: b", b"X: " + b"y" * 30000, b"X: y\r\n" * 3000, b" folded: line", b"NoColon", b": no name",
    b"Content-Length: -1", b"Content-Length: 99999999999999999999", b"Content-Length: 5\r\nContent-Length: 6",
    b"Transfer-Encoding: chunked", b"Content-Length: 1e3", b"Content-Length: 0x10",
    b"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13", b"Expect: 100-continue",
    b"Expect: \x00", b"Range: bytes=0-1,2-3,-1", b"Accept-Encoding: gzip;q=nan", b"Cookie: " + b"a=b; " * 2000,
    b"X\x00: y", b"\xff: \xff",
)  # fmt: skip


def _malformed(rng: Rng, target: Target, servers: Servers, originals: Originals) -> str:
    first = (
        hostile.pick(rng, MALFORMED)
        if rng.random() < 0.6
        else hostile.pick(rng, (b"GET / HTTP/1.1", b"POST /do HTTP/1.1"))
    )
    lines = [first, f"Host: {target.host}:{target.port}".encode(), b"X-Continuarm-Token: " + target.token.encode()]
    lines[1:1] = [hostile.pick(rng, LINES) for _ in range(int(rng.integers(0, 3)))]
    sent = (
        hostile.pick(rng, (b"\r\n", b"\r\n", b"\r\n", b"\n", b"\r")).join([*lines, b"", b""])
        + b"\r\n\r\n"
        + b"{}\r\n\r\n"
    )
    answer = target.asked(sent)
    # what may be good after all is answered; a file of this machine is not
    if b"root:" in answer or b"import " in answer[:200]:
        raise Finding("the server sends a file", f"{answer[:300]!r}\nto {sent[:300]!r}")
    return judged(target, answer, sent)


def _flipped(rng: Rng, target: Target, servers: Servers, originals: Originals) -> str:
    sent = damage.raw(rng, target.post("/do", b'{"reset": true}')) + b"\r\n\r\n" + b" " * 100
    return judged(target, target.asked(sent, ends=True), sent)


def _false_length(rng: Rng, target: Target, servers: Servers, originals: Originals) -> str:
    """Bodies that are longer or shorter than they say, or that do not end."""
    path = hostile.pick(rng, ("/do", "/file?name=a.nc", "/file?name=a.csv"))
    said = hostile.pick(
        rng, ("0", "1", "65537", "20000001", "999999999999999", "-5", "abc", "", " 5", "+5", "5 5", None)
    )
    body = hostile.pick(rng, (b"", b"{}", b"x" * 1000, b"y" * 4_000_000))
    sent = target.head("POST", path, Content_Length=said) + body
    return judged(target, target.asked(sent, ends=True), sent)


JSON_VALUES: tuple[Any, ...] = (
    None, True, 0, -1, 1e308, 1e-320, 10**400, 7e5, 700001, "", "l11", "x" * 1000, [], [1, 2], {}, {"l11": 1}, [[[]]],
    "\x00", "\ud800",
)  # fmt: skip
TEXTS = (
    b"", b"{", b"[" * 60_000, b'{"a":' * 10_000, b"NaN", b'{"pressures": {"l11": NaN}}',
    b'{"pressures": {"l11": 1e999}}', b"\xff\xfe", b"null", b'{"reset": true, "move": "x"}',
    b'{"reset": 1}' + b" " * 60_000, b'"' + b"\\u0000" * 1000 + b'"', b'{"world": {"gravity": [1e308, 1e308, 1e308]}}',
)  # fmt: skip


def _wants(rng: Rng, target: Target, servers: Servers, originals: Originals) -> str:
    """What a page may want of a live arm, with values that no page sends."""
    value = hostile.pick(rng, JSON_VALUES)
    wanted: Any = hostile.pick(
        rng,
        (
            {"pressures": {hostile.pick(rng, ("l11", "l33", "l99", "")): value}},
            {"pressures": value},
            {"move": value},
            {"world": {hostile.pick(rng, ("payload", "damping", "gravity", "x")): value}},
            {"world": {"gravity": [value, 0, 0]}},
            {"world": value},
            {"reset": value},
            {hostile.pick(rng, ("x", "", "__class__")): value},
            value,
        ),
    )
    body = hostile.pick(rng, TEXTS) if rng.random() < 0.3 else json.dumps(wanted).encode("utf-8", "surrogatepass")
    sent = servers.live.post("/do", body)
    return judged(servers.live, servers.live.asked(sent), sent, (200, 400, 413))


def _moves_hard(rng: Rng, target: Target, servers: Servers, originals: Originals) -> str:
    """All that a page may do to a live arm, as hard as it may."""
    muscles = [f"l{section}{muscle}" for section in (1, 2, 3) for muscle in (1, 2, 3)]
    pressures = {name: float(rng.choice([0.0, 7e5])) for name in muscles}
    world = {"payload": 10 ** rng.uniform(-3, 2), "damping": 10 ** rng.uniform(-2, 2)}
    world |= {"gravity": [float(x) for x in rng.normal(size=3) * 10 ** rng.uniform(0, 3)]}
    wanted = hostile.pick(rng, ({"pressures": pressures}, {"pressures": pressures}, {"world": world}, {"reset": True}))
    sent = servers.live.post("/do", json.dumps(wanted).encode())
    return judged(servers.live, servers.live.asked(sent), sent, (200, 400))


NAMES = (
    "a.nc",
    "a.csv",
    "../../a.nc",
    "a",
    "",
    ".nc",
    "\x1b[31m.nc",
    "a\nb.csv",
    "<script>.nc",
    "x" * 500 + ".nc",
    "é.csv",
    "a.toml",
    "\x00.nc",
)


def _upload(rng: Rng, target: Target, servers: Servers, originals: Originals) -> str:
    """Damaged motions and tables; each is opened by the server in a process of its own."""
    if rng.random() < 0.5:
        place = originals.folder / "sent.nc"
        hdf5_damage.write(rng, damage.one(rng, originals.motions), place, originals.folder)
        body, name = place.read_bytes(), "a.nc"
    else:
        body, name = damage.text(rng, damage.one(rng, originals.pressures), damage.csv_tokens), "a.csv"
    name = hostile.pick(rng, NAMES) if rng.random() < 0.2 else name
    sent = target.post(f"/file?name={quote(name)}", body)
    return judged(target, target.asked(sent), sent, (200, 400, 413, 503))


def _idle(rng: Rng, target: Target, servers: Servers, originals: Originals) -> str:
    """Connections that ask for nothing, or for something very slowly, and stay."""
    for _ in range(int(rng.integers(1, 30))):
        connection = target.connected()
        with contextlib.suppress(ConnectionError):
            connection.sendall(
                hostile.pick(rng, (b"", b"G", target.head()[:-2], target.head("POST", "/do", Content_Length="100")))
            )
        servers.idle.append(connection)
    for connection in servers.idle:
        with contextlib.suppress(OSError):
            connection.sendall(b"x")
    while len(servers.idle) > IDLE:
        servers.idle.pop(int(rng.integers(len(servers.idle)))).close()
    return "left open"


def _flood(rng: Rng, target: Target, servers: Servers, originals: Originals) -> str:
    """Many requests at once, nobody waits for the answers."""
    sent = hostile.pick(rng, (target.head(), target.head(path="/frames"), target.post("/do", b"{}"), b"x"))
    opened = []
    for _ in range(int(rng.choice([20, 50, 150]))):
        connection = target.connected()
        with contextlib.suppress(ConnectionError):
            connection.sendall(sent)
        opened.append(connection)
    for connection in opened:
        connection.close()
    return "gone"


def _takes_nothing(rng: Rng, target: Target, servers: Servers, originals: Originals) -> str:
    """Asks for the page or for frames and does not read what comes."""
    connection = target.connected()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
    with contextlib.suppress(ConnectionError):
        connection.sendall(target.head(path="/frames" if target.live else "/"))
    servers.idle.append(connection)
    return "left open"


KINDS: tuple[Callable[[Rng, Target, Servers, Originals], str], ...] = (
    _page, _without_token, _without_token, _without_token, _wrong_sender, _wrong_sender, _wrong_sender, _malformed,
    _malformed, _malformed, _flipped, _flipped, _false_length, _wants, _wants, _moves_hard, _upload, _idle, _flood,
    _takes_nothing,
)  # fmt: skip

ATTACKER = Attacker(
    name="viewer",
    law="the viewer's server answers only who has its token, and goes on whatever is sent to it",
    begin=begin,
    share=1.0,
    limit=150.0,
    turn=30.0,
)
