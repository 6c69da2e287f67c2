"""The command `continuarm video`: a motion as a moving picture."""

from __future__ import annotations

import re
from typing import Annotated, Any

import typer

from continuarm.arms.summary import counted
from continuarm.cli.output import one_line, progress_bar


def _size(text: Any) -> tuple[int, int]:
    """640x480 as two numbers; the parser's own words would be about a tuple."""
    found = re.fullmatch(r"\s*(\d{1,6})\s*[x×,]\s*(\d{1,6})\s*", str(text))
    if not found:
        raise typer.BadParameter(f"{text!r} must be width and height in pixels, such as 640x480")
    return int(found[1]), int(found[2])


def video(
    motion: Annotated[str, typer.Argument(metavar="FILE", help="A motion: run.nc.")],
    output: Annotated[str, typer.Argument(metavar="VIDEO", help="The moving picture: .mp4 or .gif.")],
    fps: Annotated[float, typer.Option(help="Frames a second.")] = 30.0,
    speed: Annotated[float, typer.Option(help="How many times faster than real time it plays.")] = 1.0,
    size: Annotated[Any, typer.Option(parser=_size, metavar="WxH", help="Width and height in pixels.")] = "640x480",
) -> None:
    """Write a motion as a moving picture: the arm above the ground, its pressures as colours, the path of its tip.

    Exit codes: 0 done; 2 bad input; 130 interrupted, nothing is written.
    """
    from continuarm.simulation.motion_file import load_motion
    from continuarm.simulation.video import check_video_path, frame_count, write_video

    check_video_path(output)
    loaded = load_motion(motion)
    with progress_bar(f"drawing {one_line(loaded.arm.name)}") as progress:
        write_video(loaded, output, fps=fps, speed=speed, size=size, progress=progress)
    print(f"written to {output}: {counted(frame_count(loaded, fps, speed), 'frame')}")
