"""The viewer answers its own page alone, and whatever else is sent to it costs it little and nobody else anything."""

from __future__ import annotations

import contextlib
import select
import socket
import threading
import tracemalloc
from collections.abc import Iterator

import numpy as np
import pytest
from talking import Place, read_answer, watching

from continuarm.arms.arm_file import load_arm
from continuarm.viewer import http_requests, server
from continuarm.viewer.http_requests import LONGEST_HEAD, Refusal, parsed
from continuarm.viewer.live_view import LONGEST
from continuarm.viewer.server import MOST_CONNECTIONS, host_names
from continuarm.viewer.viewer import Viewer, live_arm


@pytest.fixture(scope="module")
def viewer() -> Iterator[Viewer]:
    with live_arm(load_arm("single-section"), block=False) as opened:
        yield opened


@pytest.fixture
def place(viewer: Viewer) -> Place:
    viewer.content.do({"reset": True})
    return Place.of(viewer.url)


PRESS = b'{"pressures": {"l11": 200000}}'


def pressed(viewer: Viewer) -> bool:
    return bool(viewer.content.live.commands.any())


def statuses(place: Place, **headers: str | None) -> list[int]:
    """Of the page, the frames, a wish and a file."""
    return [
        place.ask(**headers).status,
        place.ask("/do", "POST", PRESS, **headers).status,
        place.ask("/file?name=a.csv", "POST", b"t [s], l11 [kPa]\n0, 100\n1, 100\n", **headers).status,
        place.ask("/nothing", **headers).status,
    ]


def test_the_page_and_who_has_its_token_are_answered(place: Place, viewer: Viewer) -> None:
    own = f"http://{place.host}:{place.port}"
    assert statuses(place, origin=own, sec_fetch_site="same-origin") == [200, 200, 200, 404]
    assert pressed(viewer)
    assert place.ask(f"/?token={place.token}", x_continuarm_token=None).status == 200
    assert place.ask("/?token=%C3%A9%00", x_continuarm_token=None).status == 403
    assert place.ask(host=f"localhost:{place.port}", origin=f"http://localhost:{place.port}").status == 200
    navigation = {"sec_fetch_site": "cross-site", "sec_fetch_mode": "navigate", "sec_fetch_dest": "iframe"}
    assert place.ask(**navigation).status == 200  # a notebook, or a link


@pytest.mark.parametrize(
    "headers",
    [
        {"x_continuarm_token": None},
        {"x_continuarm_token": ""},
        {"x_continuarm_token": "x" * 22},
        {"host": None},
        {"host": ""},
        {"host": "evil.example:PORT"},
        {"host": "127.0.0.1"},
        {"host": "127.0.0.1:1"},
        {"host": "127.0.0.1:PORT.evil.example"},
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": ""},
        {"origin": "http://127.0.0.1:1"},
        {"origin": "https://127.0.0.1:PORT"},
        {"origin": "http://localhost:PORT"},
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
        {"sec_fetch_site": "cross-site", "sec_fetch_mode": "navigate", "x_continuarm_token": None},
    ],
)
def test_others_are_not(place: Place, viewer: Viewer, headers: dict[str, str | None]) -> None:
    given = {name: value and value.replace("PORT", str(place.port)) for name, value in headers.items()}
    assert statuses(place, **given) == [403] * 4
    assert place.ask("/frames", **given).status == 403
    assert not pressed(viewer)


def test_a_frame_elsewhere_may_open_the_page_and_nothing_else(place: Place, viewer: Viewer) -> None:
    elsewhere = {"sec_fetch_site": "cross-site", "sec_fetch_mode": "navigate"}
    assert place.ask("/frames", **elsewhere).status == 403
    assert place.ask("/do", "POST", PRESS, **elsewhere).status == 403
    assert not pressed(viewer)


