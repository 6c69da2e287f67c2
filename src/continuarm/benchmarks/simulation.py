"""How fast motions are computed, and how far they are from a converged one."""

from __future__ import annotations

from functools import partial

import numpy as np

from continuarm.arms.arm_file import load_arm
from continuarm.benchmarks.timing import Group, Repeats, best, calls
from continuarm.paper.experiments import EXPERIMENTS
from continuarm.simulation.inputs import PressureSignal
from continuarm.simulation.motion import Motion
from continuarm.simulation.simulator import simulate
from continuarm.simulation.solvers import CVODE, Adaptive, FixedStep

__all__ = ["measure_simulation"]

PAPER_FACTOR = EXPERIMENTS[1].paper_factor
CONVERGED = CVODE(rtol=1e-10, atol=1e-13)
SOLVERS: dict[str, Adaptive | FixedStep | CVODE] = {
    "Adaptive": Adaptive(),
    "FixedStep, 1 kHz": FixedStep(rate=1000.0),
    "CVODE through Python": CVODE(),
}


def measure_simulation(often: Repeats) -> Group:
    """Experiment 1 with every solver, the same steps on ten sections and on full muscles; errors of all experiments."""
    chosen = EXPERIMENTS[1]
    group = Group(f"Experiment 1: {chosen.duration:g} s, three sections, integral model, output at 200 Hz")
    arms = {
        "": load_arm("prototype"),
        "ten sections, ": load_arm("ten-sections"),
        "full muscles, ": load_arm("prototype-muscles"),
    }
    runs = {
        f"{kind}{name}": partial(simulate, arm, chosen.steps, duration=chosen.duration, solver=solver)
        for kind, arm in arms.items()
        for name, solver in SOLVERS.items()
        if not kind or name != "CVODE through Python"
    }
    seconds = best({name: calls(run) for name, run in runs.items()}, often)
    for name, value in seconds.items():
        record = runs[name]().record
        note = f"{record['evaluations']} evaluations, {record['steps']} steps, {record['rejected']} rejected"
        group.add(name, chosen.duration / value, "× real time", note)
    _add_dense(group, often)
    group.add("the paper's", PAPER_FACTOR, "× real time", "published: MATLAB, another machine, centre-of-gravity model")
    group.ratio("Adaptive / CVODE through Python", "Adaptive", "CVODE through Python", "both at rtol 1e-6")
    group.ratio("Adaptive / the paper's", "Adaptive", "the paper's")
    for number, experiment in EXPERIMENTS.items():
        run = partial(simulate, arms[""], experiment.steps, duration=experiment.duration)
        converged = run(solver=CONVERGED)
        for name, solver in SOLVERS.items():
            far = 1e6 * _distance(run(solver=solver), converged)
            group.add(f"tip error, {name}, experiment {number}", far, "µm", "largest of any tip at any time")
    return group


LOGGED, LOG_RATE = 100.0, 62.0
"""s and Hz of a log of measured pressures."""


def _add_dense(group: Group, often: Repeats) -> None:
    """A real arm of two sections with hysteresis and slow valves, under pressures as gauges log them, with noise."""
    arm, rng = load_arm("asu-two-section"), np.random.default_rng(0)
    times = np.arange(0.0, LOGGED, 1 / LOG_RATE)
    steps = rng.uniform(0.0, 1e5, (10, len(arm.muscle_names)))[(times / 10.0).astype(int)]
    pressures = np.maximum(steps + 1e3 * rng.standard_normal(steps.shape), 0.0)
    log = PressureSignal(times, pressures)
    run = partial(simulate, arm, log, duration=LOGGED, rate=20.0, solver=FixedStep(rate=200.0))
    name = "100 s of pressures at 62 Hz, two sections, FixedStep, 200 Hz"
    group.add(name, 1e3 * best({name: calls(run)}, often)[name], "ms", "as recordings of such arms are simulated")


def _distance(motion: Motion, other: Motion) -> float:
    return float(np.linalg.norm(motion.tips - other.tips, axis=-1).max())
