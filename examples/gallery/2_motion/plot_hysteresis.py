"""
A hysteresis loop
=================

Braided muscles remember where they come from: friction holds them back on the way out and on the way in. Slow pressure
waves of growing height on one muscle, and the loops of its length. The strength of the friction is assumed here; a fit
to recordings finds it (``hysteresis`` in ``continuarm identify``).
"""

import matplotlib.pyplot as plt
import numpy as np

import continuarm as ca

plain = ca.load_arm("single-section")
rough = plain.replace(
    sections=[plain.sections[0].replace(hysteresis=(1500.0, 250.0, -50.0))]  # a in N/m, b and g in 1/m
)
times = np.linspace(0, 300, 1201)  # s
heights = np.select([times < 100, times < 200], [250e3, 400e3], 550e3)  # Pa
pressures = np.zeros((len(times), 3))
pressures[:, 2] = heights * np.sin(np.pi * times / 100) ** 2  # l13
waves = ca.PressureSignal(times, pressures)

figure, axes = plt.subplots(figsize=(6.4, 4.4))
for arm, name in ((rough, "with hysteresis"), (plain, "without")):
    motion = ca.simulate(arm, waves, duration=300, start="equilibrium", rate=5)
    axes.plot(motion.pressures[:, 2] / 1e3, 1e3 * motion.q[:, 2], label=name)
axes.set(xlabel="pressure in l13, kPa", ylabel="length change of l13, mm")
axes.legend()
plt.show()