def test_names_by_which_it_may_be_called() -> None:
    assert host_names("127.0.0.1", "127.0.0.1", 8000) == {"127.0.0.1:8000", "localhost:8000"}
    assert host_names("::1", "::1", 8000) == {"[::1]:8000", "localhost:8000"}
    assert host_names("arm.lab", "192.168.1.5", 8000) == {"arm.lab:8000", "192.168.1.5:8000"}
    assert "localhost" in (host_names("127.0.0.1", "127.0.0.1", 80) or ())
    for everywhere in ("0.0.0.0", "::"):  # the token protects alone
        assert host_names(everywhere, everywhere, 8000) is None


def test_one_that_listens_everywhere_still_wants_its_token() -> None:
    with live_arm(load_arm("single-section"), host="0.0.0.0", block=False) as viewer:
        place = Place.of(viewer.url)
        assert place.host == "127.0.0.1"
        assert place.ask(host="any.name:1").status == 200
        assert place.ask(host="any.name:1", x_continuarm_token=None).status == 403
        assert place.ask(host="any.name:1", origin="http://other.name:1").status == 403


def test_every_answer_forbids_what_it_can(place: Place) -> None:
    for answer in (place.ask(), place.ask("/nothing"), place.ask(x_continuarm_token=None), place.raw(b"?\r\n\r\n")):
        assert answer
        assert not [name for name in answer.headers if name.startswith("access-control")]
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors" in policy


def test_errors_are_one_short_sentence(place: Place) -> None:
    for answer in (place.ask("/nothing"), place.ask(host="evil"), place.do(b"{"), place.do({"move": "<b>"})):
        assert answer
        assert answer.headers["content-type"] == "text/plain; charset=utf-8"
        assert 5 < len(answer.text) < 200
        assert "\n" not in answer.text
        assert "Traceback" not in answer.text


@pytest.mark.parametrize("method", ["OPTIONS", "PUT", "DELETE", "HEAD", "TRACE", "CONNECT"])
def test_other_methods_are_refused(place: Place, method: str) -> None:
    assert place.ask("/do", method).status == 405
    assert place.ask("/do").status == 405  # nothing is done by looking at an address


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"PRI * HTTP/2.0",
        b"GET / HTTP/9.9",
        b"GET  / HTTP/1.1",
        b"get / HTTP/1.1",
        b"GET http://evil.example/ HTTP/1.1",
        b"GET /\x00 HTTP/1.1",
        b"GET / HTTP/1.1\r\nHost 127.0.0.1",
        b"GET / HTTP/1.1\r\nHost : 127.0.0.1",
        b"GET / HTTP/1.1\r\n folded: 1",
        b"GET / HTTP/1.1\r\nA: 1\nB: 2",
        b"GET / HTTP/1.1\r\nHost: a\r\nhost: b",
        b"GET / HTTP/1.1\r\n\xff\xfe: 1",
        b"GET /?" + b"&a=1" * 50 + b" HTTP/1.1",
        b"GET //[ HTTP/1.1",
    ],
)
def test_what_is_not_http_is_refused(place: Place, head: bytes) -> None:
    with pytest.raises(Refusal) as refusal:
        parsed(head + b"\r\n\r\n")
    assert refusal.value.status == 400
    assert place.raw(head + b"\r\n\r\n").status == 400
    assert place.ask().status == 200


def test_a_connection_that_ends_in_the_middle_is_nobodys_concern(place: Place) -> None:
    for data in (b"", b"GET / HT", place.head("/do", "POST", **{"Content-Length": "10"}) + b"123"):
        place.raw(data)
    with place.connect() as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # reset, not closed
        line.sendall(place.head("/frames"))
    assert place.ask().status == 200


def test_a_head_without_end_is_refused(place: Place) -> None:
    assert place.raw(b"GET / HTTP/1.1\r\nA: " + b"a" * 4 * LONGEST_HEAD).status == 431
    assert place.raw(b"a" * 4 * LONGEST_HEAD).status == 431


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 411),
        ({"Transfer-Encoding": "chunked"}, 501),
        ({"Transfer-Encoding": "chunked", "Content-Length": "5"}, 501),
        ({"Content-Length": "-1"}, 400),
        ({"Content-Length": "1e3"}, 400),
        ({"Content-Length": "9" * 30}, 400),
        ({"Content-Length": str(LONGEST + 1)}, 413),
        ({"Content-Length": "999999999999"}, 413),
        ({"Content-Length": "5"}, 400),
    ],
)
def test_a_body_must_be_as_long_as_it_says_and_not_too_long(
    place: Place, viewer: Viewer, headers: dict[str, str], status: int
) -> None:
    assert place.raw(place.head("/do", "POST", **headers) + b"2\r\n{}").status == status  # nothing else need be sent
    assert not pressed(viewer)


