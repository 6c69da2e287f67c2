"""How fast many arms are stepped together."""

from __future__ import annotations

from typing import Any

import numpy as np

from continuarm.arms.arm import Arm, Payload
from continuarm.arms.arm_file import load_arm
from continuarm.arms.variations import Arms, vary
from continuarm.benchmarks.groups import Workload
from continuarm.benchmarks.rollout_gpu import add_gpu
from continuarm.benchmarks.rollout_peers import add_peers
from continuarm.benchmarks.timing import Group, Repeats, Task, best, calls
from continuarm.common.number_checks import Floats
from continuarm.simulation.rollouts import rollout
from continuarm.sweeps.sweeper import swept_points

MOST_ARMS, STEPS = 1000, 200
ALL_LAWS: dict[str, Any] = {
    "sections[*].pressure_stiffness": 1e-4,
    "sections[*].valve_lag": 0.05,
    "sections[*].vent_lag": 0.1,
    "sections[*].hardening": 1e4,
    "sections[*].preload": (1.0, -0.5),
    "sections[*].creep": [(50.0, 1.0)],
    "sections[*].hysteresis": (100.0, 20.0, 5.0),
    "sections[*].shaking": 0.1,
    "sections[*].length_range": (-0.01, 0.05),
    "sections[*].stop_stiffness": 1e4,
}
"""Every law of muscles beside pressure, and stops."""
LAG_AND_LOOP = {name: ALL_LAWS[name] for name in ("sections[*].valve_lag", "sections[*].hysteresis")}


def measure_rollouts(work: Workload) -> Group:
    """Implicit steps of many arms that differ in their damping, n = 3, all muscles under pressure."""
    count = min(MOST_ARMS, work.arms)
    group = Group(f"Implicit steps of {count:,} arms, n = 3, under pressure")
    plain = load_arm("prototype")
    full = plain.replace(ALL_LAWS).replace(payload=Payload(mass=0.05))
    kinds = {"laws off": _varied(plain, count), "all laws on": _varied(full, count)}
    tasks: dict[str, Task] = {
        f"{name}, {threads} thread{'s' * (threads > 1)}": _steps(arms, STEPS, threads)
        for name, arms in kinds.items()
        for threads in (1, 2)
    }
    found = best(tasks, work)
    for name, seconds in found.items():
        group.add(f"a step; {name}", 1e6 * seconds / (count * STEPS), "µs")
    for name in kinds:
        group.add(f"steps a second; {name}", count * STEPS / found[f"{name}, 1 thread"] / 1e6, "million")
        group.ratio(f"one thread / two; {name}", f"a step; {name}, 1 thread", f"a step; {name}, 2 threads")
    few = Repeats(repeats=min(3, work.repeats), seconds=0.01)
    whole = best({"2 s": _steps(kinds["all laws on"], 2000, 2, every=10)}, few)["2 s"]
    group.add(f"{count:,} arms for 2 s, all laws on, 2 threads", whole, "s", "tips and q 100 times a second")
    damping, pressures = kinds["laws off"].values["damping"], _pressures(plain, STEPS)
    few_points = {"swept": calls(lambda: swept_points(plain, {"damping": damping}, input=pressures, every=STEPS))}
    group.add(f"a sweep of {count:,} points", best(few_points, few)["swept"], "s", f"{STEPS} steps each")
    ours = {threads: _steps(kinds["laws off"], STEPS, threads) for threads in (1, 2)}
    add_peers(group, plain, ours, count * STEPS, work)
    long = plain.replace(sections=[*plain.sections[:1] * 8, *plain.sections[1:]])
    lagging = plain.replace(LAG_AND_LOOP)
    five = plain.replace(sections=[*plain.sections[:1] * 3, *plain.sections[1:]])
    alike = {"laws off": plain, "valve lag and hysteresis": lagging, "all laws on": plain.replace(ALL_LAWS)}
    alike |= {"n = 5, laws off": five, "n = 10, laws off": long}
    add_gpu(group, {name: Arms([arm]) for name, arm in alike.items()} | {"damping differs": kinds["laws off"]}, few)
    return group


def _varied(arm: Arm, count: int) -> Arms:
    return vary(arm, damping=np.random.default_rng(0).uniform(90.0, 130.0, count))


def _pressures(arm: Arm, steps: int) -> Floats:
    return np.random.default_rng(1).uniform(0, 3e5, (steps, len(arm.muscle_names)))


def _steps(arms: Arms, steps: int, threads: int, every: int | None = None) -> Task:
    pressures = _pressures(arms[0], steps)
    return calls(lambda: rollout(arms, pressures, every=every or steps, threads=threads))
