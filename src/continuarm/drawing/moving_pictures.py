"""Frames as files: MP4 through ffmpeg, GIF through Pillow."""

from __future__ import annotations

import contextlib
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]
"""A frame, (height, width, 3)."""

COLOURS = 200
"""Of a GIF, beside white and black."""
QUALITY = 21
"""Constant rate factor of x264: the less, the finer and the larger."""
MISSING = "MP4 needs the package imageio-ffmpeg: pip install 'continuarm[video]'; a .gif needs nothing more"


def ffmpeg_program() -> str:
    """Where ffmpeg is; ValueError says how to get it."""
    try:
        import imageio_ffmpeg

        return str(imageio_ffmpeg.get_ffmpeg_exe())
    except (ImportError, RuntimeError):
        raise ValueError(MISSING) from None


def write_mp4(path: Path, frames: Iterable[Pixels], size: tuple[int, int], fps: float) -> None:
    """Writes frames of a size, both even, so many a second, as H.264 that every browser plays.

    OSError if ffmpeg fails, in its words.
    """
    width, height = size
    source = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}", "-r", f"{fps:.6f}", "-i", "-"]
    coded = ["-an", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-crf", str(QUALITY), "-movflags", "+faststart"]
    command = [ffmpeg_program(), "-y", "-v", "error", *source, *coded, "-f", "mp4", str(path)]
    with tempfile.TemporaryFile() as said, _running(command, said) as (process, pipe):
        with contextlib.suppress(BrokenPipeError):  # what is wrong is said by ffmpeg
            for frame in frames:
                pipe.write(np.ascontiguousarray(frame).data)
        with contextlib.suppress(BrokenPipeError):
            pipe.close()
        if process.wait():
            said.seek(0)
            raise OSError(" ".join(said.read(2000).decode(errors="replace").split()) or "ffmpeg failed")


@contextlib.contextmanager
def _running(command: Sequence[str], said: IO[bytes]) -> Iterator[tuple[subprocess.Popen[bytes], IO[bytes]]]:
    """A process with a pipe into it, killed if it is not done at the end; Ctrl-C is ours, not its."""
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=said, start_new_session=True
    )
    try:
        assert process.stdin is not None
        yield process, process.stdin
    finally:
        if process.poll() is None:
            process.kill()
        with contextlib.suppress(OSError):
            process.stdin.close()  # type: ignore[union-attr]
        process.wait()


def write_gif(path: Path, samples: Sequence[Pixels], frames: Iterable[Pixels], milliseconds: Sequence[int]) -> None:
    """Writes frames that last so many ms each, again and again; samples are frames that have all colours.

    All frames have the same colours: what does not move then costs nothing.
    """
    from PIL import Image

    palette = _palette(samples)
    nearest = _nearest(palette)

    def image(frame: Pixels) -> Image.Image:
        found = Image.fromarray(nearest[_code(frame)])
        found.putpalette(palette.tobytes())
        return found

    images = (image(frame) for frame in frames)
    first = next(images)
    options = {"duration": list(milliseconds) if len(milliseconds) > 1 else milliseconds[0], "loop": 0}
    with open(path, "wb") as file:  # Pillow would leave it open where it is interrupted
        first.save(file, format="GIF", save_all=True, append_images=images, optimize=False, disposal=1, **options)


def _palette(samples: Sequence[Pixels]) -> Pixels:
    """The colours of some frames: (at most 256, 3), white and black among them; those of small things count as much."""
    from PIL import Image

    codes = np.unique(np.concatenate([_code(sample).ravel() for sample in samples]))
    few = _decoded(codes)[:, None]
    found = Image.fromarray(few).quantize(COLOURS, method=Image.Quantize.MEDIANCUT, kmeans=2).getpalette() or []
    ends = np.array([[255, 255, 255], [0, 0, 0]], np.uint8)
    return np.concatenate([np.array(found, np.uint8).reshape(-1, 3)[:COLOURS], ends])


def _code(frame: Pixels) -> NDArray[np.uint16]:
    """Colours (..., 3) as numbers of 5 bits a channel: (...,)."""
    high = (frame >> 3).astype(np.uint16)
    return np.asarray((high[..., 0] << 10) | (high[..., 1] << 5) | high[..., 2])


def _decoded(codes: NDArray[np.uint16]) -> Pixels:
    """The colours of codes (m,): (m, 3)."""
    channels = np.stack([codes >> 10, (codes >> 5) & 31, codes & 31], axis=-1)
    return np.rint(channels * (255 / 31)).astype(np.uint8)


def _nearest(palette: Pixels) -> NDArray[np.uint8]:
    """For every code of a colour, the nearest of a palette: (32768,)."""
    every, colours = (each.astype(np.float32) for each in (_decoded(np.arange(1 << 15, dtype=np.uint16)), palette))
    return np.argmin((colours**2).sum(axis=1) - 2 * every @ colours.T, axis=1).astype(np.uint8)
