"""The noise of static tables: from rows that repeat a command, or from a curve through what a fit leaves.

A table has no neighbours in time. What a wrong model leaves is a smooth function of the commands, and noise is not:
least squares on the commands take the one away and leave the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from continuarm.common.number_checks import Floats

FEWEST_REPEATS = 6
"""Numbers beyond the first of each command that tell the noise."""
SPARE_ROWS = 5
"""Rows beyond two for each coefficient of a curve without which it says nothing."""
SAME = 1e-3
"""Commands that differ by less, over their range, are repeated."""


class TableNoise(NamedTuple):
    """What the noise of a table is, or at most is."""

    sigma: float
    source: str  # "repeats", "curve", or "unknown": noise and misfit are not told apart
    structured: float  # rms of a coordinate, of what is a function of the commands
    chance: float  # that noise alone leaves as much


def table_noise(left: Sequence[Floats], commands: Sequence[Floats]) -> TableNoise | None:
    """From what is left (k, width) of one sensor in tables, and the commands (k, c) of these; None if nothing is left.

    Rows with gaps or outliers (NaN) are left out.
    """
    if not left:
        return None
    whole = [np.isfinite(each).all(axis=1) for each in left]
    d = np.concatenate([each[rows] for each, rows in zip(left, whole, strict=True)])
    u = np.concatenate([each[rows] for each, rows in zip(commands, whole, strict=True)])
    if not len(d):
        return None
    span = np.ptp(u, axis=0)
    u = (u[:, span > 0] - u[:, span > 0].mean(axis=0)) / span[span > 0]
    rms = float(np.sqrt(np.mean(d**2)))
    repeated = _from_repeats(d, u)
    if repeated is not None:
        return repeated
    curves = [curve for curve in (_from_curve(d, u), _from_curve(d, np.hstack([u, u**2]))) if curve is not None]
    if not curves:
        return TableNoise(rms, "unknown", 0.0, 1.0)
    return min(curves, key=lambda curve: curve.chance)


def _from_repeats(d: Floats, u: Floats) -> TableNoise | None:
    from scipy.stats import f

    _, group = np.unique(np.round(u / SAME), axis=0, return_inverse=True)
    group = group.reshape(-1)
    counts = np.bincount(group)
    means = np.stack([np.bincount(group, column) / counts for column in d.T], axis=-1)
    freedom = int(np.sum(counts - 1)) * d.shape[1]
    if freedom < FEWEST_REPEATS:
        return None
    pure = float(np.sum((d - means[group]) ** 2)) / freedom
    between = float(np.sum(counts[:, None] * means**2)) / means.size
    chance = float(f.sf(between / max(pure, 1e-300), means.size, freedom))
    total = float(np.mean(d**2))
    return TableNoise(float(np.sqrt(pure)), "repeats", float(np.sqrt(max(total - pure, 0.0))), chance)


def _from_curve(d: Floats, u: Floats) -> TableNoise | None:
    """A polynomial in the commands through what is left: what it takes away is no noise."""
    from scipy.stats import f

    columns = np.hstack([np.ones((len(u), 1)), u])
    basis = np.linalg.svd(columns, full_matrices=False)
    kept = basis[0][:, basis[1] > 1e-9 * basis[1][0]]
    rows, size, width = len(d), kept.shape[1], d.shape[1]
    if rows < 2 * size + SPARE_ROWS:
        return None
    taken = float(np.sum((kept.T @ d) ** 2))
    rest = max(float(np.sum(d**2)) - taken, 0.0)
    noise = rest / ((rows - size) * width)
    chance = float(f.sf(taken / (size * width) / max(noise, 1e-300), size * width, (rows - size) * width))
    sigma = float(np.sqrt(noise))
    return TableNoise(sigma, "curve", float(np.sqrt(max(float(np.mean(d**2)) - noise, 0.0))), chance)
