"""
What C costs on a microcontroller
=================================

An arm is exported as C for its controller. How much arithmetic does a function take as the arm gets longer? The page
that comes with the sources lists it. Forward dynamics and a step of the simulation grow with the number of sections,
the mass matrix a little faster.
"""

import re
import tempfile

import matplotlib.pyplot as plt

import continuarm as ca
from continuarm.export import export_c

prototype = ca.load_arm("prototype")
functions = ["forward_dynamics", "inverse_dynamics", "mass_matrix", "implicit_step"]
sections = range(1, 9)
operations = {name: [] for name in functions}
for n in sections:
    arm = prototype.replace(sections=[prototype.sections[0]] * n)
    with tempfile.TemporaryDirectory() as folder:
        *_, page = export_c(arm, folder, name="arm")
        text = page.read_text(encoding="utf-8")
    for name in functions:
        operations[name].append(int(re.search(rf"`arm_{name}` \| (\d+)", text)[1]))

figure, axes = plt.subplots(layout="constrained")
for name, counts in operations.items():
    axes.plot(sections, [count / 1000 for count in counts], "o-", label=name)
axes.set(xlabel="length of the arm, sections", ylabel="arithmetic, thousands of operations", ylim=(0, None))
axes.legend()
plt.show()
