"""Predictive control: pressures that bring the tip along a reference, by looking ahead with the exact model."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from continuarm.arms.arm import Arm, require_arm
from continuarm.common.argument_checks import kind_of, listed, require_kind, truth_value
from continuarm.common.limits import HIGHEST_PRESSURE
from continuarm.common.number_checks import (
    Floats,
    as_float,
    duration,
    finite,
    not_too_large,
    number_above,
    real_numbers,
    whole_number,
)
from continuarm.common.text import short
from continuarm.control.predictive_problem import PredictiveProblem, Sizes, Targets, kept_distances
from continuarm.control.predictive_solver import CondensedProgram
from continuarm.control.reference_checks import target_at
from continuarm.control.references import Reference
from continuarm.engine import compiled

MEDIUM = 0.4
"""Of the way between the limits, where a second first plan begins: the better of both is taken."""


@dataclass(frozen=True, eq=False)
class Sphere:
    """An obstacle.

    Parameters
    ----------
    centre : array_like, (3,)
        m, world frame.
    radius : float
        m.

    Examples
    --------
    >>> ca.Sphere(centre=[0.05, 0.0, 0.3], radius=0.03).radius
    0.03
    """

    centre: ArrayLike
    radius: float

    def __post_init__(self) -> None:
        centre = not_too_large("centre", real_numbers("centre", self.centre, "three numbers in m"), "m")
        if centre.shape != (3,):
            raise ValueError(f"centre has shape {centre.shape}: must be (3,), in m")
        object.__setattr__(self, "centre", centre.copy())
        object.__setattr__(self, "radius", _metres("radius", self.radius))


@dataclass(frozen=True)
class PredictiveWeights:
    """What costs 1 in predictive control, each in its own unit: half of it costs a quarter.

    Parameters
    ----------
    position : float, optional
        m, a miss of the reference at a node.
    pressure : float, optional
        Pa, in one input at a node: of all pressures that do the same, the lowest are taken.
    change : float, optional
        Pa, of one input from node to node.
    range : float, optional
        m, by which a muscle is longer or shorter than its `length_range`.
    obstacle : float, optional
        m, by which the arm is nearer to an obstacle than it may be.
    terminal : float, optional
        By so much a miss at the last node counts more than at the others.

    Examples
    --------
    >>> ca.PredictiveWeights(position=0.5e-3).change
    100000.0
    """

    position: float = 1e-3
    pressure: float = 2e6
    change: float = 1e5
    range: float = 1e-3
    obstacle: float = 2e-5
    terminal: float = 1.0

    def __post_init__(self) -> None:
        for name, unit, units in (
            ("position", "m", "metres"),
            ("pressure", "Pa", "pascals"),
            ("change", "Pa", "pascals"),
            ("range", "m", "metres"),
            ("obstacle", "m", "metres"),
            ("terminal", "", "times"),
        ):
            found = number_above(name, getattr(self, name), 0.0, 1e12, unit, units)
            object.__setattr__(self, name, found)


@dataclass(eq=False)
class Plan:
    """What a `PredictiveControl` has in mind: the only part of it that changes.

    Attributes
    ----------
    t : float
        s, for when it was made; NaN where there is none yet.
    pressures : ndarray, (nodes, muscles)
        Pa, of every node from now on; the first row is the command.
    states : ndarray, (nodes, width)
        The states that they lead to, one after each node, in the layout of the plant.
    cost : float
        What is minimised, at this plan.
    status : str
        "solved", or why the plan before it was kept.
    seconds : dict of str to float
        How long the last call took: linearisation, program, rest.
    inputs : ndarray, (nodes, inputs)
        The same as pressures, with one number for the muscles of a line.
    previous : ndarray, (inputs,), or None
        Pa, the command before; None where there was none.

    Examples
    --------
    >>> arm = ca.load_arm("prototype")
    >>> ca.PredictiveControl(arm).plan.status
    'no plan yet'
    """

    t: float = math.nan
    pressures: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    states: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    cost: float = math.nan
    status: str = "no plan yet"
    seconds: dict[str, float] = field(default_factory=dict)
    inputs: Floats = field(default_factory=lambda: np.zeros((0, 0)), repr=False)
    previous: Floats | None = field(default=None, repr=False)


@dataclass(frozen=True, eq=False)
class PredictiveControl:
    """Model predictive control of the last tip, or of q, by pressures.

    Over `nodes` times ahead it minimises misses of the reference, pressures and their changes (see
    `PredictiveWeights`), where the state follows the implicit steps of the arm with its muscles and valves,
    x_(k+1) = F(x_k, u_k). Limits of pressures and of their rates are kept exactly; muscle ranges and obstacles are
    soft: to pass them costs. Each call is one iteration of Gauss and Newton around the plan of the call before, shifted
    to now (real-time iteration), with exact derivatives of F: a quadratic program in the pressures of all nodes. Where
    the plan comes to another cost than that program foresaw, by more than 1 %, up to two more follow; the first call
    iterates until it settles. A plan is only replaced by one that costs less, or as much to 0.1 %; where the
    time is over, or the program has no solution, the last good plan is kept, and `plan.status` says why.

    Pressures stay a little above the dead zone of their muscle: below it a change does nothing, and no derivative says
    which way is better.

    Parameters
    ----------
    arm : Arm
        The model, which need not be the arm that is driven.
    nodes : int, optional
        How many times ahead.
    node : float, optional
        s between them; pressures are held meanwhile.
    substeps : int, optional
        Implicit steps of the model in a node.
    weights : PredictiveWeights, optional
        What costs how much.
    lowest, highest : float, optional
        Pa, of every pressure.
    most_rate : float, optional
        Pa/s, how fast a command may change; as fast as it likes if left out.
    ranges : bool, optional
        Whether `length_range` of the sections is kept to, softly.
    obstacles : Sphere, or a list of them, optional
        Spheres that the whole arm stays clear of, softly.
    clearance : float, optional
        m, between an obstacle and the skin of the arm.
    softness : float, optional
        m before a soft limit from which on it is felt.
    time_limit : float, optional
        s that a call may take; as long as it takes if left out.
    plan : Plan, optional
        Where it begins. This is the one thing that changes as it is used; `reset()` empties it.

    Examples
    --------
    >>> arm = ca.load_arm("prototype")
    >>> control = ca.PredictiveControl(arm)
    >>> target = ca.Point([0.05, 0.0, 0.5])
    >>> start = np.zeros(20)  # q, q̇ and two numbers for the work done, as in Batch.state
    >>> control.command(0.0, start, target).shape
    (9,)
    >>> control.plan.status
    'solved'
    """

    arm: Arm
    nodes: int = 20
    node: float = 0.01
    substeps: int = 1
    weights: PredictiveWeights = PredictiveWeights()
    lowest: float = 0.0
    highest: float = 700e3
    most_rate: float | None = None
    ranges: bool = True
    obstacles: Sphere | Sequence[Sphere] = ()
    clearance: float = 0.0
    softness: float = 2e-3
    time_limit: float | None = None
    plan: Plan = field(default=None, repr=False)  # type: ignore[assignment]  # one of its own, made below

    def __post_init__(self) -> None:
        require_arm(self.arm)
        given: Any = self.plan
        object.__setattr__(self, "plan", Plan() if given is None else given)
        if compiled.native is None:
            raise ValueError(f"PredictiveControl: {compiled.NOT_BUILT}")
        require_kind("weights", self.weights, PredictiveWeights, "a PredictiveWeights")
        require_kind("plan", self.plan, Plan, "a Plan")
        kept: dict[str, Any] = {
            "nodes": whole_number("nodes", self.nodes, least=1, most=1000),
            "node": duration("node", self.node, least=1e-6, most=10.0),
            "substeps": whole_number("substeps", self.substeps, least=1, most=1000),
            "ranges": truth_value("ranges", self.ranges),
            "obstacles": tuple(listed("obstacles", self.obstacles, Sphere, "a Sphere")),
            "softness": number_above("softness", self.softness, 1e-9, 1e3, "m", "metres"),
            "clearance": _limit("clearance", self.clearance, "m", 1e3),
            "lowest": _limit("lowest", self.lowest, "Pa", HIGHEST_PRESSURE),
            "highest": _limit("highest", self.highest, "Pa", HIGHEST_PRESSURE),
        }
        for name, unit in (("most_rate", "Pa/s"), ("time_limit", "s")):
            value = getattr(self, name)
            kept[name] = None if value is None else number_above(name, value, 0.0, 1e12, unit, unit)
        for name, value in kept.items():
            object.__setattr__(self, name, value)
        for i, section in enumerate(self.arm.sections):
            if section.muscle_area is None:
                raise ValueError(f"section {i + 1}: muscle_area is missing: pressures need it to become forces")
        if any(line.delay for line in self.arm.lines):
            raise ValueError("lines have a delay: must have none in PredictiveControl, whose commands act at once")
        least = float(self._limits[0].max())
        if not least < self.highest:
            raise ValueError(f"highest = {self.highest:g} Pa: must be above {least:g} Pa, from where on muscles push")
        if not math.isnan(self.plan.t):
            inputs = len(self._limits[0])
            _require("plan.inputs", self.plan.inputs, (self.nodes, inputs))
            if self.plan.previous is not None:
                _require("plan.previous", self.plan.previous, (inputs,))

    # What is in native memory is made again where it is needed, so that a controller can be sent to other processes.
    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in ("_problem", "_program")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)

    @cached_property
    def _problem(self) -> PredictiveProblem:
        each = self.weights
        sizes = Sizes(each.position, each.pressure, each.change, each.range, each.obstacle, each.terminal)
        spheres = [(np.asarray(sphere.centre), sphere.radius) for sphere in self.obstacles]  # type: ignore[union-attr]
        kept = tuple(kept_distances(self.arm, spheres, self.clearance))
        return PredictiveProblem(
            self.arm, self.nodes, self.node, self.substeps, sizes, self.ranges, kept, self.softness
        )

    @cached_property
    def _program(self) -> CondensedProgram:
        return CondensedProgram(self._problem, self._limits, self.most_rate)

    @cached_property
    def _limits(self) -> tuple[Floats, Floats]:
        """(inputs,) each, Pa: a little above the dead zone, where a change of pressure begins to act, or more."""
        problem = self._problem
        dead = np.array([muscle.dead_zone for _, muscle in problem.plant.muscles])
        acts = np.where(dead > 0, 1.01 * dead, 0.0)
        low = [max(self.lowest, float(acts[column > 0].min())) for column in problem.spread.T]
        return np.array(low), np.full(len(low), self.highest)

    def reset(self) -> None:
        """Forgets the plan: the next call is a first one."""
        vars(self.plan).update(vars(Plan()))

    def command(self, t: float, state: ArrayLike, reference: Reference) -> Floats:
        """Pressures of all muscles from now on.

        Parameters
        ----------
        t : float
            s, now. A time before that of the plan begins anew; the same time again improves the plan.
        state : array_like, (width,)
            A state of the plant, as `Batch.state` has it: q, q̇, what muscles remember, work done.
        reference : Point, MinimumJerk, Circle, Eight or Sampled
            What to follow.

        Returns
        -------
        ndarray, (muscles,)
            Pa.
        """
        began = time.perf_counter()
        problem, plan = self._problem, self.plan
        start = _checked_state(problem, state)
        now = as_float(t)
        if not math.isfinite(now):
            raise ValueError(f"t = {short(t)}: must be a finite number of seconds")
        is_first = not plan.t <= now < plan.t + self.nodes * self.node
        if is_first:
            self.reset()
            previous, elapsed = None, self.node
        else:
            elapsed = now - plan.t
            previous = plan.inputs[0] if elapsed else plan.previous
        targets = self._targets(now, reference, previous)
        deadline = math.inf if self.time_limit is None else began + self.time_limit
        program = self._program
        program.begin(deadline, min(elapsed, self.node))
        if is_first:
            guesses = self._first_guesses(start)
            found = min((program.settled(start, each, targets) for each in guesses), key=lambda it: it.cost)
        else:
            found = program.kept_up(start, shifted(plan.inputs, elapsed / self.node), targets)
        plan.t, plan.inputs, plan.previous = now, found.inputs, previous
        plan.pressures, plan.states = found.inputs @ problem.spread.T, found.states
        plan.cost, plan.status = found.cost, found.status
        plan.seconds = program.seconds | {"rest": time.perf_counter() - began - sum(program.seconds.values())}
        return plan.pressures[0].copy()

    def _first_guesses(self, start: Floats) -> list[Floats]:
        """Inputs of all nodes: little pressure, or what is in the muscles where it is known; and a medium one."""
        low, high = self._limits
        plant, spread = self._problem.plant, self._problem.spread
        inside = plant.states.split(start).pressures @ spread / spread.sum(axis=0)
        guess = np.where(plant.lagged.any(), inside, 0.0)
        little = np.clip(guess, low + 0.05 * (high - low), high)
        return [np.tile(each, (self.nodes, 1)) for each in (little, low + MEDIUM * (high - low))]

    def _targets(self, now: float, reference: Reference, previous: Floats | None) -> Targets:
        muscles = getattr(reference, "space", None) == "muscles"
        if isinstance(reference, type) or not callable(getattr(reference, "at", None)):
            raise TypeError(f"reference is {kind_of(reference)}: must have a method at(t), as a Point has")
        positions = np.asarray(target_at(reference, now + self.node * np.arange(1, self.nodes + 1))[0], dtype=float)
        width = 3 * self.arm.n if muscles else 3
        if positions.shape != (self.nodes, width):
            raise ValueError(f"positions of the reference have shape {positions.shape[1:]}: must be ({width},)")
        return Targets(positions, muscles, previous)


def shifted(inputs: Floats, nodes: float) -> Floats:
    """Inputs (nodes, inputs) from so many nodes later on, straight lines between them; the last is held."""
    whole = int(nodes)
    here = inputs[np.minimum(np.arange(whole, whole + len(inputs)), len(inputs) - 1)]
    if nodes == whole:
        return here
    ahead = inputs[np.minimum(np.arange(whole + 1, whole + 1 + len(inputs)), len(inputs) - 1)]
    return here + (nodes - whole) * (ahead - here)


def _checked_state(problem: PredictiveProblem, state: ArrayLike) -> Floats:
    width = problem.plant.states.width
    row = np.ascontiguousarray(real_numbers("state", state, f"{width} numbers"))
    if row.shape != (width,):
        raise ValueError(f"state has shape {row.shape}: must be ({width},), as Batch.state has it")
    return finite("state", row)


def _require(name: str, value: Floats, shape: tuple[int, ...]) -> None:
    """Raises ValueError unless an array is finite and has a shape."""
    found = finite(name, real_numbers(name, value, f"numbers of shape {shape}"))
    if found.shape != shape:
        raise ValueError(f"{name} has shape {found.shape}: must be {shape}")


def _metres(name: str, value: object) -> float:
    return number_above(name, value, 0.0, 1e3, "m", "metres")


def _limit(name: str, value: object, unit: str, most: float) -> float:
    found = as_float(value)
    if not 0 <= found <= most:
        raise ValueError(f"{name} = {short(value)}: must be 0 or more and at most {most:g} {unit}")
    return found
