"""The viewer as a program: where it listens, what it says of bad files, and how it ends."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path

import numpy as np
import pytest
from talking import Place
from viewing import swinging

from cli_process import environment
from continuarm.arms.arm_file import load_arm
from continuarm.cli.app import main
from continuarm.simulation.motion import Motion
from continuarm.simulation.motion_file import save_motion
from continuarm.viewer.pulse import Pulse
from continuarm.viewer.viewer import live_arm, view_motion

pytestmark = pytest.mark.slow

ADDRESS = r"http://127\.0\.0\.1:\d+/\?token=[\w-]{20,}"


@pytest.fixture
def run_file(tmp_path: Path) -> Path:
    path = tmp_path / "run.nc"
    save_motion(swinging(), path)
    return path


def damaged(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def test_the_page_is_on_this_machine_and_a_free_port(capsys: pytest.CaptureFixture[str]) -> None:
    with view_motion(swinging(), block=False) as first, view_motion(swinging(), block=False) as second:
        assert first.url != second.url
        for viewer in (first, second):
            assert re.fullmatch(ADDRESS, viewer.url)
            with urllib.request.urlopen(viewer.url) as answer:
                assert answer.read().endswith(b"</html>\n")
            assert viewer.url in viewer._repr_html_()
            assert viewer.url in repr(viewer)
    told = capsys.readouterr()
    assert told.out.split() == [first.url, second.url]  # and nothing of the requests
    assert told.err == ""
    with pytest.raises(OSError, match="refused"), urllib.request.urlopen(first.url):
        pass
    first.close()  # once more does no harm


def test_no_two_viewers_have_the_same_token() -> None:
    with view_motion(swinging(), block=False) as first, view_motion(swinging(), block=False) as second:
        assert Place.of(first.url).token != Place.of(second.url).token
        assert Place.of(first.url)._replace(token=Place.of(second.url).token).ask().status == 403  # type: ignore[union-attr]


def test_a_port_that_is_taken_or_a_host_that_is_not_here_is_refused() -> None:
    before = set(threading.enumerate())
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(ValueError, match="in use"):
            view_motion(swinging(), port=taken.getsockname()[1], block=False)
    for host, port, sentence in (
        ("203.0.113.7", None, "cannot listen there"),
        ("no such host", None, "cannot listen there"),
        ("127.0.0.1", 70000, "port = 70000: must be a whole number"),
        ("127.0.0.1", -1, "port = -1"),
    ):
        with pytest.raises(ValueError, match=sentence):
            view_motion(swinging(), host=host, port=port, block=False)
        with pytest.raises(ValueError, match=sentence):
            live_arm(load_arm("single-section"), host=host, port=port, block=False)
    assert not [each for each in set(threading.enumerate()) - before if each.name.startswith("continuarm")]


def test_what_is_no_motion_or_arm_is_refused() -> None:
    motion = swinging()
    with pytest.raises(ValueError, match="0 motions"):
        view_motion()
    with pytest.raises(ValueError, match="3 motions: must be one, or two"):
        view_motion(motion, motion, motion)
    with pytest.raises(TypeError, match="motion is str"):
        view_motion("run.nc")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="arm is str"):
        live_arm("prototype")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no states"):
        view_motion(motion.rows(slice(0, 0)))


def test_bad_files_are_refused_in_one_line(capsys: pytest.CaptureFixture[str], run_file: Path, tmp_path: Path) -> None:
    whole = run_file.read_bytes()
    bad = {
        "damaged": damaged(tmp_path / "half.nc", whole[: len(whole) // 2]),
        "is not a NetCDF-4 file": damaged(tmp_path / "text.nc", b"t, x\n0, 1\n"),
        "is empty": damaged(tmp_path / "empty.nc", b""),
        "no such file": tmp_path / "none.nc",
    }
    for sentence, path in bad.items():
        assert main(["view", str(path)]) == 2
        error = capsys.readouterr().err
        assert sentence in error
        assert error.count("\n") == 1
    assert main(["view", str(run_file), str(bad["damaged"])]) == 2
    assert main(["view", str(run_file), "--html", str(tmp_path / "no" / "x.html")]) == 2
    assert main(["live", "no-such-arm"]) == 2


def test_a_mode_of_an_arm_is_written_as_a_page(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    page = tmp_path / "mode.html"
    assert main(["view", "prototype", "--mode", "2", "--html", str(page)]) == 0
    assert "mode 2 of 9: 1.26 Hz" in page.read_text(encoding="utf-8")
    capsys.readouterr()
    for arguments, sentence in (
        (["view", "prototype", "--mode", "10"], "mode = 10: must be a whole number from 1 to 9"),
        (["view", "prototype", "other.nc", "--mode", "1"], "other.nc"),
        (["view", "no-such-arm", "--mode", "1"], "no-such-arm"),
    ):
        assert main(arguments) == 2
        error = capsys.readouterr().err
        assert sentence in error
        assert error.count("\n") == 1


def test_two_different_arms_can_be_compared() -> None:
    motion = swinging()
    with view_motion(motion, one_section(motion).rows(slice(0, 30)), block=False) as viewer:
        assert Place.of(viewer.url).ask().status == 200  # type: ignore[union-attr]


def one_section(motion: Motion) -> Motion:
    """The first section of a motion as that of a smaller arm."""
    return Motion(
        load_arm("single-section"),
        motion.t,
        *(np.ascontiguousarray(getattr(motion, n)[:, :3]) for n in ("q", "qd", "tau")),
        motion.pressures[:, :3],
        motion.hysteresis[:, :3],
        motion.wrench,
        motion.t,
        motion.t,
    )


def test_a_failure_in_the_thread_is_not_lost() -> None:
    def fail(_: threading.Event) -> None:
        raise RuntimeError("broken")

    pulse = Pulse(fail, "test")
    assert pulse.wait(10)
    assert isinstance(pulse.failure, RuntimeError)
    pulse.close()
    with live_arm(load_arm("single-section"), block=False) as viewer:
        viewer.content.pulse.close()
        viewer.content.pulse.failure = RuntimeError("broken")
        with pytest.raises(RuntimeError, match="broken"):
            viewer.wait()


@pytest.mark.skipif(sys.platform == "win32", reason="there is no Ctrl-C for one process")
@pytest.mark.parametrize("command", [["view", "run.nc"], ["live", "prototype"]])
def test_ctrl_c_ends_it_without_a_trace(command: list[str], run_file: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "continuarm", *command],
        cwd=run_file.parent,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    assert re.match(ADDRESS, line)
    url = line.split()[0]
    place = Place.of(url)
    with place.connect() as idle, place.connect() as asking:
        idle.sendall(b"GET /")
        asking.sendall(place.head("/frames" if command[0] == "live" else "/"))
        asking.recv(100)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (out, err) == ("", "")
    assert process.returncode in (0, 130)  # 130: it was not yet waiting


def test_the_live_benchmark_prints_its_figures(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["live", "single-section", "--benchmark", "0.5"]) == 0
    out = capsys.readouterr().out
    assert "steps of 1 ms" in out
    assert "times real time" in out
    assert main(["live", "single-section", "--benchmark", "-1"]) == 2
