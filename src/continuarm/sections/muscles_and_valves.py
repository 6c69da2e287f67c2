"""The law of a muscle: from the pressure that a valve is commanded to the force on the arm.

A muscle pushes with A max(P - P0, 0), is stiffer by κ P than without pressure, hardens as it is stretched or
shortened, and is held back by hysteresis h and by creep, branches of a spring and a damper in series:

    force = A max(P - P0, 0) + f - κ P l - k3 l³ - h - Σ e,    T Ṗ = command - P,
    ḣ = a l̇ - b |l̇| h - g l̇ |h|  (Bouc and Wen),             ė = k l̇ - e / T  (Maxwell), for each branch

with l its length change. f is a preload: of muscles that differ in it, a section is bent at rest. Friction that holds
a muscle is shaken loose by others: b |l̇| is b ((1 - c) |l̇| + c Σ|l̇|) over all muscles of the arm; c = 0 is the law
above. A muscle whose area falls as it lengthens, A(l) = A - κ l, has the κ P l of this law. T of a
valve may differ between filling and venting. Without a lag T the pressure is the command; without hysteresis h = 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from continuarm.arms.section import Section
from continuarm.sections.spatial import Array, is_positive, magnitude, positive_part


class Muscle(NamedTuple):
    """The constants of a muscle."""

    row: Array  # (3,), of the muscle map: its length change over q_i
    area: Array  # A, m²
    dead_zone: Array  # P0, Pa
    pressure_stiffness: Array  # κ, N/m per Pa
    hardening: Array  # k3, N/m³
    preload: Array  # f, N
    fill_rate: Array  # 1/T while the pressure rises, 1/s; 0: no lag
    vent_rate: Array  # 1/T while it falls, 1/s
    loop_a: Array  # a of hysteresis, N/m
    loop_b: Array  # b, 1/m
    loop_g: Array  # g, 1/m
    shaking: Array  # c


def muscles_of(section: Section) -> list[Muscle]:
    """The muscles of a section, in order."""
    before = (section.muscle_area or 0.0, section.dead_zone, section.pressure_stiffness, section.hardening)
    after = (
        *((1 / lag if lag else 0.0) for lag in (section.valve_lag, section.vent_lag or section.valve_lag)),
        *(section.hysteresis or (0.0, 0.0, 0.0)),
        section.shaking,
    )
    rows = zip(section.muscle_map, section.muscle_preloads, strict=True)
    return [Muscle(row, *before, preload, *after) for row, preload in rows]


def along(muscle: Muscle, q: Array) -> Array:
    """The length change of a muscle, m, or its rate, m/s: (..., 3) -> (...,)."""
    return muscle.row[0] * q[..., 0] + muscle.row[1] * q[..., 1] + muscle.row[2] * q[..., 2]


def push(muscle: Muscle, pressure: Array, length: Array) -> Array:
    """A max(P - P0, 0) + f - κ P l - k3 l³, N: without hysteresis and creep."""
    spring = (muscle.pressure_stiffness * pressure + muscle.hardening * length * length) * length
    return muscle.area * positive_part(pressure - muscle.dead_zone) + muscle.preload - spring


def pressure_for(muscle: Muscle, force: Array, length: Array) -> Array:
    """The P at which the push is a force: P0 + (force - push at P0) / (A - κ l), Pa; 0 where that is not above P0."""
    slope = muscle.area - muscle.pressure_stiffness * length
    above = (force - push(muscle, muscle.dead_zone, length)) / slope
    return is_positive(above) * (muscle.dead_zone + above)


def valve_rate(muscle: Muscle, command: Array, pressure: Array) -> Array:
    """1/T, 1/s: that of filling below the command, that of venting above."""
    fills = is_positive(command - pressure)
    return fills * muscle.fill_rate + (1 - fills) * muscle.vent_rate


def pressure_rate(muscle: Muscle, command: Array, pressure: Array) -> Array:
    """Ṗ = (command - P) / T, Pa/s."""
    return valve_rate(muscle, command, pressure) * (command - pressure)


def hysteresis_rate(muscle: Muscle, hysteresis: Array, rate: Array, all_rates: Array) -> Array:
    """ḣ = a l̇ - b ((1 - c) |l̇| + c Σ|l̇|) h - g l̇ |h|, N/s; for ways in place of rates, its change, N."""
    built = muscle.loop_a * rate - forgetting(muscle, rate, all_rates) * hysteresis
    return built - muscle.loop_g * rate * magnitude(hysteresis)


def forgetting(muscle: Muscle, rate: Array, all_rates: Array) -> Array:
    """b ((1 - c) |l̇| + c Σ|l̇|), 1/s: how fast hysteresis forgets; all_rates: Σ|l̇| over the muscles of the arm."""
    own = magnitude(rate)
    return muscle.loop_b * (own + muscle.shaking * (all_rates - own))


def hysteresis_slope(muscle: Muscle, hysteresis: Array, rate: Array) -> Array:
    """∂ḣ/∂l̇ = a - b h sgn(l̇) - g |h|, N/m, not below 0: the spring that hysteresis is for a small motion."""
    sign = is_positive(rate) - is_positive(-rate)
    return positive_part(muscle.loop_a - muscle.loop_b * hysteresis * sign - muscle.loop_g * magnitude(hysteresis))


def push_slope(muscle: Muscle, pressure: Array, length: Array) -> Array:
    """∂(push)/∂P = A - κ l above the dead zone, -κ l in it, m²."""
    return muscle.area * is_positive(pressure - muscle.dead_zone) - muscle.pressure_stiffness * length


def stiffness(muscle: Muscle, pressure: Array, length: Array) -> Array:
    """κ P + 3 k3 l² + a, N/m: by how much the force of a muscle falls as it lengthens a little, creep left out."""
    return muscle.pressure_stiffness * pressure + 3 * muscle.hardening * length * length + muscle.loop_a


class ValveStep(NamedTuple):
    """What a valve does in a step of a fixed length, exactly: shares of (P - command) at the step's begin."""

    fill_left: Array  # e^(-h/T) of filling, left at its end; 0 without a lag
    fill_mean: Array  # (1 - e^(-h/T)) T/h, its mean over the step
    vent_left: Array  # the same of venting
    vent_mean: Array


