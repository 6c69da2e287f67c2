"""
Many postures for one target
============================

The tip of the three-section arm on a point: nine muscles for three numbers leave six to choose. Grey: solutions from
starts that lie apart. Blue: the one with the least elastic energy. The workspace is behind them.
"""

import matplotlib.pyplot as plt
import numpy as np

import continuarm as ca

arm = ca.load_arm("prototype")
target = np.array([0.15, 0.0, 0.45])
many = ca.inverse_kinematics(arm, target, solutions=8)
least = ca.inverse_kinematics(arm, target, prefer="energy")
space = ca.reachable(arm, 50_000)

figure, axes = plt.subplots(figsize=(6.4, 5.2))
axes.hexbin(*(1e3 * space.points[:, [0, 2]].T), gridsize=70, bins="log", cmap="Oranges", mincnt=1, alpha=0.5)
for q in many.q:
    axes.plot(*(1e3 * ca.backbone(arm, q)[:, [0, 2]].T), color="0.5", linewidth=1)
axes.plot(*(1e3 * ca.backbone(arm, least.q)[:, [0, 2]].T), color="C0", linewidth=3)
axes.plot(*(1e3 * target[[0, 2]]), "k+", markersize=14)
axes.set(xlabel="X, mm", ylabel="Z, downwards, mm", aspect="equal")
axes.invert_yaxis()
plt.show()
