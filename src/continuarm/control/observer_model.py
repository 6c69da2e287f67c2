"""The step of an estimate and its covariance, and what instruments would read of it: an extended Kalman filter.

    x⁺ = F(x, u, p) + G w,    P⁺ = Φ P Φᵀ + Q,    Φ = [[A, E], [0, 1]],    Q = G S Gᵀ / h
    K = P Hᵀ (H P Hᵀ + R)⁻¹,  x ← x + K (y - y(x)),  P ← (1 - K H) P (1 - K H)ᵀ + K R Kᵀ

x is what moves of a state, p are numbers of the arm, w is a white force on the muscles and a white pressure at the
valves. A, E and G are exact slopes of the implicit step.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.arms.description import DescriptionError
from continuarm.arms.parameters import path_of, size_of
from continuarm.common.argument_checks import require_title
from continuarm.common.number_checks import Floats, number_above, real_numbers
from continuarm.dynamics.plant import Plant
from continuarm.engine.directions import Directions
from continuarm.engine.quantities import tip_jacobian, tip_poses
from continuarm.engine.step_slopes import StepSlopes
from continuarm.identification.sensors import MuscleLength, Sensor, TipOrientation, TipPosition

NOTHING = 1e-9
"""kg: a payload that is as good as none, and still one."""

FAR = 0.05
"""The grid on which steps are linearised by a number of the arm, as a share of its size; between, they are linear."""

MOST_MODELS = 16
"""So many places of that grid are kept at most."""


@dataclass(frozen=True, eq=False)
class PressureReading:
    """A gauge at a muscle: what is in it, behind its valve.

    Parameters
    ----------
    muscle : str
        Its name, such as l11.
    values : array_like, (k,)
        Pa, a number for each time; NaN is a gap.
    sigma : float
        Standard deviation of the noise, Pa.

    Examples
    --------
    >>> ca.PressureReading("l11", [205e3], sigma=2e3).name
    'pressure l11'
    """

    muscle: str
    values: Any
    sigma: float

    def __post_init__(self) -> None:
        require_title("muscle", self.muscle)
        values = real_numbers(f"values of {self.name}", self.values, "numbers")
        object.__setattr__(self, "values", np.reshape(values, (-1, 1)))
        object.__setattr__(self, "sigma", number_above("sigma", self.sigma, 0.0, 1e9, "Pa", "pascals"))

    @property
    def name(self) -> str:
        """What messages call it: pressure l11."""
        return f"pressure {self.muscle}"


class ObserverModel:
    """The steps of an arm for an estimate: states, numbers of the arm, and how uncertain both become."""

    def __init__(
        self, arm: Arm, step: float, names: tuple[str, ...], force_noise: float, pressure_noise: float, drifts: Floats
    ) -> None:
        self.arm, self.step, self.names, self.drifts = arm, step, names, drifts
        self.sizes = np.array([size_of(arm, name) for name in names])
        self.plant = Plant(arm)
        muscles, commands = len(self.plant.muscles), self.plant.commands
        columns = np.zeros((commands.width, 3 * arm.n + muscles))
        columns[commands.forces : commands.wrench, : 3 * arm.n] = force_noise * np.eye(3 * arm.n)
        columns[:muscles, 3 * arm.n :] = pressure_noise * np.eye(muscles)
        self._noise = columns[:, np.abs(columns).sum(axis=0) > 0]
        self._models: dict[tuple[int, ...], tuple[StepSlopes, Floats]] = {}
        self.moving = self.slopes(self.first_numbers())[0].moving

    def first_numbers(self) -> Floats:
        """(numbers,): those of the arm as it is."""
        return np.array([_value(self.arm, name) for name in self.names], dtype=float)

    def slopes(self, numbers: Floats) -> tuple[StepSlopes, Floats]:
        """Steps of an arm whose numbers are near, and those numbers: on a grid, and the same whoever comes there."""
        first = self.first_numbers()
        cell = tuple(map(int, np.round((numbers - first) / (FAR * self.sizes))))
        if cell not in self._models:
            try:
                arm = changed(self.arm, self.names, first + FAR * self.sizes * np.array(cell, dtype=float))
            except DescriptionError:  # there is no such arm: that of the arm itself is continued linearly
                return self._models[(0,) * len(cell)]
            directions = Directions.by_name(arm, self.names, "parameters")
            made = StepSlopes(Plant(arm), self.step, 1, self._noise, directions)
            if len(self._models) > MOST_MODELS:
                self._models = {each: self._models[each] for each in self._models if not any(each)}
            self._models[cell] = made, np.array([_value(arm, name) for name in self.names])
        return self._models[cell]

    def predicted(
        self, row: Floats, numbers: Floats, covariance: Floats, commands: Floats
    ) -> tuple[Floats, Floats] | None:
        """The state a step later under commands (width,), and the covariance; None where the model's range ends."""
        slopes, about = self.slopes(numbers)
        swept = slopes.sweep(row, commands[None])
        if swept is None:
            return None
        nx = len(self.moving)
        after = swept.states[0].copy()
        after[self.moving] += swept.E[0] @ (numbers - about)
        through = np.eye(nx + len(numbers))
        through[:nx, :nx], through[:nx, nx:] = swept.A[0], swept.E[0]
        grown = through @ covariance @ through.T
        grown[:nx, :nx] += swept.B[0] @ swept.B[0].T / self.step
        grown[range(nx, len(grown)), range(nx, len(grown))] += self.drifts**2 * self.step
        return after, (grown + grown.T) / 2

    def seen(self, row: Floats, sensor: Sensor | PressureReading) -> tuple[Floats, Floats]:
        """Measured less predicted (width,), and the slope of what is predicted by what moves: (width, moving)."""
        size = 3 * self.arm.n
        by_state = np.zeros((sensor.values.shape[1], self.plant.states.width))
        if isinstance(sensor, PressureReading):
            place = self.plant.states.pressures + self.arm.muscle_columns[sensor.muscle]
            by_state[0, place] = 1.0
            return sensor.values[0] - row[place], by_state[:, self.moving]
        q = row[:size].copy()
        poses = tip_poses(self.arm, q)[None]
        lengths = {name: np.array([value]) for name, value in zip(self.arm.muscle_names, self._lengths(q), strict=True)}
        if isinstance(sensor, MuscleLength):
            by_state[0, :size] = self._length_rows[self.arm.muscle_columns[sensor.muscle]]
        elif isinstance(sensor, TipPosition):
            by_state[:, :size] = tip_jacobian(self.arm, q)[sensor.section - 1, 3:]
        else:
            assert isinstance(sensor, TipOrientation)
            turned = poses[0, sensor.section - 1, :3, :3]  # differences of orientations are in the frame of the tip
            by_state[:, :size] = turned.T @ tip_jacobian(self.arm, q)[sensor.section - 1, :3]
        return sensor.difference(sensor.reading(poses, lengths))[0], by_state[:, self.moving]

    def _lengths(self, q: Floats) -> Floats:
        return np.asarray(self._length_rows @ q)

    @cached_property
    def _length_rows(self) -> Floats:
        return np.asarray(self.arm.muscle_lengths(np.eye(3 * self.arm.n))).T


