"""Outliers: how the fit keeps them from pulling, which samples count as outliers, and the noise without them."""

from __future__ import annotations

import numpy as np

from continuarm.common.number_checks import Booleans, Floats

CAUCHY = 2.5
"""Where a residual begins to lose weight, over the noise: 5 % of the information in Gaussian noise is given away."""
SOFT = 1.5
"""The same far from the solution, where every sample must pull."""
LOSSES = {"soft_l1": SOFT, "cauchy": CAUCHY}
"""Robust losses of scipy.optimize.least_squares, and where a residual begins to lose weight in them."""
OUTLIER = 5.0
"""Beyond so many times the spread, a sample is an outlier."""
IN_A_ROW = 4
"""Outliers in a row that are no chance: of one sample in 20, four in a row come once in 500 recordings."""
TRIM = 0.1
"""The part of the samples that may be outliers."""
TRIMMED = 0.7893
"""Root mean square of a Gaussian of σ = 1 without a tenth of its largest values."""


def robust_cost(residuals: Floats, width: float = CAUCHY) -> float:
    """Σ ln(1 + r²/w²), what the Cauchy loss makes small: a residual far beyond the width w hardly counts more."""
    return float(np.sum(np.log1p((residuals / width) ** 2)))


def influence(residuals: Floats, width: float = CAUCHY) -> tuple[Floats, Floats]:
    """ψ and ψ' of the loss w²/2 ln(1 + r²/w²) (Cauchy): how strongly a residual pulls."""
    part = (residuals / width) ** 2
    return residuals / (1 + part), (1 - part) / (1 + part) ** 2


def robust_sigma(values: Floats) -> float:
    """σ of values about zero of which up to a tenth are outliers."""
    sizes = np.sort(np.abs(values))
    inner = sizes[: max(1, int(np.ceil((1 - TRIM) * len(sizes))))]
    return float(np.sqrt(np.mean(inner**2))) / TRIMMED if len(sizes) else 0.0


def outlier_mask(differences: Floats, used: Booleans, sigma: float | None) -> Booleans:
    """Which of the used samples are outliers, (k, width): by their own spread, or by a given σ that is larger."""
    size = max(robust_sigma(differences[used]), sigma or 0.0)
    return used & (np.abs(np.nan_to_num(differences)) > OUTLIER * size)


def longest_row(outliers: Booleans) -> tuple[int, int] | None:
    """First and last sample of the longest row of outliers (k, width); None if chance alone makes such rows."""
    far = np.concatenate([[False], outliers.any(axis=1), [False]])
    begins, ends = np.flatnonzero(far[1:] & ~far[:-1]), np.flatnonzero(far[:-1] & ~far[1:]) - 1
    lengths = ends - begins + 1
    if not len(lengths) or lengths.max() < IN_A_ROW:
        return None
    k = int(np.argmax(lengths))
    return int(begins[k]), int(ends[k])