def test_a_file_that_is_too_long_is_refused_before_it_comes(place: Place) -> None:
    for name, length in (("a.csv", 5_000_001), ("a.nc", 20_000_001)):
        answer = place.raw(place.head(f"/file?name={name}", "POST", **{"Content-Length": str(length)}))
        assert answer.status == 413
        assert str(length) in answer.text
        assert str(length - 1) in answer.text


def test_more_than_was_said_is_not_held(place: Place) -> None:
    """60 MB after a body of 10 bytes, and 60 MB of head: the viewer holds kilobytes of it."""
    tracemalloc.start()
    try:
        for head in (place.head("/do", "POST", **{"Content-Length": "10"}), b"GET / HTTP/1.1\r\nA: "):
            with place.connect() as line:
                line.sendall(head)
                tracemalloc.reset_peak()
                before = tracemalloc.get_traced_memory()[0]
                piece = b"a" * 1_000_000
                try:
                    for _ in range(60):
                        line.sendall(piece)
                except OSError:
                    pass  # it does not listen so long
                assert tracemalloc.get_traced_memory()[1] - before < 5_000_000
    finally:
        tracemalloc.stop()
    assert place.ask().status == 200


def test_who_is_slow_is_not_waited_for(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_requests, "PATIENCE", 0.2)
    for data in (b"", b"GET / HTTP/1.1\r\nHost:", place.head("/do", "POST", **{"Content-Length": "10"}) + b"1"):
        with place.connect() as line:
            line.sendall(data)
            assert read_answer(line).status == 408


