"""What is not measured, from what is: an extended Kalman filter on the exact model of an arm."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from continuarm.arms.arm import Arm, require_arm
from continuarm.arms.parameters import moved, parameter_names, require_apart
from continuarm.common.argument_checks import kind_of, require_kind
from continuarm.common.number_checks import Floats, as_float, duration, finite, number_above, real_numbers
from continuarm.common.text import short
from continuarm.control.observer_model import ObserverModel, PressureReading, changed, updated
from continuarm.dynamics.mass_and_coriolis import COMPLEX_STEP
from continuarm.dynamics.poses import tip_poses as poses_by_formula
from continuarm.engine import compiled
from continuarm.identification.sensors import MuscleLength, Sensor, TipOrientation, TipPosition
from continuarm.simulation.pressure_commands import checked_pressures, muscle_index, refuse_contradictions

SENSORS = "a TipPosition, TipOrientation, MuscleLength or PressureReading"


MOST_STEPS = 100_000
"""Of one call: more is taken for a slip of units."""


class Snapshot(NamedTuple):
    """An estimate before what was measured at its time, and what was commanded from there on."""

    row: Floats
    numbers: Floats
    covariance: Floats
    commands: Floats


@dataclass(eq=False)
class Estimate:
    """What an `Observer` believes: the only part of it that changes.

    Attributes
    ----------
    t : float
        s.
    state : ndarray, (width,)
        In the layout of the plant, as `Batch.state` has it; the work done is not estimated.
    covariance : ndarray, (moving + numbers, moving + numbers)
        Of what moves of a state, `Observer.moving`, and then of the numbers of the arm.
    parameters, sigmas : dict of str to float
        The numbers of the arm that are estimated along, and their standard deviations.
    q, qd : ndarray, (3n,)
        The first parts of the state: length changes, m, and their rates, m/s.

    Examples
    --------
    >>> observer = ca.Observer(ca.load_arm("prototype"), parameters={"payload.mass": 0.05})
    >>> observer.estimate.parameters, observer.estimate.sigmas
    ({'payload.mass': 0.0}, {'payload.mass': 0.05})
    """

    t: float
    state: Floats
    covariance: Floats
    parameters: dict[str, float]
    sigmas: dict[str, float]
    q: Floats
    qd: Floats


@dataclass(frozen=True, eq=False)
class Observer:
    """An extended Kalman filter: the state of an arm, and numbers of it, from what is measured now and then.

    Between measurements the estimate follows the implicit step of the arm; its covariance follows the exact slopes of
    that step. Forces on the muscles that nobody knows, white noise of a given density, make it uncertain; measurements
    make it less so. Every measurement has a time of its own, which may lie in the past: then what came after is done
    again. Where the model is right, errors match the covariance.

    Parameters
    ----------
    arm : Arm
        The model.
    parameters : mapping of str to float, optional
        Numbers of the arm that are estimated along, and how far off they may be (standard deviation, in their unit):
        {"payload.mass": 0.05}, {"stiffness": 200}. Not those that say where tips are, as length and radius do.
    step : float, optional
        s, of the filter. Times are taken to the nearest step.
    force_noise : float, optional
        N/√Hz: density of unknown forces over q.
    pressure_noise : float, optional
        Pa/√Hz: that of pressures beside their commands.
    drifts : mapping of str to float, optional
        By how much numbers of the arm may wander in a second, in their unit per √s; not at all if left out.
    q_sigma, qd_sigma, pressure_sigma : float, optional
        m, m/s and Pa: how uncertain the first state is.
    longest_delay : float, optional
        s: how old a measurement may be when it comes in.

    Examples
    --------
    >>> arm = ca.load_arm("prototype")
    >>> observer = ca.Observer(arm)
    >>> observer.advance(0.1, np.full(9, 200e3))
    >>> observer.measure(0.08, ca.TipPosition(3, [[0.001, 0.0, 0.455]], sigma=1e-3))  # it took 20 ms to come in
    >>> observer.estimate.q.shape
    (9,)
    """

    arm: Arm
    parameters: Mapping[str, float] = None  # type: ignore[assignment]  # none, made below
    step: float = 5e-3
    force_noise: float = 0.05
    pressure_noise: float = 0.0
    drifts: Mapping[str, float] = None  # type: ignore[assignment]
    q_sigma: float = 2e-3
    qd_sigma: float = 0.02
    pressure_sigma: float = 5e3
    longest_delay: float = 0.2
    estimate: Estimate = field(init=False, repr=False)

    def __post_init__(self) -> None:
        require_arm(self.arm)
        if compiled.native is None:
            raise ValueError(f"Observer: {compiled.NOT_BUILT}")
        kept: dict[str, Any] = {
            "step": duration("step", self.step, least=1e-6, most=1.0),
            "force_noise": number_above("force_noise", self.force_noise, 0.0, 1e6, "N/√Hz", "N/√Hz"),
            "q_sigma": number_above("q_sigma", self.q_sigma, 0.0, 1.0, "m", "metres"),
            "qd_sigma": number_above("qd_sigma", self.qd_sigma, 0.0, 100.0, "m/s", "m/s"),
            "pressure_sigma": number_above("pressure_sigma", self.pressure_sigma, 0.0, 1e9, "Pa", "pascals"),
            "longest_delay": duration("longest_delay", self.longest_delay, most=100.0),
        }
        if not 0 <= as_float(self.pressure_noise) <= 1e9:
            raise ValueError(f"pressure_noise = {short(self.pressure_noise)}: must be 0 Pa/√Hz or more")
        for name in ("parameters", "drifts"):
            given = getattr(self, name)
            kept[name] = _sigmas(self.arm, name, {} if given is None else given)
        unknown = [name for name in kept["drifts"] if name not in kept["parameters"]]
        if unknown:
            raise ValueError(f"drifts: {short(unknown[0])} is not estimated: must be one of parameters")
        for name, value in kept.items():
            object.__setattr__(self, name, value)
        self.reset()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_model"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)

    @cached_property
    def _model(self) -> ObserverModel:
        names = tuple(self.parameters)
        drifts = np.array([self.drifts.get(name, 0.0) for name in names])
        return ObserverModel(self.arm, self.step, names, self.force_noise, as_float(self.pressure_noise), drifts)

    @property
    def moving(self) -> Any:
        """Which numbers of a state are estimated: q, q̇, and what muscles remember; the order of the covariance."""
        return self._model.moving.copy()

    @property
    def estimated_arm(self) -> Arm:
        """The arm with the numbers that are believed now: what a controller may take as its model."""
        return changed(self.arm, tuple(self.parameters), np.array(list(self.estimate.parameters.values())))

    def reset(self, state: ArrayLike | None = None) -> None:
        """Begins again at t = 0.

        Parameters
        ----------
        state : array_like, (width,), optional
            The first estimate, as `Batch.state` has it; unbent, at rest and without pressure if left out.
        """
        model, size = self._model, 3 * self.arm.n
        row = model.plant.first_state(np.zeros(size))
        if state is not None:
            given = finite("state", real_numbers("state", state, f"{len(row)} numbers"))
            if given.shape != row.shape:
                raise ValueError(f"state has shape {given.shape}: must be {row.shape}, as Batch.state has it")
            row = given.copy()
        layout = model.plant.states
        sigmas = np.full(layout.width, 1.0)  # N, of hysteresis and creep
        sigmas[:size], sigmas[size : 2 * size] = self.q_sigma, self.qd_sigma
        sigmas[layout.pressures : layout.hysteresis] = self.pressure_sigma
        whole = np.concatenate([sigmas[model.moving], [self.parameters[name] for name in self.parameters]])
        self._believe(0, row, model.first_numbers(), np.diag(whole**2))
        vars(self)["_past"] = {}
        vars(self)["_measured"] = {}

    def advance(self, t: float, pressures: ArrayLike) -> None:
        """On to a time, under pressures that were commanded since the last one.

        Parameters
        ----------
        t : float
            s, not before that of the estimate.
        pressures : array_like, (muscles,)
            Pa, held.
        """
        muscles = len(self.arm.muscle_names)
        given = real_numbers("pressures", pressures, f"{muscles} numbers")
        if given.shape != (muscles,):
            raise ValueError(f"pressures have shape {given.shape}: must be ({muscles},)")
        refuse_contradictions(self.arm, "pressures", given)
        commands = self._model.plant.commands.rows(checked_pressures(self.arm, "pressures", given)[None])[0]
        last = self._index(t)
        if last < self._now:
            raise ValueError(f"t = {short(t)} s: must not be before the estimate, at {self.estimate.t:g} s")
        if last - self._now > MOST_STEPS:
            raise ValueError(f"t = {short(t)} s: must be at most {MOST_STEPS} steps of {self.step:g} s ahead")
        while self._now < last:
            self._keep(commands)
            self._step(commands)

    def measure(self, t: float, sensor: Sensor | PressureReading) -> None:
        """Takes in a measurement.

        Parameters
        ----------
        t : float
            s, when it was taken: now, or up to `longest_delay` ago.
        sensor : TipPosition, TipOrientation, MuscleLength or PressureReading
            One row of values, with its `sigma`; NaN is a gap.
        """
        self._check(sensor)
        at = self._index(t)
        if at > self._now:
            raise ValueError(f"t = {short(t)} s: must not be after the estimate, at {self.estimate.t:g} s")
        if at < self._now and at not in self._past:
            raise ValueError(f"t = {short(t)} s: must be at most {self.longest_delay:g} s ago, the longest_delay")
        if at == self._now:
            self._past.setdefault(at, Snapshot(*self._belief, np.zeros(0)))
            self._measured.setdefault(at, []).append(sensor)
            self._take(sensor)
            return
        self._measured.setdefault(at, []).append(sensor)
        last = self._now
        ways = {k: self._past[k] for k in range(at, last + 1) if k in self._past}
        self._believe(at, *ways[at][:3])
        for k in range(at, last + 1):
            if k > at and k in ways:
                self._past[k] = Snapshot(*self._belief, ways[k].commands)
            for each in self._measured.get(k, []):
                self._take(each)
            if k < last:
                self._step(ways[k].commands)

    # ---- One step, one measurement -----------------------------------------------------------------------------------

    _past: dict[int, Snapshot] = field(init=False, repr=False)
    _measured: dict[int, list[Any]] = field(init=False, repr=False)
    _now: int = field(init=False, repr=False)

    @property
    def _belief(self) -> tuple[Floats, Floats, Floats]:
        believed = self.estimate
        return believed.state, np.array(list(believed.parameters.values())), believed.covariance

    def _believe(self, now: int, row: Floats, numbers: Floats, covariance: Floats) -> None:
        spread = np.sqrt(np.diag(covariance)[len(covariance) - len(numbers) :])
        names, size = tuple(self.parameters), 3 * self.arm.n
        vars(self)["_now"] = now
        vars(self)["estimate"] = Estimate(
            now * self.step,
            row,
            covariance,
            dict(zip(names, map(float, numbers), strict=True)),
            dict(zip(names, map(float, spread), strict=True)),
            row[:size].copy(),
            row[size : 2 * size].copy(),
        )

    def _keep(self, commands: Floats) -> None:
        """Keeps the estimate of now for measurements that are late; those that are too old are forgotten."""
        if self._now in self._past:
            self._past[self._now] = self._past[self._now]._replace(commands=commands)
        else:
            self._past[self._now] = Snapshot(*self._belief, commands)
        oldest = self._now - math.ceil(self.longest_delay / self.step)
        vars(self)["_past"] = {k: each for k, each in self._past.items() if k >= oldest}
        vars(self)["_measured"] = {k: each for k, each in self._measured.items() if k >= oldest}

    def _step(self, commands: Floats) -> None:
        row, numbers, covariance = self._belief
        found = self._model.predicted(row, numbers, covariance, commands)
        if found is None:
            raise ValueError(f"the estimate leaves the model's range after t = {self.estimate.t:g} s: must be reset")
        self._believe(self._now + 1, found[0], numbers, found[1])

    def _take(self, sensor: Sensor | PressureReading) -> None:
        row, numbers, covariance = self._belief
        missed, slope = self._model.seen(row, sensor)
        known = np.isfinite(missed)
        if not known.any():
            return
        change, after, _ = updated(row, covariance, missed[known], slope[known], float(sensor.sigma or 0.0))
        row, nx = row.copy(), len(self._model.moving)
        row[self._model.moving] += change[:nx]
        self._believe(self._now, row, numbers + change[nx:], after)

    def _check(self, sensor: Any) -> None:
        kinds = (TipPosition, TipOrientation, MuscleLength, PressureReading)
        require_kind("sensor", sensor, kinds, SENSORS)
        if len(sensor.values) != 1:
            raise ValueError(f"{sensor.name} has {len(sensor.values)} rows: must have one, of the time it was taken")
        if sensor.sigma is None:
            raise ValueError(f"{sensor.name} has no sigma: must have one, the standard deviation of its noise")
        if isinstance(sensor, PressureReading):
            column = muscle_index(self.arm, sensor.muscle)
            if not self._model.plant.lagged[column]:
                raise ValueError(f"{sensor.name}: its valve does not lag: must have a valve_lag to have a pressure")
        else:
            sensor.check(self.arm)

    def _index(self, t: object) -> int:
        now = as_float(t)
        if not math.isfinite(now) or abs(now) > 1e9:
            raise ValueError(f"t = {short(t)}: must be a finite number of seconds")
        return round(now / self.step)


def _sigmas(arm: Arm, argument: str, given: Any) -> dict[str, float]:
    """Standard deviations by the names of numbers of an arm, checked."""
    if not isinstance(given, Mapping):
        raise TypeError(f"{argument} is {kind_of(given)}: must be names with standard deviations, as a dict")
    names = parameter_names(argument, list(given))
    require_apart(arm, argument, names)
    shape = np.full(3 * arm.n, 0.01)
    for name in names:
        if np.imag(poses_by_formula(moved(arm, name, 1j * COMPLEX_STEP, argument), shape)).any():
            raise ValueError(f"{argument}: {short(name)} says where tips are: must be a number of the motion alone")
    return {
        name: number_above(f"{argument}[{name!r}]", value, 0.0, 1e12, "of its unit", "its unit")
        for name, value in zip(names, given.values(), strict=True)
    }
