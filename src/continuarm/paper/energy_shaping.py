"""The paper's energy shaping (section III-B): β fitted to random sections, and validated on its ten-section arm.

The kinetic energy of the centre-of-gravity model has six terms, each scaled by its β so that it matches that of the
integral model (eqs. dKv_i, dKw_i); `energy_shaping_samples` says what the terms are and how sections are drawn. β is
found by least squares through the origin, in the two ways of the paper and one between:

* "terms": each integral term on its own centre-of-gravity term, angular ones without I. β means what it says.
* "kinds": the sum of the linear terms on its three, the sum of the angular terms on its three.
* "total": the whole energy on all six, the paper's choice and its objective as printed. The misfit becomes smaller
  by 0.4 % ("slight, though negligible", says the paper), and β3 loses its meaning: with a base that turns with up to
  100 rad/s the own terms are 10⁴ times smaller than the base terms and hundreds of times smaller than the misfit that
  a constant β1 leaves, so that both β3 are spent on that misfit. "kinds" suffers the same. A `Sampling` with a slower
  base (`base_rate` of about 3 rad/s) brings "kinds" back to where "terms" is.

The paper bounds β to [0, 1] in its search. No β1 or β3 of the linear energy below 1 can be right, as ∫|u|² >= |∫u|²:
`bounds` exists, and is left out by default.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.arms.arm_file import load_arm
from continuarm.arms.inertia_models import CentreOfGravity, InertiaModel, Integral, PointMass
from continuarm.common.number_checks import Floats, real_numbers, whole_number
from continuarm.common.text import short
from continuarm.engine.quantities import kinetic_energy
from continuarm.paper.random_sections import (
    MOST_SAMPLES,
    TERMS,
    EnergyTerms,
    Sampling,
    block_sizes,
    moments_of,
    random_stream,
    resampled,
    sampling_named,
    term_blocks,
)

__all__ = [
    "METHODS",
    "EnergyShapingFit",
    "ModelErrors",
    "TermFit",
    "Validation",
    "compared_models",
    "fit_energy_shaping",
    "shaping_coefficients",
    "validate_energy_shaping",
]

Progress = Callable[[float], Any]
Betas = tuple[float, float, float]


class Method(NamedTuple):
    """Which terms are summed before they are fitted, and whether as energies or as the paper plots them."""

    sums: tuple[tuple[int, ...], ...]
    energies: bool


METHODS = {
    "terms": Method(((0,), (1,), (2,), (3,), (4,), (5,)), energies=False),
    "kinds": Method(((0, 1, 2), (3, 4, 5)), energies=True),
    "total": Method(((0, 1, 2, 3, 4, 5),), energies=True),
}


@dataclass(frozen=True)
class TermFit:
    """One β, its sampling error, and how well the term is proportional."""

    name: str
    beta: float
    standard_error: float
    """Bootstrap: what another seed would change, not how far the term is from proportional."""
    interval: tuple[float, float]
    """95 %, of the same."""
    rms_residual: float
    """Root mean square of (integral term - β term), as a share of that of the integral term."""
    mean_residual: float
    """Mean of it, as a share of the same; positive: β leaves the term too small."""
    correlation: float
    """Between both terms, through the origin: 1 if they are proportional."""


@dataclass(frozen=True)
class EnergyShapingFit:
    """Energy shaping coefficients found by `fit_energy_shaping`, and how."""

    terms: tuple[TermFit, ...]
    """Six, in the order of `TERMS`."""
    rms_energy_residual: float
    """Root mean square of the whole energy's misfit, as a share of that of the energy."""
    mean_energy_residual: float
    """Mean misfit over mean energy; positive: the shaped energy is too small."""
    samples: int
    seed: int
    sampling: Sampling
    method: str
    bounds: tuple[float, float] | None

    @property
    def beta_linear(self) -> Betas:
        """β^υ of base, cross and own term."""
        base, cross, own = (term.beta for term in self.terms[:3])
        return base, cross, own

    @property
    def beta_angular(self) -> Betas:
        """β^ω of base, cross and own term."""
        base, cross, own = (term.beta for term in self.terms[3:])
        return base, cross, own

    @property
    def definiteness(self) -> tuple[float, float]:
        """Of the linear and the angular energy: below 0 by how much some motion's energy is negative.

        The least eigenvalues of [[β1 - 1, β2 - 1], [β2 - 1, β3 - 1]] and [[β1, β2], [β2, β3]]: a section's energy is
        positive for every motion if both are at least 0, the conditions of `CentreOfGravity`.
        """
        base, cross, own = self.beta_linear
        return _least_eigenvalue(base - 1, cross - 1, own - 1), _least_eigenvalue(*self.beta_angular)

    @property
    def positive_definite(self) -> bool:
        """Whether the mass matrix of every arm has only positive energies with these coefficients."""
        return min(self.definiteness) >= 0

    @property
    def model(self) -> CentreOfGravity:
        """The inertia model, for `arm.replace(inertia=...)`; it says allow_indefinite if it is not positive definite.

        Raises ValueError if a coefficient is so large that no model takes it.
        """
        return CentreOfGravity(
            beta_linear=self.beta_linear,
            beta_angular=self.beta_angular,
            allow_indefinite=not self.positive_definite,
        )

    def summary(self) -> dict[str, Any]:
        """All of it as plain numbers, for a table or JSON."""
        return asdict(self) | {
            "beta_linear": self.beta_linear,
            "beta_angular": self.beta_angular,
            "positive_definite": self.positive_definite,
            "definiteness": self.definiteness,
        }


