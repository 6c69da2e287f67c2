"""Random calls of what leads an arm from a target to pressures: postures, references, controllers, observers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import continuarm as ca
from attack.api_world import Call, Given

MOST = 200
"""Points of a workspace: more take long, which is no hang."""


def postures(given: Given) -> Call:
    """Targets for the tip, a workspace, or pressures for forces."""
    of = given.arm(given.world.driven)
    given.good = False  # extreme arms have no place to go to
    kind = given.choice("inverse_kinematics", "reachable", "muscle_pressures")
    if kind == "reachable":
        count = given.number(50)
        count = MOST if isinstance(count, (int, float)) and count > MOST else count
        return Call(kind, ca.reachable, (given.wrong_arm(of), count), given.maybe(seed=lambda: given.number(1)), repr)
    if kind == "muscle_pressures":
        named = given.maybe(highest=lambda: given.number(7e5), lead=lambda: given.number(0.01))
        state = given.state(of), given.rates(of), given.rates(of)
        return Call(kind, ca.muscle_pressures, (given.wrong_arm(of), *state), named, repr)
    named = given.maybe(
        at=lambda: given.anything(given.choice(1, (1, 0.5))),
        limits=lambda: given.array([-0.01, 0.02]),
        prefer=lambda: given.text("energy"),
        tolerance=lambda: given.number(1e-6),
    )
    return Call(kind, ca.inverse_kinematics, (given.wrong_arm(of), given.array([0.05, 0.0, 0.2])), named, repr)


def reference(given: Given) -> Call:
    """What a controller follows."""
    kind = given.choice("Point", "MinimumJerk", "Circle", "Eight", "Sampled")
    place = given.array([0.0, 0.05, 0.3])
    if kind == "Point":
        values: tuple[Any, ...] = (place,)
    elif kind == "Circle":
        values = (given.number(0.05), given.number(4.0), place)
    elif kind == "Eight":
        values = (given.number(0.05), given.number(0.03), given.number(4.0), place)
    else:
        values = (given.array([0.0, 1.0, 2.0]), given.array(np.eye(3)))
    return Call(kind, getattr(ca, kind), values, {}, _follow)


def _follow(made: Any) -> None:
    for each in made.at(np.array([0.0, 0.5, 3.0])):
        assert np.isfinite(each).all()


def controller(given: Given) -> Call:
    """A controller, what it sees, or a closed loop."""
    of = given.arm(given.world.driven)
    given.good = False  # arms without pressures have no controller
    kind = given.choice("GravityCompensation", "ComputedTorque", "LQR", "loop", "InMuscles", "Observer")
    if kind == "LQR":
        return Call(kind, ca.LQR, (given.wrong_arm(of), given.state(of)), given.maybe(force=lambda: given.number(3.0)))
    if kind == "Observer":
        named = given.maybe(step=lambda: given.number(5e-3), parameters=lambda: given.anything({"payload.mass": 0.1}))
        return Call(kind, ca.Observer, (given.wrong_arm(of),), named, repr)
    goal = given.anything(ca.Point([0.0, 0.0, 0.3]))
    if kind == "InMuscles":
        return Call(kind, ca.InMuscles, (given.wrong_arm(of), goal), given.maybe(rate=lambda: given.number(25.0)))
    if kind == "loop":
        named = given.maybe(rate=lambda: given.number(200.0), noise=lambda: given.number(1e-4))
        return Call(kind, ca.loop, (given.anything(_plain(given)), goal), named, repr)
    named = given.maybe(highest=lambda: given.number(5e5), lead=lambda: given.number(0.01))
    return Call(kind, getattr(ca, kind), (given.wrong_arm(of), given.number(2.0)), named, repr)


def _plain(given: Given) -> Any:
    return ca.GravityCompensation(given.world.driven[0])


def predictive(given: Given) -> Call:
    """Predictive control and what it is made of."""
    kind = given.choice("PredictiveControl", "PredictiveWeights", "Sphere", "PressureReading")
    if kind == "PredictiveWeights":
        return Call(kind, ca.PredictiveWeights, (given.number(1e-3),), given.maybe(change=lambda: given.number(1e5)))
    if kind == "Sphere":
        return Call(kind, ca.Sphere, (given.array([0.0, 0.1, 0.3]), given.number(0.05)), {})
    if kind == "PressureReading":
        return Call(kind, ca.PressureReading, (given.text("l11"), given.array([2e5]), given.number(1e3)), {})
    of = given.arm(given.world.driven)
    given.good = False
    named = given.maybe(
        nodes=lambda: given.number(5), node=lambda: given.number(0.01), highest=lambda: given.number(5e5)
    )
    return Call(kind, ca.PredictiveControl, (given.wrong_arm(of),), named, repr)


CONTROL_CALLS: tuple[tuple[float, Callable[[Given], Call]], ...] = (
    (0.3, postures),
    (1.0, reference),
    (0.5, controller),
    (0.5, predictive),
)
"""How often each is called, over all others, and what makes the call."""
