"""How well a fit determines its parameters: their covariance under robust weights, and what stays undetermined."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from continuarm.common.number_checks import Floats

UNCERTAIN = 0.5
"""A direction whose error is larger, in numbers of the search (logarithms of positive parameters), is undetermined."""
BLIND = 1e-5
"""The same, over the best determined direction: smaller slopes are errors of the differences."""
HOPELESS = 3.0
"""An error beyond this, a factor of 20, is no error any more: nothing is known."""
PART_OF = 0.05
"""A parameter with a smaller part in an undetermined direction does not belong to it."""
CORRELATED = 3.0
"""Standard errors by which the correlation of neighbouring residuals must differ from 0 to count."""


class Channel(NamedTuple):
    """Residuals of one column of one sensor in one recording: their rows, and pairs of rows one sample apart."""

    rows: NDArray[np.int_]
    pairs: NDArray[np.int_]  # (pairs, 2), of rows


class Uncertainty(NamedTuple):
    """The errors of the numbers of a search."""

    covariance: Floats  # (p, p)
    undetermined: list[Floats]  # directions (p,), the largest part of each is 1
    unknown: NDArray[np.bool_]  # (p,), which of the numbers could be anything
    freedom: int  # samples less parameters
    correlation: float  # of neighbouring residuals, the worst of the channels that have any


def influence(residuals: Floats, width: float) -> tuple[Floats, Floats]:
    """ψ and ψ' of the loss w²/2 ln(1 + r²/w²) (Cauchy): how strongly a residual pulls."""
    part = (residuals / width) ** 2
    return residuals / (1 + part), (1 - part) / (1 + part) ** 2


def uncertainty(residuals: Floats, slopes: Floats, channels: Sequence[Channel], width: float) -> Uncertainty:
    """The covariance H⁻¹ B H⁻¹ of a fit with a robust loss (Huber): H = E[ψ'] Jᵀ J, B = Σ g E[ψ²] Jᵀ J over channels.

    residuals (N,) over their scales, slopes J (N, p). Residuals that follow their neighbours, as those of a wrong model
    do, are worth less than their number: g = (1 + ρ) / (1 - ρ) of a channel with the correlation ρ.
    """
    count, size = slopes.shape
    psi, steepness = influence(residuals, width)
    freedom = count - size
    pooled, worst = float(np.mean(psi**2)), 0.0
    middle = np.zeros((size, size))
    for channel in channels:
        own = psi[channel.rows]
        power = float(np.mean(own**2)) if len(own) >= 30 else pooled
        rho = _correlation(psi, channel.pairs)
        worst = max(worst, rho)
        middle += power * (1 + rho) / (1 - rho) * slopes[channel.rows].T @ slopes[channel.rows]
    middle *= count / max(freedom, 1) / np.mean(steepness) ** 2

    _, values, rows = np.linalg.svd(slopes, full_matrices=False)
    errors = (
        np.sqrt(np.maximum(np.diag(rows @ middle @ rows.T), 0.0)) / np.maximum(values, 1e-9 * max(values[0], 1e-9)) ** 2
    )
    blind = (errors > UNCERTAIN) | (values < BLIND * values[0])
    lost = (errors > HOPELESS) | (values < BLIND * values[0])
    inverse = (rows[~lost].T / values[~lost] ** 2) @ rows[~lost]
    anything = rows[lost].T @ rows[lost]
    covariance = inverse @ middle @ inverse + (2 * HOPELESS) ** 2 * anything
    unknown = np.sqrt(np.diag(anything)) > PART_OF
    return Uncertainty(covariance, _plain_directions(rows[blind]), unknown, freedom, worst)


def _correlation(psi: Floats, pairs: NDArray[np.int_]) -> float:
    """Of neighbouring residuals, where it is more than chance; at most 0.99."""
    if len(pairs) < 10:
        return 0.0
    before, after = psi[pairs[:, 0]], psi[pairs[:, 1]]
    rho = float(np.sum(before * after) / max(np.sqrt(np.sum(before**2) * np.sum(after**2)), 1e-300))
    return min(rho, 0.99) if rho > CORRELATED / np.sqrt(len(pairs)) else 0.0


def _plain_directions(rows: Floats) -> list[Floats]:
    """Directions that span the same (d, p) and have few parameters each: the reduced form of the rows."""
    left = rows.copy()
    for k in range(len(left)):
        column = int(np.argmax(np.abs(left[k])))
        left[k] /= left[k, column]
        for other in range(len(left)):
            if other != k:
                left[other] -= left[other, column] * left[k]
    return [row / row[np.argmax(np.abs(row))] for row in left]


def in_words(direction: Floats, names: Sequence[str], logarithmic: Sequence[bool]) -> str:
    """What an undetermined direction means: which parameters can change together."""
    chosen = [int(k) for k in np.flatnonzero(np.abs(direction) > PART_OF)]
    involved = list(dict.fromkeys(names[k] for k in chosen))
    if len(involved) == 1:
        return f"{involved[0]} is not determined by these recordings"
    together = _listed(involved)
    parts = direction[chosen]
    if all(logarithmic[k] for k in chosen) and (np.abs(np.abs(parts) - 1) < 0.15).all():
        up = [names[k] for k in chosen if direction[k] > 0]
        down = [names[k] for k in chosen if direction[k] < 0]
        if not down:
            ratio = "ratio is" if len(up) == 2 else "ratios are"
            return f"{together} can grow together by the same factor: only their {ratio} determined by these recordings"
        if len(up) == len(down) == 1:
            return f"{up[0]} can grow as {down[0]} shrinks: only their product is determined by these recordings"
    if all(logarithmic[k] for k in chosen):
        changes = _listed([f"{names[k]} by {direction[k]:+.2g} %" for k in chosen])
        return f"{changes} can change together: only their other combinations are determined by these recordings"
    return f"{together} can change together unseen: only combinations of them are determined by these recordings"


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