def test_a_body_that_drips_is_not_waited_for(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every byte comes soon after the last, and the whole would take for ever."""
    monkeypatch.setattr(http_requests, "WHOLE", 0.5)
    with place.connect() as line:
        line.sendall(place.head("/do", "POST", **{"Content-Length": "60000"}))
        with contextlib.suppress(OSError):
            while not select.select([line], [], [], 0.05)[0]:
                line.sendall(b"a")
        assert read_answer(line).status == 408


def test_many_idle_connections_do_not_stop_a_good_one(place: Place, viewer: Viewer) -> None:
    lines = [place.connect() for _ in range(200)]
    try:
        for line in lines[::2]:
            line.sendall(b"GET / HTTP/1.1\r\n")
        assert place.ask().status == 200
        assert place.do({"pressures": {"l11": 1000}}).status == 200
        assert len(viewer.server._connections) <= MOST_CONNECTIONS + 1
    finally:
        for line in lines:
            line.close()


def test_one_who_does_not_read_slows_nobody(place: Place, viewer: Viewer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Frames of 100 kB: who takes none is soon left out, and then cut off; another gets every one meanwhile."""
    monkeypatch.setattr(server, "PATIENCE", 0.5)
    feed = viewer.content.feed
    with place.connect() as lazy, watching(place) as eager:
        lazy.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        lazy.sendall(place.head("/frames"))
        lazy.recv(10)
        assert eager.message()[0] == 1  # the news come first
        waits = threading.Event()
        with viewer.content.lock:  # the arm stands still: no frames of its own in between
            for k in range(200):
                feed.show(float(k), np.zeros(25_000))
                while (message := eager.message())[1] != k:
                    assert message[2].shape != (25_000,)  # none is left out, and none comes twice
        for _ in range(100):
            if len(feed.watchers) == 1:
                break
            waits.wait(0.1)
        assert len(feed.watchers) == 1
        assert eager.message()


def test_those_who_look_are_told_what_changes(place: Place, viewer: Viewer) -> None:
    with watching(place) as first, watching(place) as second:
        for watcher in (first, second):
            kind, _, news = watcher.message()
            assert (kind, news["world"]["payload"], news["stopped"]) == (1, 0.0, "")
        assert place.do({"world": {"payload": 0.25}}).status == 200
        for watcher in (first, second):
            while not (message := watcher.message())[0]:
                assert np.isfinite(message[2]).all()
            assert message[2]["world"]["payload"] == 0.25
            assert [part for part in message[2]["arm"]["parts"] if part["part"] == "payload"]
    assert viewer.content.live.arm.carried_mass[0] == 0.25


def test_a_frame_is_what_the_header_says(place: Place, viewer: Viewer) -> None:
    sizes = dict(viewer.content.content().header["live"]["frame"])
    with watching(place) as watcher:
        while (message := watcher.message())[0]:
            pass
    assert len(message[2]) == sum(sizes.values())
    assert sizes["commands"] == 3


@pytest.mark.parametrize(
    ("wanted", "sentence"),
    [
        (b"", "JSON"),
        (b"{", "JSON"),
        (b"\xff\xfe", "JSON"),
        (b'{"pressures": {"l11": NaN}}', "JSON"),
        (b"[" * 60_000, "JSON"),
        (b"[]", "one of pressures, move, target, push, world, reset"),
        (b"{}", "one of pressures"),
        (b'{"fly": 1}', "one of pressures"),
        (b'{"reset": true, "move": "curl"}', "one of pressures"),
        (b'{"pressures": [1, 2, 3]}', "by the names of muscles"),
        (b'{"pressures": {"l99": 1}}', "muscle 'l99'"),
        (b'{"pressures": {"l11": -5000}}', "l11 = -5 kPa: must be from 0 to 700 kPa"),
        (b'{"pressures": {"l11": 1e300}}', "l11"),
        (b'{"pressures": {"l11": 1' + b"0" * 400 + b"}}", "l11"),
        (b'{"pressures": {"l11": "400"}}', "l11 = '400'"),
        (b'{"pressures": {"l11": null}}', "l11"),
        (b'{"pressures": {"l11": true}}', "l11"),
        (b'{"pressures": {"l11": [[[1]]]}}', "l11"),
        (b'{"pressures": {"l11": {"a": 1}}}', "l11"),
        (b'{"move": "jump"}', "move 'jump': must be one of curl"),
        (b'{"move": ["curl"]}', "move"),
        (b'{"move": {}}', "move"),
        (b'{"target": [0, 0, 0.1]}', "target: must come with a controller"),
        (b'{"push": [0, 0, 1e3]}', "push = [0, 0, 1000.0]: must be at most"),
        (b'{"push": [0, 0]}', "push = [0, 0]: must be three numbers in N"),
        (b'{"push": "hard"}', "push = 'hard'"),
        (b'{"push": [NaN, 0, 0]}', "JSON"),
        (b'{"push": null}', "push"),
        (b'{"world": 3}', "payload, damping, gravity"),
        (b'{"world": {"mass": 3}}', "payload, damping, gravity"),
        (b'{"world": {"payload": -2}}', "mass = -2"),
        (b'{"world": {"payload": "2"}}', "payload"),
        (b'{"world": {"payload": [2]}}', "payload"),
        (b'{"world": {"damping": 1e9}}', "damping"),
        (b'{"world": {"damping": null}}', "damping"),
        (b'{"world": {"gravity": [0, 0]}}', "gravity"),
        (b'{"world": {"gravity": 9.81}}', "gravity"),
        (b'{"world": {"gravity": [0, 0, 1e300]}}', "gravity"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(
    place: Place, viewer: Viewer, wanted: bytes, sentence: str
) -> None:
    world = dict(viewer.content.world)
    answer = place.do(wanted)
    assert not viewer.content.live.push.any()
    assert (answer.status, sentence in answer.text) == (400, True), answer.text
    assert "\n" not in answer.text
    assert viewer.content.world == world
    assert not pressed(viewer)
    assert viewer.content.failure is None
    assert place.do({"pressures": {"l12": 3e5}}).status == 200  # it goes on
    np.testing.assert_array_equal(viewer.content.live.commands, [0, 3e5, 0])
