"""How many actions a second environments take, and what they cost beyond physics."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np

from continuarm.benchmarks.groups import Workload
from continuarm.benchmarks.timing import Group, Repeats, Task, best, calls

MOST_ARMS = 2048
ACTION = "an action; {}"


def measure_learning(work: Workload) -> Group:
    """Actions of many environments that step together, each of ten steps of physics, n = 3."""
    count = min(MOST_ARMS, work.arms)
    group = Group(f"Actions of {count:,} environments, n = 3, 10 physics steps each; µs per environment")
    if not importlib.util.find_spec("gymnasium"):
        group.add("gymnasium", None, "", "the package gymnasium is not installed")
        return group
    import gymnasium

    import continuarm.learning

    assert continuarm.learning  # it registers what is made here
    tasks: dict[str, Task] = {}
    for name in ("Reach", "Track", "Hold", "Throw"):
        for threads in (1, 2) if name == "Reach" else (2,):
            made: Any = gymnasium.make_vec(f"continuarm/{name}-v0", count, threads=threads)
            tasks[f"{name}, {threads} thread{'s' * (threads > 1)}"] = _actions(made)
            if name == "Reach":
                physics: Any = gymnasium.make_vec(f"continuarm/{name}-v0", count, threads=threads).unwrapped
                tasks[f"its physics alone, {threads} thread{'s' * (threads > 1)}"] = _physics(physics)
    one: Any = gymnasium.make("continuarm/Reach-v0").unwrapped
    # An action of all takes milliseconds: one by one, some of them are undisturbed on a machine that others use too.
    found = best(tasks | {"one": _actions(one)}, Repeats(repeats=20 * work.repeats, seconds=0.0))
    alone = found.pop("one")
    for name, seconds in found.items():
        group.add(ACTION.format(name), 1e6 * seconds / count, "µs")
    group.add("an action of one environment by itself", 1e6 * alone, "µs")
    for name in ("Reach, 1 thread", "Reach, 2 threads"):
        group.add(f"actions a second; {name}", count / found[name] / 1e6, "million")
    rows = ACTION.format("Reach, 1 thread"), ACTION.format("Reach, 2 threads")
    group.ratio("one thread / two; Reach", *rows)
    group.ratio("all / physics; Reach, 2 threads", rows[1], ACTION.format("its physics alone, 2 threads"))
    return group


def _actions(env: Any) -> Task:
    env.reset(seed=0)
    env.action_space.seed(0)
    action = np.array(env.action_space.sample())
    if "throw" in type(env.unwrapped.task).__name__.lower():
        action[..., -1] = -1.0
    return _again(lambda: env.step(action))


def _physics(envs: Any) -> Task:
    envs.reset(seed=0)
    pressures = np.random.default_rng(0).uniform(0, envs.highest_pressure, envs.world.commanded.shape)
    return _again(lambda: envs.world.batch.step(pressures, envs.world.steps))


def _again(function: Callable[[], Any]) -> Task:
    """The task of calling a function right after it was called: the memory of other tasks is out of the way."""
    timed = calls(function)

    def task(count: int) -> float:
        function()
        return timed(count)

    return task
