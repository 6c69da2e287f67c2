"""Section III-B of the paper: energy shaping coefficients from random sections."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from continuarm.arms.inertia_models import SMALL_BENDS, CentreOfGravity
from continuarm.paper.energy_shaping import LITERATURE, EnergyShapingFit, definiteness, fit_energy_shaping
from continuarm.paper.random_sections import SAMPLINGS, TERMS, Sampling, energy_terms, moments_of, term_blocks
from continuarm.reproduction.figures import draw_ratios, draw_terms
from continuarm.reproduction.number_text import betas, digits, with_error
from continuarm.reproduction.study import Drawing, Extent, Findings, Study, Tell, WordTable
from continuarm.reproduction.tables import Table

__all__ = ["SHAPING", "fitted_coefficients", "fitted_model"]

FITS: dict[str, dict[str, Any]] = {
    "2pi, term by term": {"sampling": "2pi", "method": "terms"},
    "2pi, all at once": {"sampling": "2pi", "method": "total"},
    "2pi, all at once, bounds [0, 1]": {"sampling": "2pi", "method": "total", "bounds": (0.0, 1.0)},
    "2pi, all at once, slow base": {"sampling": Sampling(base_rate=3.0), "method": "total"},
    "6pi, term by term": {"sampling": "6pi", "method": "terms"},
    "6pi, all at once": {"sampling": "6pi", "method": "total"},
    "6pi, all at once, bounds [0, 1]": {"sampling": "6pi", "method": "total", "bounds": (0.0, 1.0)},
}
CHOSEN = "2pi, term by term"
"""The fit that the other studies use: the one whose coefficients mean what they say."""


def shaping_parameters(extent: Extent, seed: int, earlier: Mapping[str, Findings]) -> dict[str, Any]:
    """Samples of the fits and of the figures."""
    return {
        "seed": seed,
        "samples": extent.fit_samples,
        "bootstrap": extent.bootstrap,
        "shown_samples": extent.shown_samples,
    }


def find_shaping(given: Mapping[str, Any], tell: Tell) -> Findings:
    """All fits, and the terms of the first samples."""
    fits: dict[str, EnergyShapingFit] = {}
    for k, (name, choices) in enumerate(FITS.items()):
        fits[name] = fit_energy_shaping(
            given["samples"],
            given["seed"],
            bootstrap=given["bootstrap"],
            progress=lambda share, k=k: tell((k + share) / len(FITS)),  # type: ignore[misc]
            **choices,
        )
    tables, bends = {}, {}
    for sampling in SAMPLINGS:
        shown = energy_terms(given["shown_samples"], given["seed"], sampling)
        bends[sampling] = float(shown.bend.max())
        terms = [
            (f"{name}, {model}", "1/s²", values[:, k])
            for k, name in enumerate(TERMS)
            for model, values in (("integral", shown.integral), ("centre of gravity", shown.centre_of_gravity))
        ]
        tables[f"energy-terms-{sampling}"] = Table.of(
            ("bend", "rad", shown.bend), ("s/L", "1", shown.length), ("r/L", "1", shown.radius), *terms
        )
        ratios = [(name, "1", shown.ratio[:, k]) for k, name in enumerate(TERMS)]
        tables[f"energy-ratios-{sampling}"] = Table.of(("bend", "rad", shown.bend), *ratios)
    numbers = {
        "fits": {name: fit.summary() for name, fit in fits.items()},
        "chosen": CHOSEN,
        "small_bends": {"beta_linear": SMALL_BENDS.beta_linear, "beta_angular": SMALL_BENDS.beta_angular},
        "published": {
            "beta_linear": LITERATURE.beta_linear,
            "definiteness": definiteness(LITERATURE.beta_linear, LITERATURE.beta_angular)[0],
        },
        "weights": _as_energies(given),
        "largest_bend_shown": bends,
        "largest_bend_possible": {name: sampling.largest_bend for name, sampling in SAMPLINGS.items()},
    }
    return Findings(numbers, tables)


def _as_energies(given: Mapping[str, Any]) -> dict[str, Any]:
    """Term by term as before, but of energies instead of terms per m and per I: β^ω, and how large the own terms are.

    Linear terms are energies already. An angular term becomes one by the factor r²/4, so that thick sections weigh
    more than thin ones.
    """
    moments, larger, count = np.zeros((13, 13)), {10: 0, 100: 0}, 0
    for terms in term_blocks(given["samples"], given["seed"], "2pi"):
        moments += moments_of(terms).sum(axis=0)[1]
        linear, angular = (terms.energy_scale * terms.integral)[:, [2, 5]].T
        count += len(linear)
        for times in larger:
            larger[times] += int((linear >= times * angular).sum())
    cog, integral, one = range(6), range(6, 12), 12
    return {
        "beta_angular": [float(moments[cog[k], integral[k]] / moments[cog[k], cog[k]]) for k in (3, 4, 5)],
        "own_linear_over_angular": float(moments[one, integral[2]] / moments[one, integral[5]]),
        "base_over_own": float(moments[one, integral[0]] / moments[one, integral[2]]),
        "share_larger": {str(times): number / count for times, number in larger.items()},
    }


def fitted_coefficients(earlier: Mapping[str, Findings]) -> dict[str, Any]:
    """β of the chosen fit, as parameters of the studies that use it."""
    fit = earlier["energy-shaping"].numbers["fits"][CHOSEN]
    return {name: list(fit[name]) for name in ("beta_linear", "beta_angular")}


def fitted_model(given: Mapping[str, Any], base_more: float = 0.0) -> CentreOfGravity:
    """The model of the chosen fit; β1^υ may be moved."""
    base, cross, own = given["beta_linear"]
    return CentreOfGravity(
        beta_linear=(base + base_more, cross, own), beta_angular=tuple(given["beta_angular"]), allow_indefinite=True
    )


def _weighting(found: Findings) -> str:
    """What the angular terms are weighted with, and what another weight would change."""
    weights, fit = found.numbers["weights"]["beta_angular"], found.numbers["fits"][CHOSEN]["beta_angular"]
    change = max(abs(other / one - 1) for one, other in zip(fit, weights, strict=True))
    return (
        "Term by term, angular terms are fitted per I, as the paper plots them, so that thin and thick sections count "
        f"alike; weighted as energies, with r², β^{{ω}} would be {betas(weights)}, at most {digits(100 * change, 2)} % "
        "off."
    )


def shaping_tables(found: Findings) -> list[WordTable]:
    """β of every fit beside the limits and the literature, and how good each term is."""
    fits = found.numbers["fits"]
    rows = []
    for name, fit in fits.items():
        values = [with_error(term["beta"], term["standard_error"]) for term in fit["terms"]]
        positive = "yes" if fit["positive_definite"] else "no"
        rows.append((name, *values, f"{digits(100 * fit['rms_energy_residual'], 4)} %", positive))
    limits = found.numbers["small_bends"]
    exact = [digits(value, 5) for value in (*limits["beta_linear"], *limits["beta_angular"])]
    rows.append(("small-bend limit, exact", *exact, "", "yes"))
    rows.append(
        ("literature, for this paper", *(digits(value, 5) for value in LITERATURE.beta_linear), "–", "–", "–", "", "no")
    )
    first = WordTable(
        "Energy shaping coefficients, bootstrap standard error of the last digits in parentheses",
        (
            "fit",
            *(f"β_{{{k}}}^{{{kind}}}" for kind in "υω" for k in (1, 2, 3)),
            "rms(K − K̄) / rms(K)",
            "M > 0 always",
        ),
        tuple(rows),
        "The standard error says what another seed would change, not how far a term is from proportional. The fits all "
        "at once are the paper's choice; with a base that turns with up to 100 rad/s their β_{3} and the angular "
        "coefficients are spent on the misfit that a constant β_{1}^{υ} leaves, and mean nothing. “Slow base” draws "
        "the base rate up to 3 rad/s instead. “M > 0 always”: no motion of a section has negative kinetic energy. "
        f"{_weighting(found)}",
    )
    rows = []
    for sampling in SAMPLINGS:
        for term in fits[f"{sampling}, term by term"]["terms"]:
            low, high = term["interval"]
            rows.append(
                (
                    f"{sampling}, {term['name']}",
                    digits(term["beta"], 5),
                    f"{digits(low, 5)} to {digits(high, 5)}",
                    digits(term["correlation"], 5),
                    f"{digits(100 * term['rms_residual'], 3)} %",
                    f"{digits(100 * term['mean_residual'], 3)} %",
                )
            )
    second = WordTable(
        "Is each term proportional? Fits term by term",
        ("sampling, term", "β", "95 % interval", "correlation", "rms(Δ) / rms(T)", "mean(Δ) / rms(T)"),
        tuple(rows),
        "Correlation through the origin; T: the integral term; Δ = T − β × the centre-of-gravity term.",
    )
    return [first, second]


SHAPING = Study(
    name="energy-shaping",
    title="Energy shaping coefficients",
    method=(
        "Random sections are drawn as the paper says: r/L in [1/20, 1/2], α_{l} in [1/20, reach · r/L], muscle lengths "
        "in [0, α_{l} L], rates in [0, L] per second, base rates in [−100, 100] rad/s per axis, all uniform. The paper "
        "prints reach = 6π with the remark that it limits the bend to 4π/3; 6π gives 4π, and 2π gives 4π/3. Both are "
        "computed, as “6pi” and “2pi”. The six energy terms of each section are evaluated in closed form in the "
        "integral and in the centre-of-gravity model, and β is found by least squares through the origin: each term on "
        "its own, and all terms of the energy at once, with and without the paper's bounds [0, 1]. Errors are "
        "bootstrap standard errors over groups of 200 samples.",
    ),
    parameters=shaping_parameters,
    find=find_shaping,
    drawings=(
        Drawing(
            "energy-terms-2pi",
            "The six energy terms of random sections, integral model over centre-of-gravity model, panels as in the "
            "paper's Fig. 3; bends up to 4π/3. Line: β fitted to the term. Linear terms per m L², angular per I.",
            lambda found: draw_terms(found, "2pi"),
        ),
        Drawing(
            "energy-terms-6pi",
            "The same with the bound as printed, which lets sections bend up to 4π. Proportionality is lost for the "
            "angular terms.",
            lambda found: draw_terms(found, "6pi"),
        ),
        Drawing(
            "energy-ratios-2pi",
            "What β would have to be, section by section, over the bend: the reason why no constant is exact. Solid: "
            "the fit. Dotted: the small-bend limit. The literature's β^{υ} is dashed. Ratios of cross terms, which "
            "have either sign, scatter where the denominator is near zero; they are cut off.",
            draw_ratios,
        ),
    ),
    word_tables=shaping_tables,
)
