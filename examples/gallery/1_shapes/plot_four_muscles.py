"""
Four muscles instead of three
=============================

How far a section bends with muscles that push with up to 20 N each: all bends that three of them reach, and four. q and
τ stay three numbers for each section, whatever its layout; ``arm.muscle_forces`` takes the forces of the real muscles.
"""

import itertools

import matplotlib.pyplot as plt
import numpy as np
from scipy.spatial import ConvexHull

import continuarm as ca

figure, axes = plt.subplots(figsize=(6.4, 4.6))
for count in (3, 4):
    layout = ca.Muscles(angles=2 * np.pi * np.arange(count) / count, radii=[0.02] * count)
    section = ca.Section(length=0.2, radius=0.02, mass=0.1, stiffness=600 * np.eye(3), muscles=layout)
    arm = ca.Arm(sections=[section], gravity=(0, 0, 0))
    forces = np.array(list(itertools.product((0.0, 20.0), repeat=count)))  # N: every muscle off or on
    q = ca.equilibrium(arm, arm.muscle_forces(forces))
    bends = np.degrees((q @ section.shape_map.T)[:, :2])  # along X and along Y
    edge = bends[ConvexHull(bends).vertices]
    axes.fill(*edge.T, alpha=0.15)
    axes.plot(*np.vstack([edge, edge[:1]]).T, marker="o", label=f"{count} muscles")
    print(f"{count} muscles: {np.linalg.norm(edge, axis=1).max():.0f}° at most")
axes.set(xlabel="bend along X, °", ylabel="bend along Y, °", aspect="equal")
axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
plt.show()
