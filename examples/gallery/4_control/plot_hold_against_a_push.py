"""
Hold against a push
===================

The arm carries 50 g that its controllers do not know of, and is pushed at the tip by 0.3 N for half a second. Gravity
compensation gives way and comes back slowly to where the load leaves it; computed torque sums up what is off and
returns.
"""

import matplotlib.pyplot as plt
import numpy as np

import continuarm as ca

arm = ca.load_arm("prototype")
heavier = arm.replace(payload=ca.Payload(mass=0.05))
at = np.array([0.05, 0.0, 0.52])
push = ca.WrenchSignal([0.0, 2.0, 2.5], [[0] * 6, [0, 0, 0, 0, 0.3, 0], [0] * 6], linear=False)

figure, axes = plt.subplots(figsize=(7.2, 3.6))
for name, controller, rate in (
    ("gravity compensation", ca.GravityCompensation(arm), 250),
    ("computed torque", ca.ComputedTorque(arm), 1000),
):
    motion = ca.simulate(heavier, ca.loop(controller, ca.Point(at), rate=rate), duration=5, wrench=push)
    axes.plot(motion.t, 1e3 * np.linalg.norm(motion.tips[:, -1] - at, axis=1), label=name)
axes.axvspan(2.0, 2.5, color="0.9", label="pushed")
axes.set(xlabel="time, s", ylabel="from the point, mm", ylim=(0, 20))
axes.legend()
plt.show()
