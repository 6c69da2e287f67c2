"""Random calls of what describes an arm, of where it is and how it is accelerated, and of where it rests."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

import continuarm as ca
from attack.api_world import Call, Given
from continuarm.engine.table import QUANTITIES

# The arm at an instant


def _engine(given: Given) -> dict[str, Any]:
    return given.maybe(
        threads=lambda: given.number(given.choice(1, 2, 3, 100)),
        engine=lambda: given.text(given.choice("native", "native", "native", "reference")),
    )


def quantity(name: str, given: Given) -> Call:
    """A call of one of the quantities of the table."""
    arm = given.arm()
    values: list[Any] = []
    for argument in QUANTITIES[name].arguments:
        if argument == "q":
            values.append(given.state(arm))
        elif argument == "wrench":
            values.append(given.array(given.rng.normal(size=6)))
        elif argument == "xi":
            values.append(given.array(given.choice(0.5, [0.0, 1.0], given.rng.random(4))))
        elif argument == "step":
            values.append(given.number(given.choice(1e-3, 1e-9, 0.1)))
        else:
            values.append(given.rates(arm))
    return Call(name, getattr(ca, name), (given.wrong_arm(arm), *values), _engine(given))


def derivative(given: Given) -> Call:
    """A product with the Jacobian of a quantity, or a gradient by numbers of the arm."""
    arm = given.arm()
    name = given.choice("forward_dynamics", "inverse_dynamics", "tip_poses", "implicit_step")
    state = [given.state(arm), given.rates(arm), given.rates(arm)][: 1 if name == "tip_poses" else 3]
    more = _engine(given) | ({"step": given.number(1e-3)} if name == "implicit_step" else {})
    quantity, asked = given.anything(getattr(ca, name)), given.wrong_arm(arm)
    if given.rng.random() < 0.4:
        along = tuple(given.rates(arm) for _ in state)
        return Call("jvp", ca.jvp, (quantity, asked, tuple(state), along), more)
    one = given.array(given.rng.normal(size=(arm.n, 4, 4) if name == "tip_poses" else 3 * arm.n))
    weights = (one, given.rates(arm)) if name == "implicit_step" else one
    if given.rng.random() < 0.5:
        return Call("vjp", ca.vjp, (quantity, asked, tuple(state), weights), more)
    more.pop("engine", None)
    names = given.anything(given.choice("mass", ["radius", "gravity[2]"], "payload.mass"))
    return Call("parameter_gradient", ca.parameter_gradient, (quantity, asked, tuple(state), weights, names), more)


def potential_energy(given: Given) -> Call:
    """The sum of two quantities."""
    arm = given.arm()
    return Call("potential_energy", ca.potential_energy, (given.wrong_arm(arm), given.state(arm)), _engine(given))


def backbone(given: Given) -> Call:
    """Points on the axis."""
    arm = given.arm()
    points = given.number(given.choice(2, 3, 10))
    return Call("backbone", ca.backbone, (given.wrong_arm(arm), given.state(arm), points), _engine(given))


# Descriptions


SECTION = {
    "length": 0.1, "radius": 0.02, "mass": 0.1, "stiffness": 500.0, "damping": 5.0, "offset": 0.01, "twist": 0.3,
    "stop_stiffness": 0.0, "muscle_area": 1e-4, "dead_zone": 1e4, "valve_lag": 0.05, "pressure_stiffness": 1e-4,
    "shaking": 0.0,
}  # fmt: skip
VECTORS: dict[str, Any] = {
    "length_range": [-0.02, 0.03],
    "hysteresis": [100.0, 50.0, 10.0],
    "preload": [1.0, -0.5],
    "stiffness": [500.0, 600.0, 700.0],
    "damping": np.eye(3),
}


def section(given: Given) -> Call:
    """A section of random fields."""
    fields = {name: given.number(value) for name, value in SECTION.items()}
    for name, value in VECTORS.items():
        if given.rng.random() < 0.3:
            fields[name] = given.array(value)
    if given.rng.random() < 0.1:
        fields["muscles"] = given.anything(ca.Muscles(angles=[0.0, 2.0, 4.0], radii=[0.02, 0.02, 0.03]))
    if given.hostile():
        fields[str(given.text("lenght"))] = 1.0
    return Call("Section", ca.Section, (), fields, _use_section)


def _use_section(made: ca.Section) -> None:
    arm = ca.Arm(sections=[made])
    ca.elastic_forces(arm, np.zeros(3))
    ca.forward_dynamics(arm, *np.zeros((3, 3)))
    assert made.replace() == made


def muscles(given: Given) -> Call:
    """A layout of muscles."""
    count = int(given.rng.integers(3, 7))
    angles = np.arange(count) * math.tau / count
    return Call("Muscles", ca.Muscles, (), {"angles": given.array(angles), "radii": given.array(np.full(count, 0.02))})


def payload(given: Given) -> Call:
    """A payload."""
    named = {"mass": given.number(0.1)} | given.maybe(offset=lambda: given.array([0.0, 0.0, 0.1]))
    return Call("Payload", ca.Payload, (), named)


def rig(given: Given) -> Call:
    """A pressure line, a gauge, or the rig of an arm."""
    kind = given.choice(ca.Line, ca.Gauge, ca.Rig)
    if kind is ca.Line:
        named = {"muscles": given.anything(["l11", "l12"])} | given.maybe(delay=lambda: given.number(0.1))
    elif kind is ca.Gauge:
        named = {"line": given.text("l11")} | given.maybe(
            gain=lambda: given.number(1.1), offset=lambda: given.number(-4e3), lowest=lambda: given.number(-6e3)
        )
    else:
        named = given.maybe(
            start=lambda: given.text("resting"),
            delay=lambda: given.number(0.1),
            turn=lambda: given.array([0.0, 0.1, 0.0]),
            origin=lambda: given.array([0.0, 0.1, 0.0]),
            gauges=lambda: given.anything([ca.Gauge(line="l11", offset=-4e3)]),
            gauge_zero=lambda: given.text("lowest"),
        )
    return Call(kind.__name__, kind, (), named)


def inertia_model(given: Given) -> Call:
    """One of the three."""
    kind = given.choice(ca.Integral, ca.PointMass, ca.CentreOfGravity)
    named: dict[str, Any] = {}
    if kind is ca.CentreOfGravity:
        named = given.maybe(
            beta_linear=lambda: given.array([1.3, 1.3, 1.6]),
            beta_angular=lambda: given.array([1.0, 1.0, 1.4]),
            allow_indefinite=lambda: given.anything(False),
        )
    if given.hostile():
        named |= {"model": given.text("integral")}
    return Call(kind.__name__, kind, (), named)


def arm(given: Given) -> Call:
    """An arm of random fields, or another one with some of them changed."""
    base = given.arm()
    fewer = base.sections if base.lines or base.rig else base.sections[:1]  # which name muscles of all sections
    fields = given.maybe(
        name=lambda: given.text("an arm"),
        description=lambda: given.text("of numbers"),
        gravity=lambda: given.array([0.0, 0.0, 9.81]),
        base_rotation=lambda: given.array([0.0, 1.0, 0.0]),
        payload=lambda: given.anything(ca.Payload(mass=0.1)),
        inertia=lambda: given.anything(given.choice(ca.Integral(), ca.PointMass(), ca.CentreOfGravity())),
        sections=lambda: given.anything(given.choice(list(base.sections), base.sections, fewer)),
    )
    if given.rng.random() < 0.5:
        return Call("Arm", base.replace, (), fields)
    return Call("Arm", ca.Arm, (), {"sections": given.anything(base.sections)} | fields, repr)


def muscle_arrays(given: Given) -> Call:
    """Between muscles and coordinates."""
    of = given.arm()
    if given.rng.random() < 0.3:
        pressures = given.array(np.full(len(of.muscle_names), 1e5))
        return Call("muscle_stiffness", ca.muscle_stiffness, (given.wrong_arm(of), given.state(of), pressures), {})
    if given.rng.random() < 0.5:
        return Call("Arm.muscle_lengths", of.muscle_lengths, (given.state(of),), {})
    return Call("Arm.muscle_forces", of.muscle_forces, (given.array(np.ones(len(of.muscle_names))),), {})


# Statics


def _loads(given: Given, of: ca.Arm) -> dict[str, Any]:
    return given.maybe(
        wrench=lambda: given.array(0.1 * given.rng.normal(size=6)),
        muscle_stiffness=lambda: given.array(np.full(len(of.muscle_names), 100.0)),
    )


def statics(given: Given) -> Call:
    """Where an arm rests and how it swings there; an arm may have no rest."""
    of = given.arm([each for each in given.world.arms if each.n < 6])
    given.good = False
    named = _loads(given, of)
    name = given.choice("equilibrium", "equilibria", "natural_frequencies", "vibrations", "mode_motion")
    if name.startswith("equilibri"):
        if given.rng.random() < 0.5:
            named["tau"] = given.array(given.rng.normal(size=3 * of.n))
        named |= given.maybe(start=lambda: given.state(of))
    elif given.rng.random() < 0.3:
        named["q"] = given.state(of)
    if name == "mode_motion":
        named |= given.maybe(mode=lambda: given.number(1), amplitude=lambda: given.number(0.01))
    return Call(name, getattr(ca, name), (given.wrong_arm(of),), named)


ARM_CALLS: tuple[tuple[float, Callable[[Given], Call]], ...] = (
    *((4.0, functools.partial(quantity, name)) for name in QUANTITIES),
    (4.0, potential_energy),
    (6.0, derivative),
    (3.0, backbone),
    (4.0, muscle_arrays),
    (8.0, section),
    (4.0, muscles),
    (2.0, payload),
    (2.0, rig),
    (3.0, inertia_model),
    (5.0, arm),
    (2.0, statics),
)
"""How often each is called, over all others, and what makes the call."""
