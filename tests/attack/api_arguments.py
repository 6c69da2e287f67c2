"""For every public name, how a random call of it is made: with good arguments, borderline ones, or anything."""

from __future__ import annotations

import functools
import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import continuarm as ca
from attack import hostile
from continuarm.engine.table import QUANTITIES
from random_arms import MODELS, lengths, random_arm, random_lengths, random_rates
from sample_motions import a_motion, an_arm


class Call(NamedTuple):
    """A call that is about to be made."""

    name: str
    function: Callable[..., Any]
    positional: tuple[Any, ...]
    named: dict[str, Any]
    after: Callable[[Any], None] | None = None
    """What else is done with the result: in the same law."""


class World:
    """What the calls of one worker share: some arms, motions, recordings and files."""

    def __init__(self, folder: Path) -> None:
        rng = np.random.default_rng(0)
        self.folder = folder
        self.arms = [random_arm(rng, n, model) for n in (1, 2, 3, 5) for model in MODELS]
        self.arms += [ca.load_arm(name) for name in ca.arm_names()]
        self.arms += [an_arm(), muscular_arm(rng, 2), muscular_arm(rng, 3), random_arm(rng, 12, payload=False)]
        self.driven = [arm for arm in self.arms if all(section.muscle_area for section in arm.sections)]
        self.extreme = extreme_arms()
        self.motions = [a_motion(rows, arm) for rows, arm in ((0, None), (1, None), (5, self.arms[0]))]
        self.motions += [ca.simulate(arm, duration=0.02) for arm in self.driven]
        self.recordings = [a_recording(arm, rng) for arm in self.driven]
        for name, text in FILES.items():
            (folder / name).write_text(text, encoding="utf-8")
        ca.save_motion(self.motions[3], folder / "run.nc")
        (folder / "folder").mkdir(exist_ok=True)
        if not (folder / "loop").is_symlink():
            os.symlink("loop", folder / "loop")


FILES = {
    "good.toml": "[[sections]]\nlength = 0.1\nradius = 0.02\nmass = 0.1\nstiffness = 500\nmuscle_area = 1e-4\n",
    "bad.toml": "[[sections]]\nlength = 0\n",
    "pressures.csv": "t [s], l11 [kPa]\n0, 0\n0.1, 200\n",
    "recording.csv": "t [s], l11 [kPa], x1 [mm], y1 [mm], z1 [mm]\n0, 0, 0, 0, 100\n0.1, 20, 1, 2, 99\n",
    "text.txt": "this is nothing\n",
    "empty": "",
}

PATHS: tuple[Any, ...] = (
    "", " ", ".", "..", "/", "folder", "empty", "text.txt", "loop", "no such file", "no/such/folder/x.nc", "good.toml",
    "bad.toml", "pressures.csv", "recording.csv", "run.nc", "a" * 300, "a" * 5000 + ".nc", "/dev/null", "/dev/full",
    "/dev/zero", "/proc/self/mem", "/proc/self/maps", "/proc/self/fd", "\0", "a\0b.toml", "\ud800.nc", "\x1b[31m.toml",
    "new\nline.nc", b"run.nc", b"\xff.toml", None, 7, 1.5, True, [], object(), Path("run.nc"), Path("good.toml"),
    Path("."), "/sys/kernel/x.nc", "https://example.org/x.nc", "prototype", "PROTOTYPE", "../prototype", "run.partial.nc",
)  # fmt: skip


def muscular_arm(rng: np.random.Generator, n: int) -> ca.Arm:
    """With valves, hysteresis, stiffening and stops."""
    arm = random_arm(rng, n, name="muscular")
    own = {"muscle_area": 1e-4, "dead_zone": 2e4, "valve_lag": 0.05, "pressure_stiffness": 1e-4}
    own |= {"hysteresis": (200.0, 100.0, 20.0), "length_range": (-0.03, 0.05), "stop_stiffness": 1e4}
    return arm.replace(sections=[section.replace(**own) for section in arm.sections])


