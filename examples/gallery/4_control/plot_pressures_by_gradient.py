"""
Pressures by their gradient
===========================

Which pressures bring the tip to a place and hold it there, without the overshoot of a plain step? The gradient of
a loss over the motion by the pressures of every step takes one sweep backward, so that a general optimizer finds them.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import minimize

import continuarm as ca

arm = ca.load_arm("prototype")
duration, knots = 1.0, 20
times = np.linspace(0.0, duration, knots, endpoint=False)
area = np.array([section.muscle_area for section in arm.sections for _ in range(3)])

# %%
# The target is where a plain step of pressure comes to rest. The loss is the squared distance of the tip from there
# after 0.4 s, over all steps. Muscles that begin without pressure stay so: their gradient is zero.
held = np.zeros(9)
held[[2, 5, 8]] = 200e3
target = ca.simulate(arm, ca.PressureSignal([0.0], held[None], linear=False), duration=6).tips[-1, -1]


def loss(t, q, qd):
    """Mean squared distance from the target, mm², from 0.4 s on, and its gradient by q."""
    late = t > 0.4
    miss = ca.tip_poses(arm, q[late])[:, -1, :3, 3] - target
    weights = np.zeros((late.sum(), 3, 4, 4))
    weights[:, -1, :3, 3] = 2e6 * miss / late.sum()
    by_q = np.zeros_like(q)
    (by_q[late],) = ca.vjp(ca.tip_poses, arm, (q[late],), weights)
    return 1e6 * (miss**2).sum() / late.sum(), by_q, None


def cost(numbers):
    """The loss and its gradient by the pressures (100 kPa) of twenty intervals."""
    pressures = 1e5 * numbers.reshape(knots, 9)
    found = ca.motion_gradient(arm, loss, ca.PressureSignal(times, pressures, linear=False), duration=duration)
    by_knot = found.pressures.reshape(knots, -1, 9).sum(axis=1)
    return found.loss, 1e5 * by_knot.ravel()


start = np.tile(held / 1e5, knots)
best = minimize(cost, start, jac=True, method="L-BFGS-B", bounds=[(0, 7)] * start.size, options={"maxiter": 60})

# %%
# The plain step overshoots and swings on; under the pressures that were found the tip is there after 0.4 s and stays.
plain, steered = (
    ca.simulate(arm, ca.PressureSignal(times, 1e5 * each.reshape(knots, 9), linear=False), duration=duration, rate=500)
    for each in (start, best.x)
)
figure, (above, below) = plt.subplots(2, 1, sharex=True, figsize=(7, 5), layout="constrained")
for motion, label in ((plain, "plain step"), (steered, f"steered, {best.nit} iterations")):
    above.semilogy(motion.t, 1e3 * np.linalg.norm(motion.tips[:, -1] - target, axis=1), label=label)
above.set(ylabel="distance of the tip, mm")
above.axvline(0.4, color="0.7", linewidth=1)
above.legend()
for muscle in (2, 5, 8):
    below.step(times, best.x.reshape(knots, 9)[:, muscle] * 100, where="post", label=arm.muscle_names[muscle])
below.set(xlabel="t, s", ylabel="pressure, kPa")
below.legend()
plt.show()
