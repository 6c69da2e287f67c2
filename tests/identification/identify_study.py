"""Many seeded fits to simulated recordings of the prototype: how near they come, how often intervals hold the truth.

    python tests/identify_study.py 50

Three runs of 10 s, cameras at 30 Hz with 1 mm of noise on the three tips, late or early by up to 50 ms; the search
begins with stiffness, damping, muscle area and dead zone 50 % off, each up or down by chance.
"""

from __future__ import annotations

import sys
import time
from dataclasses import replace

import numpy as np

from continuarm import PressureSteps, load_arm
from continuarm.identification.fit import identify
from continuarm.identification.recording import Recording
from continuarm.identification.simulated_recordings import simulated_recording, tip_sensors

RUNS = (
    {"l33": [(0.5, 600e3)], "l22": [(3.5, 500e3)], "l11": [(7.0, 500e3)]},
    {"l23": [(0.5, 400e3)], "l31": [(3.3, 500e3)], "l12": [(6.5, 300e3)]},
    {"l32": [(0.5, 500e3)], "l21": [(3.0, 300e3)], "l13": [(6.0, 300e3)]},
)
FREE = ("stiffness", "damping", "muscle_area", "dead_zone")
TIMES = np.arange(301) / 30


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


def fit(seed):
    """One repetition: the result, and of every parameter its relative error and whether its interval holds true."""
    rng = np.random.default_rng(seed)
    truth = load_arm("prototype")
    delays = rng.uniform(-0.05, 0.05, 3)
    begin = changed(truth, **{name: float(rng.choice([0.5, 1.5])) for name in FREE})
    found = identify(begin, measured(truth, seed, delays), FREE)
    known = {name: getattr(truth.sections[0], name) for name in FREE}
    known |= {f"delay of run{k}": float(delay) for k, delay in enumerate(delays, start=1)}
    rows = {}
    for each in found.parameters:
        right = known[each.name]
        # a delay of nothing has no relative error: 0.1 s is the size of delays
        error = abs(each.value - right) / (abs(right) if each.name in FREE else 0.1)
        rows[each.name] = (error, each.low <= right <= each.high)
    return found, rows


def study(repetitions):
    """Prints the largest error and the coverage of every parameter."""
    collected, times, processor = [], [], []
    for seed in range(repetitions):
        began = time.process_time()
        found, rows = fit(seed)
        collected.append(rows)
        times.append(found.record["wall_time"])
        processor.append(time.process_time() - began)
        for sentence in (*found.undetermined, *found.warnings):
            print(f"{seed}: {sentence}")
    work = f"{np.median(processor):.2f} s of processor"
    print(f"{repetitions} fits: {np.median(times):.2f} s each (at most {max(times):.2f}), {work}")
    for name in collected[0]:
        errors, inside = zip(*(rows[name] for rows in collected), strict=True)
        print(
            f"{name:16} error: median {100 * np.median(errors):.3f} %, largest {100 * max(errors):.3f} %; "
            f"95 % interval holds the truth in {sum(inside)} of {repetitions}"
        )


if __name__ == "__main__":
    study(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
