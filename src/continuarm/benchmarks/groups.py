"""What is measured: groups of times and their ratios."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.arms.arm_file import load_arm
from continuarm.arms.inertia_models import CentreOfGravity, Integral
from continuarm.benchmarks.timing import Group, Repeats, Task, best, calls, repeated
from continuarm.common.number_checks import Floats
from continuarm.common.text import printable
from continuarm.engine import compiled, quantities
from continuarm.engine.compiled import PROCESSORS
from continuarm.engine.native_arm import native_arm
from continuarm.engine.printing import operations
from continuarm.engine.quantities import forward_dynamics
from continuarm.engine.steps import steps
from continuarm.engine.table import QUANTITIES, Quantity
from continuarm.paper.algorithm1 import paper_forward_dynamics

__all__ = ["FULL", "QUICK", "Workload"]

MODELS = {"integral": Integral(), "centre of gravity": CentreOfGravity()}
PAPER_RATE = 9.5  # kHz, three sections, MATLAB: Godage, Webster and Walker, IEEE T-RO 2019
PAPER_TITLE = "Forward dynamics over the number of sections: the paper's recursion in NumPy, and the engine"
FORWARD = ("outward", "weigh_integral", "lift", "absorb", "respond")
"""The generated steps of forward dynamics, integral model; every section goes through each of them once."""


@dataclass(frozen=True)
class Workload(Repeats):
    """How much is measured: the time it takes and the noise depend on it, nothing else."""

    sections: tuple[int, ...] = (1, 3, 10, 100)
    arms: int = 100_000
    """In a batch."""
    few_arms: int = 1_000
    """In a batch of the NumPy reference."""
    paper_sections: int = 10
    engine_sections: tuple[int, ...] = (1, 2, 3, 5, 10, 20, 50, 100)
    recordings: int = 10
    recorded: float = 100.0
    """Recordings of a fit, and how long each is, s."""
    intervals: int = 25
    """Of a trajectory optimisation in CasADi."""


FULL = Workload()
QUICK = Workload(repeats=3, seconds=0.01, arms=10_000, recordings=2, recorded=20.0, intervals=10)


def native_loop(arm: Arm, state: Sequence[Floats]) -> Task:
    """The task of forward dynamics of one arm, again and again in native code."""
    handle, index = native_arm(arm), QUANTITIES["forward_dynamics"].index
    return lambda count: handle.repeated(index, *state, count)


def native_batch(arm: Arm, states: Sequence[Floats], threads: int) -> Task:
    """The task of forward dynamics of a batch: `forward_dynamics(arm, q, qd, tau)` with a given number of threads."""
    handle, index = native_arm(arm), QUANTITIES["forward_dynamics"].index
    return calls(lambda: handle.evaluate(index, threads, *states))


def prototype(n: int, model: str = "integral") -> Arm:
    """An arm of n sections, each the first of the paper's prototype."""
    arm = load_arm("prototype")
    return arm.replace(sections=[arm.sections[0]] * n, inertia=MODELS[model])


def bent_states(arm: Arm, *rows: int, seed: int = 0, reach: float = 0.07) -> tuple[Floats, Floats, Floats]:
    """Random q, q̇ and τ, (*rows, 3n): muscles anywhere within their range, so that sections bend up to 3.7 rad."""
    rng, shape = np.random.default_rng(seed), (*rows, 3 * arm.n)
    return rng.uniform(0, reach, shape), rng.normal(0, 0.05, shape), rng.uniform(0, 100, shape)


def measure_loop(work: Workload) -> Group:
    """Forward dynamics of one arm in a native loop."""
    group = Group("Forward dynamics of one arm, in a native loop")
    tasks = {}
    for n in work.sections:
        for model in MODELS:
            arm = prototype(n, model)
            tasks[f"{model}, n = {n}"] = native_loop(arm, bent_states(arm))
    group.times(best(tasks, work))
    for n in work.sections:
        group.ratio(f"centre of gravity / integral, n = {n}", f"centre of gravity, n = {n}", f"integral, n = {n}")
    if {10, 100} <= set(work.sections):
        for model in MODELS:
            group.ratio(f"n = 100 / n = 10, {model}", f"{model}, n = 100", f"{model}, n = 10")
    if 3 in work.sections:
        group.add("rate, integral, n = 3", 1 / group["integral, n = 3"], "MHz")
        group.add("rate, the paper's, n = 3", PAPER_RATE / 1000, "MHz", "published: MATLAB, another machine")
        group.ratio("rate / the paper's", "rate, integral, n = 3", "rate, the paper's, n = 3")
    return group


