"""
A point mass against discs
==========================

With all mass of a section in one point, its mass matrix becomes singular as the section closes to a full turn: there
bending and stretching move the centre of gravity along the same line, so that together they can leave it where it is,
at no energy. Discs keep the matrix regular. Accelerations lose as many digits as the condition number has.
"""

import matplotlib.pyplot as plt
import numpy as np

import continuarm as ca

arm = ca.load_arm("single-section")
bends = np.linspace(0.02, 2 * np.pi - 0.005, 400)  # rad
shapes = np.stack([bends, 0 * bends, 0 * bends], axis=-1)  # bent along X, not stretched
q = shapes @ arm.sections[0].length_map.T

models = {"integral": ca.Integral(), "centre of gravity": ca.CentreOfGravity(), "point mass": ca.PointMass()}
figure, axes = plt.subplots()
for name, inertia in models.items():
    M = ca.mass_matrix(arm.replace(inertia=inertia), q)
    axes.semilogy(np.degrees(bends), np.linalg.cond(M), label=name)
axes.set(xlabel="bend of the section, °", ylabel="condition number of M", xticks=range(0, 361, 60))
axes.legend()
plt.show()
