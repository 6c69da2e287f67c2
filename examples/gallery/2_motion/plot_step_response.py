"""
Pressure steps
==============

The paper's first experiment: one muscle after the other is put under pressure, and the tips of the three sections
follow. All three muscles bend the arm in the plane y = 0.
"""

import matplotlib.pyplot as plt

import continuarm as ca

arm = ca.load_arm("prototype")
steps = ca.PressureSteps({"l33": [(0, 600e3)], "l22": [(3.2, 500e3)], "l11": [(7.55, 500e3)]})  # s, Pa
motion = ca.simulate(arm, steps, duration=10.5)

figure, panels = plt.subplots(3, 1, figsize=(7.2, 5.6), sharex=True)
for axes, k, label in ((panels[0], 0, "X, mm"), (panels[1], 2, "Z, mm")):
    for i in range(arm.n):
        axes.plot(motion.t, 1e3 * motion.tips[:, i, k], label=f"tip {i + 1}")
    axes.set_ylabel(label)
panels[0].legend(ncols=3, loc="lower left")
panels[1].invert_yaxis()  # Z is down
for name in ("l33", "l22", "l11"):
    panels[2].plot(motion.t, motion.pressures[:, arm.muscle_names.index(name)] / 1e3, label=name)
panels[2].set(xlabel="time, s", ylabel="pressure, kPa", ylim=(0, None))
panels[2].legend(ncols=3, loc="center right")
plt.show()
