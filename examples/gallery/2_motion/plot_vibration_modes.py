"""
Modes of free vibration
=======================

The slowest ways in which a hanging arm swings: eigenvectors of its static stiffness over its mass matrix, drawn to both
sides of where it rests. Each that bends is there twice, along X and along Y; the third only stretches.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.linalg import eigh

import continuarm as ca

arm = ca.load_arm("prototype")
rest = ca.equilibrium(arm)
squares, modes = eigh(ca.static_stiffness(arm, rest), ca.mass_matrix(arm, rest))
frequencies = np.sqrt(squares) / (2 * np.pi)  # Hz: those of ca.natural_frequencies(arm)
along_x, _, along_z = ca.tip_jacobian(arm, rest)[-1, 3:]

figure, panels = plt.subplots(1, 4, figsize=(8.6, 4.2), sharey=True)
for axes, equal, moves in zip(panels, ([0, 1], [2, 3], [4], [5, 6]), (along_x, along_x, along_z, along_x), strict=True):
    # any sum of modes of equal frequency is one: that which moves the tip along X, by 60 mm
    mode = modes[:, equal] @ (moves @ modes[:, equal])
    mode *= 0.06 / (moves @ mode)
    for share, colour, look in ((0, "k", ":"), (-1, "C0", "--"), (1, "C0", "-")):
        x, _, z = 1e3 * ca.backbone(arm, rest + share * mode).T
        axes.plot(x, z, color=colour, linestyle=look, linewidth=1 if share == 0 else 2.5)
        axes.plot(x[49::50], z[49::50], "o", color=colour)  # tips of the sections
    axes.set(xlabel="X, mm", xlim=(-100, 100))
    axes.set_title(f"{frequencies[equal[0]]:.2f} Hz")
panels[0].set_ylabel("Z, downwards, mm")
panels[0].invert_yaxis()
plt.show()
