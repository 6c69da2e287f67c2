"""
A fitted arm predicts another run
=================================

Two runs of a simulated laboratory, each seen by a camera with 1 mm of noise. An arm is fitted to the first and predicts
the second, which it has not seen; beside it, the arm as it was believed to be. What the right arm leaves is the noise:
1 mm on each of three axes is 1.7 mm of distance.
"""

import matplotlib.pyplot as plt
import numpy as np

import continuarm as ca

believed = ca.load_arm("prototype")
real = believed.replace({"sections[*].stiffness": 1450.0, "sections[*].damping": 70.0, "sections[*].dead_zone": 75e3})
times = np.arange(181) / 30


def recorded(name, steps, seed):
    camera = [ca.TipPosition(section, np.zeros((len(times), 3))) for section in (1, 2, 3)]
    blank = ca.Recording(name, ca.PressureSteps(steps), times, camera)
    return ca.simulated_recording(real, blank, noise=1e-3, seed=seed)


seen = recorded("seen", {"l33": [(0.5, 500e3)], "l22": [(2.5, 400e3)], "l12": [(4.5, 350e3)]}, seed=1)
later = recorded("later", {"l11": [(0.5, 300e3)], "l31": [(2.0, 450e3)], "l23": [(4.0, 350e3)]}, seed=2)

fitted = ca.identify(believed, seen, "stiffness, damping, dead_zone", delay=False).arm
predicted = {name: ca.validate(arm, later) for name, arm in (("as it was believed", believed), ("fitted", fitted))}
for name, found in predicted.items():
    print(f"{name}: {found.sentence}")

figure, (way, distance) = plt.subplots(2, 1, figsize=(7.2, 5.0), sharex=True)
way.plot(times, 1e3 * later.sensors[2].values[:, 0], "k.", markersize=4, label="measured")
for name, found in predicted.items():
    tip = found["later"]["tip 3"]
    way.plot(tip.times, 1e3 * tip.predicted[:, 0], label=name)
    distance.plot(tip.times, 1e3 * tip.distance, label=f"{name}: {1e3 * tip.rms:.1f} mm rms")
way.set(ylabel="X of the last tip, mm", ylim=(-320, 90))
way.legend(loc="upper right", ncols=3)
distance.set(xlabel="time, s", ylabel="distance of the last tip, mm", yscale="log", ylim=(0.03, 200))
distance.legend(loc="lower right", ncols=2)
plt.show()