def extreme_arms() -> list[ca.Arm]:
    """At the limits of what a description takes."""
    small = {"length": 1e-6, "radius": 1e-6, "mass": 1e-12, "stiffness": 1e-9}
    large = {"length": 1e3, "radius": 1e3, "mass": 1e6, "stiffness": 1e12, "offset": 1e3, "damping": 1e12}
    thin = {"length": 1e3, "radius": 1e-6, "mass": 1e-12, "stiffness": 1e12}
    flat = {"length": 1e-6, "radius": 1e3, "mass": 1e6, "stiffness": 1e-9, "damping": 1e12}
    arms = [ca.Arm(sections=[ca.Section(**each)] * n) for each in (small, large, thin, flat) for n in (1, 2)]
    mixed = [ca.Section(**each) for each in (small, large, thin, flat)]
    arms.append(ca.Arm(sections=mixed, gravity=(1e6, -1e6, 1e6), payload=ca.Payload(mass=1e6, offset=(1e3, -1e3, 1e3))))
    return arms


def a_recording(arm: ca.Arm, rng: np.random.Generator) -> ca.Recording:
    """Of pressures in steps, seen by every kind of sensor."""
    times = np.linspace(0, 0.1, 5)
    sensors = [ca.TipPosition(1, np.zeros((5, 3)), 1e-3), ca.MuscleLength(arm.muscle_names[0], np.zeros(5))]
    sensors.append(ca.TipOrientation(arm.n, np.zeros((5, 3))))
    return ca.simulated_recording(
        arm, ca.Recording("run", ca.PressureSteps({"l11": [(0.0, 1e5)]}), times, sensors), seed=int(rng.integers(99))
    )


class Given:
    """Random arguments: good ones, unless this call is a hostile one."""

    def __init__(self, rng: np.random.Generator, world: World) -> None:
        self.rng, self.world = rng, world
        self.hostility = 0.0 if rng.random() < 0.35 else float(rng.choice([0.15, 0.4]))
        self.good = True
        """Whether every argument so far is good: then the call must not be refused."""
        self.huge = False
        """Whether an argument asks for more memory than there is."""

    def hostile(self) -> bool:
        """Whether the next argument is."""
        is_so = bool(self.rng.random() < self.hostility)
        self.good &= not is_so
        return is_so

    def array(self, good: Any) -> Any:
        """Numbers."""
        value = hostile.array_like(self.rng, good, self.hostile())
        self.huge |= getattr(value, "nbytes", 0) > 10**8
        return value

    def number(self, good: Any) -> Any:
        """One number."""
        return hostile.number(self.rng) if self.hostile() else good

    def text(self, good: str) -> Any:
        """A word."""
        return hostile.text(self.rng) if self.hostile() else good

    def path(self, good: str) -> Any:
        """The name of a file."""
        return hostile.pick(self.rng, PATHS) if self.hostile() else good

    def anything(self, good: Any) -> Any:
        """Of no particular kind."""
        return pick_one(self.rng, hostile.number, hostile.text)(self.rng) if self.hostile() else good

    def choice(self, *good: Any) -> Any:
        """One of some good ones."""
        return hostile.pick(self.rng, good)

    def maybe(self, **named: Callable[[], Any]) -> dict[str, Any]:
        """Some of the arguments that may be left out."""
        return {name: make() for name, make in named.items() if self.rng.random() < 0.3}

    def arm(self, arms: list[ca.Arm] | None = None) -> Any:
        """An arm to be used; what is computed for it later is for an arm, so hostile ones are replaced in `wrong`."""
        if self.rng.random() < 0.4 * self.hostility:
            self.good = False
            return hostile.pick(self.rng, self.world.extreme)
        return hostile.pick(self.rng, arms or self.world.arms)

    def wrong_arm(self, arm: ca.Arm) -> Any:
        """That arm, or no arm at all."""
        is_wrong = self.rng.random() < 0.1 * self.hostility
        self.good &= not is_wrong
        return (
            hostile.pick(self.rng, ("prototype", None, ca.Arm, {}, 3, arm.sections))
            if is_wrong
            else arm
        )

    def state(self, arm: ca.Arm) -> Any:
        """q in range, or at the edge of it."""
        if self.rng.random() < 0.5 * self.hostility:
            self.good = False
            return self.array(edge_state(self.rng, arm))
        q = random_lengths(self.rng, arm) if self.rng.random() < 0.7 else np.zeros(3 * arm.n)
        return self.array(self._batch(q))

    def rates(self, arm: ca.Arm) -> Any:
        """q̇, q̈ or τ."""
        return self.array(random_rates(self.rng, arm))

    def _batch(self, row: np.ndarray) -> np.ndarray:
        shapes: tuple[tuple[int, ...], ...] = ((), (), (), (1,), (3,), (2, 2), (0,), (17,))
        return np.broadcast_to(row, (*hostile.pick(self.rng, shapes), *row.shape)).copy()


