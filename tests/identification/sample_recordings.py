"""Recordings of known arms, as cameras would see them: what the tests of identification fit to."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from continuarm import PressureSteps
from continuarm.identification.recording import Recording
from continuarm.identification.synthetic_recordings import simulated_recording, tip_sensors

RUNS = (
    {"l33": [(0.5, 600e3)], "l22": [(3.5, 500e3)], "l11": [(7.0, 500e3)]},
    {"l23": [(0.5, 400e3)], "l31": [(3.3, 500e3)], "l12": [(6.5, 300e3)]},
    {"l32": [(0.5, 500e3)], "l21": [(3.0, 300e3)], "l13": [(6.0, 300e3)]},
)
FREE = ("stiffness", "damping", "muscle_area", "dead_zone")
TIMES = np.arange(301) / 30
STEPS = {"l33": [(0.2, 500e3)], "l12": [(0.95, 300e3)]}


def changed(arm, **factors):
    """An arm with fields of all its sections multiplied."""
    return arm.replace(
        sections=[s.replace(**{name: getattr(s, name) * by for name, by in factors.items()}) for s in arm.sections]
    )


def measured(arm, seed=0, delays=(0.0, 0.0, 0.0), noise=1e-3, sigma=None, times=TIMES):
    """The three runs as cameras would see them."""
    blank = [
        Recording(f"run{k}", PressureSteps(steps), times, tip_sensors(arm, len(times), sigma))
        for k, steps in enumerate(RUNS, start=1)
    ]
    return [
        simulated_recording(arm, each, noise=noise, delay=delay, seed=10 * seed + k)
        for k, (each, delay) in enumerate(zip(blank, delays, strict=True))
    ]


def run_of(arm, name="run", steps=None, count=120, seed=0, sensors=None, **options):
    """4 s of one section at 30 Hz with 0.5 mm of noise."""
    steps = steps or {"l11": [(0.31, 400e3)], "l12": [(1.52, 300e3)], "l13": [(2.83, 450e3)]}
    times = np.arange(count) / 30
    blank = Recording(name, PressureSteps(steps), times, sensors or tip_sensors(arm, count))
    return simulated_recording(arm, blank, **{"noise": 5e-4, "seed": seed} | options)


def table_of(arm, count=25, seed=0, noise=1e-3, name="table"):
    """Resting shapes under random pressures."""
    pressures = np.random.default_rng(seed).uniform(0, 500e3, (count, 3 * arm.n))
    blank = Recording.table(name, tip_sensors(arm, count), arm=arm, pressures=pressures)
    return simulated_recording(arm, blank, noise=noise, seed=seed)


def with_values(recording, name, change):
    """A recording with the values of one sensor changed."""
    sensors = [replace(s, values=change(s.values.copy())) if s.name == name else s for s in recording.sensors]
    return replace(recording, sensors=tuple(sensors))


def apart(found, arm, names=FREE):
    """How many standard errors each parameter is from that of an arm."""
    right = {name: getattr(arm.sections[0], name) for name in names}
    return {name: abs(found[name].value - value) / found[name].standard_error for name, value in right.items()}
