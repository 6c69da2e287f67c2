"""The covariance of fitted parameters, under a robust loss and residuals that are correlated in time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from continuarm.common.number_checks import Booleans, Floats
from continuarm.identification.outliers import influence
from continuarm.identification.undetermined_parameters import PART_OF, plain_directions

UNCERTAIN = 0.5
"""A direction whose error is larger, in numbers of the search (logarithms of positive parameters), is undetermined."""
BLIND = 1e-5
"""The same, over the best determined direction: smaller slopes are errors of the differences."""
HOPELESS = 3.0
"""An error beyond this, a factor of 20, is no error any more: nothing is known."""
CORRELATED = 3.0
"""Standard errors by which the correlation of neighbouring residuals must differ from 0 to count."""


class ChannelRows(NamedTuple):
    """Residuals of one column of one sensor in one recording: their rows, and pairs of rows one sample apart."""

    rows: NDArray[np.int_]
    pairs: NDArray[np.int_]  # (pairs, 2), of rows


class ParameterCovariance(NamedTuple):
    """The errors of the numbers of a search, and which of these stay undetermined."""

    covariance: Floats  # (p, p)
    undetermined: list[Floats]  # directions (p,), the largest part of each is 1
    unknown: Booleans  # (p,), which of the numbers could be anything
    degrees_of_freedom: int  # samples less parameters
    correlation: float  # of neighbouring residuals, the worst of the channels that have any


def parameter_covariance(residuals: Floats, jacobian: Floats, channels: Sequence[ChannelRows]) -> ParameterCovariance:
    """The covariance H⁻¹ B H⁻¹ of a fit with a robust loss (Huber): H = E[ψ'] Jᵀ J, B = Σ g E[ψ²] Jᵀ J over channels.

    residuals (N,) over their scales, their Jacobian J (N, p). Residuals that follow their neighbours, as those of a
    wrong model do, are worth less than their number: g = (1 + ρ) / (1 - ρ) of a channel with the correlation ρ.
    """
    count, size = jacobian.shape
    psi, steepness = influence(residuals)
    degrees_of_freedom = count - size
    pooled, worst = float(np.mean(psi**2)), 0.0
    middle = np.zeros((size, size))
    for channel in channels:
        own = psi[channel.rows]
        power = float(np.mean(own**2)) if len(own) >= 30 else pooled
        rho = _correlation(psi, channel.pairs)
        worst = max(worst, rho)
        middle += power * (1 + rho) / (1 - rho) * jacobian[channel.rows].T @ jacobian[channel.rows]
    middle *= count / max(degrees_of_freedom, 1) / np.mean(steepness) ** 2

    _, values, rows = np.linalg.svd(jacobian, full_matrices=False)
    felt = np.maximum(values, max(1e-9 * values[0], 1e-18))  # where nothing is felt at all, nothing divides by zero
    errors = np.sqrt(np.maximum(np.diag(rows @ middle @ rows.T), 0.0)) / felt**2
    blind = (errors > UNCERTAIN) | (values <= BLIND * values[0])
    lost = (errors > HOPELESS) | (values <= BLIND * values[0])
    inverse = (rows[~lost].T / values[~lost] ** 2) @ rows[~lost]
    anything = rows[lost].T @ rows[lost]
    covariance = inverse @ middle @ inverse + (2 * HOPELESS) ** 2 * anything
    unknown = np.sqrt(np.diag(anything)) > PART_OF
    return ParameterCovariance(covariance, plain_directions(rows[blind]), unknown, degrees_of_freedom, worst)


def unknown_covariance(size: int, count: int) -> ParameterCovariance:
    """That of p = size numbers fitted to `count` samples where nothing is known of their errors."""
    anything = (2 * HOPELESS) ** 2 * np.eye(size)
    return ParameterCovariance(anything, [], np.ones(size, dtype=bool), count - size, 0.0)


def _correlation(psi: Floats, pairs: NDArray[np.int_]) -> float:
    """Of neighbouring residuals, where it is more than chance; at most 0.99."""
    if len(pairs) < 10:
        return 0.0
    before, after = psi[pairs[:, 0]], psi[pairs[:, 1]]
    rho = float(np.sum(before * after) / max(np.sqrt(np.sum(before**2) * np.sum(after**2)), 1e-300))
    return min(rho, 0.99) if rho > CORRELATED / np.sqrt(len(pairs)) else 0.0
