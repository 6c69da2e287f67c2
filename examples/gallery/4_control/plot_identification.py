"""
An arm from a simulated laboratory
==================================

A camera with 1 mm of noise sees the tips of an arm that is softer and less damped than its description. A fit of three
parameters to one run of six seconds finds what it is, with error bars; the fitted arm goes through the dots.
"""

import matplotlib.pyplot as plt
import numpy as np

import continuarm as ca

believed = ca.load_arm("prototype")
real = believed.replace(
    sections=[section.replace(stiffness=1450.0, damping=70.0, dead_zone=75e3) for section in believed.sections]
)
times = np.arange(181) / 30
steps = ca.PressureSteps({"l33": [(0.5, 500e3)], "l22": [(2.5, 400e3)], "l12": [(4.5, 350e3)]})
camera = [ca.TipPosition(i, np.zeros((len(times), 3))) for i in (1, 2, 3)]
recording = ca.simulated_recording(real, ca.Recording("run", steps, times, camera), noise=1e-3, seed=1)

found = ca.identify(believed, recording, "stiffness, damping, dead_zone", delay=False)
print(*found.parameters, sep="\n")

figure, axes = plt.subplots()
axes.plot(times, 1e3 * recording.sensors[2].values[:, 0], "k.", markersize=4, label="measured")
for arm, name in ((believed, "as it was believed"), (found.arm, "fitted")):
    motion = ca.simulate(arm, steps, duration=6, start="equilibrium")
    axes.plot(motion.t, 1e3 * motion.tips[:, -1, 0], label=name)
axes.set(xlabel="time, s", ylabel="X of the last tip, mm")
axes.legend()
plt.show()
