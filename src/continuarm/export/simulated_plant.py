"""A plant as JavaScript: the numbers that its loops begin with, and their script."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from continuarm.common.number_checks import Floats
from continuarm.dynamics.plant import Plant
from continuarm.engine.native_arm import arm_numbers, plant_numbers
from continuarm.export.javascript import script
from continuarm.viewer.rig import DISCS


def simulated_plant(plant: Plant, start: Floats, step: float) -> dict[str, Any]:
    """What `new Plant(...)` of the script takes: constants, layouts, and the first state (width,); step: s."""
    sections, _, gravity, frame, mass, offset, stops = arm_numbers(plant.arm)
    muscles, valves, branches, kept, remembers, *_ = plant_numbers(plant, step)
    states, commands = plant.states, plant.commands
    return {
        "sections": sections,
        "stops": stops,
        "gravity": gravity,
        "frame": frame,
        "mass": mass,
        "offset": offset,
        "muscles": muscles,
        "valves": valves,
        "branches": branches,
        "kept": kept,
        "step": step,
        "lagged": plant.lagged.tolist(),
        "thresholds": plant.thresholds.tolist(),
        "places": np.linspace(0, 1, DISCS).tolist(),
        "start": start.tolist(),
        "layout": {
            "width": states.width,
            "remembers": remembers,
            **{name: getattr(states, name) for name in ("pressures", "hysteresis", "creep", "supplied")},
            "commandWidth": commands.width,
            "forces": commands.forces,
            "wrench": commands.wrench,
        },
    }


def plant_script(plant: Plant) -> str:
    """Steps and loops of an arm, with names of their own: a script that defines `Plant` and `Command`."""
    loops = "\n".join(written(name) for name in ("plant.js", "commands.js"))
    return f"const {{ Plant, Command }} = (() => {{\n{script(plant.arm)}\n{loops}return {{ Plant, Command }};\n}})();\n"


@cache
def written(name: str) -> str:
    """A script of this room."""
    return (files("continuarm.export") / "simulation" / name).read_text(encoding="utf-8")
