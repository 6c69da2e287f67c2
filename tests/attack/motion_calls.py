"""Random calls of what drives an arm and of how it moves: inputs, motions and their files, recordings, fits."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

import continuarm as ca
from attack import hostile
from attack.api_world import Call, Given, use_motion

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


PARAMETERS = ("stiffness", ["mass", "sections[0].radius"], "gravity[2]", ["sections[*].stiffness[1]"], "payload.mass")
"""Numbers of arms, some of which some arms have not."""


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
        pressures=lambda: given.array(np.full(len(of.muscle_names), 1e5)),
        start=lambda: given.text(given.choice("unbent", "equilibrium")),
        wrench=lambda: given.array(np.zeros(6)),
        solver=lambda: solver(given),
        most_seconds=lambda: given.number(5.0),
        most_steps=lambda: given.number(1000),
        sensitivities=lambda: given.anything(given.choice(*PARAMETERS)),
    )
    if given.rng.random() < 0.05:  # writing takes longer than all else
        named["output"] = given.path("out.nc")
    # what is long by intention is no hang
    if isinstance(named["duration"], (int, float)) and 0.05 < named["duration"] <= 1e9:
        named["duration"] = 0.05
    if isinstance(named["rate"], (int, float)) and 1e4 < named["rate"] <= 1e9:
        named["rate"] = 1e4
    return Call("simulate", ca.simulate, (given.wrong_arm(of),), named, use_motion)


def motion_gradient(given: Given) -> Call:
    """A loss over a short motion, and its gradient."""
    of = given.arm()
    named = {"duration": given.number(given.choice(0.01, 0.02))} | given.maybe(
        q0=lambda: given.state(of),
        qd0=lambda: given.rates(of),
        start=lambda: given.text(given.choice("unbent", "equilibrium")),
        wrench=lambda: given.array(np.zeros(6)),
        parameters=lambda: given.anything(given.choice(*PARAMETERS)),
    )
    if isinstance(named["duration"], (int, float)) and 0.05 < named["duration"] <= 1e9:  # no hang, but long
        named["duration"] = 0.05
    given.good = False  # at the edge of the model a motion ends, which is refused here
    loss = given.anything(lambda t, q, qd: (float(q.sum()), np.ones_like(q), None))
    return Call("motion_gradient", ca.motion_gradient, (given.wrong_arm(of), loss), named)


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


def many_arms(given: Given) -> Call:
    """Arms that differ in numbers, their motions, or a batch of them."""
    of = given.arm(given.world.driven)
    given.good = False  # what cannot be varied or driven is refused
    count, muscles = int(given.rng.integers(1, 12)), len(of.muscle_names)
    kind = given.choice("vary", "Arms", "rollout", "Batch", "sweep")
    if kind == "vary":
        named = {str(given.text(given.choice("mass", "stiffness", "damping"))): given.array(np.full(count, 0.1))}
        return Call("vary", ca.vary, (given.wrong_arm(of),), {"changes": given.anything(named)}, len)
    if kind == "sweep":
        values = {given.choice("mass", "stiffness", "damping"): given.array(np.full(count, 0.1))}
        more = given.maybe(outputs=lambda: given.text("q"), grid=lambda: given.choice(True, False))
        more |= given.maybe(chunk=lambda: given.number(2), wrench=lambda: given.array(np.zeros(6)))
        named = {"input": given.array(np.full((6, muscles), 1e5)), "every": given.number(2)} | more
        return Call("sweep", ca.sweep, (given.wrong_arm(of), given.anything(values)), named, repr)
    arms = [given.wrong_arm(of) for _ in range(count)]
    if kind == "Arms":
        return Call("Arms", ca.Arms, (given.anything(arms),), {}, len)
    shared = given.maybe(
        q0=lambda: given.state(of),
        qd0=lambda: given.rates(of),
        pressures=lambda: given.array(np.full(muscles, 1e5)),
        wrench=lambda: given.array(np.zeros(6)),
        threads=lambda: given.number(2),
        device=lambda: given.text("cpu"),
    )
    pressures = given.array(np.full((5, muscles), 1e5))
    if kind == "Batch":
        return Call("Batch", ca.Batch, (arms,), shared, lambda batch: batch.step(np.full(muscles, 1e5), 3))
    shared |= given.maybe(outputs=lambda: given.text("q"), every=lambda: given.number(2))
    shared |= given.maybe(ask_every=lambda: given.number(2))
    return Call("rollout", ca.rollout, (arms, given.anything(pressures)), shared | {"steps": 5}, repr)


def modes(given: Given) -> Call:
    """A natural mode as a motion."""
    of = given.arm([each for each in given.world.arms if each.n < 6])
    given.good = False  # an arm may have no rest
    named = given.maybe(
        q=lambda: given.state(of),
        wrench=lambda: given.array(0.1 * given.rng.normal(size=6)),
        muscle_stiffness=lambda: given.array(np.full(len(of.muscle_names), 100.0)),
        amplitude=lambda: given.number(0.01),
    )
    return Call("mode_motion", ca.mode_motion, (given.wrong_arm(of), given.number(1)), named, use_motion)


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
        notes=lambda: given.anything(["put in order"]),
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
            repeats=lambda: given.text(given.choice("gaps", "keep")),
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


def free(given: Given) -> Call:
    """A parameter to be fitted."""
    given.good = False
    named = given.maybe(bounds=lambda: given.anything((given.number(1.0), 1e4)), start=lambda: given.number(100.0))
    return Call("Free", ca.Free, (given.text(given.choice(*FITTED)),), named, repr)


def identify(given: Given) -> Call:
    """A fit of one parameter to a short recording; most calls have something that is refused."""
    given.good = False
    given.hostility = 0.4
    which = int(given.rng.integers(len(given.world.driven)))
    of, known = given.world.driven[which], given.world.recordings[which]
    bounds = given.maybe(
        bounds=lambda: given.anything((given.number(1.0), given.number(1e4))), start=lambda: given.number(100.0)
    )
    fitted = given.text(given.choice(*FITTED))
    if given.rng.random() < 0.7:
        fitted = given.anything([ca.Free(fitted, **bounds)])
    runs = given.anything(given.choice([known], (known,), [known, known]))
    named = given.maybe(
        held_out=lambda: given.anything([known]),
        delay=lambda: given.anything(False),
        starts=lambda: given.number(1),
        seed=lambda: given.number(0),
        threads=lambda: given.number(1),
        progress=lambda: given.anything(lambda share, words="": None),
    )
    if isinstance(named.get("starts"), int) and named["starts"] > 2:
        named["starts"] = 2
    return Call("identify", ca.identify, (given.wrong_arm(of), runs, fitted), named, repr)


def validate(given: Given) -> Call:
    """A short recording predicted."""
    given.good = False
    given.hostility = 0.4
    which = int(given.rng.integers(len(given.world.driven)))
    of, known = given.world.driven[which], given.world.recordings[which]
    runs = given.anything(given.choice(known, [known], (known,), [known, known]))
    named = given.maybe(
        threads=lambda: given.number(1),
        progress=lambda: given.anything(lambda share, words="": None),
    )
    return Call("validate", ca.validate, (given.wrong_arm(of), runs), named, repr)


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


MOTION_CALLS: tuple[tuple[float, Callable[[Given], Call]], ...] = (
    (10.0, inputs),
    (1.0, simulate),
    (0.5, many_arms),
    (0.5, motion_gradient),
    (0.5, modes),
    (0.2, motions),
    (1.0, arm_files),
    (5.0, sensors),
    (4.0, recording),
    (1.0, recording_files),
    (0.2, simulated_recording),
    (0.5, free),
    (0.2, identify),
    (0.5, validate),
    (0.1, fit_energy_shaping),
)
"""How often each is called, over all others, and what makes the call."""
