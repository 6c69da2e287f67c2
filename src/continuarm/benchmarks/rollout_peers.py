"""Steps of many arms in other libraries, where they are installed."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.benchmarks.groups import bent_states
from continuarm.benchmarks.mujoco_chain import LINKS, chain_xml
from continuarm.benchmarks.soromox_arm import MODERATE, loaded_jax, soromox_arm
from continuarm.benchmarks.timing import Group, Repeats, Task, best, calls

ARMS, STEPS = 200, 20
"""In a batch, and steps in a call: enough that the call itself takes no time."""


def add_peers(group: Group, arm: Arm, ours: dict[int, Task], steps: int, often: Repeats) -> None:
    """Rows of every library that is installed, taken in turn with ours, and a note on the others.

    ours: tasks by threads, each of so many steps of arms.
    """
    few = Repeats(repeats=min(5, often.repeats), seconds=often.seconds)
    for package, made in PEERS.items():
        if importlib.util.find_spec(package) is None:
            group.add(package, None, "", f"the package {package} is not installed")
            continue
        try:
            name, note, theirs = made(arm)
        except ImportError as error:  # installed in part, or for another version of what it needs
            group.add(package, None, "", " ".join(str(error).split())[:200])
            continue
        for threads, task in theirs.items():
            found = best({"theirs": task, "ours": ours[threads]}, few)
            words = f"{threads} thread{'s' * (threads > 1)}"
            rows = f"a step; {name}, {words}", f"a step; ours beside {name}, {words}"
            group.add(rows[0], 1e6 * found["theirs"] / (ARMS * STEPS), "µs", note)
            group.add(rows[1], 1e6 * found["ours"] / steps, "µs")
            group.ratio(f"{name} / ours, {words}", *rows)


def _mujoco(arm: Arm) -> tuple[str, str, dict[int, Task]]:
    """Implicit steps of rigid links by MuJoCo's own threads."""
    mujoco: Any = importlib.import_module("mujoco")
    rollout: Any = importlib.import_module("mujoco.rollout")
    model = mujoco.MjModel.from_xml_string(chain_xml(arm))
    first = mujoco.MjData(model)
    size = mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    state = np.zeros(size)
    mujoco.mj_getState(model, first, state, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    rng = np.random.default_rng(0)
    states = np.tile(state, (ARMS, 1))
    torques = rng.normal(0, 1e-3, (ARMS, STEPS, model.nu))

    def task(threads: int) -> Task:
        data = [mujoco.MjData(model) for _ in range(threads)]
        return calls(lambda: rollout.rollout(model, data, states, torques, persistent_pool=True))

    count = LINKS * arm.n
    note = f"{mujoco.__version__}: {count} rigid links, {model.nv} hinges"
    return "MuJoCo", note, {threads: task(threads) for threads in (1, 2)}


def _soromox(arm: Arm) -> tuple[str, str, dict[int, Task]]:
    """Explicit steps of the same arm, one evaluation each: half the work of an implicit step."""
    jax = loaded_jax()
    peer = soromox_arm(arm)
    q, qd, tau = bent_states(arm, ARMS, reach=MODERATE)
    states, forces = jax.numpy.asarray(peer.state(q, qd)), jax.numpy.asarray(peer.force(tau))

    def stepped(state: Any, force: Any) -> Any:
        # So short that no arm flies apart, which explicit steps of a millisecond let it.
        return jax.lax.scan(lambda y, _: (y + 1e-6 * peer.rates(y, force), None), state, None, STEPS)[0]

    batch = jax.jit(jax.vmap(stepped))
    note = "vmap; an explicit step"
    return "soromox", note, {2: calls(lambda: batch(states, forces).block_until_ready())}


PEERS: dict[str, Callable[[Arm], tuple[str, str, dict[int, Task]]]] = {"mujoco": _mujoco, "soromox": _soromox}
