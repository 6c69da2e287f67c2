"""The covariance of fitted parameters, under a robust loss and residuals that are correlated in time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from continuarm.common.number_checks import Booleans, Floats
from continuarm.identification.outliers import influence
from continuarm.identification.serial_correlation import (
    autocorrelation,
    chance_limit,
    correlation_length,
    long_run_power,
)
from continuarm.identification.undetermined_parameters import PART_OF, plain_directions

UNCERTAIN = 0.5
"""A direction whose error is larger, in numbers of the search (logarithms of positive parameters), is undetermined."""
BLIND = 1e-5
"""The same, over the best determined direction: smaller slopes are errors of the differences."""
HOPELESS = 3.0
"""An error beyond this, a factor of 20, is no error any more: nothing is known."""
CORRELATED = 4.0
"""Standard errors by which the correlation of neighbouring residuals must differ from 0 to count."""


class ChannelRows(NamedTuple):
    """Residuals of one column of one sensor in one recording: their rows, and at which of its samples they are."""

    rows: NDArray[np.int_]
    samples: NDArray[np.int_]
    recording: int = 0
    static: bool = False


class ParameterCovariance(NamedTuple):
    """The errors of the numbers of a search, and which of these stay undetermined."""

    covariance: Floats  # (p, p)
    undetermined: list[Floats]  # directions (p,), the largest part of each is 1
    unknown: Booleans  # (p,), which of the numbers could be anything
    degrees_of_freedom: int  # samples less parameters
    correlation: float  # of neighbouring residuals, the worst of the channels that have any
    enlarged: Floats  # (p,), by how many times the errors are those of independent residuals


def parameter_covariance(residuals: Floats, jacobian: Floats, channels: Sequence[ChannelRows]) -> ParameterCovariance:
    """The covariance H⁻¹ B H⁻¹ of a fit with a robust loss (Huber): H = E[ψ'] Jᵀ J, B = Σ E[ψ²] Jᵀ J over channels.

    residuals (N,) over their scales, their Jacobian J (N, p). Where residuals follow their neighbours in time, as those
    of a wrong model do, B is enlarged by what the pulls on the parameters, J ψ, add up to over as many samples as they
    stay alike (Newey and West), and at least by the same for the residuals themselves.
    """
    count, size = jacobian.shape
    psi, steepness = influence(residuals)
    degrees_of_freedom = count - size
    pooled = float(np.mean(psi**2))
    plain = np.zeros((size, size))
    powers = []
    for channel in channels:
        own = psi[channel.rows]
        powers.append(float(np.mean(own**2)) if len(own) >= 30 else pooled)
        plain += powers[-1] * jacobian[channel.rows].T @ jacobian[channel.rows]
    worst = max((_correlation(psi[channel.rows]) for channel in channels if not channel.static), default=0.0)
    whole = _enlarged(plain, psi, jacobian, channels, powers) if worst > 0 else plain
    usual = count / max(degrees_of_freedom, 1) / np.mean(steepness) ** 2
    middle, plain = usual * whole, usual * plain

    _, values, rows = np.linalg.svd(jacobian, full_matrices=False)
    felt = np.maximum(values, max(1e-9 * values[0], 1e-18))  # where nothing is felt at all, nothing divides by zero
    errors = np.sqrt(np.maximum(np.diag(rows @ middle @ rows.T), 0.0)) / felt**2
    blind = (errors > UNCERTAIN) | (values <= BLIND * values[0])
    lost = (errors > HOPELESS) | (values <= BLIND * values[0])
    inverse = (rows[~lost].T / values[~lost] ** 2) @ rows[~lost]
    anything = rows[lost].T @ rows[lost]
    covariance = inverse @ middle @ inverse + (2 * HOPELESS) ** 2 * anything
    unknown = np.sqrt(np.diag(anything)) > PART_OF
    alone = np.diag(inverse @ plain @ inverse)
    enlarged = np.sqrt(np.maximum(np.diag(inverse @ middle @ inverse) / np.maximum(alone, 1e-300), 1.0))
    enlarged[alone <= 0] = 1.0
    directions = plain_directions(rows[blind])
    return ParameterCovariance(covariance, directions, unknown, degrees_of_freedom, worst, enlarged)


def unknown_covariance(size: int, count: int) -> ParameterCovariance:
    """That of p = size numbers fitted to `count` samples where nothing is known of their errors."""
    anything = (2 * HOPELESS) ** 2 * np.eye(size)
    return ParameterCovariance(anything, [], np.ones(size, dtype=bool), count - size, 0.0, np.ones(size))


def _correlation(psi: Floats) -> float:
    """Of neighbouring residuals, where it is more than chance; at most 0.99."""
    if len(psi) < 11:
        return 0.0
    rho = float(autocorrelation(psi[:, None], 1)[1])
    return min(rho, 0.99) if rho > CORRELATED / np.sqrt(len(psi) - 1) else 0.0


def _enlarged(
    plain: Floats, psi: Floats, jacobian: Floats, channels: Sequence[ChannelRows], powers: Sequence[float]
) -> Floats:
    """B where residuals are correlated in time: at least `plain`, in every direction."""
    size = np.sqrt(np.maximum(np.diag(plain), 1e-300))
    values, vectors = np.linalg.eigh(plain / np.outer(size, size))
    felt = values > 1e-12 * values[-1]
    whiten = (vectors[:, felt] / np.sqrt(values[felt])) / size[:, None]  # (p, r): pulls of power 1
    back = size[:, None] * vectors[:, felt] * np.sqrt(values[felt])
    total, factor, samples, weights = np.zeros((felt.sum(),) * 2), 1.0, 0, []
    for number in dict.fromkeys(channel.recording for channel in channels):
        own = [(channel, power) for channel, power in zip(channels, powers, strict=True) if channel.recording == number]
        if own[0][0].static:
            for channel, power in own:
                slopes = jacobian[channel.rows] @ whiten
                total += power * slopes.T @ slopes
            continue
        count = 1 + max(int(channel.samples.max()) for channel, _ in own)
        pulls, share = np.zeros((count, int(felt.sum()))), np.zeros(count)
        left = np.full((count, len(own)), np.nan)
        for c, (channel, power) in enumerate(own):
            slopes = jacobian[channel.rows] @ whiten
            pulls[channel.samples] += slopes * psi[channel.rows, None]
            share[channel.samples] += power * np.sum(slopes**2, axis=1)
            left[channel.samples, c] = psi[channel.rows] / np.sqrt(max(power, 1e-300))
        lags = correlation_length(left)
        total += long_run_power(pulls, lags)
        rho = autocorrelation(left, lags)
        factor = max(factor, float(1 + 2 * np.sum((1 - np.arange(1, lags + 1) / (lags + 1)) * rho[1:])))
        samples = max(samples, lags)
        weights.append(share)
    values, vectors = np.linalg.eigh(total)
    limit = chance_limit(np.concatenate(weights), samples, len(values))
    grown = np.maximum(np.where(values > limit, values, 1.0), factor)
    wider = back @ (vectors * grown) @ vectors.T @ back.T
    return np.asarray(wider)
