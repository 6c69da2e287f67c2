"""
A point past an obstacle
========================

The tip is to go to a point, and a ball is in the way. Predictive control sees 0.2 s ahead where the whole arm will be:
it goes round, with pressures within their limits, and arrives.
"""

import matplotlib.pyplot as plt
import numpy as np

import continuarm as ca

arm = ca.load_arm("prototype")
target = ca.Point([0.14, 0.0, 0.40])
ball = ca.Sphere(centre=[0.085, 0.002, 0.40], radius=0.02)
controls = {
    "as if it were not there": ca.PredictiveControl(arm, highest=600e3),
    "clear of the ball": ca.PredictiveControl(arm, highest=600e3, obstacles=[ball], clearance=0.005),
}

figure, (above, gap) = plt.subplots(1, 2, figsize=(9.6, 4.2))
for name, control in controls.items():
    batch = ca.Batch([arm], step=2e-3, q0=ca.equilibrium(arm))
    postures = []
    for k in range(120):
        batch.step(control.command(k * 0.01, batch.state[0], target), count=5)
        postures.append(batch.q[0])
    tips = ca.tip_poses(arm, np.array(postures))[:, -1, :3, 3]
    along = ca.backbone(arm, np.array(postures))
    from_skin = np.linalg.norm(along - ball.centre, axis=-1).min(axis=1) - ball.radius - arm.sections[0].radius
    above.plot(1e3 * tips[:, 0], 1e3 * tips[:, 1], label=name)
    gap.plot(0.01 * np.arange(1, 121), 1e3 * from_skin, label=name)
above.add_patch(plt.Circle(1e3 * np.asarray(ball.centre)[:2], 1e3 * ball.radius, color="0.8"))
above.plot(1e3 * target.position[0], 1e3 * target.position[1], "k+", markersize=12)
above.set(xlabel="x of the tip, mm", ylabel="y of the tip, mm", title="seen along the arm", aspect="equal")
gap.axhline(0.0, color="0.6", linewidth=0.8)
gap.set(xlabel="time, s", ylabel="from the arm to the ball, mm")
gap.legend()
figure.tight_layout()
plt.show()
