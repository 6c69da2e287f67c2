"""Many arms on their way, as tasks see them and policies observe them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from continuarm.arms.variations import Arms
from continuarm.common.number_checks import Floats
from continuarm.dynamics.plant import Plant
from continuarm.learning.rest_shapes import RestShapes
from continuarm.simulation.batch import Batch

Rows = NDArray[np.intp]
"""Some of the places, by their numbers."""
Truths = NDArray[np.bool_]
Observations = NDArray[np.float32]
"""(count, width)."""

LIMIT = 10.0
"""Of every number that is observed: those beyond are cut off."""
RATE = 0.1
"""s in which the longest change of a length is made at a rate that is observed as 1."""


class World:
    """States of many arms and how long they have been under way; the first of the arms is the nominal one."""

    def __init__(
        self, arms: Arms, shapes: RestShapes, count: int, step: float, steps: int, threads: int | None = None
    ) -> None:
        """step: s, that of physics; steps: how many of them an action is held."""
        self.arms, self.shapes, self.steps = arms, shapes, steps
        self.arm = arms[0]
        self.batch = Batch(arms, step, which=np.zeros(count), threads=threads)
        self.step, self.control_step = step, step * steps
        self.reach = shapes.reach
        self.starts = np.zeros(count, dtype=np.intp)
        """(count,), the rest shapes at which they began."""
        self.elapsed = np.zeros(count, dtype=np.int64)
        """(count,), actions since each began."""
        self.lagged = Plant(self.arm).lagged
        self._layout = Plant(self.arm).states
        self.commanded = np.zeros((count, len(self.lagged)))
        """(count, muscles), Pa: what was commanded last."""
        self.look()

    def __len__(self) -> int:
        return len(self.elapsed)

    @property
    def t(self) -> Floats:
        """(count,), s since each began."""
        return np.asarray(self.elapsed * self.control_step, dtype=float)

    def look(self) -> None:
        """Sees where the arms are now."""
        self._state = self.batch.state
        here = self._layout.split(self._state)
        self.q, self.qd = here.q, here.qd
        self.tips = self.batch.tips[:, -1]
        self.pressures = here.pressures[:, self.lagged] if self.lagged.any() else None

    def advance(self, pressures: Floats, wrench: Floats | None) -> None:
        """Moves the arms on by one action: pressures (count, muscles), Pa, held, and a wrench (count, 6) or none."""
        self.commanded = pressures
        self.batch.step(pressures, self.steps, wrench=wrench)
        self.elapsed += 1
        self.look()

    def restart(self, rows: Rows, which: NDArray[np.intp], shapes: NDArray[np.intp]) -> None:
        """Puts some arms, each another of the arms, at rest shapes; which, shapes: (rows,)."""
        mask = np.zeros(len(self), dtype=bool)
        mask[rows] = True
        arms, q0 = self.batch.which, np.zeros_like(self.q)
        arms[rows], q0[rows], self.starts[rows] = which, self.shapes.q[shapes], shapes
        self.commanded[rows] = self.shapes.pressures[shapes]
        inside = self.commanded if self.lagged.any() else None
        self.batch.reset(mask, which=arms if len(self.arms) > 1 else None, q0=q0, pressures=inside)
        self.elapsed[rows] = 0
        self.look()

    def scales(self, highest_pressure: float) -> Floats:
        """By what each number that is observed of an arm is multiplied, (width,), to be about 1 where it is large."""
        longest, size = self.shapes.longest, self._layout.size
        own = [1 / longest] * size + [RATE / longest] * size + [1 / self.reach] * 3
        return np.array(own + [1 / highest_pressure] * int(self.lagged.sum()))

    def observe(self, out: Observations) -> None:
        """What is observed of the arms themselves, into (count, width): q, q̇, the last tip, pressures behind valves."""
        both = 2 * self._layout.size
        out[:, :both] = self._state[:, :both]  # q and q̇ come first in a state
        out[:, both : both + 3] = self.tips
        if self.pressures is not None:
            out[:, both + 3 :] = self.pressures

    @property
    def left(self) -> Truths:
        """(count,), which arms left the model's range."""
        return np.isfinite(self.batch.stopped)
