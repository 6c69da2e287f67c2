"""What a sweep keeps of the motion of every arm: where it ends, how long it takes to come to rest, energies, tracks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.common.argument_checks import listed
from continuarm.common.number_checks import Floats
from continuarm.common.text import short
from continuarm.simulation.motion_layout import coordinate_labels
from continuarm.simulation.rollouts import ENERGIES, Rollout

SETTLED = 0.02
"""Of the way that the last tip has to go: a tip that stays so near to its end has come to rest."""


@dataclass(frozen=True)
class Variable:
    """An array with an entry for each point: the dimensions of an entry, its unit and its meaning."""

    dimensions: tuple[str, ...] = ()
    unit: str = ""
    meaning: str = ""


@dataclass(frozen=True)
class MotionOutput:
    """A variable that is made of motions, and which outputs of `rollout` it needs."""

    variable: Variable
    needs: str
    of: Callable[[Rollout], Any]


def settling_times(t: Floats, track: Floats) -> Floats:
    """When points (arms, times, 3) come for good within 2 % of their longest way to where they end, s, (arms,).

    0 where a point never moves. A point that still moves at the end has about the last time.
    """
    away = np.linalg.norm(track - track[:, -1:], axis=-1)
    outside = away > SETTLED * away.max(axis=1, keepdims=True)
    after = len(t) - np.argmax(outside[:, ::-1], axis=1)  # the row after the last one outside
    return np.where(outside.any(axis=1), t[np.minimum(after, len(t) - 1)], 0.0)


OUTPUTS: dict[str, MotionOutput] = {
    "tips": MotionOutput(
        Variable(("section", "axis"), "m", "positions of the section tips at the end, world frame"),
        "tips",
        lambda found: found.tips[:, -1],  # type: ignore[index]
    ),
    "q": MotionOutput(
        Variable(("coordinate",), "m", "length changes of the muscles at the end"),
        "q",
        lambda found: found.q[:, -1],  # type: ignore[index]
    ),
    "settling_time": MotionOutput(
        Variable((), "s", "when the last tip comes for good within 2 % of its longest way to where it ends"),
        "tips",
        lambda found: settling_times(found.t, found.tips[:, :, -1]),  # type: ignore[index]
    ),
    "energies": MotionOutput(
        Variable(("energy",), "J", "energies at the end, and work since the start"),
        "energies",
        lambda found: np.stack([found.energies[name][:, -1] for name in ENERGIES], axis=-1),
    ),
    "tip_tracks": MotionOutput(
        Variable(("time", "section", "axis"), "m", "positions of the section tips over time, world frame"),
        "tips",
        lambda found: found.tips,
    ),
}


def chosen_outputs(outputs: str | Iterable[str] | None) -> tuple[str, ...]:
    """Names of outputs, in the order of OUTPUTS; where the tips end and when if none are named."""
    if outputs is None:
        return ("tips", "settling_time")
    names = listed("outputs", outputs, str, f"one of {', '.join(OUTPUTS)}")
    for name in names:
        if name not in OUTPUTS:
            raise ValueError(f"outputs: {short(name)} must be one of {', '.join(OUTPUTS)}")
    if not names:
        raise ValueError(f"outputs: none is named: must be one or more of {', '.join(OUTPUTS)}")
    return tuple(name for name in OUTPUTS if name in names)


def output_labels(arm: Arm, t: Floats, outputs: Iterable[str]) -> dict[str, list[Any]]:
    """What stands along the dimensions of some outputs."""
    known: dict[str, list[Any]] = coordinate_labels(arm) | {"energy": list(ENERGIES), "time": t.tolist()}
    used = {each for name in outputs for each in OUTPUTS[name].variable.dimensions}
    return {name: labels for name, labels in known.items() if name in used}