def measure_calls(work: Workload) -> Group:
    """Every quantity, called from Python."""
    group = Group("One call from Python, n = 3")
    arm = prototype(3)
    q, qd, tau = bent_states(arm)
    given: dict[str, Any] = {"q": q, "qd": qd, "qdd": 10 * qd, "tau": tau, "xi": np.linspace(0, 1, 10), "step": 1e-3}
    given["wrench"] = np.array([0.1, 0.2, 0.3, 1.0, 2.0, 3.0])

    def call(quantity: Quantity) -> Task:
        function = getattr(quantities, quantity.name)
        values = [given[name] for name in quantity.arguments]
        return calls(lambda: function(arm, *values))

    tasks = {name: call(quantity) for name, quantity in QUANTITIES.items()}
    loop = {"forward_dynamics, in the native loop": native_loop(arm, (q, qd, tau))} if compiled.native else {}
    group.times(best(tasks | loop, work))
    if loop:
        group.ratio("forward_dynamics, call / loop", "forward_dynamics", *loop)
    return group


def measure_batch(work: Workload) -> Group:
    """Forward dynamics of many arms, with every instruction set that this processor has."""
    group = Group(f"Forward dynamics of {work.arms:,} arms, n = 3; µs per arm")
    arm = prototype(3)
    states = bent_states(arm, work.arms)
    one = [array[0] for array in states]
    threads = sorted({1, PROCESSORS})
    levels = compiled.native.build_info()["instruction_sets"]
    tasks = {}
    for level in levels:
        tasks[f"{level}, one arm"] = _at(level, native_loop(arm, one))
        for count in threads:
            tasks[f"{level}, {_threads(count)}"] = _at(level, native_batch(arm, states, count))
    try:
        found = best(tasks, work)
    finally:
        compiled.native.use_level("")
    group.times({name: value if name.endswith("one arm") else value / work.arms for name, value in found.items()})
    for level in levels:
        group.ratio(f"{level}, one arm / batch", f"{level}, one arm", f"{level}, {_threads(1)}", "one thread")
        if PROCESSORS > 1:
            both = f"{level}, {_threads(1)}", f"{level}, {_threads(PROCESSORS)}"
            group.ratio(f"{level}, one thread / {_threads(PROCESSORS)}", *both)
    for level in levels[1:]:
        group.ratio(f"{levels[0]} / {level}", f"{levels[0]}, {_threads(1)}", f"{level}, {_threads(1)}", "one thread")
    return group


def _at(level: str, task: Task) -> Task:
    def chosen(count: int) -> float:
        compiled.native.use_level(level)
        return task(count)

    return chosen


def _threads(count: int) -> str:
    return "batch, 1 thread" if count == 1 else f"batch, {count} threads"


def measure_reference(work: Workload) -> Group:
    """The NumPy form that defines the quantities."""
    group = Group(f"NumPy reference of forward dynamics, n = 3; batch of {work.few_arms:,}, µs per arm")
    arm = prototype(3)
    state, states = bent_states(arm), bent_states(arm, work.few_arms)
    tasks = {
        "NumPy, one call": calls(lambda: forward_dynamics(arm, *state, engine="reference")),
        "NumPy, batch": calls(lambda: forward_dynamics(arm, *states, engine="reference")),
    }
    if compiled.native:
        tasks["native, one call"] = calls(lambda: forward_dynamics(arm, *state))
        tasks["native, batch"] = calls(lambda: forward_dynamics(arm, *states))
    found = best(tasks, work)
    group.times({name: value if name.endswith("call") else value / work.few_arms for name, value in found.items()})
    for way in ("one call", "batch") if compiled.native else ():
        group.ratio(f"NumPy / native, {way}", f"NumPy, {way}", f"native, {way}")
    return group


