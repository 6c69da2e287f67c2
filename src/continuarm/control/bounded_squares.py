"""Small least-squares problems within bounds, many at once."""

from __future__ import annotations

import numpy as np

from continuarm.common.number_checks import Floats

RIDGE = 1e-10
"""Of the solutions that come equally near, the smallest: its square counts so much beside the misfit."""
MOST_EXCHANGES = 60
ALL_AT_ONCE = 12
"""Exchanges in which all that is on the wrong side changes it; then one unknown at a time, which cannot go round."""


def bounded_least_squares(columns: Floats, wanted: Floats, least: Floats, greatest: Floats) -> Floats:
    """The smallest x of least |A x - b| with least ≤ x ≤ greatest: A (k, m, n), b (k, m), bounds (n,) -> (k, n).

    Unknowns are free or at an end of their range. The free ones are solved for; those that leave their range go to its
    end, and those at an end that would rather be inside are set free, until nothing changes (block pivoting).
    """
    transposed = np.swapaxes(columns, -1, -2)
    square = transposed @ columns
    size = np.maximum(np.trace(square, axis1=-2, axis2=-1), 1e-300)
    square = square / size[:, None, None] + RIDGE * np.eye(square.shape[-1])
    pull = (transposed @ wanted[..., None])[..., 0] / size[:, None]
    side = np.zeros(pull.shape, dtype=int)  # -1: at the least, 0: free, 1: at the greatest
    found = np.broadcast_to(least, pull.shape).copy()
    left = np.arange(len(pull))
    for exchange in range(MOST_EXCHANGES):
        if not len(left):
            break
        H, g, s = square[left], pull[left], side[left]
        fixed = np.where(s < 0, least, np.where(s > 0, greatest, 0.0))
        free = s == 0
        both = free[:, :, None] & free[:, None, :]
        rhs = np.where(free, g - (H @ fixed[..., None])[..., 0], fixed)
        x = np.linalg.solve(np.where(both, H, np.eye(H.shape[-1])), rhs[..., None])[..., 0]
        x = np.where(free, x, fixed)
        slope = (H @ x[..., None])[..., 0] - g
        slack = 1e-9 * np.abs(g).max(axis=-1, initial=1e-300, keepdims=True)
        width = 1e-12 * (greatest - least) + 1e-300
        low, high = free & (x < least - width), free & (x > greatest + width)
        inside = ((s < 0) & (slope < -slack)) | ((s > 0) & (slope > slack))
        wrong = low | high | inside
        if exchange >= ALL_AT_ONCE:
            last = wrong.shape[-1] - 1 - np.argmax(wrong[:, ::-1], axis=-1)
            wrong = wrong & (np.arange(wrong.shape[-1]) == last[:, None])
        side[left] = np.where(wrong, np.where(low, -1, np.where(high, 1, 0)), s)
        found[left] = np.clip(x, least, greatest)
        left = left[wrong.any(axis=-1)]
    return found
