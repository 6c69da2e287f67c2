"""Numbers that a description may hold, with their units and limits.

The limits are far beyond any arm, and keep what is computed from them within the range of floating point.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator

from continuarm.arms.description import Unit, Within, numbers
from continuarm.common.limits import HIGHEST_PRESSURE, LARGEST, LONGEST

Length = Annotated[float, Within(1e-6, LONGEST, "m")]
Area = Annotated[float, Within(1e-12, 1e3, "m²")]
Pressure = Annotated[float, Within(0.0, HIGHEST_PRESSURE, "Pa")]
Distance = Annotated[float, Within(0, LONGEST, "m")]
Coordinate = Annotated[float, Within(-LONGEST, LONGEST, "m")]
Angle = Annotated[float, Within(-math.tau, math.tau, "rad", ", not degrees")]
Mass = Annotated[float, Within(1e-12, 1e6, "kg")]
Acceleration = Annotated[float, Within(-1e6, 1e6, "m/s²")]
Shaping = Annotated[float, Within(-1e3, 1e3)]
StopStiffness = Annotated[float, Within(0, LARGEST, "N/m")]
Lag = Annotated[float, Within(0, 1e3, "s")]
Stiffening = Annotated[float, Within(0, 1e6, "N/m per Pa")]
LoopStiffness = Annotated[float, Within(-LARGEST, LARGEST, "N/m")]
LoopRate = Annotated[float, Within(-LARGEST, LARGEST, "1/m")]
Hardening = Annotated[float, Within(0, LARGEST, "N/m³")]
Preload = Annotated[float, Within(-LARGEST, LARGEST, "N")]
Shaking = Annotated[float, Within(0, 1.0)]
BranchStiffness = Annotated[float, Within(0, LARGEST, "N/m")]
LineDelay = Annotated[float, Within(0, 60.0, "s")]
ClockDelay = Annotated[float, Within(-60.0, 60.0, "s")]
Gain = Annotated[float, Within(0.01, 100.0)]
GaugeOffset = Annotated[float, Within(-HIGHEST_PRESSURE, HIGHEST_PRESSURE, "Pa")]
Relaxation = Annotated[float, Within(1e-3, 1e6, "s")]

Two, Three, ThreeOrMore = (BeforeValidator(numbers(*counts)) for counts in ((2, 2), (3, 3), (3, None)))
Vector = tuple[float, float, float]
Coefficient = float | tuple[float, ...] | tuple[Vector, Vector, Vector]
Stiffness = Annotated[Coefficient, Unit("N/m")]
Damping = Annotated[Coefficient, Unit("N s/m")]

# What type checkers let a user give; a description then holds tuples, as its fields say.
Numbers = Sequence[float] | NDArray[np.floating[Any] | np.integer[Any]]
Coefficients = float | Numbers | Sequence[Sequence[float]]
