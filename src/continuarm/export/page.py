"""The page that simulates an arm by itself: one HTML file for any browser, without a server and without a network."""

from __future__ import annotations

import os
import webbrowser
from pathlib import Path
from typing import Any

import numpy as np

from continuarm.arms.arm import Arm, require_arm
from continuarm.arms.rig import Line
from continuarm.common.files import replaced
from continuarm.common.text import printable
from continuarm.dynamics.plant import Plant
from continuarm.export.simulated_plant import plant_script, simulated_plant, written
from continuarm.simulation.plots import ENERGIES, SINCE_START
from continuarm.simulation.pressure_commands import checked_pressures
from continuarm.viewer.blob import Blob
from continuarm.viewer.camera import within_reach
from continuarm.viewer.html import Content, check_html_path, described, page_of, puppet, scenery
from continuarm.viewer.live import RATE, start_lengths
from continuarm.viewer.presets import HIGHEST, presets
from continuarm.viewer.pushing import push_limits


def export_page(arm: Arm, path: str | os.PathLike[str]) -> None:
    """Writes a page that simulates an arm live, in any browser, without a server or a network.

    Parameters
    ----------
    arm : Arm
        Whose muscles take pressures: with a `muscle_area`.
    path : str or path
        A file .html; one that was there is replaced whole, or stays.

    Raises
    ------
    ValueError
        Where the muscles take no pressures, or the file cannot be written.

    Examples
    --------
    >>> from continuarm.export import export_page
    >>> export_page(ca.load_arm("prototype"), "prototype.html")
    """
    target = check_html_path(path)
    page = arm_page(arm)
    with replaced(target) as beside:
        beside.write_text(page, encoding="utf-8")


def open_page(arm: Arm, path: str | os.PathLike[str]) -> bool:
    """Writes a page likewise and opens it in the user's browser; whether there is one that takes it."""
    export_page(arm, path)
    return webbrowser.open(Path(path).resolve().as_uri())


def arm_page(arm: Arm) -> str:
    """The page that simulates an arm live; it begins at rest without pressure."""
    require_arm(arm)
    checked_pressures(arm, "pressures", np.zeros(len(arm.muscle_names)))
    plant, q, blob = Plant(arm), start_lengths(arm), Blob()
    world = scenery([arm], within_reach(arm), HIGHEST)
    moves = _moves(arm, blob)
    header = {
        "kind": "simulated",
        "names": [printable(arm.name)],
        "details": [printable(described(arm, arm.name))],
        "notes": [],
        **world,
        "motions": [puppet(arm)],
        "live": {"highest": HIGHEST, "moves": list(moves)},
        "simulated": {
            "plant": simulated_plant(plant, plant.first_state(q), 1 / RATE),
            "delays": [line.delay for line in arm.muscle_lines],
            "lines": {name: line.muscles for name, line in zip(arm.muscle_names, arm.muscle_lines, strict=True)},
            "moves": moves,
            "push": push_limits(arm, q, world["view"]["size"]),
            "sinceStart": [name in SINCE_START for name in ENERGIES],
        },
    }
    scripts = [plant_script(plant), written("simulated.js")]
    return page_of(Content(header, blob.packed()), more=scripts).text


def _moves(arm: Arm, blob: Blob) -> dict[str, Any]:
    """The moves to begin with: pressures over time as they leave the valves, which the page delays by its lines."""
    prompt = arm.replace(lines=[Line(muscles=line.muscles) for line in arm.lines])
    muscles, found = len(arm.muscle_names), {}
    for name, move in presets(prompt).items():
        drive = move().drive(prompt)
        found[name] = {
            "times": np.round(drive.times, 6).tolist(),
            "begin": blob.floats(drive.begin[:, :muscles]),
            "end": blob.floats(drive.end[:, :muscles]),
        }
    return found
