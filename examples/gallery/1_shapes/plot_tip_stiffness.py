"""
The stiffness of the tip
========================

A small force F moves the tip of a resting arm by J K⁻¹ Jᵀ F, where K is the static stiffness over q and J the Jacobian
of the tip's position. Left: where forces of 0.1 N, in all directions of the picture, move the tip: hardly along the
arm, far across it. Right: the stiffness in its three principal directions.
"""

import matplotlib.pyplot as plt
import numpy as np

import continuarm as ca

arm = ca.load_arm("prototype")
towards_x = np.array([-1, 0, 0, 0, 1, 0, 1, 1, 0])  # sections are turned by 60°: these muscles bend all of them alike
angles = np.linspace(0, 2 * np.pi, 100)
forces = 0.1 * np.stack([np.cos(angles), np.zeros(100), np.sin(angles)])  # N, in the X-Z plane

figure, (shapes, stiffnesses) = plt.subplots(1, 2, figsize=(8.6, 4.6), width_ratios=(1, 1.2))
pushes, principal = np.linspace(0, 24, 9), []  # N
for push in pushes:
    q = ca.equilibrium(arm, push * towards_x)
    J = ca.tip_jacobian(arm, q)[-1, 3:]
    compliance = J @ np.linalg.solve(ca.static_stiffness(arm, q), J.T)  # m/N
    principal.append(1 / np.linalg.eigvalsh(compliance))  # N/m
    if push in (0, 12, 24):
        x, _, z = 1e3 * ca.backbone(arm, q).T
        moved = 1e3 * compliance @ forces
        (line,) = shapes.plot(x, z, linewidth=3, label=f"{push:g} N")
        shapes.fill(x[-1] + moved[0], z[-1] + moved[2], color=line.get_color(), linewidth=4, alpha=0.5)
shapes.plot(0, 0, "ks", markersize=9)
shapes.set(xlabel="X, mm", ylabel="Z, downwards, mm", aspect="equal")
shapes.invert_yaxis()
shapes.legend(title="muscle force")
for values, name in zip(np.transpose(principal), ("along the arm", "across, 1", "across, 2"), strict=True):
    stiffnesses.semilogy(pushes, values, marker="o", label=name)
stiffnesses.set(xlabel="muscle force, N", ylabel="stiffness of the tip, N/m")
stiffnesses.legend(loc="center left")
plt.show()
