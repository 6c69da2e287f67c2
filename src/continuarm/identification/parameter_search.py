"""The search for parameters: robust least squares in stages, with the noise of the sensors estimated on the way."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from continuarm.common.number_checks import Booleans, Floats
from continuarm.identification.measurement_units import readable
from continuarm.identification.outliers import LOSSES, robust_cost
from continuarm.identification.residual_function import ResidualFunction
from continuarm.identification.residual_slopes import residual_slopes
from continuarm.identification.resting_shapes import resting_shapes
from continuarm.identification.stuck_sensors import stuck_samples

TOLERANCES = {"soft_l1": (1e-3, 1e-3), "cauchy": (1e-6, 1e-8)}
"""Changes of the numbers and of the loss, relative, that end a fit: on the way, and at the end."""
SETTLED = 0.01
"""A change of the noise levels, as a logarithm, after which they count as found."""
SCATTER = 0.5
"""By how much other starts differ, as logarithms of the parameters of the arm."""


class _State(NamedTuple):
    """What a search changes on its way."""

    x: Floats
    scales: list[list[float]]
    used: list[list[Booleans]]
    stuck_warnings: list[str]
    settled: bool


class ParameterSearch:
    """The numbers x of a search, as good as they are so far."""

    def __init__(self, residuals: ResidualFunction, tell: Callable[[float, str], Any]) -> None:
        self.residuals, self.tell = residuals, tell
        self.parameters = residuals.parameters
        self.x = self.parameters.start.copy()
        self.settled = False
        self.starts = 1
        self.stuck_warnings: list[str] = []
        self._measured = [[mask.copy() for mask in masks] for masks in residuals.used]

    def in_stages(self) -> None:
        """As an experimenter would: what resting shapes show, then what motion shows, then all together."""
        shows_in = self.parameters.shows_in
        self.leave_out_stuck()
        self._resting_shapes()
        self.settle(shows_in != "rest", "soft_l1", 2, 10, (0.1, 0.25, "motion"))
        self.leave_out_stuck()
        self._all_parameters((0.25, 0.85))

    def _all_parameters(self, share: tuple[float, float]) -> None:
        """All numbers, until the noise levels and the list of stuck sensors stay."""
        self.settled = False
        everything, (low, high) = np.ones(len(self.x), dtype=bool), share
        half = (low + high) / 2
        self.settle(everything, "soft_l1", 2, 20, (low, half, "all parameters"))
        for _ in range(3):
            changed = self.leave_out_stuck()
            self.settled = self.settle(everything, "cauchy", 8, 30, (half, high, "all parameters"))
            if not changed and not self.leave_out_stuck():
                return

    def _resting_shapes(self) -> None:
        """Parameters that resting shapes show, from static tables and the ends of runs; taken if runs agree."""
        shown = self.parameters.shows_in != "motion"
        delays = np.array([label.startswith("delay of ") for label in self.parameters.labels])
        masks = [
            [measured & ~used for measured, used in zip(*each, strict=True)]
            for each in zip(self._measured, self.residuals.used, strict=True)
        ]
        runs = [run.without(mask) for run, mask in zip(self.residuals.recordings, masks, strict=True)]
        tables = [run if run.static else resting_shapes(run, self.parameters.start_arm) for run in runs]
        known = [table for table in tables if table is not None]
        interruption = self.residuals.interruption
        resting = ResidualFunction(self.parameters, known, self.residuals.pool, interruption)
        if resting.count < np.sum(shown & ~delays) or all(run.static for run in runs):
            return
        other = ParameterSearch(resting, self.tell)
        with interruption.ends():
            other.settle(shown & ~delays, "soft_l1", 3, 30, (0.0, 0.1, "resting shapes"))
        self.residuals.evaluations += resting.evaluations
        self.residuals.estimate_scales(self.x)
        if self.cost(other.x) < self.cost(self.x):
            self.x = other.x
        if interruption.accepted:  # what resting shapes had shown until then is kept
            raise KeyboardInterrupt

    def from_other_starts(self, times: int, rng: np.random.Generator) -> None:
        """Searches from other places, and keeps the best."""
        scatter = SCATTER * np.array(self.parameters.logarithmic)
        lower, upper = self.parameters.lower, self.parameters.upper
        for k in range(times):
            best = self._state()
            try:
                self.starts += 1
                self.x = np.clip(self.parameters.start + scatter * rng.normal(size=len(self.x)), lower, upper)
                share = (0.85 + 0.05 * k / times, 0.85 + 0.05 * (k + 1) / times, f"start {self.starts}")
                self.settle(np.ones(len(self.x), dtype=bool), "soft_l1", 3, 20, share)
                found = self.x
                self.residuals.scales, self.residuals.used = best.scales, best.used
                better = self.cost(found) < self.cost(best.x)
            except KeyboardInterrupt:
                self._restore(best)
                raise
            if better:
                self.x = found
                self._all_parameters((0.9, 0.9))
            else:
                self._restore(best)

    def _state(self) -> _State:
        return _State(self.x, self.residuals.scales, self.residuals.used, self.stuck_warnings, self.settled)

    def _restore(self, state: _State) -> None:
        self.x, self.residuals.scales, self.residuals.used, self.stuck_warnings, self.settled = state

    def cost(self, x: Floats) -> float:
        """The robust loss at x."""
        return robust_cost(self.residuals(x))

    def leave_out_stuck(self) -> bool:
        """Leaves out what sensors repeat while the arm at x moves; whether that differs from before."""
        before = self.residuals.used
        warnings: list[str] = []
        used = []
        runs = zip(self.residuals.recordings, self.residuals.differences(self.x), self._measured, strict=True)
        for run, own, measured in runs:
            stuck, sentences = stuck_samples(run, own.readings, self.parameters.start_arm)
            used.append([mask & ~wrong for mask, wrong in zip(measured, stuck, strict=True)])
            warnings += sentences
        if not any(mask.any() for masks in used for mask in masks):
            raise ValueError("every sensor of every recording stands still while the arm moves: nothing is left to fit")
        self.residuals.used, self.stuck_warnings = used, warnings
        return any(
            not np.array_equal(a, b) for x, y in zip(before, used, strict=True) for a, b in zip(x, y, strict=True)
        )

    def settle(self, columns: Booleans, loss: str, rounds: int, most: int, share: tuple[float, float, str]) -> bool:
        """Fits some of the numbers, and the noise levels with them, until both stay; whether they did."""
        from scipy.optimize import least_squares

        free = np.flatnonzero(columns)
        if not len(free):
            return True
        lower, upper = self.parameters.lower[free], self.parameters.upper[free]
        margin = 1e-6 * (upper - lower)
        asked = 0

        def whole(part: Floats) -> Floats:
            x = base.copy()
            x[free] = part
            return x

        def residuals(part: Floats) -> Floats:
            nonlocal asked
            asked += 1
            x = whole(part)
            found = self.residuals(x)
            cost = robust_cost(found, LOSSES[loss])
            if cost < least[0]:
                least[0], self.x = cost, x  # so that an interruption leaves the best so far
            low, high, words = share
            done = low + (high - low) * (1 - math.exp(-asked / 10))
            self.tell(done, f"{words}: misfit {readable(*self.residuals.misfit(x))}")
            return found

        converged = False
        for _ in range(rounds):
            base, least = self.x.copy(), [math.inf]
            if self.residuals.estimate_scales(base) < SETTLED and converged:
                return True
            found = least_squares(
                residuals,
                np.clip(base[free], lower + margin, upper - margin),
                jac=lambda part: residual_slopes(self.residuals, whole(part), free),
                bounds=(lower, upper),
                loss=loss,
                f_scale=LOSSES[loss],
                xtol=TOLERANCES[loss][0],
                ftol=TOLERANCES[loss][1],
                gtol=1e-12,
                max_nfev=most,
            )
            self.x, converged = whole(found.x), found.status > 0
        return converged and self.residuals.estimate_scales(self.x) < 10 * SETTLED
