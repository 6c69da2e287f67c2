"""A closed loop as an input of `simulate`: a controller, what it follows, and what it sees of the arm."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.common.argument_checks import kind_of, require_kind
from continuarm.common.number_checks import Floats, as_float, number_from_zero, seed_number
from continuarm.common.number_checks import rate as checked_rate
from continuarm.common.text import short
from continuarm.control.controllers import ComputedTorque
from continuarm.control.muscle_goals import InMuscles, require_reference
from continuarm.control.muscle_inversion import is_one_to_one
from continuarm.control.observer import Observer
from continuarm.control.pressing import FeedbackLaw
from continuarm.control.reference_checks import target_at
from continuarm.control.references import Reference
from continuarm.dynamics.plant import Plant
from continuarm.dynamics.plant_states import State
from continuarm.engine.quantities import tip_poses
from continuarm.identification.sensors import TipPosition
from continuarm.simulation.commands_over_time import CommandsOverTime, Control, Tracking, command_rows, muscle_count
from continuarm.simulation.inputs import checked_answer
from continuarm.simulation.solvers import FixedStep

SLOWEST = 0.1
"""Hz: how seldom a controller may be asked; what happens until then is computed at once."""


@dataclass(frozen=True, eq=False)
class Loop:
    """A closed loop: what `loop` makes, an input of `simulate`.

    Attributes
    ----------
    controller : object
        Has `command(t, state, reference)`.
    reference : Reference
        What it follows.
    rate : float
        How often the controller is asked, Hz.
    noise : (float, float)
        Standard deviations of what it sees of q, m, and of q̇, m/s.
    delay : float
        By which it sees the arm late, s.
    seed : int
        Of the noise.
    observer : Observer or None
        From what it sees the state is estimated.

    Examples
    --------
    >>> arm = ca.load_arm("prototype")
    >>> ca.loop(ca.ComputedTorque(arm), ca.Point([0.0, 0.05, 0.55])).rate
    1000.0
    """

    controller: FeedbackLaw
    reference: Reference
    rate: float
    noise: tuple[float, float]
    delay: float
    seed: int
    observer: Observer | None = None
    _believed: list[tuple[float, Floats]] = field(default_factory=list, init=False, repr=False, compare=False)

    @property
    def followed_names(self) -> tuple[str, ...]:
        """What `followed` has, by name."""
        name = "reference" if self.reference.space == "tip" else "reference_q"
        return (name,) if self.observer is None else (name, "estimate")

    def followed(self, t: Floats) -> dict[str, Floats]:
        """The reference, and with an observer q as it was believed then.

        Parameters
        ----------
        t : ndarray, (k,)
            s.

        Returns
        -------
        dict of str to ndarray, (k, ...)
            "reference" of the tip or "reference_q", and "estimate", m.
        """
        found = {self.followed_names[0]: target_at(self.reference, t).position}
        if self.observer is not None:
            times = np.array([when for when, _ in self._believed])
            rows = np.reshape([q for _, q in self._believed], (-1, 3 * self.observer.arm.n))
            found["estimate"] = rows[np.maximum(times.searchsorted(t + 1e-9) - 1, 0)]
        return found

    def default_solver(self) -> FixedStep:
        """What `simulate` takes where no solver is said.

        Returns
        -------
        FixedStep
            At 1 kHz or as often as the controller is asked, in whole steps.
        """
        return FixedStep(self.rate * max(1, math.ceil(1000.0 / self.rate - 1e-9)))

    def drive(self, arm: Arm) -> CommandsOverTime:
        """The controller, its answers checked."""
        nothing = command_rows(arm)
        model = getattr(self.controller, "arm", arm)
        if muscle_count(model) != muscle_count(arm) or model.n != arm.n:
            raise ValueError(
                f"arm of the controller has {muscle_count(model)} muscles in {model.n} sections: "
                f"must have {muscle_count(arm)} in {arm.n}, as {arm.name!r} has"
            )
        plant = Plant(arm)
        believed = plant if model is arm else Plant(model)
        asked = _Asked(self, arm, plant, believed)
        control = Control(self.rate, _unused, asked, self._tracking(arm, plant, believed))
        return CommandsOverTime(np.zeros(1), nothing, nothing, control)

    def _tracking(self, arm: Arm, plant: Plant, model: Plant) -> Tracking | None:
        """What compiled code needs to run the loop, where it can: computed torque over q, a muscle each, all seen."""
        controller = self.controller
        if type(controller) is not ComputedTorque or controller.space != "muscles":
            return None
        if any(self.noise) or self.delay or self.observer is not None:
            return None
        if not is_one_to_one(controller.arm) or not is_one_to_one(arm) or plant.branches:
            return None
        goals = InMuscles(controller.arm, self.reference, controller.posture)
        goals.at(0.0)  # begins the path, which is no part of the motion's time
        return Tracking(
            model,
            controller.lead,
            controller.gains,
            controller.velocity_gains,
            float(controller.highest),
            float(controller.fastest) / self.rate,
            lambda t: np.stack(goals.at(t), axis=1),
        )


def loop(
    controller: FeedbackLaw,
    reference: Reference,
    *,
    rate: float = 1000.0,
    noise: float | tuple[float, float] = 0.0,
    delay: float = 0.0,
    seed: int = 0,
    observer: Observer | None = None,
) -> Loop:
    """A closed loop, to be simulated: `simulate(arm, loop(controller, reference), duration=4)`.

    The arm of `simulate` is the plant; the controller has an arm of its own, which may be another: without hysteresis,
    without a payload. The controller is asked at a rate and its answer held, as a digital controller does. Computed
    torque in muscles, without noise and delay, runs in compiled code.

    Parameters
    ----------
    controller : object with `command(t, state, reference)`
        `ComputedTorque`, `GravityCompensation`, `LQR`, or one of your own: `command` gives pressures, (muscles,), Pa.
        It sees a row of the plant's state, in the layout of its own `arm` where it has one.
    reference : Reference
        What it follows: `Point`, `MinimumJerk`, `Circle`, `Eight`, `Sampled`.
    rate : float, optional
        How often it is asked, Hz.
    noise : float or (float, float), optional
        Standard deviations of what it sees of q, m, and of q̇, m/s; one number for both.
    delay : float, optional
        By which it sees q and q̇ late, s; whole periods of the controller are taken.
    seed : int, optional
        Of the noise.
    observer : Observer, optional
        The controller then sees its estimate. It is given the positions of all tips at every call, with noise of the
        first number of `noise`, m, and late by `delay`; it begins at the true state and knows the commands.

    Returns
    -------
    Loop
        An input of `simulate`. The solver is `FixedStep` at 1 kHz or more unless another is said.

    Examples
    --------
    >>> arm = ca.load_arm("prototype")
    >>> controller = ca.ComputedTorque(arm)
    >>> heavier = arm.replace(payload=ca.Payload(mass=0.05))  # which the controller does not know
    >>> point = ca.Point([0.05, 0.0, 0.55])
    >>> motion = ca.simulate(heavier, ca.loop(controller, point), duration=3)
    >>> bool(np.linalg.norm(motion.tips[-1, -1] - [0.05, 0.0, 0.55]) < 1e-4)
    True
    """
    require_controller(controller)
    require_reference(reference)
    pair = (noise, noise) if not isinstance(noise, (tuple, list)) else tuple(noise)
    sigmas = tuple(map(as_float, pair))
    if len(sigmas) != 2 or not all(0 <= each <= 1e3 for each in sigmas):
        raise ValueError(f"noise = {short(noise)}: must be a number of 0 or more, or two: m of q and m/s of q̇")
    late = number_from_zero("delay", delay, 10.0, "s", "seconds")
    asked = checked_rate("rate", rate, most=1e6)
    if asked < SLOWEST:
        raise ValueError(f"rate = {asked:g} Hz: must be at least {SLOWEST:g} Hz")
    if observer is not None:
        require_kind("observer", observer, Observer, "an Observer")
        if not sigmas[0] > 0:
            raise ValueError("noise: must be above 0 m with an observer, which weighs measurements by it")
    return Loop(controller, reference, asked, (sigmas[0], sigmas[1]), late, seed_number("seed", seed), observer)


def require_controller(controller: object) -> None:
    """Raises TypeError unless something can close a loop."""
    if isinstance(controller, type) or not callable(getattr(controller, "command", None)):
        raise TypeError(f"controller is {kind_of(controller)}: must have command(t, state, reference)")


def usual_rate(controller: FeedbackLaw) -> float:
    """How often a controller is asked unless somebody says so, Hz: once a node, if it looks ahead by nodes."""
    node = getattr(controller, "node", None)
    return 1000.0 if node is None else 1 / float(node)


def _unused(t: float, q: Floats, qd: Floats) -> Floats:
    raise AssertionError("a closed loop is asked with the whole state")


class _Asked:
    """A controller that is asked with states of a plant: late and noisy, in the layout of its own arm."""

    def __init__(self, loop: Loop, arm: Arm, plant: Plant, model: Plant) -> None:
        self.loop, self.arm, self.plant, self.model = loop, arm, plant, model
        self.rng = np.random.default_rng(loop.seed)
        self.late = round(loop.delay * loop.rate)  # periods
        self.seen: list[Floats] = []
        self.taken: list[tuple[float, list[TipPosition]]] = []
        loop._believed.clear()
        self.last = np.zeros(len(plant.muscles))
        reset: Any = getattr(loop.controller, "reset", None)
        if callable(reset):
            reset()

    def __call__(self, t: float, row: Floats) -> Floats:
        if self.loop.observer is not None:
            self.seen = []
        self.seen.append(self._seen(row) if self.loop.observer is None else self._estimated(self.loop.observer, t, row))
        if len(self.seen) > self.late + 1:
            self.seen.pop(0)
        answer = self.loop.controller.command(t, self.seen[0].copy(), self.loop.reference)
        found = checked_answer(self.arm, "pressures", t, answer)
        self.last = found[: len(self.last)]
        return found

    def _estimated(self, observer: Observer, t: float, row: Floats) -> Floats:
        """What an observer believes of a state, from the tips that it is told of late."""
        if not self.loop._believed:
            observer.reset(Plant(observer.arm).states.rows(self._known(row, Plant(observer.arm))))
        else:
            observer.advance(t, self.last)
        sigma = self.loop.noise[0]
        tips = tip_poses(self.arm, self.plant.states.split(row).q)[:, :3, 3]
        tips = tips + sigma * self.rng.normal(size=tips.shape)
        self.taken.append((t, [TipPosition(i + 1, tip[None], sigma) for i, tip in enumerate(tips)]))
        while self.taken and self.taken[0][0] <= t - self.late / self.loop.rate + 1e-9:
            when, sensors = self.taken.pop(0)
            for sensor in sensors:
                observer.measure(when, sensor)
        believed = observer.estimate.state.copy()
        self.loop._believed.append((t, observer.estimate.q))
        return believed

    def _known(self, row: Floats, model: Plant) -> State:
        """A state of the plant as a state of a model."""
        here = self.plant.states.split(row)
        pressures = self.plant.pressures(self.last, here.pressures)
        creep = np.zeros((len(model.branches), len(self.last)))
        knows = np.array([float(muscle.loop_a) > 0 for _, muscle in model.muscles])
        hysteresis = np.where(knows, here.hysteresis, 0.0)  # a model without friction does not ask for it
        return here._replace(pressures=pressures, hysteresis=hysteresis, creep=creep)

    def _seen(self, row: Floats) -> Floats:
        """What the controller sees of a state, before it is late."""
        if self.model.arm is self.arm and not any(self.loop.noise):
            return row
        known = self._known(row, self.model)
        q, qd = (
            each + sigma * self.rng.normal(size=each.shape) if sigma else each
            for each, sigma in zip((known.q, known.qd), self.loop.noise, strict=True)
        )
        return self.model.states.rows(known._replace(q=q, qd=qd))
