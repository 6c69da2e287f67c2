"""What the paper claims, where, and what was found here: one row each, decided by the numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from continuarm.reproduction import claims_energy as energy
from continuarm.reproduction import claims_motion as motion
from continuarm.reproduction.study import Findings
from continuarm.reproduction.verdicts import NOT_RUN, Answer

__all__ = ["CLAIMS", "Claim", "claim_rows"]


@dataclass(frozen=True)
class Claim:
    """One statement of the paper, and how the findings of a study answer it."""

    claim: str
    where: str
    study: str
    answer: Callable[[Findings], Answer]
    timed: bool = False
    """Whether the answer depends on the machine."""


CLAIMS = (
    Claim("Curve parameters are numerically unstable for straight poses.", "I-A", "near-straight", motion.unstable),
    Claim(
        "Modal functions of order 13 (15) are stable and accurate enough.", "II-B, III-B1", "modal-form", motion.modal
    ),
    Claim("A point mass at the centre of gravity is not suitable.", "II-D", "point-mass", energy.point_mass),
    Claim("A disc there matches the energy of the spinning section.", "II-D", "point-mass", energy.disc),
    Claim(
        "Angular energy contributes less than 3 % in the earlier single section.", "I-A", "point-mass", energy.angular
    ),
    Claim(
        "Energy terms of both models are proportional, whatever the section's shape.",
        "III-B2, Fig. 3",
        "energy-shaping",
        energy.proportional,
    ),
    Claim("Six constant β match the energy for any arm.", "I-B, III-B2", "energy-shaping", energy.constants),
    Claim("The search for β is bounded to [0, 1].", "III-B2", "energy-shaping", energy.bounds),
    Claim("α_{l} ≤ 6π r/L limits the bend to 4π/3.", "III-B1", "energy-shaping", energy.bend_limit),
    Claim(
        "Fitting all terms at once is slightly better; either way is accurate enough.",
        "III-B2",
        "energy-shaping",
        energy.methods,
    ),
    Claim("Ten sections: the mean energy error is 10^{−6} %.", "III-B3, Fig. 4", "validation", energy.mean_error),
    Claim("β applies to arms of any length without error propagation.", "III-B3", "validation", energy.any_length),
    Claim(
        "Shaped energies eliminate the need for the integral terms.",
        "III-B3, IV",
        "point-mass",
        energy.accelerations,
    ),
    Claim("Gravitational energy is the same in both models.", "III-C", "point-mass", energy.gravity),
    Claim(
        "The centre-of-gravity model is O(n²), the integral model O(n³).",
        "IV-D, Fig. 5a",
        "complexity",
        motion.complexity,
        timed=True,
    ),
    Claim(
        "Similar cost for one section; the gain grows with n.", "IV-D, Fig. 5b", "complexity", motion.gain, timed=True
    ),
    Claim("9.5 kHz for three sections.", "Abstract, I-B", "complexity", motion.rate, timed=True),
    Claim(
        "Simulation is 6.69, 7.8 and 7.3 times faster than real time.", "V", "experiments", motion.real_time, timed=True
    ),
    Claim(
        "Differences between both models are negligible in the experiments.",
        "V, Figs. 6 to 8",
        "experiments",
        motion.negligible,
    ),
    Claim("Both models give the right steady states.", "V", "experiments", motion.steady),
    Claim("Experiment 1 moves in the plane y = 0.", "V", "experiments", motion.plane),
    Claim("Experiment 2: the base section, not driven, deforms passively.", "V", "experiments", motion.passive),
    Claim("Both models agree with measured trajectories.", "V, Figs. 6 to 8", "experiments", motion.measurements),
)
"""In the order of the paper."""


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
