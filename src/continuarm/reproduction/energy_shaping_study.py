"""Section III-B of the paper: energy shaping coefficients from random sections, and their test on a ten-section arm."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from continuarm.arms.arm_file import load_arm
from continuarm.arms.inertia_models import CentreOfGravity, InertiaModel, PointMass
from continuarm.paper.energy_shaping import EnergyShapingFit, Validation, fit_energy_shaping, validate_energy_shaping
from continuarm.paper.random_sections import TERMS, Sampling, energy_terms
from continuarm.reproduction.figures import draw_error_growth, draw_errors, draw_ratios, draw_terms
from continuarm.reproduction.findings import (
    Drawing,
    Effort,
    Findings,
    Part,
    Shown,
    Table,
    Tell,
    betas,
    digits,
    with_error,
)

__all__ = ["SHAPING", "VALIDATION"]

PUBLISHED = (1.3155, 1.5053, 1.8011)
"""β^υ that the literature gives for this paper; its own stand in its Fig. 3 only, which its text does not repeat."""

SMALL_BENDS = CentreOfGravity()

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
"""The fit that the other parts use: the one whose coefficients mean what they say."""

LENGTHS = (1, 2, 3, 5, 10, 20)
BINS = 80


# ---- The fits -------------------------------------------------------------------------------------------------------


def shaping_parameters(effort: Effort, seed: int, earlier: Mapping[str, Findings]) -> dict[str, Any]:
    """Samples of the fits and of the figures."""
    return {
        "seed": seed,
        "samples": effort.fit_samples,
        "bootstrap": effort.bootstrap,
        "shown_samples": effort.shown_samples,
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
    for sampling in ("2pi", "6pi"):
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
    published = CentreOfGravity(beta_linear=PUBLISHED, allow_indefinite=True)
    numbers = {
        "fits": {name: fit.summary() for name, fit in fits.items()},
        "chosen": CHOSEN,
        "small_bends": {"beta_linear": SMALL_BENDS.beta_linear, "beta_angular": SMALL_BENDS.beta_angular},
        "published": {"beta_linear": PUBLISHED, "definiteness": _definiteness(published.beta_linear)},
        "largest_bend_shown": bends,
        "largest_bend_possible": {"2pi": 4 * math.pi / 3, "6pi": 4 * math.pi},
    }
    return Findings(numbers, tables)


def _definiteness(beta: tuple[float, float, float]) -> float:
    """The least eigenvalue of [[β1 - 1, β2 - 1], [β2 - 1, β3 - 1]]: below 0, some motion has negative energy."""
    base, cross, own = beta
    return float(np.linalg.eigvalsh([[base - 1, cross - 1], [cross - 1, own - 1]])[0])


def show_shaping(found: Findings) -> list[Shown]:
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
    rows.append(("literature, for this paper", *(digits(value, 5) for value in PUBLISHED), "–", "–", "–", "", "no"))
    first = Shown(
        "Energy shaping coefficients, bootstrap standard error of the last digits in parentheses",
        ("fit", *(f"β_{{{k}}}^{{{kind}}}" for kind in "υω" for k in (1, 2, 3)), "rms misfit of K", "M > 0 always"),
        tuple(rows),
        "The standard error says what another seed would change, not how far a term is from proportional. The fits all "
        "at once are the paper's choice; with a base that turns with up to 100 rad/s their β_{3} and the angular "
        "coefficients are spent on the misfit that a constant β_{1}^{υ} leaves, and mean nothing. “Slow base” draws "
        "the base rate up to 3 rad/s instead. “M > 0 always”: no motion of a section has negative kinetic energy.",
    )
    rows = []
    for sampling in ("2pi", "6pi"):
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
    second = Shown(
        "Is each term proportional? Fits term by term",
        ("sampling, term", "β", "95 % interval", "correlation", "rms residual", "mean residual"),
        tuple(rows),
        "Correlation through the origin; residuals of integral term − β × centre-of-gravity term, as shares of the "
        "root mean square of the integral term.",
    )
    return [first, second]


SHAPING = Part(
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
            "The six energy terms of random sections, integral model over centre-of-gravity model (the paper's Fig. "
            "3), bends up to 4π/3. Line: β fitted to the term. Linear terms per m L², angular per I.",
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
    shown=show_shaping,
)


# ---- The ten-section arm --------------------------------------------------------------------------------------------


def validation_parameters(effort: Effort, seed: int, earlier: Mapping[str, Findings]) -> dict[str, Any]:
    """Samples, and the coefficients under test."""
    fit = earlier["energy-shaping"].numbers["fits"][CHOSEN]
    return {
        "seed": seed,
        "samples": effort.states,
        "samples_per_length": effort.states_per_length,
        "shown_samples": effort.shown_samples,
        "beta_linear": list(fit["beta_linear"]),
        "beta_angular": list(fit["beta_angular"]),
    }


def fitted_model(given: Mapping[str, Any], base_more: float = 0.0) -> CentreOfGravity:
    """The model of the fit; β1^υ may be moved."""
    base, cross, own = given["beta_linear"]
    return CentreOfGravity(
        beta_linear=(base + base_more, cross, own), beta_angular=tuple(given["beta_angular"]), allow_indefinite=True
    )


def compared(given: Mapping[str, Any]) -> dict[str, InertiaModel]:
    """The models that are set side by side."""
    return {
        "fitted": fitted_model(given),
        "small bends": SMALL_BENDS,
        "literature": CentreOfGravity(beta_linear=PUBLISHED, allow_indefinite=True),
        "not shaped": CentreOfGravity(beta_linear=(1, 1, 1), beta_angular=(1, 1, 1)),
        "point mass": PointMass(),
    }


def find_validation(given: Mapping[str, Any], tell: Tell) -> Findings:
    """Energy errors over random states of ten sections, of one model tuned on them, and of arms of other lengths."""
    models, seed = compared(given), given["seed"]
    step = 0.01
    moved = {"moved": fitted_model(given, step)}
    result = validate_energy_shaping(models | moved, given["samples"], seed, progress=lambda share: tell(0.6 * share))
    start, end = result.models["fitted"].signed_mean, result.models["moved"].signed_mean
    more = step * start / (start - end)
    tuned = validate_energy_shaping(
        {"tuned": fitted_model(given, more)}, given["samples"], seed, progress=lambda share: tell(0.6 + 0.2 * share)
    )
    numbers = {
        "largest_energy": result.largest_energy,
        "mean_energy": result.mean_energy,
        "models": {name: _errors(result, name) for name in models},
        "tuned": _errors(tuned, "tuned") | {"beta_1_linear": given["beta_linear"][0] + more},
    }
    shown = slice(given["shown_samples"])
    tables = {
        "energy-errors": Table.of(
            ("sample", "1", range(len(result.models["fitted"].errors[shown]))),
            *((name, "% of largest energy", result.models[name].errors[shown]) for name in models),
        ),
        "energy-errors-histogram": _histograms(result, models),
        "energy-errors-over-length": _over_length(given, models, tell),
    }
    return Findings(numbers, tables)


def _errors(result: Validation, name: str) -> dict[str, float]:
    errors = result.models[name].errors
    spread = float(errors.std(ddof=1))
    return dict(result.summary()["models"][name]) | {
        "standard_deviation": spread,
        "standard_error_of_mean": spread / math.sqrt(len(errors)),
    }


def _histograms(result: Validation, names: Iterable[str]) -> Table:
    columns: list[tuple[str, str, Iterable[Any]]] = []
    for name in names:
        counts, edges = result.models[name].histogram(BINS)
        columns += [
            (f"{name}, from", "% of largest energy", edges[:-1]),
            (f"{name}, to", "% of largest energy", edges[1:]),
            (f"{name}, samples", "1", counts),
        ]
    return Table.of(*columns)


def _over_length(given: Mapping[str, Any], models: Mapping[str, InertiaModel], tell: Tell) -> Table:
    """Mean absolute error over the mean energy, for arms of several lengths."""
    arm, rows = load_arm("ten-sections"), []
    for k, n in enumerate(LENGTHS):
        longer = arm.replace(sections=[arm.sections[0]] * n)
        found = validate_energy_shaping(models, given["samples_per_length"], given["seed"], arm=longer)
        rows.append([found.models[name].relative for name in models])
        tell(0.8 + 0.2 * (k + 1) / len(LENGTHS))
    columns = zip(*rows, strict=True)
    return Table.of(
        ("sections", "1", LENGTHS),
        *((name, "% of mean energy", values) for name, values in zip(models, columns, strict=True)),
    )


def show_validation(found: Findings) -> list[Shown]:
    """The errors of every model."""
    rows = []
    labels = {
        "fitted": "fitted, 2pi term by term",
        "small bends": "small-bend limits (4/3, 3/2, 9/5; 1, 1, 4/3)",
        "literature": f"literature, β^{{υ}} = {betas(PUBLISHED)}",
        "not shaped": "not shaped, all β = 1",
        "point mass": "point mass (II-D)",
        "tuned": "fitted, β_{1}^{υ} moved until the signed mean vanishes",
    }
    for name, errors in (found.numbers["models"] | {"tuned": found.numbers["tuned"]}).items():
        signed = f"{digits(errors['signed_mean'])} ± {digits(errors['standard_error_of_mean'], 2)}"
        rest = (errors[each] for each in ("mean_absolute", "worst", "relative"))
        rows.append((labels[name], signed, *(digits(value) for value in rest)))
    largest, mean = found.numbers["largest_energy"], found.numbers["mean_energy"]
    return [
        Shown(
            "Kinetic energy of the ten-section arm: integral model minus model, in percent",
            (
                "model",
                "signed mean ± its standard error, of the largest energy",
                "mean absolute, of the largest energy",
                "worst, of the largest energy",
                "mean absolute, of the mean energy",
            ),
            tuple(rows),
            f"The largest energy in the samples is {digits(largest, 4)} J, the mean {digits(mean, 4)} J. The paper "
            "normalises with the largest, which flatters: it is many times the mean and grows with the number of "
            "samples.",
        )
    ]


VALIDATION = Part(
    name="validation",
    title="Statistical validation on ten sections",
    method=(
        "As in the paper: ten sections with L = 0.15 m, r = 0.0125 m, m = 0.1 kg; muscle lengths uniform in "
        "[0, 0.07] m, rates uniform in [−L, L] per second. For every state the kinetic energy of the whole arm is "
        "computed with the exact integral model and with each of the others; the difference is divided by the largest "
        "exact energy in all samples, the paper's normalisation. The same is repeated for arms of 1 to 20 such "
        "sections.",
        "The last row of the table answers whether a signed mean of 10^{−6} % could be meant: errors of both signs "
        "cancel in it, so that one coefficient can be moved until it vanishes on any given set of samples. Neither the "
        "mean absolute error nor the worst one follow.",
    ),
    parameters=validation_parameters,
    find=find_validation,
    drawings=(
        Drawing(
            "energy-errors",
            "Energy error of the ten-section arm (the paper's Fig. 4). (a) Single samples, fitted β. (b), (c) "
            "Histograms of all samples, counts on a logarithmic scale.",
            draw_errors,
            more_tables=("energy-errors-histogram",),
        ),
        Drawing(
            "energy-errors-over-length",
            "Mean absolute energy error over the mean energy, for arms of 1 to 20 sections. In long arms most energy "
            "is in the velocity of the sections' bases, which no model changes: ten sections are an easy test, one "
            "section is the hard one.",
            draw_error_growth,
        ),
    ),
    shown=show_validation,
    needs=("energy-shaping",),
)
