"""(M + added) x = r in O(n), with `added` a matrix for each section: what an implicit method solves again and again.

No M is formed. The articulated-body recursion of `forward` at rest, without gravity, is a solve with M; stiffened
bodies make it one with M + added. What it computes from the state alone is kept for many right-hand sides:

    once a state        tip and inertia of every section, [[I, F], [Fᵀ, H]]                       settle
    once for `added`    inward: U = F + IA Ŝ, D = H + added + Ŝᵀ IA Ŝ; D⁻¹ and D⁻¹ Uᵀ are kept     eliminate
    for every r         inward: u = r - (X Ŝ)ᵀ f and D⁻¹ u of a wrench f, on to Xᵀ f + U D⁻¹ u    absorb_force
                        outward: ẍ = D⁻¹ u - D⁻¹ Uᵀ V̇, on to X V̇ + (X Ŝ) ẍ                        respond_to_force

The letters are those of `forward`. With `added` = c D + c² K this is the linear system of Newton's iteration for
backward differences: `newton`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.arms.section import Section
from continuarm.dynamics.chain import Passage, payload_body, section_by_section, weigh
from continuarm.dynamics.forward import Eliminated, coupled, eliminated_section, stiffen
from continuarm.sections.coordinates import force_of, length_rate_of, shape_of
from continuarm.sections.inertia import SectionBody
from continuarm.sections.kinematics import Tip, shape, tip
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


class RestingSection(NamedTuple):
    """A section that does not move: its tip, and its inertia over (V̇ of its base, ẍ)."""

    tip: Tip
    I: Array  # (..., 6, 6)
    F: Array  # (..., 6, 3)
    H: Array  # (..., 3, 3)


def solve_stiffened(arm: Arm, q: Array, added: list[Array], force: Array) -> Array:
    """x of (M(q) + added) x = force: (..., 3n); `added` has a symmetric matrix over q_i (..., 3, 3) for each section.

    With nothing added it is M⁻¹ (force).
    """
    sections = eliminated_sections(arm, q, added)
    wrench, inward = np.zeros(6), []
    for (section, forcei), eliminated in reversed(list(zip(section_by_section(arm, force), sections, strict=True))):
        Dinv_u, wrench = absorb_force(section, eliminated, forcei, wrench)
        inward.append(Dinv_u)
    acceleration, found = np.zeros(6), []
    for section, eliminated, Dinv_u in zip(arm.sections, sections, reversed(inward), strict=True):
        x, acceleration = respond_to_force(section, eliminated, Dinv_u, acceleration)
        found.append(x)
    return np.concatenate(found, axis=-1)


def eliminated_sections(arm: Arm, q: Array, added: list[Array]) -> list[Eliminated]:
    """All sections inward, each with what hangs on its tip, from the base to the tip."""
    inertia, found = payload_body(*arm.carried_mass, np.zeros(3)).IA, []
    for (section, qi), extra in reversed(list(zip(section_by_section(arm, q), added, strict=True))):
        inertia, eliminated = eliminate(section, settle(arm.inertia, section, qi), extra, inertia)
        found.append(eliminated)
    return found[::-1]


def settle(model: object, section: Section, q: Array) -> RestingSection:
    """A section at rest: its tip and its inertia."""
    here, still = shape(shape_of(section, q)), np.zeros(3)
    end = tip(section, here)
    body, _ = weigh(model, section, Passage(here, end, still), still)
    return RestingSection(end, body.I, body.F, body.H)


def eliminate(section: Section, resting: RestingSection, extra: Array, inertia: Array) -> tuple[Array, Eliminated]:
    """One section inward: the inertia (..., 6, 6) that the section before carries, and what is kept.

    extra: (..., 3, 3) over q_i, kg; inertia: of what hangs on the tip, in its frame.
    """
    end = resting.tip
    body = stiffen(section, SectionBody(resting.I, resting.F, resting.H, np.zeros(6), np.zeros(3)), extra)
    IA, S = inertia_at_base(inertia, end.rotation, end.position), end.subspace
    U, D = coupled(body, S, IA)
    Dinv = symmetric(solved(D, np.eye(3)))
    Dinv_UT = Dinv @ transpose(U)
    return symmetric(body.I + IA - U @ Dinv_UT), eliminated_section(end, Dinv, Dinv_UT)


def absorb_force(section: Section, eliminated: Eliminated, force: Array, wrench: Array) -> tuple[Array, Array]:
    """One section inward: D⁻¹ u (..., 3) of a force over q_i, and the wrench (..., 6) on the tip of the one before."""
    pA = wrench_at_base(wrench, eliminated.rotation, eliminated.position)
    u = force_of(section, force) - times(transpose(eliminated.lever), wrench)
    return times(eliminated.Dinv, u), pA + times(transpose(eliminated.Dinv_UT), u)


def respond_to_force(
    section: Section, eliminated: Eliminated, Dinv_u: Array, acceleration: Array
) -> tuple[Array, Array]:
    """One section outward again: its part of the solution (..., 3), and the acceleration of the next base (..., 6)."""
    xdd = Dinv_u - times(eliminated.Dinv_UT, acceleration)
    onward = motion_at_tip(acceleration, eliminated.rotation, eliminated.position) + times(eliminated.lever, xdd)
    return length_rate_of(section, xdd), onward


# Less work for native code: nothing pulls at the last tip, and the base of the first section stands still.


def absorb_force_tip(section: Section, eliminated: Eliminated, force: Array) -> tuple[Array, Array]:
    """`absorb_force` of the last section."""
    return absorb_force(section, eliminated, force, np.zeros(6))


def absorb_force_base(section: Section, eliminated: Eliminated, force: Array, wrench: Array) -> Array:
    """`absorb_force` of the first section."""
    return absorb_force(section, eliminated, force, wrench)[0]


def respond_to_force_base(section: Section, eliminated: Eliminated, Dinv_u: Array) -> tuple[Array, Array]:
    """`respond_to_force` of the first section."""
    return respond_to_force(section, eliminated, Dinv_u, np.zeros(6))


# ---- Newton's iteration: what native code does for one section in each pass ------------------------------------------


def resisting(extra: Array, block: Array, q_residual: Array, qd_residual: Array, pull: Array, part: Array) -> Array:
    """(c D + c² K) r_v + c (K r_q - pull): the force (..., 3) that resists a residual.

    extra: c D + c² K, with what muscles remember eliminated; pull: of their own residuals, (..., 3), N.
    """
    return times(extra, qd_residual) + part * (times(block, q_residual) - pull)


def correct_inward(
    section: Section,
    eliminated: Eliminated,
    extra: Array,
    block: Array,
    q_residual: Array,
    qd_residual: Array,
    pull: Array,
    part: Array,
    wrench: Array,
) -> tuple[Array, Array]:
    """`absorb_force` of what resists a residual."""
    return absorb_force(section, eliminated, resisting(extra, block, q_residual, qd_residual, pull, part), wrench)


def correct_inward_tip(
    section: Section,
    eliminated: Eliminated,
    extra: Array,
    block: Array,
    q_residual: Array,
    qd_residual: Array,
    pull: Array,
    part: Array,
) -> tuple[Array, Array]:
    """`correct_inward` of the last section, at whose tip nothing pulls."""
    return correct_inward(section, eliminated, extra, block, q_residual, qd_residual, pull, part, np.zeros(6))


def correct_inward_base(
    section: Section,
    eliminated: Eliminated,
    extra: Array,
    block: Array,
    q_residual: Array,
    qd_residual: Array,
    pull: Array,
    part: Array,
    wrench: Array,
) -> Array:
    """`correct_inward` of the first section, before which there is none."""
    return correct_inward(section, eliminated, extra, block, q_residual, qd_residual, pull, part, wrench)[0]


def correct_outward(
    section: Section,
    eliminated: Eliminated,
    Dinv_u: Array,
    q_residual: Array,
    qd_residual: Array,
    part: Array,
    acceleration: Array,
) -> tuple[Array, Array, Array]:
    """`respond_to_force`, and with it the corrections of q_i and q̇_i (..., 3) in place of their residuals."""
    x, onward = respond_to_force(section, eliminated, Dinv_u, acceleration)
    correction = qd_residual - x
    return q_residual + part * correction, correction, onward


def correct_outward_base(
    section: Section, eliminated: Eliminated, Dinv_u: Array, q_residual: Array, qd_residual: Array, part: Array
) -> tuple[Array, Array, Array]:
    """`correct_outward` of the first section, whose base stands still."""
    return correct_outward(section, eliminated, Dinv_u, q_residual, qd_residual, part, np.zeros(6))


def correct_outward_tip(
    section: Section,
    eliminated: Eliminated,
    Dinv_u: Array,
    q_residual: Array,
    qd_residual: Array,
    part: Array,
    acceleration: Array,
) -> tuple[Array, Array]:
    """`correct_outward` of the last section."""
    return correct_outward(section, eliminated, Dinv_u, q_residual, qd_residual, part, acceleration)[:2]
