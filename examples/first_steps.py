"""First steps: the paper's three-section arm in one state, and its first experiment with two inertia models."""

from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

import continuarm as ca
from continuarm.paper.experiments import LABEL, compare_models
from continuarm.simulation.plots import save_figure


def main():
    console = Console()
    arm = ca.load_arm("prototype")
    console.print(f"[bold]{arm.name}[/bold]: {arm.n} sections, {sum(s.mass for s in arm.sections):.3g} kg")

    q = np.array([0.00, 0.01, 0.02, 0.03, 0.00, 0.01, 0.00, 0.02, 0.04])  # muscle length changes, m
    qd = np.full(9, 0.05)  # m/s
    tau = np.array([0, 0, 40, 0, 30, 0, 0, 0, 60.0])  # muscle forces, N
    tips = ", ".join("({:.1f}, {:.1f}, {:.1f})".format(*tip) for tip in 1e3 * ca.tip_poses(arm, q)[:, :3, 3])
    console.print(f"section tips of one state, mm: {tips}")

    state = table("One state", "model", "kinetic energy, mJ", "least λ of M, kg", "largest q̈, m/s²")
    for inertia in (ca.Integral(), ca.CentreOfGravity(), ca.PointMass()):
        arm = arm.replace(inertia=inertia)
        state.add_row(
            inertia.model,
            f"{1e3 * ca.kinetic_energy(arm, q, qd):.4f}",
            f"{np.linalg.eigvalsh(ca.mass_matrix(arm, q))[0]:.2e}",
            f"{np.abs(ca.forward_dynamics(arm, q, qd, tau)).max():.2f}",
        )
    console.print(state)

    comparison = compare_models(1)
    seconds = comparison.experiment.duration
    runs = table(f"Experiment 1, {seconds} s: {LABEL}", "model", "times real time", "evaluations", "tips apart, mm")
    for name, motion in comparison.motions.items():
        difference = "" if motion is comparison.integral else f"{1e3 * comparison.largest.max():.3f}"
        record = motion.record
        runs.add_row(name, f"{record['real_time_factor']:.0f}", str(record["evaluations"]), difference)
    runs.add_row("the paper, as printed", f"{comparison.experiment.paper_factor:g}")
    console.print(runs)

    place = Path("out/experiment1.png")
    place.parent.mkdir(exist_ok=True)
    save_figure(comparison.plot(), place)
    comparison.integral.save("out/experiment1.nc")
    console.print(f"figure: {place}")
    console.print("see it move: .venv/bin/continuarm view out/experiment1.nc", highlight=False)


def table(title, *headings):
    made = Table(title=title, title_justify="left")
    for heading in headings:
        made.add_column(heading, justify="right")
    return made


if __name__ == "__main__":
    main()
