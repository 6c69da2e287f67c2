"""Directions in which the numbers of an arm may change, and by which its motion is differentiated.

Every direction has an arm that is moved by i COMPLEX_STEP: whatever is computed from it has the slope in its imaginary
part, to rounding. Native code takes the slopes of the constants from there.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.arms.parameters import moved, size_of
from continuarm.common.number_checks import Floats
from continuarm.dynamics.mass_and_coriolis import COMPLEX_STEP
from continuarm.dynamics.plant import Plant
from continuarm.engine import compiled
from continuarm.engine.native_arm import constant_row, native_plant, number_row


class Directions:
    """Directions by the arms that are moved in them."""

    def __init__(self, arms: Sequence[Arm], sizes: Floats) -> None:
        self.arms, self.sizes = tuple(arms), sizes
        """(directions,): steps that would change an arm by about as much as it is, for tolerances."""
        self._slopes: dict[float, Floats] = {}

    @classmethod
    def by_name(cls, arm: Arm, names: Sequence[str], argument: str = "sensitivities") -> Directions:
        """By numbers of the arm; ValueError, which names the argument, for names that there are not."""
        arms = [moved(arm, name, 1j * COMPLEX_STEP, argument) for name in names]
        return cls(arms, np.array([size_of(arm, name) for name in names]))

    def __len__(self) -> int:
        return len(self.arms)

    @cached_property
    def plants(self) -> tuple[Plant, ...]:
        """Of the moved arms."""
        return tuple(map(Plant, self.arms))

    def number_slopes(self) -> Floats:
        """(numbers, directions): of the arm alone, in the order of constant_numbers in native/arm.hpp."""
        return _columns([number_row(arm).imag / COMPLEX_STEP for arm in self.arms])

    def constant_slopes(self, step: float = 0.0) -> Floats:
        """(constants, directions), in the order of constant_count in native/arm.hpp; step: s, of fixed steps, or 0."""
        if step not in self._slopes:
            self._slopes[step] = _columns([constant_row(plant, step).imag / COMPLEX_STEP for plant in self.plants])
        return self._slopes[step]

    def threshold_slopes(self) -> Floats:
        """(muscles, directions), Pa for a unit each: of the pressures below which commands do nothing."""
        return _columns([np.imag(plant.thresholds) / COMPLEX_STEP for plant in self.plants])

    def rate_slopes(self, plant: Plant, commands: Floats, states: Floats) -> Floats:
        """How the rates of states (..., width) under commands (..., width) change: (directions, ..., width)."""
        batch, width = states.shape[:-1], plant.states.width
        if compiled.native is None:
            here = states.astype(complex)
            found = [each.rate(commands, here).imag / COMPLEX_STEP for each in self.plants]
            return np.stack(found) if found else np.zeros((0, *batch, width))
        flat_commands = np.broadcast_to(commands, (*batch, commands.shape[-1])).reshape(-1, commands.shape[-1])
        flat_states = np.ascontiguousarray(states.reshape(-1, width))
        rates = np.empty((len(flat_states), 1 + len(self), width))
        native_plant(plant).rate_slopes(
            self.constant_slopes().ravel().tolist(), np.ascontiguousarray(flat_commands), flat_states, rates
        )
        return np.moveaxis(rates[:, 1:], 1, 0).reshape(len(self), *batch, width)


def _columns(columns: list[Floats]) -> Floats:
    return np.stack(columns, axis=-1) if columns else np.zeros((0, 0))


NOWHERE = Directions((), np.zeros(0))
"""No direction: a motion alone."""