def pick_one(rng: np.random.Generator, *choices: Any) -> Any:
    """One of them."""
    return hostile.pick(rng, choices)


def edge_state(rng: np.random.Generator, arm: ca.Arm) -> np.ndarray:
    """Bent by about 2π or by nothing, stretched to about nothing."""
    beside = [0.0, 1e-16, -1e-16, 2.3e-16, 1e-12, -1e-12, 1e-9, -1e-9, 1e-6, -1e-6]
    turns = rng.choice(beside, arm.n)
    bends = math.tau * np.where(rng.random(arm.n) < 0.5, 1 + turns, np.abs(turns))
    stretches = np.where(rng.random(arm.n) < 0.5, 1.0, rng.choice([0.0, 1e-300, 1e-16, 1e-9, 1e-3, -1e-9, 1e3], arm.n))
    return lengths(arm, bends, rng.choice([0, math.pi / 3, math.pi, 1.0], arm.n), stretches)


# The arm at an instant


def _engine(given: Given) -> dict[str, Any]:
    return given.maybe(
        threads=lambda: given.number(given.choice(1, 2, 3, 100)),
        engine=lambda: given.text(given.choice("native", "reference")),
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
}  # fmt: skip
VECTORS: dict[str, Any] = {
    "length_range": [-0.02, 0.03],
    "hysteresis": [100.0, 50.0, 10.0],
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
    fields = given.maybe(
        name=lambda: given.text("an arm"),
        description=lambda: given.text("of numbers"),
        gravity=lambda: given.array([0.0, 0.0, 9.81]),
        base_rotation=lambda: given.array([0.0, 1.0, 0.0]),
        payload=lambda: given.anything(ca.Payload(mass=0.1)),
        inertia=lambda: given.anything(given.choice(ca.Integral(), ca.PointMass(), ca.CentreOfGravity())),
        sections=lambda: given.anything(given.choice(list(base.sections), base.sections, base.sections[:1])),
    )
    if given.rng.random() < 0.5:
        return Call("Arm", base.replace, (), fields)
    return Call("Arm", ca.Arm, (), {"sections": given.anything(base.sections)} | fields, repr)


def muscle_arrays(given: Given) -> Call:
    """Between muscles and coordinates."""
    of = given.arm()
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
    name = given.choice("equilibrium", "equilibria", "natural_frequencies", "vibrations")
    if name.startswith("equilibri"):
        if given.rng.random() < 0.5:
            named["tau"] = given.array(given.rng.normal(size=3 * of.n))
        named |= given.maybe(start=lambda: given.state(of))
    elif given.rng.random() < 0.3:
        named["q"] = given.state(of)
    return Call(name, getattr(ca, name), (given.wrong_arm(of),), named)


# Inputs and motions


def _times(given: Given, count: int) -> Any:
    return given.array(np.arange(count) * given.choice(0.001, 0.1, 1e-12))


def signal(given: Given, of: ca.Arm) -> tuple[str, Callable[[], Any]]:
    """An input: its name, and what makes it."""
    count = int(given.rng.integers(1, 6))
    linear = given.maybe(linear=lambda: given.anything(given.choice(True, False)))
    kind = given.choice("PressureSignal", "ForceSignal", "WrenchSignal", "PressureSteps", "parse", "Controller")
    if kind == "PressureSteps":
        steps = [(given.number(0.01 * k), given.number(1e5)) for k in range(count)]
        name, given_steps = given.text(given.choice(*of.muscle_names)), given.anything(steps)
        table = {name: given_steps} if isinstance(name, (str, bytes, int, float)) else name
        return kind, lambda: ca.PressureSteps(table)
    if kind == "parse":
        words = (
            "l11=600@0",
            "l12=5bar@0.01",
            "l11=1e9",
            "=",
            "@",
            "l11=nan@0",
            "l11=1@inf",
            "l11=1µ@0",
            ",,",
            "\x1b=1@0",
        )
        text = ", ".join(given.choice(*words) for _ in range(count)) if given.hostile() else "l11=600@0"
        return "PressureSteps.parse", lambda: ca.PressureSteps.parse(text)
    if kind == "Controller":
        gives = given.choice("pressures", "forces")
        width = len(of.muscle_names) if gives == "pressures" else 3 * of.n
        answer = given.array(np.zeros(width))
        function = given.anything(lambda t, q, qd: answer)
        rate = given.number(given.choice(100.0, 1000, 250.0))
        return kind, lambda: ca.Controller(function, rate, given.text(gives))
    width = {"PressureSignal": len(of.muscle_names), "ForceSignal": 3 * of.n, "WrenchSignal": 6}[kind]
    times, values = _times(given, count), given.array(given.rng.random((count, width)))
    return kind, lambda: getattr(ca, kind)(times, values, **linear)


def inputs(given: Given) -> Call:
    """An input, and what it drives an arm with."""
    of = given.arm(given.world.driven)
    name, make = signal(given, of)
    return Call(name, lambda: make().drive(of), (), {})


def simulate(given: Given) -> Call:
    """A short motion."""
    of = given.arm(given.world.driven)
    given.good = False  # a motion may be refused for many reasons
    named: dict[str, Any] = {"duration": given.number(0.01), "rate": given.number(500.0)}
    if given.rng.random() < 0.5:
        _, make = signal(given, of)
        try:
            named["input"] = make()
        except (TypeError, ValueError):
            named["input"] = given.text("")
    named |= given.maybe(
        q0=lambda: given.state(of),
        qd0=lambda: given.rates(of),
        start=lambda: given.text(given.choice("unbent", "equilibrium")),
        wrench=lambda: given.array(np.zeros(6)),
        solver=lambda: solver(given),
        output=lambda: given.path("out.nc"),
    )
    # what is long by intention is no hang
    if isinstance(named["duration"], (int, float)) and 0.05 < named["duration"] <= 1e9:
        named["duration"] = 0.05
    if isinstance(named["rate"], (int, float)) and 1e4 < named["rate"] <= 1e9:
        named["rate"] = 1e4
    return Call("simulate", ca.simulate, (given.wrong_arm(of),), named, use_motion)


def solver(given: Given) -> Any:
    """One of the three, or something else."""
    kind = given.choice(ca.Adaptive, ca.FixedStep, ca.CVODE)
    if kind is ca.FixedStep:
        rate = given.number(given.choice(1000, 5000.0))
        made = kind(rate if not isinstance(rate, (int, float)) or not 1e5 < rate <= 1e7 else 1e5)
    else:
        named = given.maybe(rtol=lambda: given.number(1e-5), highest_order=lambda: given.number(given.choice(1, 2, 5)))
        made = kind(**named)
    return given.anything(made)


def use_motion(motion: ca.Motion) -> None:
    """What a motion can be asked for."""
    repr(motion)
    for name in ("tips", "forces", "energies"):
        getattr(motion, name)


def motions(given: Given) -> Call:
    """Files of motions, and what is made from them."""
    given.good = False
    motion = hostile.pick(given.rng, given.world.motions)
    name = given.choice("save", "load", "rows", "replaced", "repr")
    if name == "load":
        return Call("load_motion", ca.load_motion, (given.path("run.nc"),), {}, use_motion)
    if name == "rows":
        chosen = given.choice(slice(0, 2), slice(None, None, 2), slice(5, 1), slice(-3, None))
        return Call("Motion", motion.rows, (chosen,), {}, use_motion)
    if name == "replaced":
        field = given.choice("t", "q", "qd", "tau", "pressures", "hysteresis", "wrench", "supplied", "dissipated")
        import dataclasses

        changed = {field: given.array(getattr(motion, field))}
        return Call(
            "Motion",
            lambda: ca.save_motion(dataclasses.replace(motion, **changed), "changed.nc"),
            (),
            {},
        )
    if name == "repr":
        return Call("Motion", use_motion, (motion,), {})
    target = given.path("saved.nc")
    return Call("save_motion", ca.save_motion, (given.anything(motion), target), {})


def arm_files(given: Given) -> Call:
    """Files of arms."""
    given.good = False
    name = given.choice("load_arm", "save_arm", "arm_names", "arm_schema")
    if name == "load_arm":
        return Call(name, ca.load_arm, (given.path("good.toml"),), {})
    if name == "save_arm":
        of = given.arm()
        return Call(name, ca.save_arm, (given.wrong_arm(of), given.path("saved.toml")), {})
    return Call(name, getattr(ca, name), (), {})


# Recordings and fits


def sensor(given: Given, count: int = 5) -> tuple[str, Callable[[], Any]]:
    """An instrument: its name, and what makes it."""
    kind = given.choice("TipPosition", "TipOrientation", "MuscleLength")
    values = np.zeros((count, 3) if kind != "MuscleLength" else count)
    if kind == "TipOrientation" and given.rng.random() < 0.3:
        values = np.tile([1.0, 0.0, 0.0, 0.0], (count, 1))
    where = given.text("l11") if kind == "MuscleLength" else given.number(1)
    arguments = (where, given.array(values))
    named = given.maybe(sigma=lambda: given.number(1e-3))
    return kind, lambda: getattr(ca, kind)(*arguments, **named)


def sensors(given: Given) -> Call:
    """An instrument on an arm."""
    of = given.arm(given.world.driven)
    name, make = sensor(given)

    def on_arm() -> Any:
        made = make()
        made.check(of)
        return made.channels

    return Call(name, on_arm, (), {})


def recording(given: Given) -> Call:
    """A recording, what drives it, and what an arm would give."""
    of = given.arm(given.world.driven)
    given.good = False
    pieces = [sensor(given)[1] for _ in range(int(given.rng.integers(1, 3)))]
    _, make_input = signal(given, of)
    times = _times(given, 5)
    named = given.maybe(
        start=lambda: given.text(given.choice("equilibrium", "hanging", "unbent")),
        wrench=lambda: given.array(np.zeros(6)),
        static=lambda: given.anything(False),
    )
    name = given.text("run")

    def made() -> Any:
        whole = ca.Recording(name, make_input(), times, [make() for make in pieces], **named)
        whole.drive(of)
        return whole.commands(of)

    return Call("Recording", made, (), {})


def recording_files(given: Given) -> Call:
    """Files of recordings."""
    given.good = False
    which = int(given.rng.integers(len(given.world.driven)))
    of, known = given.world.driven[which], given.world.recordings[which]
    if given.rng.random() < 0.5:
        named = given.maybe(
            input=lambda: given.anything(None),
            start=lambda: given.text("unbent"),
            sigma=lambda: given.number(1e-3),
            linear=lambda: given.anything(True),
        )
        arguments = (given.path(given.choice("recording.csv", "run.nc")), given.wrong_arm(of))
        return Call("read_recording", ca.read_recording, arguments, named)
    if given.rng.random() < 0.5:
        path = given.path(given.choice("pressures.csv", "recording.csv"))
        return Call("PressureSignal.read", ca.PressureSignal.read, (path, given.wrong_arm(of)), {})
    arguments = (given.anything(known), given.wrong_arm(of), given.path("written.csv"))
    return Call("write_recording", ca.write_recording, arguments, {})


def simulated_recording(given: Given) -> Call:
    """What a known arm would give."""
    given.good = False
    which = int(given.rng.integers(len(given.world.driven)))
    of, known = given.world.driven[which], given.world.recordings[which]
    named = given.maybe(
        noise=lambda: given.number(1e-3), delay=lambda: given.number(0.01), seed=lambda: given.number(3)
    )
    arguments = (given.wrong_arm(of), given.anything(known))
    return Call("simulated_recording", ca.simulated_recording, arguments, named)


FITTED = ("stiffness", "damping", "mass", "muscle_area", "dead_zone", "stiffness per section", "twist", "base_rotation")


def identify(given: Given) -> Call:
    """A fit of one parameter to a short recording; most calls have something that is refused."""
    given.good = False
    given.hostility = 0.4
    which = int(given.rng.integers(len(given.world.driven)))
    of, known = given.world.driven[which], given.world.recordings[which]
    bounds = given.maybe(
        bounds=lambda: given.anything((given.number(1.0), given.number(1e4))), start=lambda: given.number(100.0)
    )
    free = given.text(given.choice(*FITTED))
    if given.rng.random() < 0.7:
        free = given.anything([ca.Free(free, **bounds)])
    runs = given.anything(given.choice([known], (known,), [known, known]))
    named = given.maybe(
        held_out=lambda: given.anything([known]),
        delay=lambda: given.anything(False),
        starts=lambda: given.number(1),
        seed=lambda: given.number(0),
        threads=lambda: given.number(1),
        progress=lambda: given.anything(print),
    )
    if isinstance(named.get("starts"), int) and named["starts"] > 2:
        named["starts"] = 2
    named.pop("progress", None)
    return Call("identify", ca.identify, (given.wrong_arm(of), runs, free), named, repr)


def fit_energy_shaping(given: Given) -> Call:
    """A fit of few samples."""
    samples = given.number(given.choice(100, 1000))
    if isinstance(samples, (int, float)) and samples > 10_000:
        samples = 10_000
    bootstrap = given.number(5)
    named = {"bootstrap": 20 if isinstance(bootstrap, int) and bootstrap > 20 else bootstrap} | given.maybe(
        seed=lambda: given.number(1),
        sampling=lambda: given.text("2pi"),
        method=lambda: given.text("terms"),
        bounds=lambda: given.anything(None),
    )
    given.good = False
    return Call("fit_energy_shaping", ca.fit_energy_shaping, (samples,), named, repr)


MAKERS: tuple[tuple[float, Callable[[Given], Call]], ...] = (
    *((4.0, functools.partial(quantity, name)) for name in QUANTITIES),
    (4.0, potential_energy),
    (3.0, backbone),
    (4.0, muscle_arrays),
    (8.0, section),
    (4.0, muscles),
    (2.0, payload),
    (3.0, inertia_model),
    (5.0, arm),
    (2.0, statics),
    (10.0, inputs),
    (1.0, simulate),
    (0.5, motions),
    (1.0, arm_files),
    (5.0, sensors),
    (4.0, recording),
    (1.0, recording_files),
    (0.2, simulated_recording),
    (0.2, identify),
    (0.1, fit_energy_shaping),
)
"""How often each is called, over the others, and what makes the call."""
