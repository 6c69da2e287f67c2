"""Vibrations in a notebook: a row for each, with a drawing of how it dies away."""

from __future__ import annotations

import numpy as np

from continuarm.common.number_checks import Floats
from continuarm.drawing.notebook import card, curve_svg, plain_table
from continuarm.statics.modes import Vibrations

POINTS = 120
FAST = 30.0
"""Swings in a drawing beyond which only their outline is seen."""


def vibrations_card(found: Vibrations) -> str:
    """Vibrations about one state, those that differ in rounding only together; of a batch, only what it is."""
    if np.ndim(found.time_constants) != 1:
        return card(repr(found), "")
    together: list[list[Floats]] = []
    for each in np.stack([np.asarray(column, dtype=float) for column in found], axis=-1):
        if together and np.allclose(together[-1][0], each, rtol=1e-5, atol=1e-9):
            together[-1].append(each)
        else:
            together.append([each])
    lasting = [float(same[0][0]) for same in together if np.isfinite(same[0][0])]
    length = 2 * max(lasting, default=1.0)
    rounding = 1e-9 * float(np.max(found.frequencies, initial=0.0))
    rows = []
    for same in together:
        time, frequency, ratio = (float(number) for number in same[0])
        hertz = f"{frequency:.4g}" if frequency > rounding else "0"
        rows.append((hertz, f"{time:.3g}", f"{ratio:.3g}", str(len(same)), curve_svg(_curve(time, frequency, length))))
    headings = ("frequency, Hz", "time constant, s", "damping ratio", "how many", f"{length:.2g} s of it")
    return card(repr(found), "", plain_table(headings, rows, drawn=True))


def _curve(time_constant: float, frequency: float, length: float) -> Floats:
    """e^(-t/T) cos 2πft over a length of time, s: (POINTS,); of one that swings fast, from end to end."""
    t = np.linspace(0.0, length, POINTS)
    fast = length * frequency > FAST
    swing = np.where(np.arange(POINTS) % 2, -1.0, 1.0) if fast else np.cos(2 * np.pi * frequency * t)
    return np.asarray(np.exp(-t / time_constant) * swing)
