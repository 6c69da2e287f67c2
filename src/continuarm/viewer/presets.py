"""Moves to begin with: inputs for any arm whose muscles take pressures."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.common.number_checks import Floats
from continuarm.drawing.bodies import muscle_layout
from continuarm.paper.experiments import EXPERIMENTS
from continuarm.simulation.inputs import Input, PressureSignal
from continuarm.simulation.pressure_commands import line_means, muscle_index

HIGHEST = 700e3
"""The end of the sliders, Pa."""
STRONG = 400e3
"""Highest pressure of the moves that are not the paper's, Pa."""
RISE = 1.5
"""Seconds in which it is reached."""
ROUND = 4.0
"""Seconds for one turn of a sweep."""


def muscle_directions(arm: Arm) -> Floats:
    """The angle of every muscle about the unbent arm's axis, from +X of the base: (muscles,), rad."""
    angles, turn = [], 0.0
    for section in arm.sections:
        x, y, _ = muscle_layout(section)
        angles.append(np.arctan2(y, x) + turn)
        turn += section.twist
    return np.concatenate(angles)


def reach(arm: Arm) -> PressureSignal:
    """All muscles alike: the arm grows longer."""
    return PressureSignal([0.0, RISE], STRONG * np.outer([0, 1], np.ones(len(arm.muscle_names))))


def curl(arm: Arm) -> PressureSignal:
    """The muscles on the side of +X: the arm curls up towards -X."""
    pressures = STRONG * np.clip(np.cos(muscle_directions(arm)), 0, None)
    return PressureSignal([0.0, RISE], np.outer([0, 1], line_means(arm, pressures)))


def sweep(arm: Arm, duration: float = 60.0) -> PressureSignal:
    """Pressures that run around the arm: its tip goes round in circles, for so many seconds."""
    times = np.linspace(0, duration, max(int(40 * duration), 2))
    turn = 2 * np.pi * times[:, None] / ROUND
    strength = np.clip(times / RISE, 0, 1)[:, None]
    pressures = strength * STRONG * (0.5 + 0.5 * np.cos(muscle_directions(arm) - turn))
    return PressureSignal(times, line_means(arm, pressures))


def presets(arm: Arm) -> dict[str, Callable[[], Input]]:
    """The moves for an arm by name; the paper's experiments for arms that have their muscles."""
    moves: dict[str, Callable[[], Input]] = {
        "curl": lambda: curl(arm),
        "reach": lambda: reach(arm),
        "sweep": lambda: sweep(arm),
    }
    for number, experiment in EXPERIMENTS.items():
        try:
            for muscle in experiment.steps.steps:
                muscle_index(arm, muscle)
        except ValueError:
            continue
        moves[f"experiment {number}"] = lambda steps=experiment.steps: steps  # type: ignore[misc]
    return moves