def fit_energy_shaping(
    samples: int = 1_000_000,
    seed: int = 0,
    *,
    sampling: str | Sampling = "2pi",
    method: str = "terms",
    bounds: tuple[float, float] | None = None,
    bootstrap: int = 200,
    progress: Progress | None = None,
) -> EnergyShapingFit:
    """β of the centre-of-gravity model from random sections; the same seed gives the same numbers.

    sampling: "2pi" or "6pi", two readings of the paper, or a Sampling. method: "terms", "kinds" or "total".
    bounds: least and greatest β, for all six. bootstrap: how many resamplings make the standard errors and intervals.
    progress is called with the share done, from 0 to 1. A million samples take about two seconds.
    """
    count = whole_number("samples", samples, least=1000, most=MOST_SAMPLES)
    resamplings = whole_number("bootstrap", bootstrap, least=10)
    solve = _solver(method, bounds)
    drawn_from = sampling_named(sampling)
    groups: list[Floats] = []
    blocks = len(block_sizes(count))
    for done, terms in enumerate(term_blocks(count, seed, drawn_from), start=1):
        groups.append(moments_of(terms))
        if progress:
            progress(done / blocks)
    moments = np.concatenate(groups)
    total = moments.sum(axis=0)
    beta = solve(total)
    spread = np.array([solve(each) for each in resampled(moments, resamplings, random_stream(seed, "bootstrap"))])
    rms, mean = _energy_residuals(total, beta)
    return EnergyShapingFit(
        terms=_term_fits(total[int(METHODS[method].energies)], beta, spread),
        rms_energy_residual=rms,
        mean_energy_residual=mean,
        samples=count,
        seed=seed,
        sampling=drawn_from,
        method=method,
        bounds=None if bounds is None else (float(bounds[0]), float(bounds[1])),
    )


def shaping_coefficients(
    terms: EnergyTerms, method: str = "terms", bounds: tuple[float, float] | None = None
) -> Floats:
    """The six β that fit given terms best, in the order of `TERMS`: (6,)."""
    return _solver(method, bounds)(moments_of(terms).sum(axis=0))


def _solver(method: str, bounds: tuple[float, float] | None) -> Callable[[Floats], Floats]:
    """The function from moments (2, 13, 13) to β (6,)."""
    if not isinstance(method, str) or method not in METHODS:
        raise ValueError(f"method = {short(method)}: must be 'terms', 'kinds' or 'total'")
    if bounds is not None:
        checked = real_numbers("bounds", bounds, "two numbers, the least and the greatest β")
        if checked.shape != (2,) or not checked[0] < checked[1]:
            raise ValueError(f"bounds = {short(bounds)}: must be two numbers, the least and the greatest β")
    return partial(_best_coefficients, METHODS[method], bounds)


