"""Effects that a fit leaves out and its recordings do not exclude: how far they could have moved its numbers.

An effect of size θ, a Gaussian of standard deviation τ before anything is recorded, changes what a fit leaves by R θ
beyond what the free numbers can do as well. What is left, r with variance v a sample, tells θ as

    Λ = Rᵀ R / v + 1 / τ²,   mean θ = -Λ⁻¹ Rᵀ r / v,   E[θ θᵀ] = Λ⁻¹ + mean meanᵀ.

Where recordings exclude the effect nothing remains of it; where they ask for a little of it, or hardly see it, that
much of it may be there. Numbers that it moves by D θ are then uncertain by D E[θ θᵀ] Dᵀ, beside the noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from continuarm.common.number_checks import Floats


class SlightEffect(NamedTuple):
    """An effect that is left out, and that recordings may not show."""

    name: str
    moves: Floats  # (p, p): mean products of what it could have moved the numbers of a search by


def size_of_slight_effect(
    rest: Floats, left: Floats, variance: float, expected: float, distinct: float = 0.0
) -> Floats:
    """(m, m): mean products of the sizes of an effect of m numbers, over the changes that were tried.

    rest (N, m): what the changes do beyond the free numbers; left (N,), of this variance: what a fit leaves. expected:
    the standard deviation of sizes before anything is recorded. Changes of which `rest` is no longer than `distinct`
    do not count: the free numbers do them as well, and then mean the arm with the effect.
    """
    ways, sizes, axes = np.linalg.svd(rest, full_matrices=False)
    clear = sizes > distinct
    ways, sizes, axes = ways[:, clear], sizes[clear], axes[clear]
    # multiplied by the variance, which is 0 where nothing at all is left
    known = np.maximum(sizes**2 * expected**2 + variance, 1e-300)
    spread = variance * expected**2 / known
    mean = expected**2 * sizes * (ways.T @ left) / known
    return np.asarray(axes.T @ (np.diag(spread) + np.outer(mean, mean)) @ axes)


def could_move(effects: Sequence[SlightEffect], count: int) -> Floats:
    """(p, p): mean products of what all of them together could have moved p = count numbers by."""
    return np.asarray(sum((each.moves for each in effects), np.zeros((count, count))))