def updated(
    estimate: Floats, covariance: Floats, missed: Floats, slope: Floats, sigma: float
) -> tuple[Floats, Floats, Floats]:
    """The change of an estimate (all,), its covariance after a measurement, and the whitened innovation (width,)."""
    H = np.zeros((len(missed), len(covariance)))
    H[:, : slope.shape[1]] = slope
    spread = H @ covariance @ H.T + sigma**2 * np.eye(len(missed))
    gain = np.linalg.solve(spread, H @ covariance).T
    left = np.eye(len(covariance)) - gain @ H
    after = left @ covariance @ left.T + sigma**2 * gain @ gain.T
    whitened = np.linalg.solve(np.linalg.cholesky(spread), missed)
    return gain @ missed, (after + after.T) / 2, whitened


def changed(arm: Arm, names: tuple[str, ...], numbers: Floats) -> Arm:
    """The arm with other numbers; a payload is never less than nothing."""
    least = {"payload.mass": NOTHING}
    values = {
        path: max(float(number), least.get(name, -np.inf))
        for name, number in zip(names, numbers, strict=True)
        for path in path_of(name)
    }
    return arm.replace(values) if values else arm


def _value(arm: Arm, name: str) -> float:
    """A number of an arm by its name, which may be that of several equal ones."""
    found = numbers_of(arm, [each for each in re.split(r"[.\[\]]+", path_of(name)[0]) if each])
    if len(set(found)) > 1:
        raise ValueError(f"parameters: {name!r} is {found}, which differ: must be one number, as sections[0].mass")
    return found[0]


def numbers_of(value: Any, steps: Sequence[str]) -> list[float]:
    """The numbers at the end of some steps into an arm; 0 of what is not there, as a payload."""
    if value is None:
        return [0.0]
    if not steps:
        return [float(value)]
    if steps[0] == "*":
        return [number for each in value for number in numbers_of(each, steps[1:])]
    inner = value[int(steps[0])] if isinstance(value, tuple) else getattr(value, steps[0])
    return numbers_of(inner, steps[1:])