def measure_paper(work: Workload) -> Group:
    """The paper's recursion and the engine over the number of sections, in a process whose NumPy has one thread."""
    group = Group(PAPER_TITLE)
    reply = _elsewhere("continuarm.benchmarks.groups", work)
    if isinstance(reply, str):
        group.add("paper's recursion", None, "", reply)
    else:
        group.rows = reply
    return group


def measure_growth(work: Workload) -> Group:
    """What `measure_paper` measures."""
    group = Group(PAPER_TITLE)
    rows: dict[str, dict[int, str]] = {
        name: {} for name in (*(f"paper, {model}" for model in MODELS), "engine, integral")
    }
    largest = work.paper_sections
    for n in sorted({*range(1, largest + 1), *work.engine_sections}):
        tasks = {}
        for model in MODELS if n <= largest else ():
            arm = prototype(n, model)
            rows[f"paper, {model}"][n] = f"paper, {model}, n = {n}"
            tasks[f"paper, {model}, n = {n}"] = _recursion(arm, bent_states(arm))
        if compiled.native and n in work.engine_sections:
            arm = prototype(n)
            rows["engine, integral"][n] = f"engine, integral, n = {n}"
            tasks[f"engine, integral, n = {n}"] = native_loop(arm, bent_states(arm))
        group.repeats(repeated(tasks, work))
    for n in range(1, largest + 1):
        group.ratio(f"integral / centre of gravity, n = {n}", *(rows[f"paper, {model}"][n] for model in MODELS))
    for name, least in (dict.fromkeys(rows, 4) | {"engine, integral": 10}).items():
        fitted = {n: row for n, row in rows[name].items() if n >= least}
        if len(fitted) > 1:
            group.exponent(name, fitted, f"log-log, n = {min(fitted)} to {max(fitted)}")
    for n in sorted(set(rows["engine, integral"]) & {3, largest}):
        for model in MODELS:
            both = rows[f"paper, {model}"][n], rows["engine, integral"][n]
            group.ratio(f"paper, {model} / engine, n = {n}", *both, "NumPy / native")
    return group


def _recursion(arm: Arm, state: Sequence[Floats]) -> Task:
    return calls(lambda: paper_forward_dynamics(arm, *state))


def _elsewhere(module: str, work: Workload) -> list[dict[str, Any]] | str:
    """The rows that a module prints when it is run, or one line on why there are none.

    NumPy decides when it is loaded how many threads it uses, so it is a process of its own.
    """
    command = [sys.executable, "-P", "-m", module, json.dumps(asdict(work))]
    one = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1")
    try:
        done = subprocess.run(command, capture_output=True, encoding="utf-8", env=os.environ | one, timeout=900)
        rows: list[dict[str, Any]] = json.loads(done.stdout.splitlines()[-1])
    except (OSError, subprocess.TimeoutExpired) as error:
        return printable(f"failed: {error}")
    except (IndexError, ValueError):
        return printable(f"failed: {(done.stderr.splitlines() or ['no answer'])[-1]}")
    return rows


def measure_operations(work: Workload) -> Group:
    """Arithmetic of the generated steps, and how fast it is done."""
    group = Group("Arithmetic per section in the generated steps; a fused multiply-add is one operation")
    counts = {step.name: operations(step) for step in steps()}
    shaped = [name.replace("integral", "shaped") for name in FORWARD]
    for name in dict.fromkeys([*FORWARD, *shaped]):
        note = ", ".join(f"{count} {kind}" for kind, count in sorted(counts[name].items()) if kind != "total")
        group.add(name, counts[name]["total"], "operations", note)
    group.add("forward dynamics, integral", sum(counts[name]["total"] for name in FORWARD), "operations")
    group.add("forward dynamics, centre of gravity", sum(counts[name]["total"] for name in shaped), "operations")
    if compiled.native:
        arm = prototype(3)
        group.times(best({"forward dynamics, integral, n = 3": native_loop(arm, bent_states(arm))}, work))
        done = 3 * group["forward dynamics, integral"] / (1000 * group["forward dynamics, integral, n = 3"])
        group.add("arithmetic of one arm", done, "operations/ns")
    return group


if __name__ == "__main__":
    print(json.dumps(measure_growth(Workload(**json.loads(sys.argv[1]))).rows))
