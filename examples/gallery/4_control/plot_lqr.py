"""
Linear control around a posture
===============================

A bent arm is held by constant forces and tapped: it swings for seconds. With the exact linearization about the posture
and SciPy's Riccati solver, a linear controller of a few lines calms it.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.linalg import solve_continuous_are

import continuarm as ca

arm = ca.load_arm("prototype")
held = np.zeros(9)
held[[0, 8]] = 30.0, 40.0  # N, in l11 and l33
posture = ca.equilibrium(arm, held)
A, B = ca.linearization(arm, posture, np.zeros(9), held)

Q = np.diag(np.repeat([1e6, 1e3], 9))  # 1 mm counts as much as 30 mm/s ...
R = 0.1 * np.eye(9)  # ... and as 3 N
gain = np.linalg.solve(R, B.T @ solve_continuous_are(A, B, Q, R))


def feedback(t, q, qd):
    return held - gain @ np.concatenate([q - posture, qd])


tap = ca.WrenchSignal([0.0, 0.5, 0.6], [[0] * 6, [0, 0, 0, 0, 2.0, 0], [0] * 6], linear=False)  # 2 N for 0.1 s
drives = {
    "constant forces": ca.ForceSignal([0.0], held[None]),
    "LQR, 500 Hz": ca.Controller(feedback, rate=500, gives="forces"),
}

figure, (way, force) = plt.subplots(2, 1, figsize=(7.2, 5.0), sharex=True)
for name, drive in drives.items():
    motion = ca.simulate(arm, drive, duration=4, q0=posture, wrench=tap)
    way.plot(motion.t, 1e3 * (motion.tips[:, -1, 1] - motion.tips[0, -1, 1]), label=name)
    force.plot(motion.t, np.abs(motion.tau - held).max(axis=-1), label=name)
way.set_ylabel("the tip along Y, mm")
way.legend()
force.set(xlabel="time, s", ylabel="largest correction, N")
plt.show()
