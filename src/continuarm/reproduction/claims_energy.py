"""What the paper claims of energies, answered by the findings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from continuarm.reproduction.number_text import betas, digits
from continuarm.reproduction.study import Findings
from continuarm.reproduction.verdicts import AGREES, DIFFERS, IN_PART, Answer

# ---- Energy shaping -------------------------------------------------------------------------------------------------


def _fit(found: Findings, name: str) -> Mapping[str, Any]:
    fit: Mapping[str, Any] = found.numbers["fits"][name]
    return fit


def proportional(found: Findings) -> Answer:
    """Whether the terms are proportional."""

    def ranges(name: str) -> str:
        terms = _fit(found, name)["terms"]
        correlation = [term["correlation"] for term in terms]
        residual = [100 * term["rms_residual"] for term in terms]
        return (
            f"correlations {digits(min(correlation), 4)} to {digits(max(correlation), 4)}, a constant β leaves "
            f"{digits(min(residual), 2)} to {digits(max(residual), 2)} % (rms)"
        )

    measured = f"Bends up to 4π/3: {ranges('2pi, term by term')}. Up to 4π: {ranges('6pi, term by term')}."
    return Answer(
        measured, IN_PART, "Nearly so for moderate bends; the ratio changes with the bend, most for rotation."
    )


def constants(found: Findings) -> Answer:
    """The coefficients."""
    narrow, wide = _fit(found, "2pi, term by term"), _fit(found, "6pi, term by term")
    published, small = found.numbers["published"], found.numbers["small_bends"]
    measured = (
        f"β^{{υ}} = {betas(narrow['beta_linear'])}, β^{{ω}} = {betas(narrow['beta_angular'])} for bends up to 4π/3; "
        f"{betas(wide['beta_linear'])}, {betas(wide['beta_angular'])} up to 4π. Small-bend limits: "
        f"{betas(small['beta_linear'])}, {betas(small['beta_angular'])}. Literature: "
        f"β^{{υ}} = {betas(published['beta_linear'])}."
    )
    why = (
        "Within 4 % of the literature's; the paper's own values stand in its Fig. 3 only. They depend on which bends "
        "are "
        f"sampled, so that they are no constants of nature. The literature's make some motion's energy negative (by "
        f"{digits(-published['definiteness'], 2)}), the fitted ones do not."
    )
    return Answer(measured, IN_PART, why)


def bounds(found: Findings) -> Answer:
    """What the bounds do."""
    held, free = _fit(found, "2pi, all at once, bounds [0, 1]"), _fit(found, "2pi, term by term")
    measured = (
        f"Within [0, 1] β_{{1}}^{{υ}} and β_{{3}}^{{υ}} end at the bound 1, and "
        f"{digits(100 * held['rms_energy_residual'])} % of the energy (rms) are missed; without bounds "
        f"{digits(100 * free['rms_energy_residual'])} %."
    )
    return Answer(measured, DIFFERS, "Impossible: ∫|u|² ≥ |∫u|², so that β_{1}^{υ} and β_{3}^{υ} are at least 1.")


def bend_limit(found: Findings) -> Answer:
    """How far sections bend."""
    possible, shown = found.numbers["largest_bend_possible"], found.numbers["largest_bend_shown"]
    measured = (
        f"With 6π r/L sections bend up to {digits(possible['6pi'])} rad = 4π ({digits(shown['6pi'])} rad among the "
        f"samples shown), with 2π r/L up to {digits(possible['2pi'])} rad = 4π/3."
    )
    return Answer(measured, DIFFERS, "A misprint of the bound, or of the remark; both readings are computed.")


def methods(found: Findings) -> Answer:
    """Term by term or all at once."""
    terms, total = _fit(found, "2pi, term by term"), _fit(found, "2pi, all at once")
    gain = 100 * (1 - total["rms_energy_residual"] / terms["rms_energy_residual"])
    measured = (
        f"rms misfit {digits(100 * terms['rms_energy_residual'], 4)} % term by term, "
        f"{digits(100 * total['rms_energy_residual'], 4)} % all at once: {digits(gain, 2)} % less. But all at once "
        f"gives β_{{3}}^{{υ}} = {digits(total['beta_linear'][2])} and β_{{3}}^{{ω}} = "
        f"{digits(total['beta_angular'][2])}."
    )
    why = (
        "The gain is slight, as said. The coefficients are not usable: with base rates of up to 100 rad/s the own "
        "terms are too small to be seen, and the mass matrix becomes indefinite."
    )
    return Answer(measured, IN_PART, why)


# ---- Validation -----------------------------------------------------------------------------------------------------

CLAIMED_MEAN = 1e-6
"""Percent."""


def mean_error(found: Findings) -> Answer:
    """The energy error of ten sections."""
    fitted, tuned = found.numbers["models"]["fitted"], found.numbers["tuned"]
    measured = (
        f"Signed mean {digits(fitted['signed_mean'])} % ± {digits(fitted['standard_error_of_mean'], 2)} %, mean "
        f"absolute {digits(fitted['mean_absolute'])} %, worst {digits(fitted['worst'])} % of the largest energy; mean "
        f"absolute {digits(fitted['relative'])} % of the mean energy."
    )
    holds = abs(fitted["signed_mean"]) < 10 * CLAIMED_MEAN
    why = (
        f"The claim does not hold. Errors scatter by {digits(fitted['standard_deviation'], 2)} %, so that the mean of "
        f"so many samples is itself uncertain by {digits(fitted['standard_error_of_mean'], 2)} %, more than the "
        f"claimed value. Moving β_{{1}}^{{υ}} to {digits(tuned['beta_1_linear'], 5)} makes the signed mean vanish on "
        f"these samples, and leaves a mean absolute error of {digits(tuned['mean_absolute'])} %."
    )
    return Answer(measured, AGREES if holds else DIFFERS, why)


def any_length(found: Findings) -> Answer:
    """The energy error over the number of sections."""
    table = found.tables["energy-errors-over-length"]
    errors = dict(zip(table["sections"], table["fitted"], strict=True))
    first, ten, last = (digits(errors[n]) for n in (1, 10, 20))
    measured = f"Mean absolute error over mean energy: {first} % for 1 section, {ten} % for 10, {last} % for 20."
    falls = bool(errors[20] < errors[1])
    why = (
        "Errors do not build up; they become relatively smaller, because in a long arm most energy is in the velocity "
        "of the sections' bases, which is exact in every model. For one section they are some percent."
    )
    return Answer(measured, AGREES if falls else DIFFERS, why)


# ---- Point mass, disc, gravity --------------------------------------------------------------------------------------


def point_mass(found: Findings) -> Answer:
    """The point mass in the case study and beyond."""
    spin, point = found.numbers["expected_spin_energy"], found.numbers["models"]["point mass"]
    measured = (
        f"Energy in the case study {digits(1e6 * point['spin_energy'])} instead of {digits(1e6 * spin, 4)} µJ. In "
        f"random states of the prototype: energy error {digits(point['energy_error'])} %, acceleration error "
        f"{digits(point['acceleration_median'])} % (median)."
    )
    return Answer(
        measured, AGREES if point["spin_energy"] == 0 else DIFFERS, "Agrees, and the accelerations say it louder."
    )


def disc(found: Findings) -> Answer:
    """The disc in the case study."""
    spin, models = found.numbers["expected_spin_energy"], found.numbers["models"]
    small, fitted = models["small bends"]["spin_energy"], models["fitted"]["spin_energy"]
    measured = (
        f"{digits(1e6 * small, 4)} µJ with β_{{1}}^{{ω}} = 1 (¼ m r² ω_{{z}}² = {digits(1e6 * spin, 4)} µJ), "
        f"{digits(1e6 * fitted, 4)} µJ with the fitted β."
    )
    excess = digits(100 * (fitted / spin - 1), 2)
    why = f"Exact without shaping; the fitted β_{{1}}^{{ω}} then makes it {excess} % too large."
    return Answer(measured, IN_PART, why)


def accelerations(found: Findings) -> Answer:
    """What matched energies mean for accelerations."""
    fitted = found.numbers["models"]["fitted"]
    measured = (
        f"Random states of the prototype: energies differ by {digits(fitted['energy_error'])} % (mean), accelerations "
        f"by {digits(fitted['acceleration_median'])} % (median; 95 % of states below "
        f"{digits(fitted['acceleration_95'])} %)."
    )
    why = (
        "Matching energies is not matching accelerations. One β_{3}^{υ} serves stretching, which needs 4/3, and "
        "bending, "
        f"which needs 9/5: an unbent section is {digits(100 * (fitted['stretching'] - 1), 2)} % too heavy in "
        f"stretching. "
        "In the experiments damping hides it."
    )
    return Answer(measured, IN_PART, why)


def angular(found: Findings) -> Answer:
    """The share of the angular energy."""
    share = found.numbers["angular_share"]
    measured = (
        f"{digits(share['of_all'], 2)} % of a single section's energy, summed over random states; at most "
        f"{digits(share['largest'], 2)} % in one state."
    )
    return Answer(measured, AGREES if share["of_all"] < 3 else DIFFERS, "For the prototype's dimensions, as said.")


def gravity(found: Findings) -> Answer:
    """Gravitational energy."""
    difference = found.numbers["gravity_difference"]
    measured = f"Quadrature along the sections against centres of gravity: relative difference {digits(difference, 2)}."
    return Answer(measured, AGREES if difference < 1e-12 else DIFFERS, "Exact by definition of the centre of gravity.")
