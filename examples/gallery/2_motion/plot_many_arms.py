"""
A thousand arms
===============

Where the last tip goes if springs, dampers and masses are known to a few percent only: a thousand arms that differ in
them, under the same pressures. ``vary`` makes the arms, ``rollout`` moves them all at once.
"""

import matplotlib.pyplot as plt
import numpy as np

import continuarm as ca

arm = ca.load_arm("prototype")
rng = np.random.default_rng(0)
count = 1000
arms = ca.vary(
    arm,
    stiffness=rng.normal(1700, 50, count),  # N/m
    damping=rng.normal(110, 10, count),  # N s/m
    mass=rng.normal(0.1, 0.005, count),  # kg
)
steps = ca.PressureSteps({"l33": [(0.1, 600e3)], "l12": [(0.8, 400e3)]})  # s, Pa
found = ca.rollout(arms, steps, duration=1.6, every=10, outputs="tips")

aside = 1e3 * found.tips[:, :, -1, 0]  # mm
figure, axes = plt.subplots(figsize=(7.2, 4.2))
for low, high, shade in ((0, 100, 0.15), (5, 95, 0.25), (25, 75, 0.4)):
    edges = np.percentile(aside, [low, high], axis=0)
    words = "all arms" if low == 0 else f"{high - low} % of them"
    axes.fill_between(found.t, *edges, color="C0", alpha=shade, linewidth=0, label=words)
axes.plot(found.t, np.median(aside, axis=0), color="C0", label="median")
axes.set(xlabel="time, s", ylabel="x of the last tip, mm")
axes.legend()
plt.show()
