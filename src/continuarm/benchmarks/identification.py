"""How long a fit takes: recordings of a real arm's size, simulated, and the parts of one step of the search."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.arms.arm_file import load_arm
from continuarm.arms.rig import Rig
from continuarm.benchmarks.groups import Workload
from continuarm.benchmarks.timing import Group
from continuarm.engine.compiled import PROCESSORS
from continuarm.identification.fit import identify
from continuarm.identification.free_parameters import free_parameters
from continuarm.identification.line_gauges import gauge_readings
from continuarm.identification.recording import Recording
from continuarm.identification.residual_function import ResidualFunction
from continuarm.identification.residual_slopes import residual_slopes
from continuarm.identification.synthetic_recordings import simulated_recording, tip_sensors
from continuarm.simulation.inputs import PressureSignal
from continuarm.simulation.pressure_commands import line_means

__all__ = ["measure_identification"]

RATE, HELD = 62.0, 5.0
"""Hz of the log, and s for which its commands are held."""
PRESSURES, GAUGE_NOISE = (5e3, 3.5e4), 300.0
"""Pa: within what the real arm was driven."""
NOISE = 1e-3
"""m, of a camera."""
FREE = (
    *("stiffness per section", "damping", "muscle_area", "pressure_stiffness", "valve_lag", "friction"),
    *("sensor_frame", "gauge_offset"),
)
"""20 numbers, with the delay of each of ten recordings 30; 14 of them ask for simulations of their own."""


class Fit(NamedTuple):
    """A fit to be timed: where it begins, and the recordings of the arm that it should find."""

    start: Arm
    recordings: list[Recording]


def a_fit(recordings: int, seconds: float) -> Fit:
    """Simulated recordings of the two-section arm with hysteresis and slow valves, logged as its laboratory does."""
    arm, rng = load_arm("asu-two-section"), np.random.default_rng(0)
    arm = arm.replace(rig=(arm.rig or Rig()).replace(start="equilibrium", gauge_zero="fixed"))
    times = np.arange(0.0, seconds, 1 / RATE)
    runs = []
    for k in range(recordings):
        held = rng.uniform(*PRESSURES, (int(seconds / HELD) + 1, len(arm.muscle_names)))[(times / HELD).astype(int)]
        pressures = line_means(arm, held + GAUGE_NOISE * rng.standard_normal(held.shape))
        log = PressureSignal(times, gauge_readings(arm, pressures))
        blank = Recording(f"run {k + 1}", log, times, tip_sensors(arm, len(times)))
        runs.append(simulated_recording(arm, blank, noise=NOISE, seed=k))
    off = {"stiffness": 60.0, "damping": 7.0, "muscle_area": 1.2e-3, "valve_lag": 0.5}
    return Fit(arm.replace({f"sections[*].{name}": value for name, value in off.items()}), runs)


def measure_identification(work: Workload) -> Group:
    """One fit, from its beginning to its errors, and what one step of its search is made of."""
    fit = a_fit(work.recordings, work.recorded)
    count = len(free_parameters(fit.start, FREE, fit.recordings))
    group = Group(
        f"A fit of {count} numbers to {work.recordings} recordings of {work.recorded:g} s, two sections, "
        f"pressures and tips at {RATE:g} Hz"
    )
    for threads in sorted({1, PROCESSORS}):
        _add_step(group, fit, threads)
    if PROCESSORS > 1:
        both = (f"slopes, {_threads(count)}" for count in (1, PROCESSORS))
        group.ratio(f"slopes, one thread / {_threads(PROCESSORS)}", *both)
    seconds, found = _timed(partial(identify, fit.start, fit.recordings, FREE))
    record = found.record
    note = f"{record['evaluations']} simulations, {record['samples']:,} measured numbers, {record['starts']} start"
    group.add("the whole fit", seconds, "s", note)
    return group


def _add_step(group: Group, fit: Fit, threads: int) -> None:
    """What a step of the search computes: residuals, and their slopes."""
    parameters = free_parameters(fit.start, FREE, fit.recordings)
    with ThreadPoolExecutor(threads) as pool:
        residuals = ResidualFunction(parameters, fit.recordings, pool)
        seconds, _ = _timed(partial(residuals, parameters.start))
        group.add(f"residuals, {_threads(threads)}", seconds, "s", f"{residuals.evaluations} simulations")
        before = residuals.evaluations
        seconds, _ = _timed(partial(residual_slopes, residuals, parameters.start))
        group.add(f"slopes, {_threads(threads)}", seconds, "s", f"{residuals.evaluations - before} simulations")


def _threads(count: int) -> str:
    return "1 thread" if count == 1 else f"{count} threads"


def _timed(act: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds, and what came of it; once, as it takes long enough."""
    begin = time.perf_counter()
    found = act()
    return time.perf_counter() - begin, found
