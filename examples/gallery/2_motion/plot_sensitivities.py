"""
What a motion depends on
========================

The distance by which the last tip would move if a number of the arm were one percent larger, over a motion: exact
derivatives, which ``simulate`` integrates with the motion. Springs and muscles matter at rest and in motion, dampers
only while the arm moves, the mass hardly at all.
"""

import matplotlib.pyplot as plt
import numpy as np

import continuarm as ca

arm = ca.load_arm("prototype")
section = arm.sections[0]
steps = ca.PressureSteps({"l33": [(0.2, 600e3)], "l12": [(1.0, 400e3)], "l21": [(1.8, 300e3)]})  # s, Pa
names = ["stiffness", "muscle_area", "dead_zone", "damping", "length", "mass"]
motion = ca.simulate(arm, steps, duration=2.6, start="equilibrium", sensitivities=names)

figure, axes = plt.subplots(figsize=(7.2, 4.2))
for name in names:
    moved = 0.01 * getattr(section, name) * motion.tip_sensitivities(name)[:, -1]
    axes.plot(motion.t, 1e3 * np.linalg.norm(moved, axis=1), label=name)
axes.set(xlabel="time, s", ylabel="way of the tip for 1 % more, mm", ylim=(0, None))
axes.legend(ncols=2)
plt.show()
