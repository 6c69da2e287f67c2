"""Writes first_motion.ipynb, without outputs: `python examples/notebooks/make_first_motion.py`."""

import json
from pathlib import Path

NOTEBOOK = Path(__file__).with_name("first_motion.ipynb")

CELLS = [
    (
        "markdown",
        """
# A first motion

An arm of three sections hangs from a ceiling. Each section has three pneumatic muscles: under pressure they become
longer and bend it. Everything here is in SI units: metres, kilograms, seconds, newtons, pascals.
""",
    ),
    (
        "code",
        """
import numpy as np

import continuarm as ca

arm = ca.load_arm("prototype")
arm
""",
    ),
    (
        "markdown",
        """
An arm is never changed: `replace` makes another one, what is inside by its path: `sections[-1]` is the last section.
Here it is with more mass in its last section and something to carry: where it hangs, and where it comes to rest when
muscle `l33` (section 3, muscle 3) pushes with 30 N.
""",
    ),
    (
        "code",
        """
heavier = arm.replace({"sections[-1].mass": 0.2, "payload.mass": 0.05})
tau = np.zeros(9)
tau[8] = 30.0
heavier.plot([ca.equilibrium(heavier), ca.equilibrium(heavier, tau)])
""",
    ),
    (
        "markdown",
        """
Pressures in steps, pairs of seconds and pascals, drive it. The motion shows itself: drag to turn it, turn the wheel to
come closer.
""",
    ),
    (
        "code",
        """
steps = ca.PressureSteps({"l33": [(0.0, 500e3)], "l23": [(1.5, 300e3)], "l11": [(3.0, 300e3)]})
motion = ca.simulate(arm, steps, duration=5.0)
motion
""",
    ),
    (
        "markdown",
        """
Where the tips are, what drives them, and where the work goes: what is supplied is stored, or dissipated.
""",
    ),
    ("code", "motion.plot()"),
    (
        "markdown",
        """
How the arm swings about where it hangs: slow and hardly damped from side to side, everything else creeps back.
""",
    ),
    ("code", "ca.vibrations(arm)"),
    (
        "markdown",
        """
To keep it: a file that xarray, MATLAB and Julia open, and a moving picture. An `.mp4` needs
`pip install 'continuarm[video]'`.
""",
    ),
    (
        "code",
        """
motion.save("first_motion.nc")
motion.video("first_motion.gif", fps=10, size=(320, 240))
ca.load_motion("first_motion.nc")
""",
    ),
]


def notebook():
    """The notebook as Jupyter stores it."""
    cells = []
    for number, (kind, text) in enumerate(CELLS, start=1):
        lines = text.strip().splitlines(keepends=True)
        cell = {"cell_type": kind, "id": f"cell-{number}", "metadata": {}, "source": lines}
        cells.append(cell | ({"execution_count": None, "outputs": []} if kind == "code" else {}))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    about = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return {"cells": cells, "metadata": about, "nbformat": 4, "nbformat_minor": 5}


def written():
    """The text of the file."""
    return json.dumps(notebook(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    NOTEBOOK.write_text(written(), encoding="utf-8")
