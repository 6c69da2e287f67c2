"""Makes docs/pictures/motion.gif: an arm under pressure steps, its discs and muscles drawn.

python docs/make_moving_picture.py [FILE]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from matplotlib.animation import FuncAnimation, PillowWriter
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import continuarm as ca

PICTURE = Path(__file__).parent / "pictures" / "motion.gif"
STEPS = {
    "l33": [(0.3, 500e3), (4.0, 0.0)],
    "l23": [(1.2, 350e3), (4.0, 0.0)],
    "l11": [(2.4, 400e3), (4.0, 0.0)],
}
DURATION, RATE, FINER = 5.6, 15, 10  # s, pictures a second, points of the tip's way between two of them
DISCS = 7  # of a section
COLOURS = ("#0b3c5d", "#1d6996", "#4fa3c7")


def main(target: Path = PICTURE) -> None:
    arm = ca.load_arm("prototype")
    motion = ca.simulate(arm, ca.PressureSteps(STEPS), duration=DURATION, rate=RATE * FINER, start="equilibrium")
    poses = ca.poses_along(arm, motion.q[::FINER], np.linspace(0, 1, DISCS))  # (k, n, discs, 4, 4)
    angles = np.linspace(0, 2 * np.pi, 25)
    radii = np.array([section.radius for section in arm.sections])[:, None]
    rims = np.stack([radii * np.cos(angles), radii * np.sin(angles), 0 * radii * angles, 1 + 0 * radii * angles])
    discs = 1e3 * np.einsum("knzij,jnp->knzpi", poses, rims)[..., :3]  # mm

    figure = Figure(figsize=(4.6, 4.4), dpi=100)
    FigureCanvasAgg(figure)
    axes = figure.add_axes((-0.2, -0.2, 1.4, 1.4), projection="3d")
    axes.set_axis_off()
    axes.set(xlim=(-190, 190), ylim=(-190, 190), zlim=(-470, 10), box_aspect=(380, 380, 480))
    axes.view_init(elev=12, azim=-60)
    axes.plot([-60, 60, 60, -60, -60], [-60, -60, 60, 60, -60], [0] * 5, color="0.6", linewidth=1)
    lines = [
        [axes.plot([], [], [], color=colour, linewidth=1.6)[0] for _ in range(DISCS)]
        + [axes.plot([], [], [], color=colour, linewidth=3.2, alpha=0.8)[0] for _ in range(3)]
        for colour in COLOURS
    ]
    (trace,) = axes.plot([], [], [], color="#d55e00", linewidth=1.2)
    time = figure.text(0.06, 0.04, "", fontsize=11, family="monospace")

    def draw(k: int) -> None:
        for i, section in enumerate(lines):
            for z, line in enumerate(section[:DISCS]):
                line.set_data_3d(*(discs[k, i, z] * [1, 1, -1]).T)  # hanging: Z is down
            for j, line in enumerate(section[DISCS:]):
                line.set_data_3d(*(discs[k, i, :, 8 * j] * [1, 1, -1]).T)
        trace.set_data_3d(*(1e3 * motion.tips[: FINER * k + 1, -1] * [1, 1, -1]).T)
        time.set_text(f"{motion.t[FINER * k]:.1f} s")

    animation = FuncAnimation(figure, draw, frames=len(discs))
    target.parent.mkdir(exist_ok=True)
    animation.save(target, writer=PillowWriter(fps=RATE))
    print(f"{target}: {target.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
