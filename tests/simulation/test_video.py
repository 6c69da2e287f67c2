"""Videos: as long as the motion, as large as asked for, whole or not there, and what they show is the arm."""

from __future__ import annotations

import functools
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from cli_process import environment, run
from continuarm import Motion, PressureSteps, WrenchSignal, load_arm, save_motion, simulate
from continuarm.drawing.moving_pictures import MISSING, ffmpeg_program, write_mp4
from continuarm.simulation.video import Frames, frame_times, milliseconds, write_video
from refusals import refused
from sample_motions import names, swinging

pytestmark = pytest.mark.slow


def a_motion(duration: float = 0.5) -> Motion:
    return simulate(load_arm("single-section"), PressureSteps({"l11": [(0.0, 500e3)]}), duration=duration)


def facts(path: Path) -> tuple[int, tuple[int, int], float]:
    """Frames, width and height, and seconds of an MP4, as ffmpeg itself reads it."""
    command = [ffmpeg_program(), "-i", path, "-map", "0:v", "-f", "rawvideo", "-pix_fmt", "gray", "-"]
    made = subprocess.run(command, capture_output=True)
    said = made.stderr.decode()
    assert made.returncode == 0, said
    video = next(line for line in said.splitlines() if "Video: h264" in line)
    assert "yuv420p" in video
    size = next(found[0] for found in [re.findall(r"\d+x\d+", part) for part in video.split(", ")[1:]] if found)
    width, height = map(int, size.split("x"))
    hours, minutes, seconds = said.split("Duration: ")[1].split(",")[0].split(":")
    return len(made.stdout) // (width * height), (width, height), 3600 * int(hours) + 60 * int(minutes) + float(seconds)


def test_an_mp4_is_as_long_and_as_large_as_asked_for(tmp_path: Path) -> None:
    motion, path = a_motion(), tmp_path / "run.mp4"
    done: list[float] = []
    motion.video(path, fps=20, speed=0.5, size=(160, 120), progress=done.append)
    count, size, seconds = facts(path)
    assert (count, size) == (21, (160, 120))
    assert seconds == pytest.approx(21 / 20, abs=0.02)
    assert done == sorted(done)
    assert (len(done), done[-1]) == (21, 1.0)
    assert names(tmp_path) == ["run.mp4"]


def test_a_gif_keeps_pace_and_plays_again(tmp_path: Path) -> None:
    path = tmp_path / "run.gif"
    a_motion().video(path, fps=30, size=(141, 100))
    with Image.open(path) as found:
        assert found.size == (141, 100)
        assert found.n_frames == 16
        assert found.info["loop"] == 0
        total = 0
        for k in range(found.n_frames):
            found.seek(k)
            total += found.info["duration"]
    assert total == pytest.approx(1e3 * 16 / 30, abs=10)


@pytest.mark.parametrize("fps", [7.0, 15.0, 24.0, 30.0, 33.3, 50.0])
def test_durations_of_a_gif_add_up_to_the_length(fps: float) -> None:
    for frames in (1, 2, 100):
        each = milliseconds(frames, fps)
        assert len(each) == frames
        assert all(length % 10 == 0 and length >= 20 for length in each)
        assert sum(each) == pytest.approx(1e3 * frames / fps, abs=10)


@pytest.mark.parametrize(("fps", "speed"), [(30.0, 1.0), (25.0, 3.0), (10.0, 0.3), (1.0, 100.0)])
def test_frames_go_from_the_first_state_to_the_last(fps: float, speed: float) -> None:
    motion = a_motion(0.7)
    times = frame_times(motion, fps, speed)
    assert times[0] == 0.0
    assert times[-1] == pytest.approx(motion.t[-1] - motion.t[0])
    np.testing.assert_allclose(np.diff(times)[:-1], speed / fps, rtol=1e-9)


def dark(frame: np.ndarray) -> np.ndarray:
    return frame.min(axis=-1) < 170


def test_a_frame_shows_the_arm_where_it_is() -> None:
    motion = swinging(load_arm("prototype"), np.linspace(0, 2, 81), 0.02, np.zeros((81, 9)))
    frames = Frames(motion, (320, 240), 1.0)
    first, again, later = frames.at(np.array([0.0, 0.0, 1.0]), None)
    np.testing.assert_array_equal(first, again)
    assert first.shape == (240, 320, 3)
    assert (first != later).any(axis=-1).mean() > 0.02
    scene = frames.stage.scene
    for frame, row in ((first, 0), (later, 40)):
        for tip in motion.tips[row]:
            x, y = scene.camera.seen(tip) / [scene.size * 320 / 240, scene.size]
            column, line = int(160 * (1 + x)), int(120 * (1 - y))
            assert dark(frame)[line - 3 : line + 4, column - 3 : column + 4].any()


def test_pressures_are_colours_and_a_force_is_an_arrow() -> None:
    arm = load_arm("prototype")

    def warm(motion: Motion) -> int:
        (frame,) = Frames(motion, (320, 240), 1.0).at(np.array([0.1]), None)
        return int((frame[..., 0].astype(int) - frame[..., 2] > 100).sum())

    pressed = PressureSteps({"l11": [(0.0, 500e3)], "l12": [(0.0, 500e3)]})
    assert warm(simulate(arm, duration=0.1)) == 0
    assert warm(simulate(arm, pressed, duration=0.1)) > 200
    assert warm(simulate(arm, wrench=WrenchSignal([0.0], [[0, 0, 0, 3, 0, 0]]), duration=0.1)) > 50


