"""Residuals that follow their neighbours in time: how strongly, over how many samples, and what they add up to."""

from __future__ import annotations

import numpy as np

from continuarm.common.number_checks import Floats

ALIKE = 0.1
"""A correlation below which residuals count as no longer alike."""
LAGS = 4
"""Sums run over so many times the samples for which residuals stay alike ..."""
LONGEST_PART = 0.2
"""... but over no more than this part of a recording."""


def autocorrelation(values: Floats, lags: int) -> Floats:
    """(lags + 1,): correlation of values (k, channels) about zero with those 0, 1, ... samples later.

    Gaps (NaN) are left out; samples that are all gaps do not count as time.
    """
    seen = values[np.isfinite(values).any(axis=1)]
    there = np.isfinite(seen)
    filled = np.where(there, seen, 0.0)
    power = np.sum(filled**2) / max(np.sum(there), 1)
    found = [1.0]
    for lag in range(1, lags + 1):
        pairs = np.sum(there[lag:] & there[:-lag])
        found.append(float(np.sum(filled[lag:] * filled[:-lag]) / max(pairs, 1) / max(power, 1e-300)))
    return np.array(found)


def correlation_length(values: Floats) -> int:
    """Over how many samples values (k, channels) must be summed, so that sums of neighbours are independent."""
    most = max(int(LONGEST_PART * len(values)), 1)
    rho = autocorrelation(values, most)
    below = np.flatnonzero(rho < ALIKE)
    return int(min(LAGS * (below[0] if len(below) else most), most))


def long_run_power(pulls: Floats, lags: int) -> Floats:
    """(r, r): power of the sum of pulls (k, r), with correlations up to so many lags (Newey and West 1987)."""
    total = pulls.T @ pulls
    for lag in range(1, min(lags, len(pulls) - 1) + 1):
        later = pulls[lag:].T @ pulls[:-lag]
        total += (1 - lag / (lags + 1)) * (later + later.T)
    return np.asarray(total)


def chance_limit(weights: Floats, lags: int, size: int) -> float:
    """What the largest of `size` powers, each 1 on average, reaches by chance: weights (k,) of the samples."""
    count = float(np.sum(weights) ** 2 / max(np.sum(weights**2), 1e-300))
    freedom = 1.5 * count / (lags + 1)
    return float((1 + np.sqrt(size / freedom)) ** 2 + 3 * np.sqrt(2 / freedom))
