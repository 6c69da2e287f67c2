"""
Hanging, horizontal, standing
=============================

The same arm at rest without pressure: on a ceiling, on a wall and on the floor. On the wall its own weight bends it; on
the floor it is too soft to stand, and leans over.
"""

import matplotlib.pyplot as plt
import numpy as np

import continuarm as ca

arm = ca.load_arm("prototype")  # gravity is along +Z: unbent, this arm hangs
mounts = {  # rotation vectors that turn the world frame into the base frame, rad; and where to draw it, mm
    "on a ceiling": ((0, 0, 0), 0),
    "on a wall": ((0, np.pi / 2, 0), 200),
    "on the floor": ((0, np.pi, 0), 700),
}

figure, axes = plt.subplots(figsize=(7.2, 4.6))
for name, (rotation, place) in mounts.items():
    mounted = arm.replace(base_rotation=rotation)
    q = ca.equilibrium(mounted)
    x, y, z = 1e3 * ca.backbone(mounted, q).T
    aside = place + np.hypot(x, y)  # in the plane in which it bends
    (line,) = axes.plot(aside, z, "-", linewidth=4)
    axes.plot(aside[49::50], z[49::50], "o", color=line.get_color(), markersize=9)  # tips of the sections
    axes.plot(place, 0, "ks", markersize=12)
    axes.text(place + 20, -15 if name != "on the floor" else 30, name, va="bottom" if name != "on the floor" else "top")
axes.set(xlabel="sideways, mm", ylabel="downwards, mm", aspect="equal", xlim=(-60, 1120))
axes.invert_yaxis()
plt.show()
