"""The search for parameters: robust least squares in stages, with the noise of the sensors estimated on the way."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from continuarm.common.number_checks import Floats
from continuarm.identification.misfits import in_unit, stuck
from continuarm.identification.recording import steady_ends
from continuarm.identification.residuals import Residuals
from continuarm.identification.sensors import reach

CAUCHY = 2.5
"""Where a residual begins to lose weight, over the noise: 5 % of the information in Gaussian noise is given away."""
SOFT = 1.5
"""The same far from the solution, where every sample must pull."""
LOSSES = {"soft_l1": SOFT, "cauchy": CAUCHY}
TOLERANCES = {"soft_l1": (1e-3, 1e-3), "cauchy": (1e-6, 1e-8)}
"""Changes of the numbers and of the loss, relative, that end a fit: on the way, and at the end."""
SETTLED = 0.01
"""A change of the noise levels, as a logarithm, after which they count as found."""
SCATTER = 0.5
"""By how much other starts differ, as logarithms of the parameters of the arm."""


class Search:
    """The numbers x of a search, as good as they are so far."""

    def __init__(self, residuals: Residuals, tell: Callable[[float, str], Any]) -> None:
        self.residuals, self.tell = residuals, tell
        self.parameters = residuals.parameters
        self.x = self.parameters.start.copy()
        self.settled = False
        self.starts = 1
        self.stuck_words: list[str] = []
        self._whole = [[mask.copy() for mask in masks] for masks in residuals.kept]

    def staged(self) -> None:
        """As an experimenter would: what resting shapes show, then what motion shows, then all together."""
        stages = self.parameters.stages
        self.unstick()
        self._from_rest()
        self.settle(stages != "static", "soft_l1", 2, 10, (0.1, 0.25, "motion"))
        self.unstick()
        self._together((0.25, 0.85))

    def _together(self, share: tuple[float, float]) -> None:
        """All numbers, until the noise levels and the list of stuck sensors stay."""
        everything, (low, high) = np.ones(len(self.x), dtype=bool), share
        half = (low + high) / 2
        self.settle(everything, "soft_l1", 2, 20, (low, half, "all parameters"))
        for _ in range(3):
            changed = self.unstick()
            self.settled = self.settle(everything, "cauchy", 8, 30, (half, high, "all parameters"))
            if not changed and not self.unstick():
                return

    def _from_rest(self) -> None:
        """Parameters that resting shapes show, from static tables and the ends of runs; taken if runs agree."""
        static = self.parameters.stages != "dynamic"
        delays = np.array([label.startswith("delay of ") for label in self.parameters.labels])
        masks = [
            [whole & ~kept for whole, kept in zip(*each, strict=True)]
            for each in zip(self._whole, self.residuals.kept, strict=True)
        ]
        runs = [run.without(mask) for run, mask in zip(self.residuals.recordings, masks, strict=True)]
        tables = [run if run.static else steady_ends(run, self.parameters.begin) for run in runs]
        resting = Residuals(self.parameters, [table for table in tables if table is not None], self.residuals.pool)
        if resting.count < np.sum(static & ~delays) or all(run.static for run in runs):
            return
        other = Search(resting, self.tell)
        other.settle(static & ~delays, "soft_l1", 3, 30, (0.0, 0.1, "resting shapes"))
        self.residuals.evaluations += resting.evaluations
        self.residuals.rescale(self.x)
        if self.cost(other.x) < self.cost(self.x):
            self.x = other.x

    def again(self, times: int, rng: np.random.Generator) -> None:
        """Searches from other places, and keeps the best."""
        spread = SCATTER * np.array(self.parameters.logarithmic)
        lower, upper = self.parameters.lower, self.parameters.upper
        for k in range(times):
            kept = (
                self.x,
                [list(each) for each in self.residuals.scales],
                self.residuals.kept,
                self.stuck_words,
                self.settled,
            )
            try:
                self.starts += 1
                self.x = np.clip(self.parameters.start + spread * rng.normal(size=len(self.x)), lower, upper)
                share = (0.85 + 0.05 * k / times, 0.85 + 0.05 * (k + 1) / times, f"start {self.starts}")
                self.settle(np.ones(len(self.x), dtype=bool), "soft_l1", 3, 20, share)
                found = self.x
                self.residuals.scales, self.residuals.kept = kept[1], kept[2]
                better = self.cost(found) < self.cost(kept[0])
            except KeyboardInterrupt:
                self._restore(kept)
                raise
            if better:
                self.x = found
                self._together((0.9, 0.9))
            else:
                self._restore(kept)

    def _restore(self, kept: tuple[Any, ...]) -> None:
        self.x, self.residuals.scales, self.residuals.kept, self.stuck_words, self.settled = kept

    def cost(self, x: Floats) -> float:
        """The robust loss at x."""
        return float(np.sum(np.log1p((self.residuals(x) / CAUCHY) ** 2)))

    def unstick(self) -> bool:
        """Leaves out what sensors repeat while the arm at x moves; whether that differs from before."""
        size = reach(self.parameters.begin)
        before = self.residuals.kept
        self.stuck_words, kept = [], []
        for run, own, whole in zip(
            self.residuals.recordings, self.residuals.differences(self.x), self._whole, strict=True
        ):
            masks, words = ([np.zeros_like(m) for m in whole], []) if run.static else stuck(run, own, size)
            kept.append([mask & ~wrong for mask, wrong in zip(whole, masks, strict=True)])
            self.stuck_words += words
        if not sum(int(mask.sum()) for masks in kept for mask in masks):
            raise ValueError("every sensor of every recording stands still while the arm moves: nothing is left to fit")
        self.residuals.kept = kept
        return any(
            not np.array_equal(a, b) for x, y in zip(before, kept, strict=True) for a, b in zip(x, y, strict=True)
        )

    def settle(
        self, columns: NDArray[np.bool_], loss: str, rounds: int, most: int, share: tuple[float, float, str]
    ) -> bool:
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
            cost = float(np.sum(np.log1p((found / LOSSES[loss]) ** 2)))
            if cost < least[0]:
                least[0], self.x = cost, x  # so that an interruption leaves the best so far
            low, high, words = share
            done = low + (high - low) * (1 - math.exp(-asked / 10))
            self.tell(done, f"{words}: misfit {in_unit(*self.residuals.misfit(x))}")
            return found

        converged = False
        for _ in range(rounds):
            base, least = self.x.copy(), [math.inf]
            if self.residuals.rescale(base) < SETTLED and converged:
                return True
            found = least_squares(
                residuals,
                np.clip(base[free], lower + margin, upper - margin),
                jac=lambda part: self.residuals.slopes(whole(part), free),
                bounds=(lower, upper),
                loss=loss,
                f_scale=LOSSES[loss],
                xtol=TOLERANCES[loss][0],
                ftol=TOLERANCES[loss][1],
                gtol=1e-12,
                max_nfev=most,
            )
            self.x, converged = whole(found.x), found.status > 0
        return converged and self.residuals.rescale(self.x) < 10 * SETTLED
