"""
Are the error bars right?
=========================

A fit states standard errors. A Monte Carlo judges them: the same laboratory forty times, each with noise of its own, a
fit to each, and how far it is from the truth in units of the error that it states. If the errors are right, these
distances are those of a normal distribution. ``sweep`` runs the trials and gives each its random numbers, which depend
on the seed and the number of the trial alone. Here they run on threads; a function in a module of its own needs no
executor, and then has processes.
"""

from concurrent.futures import ThreadPoolExecutor

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import norm

import continuarm as ca

real = ca.load_arm("single-section")
believed = real.replace({"sections[0].stiffness": 1500.0, "sections[0].damping": 130.0, "sections[0].dead_zone": 80e3})
names = ["stiffness", "damping", "dead_zone"]
times = np.arange(91) / 30
steps = ca.PressureSteps({"l11": [(0.2, 400e3)], "l12": [(1.4, 300e3)]})
blank = ca.Recording("run", steps, times, [ca.TipPosition(1, np.zeros((len(times), 3)))], start="equilibrium")


def trial(number, rng):
    """A noisy recording, and what a fit makes of it: values and standard errors."""
    recording = ca.simulated_recording(real, blank, noise=1e-3, seed=int(rng.integers(2**32)))
    fit = ca.identify(believed, recording, ", ".join(names), delay=False)
    return {"value": [fit[name].value for name in names], "sigma": [fit[name].standard_error for name in names]}


with ThreadPoolExecutor() as threads:
    found = ca.sweep(trial, {"number": range(40)}, seed=0, executor=threads)

truth = [getattr(real.sections[0], name) for name in names]
distances = (found["value"].to_numpy() - truth) / found["sigma"].to_numpy()
figure, axes = plt.subplots(figsize=(6.4, 4.2))
for name, each in zip(names, distances.T, strict=True):
    spread = each.std(ddof=1)
    axes.step(
        np.sort(each), np.arange(1, 41) / 40, where="post", label=f"{name}: spread {spread:.2f} of the stated error"
    )
ideal = np.linspace(-3, 3, 200)
axes.plot(ideal, norm.cdf(ideal), "k--", label="errors that are right")
axes.set(xlabel="distance from the truth, stated standard errors", ylabel="share of the trials that are below, 1")
axes.legend(loc="upper left", fontsize=8)
plt.show()
