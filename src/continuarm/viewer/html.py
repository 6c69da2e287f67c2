"""A motion as one HTML file: it plays from disk in any browser, without a network and without this library."""

from __future__ import annotations

import base64
import html
import json
import os
import re
import zlib
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from continuarm.common.files import output_path, replaced
from continuarm.common.number_checks import Floats
from continuarm.simulation.motion import Motion
from continuarm.viewer.camera import GAP, camera_for, places_of, pressure_limit, up_direction
from continuarm.viewer.clock import duration_of
from continuarm.viewer.panel import HEIGHT, LEFT, RIGHT, WIDTH, heading, plots_of, pressure_bar
from continuarm.viewer.rig import disc_poses, rig
from continuarm.viewer.shapes import GHOST_COLOUR, PRESSURE_COLOURS, SECTION_COLOURS, section_colour

LARGEST = 5_000_000
"""Bytes of a page. Of a motion that is longer, every second state is left out, until it fits."""
SCRIPTS = ("data.js", "camera.js", "picture.js", "player.js")


def export_html(motions: Motion | Sequence[Motion], path: str | os.PathLike[str]) -> None:
    """Writes one motion, or two to be compared, as a page that plays them; a file that was there is replaced whole."""
    shown = [motions] if isinstance(motions, Motion) else list(motions)
    target = check_html_path(path)
    page = html_page(*shown)
    with replaced(target) as beside:
        beside.write_text(page, encoding="utf-8")


def check_html_path(path: str | os.PathLike[str]) -> Path:
    """The file that a page would be written to, links followed; ValueError says why it cannot be."""
    return output_path(path, (".html",))


def html_page(*motions: Motion) -> str:
    """The page of one motion, or of two to be compared."""
    if not 1 <= len(motions) <= 2:
        raise ValueError(f"{len(motions)} motions: must be one, or two to be compared")
    duration_of(*motions)
    every = 1
    while True:
        page = _page(motions, every)
        if len(page) <= LARGEST or min(len(motion.t) for motion in motions) // every < 100:
            return page
        every *= 2


def _page(motions: Sequence[Motion], every: int) -> str:
    first, up = motions[0], up_direction(motions[0].arm)
    points, path = places_of(motions)
    camera, size = camera_for(points, path, up), float(np.ptp(points, axis=0).max())
    blob = Blob()
    names = [" ".join(f"{motion.arm.name}, {motion.arm.inertia.model}".split()) for motion in motions]
    header = {
        "names": names,
        "duration": duration_of(*motions),
        "camera": {"position": camera.position.tolist(), "target": camera.look_at.tolist(), "up": up.tolist()},
        "gravity": {"along": list(first.arm.gravity), "from": (0.5 * size * camera.free_side).tolist()},
        "floor": float((points @ up).min() - GAP * size),
        "size": size,
        "pressure": {"highest": pressure_limit(motions), "colours": PRESSURE_COLOURS},
        "plot": {"left": LEFT, "right": WIDTH - RIGHT, "height": HEIGHT},
        "motions": [_motion(blob, motion, every, ghost=k > 0) for k, motion in enumerate(motions)],
    }
    title = f"Motion of {first.arm.name}"
    colours = (SECTION_COLOURS[0], GHOST_COLOUR)
    notes = [f"stopped early: {motion.stopped}" for motion in motions if motion.stopped]
    notes += [f"1 of {every} states is kept"] if every > 1 else []
    places = files("continuarm.viewer") / "player"
    fill = {
        "title": html.escape(" ".join(title.split())),
        "style": (places / "style.css").read_text(encoding="utf-8"),
        "names": heading(list(zip(names, colours, strict=False))),
        "notes": html.escape("; ".join(notes)),
        "bar": pressure_bar(motions, pressure_limit(motions)),
        "plots": "".join(plots_of(first, 0.0)),
        "header": json.dumps(header, allow_nan=False).replace("<", "\\u003c"),
        "data": base64.b64encode(blob.packed()).decode("ascii"),
        "script": "\n".join((places / name).read_text(encoding="utf-8") for name in SCRIPTS),
    }
    page = (places / "page.html").read_text(encoding="utf-8")
    return re.sub(r"\{\{(\w+)\}\}", lambda found: fill[found[1]], page)


def _motion(blob: Blob, motion: Motion, every: int, ghost: bool) -> dict[str, Any]:
    """What the page must know of a motion; its numbers go into the blob."""
    arm = motion.arm
    kept = np.unique(np.append(np.arange(0, len(motion.t), every), len(motion.t) - 1))
    puppet = rig(arm, ghost)
    tubes = [section_colour(i) for i in range(arm.n)]
    return {
        "ghost": ghost,
        "sections": arm.n,
        "colours": [GHOST_COLOUR] * arm.n if ghost else tubes,
        "time": blob.floats((motion.t - motion.t[0])[kept]),
        "poses": blob.series(disc_poses(arm, motion.q[kept])),
        "tips": blob.series(motion.tips[kept]),
        "pressures": blob.series(motion.pressures[kept]),
        "energies": {name: blob.series(values[kept]) for name, values in motion.energies.items()},
        "rig": {
            "disc": blob.whole(puppet.disc),
            "place": blob.floats(puppet.place),
            "normal": blob.floats(puppet.normal),
            "colour": blob.whole(puppet.colour),
            "muscle": blob.whole(puppet.muscle),
            "parts": {part: blob.whole(faces) for part, faces in puppet.parts.items()},
        },
    }


class Blob:
    """Arrays one after the other, compressed together; a page finds each by its place, size and kind."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.size = 0

    def _keep(self, kind: str, array: NDArray[Any], **more: Any) -> dict[str, Any]:
        data = array.tobytes()
        entry = {"kind": kind, "begin": self.size, "bytes": len(data), **more}
        self.parts.append(data)
        self.size += len(data)
        return entry

    def floats(self, values: NDArray[Any]) -> dict[str, Any]:
        """Numbers in single precision."""
        return self._keep("float", np.asarray(values, dtype="<f4"), shape=list(values.shape))

    def whole(self, values: NDArray[Any]) -> dict[str, Any]:
        """Whole numbers."""
        return self._keep("whole", np.asarray(values, dtype="<i4"), shape=list(values.shape))

    def series(self, values: Floats) -> dict[str, Any]:
        """Numbers over time (k, ...) as 16 bits of the range of all: changes from row to row, high bytes first.

        They are smooth, so that the changes are small and most of the high bytes the same.
        """
        low, high = float(values.min()), float(values.max())
        step = (high - low) / 65535 or 1.0
        levels = np.rint((values.reshape(len(values), -1) - low) / step).astype(np.uint16)
        changes = np.diff(levels, axis=0, prepend=np.uint16(0)).T
        planes = np.ascontiguousarray(changes).astype("<u2").view(np.uint8).reshape(-1, 2).T[::-1]
        return self._keep("series", np.ascontiguousarray(planes), shape=list(values.shape), low=low, step=step)

    def packed(self) -> bytes:
        """All of it, as zlib does."""
        return zlib.compress(b"".join(self.parts), 6)
