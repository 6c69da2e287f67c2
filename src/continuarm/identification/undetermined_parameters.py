"""Parameters that recordings do not determine: directions in which they can change unseen, and these in words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from continuarm.common.number_checks import Floats

PART_OF = 0.05
"""A parameter with a smaller part in an undetermined direction does not belong to it."""


def plain_directions(rows: Floats) -> list[Floats]:
    """Directions that span the same (d, p) and have few parameters each: the reduced form of the rows."""
    left = rows.copy()
    for k in range(len(left)):
        column = int(np.argmax(np.abs(left[k])))
        left[k] /= left[k, column]
        for other in range(len(left)):
            if other != k:
                left[other] -= left[other, column] * left[k]
    return [row / row[np.argmax(np.abs(row))] for row in left]


def undetermined_in_words(direction: Floats, names: Sequence[str], logarithmic: Sequence[bool]) -> str:
    """What an undetermined direction means: which parameters can change together."""
    chosen = [int(k) for k in np.flatnonzero(np.abs(direction) > PART_OF)]
    involved = list(dict.fromkeys(names[k] for k in chosen))
    if len(involved) == 1:
        return f"{involved[0]} is not determined by these recordings"
    together = _listed(involved)
    if all(logarithmic[k] for k in chosen) and (np.abs(np.abs(direction[chosen]) - 1) < 0.15).all():
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
