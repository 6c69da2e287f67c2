"""
Which number matters: Sobol indices
===================================

Every number of the prototype is known to ten percent. How much of what is uncertain about the motion, where the last
tip comes to rest and how long it takes, is due to which of them? SALib chooses points by Sobol's sequence and makes
indices of the results, ``sweep`` moves the arms in between: the share of the variance that would go with one number
alone (first order), and the share that would stay if all others were known (total).
"""

import matplotlib.pyplot as plt
import numpy as np
from SALib.analyze import sobol as sobol_indices
from SALib.sample import sobol as sobol_points

import continuarm as ca

arm = ca.load_arm("prototype")
section = arm.sections[0]
names = ["length", "radius", "mass", "stiffness", "damping", "twist", "muscle_area", "dead_zone"]
values = [getattr(section, name) for name in names]
problem = {"num_vars": 8, "names": names, "bounds": [[0.9 * value, 1.1 * value] for value in values]}
points = sobol_points.sample(problem, 128, calc_second_order=False, seed=0)  # (1280, 8)

table = dict(zip(names, points.T, strict=True))
steps = ca.PressureSteps({"l33": [(0.0, 500e3)], "l12": [(0.0, 300e3)]})
found = ca.sweep(arm, table, grid=False, input=steps, duration=4.0, step=2e-3, every=5)
tip = found["tips"].sel(section=3)
results = {
    "x of the last tip": tip.sel(axis="x"),
    "z of the last tip": tip.sel(axis="z"),
    "settling time": found["settling_time"],
}

figure, panels = plt.subplots(1, 3, figsize=(10, 4), sharey=True, layout="constrained")
rows = np.arange(len(names))
for axes, (title, result) in zip(panels, results.items(), strict=True):
    indices = sobol_indices.analyze(problem, result.to_numpy(), calc_second_order=False, seed=0)
    axes.barh(rows - 0.2, indices["S1"], 0.4, xerr=indices["S1_conf"], label="alone")
    axes.barh(rows + 0.2, indices["ST"], 0.4, xerr=indices["ST_conf"], label="with all others")
    axes.set(title=title, xlabel="share of the variance, 1")
panels[0].set_yticks(rows, names)
panels[0].set_ylabel("number of all sections, ± 10 %")
panels[0].invert_yaxis()
panels[0].legend()
plt.show()
