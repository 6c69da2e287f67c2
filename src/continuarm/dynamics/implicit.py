"""One step of the motion at a fixed rate, stable however stiff springs and dampers are, in O(n).

The two-stage Rosenbrock method of order 2 whose order does not depend on how much of the motion is taken implicitly
(ROS2: Verwer, Spee, Blom and Hundsdorfer, 1999), with springs, dampers and stops taken so. They act section by section:
each stage is one recursion of forward dynamics with γh D + (γh)² K_e added to the inertia of each section.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from continuarm.arms.arm import Arm
from continuarm.dynamics.chain import parts
from continuarm.dynamics.forward import accelerations
from continuarm.dynamics.inverse import damping_forces, elastic_forces
from continuarm.sections.spatial import Array
from continuarm.sections.springs import impedance, stop_impedance

GAMMA = 1 - math.sqrt(0.5)
"""γ of the method: with this one the stiffest motions die away at once."""


class Stage(NamedTuple):
    """Where one stage asks for accelerations: the state, and where its springs and dampers are taken."""

    q: Array
    qd: Array
    springs: Array
    dampers: Array


def implicit_step(arm: Arm, q: Array, qd: Array, tau: Array, step: float) -> tuple[Array, Array]:
    """The state a step h later under forces that are constant meanwhile: order 2, L-stable in springs and dampers.

    q, qd, tau: (..., 3n) in m, m/s, N; step in s; returns q and q̇ (..., 3n). A batch of arms steps together.
    """
    a = _answer(arm, opening(q, qd, step), tau, step)
    b = _answer(arm, middle(q, qd, a, step), tau, step)
    return closing(q, qd, a, b, step)


def opening(q: Array, qd: Array, step: Array) -> Stage:
    """The first stage: springs a part γ of the step ahead."""
    return Stage(q, qd, q + GAMMA * step * qd, qd)


def middle(q: Array, qd: Array, a: Array, step: Array) -> Stage:
    """The second stage, after accelerations a of the first: a whole step ahead."""
    part = GAMMA * step
    there, rate = q + step * (qd + part * a), qd + step * a
    return Stage(there, rate, there + part * (rate - 2 * qd - 4 * part * a), rate - 2 * part * a)


def closing(q: Array, qd: Array, a: Array, b: Array, step: Array) -> tuple[Array, Array]:
    """The state after the step, from the accelerations of both stages."""
    half = step / 2
    return q + step * (qd + half * (a + GAMMA * (b - a))), qd + half * (a + b)


def _answer(arm: Arm, stage: Stage, tau: Array, step: float) -> Array:
    """Accelerations of a stage: (M + γh D + (γh)² K_e) q̈ = τ - C q̇ - G - springs - dampers, (..., 3n)."""
    forces = tau - elastic_forces(arm, stage.springs) - damping_forces(arm, stage.dampers)
    added = []
    for section, qi in parts(arm, stage.springs):
        extra = impedance(section, GAMMA * step)
        for muscle, limits, stiffness in section.stops:
            extra = extra + stop_impedance(muscle, limits, stiffness, GAMMA * step, qi)
        added.append(extra)
    return accelerations(arm, stage.q, stage.qd, forces, added)
