"""What a call from JAX or torch costs beyond the quantity itself."""

from __future__ import annotations

import importlib.util

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.benchmarks.groups import Workload, bent_states, native_loop, prototype
from continuarm.benchmarks.timing import Group, Task, best, calls

LOOP = "forward dynamics, in the native loop"
BEYOND = "{}: one {} call beyond forward dynamics itself"


def measure_frameworks(work: Workload) -> Group:
    """Forward dynamics and its gradient, called from JAX and torch where they are installed."""
    group = Group("One call from JAX and torch, n = 3")
    arm = prototype(3)
    tasks, missing = {LOOP: native_loop(arm, bent_states(arm))}, []
    for package, made in (("jax", _jax), ("torch", _torch)):
        if importlib.util.find_spec(package):
            tasks |= made(arm)
        else:
            missing.append(package)
    group.times(best(tasks, work))
    for library, kind in (("JAX", "jitted"), ("torch", "plain")):
        if f"{library}, {kind}" in tasks:
            group.add(BEYOND.format(library, kind), group[f"{library}, {kind}"] - group[LOOP], "µs")
    for package in missing:
        group.add(package, None, "", f"the package {package} is not installed")
    return group


def _jax(arm: Arm) -> dict[str, Task]:
    import jax

    import continuarm.jax

    jax.config.update("jax_enable_x64", True)
    state = [jax.numpy.asarray(each) for each in bent_states(arm)]

    def accelerations(*given: jax.Array) -> jax.Array:
        return continuarm.jax.forward_dynamics(arm, *given)

    forward = jax.jit(accelerations)
    gradient = jax.jit(jax.grad(lambda *given: accelerations(*given).sum(), argnums=(0, 1, 2)))
    return {
        "JAX, jitted": calls(lambda: forward(*state).block_until_ready()),
        "JAX, jitted gradient": calls(lambda: gradient(*state)[0].block_until_ready()),
    }


def _torch(arm: Arm) -> dict[str, Task]:
    import torch

    import continuarm.torch

    state = [torch.from_numpy(np.array(each)) for each in bent_states(arm)]
    traced = [each.clone().requires_grad_() for each in state]

    def gradient() -> None:
        torch.autograd.grad(continuarm.torch.forward_dynamics(arm, *traced).sum(), traced)

    return {
        "torch, plain": calls(lambda: continuarm.torch.forward_dynamics(arm, *state)),
        "torch, gradient": calls(gradient),
    }
