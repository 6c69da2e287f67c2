"""An arm file from measured motion: recordings of an arm whose parameters are known, and how well a fit finds them.

The recordings are simulated: cameras at 30 Hz with 1 mm of noise see the three section tips, late by up to 50 ms.
"""

from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

import continuarm as ca
from continuarm.identification.fit import identify
from continuarm.identification.fitted_parameters import with_error
from continuarm.identification.recording import Recording
from continuarm.identification.recording_file import read_recording, write_recording
from continuarm.identification.synthetic_recordings import simulated_recording, tip_sensors

OUT = Path("out/identify")
RUNS = {  # pressure steps, muscle: [(s, Pa)], and by how much the cameras are late, s
    "run1": ({"l33": [(0.5, 600e3)], "l22": [(3.5, 500e3)], "l11": [(7.0, 500e3)]}, 0.05),
    "run2": ({"l23": [(0.5, 400e3)], "l31": [(3.3, 500e3)], "l12": [(6.5, 300e3)]}, 0.02),
    "run3": ({"l32": [(0.5, 500e3)], "l21": [(3.0, 300e3)], "l13": [(6.0, 300e3)]}, -0.01),
    "later": ({"l31": [(0.5, 450e3)], "l12": [(4.0, 400e3)]}, 0.03),
}
FREE = ["stiffness per section", "damping", "muscle_area", "dead_zone"]


def main():
    console = Console()
    OUT.mkdir(parents=True, exist_ok=True)
    arm = ca.load_arm("prototype")  # what the laboratory believes
    truth = arm.replace(  # what it has
        sections=[
            section.replace(stiffness=stiffness, damping=80.0, muscle_area=1.1e-4, dead_zone=70e3)
            for section, stiffness in zip(arm.sections, (1450.0, 1550.0, 1300.0), strict=True)
        ]
    )
    measure(truth)

    recordings = [read_recording(OUT / f"{name}.csv", arm) for name in RUNS]
    found = identify(arm, recordings[:3], FREE, held_out=recordings[3:])

    table = Table(title="Parameters of the arm", title_justify="left")
    for heading in ("parameter", "believed", "truth", "found ± standard error", "unit"):
        table.add_column(heading, justify="right")
    known = {f"stiffness of section {i}": s.stiffness for i, s in enumerate(truth.sections, start=1)}
    known |= {name: getattr(truth.sections[0], name) for name in ("damping", "muscle_area", "dead_zone")}
    known |= {f"delay of {name}": delay for name, (_, delay) in RUNS.items()}
    for each in found.parameters:
        found_with_error = with_error(each.value, each.standard_error)
        table.add_row(each.name, f"{each.start:.5g}", f"{known[each.name]:.5g}", found_with_error, each.unit)
    console.print(table)
    for each in found.held_out:
        console.print(
            f"{each.recording}, not fitted to: {each.sensor} has an rms distance of {1e3 * each.distance:.2f} mm"
        )
    console.print(found.verdict)
    for sentence in (*found.undetermined, *found.warnings):
        console.print(f"warning: {sentence}")

    found.save(OUT / "fitted.toml")
    found.report(OUT / "fit.html")
    console.print(f"{found.record['wall_time']:.1f} s; written: {OUT / 'fitted.toml'}, {OUT / 'fit.html'}")


def measure(truth):
    """Tables as a laboratory would have them."""
    times = np.arange(301) / 30
    for seed, (name, (steps, delay)) in enumerate(RUNS.items()):
        blank = Recording(name, ca.PressureSteps(steps), times, tip_sensors(truth, len(times)))
        seen = simulated_recording(truth, blank, noise=1e-3, delay=delay, seed=seed)
        write_recording(seen, truth, OUT / f"{name}.csv")


if __name__ == "__main__":
    main()