def _best_coefficients(method: Method, bounds: tuple[float, float] | None, moments: Floats) -> Floats:
    beta, chosen = np.empty(6), moments[int(method.energies)]
    for summed in method.sums:
        columns = np.array(summed)
        gram = chosen[np.ix_(columns, columns)]
        right = chosen[np.ix_(columns, 6 + columns)].sum(axis=1)
        beta[columns] = _least_squares(gram, right, bounds)
    return beta


def _least_squares(gram: Floats, right: Floats, bounds: tuple[float, float] | None) -> Floats:
    """The minimum of ½ βᵀ gram β - rightᵀ β, within bounds if any."""
    size = np.sqrt(np.diag(gram))  # terms differ by many orders of magnitude: unit columns keep the digits
    normal, unit_right = gram / np.outer(size, size), right / size
    beta: Floats = np.linalg.solve(normal, unit_right) / size
    if bounds is None or np.all((beta >= bounds[0]) & (beta <= bounds[1])):
        return beta
    from scipy.optimize import lsq_linear

    root = np.linalg.cholesky(normal)
    found = lsq_linear(root.T, np.linalg.solve(root, unit_right), (bounds[0] * size, bounds[1] * size), method="bvls")
    return np.clip(found.x / size, *bounds)


def _term_fits(moments: Floats, beta: Floats, spread: Floats) -> tuple[TermFit, ...]:
    fits = []
    lows, highs = np.percentile(spread, [2.5, 97.5], axis=0)
    for k, name in enumerate(TERMS):
        xx, xy, yy = moments[k, k], moments[k, 6 + k], moments[6 + k, 6 + k]
        misfit = max(yy - 2 * beta[k] * xy + beta[k] ** 2 * xx, 0.0)
        fits.append(
            TermFit(
                name=name,
                beta=float(beta[k]),
                standard_error=float(spread[:, k].std(ddof=1)),
                interval=(float(lows[k]), float(highs[k])),
                rms_residual=math.sqrt(misfit / yy),
                mean_residual=float((moments[6 + k, 12] - beta[k] * moments[k, 12]) / math.sqrt(moments[12, 12] * yy)),
                correlation=float(xy / math.sqrt(xx * yy)),
            )
        )
    return tuple(fits)


def _energy_residuals(moments: Floats, beta: Floats) -> tuple[float, float]:
    """Root mean square and mean of the whole energy's misfit, as shares of those of the energy."""
    energies = moments[1]
    energy = np.repeat([0.0, 1.0, 0.0], [6, 6, 1])
    misfit = np.concatenate([-beta, np.ones(6), [0.0]])
    rms = math.sqrt(max(misfit @ energies @ misfit, 0.0) / (energy @ energies @ energy))
    return rms, float(energies[12] @ misfit / (energies[12] @ energy))


def _least_eigenvalue(first: float, beside: float, last: float) -> float:
    return (first + last) / 2 - math.hypot((first - last) / 2, beside)


@dataclass(frozen=True, eq=False)
class ModelErrors:
    """How far the kinetic energies of a model are from those of the integral model, over random states."""

    model: InertiaModel
    errors: Floats = field(repr=False)
    """(samples,): integral minus model, in percent of the largest energy of the integral model in all samples."""
    relative: float
    """Mean absolute difference over mean energy, in percent."""

    @property
    def signed_mean(self) -> float:
        """Percent of the largest energy; positive: the model has too little energy."""
        return float(self.errors.mean())

    @property
    def mean_absolute(self) -> float:
        """Percent of the largest energy."""
        return float(np.abs(self.errors).mean())

    @property
    def worst(self) -> float:
        """The largest absolute error, percent of the largest energy."""
        return float(np.abs(self.errors).max())

    def histogram(self, bins: int = 60) -> tuple[Floats, Floats]:
        """Counts (bins,) and edges (bins + 1,), percent of the largest energy."""
        counts, edges = np.histogram(self.errors, bins=whole_number("bins", bins, least=1))
        return counts.astype(float), edges


