"""
Centre of gravity against integral
==================================

The paper replaces the integral along a section by one disc at its centre of gravity, whose energies are shaped by
factors β. Here the exact integral costs the same, so that one can see what the replacement does: the last tip in the
paper's first experiment, with fitted β and with none.
"""

import matplotlib.pyplot as plt
import numpy as np

import continuarm as ca

arm = ca.load_arm("prototype")
steps = ca.PressureSteps({"l33": [(0, 600e3)], "l22": [(3.2, 500e3)], "l11": [(7.55, 500e3)]})
exact = ca.simulate(arm, steps, duration=10.5)
models = {
    "fitted β": ca.CentreOfGravity(),
    "β = 1": ca.CentreOfGravity(beta_linear=(1, 1, 1), beta_angular=(1, 1, 1)),
}

figure, (path, apart) = plt.subplots(2, 1, figsize=(7.2, 5.0), sharex=True)
path.plot(exact.t, 1e3 * exact.tips[:, -1, 0], "-", color="0.7", linewidth=5, label="integral")
for name, inertia in models.items():
    motion = ca.simulate(arm.replace(inertia=inertia), steps, duration=10.5)
    path.plot(motion.t, 1e3 * motion.tips[:, -1, 0], label=f"centre of gravity, {name}")
    apart.semilogy(motion.t[1:], 1e3 * np.linalg.norm(motion.tips - exact.tips, axis=-1)[1:, -1])
path.set_ylabel("X of the last tip, mm")
path.legend(loc="lower left")
apart.set(xlabel="time, s", ylabel="distance from integral, mm", ylim=(1e-3, 1e2))
plt.show()
