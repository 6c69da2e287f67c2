"""Parameters that trade against each other: pairs whose errors are tied together, and what would part them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from continuarm.common.number_checks import Floats

TIED = 0.98
"""A correlation of errors beyond which two parameters are hardly told apart."""
MOST_NAMED = 3
APART = {
    frozenset(
        {"valve_lag", "delay"}
    ): "a clock that is known to be right (delay=False), or steps of many sizes in one run",
    frozenset({"valve_lag", "damping"}): "a motion without valves: the arm let go from a deflected rest",
    frozenset({"mass", "stiffness"}): "motion, where the frequency tells them apart, or a known load on the tip",
    frozenset({"muscle_area", "stiffness"}): "a known load on the tip, or an arm whose weight bends it far",
    frozenset({"muscle_area", "dead_zone"}): "pressures from just above the dead zone to the highest",
    frozenset({"dead_zone", "stiffness"}): "pressures from just above the dead zone to the highest",
    frozenset({"pressure_stiffness", "stiffness"}): "a known load on the tip at low and at high pressure",
    frozenset({"pressure_stiffness", "muscle_area"}): "a known load on the tip at low and at high pressure",
    frozenset({"hysteresis", "stiffness"}): "small and large loops of the same muscle",
    frozenset({"hysteresis", "damping"}): "the same motion slowly and fast",
    frozenset(
        {"base_rotation", "sensor_frame"}
    ): "a load on the tip, or the direction of gravity measured in the frame",
    frozenset({"length", "offset"}): "a section that bends far, or a ruler",
    frozenset({"length", "sensor_frame"}): "a measured base in the frame of the cameras, or a ruler",
    frozenset({"radius", "stiffness"}): "lengths of muscles measured beside the tips, or a ruler",
    frozenset({"radius", "muscle_area"}): "lengths of muscles measured beside the tips, or a ruler",
}
"""What would tell two parameters apart, by the first words of their names."""


def traded_in_words(names: Sequence[str], correlation: Floats, known: Sequence[bool]) -> list[str]:
    """Sentences about pairs that these recordings hardly tell apart, the most tied first; only of what is known."""
    pairs = [
        (abs(float(correlation[i, j])), i, j)
        for i in range(len(names))
        for j in range(i)
        if known[i] and known[j] and names[i].split()[0] != names[j].split()[0]
    ]
    tied = sorted((pair for pair in pairs if np.isfinite(pair[0]) and pair[0] > TIED), reverse=True)
    return [_sentence(names[j], names[i], float(correlation[i, j])) for _, i, j in tied[:MOST_NAMED]]


def _sentence(one: str, other: str, tied: float) -> str:
    how = "grow together" if tied > 0 else "trade against each other"
    kinds = frozenset({one.split()[0], other.split()[0]})
    advice = APART.get(kinds, "a recording that moves the arm in another way, or one of them known beforehand")
    return f"{one} and {other} {how} (correlation of their errors {tied:.3f}): what would part them is {advice}"
