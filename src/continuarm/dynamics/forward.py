"""Accelerations from forces in O(n): the articulated-body recursion, three passes over the sections.

    outward   ω of every base, tip poses and motion subspaces Ŝ                             chain.outward
    inward    [[I, F], [Fᵀ, H]] and the bias (p, C) of the section                           chain.weigh
              what hangs on its tip, seen from its base: Xᵀ IA X and Xᵀ pA + (Xᵀ IA X) b̂      lift
              U = F + IA Ŝ,  D = H + Ŝᵀ IA Ŝ,  u = f - C - Ŝᵀ pA: a 3x3 solve for ẍ           absorb
              I + IA - U D⁻¹ Uᵀ and p + pA + U D⁻¹ u: what the section before carries
    outward   ẍ = D⁻¹ (u - Uᵀ V̇), then V̇ of the next base                                   respond

The letters are those of Featherstone (Rigid Body Dynamics Algorithms, chapter 7), with three differences. A section is
a joint that has a body of its own, whose blocks F, H and C join U, D and u. IA and pA are of what a tip carries, not
of the section that carries it. Accelerations V̇ = (ω̇, a) are those of points, a = v̇ + ω×v, and b̂ (`product`) is what is
left of the tip's at V̇ = 0 and ẍ = 0: no linear velocity is needed. D here is of this recursion; the damping matrix,
which is called D elsewhere, enters with the springs in the force f.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.arms.section import Section
from continuarm.dynamics.chain import (
    Articulated,
    Passage,
    base_acceleration,
    onward_acceleration,
    passages,
    payload_body,
    section_by_section,
    weigh,
)
from continuarm.sections.coordinates import force_of, length_rate_of
from continuarm.sections.inertia import SectionBody
from continuarm.sections.kinematics import Tip
from continuarm.sections.spatial import (
    Array,
    inertia_at_base,
    motion_at_tip,
    solved,
    symmetric,
    times,
    transpose,
    wrench_at_base,
)
from continuarm.sections.springs import damping, elastic, stop_force


class Response(NamedTuple):
    """How a section moves with its base: ẍ = D⁻¹ u - D⁻¹ Uᵀ (acceleration of its base)."""

    Dinv_u: Array  # (..., 3)
    Dinv_UT: Array  # (..., 3, 6)


class Eliminated(NamedTuple):
    """A section whose ẍ is eliminated, for any force: its tip and how that moves with ẍ, D⁻¹ and D⁻¹ Uᵀ.

    X Ŝ is kept, and not Ŝ: so a wrench or an acceleration passes a section in half as many operations that wait for
    each other.
    """

    rotation: Array  # (..., 3, 3), of the tip
    position: Array  # (..., 3)
    lever: Array  # X Ŝ, (..., 6, 3): V̇ of the tip over ẍ, in the frame of the tip
    Dinv: Array  # (..., 3, 3)
    Dinv_UT: Array  # (..., 3, 6)


def eliminated_section(end: Tip, Dinv: Array, Dinv_UT: Array) -> Eliminated:
    """What is kept of a section with such a tip."""
    columns = motion_at_tip(transpose(end.subspace), end.rotation[..., None, :, :], end.position[..., None, :])
    return Eliminated(end.rotation, end.position, transpose(columns), Dinv, Dinv_UT)


class GroundedBody(NamedTuple):
    """The blocks of a section's body that matter where its base is fixed."""

    F: Array
    H: Array
    C: Array


def forward_dynamics(arm: Arm, q: Array, qd: Array, tau: Array) -> Array:
    """q̈ = M⁻¹ (τ - C q̇ - D q̇ - G - K_e q), end stops with the springs: (..., 3n)."""
    return accelerations(arm, q, qd, tau, q, qd, [np.zeros((3, 3))] * arm.n)


def accelerations(
    arm: Arm, q: Array, qd: Array, tau: Array, springs: Array, dampers: Array, added: list[Array]
) -> Array:
    """q̈ of (M + added) q̈ = τ - C q̇ - G - K_e (springs) - D (dampers): (..., 3n).

    Springs and dampers may be taken at other lengths and rates than the state's; `added` has a matrix over q_i
    (..., 3, 3), kg, for each section.
    """
    chain, omega = passages(arm, q, qd)
    carried, responses, products = payload_body(*arm.carried_mass, omega), [], []
    inward = zip(chain, section_by_section(arm, qd, tau, springs, dampers), added, strict=True)
    for passage, (section, qdi, force, at, against), extra in reversed(list(inward)):
        body, product = weigh(arm.inertia, section, passage, qdi)
        for stop in section.stops:
            force = force - stop_force(stop, at)
        lifted = lift(passage, product, carried)
        carried, response = absorb(section, passage, stiffen(section, body, extra), at, against, force, lifted)
        responses.append(response)
        products.append(product)
    acceleration, qdds = base_acceleration(arm.base_gravity), []
    back = zip(arm.sections, chain, reversed(responses), reversed(products), strict=True)
    for section, passage, response, product in back:
        qdd, acceleration = respond(section, passage, response, product, acceleration)
        qdds.append(qdd)
    return np.concatenate(qdds, axis=-1)


def stiffen(section: Section, body: SectionBody, extra: Array) -> SectionBody:
    """A body whose ẍ is resisted by an extra matrix over q_i as well, B⁻ᵀ (extra) B⁻¹."""
    return body._replace(H=symmetric(body.H + transpose(section.length_map) @ extra @ section.length_map))


