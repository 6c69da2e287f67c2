"""
Three solvers, how much work for how much accuracy
==================================================

How far the tips are from those of CVODE at its strictest, over the number of times that q̈ was evaluated. Adaptive steps
buy accuracy cheaply; fixed steps are for control, where the cost of each must be known beforehand: their error falls
with the square of the rate.
"""

import matplotlib.pyplot as plt
import numpy as np

import continuarm as ca

arm = ca.load_arm("prototype")
steps = ca.PressureSteps({"l33": [(0, 500e3)], "l23": [(1.0, 300e3)]})
exact = ca.simulate(arm, steps, duration=2.5, solver=ca.CVODE(rtol=1e-11, atol=1e-15))

families = {
    "Adaptive, rtol 1e-4 to 1e-9": [ca.Adaptive(rtol=10.0**-k, atol=5 * 10.0 ** -(k + 5)) for k in range(4, 10)],
    "CVODE, rtol 1e-4 to 1e-9": [ca.CVODE(rtol=10.0**-k, atol=10.0 ** -(k + 4)) for k in range(4, 10)],
    "FixedStep, 250 Hz to 8 kHz": [ca.FixedStep(rate=250 * 2**k) for k in range(6)],
}

figure, axes = plt.subplots()
for (name, solvers), marker in zip(families.items(), "os^", strict=True):
    motions = [ca.simulate(arm, steps, duration=2.5, solver=solver) for solver in solvers]
    work = [motion.record["evaluations"] for motion in motions]
    apart = [1e6 * np.linalg.norm(motion.tips - exact.tips, axis=-1).max() for motion in motions]
    axes.loglog(work, apart, marker=marker, label=name)
axes.set(xlabel="evaluations of q̈", ylabel="largest distance of a tip, µm")
axes.legend()
plt.show()
