"""How long a call of predictive control takes."""

from __future__ import annotations

import time

import numpy as np

from continuarm.arms.arm_file import load_arm
from continuarm.benchmarks.groups import Workload
from continuarm.benchmarks.timing import Group
from continuarm.control.figures import Circle
from continuarm.control.predictive import PredictiveControl
from continuarm.simulation.batch import Batch
from continuarm.statics.equilibrium_search import equilibrium

RUNS, MOST_CALLS = 5, 200


def measure_predictive(work: Workload) -> Group:
    """Calls in closed loop: the prototype on a circle that its pressures cannot follow all of the time."""
    group = Group("Predictive control of the prototype arm, n = 3: 20 nodes of 10 ms, 9 inputs, limits active")
    arm, calls = load_arm("prototype"), min(MOST_CALLS, 10 * work.repeats)
    circle = Circle(0.10, 1.0, [0.0, 0.0, 0.5])
    for name, lag in (("18 states", 0.0), ("27 states, valves that lag", 0.05)):
        slow = arm.replace({"sections[*].valve_lag": lag}) if lag else arm
        control = PredictiveControl(slow, highest=500e3)
        taken = np.array([_closed_loop(control, circle, calls) for _ in range(min(RUNS, work.repeats))])
        median = np.median(taken[..., 0], axis=1).min()
        slowest, computed = (np.percentile(each, 99, axis=1).min() for each in (taken[..., 0], taken[..., 1]))
        group.add(f"a call; {name}", 1e6 * median, "µs", "median of a run, the best of several, 1 thread")
        group.add(f"99 of 100 calls; {name}", 1e6 * slowest, "µs", "at most, in the best run; others' work counts")
        group.add(f"99 of 100 calls, time of the processor; {name}", 1e6 * computed, "µs", "others' work does not")
        group.add(f"calls a second; {name}", 1 / median, "Hz")
        for part, seconds in zip(("model and slopes", "quadratic program", "rest"), taken[..., 2:].T, strict=True):
            group.add(f"of it {part}; {name}", 1e6 * np.median(seconds, axis=0).min(), "µs")
    return group


def _closed_loop(control: PredictiveControl, reference: Circle, calls: int) -> list[list[float]]:
    """Seconds of every call but the first, those that the processor worked for it, and those of its parts."""
    batch = Batch([control.arm], step=2e-3, q0=equilibrium(control.arm))
    control.reset()
    found = []
    for k in range(calls + 1):
        state = batch.state[0]
        began, computing = time.perf_counter(), time.thread_time()
        pressures = control.command(k * control.node, state, reference)
        took = [time.perf_counter() - began, time.thread_time() - computing]
        found.append([*took, *(control.plan.seconds[part] for part in ("linearisation", "program", "rest"))])
        batch.step(pressures, count=5)
    return found[1:]
