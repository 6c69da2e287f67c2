"""Units of measured numbers: what a table or an option may name, and which of them results are told in."""

from __future__ import annotations

import math
from collections.abc import Collection

from continuarm.arms.description import did_you_mean
from continuarm.simulation.pressure_commands import SECONDS, UNITS

SCALES: dict[str, tuple[str, float]] = {
    **{unit: ("pressure", scale) for unit, scale in UNITS.items()},
    **{unit: ("time", scale) for unit, scale in SECONDS.items()},
    **{"m": ("length", 1.0), "cm": ("length", 1e-2), "mm": ("length", 1e-3), "µm": ("length", 1e-6)},
    **{"um": ("length", 1e-6), "in": ("length", 0.0254), "inch": ("length", 0.0254)},
    **{"rad": ("angle", 1.0), "deg": ("angle", math.pi / 180), "°": ("angle", math.pi / 180)},
    **{"N": ("force", 1.0), "N m": ("moment", 1.0), "Nm": ("moment", 1.0), "1": ("number", 1.0)},
}
"""Unit -> dimension, and how many SI units it is."""


def unit_scale(unit: str, dimensions: Collection[str]) -> tuple[str, float]:
    """Dimension and SI units of a unit, which must be of one of some dimensions; ValueError says which there are."""
    found = SCALES.get(unit.replace("μ", "µ"))
    if found is None or found[0] not in dimensions:
        known = [each for each, (dimension, _) in SCALES.items() if dimension in dimensions]
        raise ValueError(f"must be that of a {' or '.join(dimensions)}: {', '.join(known)}{did_you_mean(unit, known)}")
    return found


READ_IN = {"m": "mm", "rad": "deg"}
"""Unit of a sensor -> the unit that people read it in."""


def for_people(unit: str) -> tuple[str, float]:
    """The unit that a sensor's is read in, and how many of these it is: m -> mm, 1000."""
    return READ_IN[unit], 1 / SCALES[READ_IN[unit]][1]


def readable(value: float, unit: str) -> str:
    """A number of a sensor in words: 0.0012, m -> 1.2 mm."""
    name, scale = for_people(unit)
    return f"{scale * value:.3g} {name}"
