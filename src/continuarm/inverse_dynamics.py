"""Forces from accelerations in O(n): one pass outward for accelerations, one inward for forces."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from continuarm.arguments import Floats, checked
from continuarm.arm import Arm
from continuarm.chain import Link, Load, base_acceleration, links, muscle_forces, shape_rates
from continuarm.section_forces import damping, elastic
from continuarm.spatial import Array, motion_at_tip, times, transpose, wrench_at_base


def inverse_dynamics(arm: Arm, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Floats:
    """The muscle forces τ = M q̈ + C q̇ + D q̇ + G + K_e q that give an acceleration.

    q, qd, qdd: (..., 3n) in m, m/s, m/s²; returns (..., 3n) in N, positive extends. At rest it is G + K_e q.
    """
    q, qd, qdd = checked(arm, q=q, qd=qd, qdd=qdd)
    return motion_forces(arm, q, qd, qdd, arm.base_gravity) + elastic_part(arm, q) + damping_part(arm, qd)


def bias_forces(arm: Arm, q: ArrayLike, qd: ArrayLike) -> Floats:
    """Everything but M q̈ in the equation of motion: C q̇ + D q̇ + G + K_e q, i.e. the τ that gives q̈ = 0.

    q, qd: (..., 3n) in m, m/s; returns (..., 3n) in N.
    """
    q, qd = checked(arm, q=q, qd=qd)
    return inverse_dynamics(arm, q, qd, np.zeros(3 * arm.n))


def gravity_forces(arm: Arm, q: ArrayLike) -> Floats:
    """G = ∂P_g/∂q with P_g = -Σ m gᵀ p̄ (eq. Gi_c): q (..., 3n) in m -> (..., 3n) in N."""
    (q,) = checked(arm, q=q)
    still = np.zeros(3 * arm.n)
    return motion_forces(arm, q, still, still, arm.base_gravity)


def elastic_forces(arm: Arm, q: ArrayLike) -> Floats:
    """K_e q and the end stops (eq. Ge): q (..., 3n) in m -> (..., 3n) in N."""
    (q,) = checked(arm, q=q)
    return elastic_part(arm, q)


def damping_forces(arm: Arm, qd: ArrayLike) -> Floats:
    """D q̇: qd (..., 3n) in m/s -> (..., 3n) in N."""
    (qd,) = checked(arm, qd=qd)
    return damping_part(arm, qd)


def elastic_part(arm: Arm, q: Array) -> Array:
    """K_e q and the end stops, unchecked."""
    return np.concatenate([elastic(each, q[..., 3 * i : 3 * i + 3]) for i, each in enumerate(arm.sections)], axis=-1)


def damping_part(arm: Arm, qd: Array) -> Array:
    """D q̇, unchecked."""
    return np.concatenate([damping(each, qd[..., 3 * i : 3 * i + 3]) for i, each in enumerate(arm.sections)], axis=-1)


def motion_forces(arm: Arm, q: Array, qd: Array, qdd: Array, gravity: Array) -> Array:
    """M q̈ + C q̇ + G, unchecked: (..., 3n)."""
    chain, load = links(arm, q, qd)
    return carried_forces(arm, chain, load, qdd, gravity)


def carried_forces(arm: Arm, chain: list[Link], load: Load, qdd: Array, gravity: Array) -> Array:
    """The forces that accelerate links by q̈: (..., 3n)."""
    acceleration, demands = base_acceleration(gravity), []
    for here, xdd in zip(chain, shape_rates(arm, qdd), strict=True):
        demands.append(demand(here, acceleration, xdd))
        acceleration = onward_acceleration(here, acceleration, xdd)
    wrench, forces = times(load.inertia, acceleration) + load.bias, []
    for here, (base, own) in zip(reversed(chain), reversed(demands), strict=True):
        carried = wrench_at_base(wrench, here.tip.rotation, here.tip.position)
        forces.append(own + times(transpose(here.tip.subspace), carried))
        wrench = base + carried
    return muscle_forces(arm, forces[::-1])


def demand(here: Link, acceleration: Array, xdd: Array) -> tuple[Array, Array]:
    """𝓜 (ω̇, a, ẍ) + bias of one section: wrench at its base (..., 6) and generalised force (..., 3)."""
    body = here.body
    return (
        times(body.base, acceleration) + times(body.coupling, xdd) + body.base_bias,
        times(transpose(body.coupling), acceleration) + times(body.own, xdd) + body.own_bias,
    )


def onward_acceleration(here: Link, acceleration: Array, xdd: Array) -> Array:
    """X (V̇ + Ŝ ẍ + b̂): acceleration of the next base, in its own frame, (..., 6)."""
    end = here.tip
    return motion_at_tip(acceleration + times(end.subspace, xdd) + here.velocity_product, end.rotation, end.position)
