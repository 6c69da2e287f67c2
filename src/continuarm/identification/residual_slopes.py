"""The slopes of the residuals by the numbers of a search, which every step of a fit needs.

By numbers of the arm they are exact: simulated motions and equilibria have exact slopes by them, and what sensors read
then is a difference of readings alone. By what changes the commands, as gauges and lines do, and of recordings whose
motion begins where its samples say, they are differences of simulations; by what is of the sensors alone, of readings.
Which is which: `FittableParameter.has_exact_slopes`, and `has_exact_slopes` of a recording.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.common.number_checks import Floats
from continuarm.identification.residual_function import RTOL, Point, ResidualFunction

SLOPES_RTOL, FINE_SLOPES_RTOL = 1e-5, 1e-7
"""Of simulations with exact slopes: these are then good to a thousandth in a search, to 1e-4 behind errors."""
FINE_RTOL = 1e-9
"""Of the simulations behind the errors of a result."""
STEP, FINE_STEP = 1e-3, 2e-3
"""Of forward and of central differences, in the numbers of a search."""


def residual_slopes(
    residuals: ResidualFunction, x: Floats, columns: Iterable[int] | None = None, fine: bool = False
) -> Floats:
    """(N, columns): ∂(residuals)/∂x; fine: for the errors of a result."""
    wanted = np.array(list(range(len(x)) if columns is None else columns), dtype=int)
    found = np.zeros((residuals.count, len(wanted)), order="F")
    exact = residuals.parameters.exact[wanted]
    if not exact.all():
        found[:, ~exact] = _differences(residuals, x, wanted[~exact].tolist(), fine)
    if not exact.any():
        return found
    own = wanted[exact].tolist()
    by_recording = residuals.exact_slopes(x, own, FINE_SLOPES_RTOL if fine else SLOPES_RTOL)
    others = set(range(len(residuals.recordings))) - by_recording.keys()
    if others:
        found[:, exact] = _differences(residuals, x, own, fine, others)
    for r, slopes in by_recording.items():
        found[residuals.rows(r), exact] = slopes
    return found


def _differences(
    residuals: ResidualFunction, x: Floats, wanted: Sequence[int], fine: bool, among: Container[int] | None = None
) -> Floats:
    """The same by forward differences; fine: by central ones, of finer simulations.

    No step goes over a bound, or to numbers that no arm has: there the differences are one-sided.
    """
    rtol, step = (FINE_RTOL, FINE_STEP) if fine else (RTOL, STEP)
    tried = _Steps(residuals, x)
    steps = {k: tried.around(k, step, fine) for k in wanted}
    keys = [(k, by) for k, own in steps.items() for by in own if by]
    values = residuals.at_points(x, [tried.point(*key) for key in keys], rtol, among)
    columns_of, here = {key: column for column, key in enumerate(keys)}, residuals(x, rtol)
    found = np.zeros((len(here), len(wanted)), order="F")
    for slope, (k, own) in zip(found.T, steps.items(), strict=True):
        for weight, by in zip(_slope_weights(own), own, strict=True):
            slope += weight * (values[:, columns_of[k, by]] if by else here)
    return found


class _Steps:
    """Steps of single numbers from x, and the arms there, each made once."""

    def __init__(self, residuals: ResidualFunction, x: Floats) -> None:
        self.residuals, self.parameters, self.x = residuals, residuals.parameters, x
        self._arms: dict[tuple[int, float], Arm | None] = {}

    def around(self, k: int, step: float, fine: bool) -> tuple[float, ...]:
        """Steps of a number from which its slope is found: there and back, or to one side where that is not allowed."""
        ways = [(step, -step), (0.0, step, 2 * step), (0.0, -step, -2 * step)] if fine else [(0.0, step), (0.0, -step)]
        for way in ways:
            if all(self._allowed(k, by) for by in way if by):
                return way
        shorter = min(step, 0.5 * float(self.parameters.upper[k] - self.parameters.lower[k]))
        for by in (shorter, -shorter, 1e-2 * shorter, -1e-2 * shorter):
            if self._allowed(k, by):
                return (0.0, by)
        return ways[0]

    def point(self, k: int, by: float) -> Point:
        """Where a step leads; numbers of sensors leave the arm as it is."""
        at = self.residuals.point(self._x(k, by))
        if self.parameters.shows_in[k] == "sensors":
            return at
        arm = self._arm(k, by)
        return at._replace(arm=self.parameters.arm(self._x(k, by)) if arm is None else arm)

    def _allowed(self, k: int, by: float) -> bool:
        """Whether a number may be changed by so much: within its bounds, and to an arm that there can be."""
        inside = self.parameters.lower[k] <= self.x[k] + by <= self.parameters.upper[k]
        return bool(inside) and self._arm(k, by) is not None

    def _arm(self, k: int, by: float) -> Arm | None:
        """The arm where a step leads; None where there is none."""
        if (k, by) not in self._arms:
            try:
                self._arms[k, by] = self.parameters.arm(self._x(k, by))
            except ValueError:
                self._arms[k, by] = None
        return self._arms[k, by]

    def _x(self, k: int, by: float) -> Floats:
        moved = self.x.copy()
        moved[k] += by
        return moved


def _slope_weights(steps: Sequence[float]) -> Floats:
    """(steps,): by what values at some steps count in the slope at 0 of the polynomial through them."""
    size = max(abs(by) for by in steps)
    powers = np.vander(np.array(steps) / size, increasing=True).T
    return np.linalg.solve(powers, np.eye(len(steps))[1]) / size
