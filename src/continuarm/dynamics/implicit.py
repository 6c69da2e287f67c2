"""One step of the motion at a fixed rate, stable however stiff springs and dampers are, in O(n).

The two-stage Rosenbrock method of order 2 whose order does not depend on how much of the motion is taken implicitly
(ROS2: Verwer, Spee, Blom and Hundsdorfer, 1999), with springs, dampers and stops taken so, and muscles as the springs
that they are for a small motion. They act section by section: each stage is one recursion of forward dynamics with
γh D + (γh)² K added to the inertia of each section.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.arms.section import Section
from continuarm.dynamics.chain import section_by_section
from continuarm.dynamics.forward import accelerations
from continuarm.sections.spatial import Array, times
from continuarm.sections.springs import stop_stiffness

GAMMA = 1 - math.sqrt(0.5)
"""γ of the method: with this one the stiffest motions die away at once."""


class Leaning(NamedTuple):
    """Forces that change with q: what they are at some lengths is in τ, and by how much they fall from there."""

    blocks: list[Array]  # (..., 3, 3) over q_i for each section, N/m
    there: Array  # (..., 3n), m: the lengths at which τ has them


def implicit_step(
    arm: Arm, q: Array, qd: Array, tau: Array, step: float, leaning: Leaning | None = None
) -> tuple[Array, Array]:
    """q and q̇ (..., 3n) a step h later under forces that are constant meanwhile but for what leans on q."""
    springs = first_stage(q, qd, step)
    qdd_first = _stage(arm, q, qd, tau, springs, qd, step, leaning)
    there, rate, springs, dampers = second_stage(q, qd, qdd_first, step)
    qdd_second = _stage(arm, there, rate, tau, springs, dampers, step, leaning)
    return end_of_step(q, qd, qdd_first, qdd_second, step)


def lean(block: Array, q: Array, there: Array, tau: Array) -> Array:
    """τ_i - K (q_i - q̂_i): a force that τ has at other lengths q̂ and that falls by K: (..., 3)."""
    return tau - times(block, q - there)


def first_stage(q: Array, qd: Array, step: Array) -> Array:
    """Where the first stage takes springs: a part γ of the step ahead."""
    return q + GAMMA * step * qd


def second_stage(q: Array, qd: Array, qdd_first: Array, step: Array) -> tuple[Array, Array, Array, Array]:
    """The state of the second stage, a whole step ahead, and where it takes springs and dampers."""
    part = GAMMA * step
    there, rate = q + step * (qd + part * qdd_first), qd + step * qdd_first
    return there, rate, there + part * (rate - 2 * qd - 4 * part * qdd_first), rate - 2 * part * qdd_first


def end_of_step(q: Array, qd: Array, qdd_first: Array, qdd_second: Array, step: Array) -> tuple[Array, Array]:
    """The state after the step, from the accelerations of both stages."""
    half = step / 2
    there = q + step * (qd + half * (qdd_first + GAMMA * (qdd_second - qdd_first)))
    return there, qd + half * (qdd_first + qdd_second)


def impedance(section: Section, stops: Array, step: Array) -> Array:
    """γh D + (γh)² (K_e + stops) over q_i: (..., 3, 3), kg; what they add to the inertia in a stage of a step h.

    stops: of end stops and of whatever else leans on q.
    """
    return resistance(section, section.stiffness_matrix + stops, GAMMA * step)


def resistance(section: Section, block: Array, part: Array) -> Array:
    """c D + c² K over q_i: (..., 3, 3), kg; what dampers and a stiffness K add to the inertia where c = part, s."""
    return part * (section.damping_matrix + part * block)


def _stage(
    arm: Arm, q: Array, qd: Array, tau: Array, springs: Array, dampers: Array, step: float, leaning: Leaning | None
) -> Array:
    blocks = [np.zeros((3, 3))] * arm.n if leaning is None else leaning.blocks
    if leaning is not None:
        both = zip(blocks, section_by_section(arm, springs, leaning.there, tau), strict=True)
        tau = np.concatenate([lean(block, *each) for block, (_, *each) in both], axis=-1)
    added = []
    for (section, qi), stops in zip(section_by_section(arm, springs), blocks, strict=True):
        for stop in section.stops:
            stops = stops + stop_stiffness(stop, qi)
        added.append(impedance(section, stops, step))
    return accelerations(arm, q, qd, tau, springs, dampers, added)
