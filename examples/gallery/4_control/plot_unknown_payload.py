"""
An unknown payload
==================

The arm carries 50 g that nobody told. A camera sees its tip 50 times a second, with 1 mm of noise and 30 ms late. An
observer that estimates the mass along finds it within a second, and what it believes of the muscles becomes right; one
that believes in the empty arm stays wrong, and does not know it.
"""

import matplotlib.pyplot as plt
import numpy as np

import continuarm as ca

arm = ca.load_arm("prototype")
loaded = arm.replace(payload=ca.Payload(mass=0.05))
observers = {
    "the mass estimated along": ca.Observer(arm, parameters={"payload.mass": 0.05}, step=0.01),
    "the empty arm believed": ca.Observer(arm, step=0.01),
}
for observer in observers.values():
    observer.reset(np.concatenate([ca.equilibrium(arm), np.zeros(11)]))
batch = ca.Batch([loaded], step=2e-3, q0=ca.equilibrium(loaded))

rng, pictures, times = np.random.default_rng(0), [], 0.01 * np.arange(1, 251)
errors, masses, sigmas = {name: [] for name in observers}, [], []
for k, t in enumerate(times, start=1):
    pressures = 300e3 + 150e3 * np.sin(2 * np.pi * t / 2 + 2 * np.pi / 3 * np.arange(9))
    batch.step(pressures, count=5)
    if k % 2 == 0:
        pictures.append((t, batch.tips[0, -1] + rng.normal(0, 1e-3, 3)))
    arrived = [pictures.pop(0)] if pictures and t > pictures[0][0] + 0.025 else []
    for name, observer in observers.items():
        observer.advance(t, pressures)
        for taken, seen in arrived:
            observer.measure(taken, ca.TipPosition(3, [seen], sigma=1e-3))
        errors[name].append(np.abs(observer.estimate.q - batch.q[0]).max())
    masses.append(observers["the mass estimated along"].estimate.parameters["payload.mass"])
    sigmas.append(observers["the mass estimated along"].estimate.sigmas["payload.mass"])

figure, (found, wrong) = plt.subplots(2, 1, figsize=(7.2, 5.0), sharex=True)
grams, width = 1e3 * np.array(masses), 2e3 * np.array(sigmas)
found.fill_between(times, grams - width, grams + width, alpha=0.3, label="95 %")
found.plot(times, grams, label="estimate")
found.axhline(50.0, color="0.4", linestyle=":", label="true")
found.set(ylabel="payload, g", ylim=(0, 100))
found.legend()
for name, each in errors.items():
    wrong.plot(times, 1e3 * np.array(each), label=name)
wrong.set(xlabel="time, s", ylabel="most wrong length, mm")
wrong.legend()
plt.show()
