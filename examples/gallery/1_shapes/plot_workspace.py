"""
Where the tip can rest
======================

Four thousand random pressures, from 0 to 500 kPa on each of nine muscles, and where the tip comes to rest under each:
one call finds all equilibria. A muscle under the pressure P pushes with A max(P - P0, 0).
"""

import matplotlib.pyplot as plt
import numpy as np

import continuarm as ca

arm = ca.load_arm("prototype")
muscle = arm.sections[0]
pressures = np.random.default_rng(0).uniform(0, 500e3, size=(4000, 9))  # Pa
forces = muscle.muscle_area * np.maximum(pressures - muscle.dead_zone, 0)  # N
found = ca.equilibria(arm, arm.muscle_forces(forces))
x, y, z = 1e3 * ca.tip_poses(arm, found.q[found.converged])[:, -1, :3, 3].T

figure, (side, below) = plt.subplots(1, 2, figsize=(8.6, 4.2))
for axes, across, label in ((side, z, "Z, downwards, mm"), (below, y, "Y, mm")):
    dots = axes.scatter(x, across, c=z, s=3, cmap="viridis")
    axes.set(xlabel="X, mm", ylabel=label, aspect="equal")
side.plot(0, 0, "ks", markersize=9)
side.invert_yaxis()
side.set_title("from the side")
below.set_title("from below")
figure.colorbar(dots, ax=below, label="Z of the tip, mm")
plt.show()
