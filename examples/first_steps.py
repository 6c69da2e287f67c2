"""First steps: the paper's three-section arm, its dynamics with three inertia models, and its first experiment."""

import time

import numpy as np
from rich.console import Console
from rich.table import Table

import continuarm as ca


def main():
    console = Console()
    arm = ca.load_arm("prototype")
    console.print(f"[bold]{arm.name}[/bold]: {arm.n} sections, {sum(s.mass for s in arm.sections):.3g} kg")

    q = np.array([0.00, 0.01, 0.02, 0.03, 0.00, 0.01, 0.00, 0.02, 0.04])  # muscle length changes, m
    qd = np.full(9, 0.05)  # m/s
    tau = np.array([0, 0, 40, 0, 30, 0, 0, 0, 60.0])  # muscle forces, N

    models = {
        "integral (exact)": arm,
        "centre of gravity": arm.replace(inertia=ca.CentreOfGravity()),
        "point mass": arm.replace(inertia=ca.PointMass()),
    }
    table = Table(title="One state, three inertia models")
    for heading in ("model", "kinetic energy, mJ", "eigenvalues of M, kg", "largest q̈, m/s²", "round trip error"):
        table.add_column(heading, justify="right")
    for name, arm in models.items():
        eigenvalues = np.linalg.eigvalsh(ca.mass_matrix(arm, q))
        qdd = ca.forward_dynamics(arm, q, qd, tau)
        error = np.abs(ca.inverse_dynamics(arm, q, qd, qdd) - tau).max() / np.abs(tau).max()
        table.add_row(
            name,
            f"{1e3 * ca.kinetic_energy(arm, q, qd):.4f}",
            f"{eigenvalues[0]:.2e} ... {eigenvalues[-1]:.2e}",
            f"{np.abs(qdd).max():.2f}",
            f"{error:.0e}",
        )
    console.print(table)

    arm = models["integral (exact)"]
    tips = Table(title="Tips of the sections, mm")
    for heading in ("section", "x", "y", "z"):
        tips.add_column(heading, justify="right")
    for i, position in enumerate(1e3 * ca.tip_poses(arm, q)[:, :3, 3]):
        tips.add_row(str(i + 1), *(f"{value:.2f}" for value in position))
    console.print(tips)

    # the paper's experiment 1: pressure steps, kPa at seconds; stiffness and damping are assumed, not measured
    steps = ca.PressureSteps({"l33": [(0, 600)], "l22": [(3.2, 500)], "l11": [(7.55, 500)]})
    motions = {name: ca.simulate(models[name], steps, duration=10.5) for name in list(models)[:2]}
    exact = motions["integral (exact)"]
    runs = Table(title="Experiment 1, 10.5 s simulated")
    for heading in ("model", "times real time", "evaluations", "largest tip difference, mm"):
        runs.add_column(heading, justify="right")
    for name, motion in motions.items():
        difference = 1e3 * np.linalg.norm(motion.tips - exact.tips, axis=-1).max()
        speed, evaluations = motion.record["real_time_factor"], motion.record["evaluations"]
        runs.add_row(name, f"{speed:.0f}", str(evaluations), f"{difference:.3f}")
    console.print(runs)

    batch = np.tile(q, (10_000, 1))
    start = time.perf_counter()
    ca.forward_dynamics(arm, batch, qd, tau)
    console.print(f"10,000 arms in one call: {1e6 * (time.perf_counter() - start) / 10_000:.1f} µs per arm")


if __name__ == "__main__":
    main()
