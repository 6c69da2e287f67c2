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
from viewing import swinging

from cli_process import environment
from continuarm.arms.arm_file import load_arm
from continuarm.cli.app import main
from continuarm.simulation.motion_file import save_motion

pytest.importorskip("viser", reason="the viewer needs viser")

from continuarm.viewer.playback import Playback
from continuarm.viewer.server import MISSING, Pulse, start_server, stop_server
from continuarm.viewer.viewer import live_arm, view_motion


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
            assert re.fullmatch(r"http://127\.0\.0\.1:\d+", viewer.url)
            with urllib.request.urlopen(viewer.url) as answer:
                assert b"<html" in answer.read(2000)
            assert viewer.url in viewer._repr_html_()
    assert capsys.readouterr().out.split() == [first.url, second.url]  # and not a word from viser
    with pytest.raises(OSError, match="refused"), urllib.request.urlopen(first.url):
        pass
    first.close()  # once more does no harm


def test_a_port_that_is_taken_or_a_host_that_is_not_here_is_refused() -> None:
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


def test_without_viser_there_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], run_file: Path
) -> None:
    monkeypatch.setitem(sys.modules, "viser", None)
    with pytest.raises(ValueError, match=re.escape(MISSING)):
        view_motion(swinging())
    assert main(["view", str(run_file)]) == 2
    assert capsys.readouterr().err == f"error: {MISSING}\n"
    page = run_file.with_suffix(".html")
    assert main(["view", str(run_file), "--html", str(page)]) == 0  # needs no viewer
    assert page.exists()


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


def test_a_bad_file_in_a_running_viewer_is_said_and_the_motion_goes_on(run_file: Path) -> None:
    server = start_server("test")
    playback = Playback(server, [swinging()])
    try:
        before = playback.motions
        for name, content, sentence in (
            ("half.nc", run_file.read_bytes()[:3000], "half.nc: is damaged"),
            ("notes.txt", b"hello", "notes.txt: is not a NetCDF-4 file"),
            ("<b>.nc", b"", "&lt;b&gt;.nc: is empty"),
        ):
            playback.open(name, content)
            assert sentence in playback.message.content
            assert "/" not in re.sub(r"<[^>]*>", "", playback.message.content)  # no folder of this machine
            assert playback.motions is before
            assert playback.pulse.failure is None
        with pytest.raises(ValueError, match="must be at most 2π"):
            playback.show([swinging(size=1.0)])
        assert playback.motions is before
        save_motion(swinging(states=41), run_file)
        playback.open("run.nc", run_file.read_bytes())
        assert len(playback.motions[0].t) == 41
        assert playback.clock.duration == pytest.approx(1.0)
        assert playback.message.content == ""
    finally:
        playback.close()
        stop_server(server)


def test_two_different_arms_can_be_compared() -> None:
    one = load_arm("single-section")
    motion = swinging()
    small = type(motion)(
        one,
        motion.t,
        *(np.ascontiguousarray(getattr(motion, n)[:, :3]) for n in ("q", "qd", "tau")),
        motion.pressures[:, :3],
        motion.hysteresis[:, :3],
        motion.wrench,
        motion.t,
        motion.t,
    )
    with view_motion(motion, small.rows(slice(0, 30)), block=False) as viewer:
        viewer.content._draw()
        viewer.content.seek(1.9)
        viewer.content._draw()
        viewer.content._tell(0.0)
        assert viewer.content.frames >= 2


def test_a_failure_in_the_thread_is_not_lost() -> None:
    def fail(_: threading.Event) -> None:
        raise RuntimeError("broken")

    pulse = Pulse(fail, "test")
    assert pulse.wait(10)
    assert isinstance(pulse.failure, RuntimeError)
    pulse.close()


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
    assert line.startswith("http://127.0.0.1:")
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
