"""What the paper claims of energies, answered by the findings."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from continuarm.reproduction.number_text import betas, digits
from continuarm.reproduction.study import Findings
from continuarm.reproduction.verdicts import AGREES, DIFFERS, IN_PART, Answer

# ---- Energy shaping -------------------------------------------------------------------------------------------------


def _fit(found: Findings, name: str) -> Mapping[str, Any]:
    fit: Mapping[str, Any] = found.numbers["fits"][name]
    return fit


PROPORTIONAL = 0.01
"""Share of a term that a constant β may miss (rms) if the term is to be called proportional."""


def proportional(found: Findings) -> Answer:
    """Whether the terms are proportional."""

    def ranges(name: str, kind: str, scale: float, count: int) -> tuple[str, str, float]:
        values = [scale * term[kind] for term in _fit(found, name)["terms"]]
        return digits(min(values), count), digits(max(values), count), max(values)

    low, high, worst = ranges("2pi, term by term", "rms_residual", 100, 2)
    wide_low, wide_high, _ = ranges("6pi, term by term", "rms_residual", 100, 2)
    least, most, _ = ranges("2pi, term by term", "correlation", 1, 4)
    ours = f"a constant β misses {low} to {high} % of a term (rms of the difference over rms of the term)"
    why = (
        f"Nearly so for bends up to 4π/3, with correlations of {least} to {most}; up to 4π a constant misses "
        f"{wide_low} to {wide_high} %. The ratio changes with the bend, most for rotation."
    )
    return Answer(ours, AGREES if worst < 100 * PROPORTIONAL else IN_PART, why)


def constants(found: Findings) -> Answer:
    """The coefficients."""
    narrow, wide = _fit(found, "2pi, term by term"), _fit(found, "6pi, term by term")
    published, small = found.numbers["published"], found.numbers["small_bends"]
    off = max(abs(one / other - 1) for one, other in zip(narrow["beta_linear"], published["beta_linear"], strict=True))
    ours = f"β^{{υ}} = {betas(narrow['beta_linear'])}, β^{{ω}} = {betas(narrow['beta_angular'])}, bends up to 4π/3"
    why = (
        f"Within {digits(100 * off, 2)} % of the literature's. They depend on which bends are sampled, so that they "
        f"are no constants: {betas(wide['beta_linear'])}, {betas(wide['beta_angular'])} for bends up to 4π, "
        f"{betas(small['beta_linear'])}, {betas(small['beta_angular'])} for small ones. The literature's make some "
        f"motion's energy negative (by {digits(-published['definiteness'], 2)}), the fitted ones do not."
    )
    return Answer(ours, IN_PART, why)


def bounds(found: Findings) -> Answer:
    """What the bounds do."""
    held, free = _fit(found, "2pi, all at once, bounds [0, 1]"), _fit(found, "2pi, term by term")
    base, _, own = free["beta_linear"]
    ours = f"β_{{1}}^{{υ}} = {digits(base, 4)}, β_{{3}}^{{υ}} = {digits(own, 4)}"
    why = (
        "Impossible: ∫|u|² ≥ |∫u|², so that β_{1}^{υ} and β_{3}^{υ} are at least 1. Within [0, 1] both end at 1, and "
        f"rms(K − K̄) is {digits(100 * held['rms_energy_residual'])} % of rms(K) instead of "
        f"{digits(100 * free['rms_energy_residual'])} %."
    )
    return Answer(ours, DIFFERS if min(base, own) > 1 else AGREES, why)


def bend_limit(found: Findings) -> Answer:
    """How far sections bend."""
    possible, shown = found.numbers["largest_bend_possible"], found.numbers["largest_bend_shown"]
    ours = f"4π = {digits(possible['6pi'])} rad"
    why = (
        f"Samples drawn that way bend up to {digits(shown['6pi'])} rad; 2π r/L would limit them to "
        f"{digits(possible['2pi'])} rad = 4π/3. A misprint of the bound, or of the remark; both readings are computed."
    )
    same = math.isclose(possible["6pi"], 4 * math.pi / 3, rel_tol=1e-3)
    return Answer(ours, AGREES if same else DIFFERS, why)


def methods(found: Findings) -> Answer:
    """Term by term or all at once."""
    terms, total = _fit(found, "2pi, term by term"), _fit(found, "2pi, all at once")
    gain = 100 * (1 - total["rms_energy_residual"] / terms["rms_energy_residual"])
    ours = (
        f"misfit {digits(gain, 2)} % smaller: rms(K − K̄) is {digits(100 * total['rms_energy_residual'], 4)} instead of "
        f"{digits(100 * terms['rms_energy_residual'], 4)} % of rms(K)"
    )
    why = (
        f"Slight, as said. But all at once gives β_{{3}}^{{υ}} = {digits(total['beta_linear'][2])} and "
        f"β_{{3}}^{{ω}} = {digits(total['beta_angular'][2])}, which are not usable: with base rates of up to 100 rad/s "
        "the own terms are too small to be seen, and the mass matrix becomes indefinite."
    )
    return Answer(ours, AGREES if gain < 5 and total["positive_definite"] else IN_PART, why)


def orders(found: Findings) -> Answer:
    """Own linear against own angular energy."""
    weights = found.numbers["weights"]
    ratio, above = weights["own_linear_over_angular"], weights["share_larger"]
    ours = f"{digits(ratio, 2)} times (mean energy over mean energy)"
    why = (
        f"At least ten times in {digits(100 * above['10'], 2)} % of the random sections, a hundred times in "
        f"{digits(100 * above['100'], 2)} %: one order of magnitude, not several. The fit all at once overlooks "
        f"both of them: the linear base term is {digits(weights['base_over_own'], 2)} times the own one."
    )
    return Answer(ours, AGREES if ratio >= 100 else IN_PART if ratio >= 10 else DIFFERS, why)


# ---- Validation -----------------------------------------------------------------------------------------------------

CLAIMED_MEAN = 1e-6
"""Percent."""


def mean_error(found: Findings) -> Answer:
    """The energy error of ten sections."""
    fitted, tuned = found.numbers["models"]["fitted"], found.numbers["tuned"]
    ours = (
        f"{digits(fitted['signed_mean'], 2)} % (mean of K − K̄), {digits(fitted['mean_absolute'], 2)} % (mean of "
        f"|K − K̄|), both over the largest K"
    )
    why = (
        f"The standard error of the mean is {digits(fitted['standard_error_of_mean'], 2)} %: so many samples could not "
        f"show a mean of 10^{{−6}} %. Worst {digits(fitted['worst'])} % of the largest K; mean of |K − K̄| over mean of "
        f"K {digits(fitted['relative'])} %. Moving β_{{1}}^{{υ}} to {digits(tuned['beta_1_linear'], 5)} makes the "
        f"signed mean vanish on these samples, and leaves {digits(tuned['mean_absolute'])} % of |K − K̄|."
    )
    holds = abs(fitted["signed_mean"]) < 10 * CLAIMED_MEAN
    return Answer(ours, AGREES if holds else DIFFERS, why)


def conservative(found: Findings) -> Answer:
    """The norm of the percentages."""
    fitted = found.numbers["models"]["fitted"]
    flattered = found.numbers["largest_energy"] / found.numbers["mean_energy"]
    ours = (
        f"{digits(flattered, 2)} times higher: mean of |K − K̄| is {digits(fitted['mean_absolute'], 2)} % of the "
        f"largest K, {digits(fitted['relative'], 2)} % of the mean K"
    )
    why = (
        "Dividing by the largest energy of all samples makes errors look smaller than they are for the energies that "
        "occur, and the more so the more samples are drawn. It is the opposite of conservative."
    )
    return Answer(ours, DIFFERS if flattered > 1 else AGREES, why)


def any_length(found: Findings) -> Answer:
    """The energy error over the number of sections."""
    table = found.tables["energy-errors-over-length"]
    errors = dict(zip(table["sections"], table["fitted"], strict=True))
    first, ten, last = (digits(errors[n], 2) for n in (1, 10, 20))
    ours = f"{first} % for 1 section, {ten} % for 10, {last} % for 20 (mean of |K − K̄| over mean of K)"
    falls = bool(errors[20] < errors[1])
    why = (
        "Errors do not build up; they become relatively smaller, because in a long arm most energy is in the velocity "
        "of the sections' bases, which is exact in every model. For one section they are some percent."
    )
    return Answer(ours, AGREES if falls else DIFFERS, why)


# ---- Point mass, disc, potential energies ---------------------------------------------------------------------------


def point_mass(found: Findings) -> Answer:
    """The point mass in the case study and beyond."""
    spin, point = found.numbers["expected_spin_energy"], found.numbers["models"]["point mass"]
    ours = f"K̄ = {digits(1e6 * point['spin_energy'])} instead of {digits(1e6 * spin, 4)} µJ"
    why = (
        f"In random states of the prototype mean |ΔK| is {digits(point['energy_error'], 2)} % of mean K, and |Δq̈| is "
        f"{digits(point['acceleration_median'] / 100, 2)} times |q̈| in the median state."
    )
    return Answer(ours, AGREES if point["spin_energy"] == 0 else DIFFERS, why)


def disc(found: Findings) -> Answer:
    """The disc in the case study."""
    spin, models = found.numbers["expected_spin_energy"], found.numbers["models"]
    bare, fitted = (models[name]["spin_energy"] / spin for name in ("small bends", "fitted"))
    ours = f"{digits(bare, 4)} of it with β_{{1}}^{{ω}} = 1, {digits(fitted, 4)} of it with the fitted β"
    why = f"Exact without shaping; the fitted β_{{1}}^{{ω}} then makes it {digits(100 * (fitted - 1), 2)} % too large."
    exact = [abs(each - 1) < 1e-9 for each in (bare, fitted)]
    return Answer(ours, AGREES if all(exact) else IN_PART if any(exact) else DIFFERS, why)


def accelerations(found: Findings) -> Answer:
    """What matched energies mean for accelerations."""
    fitted = found.numbers["models"]["fitted"]
    ours = (
        f"accelerations off by {digits(fitted['acceleration_median'], 2)} % (|Δq̈| / |q̈|, median random state), "
        f"energies by {digits(fitted['energy_error'], 2)} % (mean |ΔK| / mean K)"
    )
    why = (
        "Matching energies is not matching accelerations. One β_{3}^{υ} serves stretching, which needs 4/3, and "
        f"bending, which needs 9/5: an unbent section is {digits(100 * (fitted['stretching'] - 1), 2)} % too heavy in "
        f"stretching. 95 % of states are below {digits(fitted['acceleration_95'], 2)} %. In the experiments damping "
        "hides it."
    )
    return Answer(ours, IN_PART if fitted["energy_error"] < fitted["acceleration_median"] else AGREES, why)


def angular(found: Findings) -> Answer:
    """The share of the angular energy."""
    share = found.numbers["angular_share"]
    ours = f"up to {digits(share['largest'], 2)} % (K^{{ω}} / K), {digits(share['of_all'], 2)} % over all random states"
    why = (
        "For a section of the prototype on a fixed base. Less than 3 % in sum, but not in every motion: most where it "
        "is bent furthest."
    )
    return Answer(ours, AGREES if share["largest"] < 3 else DIFFERS, why)


ROUNDING = 1e-12
"""Relative difference of energies that are called identical."""


def gravity(found: Findings) -> Answer:
    """Gravitational energy."""
    difference = found.numbers["gravity_difference"]
    ours = f"largest difference {digits(difference, 2)} of the largest energy"
    why = "Quadrature along the sections against centres of gravity: exact by the definition of the latter."
    return Answer(ours, AGREES if difference < ROUNDING else DIFFERS, why)


def elastic(found: Findings) -> Answer:
    """Elastic energy."""
    difference = found.numbers["elastic_difference"]
    ours = f"largest difference {digits(difference, 2)} of the largest energy"
    why = "Both models against ½ qᵀ K_{e} q: no inertia has a part in it."
    return Answer(ours, AGREES if difference < ROUNDING else DIFFERS, why)
