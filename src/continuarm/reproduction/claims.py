"""What the paper claims, where, and what was found here: one row each, decided by the numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from continuarm.paper.energy_shaping import LITERATURE
from continuarm.reproduction import claims_energy as energy
from continuarm.reproduction import claims_motion as motion
from continuarm.reproduction import claims_speed as speed
from continuarm.reproduction.study import Findings
from continuarm.reproduction.verdicts import NOT_RUN, Answer

__all__ = ["CLAIMS", "Claim", "claim_rows"]


@dataclass(frozen=True)
class Claim:
    """One statement of the paper, and how the findings of a study answer it."""

    claim: str
    where: str
    """Section first, then figure, table or equation, by their numbers in print."""
    paper: str
    """The paper's own number or word."""
    study: str
    answer: Callable[[Findings], Answer]
    timed: bool = False
    """Whether the verdict rests on times, and so on the machine."""


CLAIMS = (
    Claim("Runs at 9.5 kHz with three sections.", "Abstract, I-B, VI", "9.5 kHz", "complexity", speed.rate, timed=True),
    Claim(
        "Curve parameters are numerically unstable for straight poses.",
        "I-A, eq. 1",
        "unstable",
        "near-straight",
        motion.unstable,
    ),
    Claim(
        "Angular energy contributes less than 3 % in the earlier single section.",
        "I-A",
        "< 3 %",
        "point-mass",
        energy.angular,
    ),
    Claim(
        "Modal functions of order 15 (or 13) are stable and accurate enough.",
        "II-B, III-B1, eq. 1",
        "no number",
        "modal-form",
        motion.modal,
    ),
    Claim("A point mass at the centre of gravity is not suitable.", "II-D", "K̄ = 0", "point-mass", energy.point_mass),
    Claim(
        "A disc there matches the energy of the spinning section.",
        "II-D, eq. 18",
        "K̄ = ¼ m r² ω_{z}²",
        "point-mass",
        energy.disc,
    ),
    Claim("α_{l} ≤ 6π r/L limits the bend to 4π/3.", "III-B1", "4π/3 = 4.19 rad", "energy-shaping", energy.bend_limit),
    Claim(
        "Energy terms of both models are proportional, whatever the section's shape.",
        "III-B2, Fig. 3, eqs. 21, 22",
        "“proportional”",
        "energy-shaping",
        energy.proportional,
    ),
    Claim(
        "Six constant β match the energy for any arm.",
        "III-B2, Fig. 3, eqs. 21, 22; I-B",
        f"values in Fig. 3 only; literature: β^{{υ}} = ({', '.join(map(str, LITERATURE.beta_linear))})",
        "energy-shaping",
        energy.constants,
    ),
    Claim("The search for β is bounded to [0, 1].", "III-B2", "[0, 1]", "energy-shaping", energy.bounds),
    Claim(
        "Fitting all terms at once is slightly better; either way is accurate enough.",
        "III-B2",
        "“slight, though negligible”",
        "energy-shaping",
        energy.methods,
    ),
    Claim(
        "A section's own linear energy is orders of magnitude above its own angular energy.",
        "III-B2, eqs. 21, 22",
        "“orders of magnitude”",
        "energy-shaping",
        energy.orders,
    ),
    Claim(
        "Ten sections: the mean energy error is 10^{−6} %.",
        "III-B3, Fig. 4",
        "10^{−6} % of the largest K",
        "validation",
        energy.mean_error,
    ),
    Claim(
        "These percentages are conservative: in practice errors are significantly lower.",
        "III-B3, Fig. 4",
        "“significantly lower”",
        "validation",
        energy.conservative,
    ),
    Claim(
        "β applies to arms of any length without error propagation.",
        "III-B3",
        "no number",
        "validation",
        energy.any_length,
    ),
    Claim(
        "Shaped energies eliminate the need for the integral terms.",
        "III-B3, IV, eq. 23",
        "no number",
        "point-mass",
        energy.accelerations,
    ),
    Claim(
        "Gravitational energy is the same in both models.", "III-C, eq. 10", "identical", "point-mass", energy.gravity
    ),
    Claim("Elastic energy is the same in both models.", "III-C, eq. 30", "identical", "point-mass", energy.elastic),
    Claim(
        "The centre-of-gravity model is O(n²), the integral model O(n³).",
        "IV-D, Fig. 5a, Algorithm 1",
        "n^{2} and n^{3}",
        "complexity",
        speed.complexity,
    ),
    Claim(
        "Similar cost for one section; the gain grows with n.",
        "IV-D, Fig. 5b",
        "1 for one section, then growing",
        "complexity",
        speed.gain,
    ),
    Claim("Experiment 1 moves in the plane y = 0.", "V, Fig. 6", "y = 0", "experiments", motion.plane),
    Claim(
        "Differences between both models are negligible in the experiments.",
        "V, Figs. 6, 7, 8",
        "“negligible”",
        "experiments",
        motion.negligible,
    ),
    Claim(
        "Experiment 2: the base section, not driven, deforms passively.",
        "V, Fig. 7",
        "no number",
        "experiments",
        motion.passive,
    ),
    Claim("Both models give the right steady states.", "V, Fig. 7", "“correctly”", "experiments", motion.steady),
    Claim(
        "Simulation is 6.69, 7.8 and 7.3 times faster than real time.",
        "V; Abstract",
        "6.69, 7.8, 7.3 (6.1 by its own 7.9 s in 1.3 s)",
        "experiments",
        speed.real_time,
        timed=True,
    ),
    Claim(
        "Both models agree with measured trajectories.",
        "V, Figs. 6, 7, 8",
        "curves",
        "real-arms",
        motion.measurements,
    ),
)
"""In the order of the paper: by the section that stands first."""


def claim_rows(found: Mapping[str, Findings]) -> list[dict[str, Any]]:
    """Every claim with its answer, as plain values; studies that were not run say so."""
    rows = []
    for claim in CLAIMS:
        missing = Answer("–", NOT_RUN, f"The study “{claim.study}” was not run.")
        answer = claim.answer(found[claim.study]) if claim.study in found else missing
        row = asdict(claim) | answer._asdict()
        del row["answer"]
        rows.append(row)
    return rows
