"""Files from a browser: shown or played where they are good, one sentence where not, and nobody waits for them."""

from __future__ import annotations

import json
import os
import re
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from talking import Place, watching
from viewing import swinging, until

from continuarm.arms.arm_file import load_arm, save_arm
from continuarm.simulation.motion_file import save_motion
from continuarm.viewer import opening
from continuarm.viewer.opening import MOST_ROWS, found
from continuarm.viewer.viewer import Viewer, live_arm, view_motion

pytestmark = pytest.mark.slow

TABLE = b"t [s], l11 [kPa]\n0, 0\n0.1, 300\n"


@pytest.fixture(scope="module")
def playing() -> Iterator[Viewer]:
    with view_motion(swinging(), block=False) as viewer:
        yield viewer


@pytest.fixture(scope="module")
def live() -> Iterator[Viewer]:
    with live_arm(load_arm("prototype"), block=False) as viewer:
        yield viewer


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary files go."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


@pytest.fixture
def good(tmp_path: Path) -> bytes:
    save_motion(swinging(states=41), tmp_path / "good.nc")
    return (tmp_path / "good.nc").read_bytes()


def test_a_motion_is_shown_to_who_sent_it_and_forgotten(playing: Viewer, good: bytes, temporary: Path) -> None:
    place = Place.of(playing.url)
    before = place.ask().body
    answer = place.ask("/file?name=my%20run.nc", "POST", good)
    content = json.loads(answer.body)
    assert answer.status == 200
    assert content["header"]["names"] == ["my run.nc"]
    assert content["header"]["duration"] == pytest.approx(1.0)
    assert place.ask().body == before
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("half.nc", None, "half.nc: is damaged"),
        ("%3Cb%3E.nc", b"", "<b>.nc: is empty"),
        ("notes.txt", b"hello", "notes.txt: the suffix must be .nc"),
        ("run.csv", TABLE, "run.csv: the suffix must be .nc"),
        ("..%2F..%2Fetc%2Fpasswd", b"", "the suffix must be .nc"),
        ("", b"", "the suffix must be .nc"),
    ],
)
def test_a_bad_file_is_refused_in_one_sentence_without_a_folder_of_this_machine(
    playing: Viewer, good: bytes, temporary: Path, name: str, content: bytes | None, sentence: str
) -> None:
    answer = Place.of(playing.url).ask(f"/file?name={name}", "POST", good[:3000] if content is None else content)
    assert answer.status == 400
    assert sentence in answer.text
    assert "\n" not in answer.text
    assert str(temporary.parent) not in answer.text
    assert list(temporary.iterdir()) == []


def test_pressures_of_a_table_or_a_motion_are_played(live: Viewer, good: bytes) -> None:
    place = Place.of(live.url)
    for name, content, muscle, pressure in (("a.csv", TABLE, 0, 3e5), ("a.nc", good, 8, 4e5)):
        live.content.do({"reset": True})
        assert place.ask(f"/file?name={name}", "POST", content).status == 200
        with watching(place) as watcher:
            while live.content.live.commands[muscle] != pressure:
                watcher.message()
    live.content.do({"reset": True})


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"t [s], l99 [kPa]\n0, 0\n", "l99"),
        (b"t, l11\n0, 0\n", "the header must name units"),
        (b"t [s], l11 [kPa]\n0, -5\n", "line 2"),
        (b"t [s], l11 [kPa]\n1, 5\n0, 5\n", "times must ascend"),
        (b"\xff\xfe\x00", "is not a table"),
        (b"", "must have a header"),
        (b"t [s], l11 [kPa]\n" + b"".join(b"%d, 0\n" % k for k in range(MOST_ROWS + 1)), f"at most {MOST_ROWS}"),
    ],
)
def test_pressures_that_cannot_be_played_are_refused(tmp_path: Path, content: bytes, sentence: str) -> None:
    save_arm(load_arm("prototype"), tmp_path / "arm.toml")
    (tmp_path / "sent.csv").write_bytes(content)
    with pytest.raises(ValueError, match=re.escape(sentence)):
        found(str(tmp_path / "sent.csv"), "a.csv")


