"""Recordings of arms with an effect that the fitted model does not have: fits to them must not pass.

    python tests/identification/unmodelled_effects.py 25

Three sizes of each are large enough to show. Smaller ones hide in the noise: errors must be wide enough for them. The
study fits to as many recordings of each effect, of sizes from hardly anything to plain, and counts.
"""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
from sample_recordings import changed, with_values
from scipy.spatial.transform import Rotation

from continuarm import PressureSteps, load_arm
from continuarm.identification.fit import identify
from continuarm.identification.recording import Recording
from continuarm.identification.synthetic_recordings import simulated_recording, tip_sensors

STEPS = {
    "l11": [(0.31, 400e3), (3.5, 100e3)],
    "l12": [(1.52, 300e3), (4.3, 0.0)],
    "l13": [(2.23, 450e3), (5.1, 200e3)],
}
JOINED = {**STEPS, "l21": [(0.9, 350e3)], "l32": [(2.6, 400e3)]}
COUNT = 180
NOISE = 5e-4


def recorded(arm, steps=STEPS, seed=0, delay=0.0, gains=None):
    """6 s of an arm at 30 Hz; gains: of the pressures that muscles get, over those that are recorded."""
    got = {name: [(t, p * (gains or {}).get(name, 1.0)) for t, p in own] for name, own in steps.items()}
    blank = Recording("run", PressureSteps(got), np.arange(COUNT) / 30, tip_sensors(arm, COUNT))
    seen = simulated_recording(arm, blank, noise=NOISE, delay=delay, seed=seed)
    return replace(seen, input=PressureSteps(steps))


def tabled(arm, seed=0, gains=1.0, count=25, noise=1e-3):
    """Resting shapes under random pressures."""
    pressures = np.random.default_rng(seed).uniform(0, 500e3, (count, 3 * arm.n))
    blank = Recording.table("table", tip_sensors(arm, count), arm=arm, pressures=pressures * gains)
    seen = simulated_recording(arm, blank, noise=noise, seed=seed)
    return Recording.table("table", seen.sensors, arm=arm, pressures=pressures)


def with_fields(arm, **fields):
    return arm.replace(sections=[section.replace(**fields) for section in arm.sections])


def creeping(values, part, time=2.0):
    """Readings that go on for a part of their displacement, late by a time, s."""
    late = 1 - np.exp(-np.arange(len(values)) / 30 / time)
    return values + part * late[:, None] * (values - values[0])


def moved(values, size):
    """Readings of cameras that are turned, rad, and shifted, by as many tenths of a metre."""
    return Rotation.from_rotvec([size, -size, 0.5 * size]).apply(values) + 0.1 * size


SPREAD = {"l11": 1.0, "l12": -1.0, "l13": 0.4}

IN_MOTION = {
    "stiffening": (
        (1e-4, 3e-4, 1e-3),
        lambda arm, size, seed: recorded(with_fields(arm, pressure_stiffness=size), seed=seed),
    ),
    "hysteresis": (
        (30.0, 80.0, 300.0),
        lambda arm, size, seed: recorded(with_fields(arm, hysteresis=(size, 50.0, 0.0)), seed=seed),
    ),
    "valve lag": ((0.01, 0.04, 0.15), lambda arm, size, seed: recorded(with_fields(arm, valve_lag=size), seed=seed)),
    "creep": (
        (0.02, 0.03, 0.1),
        lambda arm, size, seed: with_values(recorded(arm, seed=seed), "tip 1", lambda v: creeping(v, size)),
    ),
    "gain spread": (
        (0.01, 0.03, 0.1),
        lambda arm, size, seed: recorded(arm, seed=seed, gains={name: 1 + size * by for name, by in SPREAD.items()}),
    ),
    "sensor frame": (
        (0.01, 0.04, 0.15),
        lambda arm, size, seed: with_values(recorded(arm, seed=seed), "tip 1", lambda v: moved(v, size)),
    ),
    "late clock": ((0.004, 0.015, 0.06), lambda arm, size, seed: recorded(arm, seed=seed, delay=size)),
}
"""Of one section: the sizes of an effect, and what is recorded of an arm that has it."""

AT_REST = {
    "stiffening": ((2e-4, 5e-4, 1e-3), lambda arm, size, seed: tabled(with_fields(arm, pressure_stiffness=size), seed)),
    "dead zone": ((1.1, 1.3, 2.0), lambda arm, size, seed: tabled(changed(arm, dead_zone=size), seed)),
    "muscle area": ((0.95, 0.8, 0.4), lambda arm, size, seed: tabled(changed(arm, muscle_area=size), seed)),
    "tilted base": (
        (0.02, 0.1, 0.5),
        lambda arm, size, seed: tabled(arm.replace(base_rotation=(size, 0.0, 0.0)), seed),
    ),
    "gain spread": (
        (0.01, 0.03, 0.1),
        lambda arm, size, seed: tabled(arm, seed, gains=1 + size * np.resize([1.0, -1.0, 0.4], 3 * arm.n)),
    ),
}
"""The same of static tables."""


