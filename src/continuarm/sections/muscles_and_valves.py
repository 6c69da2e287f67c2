"""The law of a muscle: from the pressure that a valve is commanded to the force on the arm.

A muscle pushes with A max(P - P0, 0), is stiffer by κ P than without pressure, and is held back by hysteresis h:

    force = A max(P - P0, 0) - κ P l - h,    T Ṗ = command - P,    ḣ = a l̇ - b |l̇| h - g l̇ |h|  (Bouc and Wen)

with l its length change. Without a lag T the pressure is the command; without hysteresis h = 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from continuarm.arms.section import Section
from continuarm.sections.spatial import Array, magnitude, positive_part


class Muscle(NamedTuple):
    """The constants of a muscle."""

    row: Array  # (3,), of the muscle map: its length change over q_i
    area: Array  # A, m²
    dead_zone: Array  # P0, Pa
    pressure_stiffness: Array  # κ, N/m per Pa
    valve_rate: Array  # 1/T, 1/s; 0: no lag
    loop_a: Array  # a of hysteresis, N/m
    loop_b: Array  # b, 1/m
    loop_g: Array  # g, 1/m


def muscles_of(section: Section) -> list[Muscle]:
    """The muscles of a section, in order."""
    constants = (
        section.muscle_area or 0.0,
        section.dead_zone,
        section.pressure_stiffness,
        1 / section.valve_lag if section.valve_lag else 0.0,
        *(section.hysteresis or (0.0, 0.0, 0.0)),
    )
    return [Muscle(row, *constants) for row in section.muscle_map]


def along(muscle: Muscle, q: Array) -> Array:
    """The length change of a muscle, m, or its rate, m/s: (..., 3) -> (...,)."""
    return muscle.row[0] * q[..., 0] + muscle.row[1] * q[..., 1] + muscle.row[2] * q[..., 2]


def push(muscle: Muscle, pressure: Array, length: Array) -> Array:
    """A max(P - P0, 0) - κ P l, N: without hysteresis."""
    return muscle.area * positive_part(pressure - muscle.dead_zone) - muscle.pressure_stiffness * pressure * length


def pressure_rate(muscle: Muscle, command: Array, pressure: Array) -> Array:
    """Ṗ = (command - P) / T, Pa/s."""
    return muscle.valve_rate * (command - pressure)


def hysteresis_rate(muscle: Muscle, hysteresis: Array, rate: Array) -> Array:
    """ḣ = a l̇ - b |l̇| h - g l̇ |h|, N/s; for a way in place of a rate, the change of h along it, N."""
    built = muscle.loop_a * rate - forgetting(muscle, rate) * hysteresis
    return built - muscle.loop_g * rate * magnitude(hysteresis)


def forgetting(muscle: Muscle, rate: Array) -> Array:
    """b |l̇|, 1/s: how fast hysteresis forgets."""
    return muscle.loop_b * magnitude(rate)


def stiffness(muscle: Muscle, pressure: Array) -> Array:
    """κ P + a, N/m: by how much the force of a muscle falls as it lengthens a little."""
    return muscle.pressure_stiffness * pressure + muscle.loop_a


class ValveStep(NamedTuple):
    """What a valve does in a step of a fixed length, exactly: shares of (P - command) at the step's begin."""

    left: Array  # e^(-h/T), left at its end; 0 without a lag
    mean: Array  # (1 - e^(-h/T)) T/h, its mean over the step


def valve_step(muscle: Muscle, step: float) -> ValveStep:
    """The shares for a step h, s."""
    ratio = float(muscle.valve_rate) * step
    if not ratio:
        return ValveStep(0.0, 0.0)
    return ValveStep(float(np.exp(-ratio)), float(-np.expm1(-ratio) / ratio))


def valve_moves(valve: ValveStep, command: Array, pressure: Array) -> tuple[Array, Array]:
    """The mean of the pressure over a step and the pressure at its end, Pa, for a command that is constant."""
    off = pressure - command
    return command + valve.mean * off, command + valve.left * off
