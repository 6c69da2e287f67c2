"""Videos of motions: an arm above the ground, the path of its tip, and the time."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from continuarm.common.files import output_path, replaced
from continuarm.common.number_checks import Floats, number_above, whole_number
from continuarm.common.text import printable, short
from continuarm.drawing.bodies import axis_points
from continuarm.drawing.colours import pressure_limit
from continuarm.drawing.moving_pictures import Pixels, ffmpeg_program, write_gif, write_mp4
from continuarm.drawing.raster import Stage
from continuarm.engine.quantities import tip_poses
from continuarm.simulation.interpolation import place
from continuarm.simulation.motion import Motion
from continuarm.simulation.plots import what_drives

SUFFIXES = (".mp4", ".gif")
"""The kinds of file that a video is written to."""
MOST_FRAMES = {".mp4": 36_000, ".gif": 1_500}
"""Of a video: 20 minutes; and what the memory holds of a GIF, and anybody waits for."""
HIGHEST_RATE = {".mp4": 120.0, ".gif": 50.0}
"""Frames a second: a GIF counts hundredths of a second, and two are the least that browsers keep to."""
SMALLEST, LARGEST = 64, 4096
"""Of the sides of a frame, pixels."""
TRAIL = 400
"""About how many points the path of the tip has."""


def write_video(
    motion: Motion,
    path: str | os.PathLike[str],
    *,
    fps: float = 30.0,
    speed: float = 1.0,
    size: Sequence[int] = (640, 480),
    progress: Callable[[float], object] | None = None,
) -> None:
    """Writes a motion as .mp4 or .gif, whole or not at all; see Motion.video."""
    target = check_video_path(path)
    kind = target.suffix.lower()
    width, height = _checked_size(size, kind)
    number_above("fps", fps, 0.0, HIGHEST_RATE[kind], "Hz", "frames a second")
    number_above("speed", speed, 0.0, 1e3, "×", "times real time")
    count = frame_count(motion, fps, speed)
    if count > MOST_FRAMES[kind]:
        fewer = "a higher speed or a lower fps gives fewer"
        raise ValueError(f"{count} frames: must be at most {MOST_FRAMES[kind]} in {kind}; {fewer}")
    times = frame_times(motion, fps, speed)
    frames = Frames(motion, (width, height), speed)
    with replaced(target) as new:
        if kind == ".mp4":
            write_mp4(new, frames.at(times, progress), (width, height), fps)
        else:
            samples = list(frames.at(times[np.linspace(0, len(times) - 1, 6).astype(int)], None))
            write_gif(new, samples, frames.at(times, progress), milliseconds(len(times), fps))


def check_video_path(path: str | os.PathLike[str]) -> Path:
    """The file that a video would be written to, links followed; ValueError says why it cannot be."""
    place = output_path(path, SUFFIXES)
    if place.suffix.lower() == ".mp4":
        ffmpeg_program()
    return place


def _checked_size(size: Sequence[int], kind: str) -> tuple[int, int]:
    if isinstance(size, (str, bytes)) or not isinstance(size, (Sequence, np.ndarray)) or len(size) != 2:
        raise ValueError(f"size = {short(size)}: must be width and height in pixels, such as (640, 480)")
    width, height = (whole_number(f"size[{k}]", each, SMALLEST, LARGEST) for k, each in enumerate(size))
    if kind == ".mp4" and (width % 2 or height % 2):
        raise ValueError(f"size = {short([width, height])}: must be two even numbers in .mp4")
    return width, height


def frame_count(motion: Motion, fps: float, speed: float) -> int:
    """How many frames a video of a motion has."""
    if not len(motion.t):
        raise ValueError(f"the motion of {motion.arm.name!r} has no states: there is nothing to show")
    return int(min(np.ceil(float(motion.t[-1] - motion.t[0]) * fps / speed - 1e-9), 1e12)) + 1


def frame_times(motion: Motion, fps: float, speed: float) -> Floats:
    """The times of the frames, s after the first state: from the first to the last of the motion."""
    length = float(motion.t[-1] - motion.t[0])
    return np.minimum(np.arange(frame_count(motion, fps, speed)) * (speed / fps), length)


def milliseconds(frames: int, fps: float) -> list[int]:
    """How long each frame of a GIF lasts: whole hundredths of a second that keep pace."""
    ends = np.rint(100 * np.arange(frames + 1) / fps).astype(int)
    return [10 * int(each) for each in np.diff(ends)]


class Frames:
    """Pictures of a motion at any of its times, all seen from one place."""

    def __init__(self, motion: Motion, size: tuple[int, int], speed: float) -> None:
        self.motion, self.speed = motion, speed
        arm, some = motion.arm, motion.q[:: max(len(motion.t) // 200, 1)]
        points = np.concatenate([axis_points(arm, some, max(min(8, 400 // arm.n), 2)), motion.tips[:, -1]])
        self.pull = motion.wrench[:, 3:]
        largest = float(np.linalg.norm(self.pull, axis=-1).max())
        self.reach = 0.2 * float(np.ptp(points, axis=0).max()) / largest if largest > 0 else 0.0
        name = printable(f"{arm.name}, {what_drives(motion)}")
        name = name if len(name) <= 70 else name[:67] + "..."
        self.highest = pressure_limit(motion.pressures)
        self.stage = Stage(arm, points, size, self.highest, name)

    def at(self, times: Floats, progress: Callable[[float], object] | None) -> Iterator[Pixels]:
        """The pictures at times, s after the first state; progress is called with the share done, from 0 to 1."""
        motion = self.motion
        shown = place(motion.t - motion.t[0], times)
        states = shown.cubic(motion.q, motion.qd)
        pace = f" × {self.speed:g}" if self.speed != 1 else ""
        digits = 2 if motion.t[-1] - motion.t[0] < 100 else 1
        path = np.arange(0, len(motion.t), max(len(motion.t) // TRAIL, 1))
        now = tip_poses(motion.arm, states)[:, -1, :3, 3]
        for k, (q, row) in enumerate(zip(states, shown.row, strict=True)):
            yield self.stage.pixels(
                f"{motion.t[0] + times[k]:.{digits}f} s{pace}",
                q,
                motion.pressures[row] if self.highest else None,  # of the row before, because they may jump
                np.concatenate([motion.tips[path[path <= row], -1], now[k : k + 1]]),
                self.reach * self.pull[row],
            )
            if progress:
                progress((k + 1) / len(times))
