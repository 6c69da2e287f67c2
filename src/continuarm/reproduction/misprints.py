"""Where the paper's print is corrected: the table of the report, the same as in docs/notation.md (a test compares)."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["MISPRINTS", "Misprint"]


class Misprint(NamedTuple):
    """One place of the paper, what stands there, and what is computed instead."""

    where: str
    printed: str
    corrected: str


MISPRINTS = (
    Misprint(
        "eq. 1 HTM_section",
        "last rotation R_{Z}(θ): a section twists when it bends, T_{i} ≠ I at ξ = 0",
        "R_{Z}(-θ)",
    ),
    Misprint("eq. 2 HTM_ith", "product over k of T_{i}", "of T_{k}"),
    Misprint("II-B, III-B1", "modal functions of order 15; of order 13", "both computed"),
    Misprint(
        "eqs. 18 Kwi_c, 20 Kvi_c",
        "R̄ R̄ᵀ treated as 1 on the way; R̄ is an average of rotations, not a rotation",
        "energies taken as printed",
    ),
    Misprint(
        "eq. 21 dKw_i, Fig. 3e",
        "the factor 2 of the cross term on the base term",
        "on the cross term, as in eqs. 17 Kwi, 18 Kwi_c",
    ),
    Misprint("eq. 22 dKv_i", "no factor 2 on the cross term", "2 on the cross term, as in eqs. 19 Kvi, 20 Kvi_c"),
    Misprint(
        "III-B1",
        "α_{l} ≤ 6π α_{r}, “limits the bend to 4π/3”: it limits it to 4π",
        "both readings: α_{l} ≤ 2π α_{r}, “2pi”, and as printed, “6pi”",
    ),
    Misprint(
        "III-B2",
        "a factor 2 before the cross term of K̄^{ω}, none before that of K^{ω} it is compared with",
        "the same before both",
    ),
    Misprint(
        "III-B2",
        "β searched in [0, 1]",
        "no bounds: ∫|u|² ≥ |∫u|², so that β1 and β3 of the linear energy are at least 1",
    ),
    Misprint(
        "III-B2, Fig. 3",
        "the text calls panel (f) the own angular term, the caption the cross term",
        "panels in the caption's order: (d) own, (e) base, (f) cross",
    ),
    Misprint("eq. 25 Mv_c", "2 J^{υ}ᵀ J^{Ω} p̄ in σ11^{υ}: M not symmetric", "its symmetric part"),
    Misprint(
        "eq. 26 Ckj",
        "½ Σ_{h} (M_{kj,h} + M_{kh,j} - M_{hj,k}) q̇_{h} for C_{jk}: this is Cᵀ. Ṁ - 2Cᵀ is skew too, so that energy "
        "is kept, but the force Cᵀ q̇ is not Lagrange's C q̇ = Ṁ q̇ - ∂K/∂q",
        "C_{jk} = ½ Σ_{h} (M_{jk,h} + M_{jh,k} - M_{kh,j}) q̇_{h}",
    ),
    Misprint(
        "eq. 27 dMw_C, Table III",
        "η12^{ω} = β2 (H_{h} R̄_{,q})ᵀ R̄, and γ12^{ω} alike: R̄ and R̄_{,q} exchanged, the sign of T_{2} opposite as "
        "H_{h} and J are skew",
        "η12^{ω} = β2 (H_{h} R̄)ᵀ R̄_{,q}; γ12^{ω} = β2 ((J R̄_{,h})ᵀ R̄_{,q} + (J R̄)ᵀ R̄_{,q,h})",
    ),
    Misprint("eq. 27 dMw_C, Table III", "no β2 on the second term of γ12^{ω}", "β2 on both"),
    Misprint("eq. 27 dMw_C, Table III", "a second η11^{ω} = 0", "η22^{ω} = 0"),
    Misprint(
        "eqs. 27 dMw_C, 28 dMv_c, Table III",
        "2 AᵀB in η11, γ11 and γ22: not symmetric",
        "AᵀB + BᵀA",
    ),
    Misprint("eq. 28 dMv_c, Table III", "H^{Ω} p̄ without its index h in η12^{υ}", "H_{h}^{Ω} p̄"),
    Misprint(
        "eq. 29 Gi_c",
        "P_{g} = m gᵀ p̄, so that g points up",
        "g is the acceleration of gravity: P_{g} = -m gᵀ p̄",
    ),
    Misprint("Algorithm 1", "h from 1 to n; H not updated", "h over the 3i entries of q^{i}; H is updated with J"),
    Misprint("V", "tips from the “kinematic model given by” eq. 23 eom", "by eq. 2 HTM_ith"),
    Misprint(
        "V",
        "experiment 3: 7.9 s in 1.3 s are called 7.3 times faster than real time: they are 6.1 times; experiment 1: "
        "1.13 s × 6.69 are 7.56 s, when its last step has only begun",
        "quoted as printed",
    ),
    Misprint(
        "eqs. 31 Oi_derivation, 32 Vi_derivation",
        "R_{i} in the third line; Ṙ^{i-1} R_{i} in the second, υ_{i-1} R_{i} in the third",
        "R_{i}ᵀ; Ṙ^{i-1} p_{i}, υ_{i-1}",
    ),
    Misprint(
        "eq. 37 Ggi_derivation",
        "R^{i-1} p̄_{i,q_i} in the bracket of the last lines: one R^{i-1} too many",
        "p̄_{i,q_i}",
    ),
)
"""In the order of the paper."""
