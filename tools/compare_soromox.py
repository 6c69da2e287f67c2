"""The same arm in soromox: how well it agrees with this one, and how long it takes.

    pip install soromox==0.5.0
    python tools/compare_soromox.py [--threads one|all] [--quick]

`continuarm.benchmarks.soromox_arm` says how its description follows from ours.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.benchmarks.groups import bent_states, native_batch, native_loop, prototype
from continuarm.benchmarks.soromox_arm import MODERATE, POINTS, Peer, loaded_jax, soromox_arm
from continuarm.benchmarks.timing import Group, Repeats, best, calls
from continuarm.common.number_checks import Floats
from continuarm.engine.compiled import PROCESSORS
from continuarm.engine.quantities import forward_dynamics

__all__ = ["agreement", "measure"]


ARMS = 1_000  # in a batch
STEPS = 5_000  # evaluations in one loop of soromox's


def agreement(arm: Arm, count: int = 20, points: int = POINTS) -> float:
    """The greatest difference of the accelerations in moderate random states, over the greatest acceleration of each.

    What is left is soromox's quadrature: its points and weights are iterated to single precision.
    """
    jax, peer = loaded_jax(), soromox_arm(arm, points)
    q, qd, tau = bent_states(arm, count, reach=MODERATE)
    theirs = peer.accelerations(jax.jit(jax.vmap(peer.rates))(peer.state(q, qd), peer.force(tau)))
    ours = forward_dynamics(arm, q, qd, tau)
    return float(np.max(np.abs(theirs - ours).max(axis=-1) / np.abs(ours).max(axis=-1)))


def measure(often: Repeats, threads: str, steps: int = STEPS, arms: int = ARMS) -> Group:
    """Agreement, and times of both: one evaluation in a loop, in a call, and in a batch."""
    jax, arm = loaded_jax(), prototype(3)
    peer = soromox_arm(arm)
    state, states = bent_states(arm, reach=MODERATE), bent_states(arm, arms, reach=MODERATE)
    theirs, them = _given(jax, peer, *state), _given(jax, peer, *states)
    force = theirs[1]

    @jax.jit
    def scan(start: Any) -> Any:
        # A step so small that the state stays: each evaluation waits for the one before, and none is the same.
        return jax.lax.scan(lambda y, _: (y + 1e-12 * peer.rates(y, force), None), start, None, steps)[0]

    call, batch = jax.jit(peer.rates), jax.jit(jax.vmap(peer.rates))
    compile_seconds = calls(lambda: scan(theirs[0]).block_until_ready())(1)
    count = 1 if threads == "one" else PROCESSORS
    tasks = {
        "soromox, loop": calls(lambda: scan(theirs[0]).block_until_ready()),
        "continuarm, loop": native_loop(arm, state),
        "soromox, call": calls(lambda: call(*theirs).block_until_ready()),
        "continuarm, call": calls(lambda: forward_dynamics(arm, *state)),
        "soromox, batch": calls(lambda: batch(*them).block_until_ready()),
        "continuarm, batch": native_batch(arm, states, count),
    }
    found = best(tasks, often)
    found["soromox, loop"] /= steps
    for name in ("soromox, batch", "continuarm, batch"):
        found[name] /= arms

    where = f"{threads} thread" if threads == "one" else "all threads"
    group = Group(f"The same arm, n = 3, in soromox (JAX); batch of {arms:,}, µs per arm")
    group.add(f"relative difference, {where}", agreement(arm), "1", f"{POINTS} points")
    group.add(f"soromox, first call of the loop, {where}", compile_seconds, "s", "compiles")
    group.times({f"{name}, {where}": value for name, value in found.items()})
    for way in ("loop", "call", "batch"):
        group.ratio(f"soromox / continuarm, {way}, {where}", f"soromox, {way}, {where}", f"continuarm, {way}, {where}")
    group.add(f"soromox, busy in its loop, {where}", _busy(tasks["soromox, loop"]), "processors")
    return group


def _given(jax: Any, peer: Peer, q: Floats, qd: Floats, tau: Floats) -> tuple[Any, Any]:
    return jax.numpy.asarray(peer.state(q, qd)), jax.numpy.asarray(peer.force(tau))


def _busy(task: Any) -> float:
    start, used = time.perf_counter(), time.process_time()
    task(3)
    return (time.process_time() - used) / (time.perf_counter() - start)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures and prints a line for each row."""
    parser = argparse.ArgumentParser(description="The same arm in soromox: agreement and times.")
    parser.add_argument("--threads", choices=("one", "all"), default="one", help="one: held to one processor")
    parser.add_argument("--quick", action="store_true", help="fewer repeats: a look, not a measurement")
    chosen = parser.parse_args(arguments)
    if importlib.util.find_spec("soromox") is None:
        parser.error("soromox is not installed: pip install soromox==0.5.0")
    if chosen.threads == "one":  # before JAX is loaded, which then starts its threads
        os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
    group = measure(Repeats(3, 0.01), chosen.threads, steps=500) if chosen.quick else measure(Repeats(), chosen.threads)
    print(group.title)
    for row in group.rows:
        print(f"{row['name']:<50} {row['value']:>12.4g} {row['unit']}  {row['note']}".rstrip())


if __name__ == "__main__":
    main()
