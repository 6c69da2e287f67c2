"""What random calls are made with: some arms, motions and files; good arguments, borderline ones, and others."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import continuarm as ca
from attack import hostile
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
    Path("."), "/sys/kernel/x.nc", "https://example.org/x.nc", "prototype", "PROTOTYPE", "../prototype",
    "run.partial.nc",
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
        self.huge |= getattr(value, "nbytes", 0) > 10**6
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
        return hostile.pick(self.rng, ("prototype", None, ca.Arm, {}, 3, arm.sections)) if is_wrong else arm

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


def use_motion(motion: ca.Motion) -> None:
    """What a motion can be asked for."""
    repr(motion)
    for name in ("tips", "forces", "energies"):
        getattr(motion, name)
