"""
A real arm, predicted
=====================

The two-section pneumatic arm of the RISE Lab at Arizona State University, recorded by its laboratory, against the arm
`asu-two-section`, which is fitted to four of its recordings. Prediction begins where the first sample shows the arm and
then sees nothing but the pressures. The page "A real arm" has what was predicted without being fitted.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import continuarm as ca

here = Path(globals().get("__file__", "plot_real_arm.py")).resolve()  # the site runs it in its folder
recordings = here.parents[2] / "recordings" / "asu-two-section"
arm = ca.load_arm("asu-two-section")
runs = [ca.read_recording(recordings / f"{name}.csv.gz", arm) for name in ("oct2_5", "oct2_9")]
found = ca.validate(arm, runs)

figure, panels = plt.subplots(2, 2, sharex="col", figsize=(9, 5), layout="constrained")
for run, (above, below) in zip(runs, panels.T, strict=True):
    tip = found[run.name]["tip 2"]
    seen = np.isfinite(tip.measured[:, 0])
    for axes, column, name in ((above, 0, "x"), (below, 2, "z")):
        axes.plot(tip.times[seen], 1e3 * tip.measured[seen, column], label="measured")
        axes.plot(tip.times, 1e3 * tip.predicted[:, column], "--", label="predicted")
        axes.set_ylabel(f"{name} of the tip, mm")
    above.set_title(f"{run.name}: {1e3 * tip.rms:.1f} mm rms, moving by {1e3 * tip.motion:.0f} mm")
    below.set_xlabel("time, s")
panels[0, 0].legend()
plt.show()
