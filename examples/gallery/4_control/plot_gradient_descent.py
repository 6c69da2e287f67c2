"""
Forces by gradient descent
==========================

Which forces bring the tip to a point within half a second? The motion is 250 implicit steps in JAX, the distance at its
end is differentiated through all of them, and plain gradient descent with momentum finds the forces.
"""

import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt

import continuarm as ca
import continuarm.jax

jax.config.update("jax_enable_x64", True)

arm = ca.load_arm("prototype")
target = jnp.array([0.15, 0.1, 0.4])  # m


def tip_path(forces):
    """The tip over half a second from rest, under constant forces."""

    def step(state, _):
        q, qd = continuarm.jax.implicit_step(arm, *state, forces, 2e-3)
        return (q, qd), continuarm.jax.tip_poses(arm, q)[-1, :3, 3]

    return jax.lax.scan(step, (jnp.zeros(9), jnp.zeros(9)), length=250)[1]


def miss(forces):
    """The squared distance over the last 50 ms, m², and a little of the forces' own size."""
    path = tip_path(forces)
    return jnp.mean(jnp.sum((path[-25:] - target) ** 2, axis=-1)) + 1e-7 * jnp.mean(forces**2)


descend = jax.jit(jax.value_and_grad(miss))
forces, momentum = jnp.full(9, 5.0), jnp.zeros(9)  # N
misses, paths = [], [tip_path(forces)]
for _ in range(60):
    value, gradient = descend(forces)
    misses.append(1e3 * float(value) ** 0.5)
    momentum = 0.8 * momentum - 1.5e3 * gradient
    forces = forces + momentum
paths.append(tip_path(forces))

figure, (way, distance) = plt.subplots(1, 2, figsize=(8.2, 3.6))
for path, name in zip(paths, ("first forces", "found forces"), strict=True):
    way.plot(1e3 * path[:, 0], 1e3 * path[:, 2], label=name)
way.plot(1e3 * target[0], 1e3 * target[2], "k+", markersize=12, label="target")
way.set(xlabel="the tip along X, mm", ylabel="along Z, mm")
way.legend()
distance.semilogy(misses)
distance.set(xlabel="steps of the descent, count", ylabel="distance at the end, mm")
figure.tight_layout()
plt.show()