@dataclass(frozen=True)
class Validation:
    """The paper's statistical validation: what `validate_energy_shaping` found for each model."""

    arm: str
    samples: int
    seed: int
    largest_energy: float
    """J, of the integral model in all samples: the errors are in percent of it."""
    mean_energy: float
    """J, of the same."""
    models: Mapping[str, ModelErrors]

    def summary(self) -> dict[str, Any]:
        """The numbers without the single errors, for a table or JSON."""
        wanted = ("signed_mean", "mean_absolute", "worst", "relative")
        rows = {name: {each: getattr(found, each) for each in wanted} for name, found in self.models.items()}
        return {name: getattr(self, name) for name in ("arm", "samples", "seed", "largest_energy", "mean_energy")} | {
            "models": rows
        }


def compared_models(fit: EnergyShapingFit) -> dict[str, InertiaModel]:
    """The models that the validation sets side by side."""
    return {
        "fitted": fit.model,
        "small bends": CentreOfGravity(),
        "not shaped": CentreOfGravity(beta_linear=(1, 1, 1), beta_angular=(1, 1, 1)),
        "point mass": PointMass(),
    }


def validate_energy_shaping(
    models: Mapping[str, InertiaModel],
    samples: int = 1_000_000,
    seed: int = 0,
    *,
    arm: str | Arm = "ten-sections",
    progress: Progress | None = None,
) -> Validation:
    """Kinetic energies of models against the integral model, at random states of an arm (the paper's ten sections).

    q is uniform in the length_range of each section and q̇ in [-L, L] per second, as in the paper. Errors are
    K - K̄ of the whole arm in percent of the largest K in the samples: so the paper's max(K_i^υ + K_i^ω) is read. That
    flatters, as the largest energy is some thirty times the mean, and changes with the seed: `relative` compares with
    the mean. Most of an arm's energy is in how fast the bases move, v, which no model changes.
    """
    count = whole_number("samples", samples, least=1, most=MOST_SAMPLES)
    described = load_arm(arm) if isinstance(arm, str) else arm
    if not isinstance(described, Arm):
        raise TypeError(f"arm is {type(arm).__name__}: must be an Arm or the name of one (see load_arm)")
    exact = described.replace(inertia=Integral())
    arms = [exact.replace(inertia=model) for model in models.values()]
    least, greatest, fastest = _ranges(exact)
    energy, differences = np.empty(count), np.empty((len(arms), count))
    sizes = block_sizes(count)
    start = 0
    for block, size in enumerate(sizes):
        u = random_stream(seed, "states", block).random((size, 2, 3 * exact.n))
        q, qd = least + (greatest - least) * u[:, 0], fastest * (2 * u[:, 1] - 1)
        here = slice(start, start + size)
        energy[here] = kinetic_energy(exact, q, qd)
        for row, shaped in enumerate(arms):
            differences[row, here] = energy[here] - kinetic_energy(shaped, q, qd)
        start += size
        if progress:
            progress((block + 1) / len(sizes))
    largest, mean = float(energy.max()), float(energy.mean())
    found = {
        name: ModelErrors(model, 100 / largest * row, 100 * float(np.abs(row).mean()) / mean)
        for (name, model), row in zip(models.items(), differences, strict=True)
    }
    return Validation(exact.name, count, seed, largest, mean, found)


def _ranges(arm: Arm) -> tuple[Floats, Floats, Floats]:
    """Least and greatest q, m, and greatest speed |q̇|, m/s: (3n,) each."""
    for i, section in enumerate(arm.sections, start=1):
        if section.length_range is None:
            raise ValueError(f"section {i} of {arm.name!r} has no length_range: the validation draws q from it")
    limits = np.array([section.length_range for section in arm.sections])
    lengths = np.array([section.length for section in arm.sections])
    return np.repeat(limits[:, 0], 3), np.repeat(limits[:, 1], 3), np.repeat(lengths, 3)
