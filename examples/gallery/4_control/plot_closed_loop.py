"""
A circle in closed loop
=======================

Computed torque at 1 kHz leads the tip of the three-section arm round a circle of 50 mm radius in 4 s, with pressures up
to 700 kPa: with valves that follow at once, with valves of 50 ms that the controller knows of and makes up for, and
with the same valves where it does not know them.
"""

import matplotlib.pyplot as plt
import numpy as np

import continuarm as ca

arm = ca.load_arm("prototype")
slow = arm.replace({"sections[*].valve_lag": 0.05})
circle = ca.Circle(radius=0.05, period=4.0, centre=[0.0, 0.0, 0.53])
runs = {
    "no lag": (arm, ca.ComputedTorque(arm)),
    "50 ms, known": (slow, ca.ComputedTorque(slow)),
    "50 ms, not known": (slow, ca.ComputedTorque(arm, bandwidth=10.0)),
}

figure, (above, over) = plt.subplots(1, 2, figsize=(9.0, 4.2))
for name, (plant, controller) in runs.items():
    motion = ca.simulate(plant, ca.loop(controller, circle), duration=6)
    off = np.linalg.norm(motion.tips[:, -1] - circle.at(motion.t).position, axis=1)
    above.plot(*(1e3 * motion.tips[:, -1, :2].T), label=name)
    over.semilogy(motion.t, 1e3 * off + 1e-6, label=name)
above.plot(*(1e3 * circle.at(np.linspace(0, 4, 200)).position[:, :2].T), "k--", linewidth=0.8, label="circle")
above.set(xlabel="X, mm", ylabel="Y, mm", aspect="equal")
over.set(xlabel="time, s", ylabel="off the circle, mm")
over.legend()
plt.show()
