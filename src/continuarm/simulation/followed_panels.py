"""What a figure shows of a closed loop beside the motion: how far it is from its goal, and what was commanded."""

from __future__ import annotations

import contextlib

import numpy as np

from continuarm.common.number_checks import Floats
from continuarm.engine.quantities import tip_poses
from continuarm.simulation.motion import Motion


def tip_errors(motion: Motion) -> dict[str, Floats]:
    """Distances of the last tip over time, (k,), mm: from its goal, and from where the observer believed it to be."""
    found = {}
    if motion.reference_tips is not None:
        found["from its goal"] = motion.reference_tips
    if "estimate" in motion.followed:
        with contextlib.suppress(ValueError):  # what is believed need not be a shape that the arm can have
            found["from estimate"] = tip_poses(motion.arm, motion.followed["estimate"])[:, -1, :3, 3]
    return {name: 1e3 * np.linalg.norm(motion.tips[:, -1] - each, axis=-1) for name, each in found.items()}


def commands_apart(motion: Motion) -> dict[str, Floats]:
    """Commands (k,), Pa, by muscle, where valves bring something else into it."""
    commands = motion.followed.get("command", motion.pressures)
    apart = np.abs(commands - motion.pressures).max(axis=0, initial=0.0) > 0
    return {name: commands[:, k] for k, name in enumerate(motion.arm.muscle_names) if apart[k]}