def twisted(arm, size):
    """All sections but the last turn the next one."""
    return arm.replace(sections=[*(s.replace(twist=s.twist + size) for s in arm.sections[:-1]), arm.sections[-1]])


def slight_hysteresis(arm, size, seed, rng):
    return recorded(with_fields(arm, hysteresis=(size, 10 ** rng.uniform(1.2, 2.3), 0.0)), seed=seed)


def slight_creep(arm, size, seed, rng):
    time = 10 ** rng.uniform(-0.3, 0.9)
    return with_values(recorded(arm, seed=seed), "tip 1", lambda values: creeping(values, size, time))


SLIGHT = {
    "hysteresis": ("single-section", 100.0, slight_hysteresis),
    "creep": ("single-section", 0.05, slight_creep),
    **{
        name: ("single-section", size, lambda arm, size, seed, rng, make=IN_MOTION[name][1]: make(arm, size, seed))
        for name, size in (
            ("stiffening", 5e-4),
            ("valve lag", 0.05),
            ("gain spread", 0.05),
            ("sensor frame", 0.05),
            ("late clock", 0.02),
        )
    },
    "twist": ("prototype", 0.05, lambda arm, size, seed, rng: recorded(twisted(arm, size), JOINED, seed)),
    "stiffening at rest": ("prototype", 5e-4, lambda arm, size, seed, rng: AT_REST["stiffening"][1](arm, size, seed)),
    "dead zone at rest": ("prototype", 0.3, lambda arm, size, seed, rng: AT_REST["dead zone"][1](arm, 1 + size, seed)),
    "area at rest": ("prototype", 0.2, lambda arm, size, seed, rng: AT_REST["muscle area"][1](arm, 1 - size, seed)),
    "tilt at rest": ("prototype", 0.1, lambda arm, size, seed, rng: AT_REST["tilted base"][1](arm, size, seed)),
    "gains at rest": (
        "prototype",
        0.05,
        lambda arm, size, seed, rng: tabled(arm, seed, gains=1 + size * rng.normal(size=9)),
    ),
    "none in motion": ("single-section", 0.0, lambda arm, size, seed, rng: recorded(arm, seed=seed)),
    "none at rest": ("single-section", 0.0, lambda arm, size, seed, rng: tabled(arm, seed)),
}
"""By effect: a named arm, the largest size, and what is recorded of the arm with a random effect of some size."""


def slight_fits(name, count):
    """Fits of the simple model to recordings of an arm with up to so much of an effect, of many sizes, and the arm."""
    of, largest, make = SLIGHT[name]
    arm, rng = load_arm(of), np.random.default_rng(len(name))
    for seed, size in enumerate(largest * 10 ** -rng.uniform(0, 2, count)):
        yield fitted(arm, make(arm, size, seed, rng), delay=name != "late clock"), arm


def fitted(arm, run, free=("stiffness", "damping"), delay=True):
    """The simple model, fitted to a recording."""
    free = tuple(name for name in free if not (run.static and name == "damping"))
    return identify(changed(arm, stiffness=1.1), run, free, delay=delay, starts=1)


def errors_off(found, arm, of_noise=False):
    """By how many of their stated errors, or of their part of noise, the parameters are off, the worst of them."""
    section = arm.sections[0]
    rows = [row for row in found.parameters if row.name in ("stiffness", "damping")]
    return max(
        abs(row.value - getattr(section, row.name)) / (row.noise if of_noise else row.standard_error) for row in rows
    )


def study(count):
    """Prints how many fits are off by more than three errors, of noise and of all, and how many of these pass."""
    total = np.zeros(6, dtype=int)
    for name in SLIGHT:
        fits = list(slight_fits(name, count))
        serious = np.array([found.serious for found, _ in fits])
        off = [np.array([errors_off(*each, of_noise=by) > 3 for each in fits]) for by in (True, False)]
        wider = np.median([found["stiffness"].standard_error / found["stiffness"].noise for found, _ in fits])
        counts = [count, serious.sum()] + [n for each in off for n in (each.sum(), (each & ~serious).sum())]
        total += counts
        print(
            f"{name:20} {words(counts)}; error of the stiffness over its part of noise, median: {wider:.1f}", flush=True
        )
    print(f"{'all':20} {words(total)}")


def words(counts):
    fits, serious, noise, passed_noise, off, passed = counts
    beyond = f"off by more than 3 errors of noise: {noise} ({passed_noise} pass), of all: {off} ({passed} pass)"
    return f"{fits} fits, {serious} serious; {beyond}"


if __name__ == "__main__":
    study(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
