"""How fast motions are computed, and how far they are from a converged one."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.arms.arm_file import load_arm
from continuarm.benchmarks.groups import prototype
from continuarm.benchmarks.timing import Group, Repeats, Task, best, calls
from continuarm.dynamics.plant import Plant
from continuarm.dynamics.plant_states import State
from continuarm.engine.native_arm import native_plant
from continuarm.paper.experiments import EXPERIMENTS
from continuarm.simulation.inputs import PressureSignal, PressureSteps
from continuarm.simulation.motion import Motion
from continuarm.simulation.pressure_commands import line_means
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
    """Experiment 1 with every solver, on ten sections and on full muscles too; long arms; errors of all experiments."""
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
    _add_sensitivities(group, arms[""], often)
    _add_share(group, arms[""], often)
    _add_growth(group, often)
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


PARAMETERS = ("stiffness", "damping", "mass", "length", "radius", "twist", "muscle_area", "dead_zone")
"""As many as the widest processors carry at a time."""


def _add_sensitivities(group: Group, arm: Arm, often: Repeats) -> None:
    """Experiment 1 with its exact slopes by eight numbers of the arm, over the motion alone."""
    chosen = EXPERIMENTS[1]
    for name, solver in SOLVERS.items():
        if isinstance(solver, CVODE):
            continue
        run = partial(simulate, arm, chosen.steps, duration=chosen.duration, solver=solver)
        rows = {f"{name}, solver alone": (), f"{name}, solver alone, with sensitivities by 8 parameters": PARAMETERS}
        walls: dict[str, list[float]] = {row: [] for row in rows}
        best({row: _noting(partial(run, sensitivities=own), walls[row]) for row, own in rows.items()}, often)
        for row, own in walls.items():
            group.add(row, 1e3 * min(own), "ms")
        plain, sloped = rows
        group.ratio(f"sensitivities by 8 parameters / the motion alone, {name}", sloped, plain)


def _noting(run: Callable[[], Motion], walls: list[float]) -> Task:
    """The task of computing a motion, which notes how long the solver alone takes, s."""
    return calls(lambda: walls.append(run().record["wall_time"]))


def _add_share(group: Group, arm: Arm, often: Repeats) -> None:
    """How much of experiment 1's time goes into evaluations of the rate, timed alone and in turn with the motion."""
    chosen = EXPERIMENTS[1]
    run = partial(simulate, arm, chosen.steps, duration=chosen.duration, solver=Adaptive())
    motion, times = run(), []
    count, rates = motion.record["evaluations"], _rates(motion, chosen.steps)

    def both() -> None:
        began = time.perf_counter()
        solver = run().record["wall_time"]
        times.append((time.perf_counter() - began, solver, rates(count)))

    best({"both": calls(both)}, often)
    call, solver, evaluations = map(
        min, zip(*times, strict=True)
    )  # each as short as the others: a busy moment hits all
    group.add(
        "one evaluation of the rate, in a native loop", 1e6 * evaluations / count, "µs", "at states of the motion"
    )
    group.add("share of evaluations, of the whole call", 100 * evaluations / call, "%", f"{count} evaluations")
    group.add("share of evaluations, of the solver alone", 100 * evaluations / solver, "%", f"{count} evaluations")


def _rates(motion: Motion, steps: PressureSteps) -> Task:
    """The task of evaluating the rate at the states of a motion, in turn, under its last commands."""
    plant = Plant(motion.arm)
    creep = np.zeros((len(motion.t), len(plant.branches), len(plant.muscles)))
    memory = motion.pressures, motion.hysteresis, creep
    states = plant.states.rows(State(motion.q, motion.qd, *memory, motion.supplied, motion.dissipated))
    handle, commands = native_plant(plant), steps.drive(motion.arm).at([motion.t[-1]])[0]
    return lambda count: handle.repeated(commands, states, count)


SIZES = (10, 30, 100, 300)
"""Numbers of sections over which the time of a motion is fitted."""


def _add_growth(group: Group, often: Repeats) -> None:
    """One second of long arms under a pressure in the first muscle, and the exponents over the number of sections."""
    steps, solvers = PressureSteps({"l11": [(0.0, 100e3)]}), (Adaptive(), FixedStep(rate=1000.0))
    for solver in solvers:
        kind = type(solver).__name__
        names = {n: f"one second of {n} sections, {kind}" for n in SIZES}
        runs = {names[n]: partial(simulate, prototype(n), steps, duration=1.0, solver=solver) for n in SIZES}
        for name, value in best({name: calls(run) for name, run in runs.items()}, often).items():
            group.add(name, 1e3 * value, "ms", f"{runs[name]().record['evaluations']} evaluations")
        group.exponent(
            f"one second over the number of sections, {kind}", names, f"log-log, n = {SIZES[0]} to {SIZES[-1]}"
        )


LOGGED, LOG_RATE = 100.0, 62.0
"""s and Hz of a log of measured pressures."""


def _add_dense(group: Group, often: Repeats) -> None:
    """A real arm of two sections with hysteresis and slow valves, under pressures as gauges log them, with noise."""
    arm, rng = load_arm("asu-two-section"), np.random.default_rng(0)
    times = np.arange(0.0, LOGGED, 1 / LOG_RATE)
    steps = rng.uniform(0.0, 1e5, (10, len(arm.muscle_names)))[(times / 10.0).astype(int)]
    pressures = np.maximum(steps + 1e3 * rng.standard_normal(steps.shape), 0.0)
    log = PressureSignal(times, line_means(arm, pressures))
    run = partial(simulate, arm, log, duration=LOGGED, rate=20.0, solver=FixedStep(rate=200.0))
    name = "100 s of pressures at 62 Hz, two sections, FixedStep, 200 Hz"
    group.add(name, 1e3 * best({name: calls(run)}, often)[name], "ms", "as recordings of such arms are simulated")


def _distance(motion: Motion, other: Motion) -> float:
    return float(np.linalg.norm(motion.tips - other.tips, axis=-1).max())