def lift(passage: Passage, product: Array, carried: Articulated) -> Articulated:
    """What hangs on a section's tip, seen from its base: Xᵀ IA X, and the force of the velocity product alone."""
    end = passage.tip
    IA = inertia_at_base(carried.IA, end.rotation, end.position)
    return Articulated(IA, wrench_at_base(carried.pA, end.rotation, end.position) + times(IA, product))


def absorb(
    section: Section, passage: Passage, body: SectionBody, q: Array, qd: Array, tau: Array, lifted: Articulated
) -> tuple[Articulated, Response]:
    """One section inward: takes what hangs on its tip, eliminates its own ẍ, and is carried by the section before.

    q, qd: where its springs and dampers are taken, in an implicit step not those of the state; tau: (..., 3), less the
    force of its stops; lifted: what hangs on the tip, seen from the base.
    """
    carried, response, _ = absorb_and_keep(section, passage, body, q, qd, tau, lifted)
    return carried, response


def coupled(body: SectionBody, S: Array, IA: Array) -> tuple[Array, Array]:
    """U = F + IA Ŝ (..., 6, 3) and D = H + Ŝᵀ IA Ŝ (..., 3, 3): how ẍ is coupled to the base, and resisted."""
    return body.F + IA @ S, body.H + transpose(S) @ (IA @ S)


def absorb_and_keep(
    section: Section, passage: Passage, body: SectionBody, q: Array, qd: Array, tau: Array, lifted: Articulated
) -> tuple[Articulated, Response, Eliminated]:
    """`absorb`, and what answers other forces at the same place."""
    S, (IA, pA) = passage.tip.subspace, lifted
    U, D = coupled(body, S, IA)
    u = force_of(section, tau - elastic(section, q) - damping(section, qd)) - (body.C + times(transpose(S), pA))
    Dinv_UT = solved(D, transpose(U))
    Dinv_u = solved(D, u[..., None])[..., 0]
    return (
        Articulated(symmetric(body.I + IA - U @ Dinv_UT), body.p + pA + times(U, Dinv_u)),
        Response(Dinv_u, Dinv_UT),
        eliminated_section(passage.tip, symmetric(solved(D, np.eye(3))), Dinv_UT),
    )


def respond(
    section: Section, passage: Passage, response: Response, product: Array, acceleration: Array
) -> tuple[Array, Array]:
    """One section outward again: its q̈ (..., 3), and the acceleration of the next base (..., 6)."""
    xdd = response.Dinv_u - times(response.Dinv_UT, acceleration)
    return length_rate_of(section, xdd), onward_acceleration(passage.tip, product, acceleration, xdd)


# Less work for native code. The base of the first section is fixed, so that its ω is zero (said to the recording by a
# constant) and its I and p are not needed; a last section without payload has nothing to lift.

NOTHING = Articulated(np.zeros((6, 6)), np.zeros(6))


def weigh_base(model: object, section: Section, passage: Passage, qd: Array) -> tuple[GroundedBody, Array]:
    """`weigh` of the first section."""
    body, product = weigh(model, section, passage._replace(omega=np.zeros(3)), qd)
    return GroundedBody(body.F, body.H, body.C), product


def stiffen_base(section: Section, grounded: GroundedBody, extra: Array) -> GroundedBody:
    """`stiffen` of the first section."""
    body = stiffen(section, _whole(grounded), extra)
    return GroundedBody(body.F, body.H, body.C)


def absorb_base(
    section: Section, passage: Passage, grounded: GroundedBody, q: Array, qd: Array, tau: Array, lifted: Articulated
) -> Response:
    """`absorb` of the first section."""
    return absorb(section, passage, _whole(grounded), q, qd, tau, lifted)[1]


def absorb_base_and_keep(
    section: Section, passage: Passage, grounded: GroundedBody, q: Array, qd: Array, tau: Array, lifted: Articulated
) -> tuple[Response, Eliminated]:
    """`absorb_and_keep` of the first section."""
    return absorb_and_keep(section, passage, _whole(grounded), q, qd, tau, lifted)[1:]


def absorb_tip_and_keep(
    section: Section, passage: Passage, body: SectionBody, q: Array, qd: Array, tau: Array
) -> tuple[Articulated, Response, Eliminated]:
    """`absorb_and_keep` of a last section that carries nothing."""
    return absorb_and_keep(section, passage, body, q, qd, tau, NOTHING)


def absorb_tip(
    section: Section, passage: Passage, body: SectionBody, q: Array, qd: Array, tau: Array
) -> tuple[Articulated, Response]:
    """`absorb` of a last section that carries nothing."""
    return absorb(section, passage, body, q, qd, tau, NOTHING)


def absorb_only(
    section: Section, passage: Passage, grounded: GroundedBody, q: Array, qd: Array, tau: Array
) -> Response:
    """`absorb` of the only section, which carries nothing."""
    return absorb_base(section, passage, grounded, q, qd, tau, NOTHING)


def respond_tip(section: Section, passage: Passage, response: Response, acceleration: Array) -> Array:
    """`respond` of the last section: q̈ alone."""
    return respond(section, passage, response, np.zeros(6), acceleration)[0]


def _whole(grounded: GroundedBody) -> SectionBody:
    return SectionBody(np.zeros((6, 6)), grounded.F, grounded.H, np.zeros(6), grounded.C)
