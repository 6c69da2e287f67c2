"""The page: motions as one HTML file that plays in any browser, without a network and without this library.

The same page is served by the viewer, for motions and for live arms.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import os
import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from continuarm.arms.arm import Arm
from continuarm.common.files import output_path, replaced
from continuarm.common.number_checks import Floats
from continuarm.common.text import printable
from continuarm.drawing.bodies import bodies, disc_count
from continuarm.drawing.colours import AXES, GHOST_COLOUR, PRESSURE_COLOURS, pressure_limit, section_colour
from continuarm.engine.quantities import tip_poses
from continuarm.simulation.followed_panels import commands_apart
from continuarm.simulation.interpolation import place
from continuarm.simulation.motion import Motion
from continuarm.simulation.plots import ENERGIES, since_start, told_apart, what_drives
from continuarm.simulation.pressure_commands import UNITS
from continuarm.viewer.blob import Blob
from continuarm.viewer.camera import view
from continuarm.viewer.rig import DISCS, disc_poses, labels

LARGEST = 5_000_000
"""Bytes of a page. Of a motion that is longer, every second state is left out, until it fits."""
FRAME = 1 / 30
"""Seconds between two rows of a page at most: between them the page draws straight lines."""
MOST_ROWS = 20_000
"""Up to which rows are added between others."""
SCRIPTS = (
    "data.js",
    "vectors.js",
    "camera.js",
    "meshes.js",
    "shaders.js",
    "picture.js",
    "overlay.js",
    "plots.js",
    "panel.js",
    "saving.js",
    "playback.js",
    "handles.js",
    "moving.js",
    "live.js",
    "start.js",
)
"""In their order; the last one begins."""


class Content(NamedTuple):
    """What a page shows: a header of plain values, and the arrays that it names."""

    header: dict[str, Any]
    data: bytes

    def as_json(self) -> str:
        """As text that can stand in a page."""
        whole = {"header": self.header, "data": base64.b64encode(self.data).decode("ascii")}
        return json.dumps(whole, allow_nan=False).replace("<", "\\u003c")


class Page(NamedTuple):
    """A page, and what it may do: its Content-Security-Policy."""

    text: str
    policy: str


def export_html(
    motions: Motion | Sequence[Motion], path: str | os.PathLike[str], names: Sequence[str] | None = None
) -> None:
    """Writes one motion, or two to be compared, as a page that plays them; a file that was there is replaced whole.

    names: what the page calls them; by their arms and what tells them apart if left out.
    """
    shown = [motions] if isinstance(motions, Motion) else list(motions)
    target = check_html_path(path)
    page = html_page(*shown, names=names)
    with replaced(target) as beside:
        beside.write_text(page, encoding="utf-8")


def check_html_path(path: str | os.PathLike[str]) -> Path:
    """The file that a page would be written to, links followed; ValueError says why it cannot be."""
    return output_path(path, (".html",))


def html_page(*motions: Motion, names: Sequence[str] | None = None) -> str:
    """The page of one motion, or of two to be compared; it also fits a frame in a notebook (`srcdoc`)."""
    return page_of(playback_content(motions, names)).text


def playback_content(motions: Sequence[Motion], names: Sequence[str] | None = None) -> Content:
    """What the page of one motion shows, or of two to be compared; every second state is left out until it fits."""
    if not 1 <= len(motions) <= 2:
        raise ValueError(f"{len(motions)} motions: must be one, or two to be compared")
    for motion in motions:
        if not isinstance(motion, Motion):
            raise TypeError(f"motion is {type(motion).__name__}: must be a Motion (see simulate and load_motion)")
        if not len(motion.t):
            raise ValueError(f"the motion of {motion.arm.name!r} has no states: there is nothing to show")
    rows = [_rows(motion) for motion in motions]
    shown = [each[name] for each in rows for name in ("places", "reference") if name in each]
    points = np.concatenate([each[:: max(len(each) // 500, 1)].reshape(-1, 3) for each in shown])
    given = [printable(" ".join(name.split())) for name in names or names_of(motions)]
    highest = pressure_limit(*(motion.pressures for motion in motions))
    header = {
        "kind": "playback",
        "duration": max(float(motion.t[-1] - motion.t[0]) for motion in motions),
        "names": given,
        "details": [
            printable(f"{described(motion.arm, name)}, {what_drives(motion)}")
            for motion, name in zip(motions, given, strict=True)
        ],
        "notes": [f"stopped early: {printable(motion.stopped)}" for motion in motions if motion.stopped],
        **scenery([motion.arm for motion in motions], points, highest),
    }
    every = 1
    while True:
        blob = Blob()
        entries = [_series(blob, each, every) for each in rows]
        arms = [puppet(motion.arm, ghost=k > 0) for k, motion in enumerate(motions)]
        notes = header["notes"] + ([f"1 of {every} states is kept"] if every > 1 else [])
        motion_entries = [arm | entry for arm, entry in zip(arms, entries, strict=True)]
        content = Content(header | {"notes": notes, "motions": motion_entries}, blob.packed())
        if 4 / 3 * len(content.data) <= LARGEST or min(len(each["time"]) for each in rows) // every < 100:
            return content
        every *= 2


def names_of(motions: Sequence[Motion]) -> list[str]:
    """Names of one motion, or two different ones of two."""
    if len(motions) < 2:
        return [motion.arm.name for motion in motions]
    apart = told_apart(*motions)
    if motions[0].arm.name != motions[1].arm.name:  # which is in the names then
        return list(apart)
    return [f"{motion.arm.name}, {word}" for motion, word in zip(motions, apart, strict=True)]


def described(arm: Arm, heading: str) -> str:
    """What an arm is, in a few words that a heading does not say."""
    words = [arm.name, f"{arm.n} section{'s'[: arm.n > 1]}", f"{arm.inertia.model} model"]
    return ", ".join(word for word in words if word not in heading)


def scenery(arms: Sequence[Arm], points: Any, highest: float) -> dict[str, Any]:
    """What a page must know beside what moves: where to look from at points (m, 3), and its colours."""
    return {
        "view": view(arms, points),
        "gravity": list(arms[0].gravity),
        "pressure": {"highest": highest, "colours": PRESSURE_COLOURS, "unit": UNITS["kPa"]},
        "axes": AXES,
        "energies": ENERGIES,
    }


def puppet(arm: Arm, ghost: bool = False) -> dict[str, Any]:
    """What a page must know to draw an arm."""
    return {
        "ghost": ghost,
        "sections": arm.n,
        "discs": disc_count(arm, DISCS),
        "colours": [GHOST_COLOUR if ghost else section_colour(i) for i in range(arm.n)],
        "muscles": arm.muscle_names,
        "muscleSections": [i for i, section in enumerate(arm.sections) for _ in section.muscle_map],
        "coordinates": arm.coordinate_names,
        "tip": arm.n * (DISCS + 1) - 1,
        "parts": [body._asdict() for body in bodies(arm, DISCS, ghost)],
        "labels": [] if ghost else labels(arm),
    }


def _rows(motion: Motion) -> dict[str, Floats]:
    """What changes over time, a row for each time; where rows are far apart, more between them.

    There q is cubic, pressures are those of the row before, because they may jump, and the rest is on lines.
    """
    t = motion.t - motion.t[0]
    counts = np.clip(np.ceil(np.diff(t) / FRAME - 1e-6), 1, max(MOST_ROWS // len(t), 1)).astype(int)
    times = np.concatenate([*(np.linspace(*ends, count, endpoint=False) for ends, count in _gaps(t, counts)), t[-1:]])
    at = place(t, times)
    q = at.cubic(motion.q, motion.qd)
    poses = disc_poses(motion.arm, q)
    return {
        "time": times,
        "places": poses[..., :3],
        "turns": poses[..., 3:],
        "tips": tip_poses(motion.arm, q)[..., :3, 3],
        "pressures": motion.pressures[at.row],
        "lengths": motion.arm.muscle_lengths(q),
        "forces": at.straight(motion.tau),
        "wrench": at.straight(motion.wrench),
        **({} if motion.reference_tips is None else {"reference": at.straight(motion.reference_tips)}),
        **({"commands": motion.followed["command"][at.row]} if commands_apart(motion) else {}),
        **({"estimate": at.straight(_lengths_believed(motion))} if "estimate" in motion.followed else {}),
        **{name: at.straight(values) for name, values in since_start(motion.energies).items()},
    }


def _lengths_believed(motion: Motion) -> Floats:
    """Muscle lengths as the observer believed them to be, (k, muscles), m."""
    return motion.arm.muscle_lengths(motion.followed["estimate"])


def _gaps(t: Floats, counts: NDArray[np.intp]) -> Iterator[tuple[tuple[float, float], int]]:
    return zip(pairwise(t), counts, strict=True)


def _series(blob: Blob, rows: dict[str, Floats], every: int) -> dict[str, Any]:
    """What changes over time, one of so many rows; the numbers go into the blob. What is always zero is left out."""
    last = len(rows["time"]) - 1
    kept = np.unique(np.append(np.arange(0, last + 1, every), last))
    series = {
        name: blob.series(values[kept])
        for name, values in rows.items()
        if name in ENERGIES or (name != "time" and values.any())
    }
    return {"time": blob.floats(rows["time"][kept]), "series": series}


def page_of(content: Content, served: bool = False, more: Sequence[str] = ()) -> Page:
    """The page that shows something; served: by the viewer, whom it may ask; more: scripts that it needs beside."""
    title = content.header["names"][0]
    style, script = _inline("style.css"), "".join([*map(_inline, SCRIPTS[:-1]), *more, _inline(SCRIPTS[-1])])
    script = f'"use strict";\n(() => {{\n{script}}})();\n'
    style = f"\n{style}"
    policy = "; ".join(
        [
            "default-src 'none'",
            f"script-src '{_digest(script)}'",
            f"style-src '{_digest(style)}'",
            "img-src data: blob:",
            *(["connect-src 'self'"] if served else []),
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )
    fill = {
        "title": html.escape(title),
        "policy": html.escape(policy),
        "style": style,
        "content": content.as_json(),
        "script": script,
    }
    text = re.sub(r"\{\{(\w+)\}\}", lambda found: fill[found[1]], _inline("page.html"))
    return Page(text, policy)


@cache
def _inline(name: str) -> str:
    return (files("continuarm.viewer") / "player" / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    """By which a policy allows this text and no other."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
