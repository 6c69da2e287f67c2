"""The paper's energy shaping (section III-B): β of the centre-of-gravity model fitted to random sections.

The kinetic energy of the centre-of-gravity model has six terms, each scaled by its β so that it matches that of the
integral model (eqs. 21 dKw_i, 22 dKv_i); `random_sections` says what the terms are and how sections are drawn. β is
found by least squares through the origin, in the two ways of the paper and one between:

* "terms": each integral term on its own centre-of-gravity term, angular ones without I. β means what it says.
* "kinds": the sum of the linear terms on its three, the sum of the angular terms on its three.
* "total": the whole energy on all six, the paper's choice and its objective as printed. The misfit becomes smaller
  by 0.4 % ("slight, though negligible", says the paper), and β3 loses its meaning: with a base that turns with up to
  100 rad/s the own terms are 10⁴ times smaller than the base terms and hundreds of times smaller than the misfit that
  a constant β1 leaves, so that both β3 are spent on that misfit. "kinds" suffers the same. A `Sampling` with a slower
  base (`base_rate` of about 3 rad/s) brings "kinds" back to where "terms" is.

The paper's bounds [0, 1] on β (docs/notation.md, "Where the paper's print is corrected") leave no good fit: `bounds`
exists, and is left out by default.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from continuarm.arms.inertia_models import CentreOfGravity
from continuarm.common.argument_checks import require_function
from continuarm.common.number_checks import Floats, real_numbers, whole_number
from continuarm.common.text import short
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
    "LITERATURE",
    "METHODS",
    "EnergyShapingFit",
    "TermFit",
    "definiteness",
    "fit_energy_shaping",
    "shaping_coefficients",
]

Betas = tuple[float, float, float]

LITERATURE = CentreOfGravity(beta_linear=(1.3155, 1.5053, 1.8011), allow_indefinite=True)
"""β^υ that the literature gives for this paper, whose own stand in its Fig. 3 only; β^ω, which it lacks, as fitted."""


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


@dataclass(frozen=True, repr=False)
class EnergyShapingFit:
    """Energy shaping coefficients found by `fit_energy_shaping`, and how.

    Examples
    --------
    >>> fit = ca.fit_energy_shaping(10_000, bootstrap=20)
    >>> arm = ca.load_arm("prototype").replace(inertia=fit.model)
    >>> fit.positive_definite, arm.inertia.model
    (True, 'centre-of-gravity')
    """

    terms: tuple[TermFit, ...]
    """Six, in the order of `TERMS`."""
    rms_energy_residual: float
    """Root mean square of the whole energy's misfit, as a share of that of the energy."""
    mean_energy_residual: float
    """Mean misfit over mean energy; positive: the shaped energy is too small."""
    samples: int
    """Random sections."""
    seed: int
    """Of the random numbers."""
    sampling: Sampling
    """How sections were drawn."""
    method: str
    """terms, kinds or total."""
    bounds: tuple[float, float] | None
    """Least and greatest β, if any."""

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
        """Of the linear and the angular energy: below 0 by how much some motion's energy is negative."""
        return definiteness(self.beta_linear, self.beta_angular)

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

    def __repr__(self) -> str:
        linear, angular = (
            ", ".join(f"{beta:.4g}" for beta in betas) for betas in (self.beta_linear, self.beta_angular)
        )
        return f"EnergyShapingFit(β^υ = {linear}; β^ω = {angular}; {self.samples:,} samples, method {self.method!r})"

    def _repr_html_(self) -> str:
        """What a notebook shows: the coefficients with their errors."""
        from continuarm.drawing.notebook import card, interval_svg, plain_table

        half = max(abs(end - term.beta) for term in self.terms for end in term.interval)
        rows = [
            (
                term.name,
                f"{term.beta:.5g} ± {term.standard_error:.1g}",
                "{:.5g} to {:.5g}".format(*term.interval),
                f"{100 * term.rms_residual:.3g} %",
                interval_svg(term.interval[0], term.beta, term.interval[1], half),
            )
            for term in self.terms
        ]
        headings = ("term", "β ± standard error", "95 % interval", "rms residual", f"interval, β ± {half:.1g}")
        return card(repr(self), "", plain_table(headings, rows, drawn=True))

    def summary(self) -> dict[str, Any]:
        """All of it as plain numbers, for a table or JSON.

        Returns
        -------
        dict
        """
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
    progress: Callable[[float], object] | None = None,
) -> EnergyShapingFit:
    """β^υ and β^ω, pure numbers, that bring the energies of one disc (eqs. 18 Kwi_c, 20 Kvi_c) to the exact ones.

    Minimises the sum over random sections of (K_i - K̄_i)² (eqs. 21 dKw_i, 22 dKv_i); nearly straight sections that
    only bend give the limits (4/3, 3/2, 9/5) and (1, 1, 4/3). The same arguments give the same numbers.

    Parameters
    ----------
    samples : int, optional
        Random sections, 1000 to 10⁷; a million take about two seconds.
    seed : int, optional
        Of the random numbers; more samples of a seed begin with the fewer.
    sampling : {"2pi", "6pi"} or Sampling, optional
        Bends up to 4π/3, or up to 4π: two readings of the paper.
    method : {"terms", "kinds", "total"}, optional
        Each of the six terms on its own; the sum of all, the paper's choice, is "total"; "kinds" is in between.
    bounds : (float, float), optional
        Least and greatest β, for all six; the paper's (0, 1) exclude the best ones.
    bootstrap : int, optional
        How many resamplings make the standard errors and intervals, at least 10.
    progress : callable, optional
        Called with the share done, from 0 to 1.

    Returns
    -------
    EnergyShapingFit
        The coefficients with their errors; `fit.model` is the inertia model for `arm.replace(inertia=...)`.

    Examples
    --------
    >>> fit = ca.fit_energy_shaping(100_000, bootstrap=20)
    >>> np.array(fit.beta_linear).round(2), np.array(fit.beta_angular).round(2)
    (array([1.34, 1.5 , 1.74]), array([1.05, 1.09, 1.41]))
    """
    count = whole_number("samples", samples, least=1000, most=MOST_SAMPLES)
    resamplings = whole_number("bootstrap", bootstrap, least=10)
    require_function("progress", progress)
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


def definiteness(beta_linear: Betas, beta_angular: Betas) -> tuple[float, float]:
    """The least eigenvalues of [[β1 - 1, β2 - 1], [β2 - 1, β3 - 1]], linear, and [[β1, β2], [β2, β3]], angular.

    A section's energy is positive for every motion if both are at least 0, the conditions of `CentreOfGravity`.
    """
    base, cross, own = beta_linear
    return _least_eigenvalue(base - 1, cross - 1, own - 1), _least_eigenvalue(*beta_angular)


def _least_eigenvalue(first: float, beside: float, last: float) -> float:
    return (first + last) / 2 - math.hypot((first - last) / 2, beside)