def test_a_single_state_is_a_video_of_one_frame(tmp_path: Path) -> None:
    one = a_motion().rows(slice(0, 1))
    for name in ("one.gif", "one.mp4"):
        one.video(tmp_path / name, size=(64, 64))
    assert facts(tmp_path / "one.mp4")[0] == 1
    with refused("no states"):
        one.rows(slice(0, 0)).video(tmp_path / "none.gif")


@pytest.mark.parametrize(
    ("name", "options", "named"),
    [
        ("run.avi", {}, ("run.avi", ".mp4", ".gif")),
        ("run", {}, ("run", ".mp4")),
        ("none/run.mp4", {}, ("none/run.mp4", "does not exist")),
        ("run.mp4", {"size": (641, 480)}, ("641", "even")),
        ("run.mp4", {"size": (640, 10)}, ("size[1]", "10", "64")),
        ("run.mp4", {"size": (640, 5000)}, ("size[1]", "5000", "4096")),
        ("run.mp4", {"size": "640x480"}, ("size", "640x480")),
        ("run.mp4", {"size": (640,)}, ("size", "640")),
        ("run.mp4", {"size": 640}, ("size", "640")),
        ("run.mp4", {"size": (640.5, 480)}, ("size[0]", "640.5")),
        ("run.mp4", {"fps": 0}, ("fps", "0", "120")),
        ("run.gif", {"fps": 60}, ("fps", "60", "50")),
        ("run.mp4", {"fps": "30"}, ("fps", "'30'")),
        ("run.mp4", {"speed": -1}, ("speed", "-1")),
        ("run.mp4", {"speed": float("nan")}, ("speed", "nan")),
        ("run.mp4", {"speed": 1e-300}, ("frames", "36000")),
        ("run.gif", {"speed": 0.001}, ("15001 frames", "1500")),
    ],
)
def test_what_cannot_be_a_video_is_refused(
    name: str, options: dict[str, Any], named: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with refused(*named):
        a_motion().video(name, **options)
    assert names(tmp_path) == []


def test_without_ffmpeg_the_way_to_it_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with refused("imageio-ffmpeg", "continuarm[video]", ".gif"):
        a_motion(0.1).video(tmp_path / "run.mp4")
    a_motion(0.1).video(tmp_path / "run.gif", size=(64, 64), fps=10)
    assert "continuarm[video]" in MISSING
    assert names(tmp_path) == ["run.gif"]


@pytest.mark.parametrize("name", ["run.mp4", "run.gif"])
def test_a_video_that_is_interrupted_leaves_what_was_there(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(b"old")

    def stop(share: float) -> None:
        if share > 0.3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        a_motion().video(path, size=(64, 64), progress=stop)
    assert [(each.name, each.read_bytes()) for each in tmp_path.iterdir()] == [(name, b"old")]


def test_what_ffmpeg_says_is_the_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(OSError, match="divisible by 2"):
        write_mp4(tmp_path / "odd.mp4", [np.zeros((64, 63, 3), np.uint8)] * 300, (63, 64), 10.0)
    odd = functools.partial(write_mp4, tmp_path / "odd.mp4", [np.zeros((64, 63, 3), np.uint8)], (63, 64), 10.0)
    monkeypatch.setattr("continuarm.simulation.video.write_mp4", lambda *_: odd())
    with refused("run.mp4", "cannot be written"):
        write_video(a_motion(0.1), tmp_path / "run.mp4", size=(64, 64))
    assert "run.mp4" not in names(tmp_path)


def test_the_command_writes_a_video(tmp_path: Path) -> None:
    save_motion(a_motion(), tmp_path / "run.nc")
    done = run("video", "run.nc", "run.mp4", "--size", "120x100", "--fps", "10", "--speed", "2", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "run.mp4: 4 frames" in done.stdout
    assert facts(tmp_path / "run.mp4")[:2] == (4, (120, 100))
    for arguments, named in (
        (["run.nc", "run.avi"], ".gif"),
        (["run.nc", "run.mp4", "--size", "big"], "640x480"),
        (["run.nc", "run.mp4", "--size", "121x100"], "even"),
        (["none.nc", "run.mp4"], "none.nc"),
    ):
        bad = run("video", *arguments, cwd=tmp_path)
        assert bad.returncode == 2
        assert bad.stderr.startswith("error: ")
        assert named in bad.stderr
        assert bad.stderr.count("\n") == 1


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signal for a child")
def test_ctrl_c_at_the_command_leaves_nothing(tmp_path: Path) -> None:
    save_motion(a_motion(20.0), tmp_path / "run.nc")
    command = [sys.executable, "-m", "continuarm", "video", "run.nc", "run.mp4"]
    with subprocess.Popen(command, cwd=tmp_path, env=environment(), stderr=subprocess.PIPE, text=True) as process:
        end = time.monotonic() + 60
        while not list(tmp_path.glob(".*.tmp")) and time.monotonic() < end:  # until ffmpeg writes
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=60)[1]
    assert process.returncode == 130
    assert "Traceback" not in said
    assert [name for name in names(tmp_path) if name.endswith((".mp4", ".tmp"))] == []
