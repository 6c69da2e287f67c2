"""The numbers of a search for parameters: what was asked for, within which bounds it is looked for, how it is told."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.common.argument_checks import require_title
from continuarm.common.number_checks import as_float, real_numbers
from continuarm.common.text import short
from continuarm.identification.recording import Recording

RANGE = 300.0
"""A positive parameter is searched for between its start divided and multiplied by this, unless bounds are given."""
NARROW = 30.0
"""The same where larger ones make simulations slow: hysteresis, and the factors of matrices, which are squared."""
LEAST_PART = 1e-6
"""The low end of a search for a positive parameter, over its high end, where the bound is 0."""


@dataclass(frozen=True)
class Free:
    """A parameter to be fitted: its name, and where it is searched for.

    Names are those of the fields of a section: stiffness, damping, mass, length, radius, muscle_area, dead_zone,
    valve_lag, vent_lag, pressure_stiffness, hardening, creep (two for each branch), hysteresis (three), friction (its a
    and b alone), shaking, twist, offset, each one number for all sections unless said; or "... per section"; preload
    (two for each section); for stiffness and damping also "... per muscle", "... matrix" and "... matrix per section",
    and bending_stiffness, bending_damping, which leave what resists stretching as it is. Twist and offset are those
    between sections. Of the arm: base_rotation, line_delay. Of the measurement: sensor_frame, delay, gauge_offset,
    gauge_gain.

    Parameters
    ----------
    name : str
        One of those above.
    bounds : (float, float), optional
        In SI units; if left out a positive parameter is searched for from a 300th to 300 times its start,
        a length or radius from a third to three times.
    start : float, optional
        In SI units; what the arm has if left out.

    Examples
    --------
    >>> ca.Free("dead_zone", bounds=(50e3, 200e3))
    Free(name='dead_zone', bounds=(50000.0, 200000.0), start=None)
    """

    name: str
    bounds: tuple[float, float] | None = None
    start: float | None = None

    def __post_init__(self) -> None:
        require_title("name", self.name)
        if self.bounds is not None:
            allowed = "two numbers, the least and the greatest"
            bounds = real_numbers(f"bounds of {self.name}", self.bounds, allowed)
            if bounds.shape != (2,):
                raise ValueError(f"bounds of {self.name} = {short(self.bounds)}: must be {allowed}")
            object.__setattr__(self, "bounds", tuple(bounds.tolist()))
        if self.start is not None:
            start = as_float(self.start)
            if not math.isfinite(start):
                raise ValueError(f"start of {self.name} = {short(self.start)}: must be a finite number")
            object.__setattr__(self, "start", start)


class SearchNumber(NamedTuple):
    """One number x of a search: the parameter is exp(x), or x times a scale."""

    start: float  # of the parameter
    low: float
    high: float
    scale: float | None = None  # None: exp(x)

    def value(self, x: Any) -> Any:
        """The parameter; complex for a complex number."""
        if isinstance(x, complex):
            return np.exp(x) if self.scale is None else x * self.scale
        return math.exp(x) if self.scale is None else x * self.scale

    def x(self, value: float) -> float:
        """The number of the search."""
        return math.log(value) if self.scale is None else value / self.scale


class ReportedNumber(NamedTuple):
    """One number of a result, and whether it is positive, so that its error is a factor."""

    name: str
    unit: str
    value: float
    positive: bool


class Request(NamedTuple):
    """What a fittable parameter is made from."""

    free: Free
    arm: Arm
    recordings: Sequence[Recording]


Values = list[float]


def _same_arm(_: Values, arm: Arm) -> Arm:
    return arm


def _changes_nothing(_: Values) -> list[dict[str, Any]]:
    return []


@dataclass(frozen=True)
class FittableParameter:
    """The numbers of one name: what they change in the sections, and how they are reported."""

    name: str
    shows_in: str  # rest: resting shapes show it; motion: only motion does; sensors: it is theirs, not the arm's
    search_numbers: tuple[SearchNumber, ...]
    reported: Callable[[Values], list[ReportedNumber]]
    changes: Callable[[Values], list[dict[str, Any]]] = _changes_nothing
    """Fields of every section."""
    one_to_one: bool = True
    """Whether each number that is reported is one number of the search."""
    of_arm: Callable[[Values, Arm], Arm] = _same_arm
    """The arm with what is not of a section: its lines, its rig."""

    @property
    def has_exact_slopes(self) -> bool:
        """Whether simulated motions have exact slopes by it: by the numbers of the arm itself.

        Gauges and lines change what the arm is commanded: their slopes are differences of simulations. What is of the
        sensors alone does not change the motion.
        """
        return self.of_arm is _same_arm and self.shows_in != "sensors"


def positive_number(
    request: Request, begin: float | None, most: float = math.inf, least: float = 0.0, around: float = RANGE
) -> SearchNumber:
    """A number of the search that is a logarithm, within the bounds that were given or the usual ones."""
    free = request.free
    begin = free.start if free.start is not None else begin
    if begin is None:
        raise ValueError(f"free: {free.name}: the arm has none: must come with a start, Free({free.name!r}, start=...)")
    low, high = free.bounds or (max(begin / around, least), min(begin * around, most))
    if not 0 <= low < high < math.inf:
        raise ValueError(f"free: bounds of {free.name} = {short((low, high))}: must be 0 <= low < high")
    low = max(low, LEAST_PART * high)
    if free.start is not None and not low <= begin <= high:
        raise ValueError(f"free: start of {free.name} = {begin:g}: must be within its bounds, {low:g} to {high:g}")
    return SearchNumber(begin if low < begin < high else math.sqrt(low * high), low, high)


def takes_no_bounds(request: Request) -> None:
    """Refuses bounds and a start of a parameter that is several numbers."""
    if request.free.bounds is not None or request.free.start is not None:
        raise ValueError(f"free: {request.free.name} takes no bounds and no start")
