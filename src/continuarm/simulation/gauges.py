"""Readings of pressure gauges: what they show below zero is noise, or an offset, and no pressure."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from continuarm.common.number_checks import Floats

BELOW = 0.25
"""Readings below zero are taken as zero down to this part of the highest reading ..."""
ALWAYS = 2e3
"""... or down to this, Pa, however low the highest is: gauges of a bar are not better. What is lower is refused."""


def clamped_gauges(pressures: Floats, names: Sequence[str] = ()) -> tuple[Floats, str | None]:
    """Readings (k, lines), Pa, with zero for what is a little below it, and one sentence about these; None if none is.

    What is further below stays as it is, for those who refuse it. Where an arm has gauges with an offset, it comes
    first: `clamped_gauges(readings - offsets)`.

    Parameters
    ----------
    pressures : ndarray, (k, lines)
        Pa, gauge.
    names : sequence of str, optional
        Of the lines.

    Returns
    -------
    tuple of ndarray, (k, lines), and str or None
    """
    highest = float(pressures.max(initial=0.0))
    allowed = max(BELOW * highest, ALWAYS) if highest > 0 else 0.0
    below = (pressures < 0) & (pressures >= -allowed)
    if not below.any():
        return pressures, None
    lowest = np.where(below, pressures, 0.0).min(axis=0)
    lines = np.flatnonzero(below.any(axis=0))
    worst = int(np.argmin(lowest))
    name = names[worst] if len(names) == pressures.shape[1] else f"line {worst + 1}"
    others = f" and {len(lines) - 1} more" if len(lines) > 1 else ""
    sentence = (
        f"gauges read below zero: {name}{others}, down to {lowest[worst] / 1e3:.3g} kPa, in "
        f"{int(below.any(axis=1).sum())} of {len(pressures)} samples; taken as 0"
    )
    return np.where(below, 0.0, pressures), sentence