def _decay(ratio: Array) -> tuple[Array, Array]:
    """e^(-x) and (1 - e^(-x)) / x: what is left of a relaxation after x time constants, and its mean until then."""
    return (np.exp(-ratio), -np.expm1(-ratio) / ratio) if ratio else (1.0, 1.0)


def valve_step(muscle: Muscle, step: float) -> ValveStep:
    """The shares for a step h, s."""
    if not muscle.fill_rate * step:
        return ValveStep(0.0, 0.0, 0.0, 0.0)
    return ValveStep(*_decay(muscle.fill_rate * step), *_decay(muscle.vent_rate * step))


def valve_moves(valve: ValveStep, command: Array, pressure: Array) -> tuple[Array, Array]:
    """The mean of the pressure over a step and the pressure at its end, Pa, for a command that is constant."""
    off = pressure - command
    fills = is_positive(-off)
    mean = fills * valve.fill_mean + (1 - fills) * valve.vent_mean
    left = fills * valve.fill_left + (1 - fills) * valve.vent_left
    return command + mean * off, command + left * off


def valve_command(valve: ValveStep, wanted: Array, pressure: Array) -> Array:
    """The constant command under which the pressure is the wanted one after the step of `valve`, Pa; any sign."""
    off = wanted - pressure
    fills = is_positive(off)
    return pressure + off / (1 - fills * valve.fill_left - (1 - fills) * valve.vent_left)


class Branch(NamedTuple):
    """A relaxing branch of a muscle: a spring and a damper in series."""

    stiffness: Array  # k, N/m
    relaxation: Array  # 1/T, 1/s


def branches_of(section: Section, count: int) -> list[Branch]:
    """The branches of every muscle of a section, made up to a count by branches that do nothing."""
    own = [Branch(k, 1 / T) for k, T in section.creep]
    return own + [Branch(0.0, 0.0)] * (count - len(own))


def creep_rate(branch: Branch, creep: Array, rate: Array) -> Array:
    """ė = k l̇ - e / T, N/s."""
    return branch.stiffness * rate - branch.relaxation * creep


class BranchStep(NamedTuple):
    """What a branch does in a step h, exactly for a constant rate: shares after the step and after half of it."""

    left: Array  # e^(-h/T)
    mean: Array  # (1 - e^(-h/T)) T/h
    half_left: Array
    half_mean: Array


def branch_step(branch: Branch, step: float) -> BranchStep:
    """The shares for a step h, s."""
    ratio = branch.relaxation * step
    return BranchStep(*_decay(ratio), *_decay(ratio / 2))
