"""
What is not known of an arm
===========================

Two hundred arms whose stiffness, damping and muscle area are drawn with 10 % of error, under the same pressures: the
band that the last tip stays in, and the arm that was meant.
"""

import matplotlib.pyplot as plt
import numpy as np

import continuarm as ca

arm = ca.load_arm("prototype")
steps = ca.PressureSteps({"l33": [(0.2, 500e3)], "l23": [(2.0, 300e3)]})
rng = np.random.default_rng(0)


def drawn():
    factors = dict(zip(("stiffness", "damping", "muscle_area"), 1 + 0.1 * rng.normal(size=3), strict=True))
    changed = {name: factor * getattr(arm.sections[0], name) for name, factor in factors.items()}
    return arm.replace(sections=[section.replace(**changed) for section in arm.sections])


def tip(described):
    return 1e3 * ca.simulate(described, steps, duration=4, start="equilibrium", rate=100).tips[:, -1]  # mm


times = np.linspace(0, 4, 401)
meant, others = tip(arm), np.stack([tip(drawn()) for _ in range(200)])
low, high = np.percentile(others, [5, 95], axis=0)

figure, panels = plt.subplots(3, 1, figsize=(7.2, 5.4), sharex=True)
for axes, k, name in zip(panels, range(3), "XYZ", strict=True):
    axes.fill_between(times, low[:, k], high[:, k], color="0.8", label="90 % of them")
    axes.plot(times, meant[:, k], label="as meant")
    axes.set_ylabel(f"{name}, mm")
panels[2].invert_yaxis()  # Z is down
panels[0].legend(loc="lower left", ncols=2)
panels[-1].set_xlabel("time, s")
plt.show()
