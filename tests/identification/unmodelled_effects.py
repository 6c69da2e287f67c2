"""Recordings of arms with an effect that the fitted model does not have, in three sizes: fits to them must not pass.

Smaller ones hide in the noise, whatever looks for them: a note of the fit says by how much they could move its numbers.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from sample_recordings import changed, with_values
from scipy.spatial.transform import Rotation

from continuarm import PressureSteps
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


def creeping(values, part):
    """Readings that go on for a part of their displacement, slowly."""
    late = 1 - np.exp(-np.arange(len(values)) / 30 / 2.0)
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


def fitted(arm, run, free=("stiffness", "damping"), delay=True):
    """The simple model, fitted to a recording."""
    free = tuple(name for name in free if not (run.static and name == "damping"))
    return identify(changed(arm, stiffness=1.1), run, free, delay=delay, starts=1)


def errors_off(found, arm):
    """By how many of their stated errors the parameters are off, the worst of them."""
    section = arm.sections[0]
    rows = [row for row in found.parameters if row.name in ("stiffness", "damping")]
    return max(abs(row.value - getattr(section, row.name)) / row.standard_error for row in rows)