def test_a_live_arm_refuses_other_files_and_goes_on(live: Viewer, tmp_path: Path) -> None:
    place = Place.of(live.url)
    for name, content, sentence in (
        ("a.csv", b"t [s], l11 [kPa]\n1, 5\n0, 5\n", "a.csv: times must ascend"),
        ("a.toml", b"", "a.toml: the suffix must be .nc or .csv"),
    ):
        answer = place.ask(f"/file?name={name}", "POST", content)
        assert (answer.status, sentence in answer.text) == (400, True)
    assert not live.content.live.commands.any()
    save_arm(load_arm("single-section"), tmp_path / "arm.toml")
    save_motion(swinging(states=3), tmp_path / "sent.nc")
    with pytest.raises(ValueError, match=r"run\.nc: .*'prototype'.*other muscles than"):
        found(str(tmp_path / "sent.nc"), "run.nc")


def test_a_file_that_takes_for_ever_holds_up_nobody_and_is_given_up(
    live: Viewer, temporary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two files whose opening never ends: frames and wishes go on, a third is told to wait, and both are given up."""
    place = Place.of(live.url)
    begun = tmp_path / "begun"
    begun.mkdir()
    leave_name = f"import os, time; open(os.path.join({str(begun)!r}, str(os.getpid())), 'w').close()"
    monkeypatch.setattr(opening, "COMMAND", f"{leave_name}; time.sleep(1000)")
    monkeypatch.setattr(opening, "TIME_LIMIT", 2.5)
    answers: list[object] = []
    senders = [
        threading.Thread(target=lambda: answers.append(place.ask("/file?name=a.csv", "POST", TABLE))) for _ in range(2)
    ]
    with watching(place) as watcher:
        for sender in senders:
            sender.start()
        while live.content.opener._busy < 2:
            watcher.message()
        third = place.ask("/file?name=b.csv", "POST", TABLE)
        assert (third.status, "b.csv" in third.text) == (503, True)
        assert place.do({"pressures": {"l12": 1e5}}).status == 200
        times = [watcher.message()[1] for _ in range(20)]
        assert times == sorted(times)
        assert live.content.opener._busy == 2
    for sender in senders:
        sender.join(60)
    assert [answer.status for answer in answers] == [400, 400]  # type: ignore[attr-defined]
    assert all("2.5 s" in answer.text for answer in answers)  # type: ignore[attr-defined]
    assert live.content.opener._busy == 0
    assert list(temporary.iterdir()) == []
    processes = [int(each.name) for each in begun.iterdir()]
    assert len(processes) == 2
    until(lambda: not any(map(is_running, processes)), "the end of both processes")
    live.content.do({"reset": True})


def is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("end", ["import os; os.abort()", "bytearray(1 << 60)", "print('good')"])
def test_a_file_that_breaks_what_opens_it_breaks_nothing_else(
    live: Viewer, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    monkeypatch.setattr(opening, "COMMAND", end)
    place = Place.of(live.url)
    answer = place.ask("/file?name=a.csv", "POST", TABLE)
    assert (answer.status, answer.text) == (400, "a.csv: cannot be opened")
    assert place.ask().status == 200
    assert live.content.failure is None


def test_a_sender_who_leaves_leaves_nothing_behind(live: Viewer, temporary: Path) -> None:
    place = Place.of(live.url)
    with place.connect() as line:
        line.sendall(place.head("/file?name=a.nc", "POST", **{"Content-Length": "1000000"}) + b"x" * 1000)
        with watching(place) as watcher:
            while not live.content.opener._busy:
                watcher.message()
            line.close()
            while live.content.opener._busy:
                watcher.message()
    assert list(temporary.iterdir()) == []
    np.testing.assert_array_equal(live.content.live.commands, 0)
