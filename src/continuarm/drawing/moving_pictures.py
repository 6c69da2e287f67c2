"""Frames as files: MP4 through ffmpeg, GIF through Pillow."""

from __future__ import annotations

import contextlib
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]
"""A frame, (height, width, 3)."""

LARGE, COLOURS = 40, 180
"""Colours of a GIF: those of the largest areas, and others."""
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
        found = Image.fromarray(nearest[_coded(frame)])
        found.putpalette(palette.tobytes())
        return found

    images = (image(frame) for frame in frames)
    first = next(images)
    options = {"duration": list(milliseconds) if len(milliseconds) > 1 else milliseconds[0], "loop": 0}
    with open(path, "wb") as file:  # Pillow would leave it open where it is interrupted
        first.save(file, format="GIF", save_all=True, append_images=images, optimize=False, disposal=1, **options)


def _palette(samples: Sequence[Pixels]) -> Pixels:
    """The colours of some frames: (at most 256, 3). Those of the largest areas as they are, others by their nearest.

    Of the others, those of small things count as much as those of large ones.
    """
    from PIL import Image

    every = np.concatenate([_coded(sample).ravel() for sample in samples])
    codes, counts = np.unique(every, return_counts=True)
    large = codes[np.argsort(-counts)[:LARGE]]
    rest = np.setdiff1d(codes, large)
    if not len(rest):
        return _decoded(large)
    few = Image.fromarray(_decoded(rest)[:, None]).quantize(COLOURS, method=Image.Quantize.MEDIANCUT, kmeans=2)
    return np.concatenate([_decoded(large), np.array(few.getpalette(), np.uint8).reshape(-1, 3)[:COLOURS]])


def _coded(frame: Pixels) -> NDArray[np.uint32]:
    """Colours (..., 3) as numbers of 6 bits a channel: (...,)."""
    high = (frame >> 2).astype(np.uint32)
    return np.asarray((high[..., 0] << 12) | (high[..., 1] << 6) | high[..., 2])


def _decoded(codes: NDArray[Any]) -> Pixels:
    """The colours of codes (m,): (m, 3)."""
    channels = np.stack([codes >> 12, (codes >> 6) & 63, codes & 63], axis=-1)
    return np.rint(channels * (255 / 63)).astype(np.uint8)


def _nearest(palette: Pixels) -> NDArray[np.uint8]:
    """For every code of a colour, the nearest of a palette: (2^18,)."""
    colours = palette.astype(np.float32)
    found = []
    for codes in np.arange(1 << 18).reshape(16, -1):  # some at a time: a small table of distances
        apart = (colours**2).sum(axis=1) - 2 * _decoded(codes).astype(np.float32) @ colours.T
        found.append(np.argmin(apart, axis=1).astype(np.uint8))
    return np.concatenate(found)
