"""
A policy written by hand
========================

Environments to learn in take any policy. This one is not learned: it raises the pressures that move the tip towards its
target, by the transposed Jacobian, with a look 0.1 s ahead so that it does not overshoot. Two hundred episodes, with
arms whose springs differ, are stepped together.
"""

import gymnasium
import matplotlib.pyplot as plt
import numpy as np

import continuarm as ca
import continuarm.learning  # its import makes the environments known to Gymnasium

arm = ca.load_arm("prototype")
envs = gymnasium.make_vec("continuarm/Reach-v0", num_envs=200, arm=arm, randomize={"stiffness": 50.0}, pool=16)
units = envs.unwrapped.observation_units  # of observations, in m and m/s
observations, infos = envs.reset(seed=0)
actions = np.full(envs.action_space.shape, -0.64)  # 90 kPa, the end of the dead zone
distance, success = [infos["distance"]], [infos["is_success"]]
for _ in range(100):  # of 10 ms each
    q, qd, tip, target, error = np.split(observations * units, [9, 18, 21, 24], axis=1)
    jacobian = ca.tip_jacobian(arm, q)[:, -1, 3:]
    ahead = error - 0.1 * np.einsum("bij,bj->bi", jacobian, qd)  # m, in 0.1 s
    actions = np.clip(actions + 3.0 * np.einsum("bij,bi->bj", jacobian, ahead), -1, 1)
    observations, _, _, _, infos = envs.step(actions)
    distance.append(infos["distance"])
    success.append(infos["is_success"])

t, far = 0.01 * np.arange(101), 1e3 * np.array(distance)  # s, mm
figure, (way, share) = plt.subplots(2, 1, figsize=(7.2, 5.4), sharex=True)
reached = np.array(success)[-1]
way.semilogy(t, far[:, reached], color="C0", alpha=0.15, linewidth=0.8)
way.semilogy(t, far[:, ~reached], color="C3", alpha=0.6, linewidth=0.8)
way.axhline(10, color="black", linestyle=":")
way.text(1.0, 11, "tolerance", horizontalalignment="right")
way.set(ylabel="tip to target, mm", ylim=(0.1, 600))
share.plot(t, 100 * np.mean(success, axis=1), color="C0")
share.set(xlabel="time, s", ylabel="within it for 0.1 s, %", ylim=(0, 100))
plt.show()
