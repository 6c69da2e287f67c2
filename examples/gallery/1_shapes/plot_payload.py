"""
A payload on a horizontal arm
=============================

The shapes of an arm on a wall under what its tip carries. Without a payload it already sags under its own weight; with
400 g it hangs.
"""

import matplotlib.pyplot as plt
import numpy as np

import continuarm as ca

arm = ca.load_arm("prototype").replace(base_rotation=(0, np.pi / 2, 0))  # points along +X; +Z is down
masses = [0.0, 0.025, 0.05, 0.1, 0.2, 0.4]  # kg

figure, (shapes, ends) = plt.subplots(1, 2, figsize=(8.6, 4.0), width_ratios=(1, 1.2))
tips = []
for mass, grey in zip(masses, np.linspace(0.75, 0.0, len(masses)), strict=True):
    loaded = arm.replace(payload=ca.Payload(mass=mass) if mass else None)
    q = ca.equilibrium(loaded)
    x, _, z = 1e3 * ca.backbone(loaded, q).T
    shapes.plot(x, z, "-", color=str(grey), linewidth=3)
    tips.append((x[-1], z[-1]))
shapes.plot(0, 0, "ks", markersize=9)
shapes.set(xlabel="X, mm", ylabel="Z, downwards, mm", aspect="equal", title="the heavier, the darker")
shapes.invert_yaxis()
for values, marker, name in zip(np.transpose(tips), "os", ("X", "Z"), strict=True):
    ends.plot(1e3 * np.array(masses), values, marker=marker, label=f"{name} of the tip")
ends.set(xlabel="payload, g", ylabel="mm", ylim=(0, 420))
ends.legend(loc="center right")
plt.show()
