"""Motions for the tests of their files, figures and pages."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from continuarm import Arm, Motion, Muscles
from continuarm.dynamics.plant import Plant
from continuarm.simulation.motion import ROWS
from random_arms import random_arm, random_lengths, random_rates

RECORD = {"solver": "Adaptive(rtol=1e-06)", "steps": 12, "wall_time": 0.1 + 0.2, "errors": [1e-9, None], "größe": "µ"}


def an_arm(sections: int = 2) -> Arm:
    """Its first section has four muscles: coordinates and muscles differ in number."""
    arm = random_arm(np.random.default_rng(0), sections, name='an "arm" µ')
    four = Muscles(angles=[0.0, 1.5, 3.0, 4.5], radii=[0.01, 0.02, 0.01, 0.02])
    return arm.replace(sections=[arm.sections[0].replace(muscles=four, stiffness=900.0), *arm.sections[1:]])


def a_motion(rows: int, arm: Arm | None = None, seed: int = 0) -> Motion:
    """Numbers of every size and no physics: 20 states in range, over and over, and random rows beside them."""
    arm = arm or an_arm()
    rng = np.random.default_rng(seed)
    lengths = np.array([random_lengths(rng, arm) for _ in range(20)])
    rates = np.array([random_rates(rng, arm) for _ in range(20)])
    muscles = sum(len(section.muscle_map) for section in arm.sections)
    widths = {"tau": (3 * arm.n,), "pressures": (muscles,), "hysteresis": (muscles,), "wrench": (6,)}
    widths |= {"supplied": (), "dissipated": ()}
    fields = {name: rng.normal(size=(rows, *w)) * 10.0 ** rng.integers(-300, 300) for name, w in widths.items()}
    t = np.cumsum(rng.uniform(0, 0.01, rows))
    return Motion(arm, t, q=np.resize(lengths, (rows, 3 * arm.n)), qd=np.resize(rates, (rows, 3 * arm.n)), **fields)


def looped(motion: Motion, *names: str) -> Motion:
    """The same as the motion of a closed loop, with some of what that followed, commanded and believed."""
    rng, (count, muscles), size = np.random.default_rng(1), motion.pressures.shape, motion.q.shape[1]
    widths = {"reference": 3, "reference_q": size, "command": muscles, "estimate": size}
    return replace(motion, followed={name: rng.normal(size=(count, widths[name])) for name in names})


def swinging(arm: Arm, t: np.ndarray, size: float, pressures: np.ndarray, forces: np.ndarray | float = 0.0) -> Motion:
    """Muscles that swing with different phases. What is shown need not be dynamics."""
    phases = np.arange(3 * arm.n)
    q, qd = size * np.sin(3 * t[:, None] + phases), 3 * size * np.cos(3 * t[:, None] + phases)
    held, wrench = np.zeros_like(pressures), np.zeros((len(t), 6))
    tau = Plant(arm).muscle_forces(pressures, held, q) + forces
    return Motion(arm, t, q, qd, tau, pressures, held, wrench, t**2, 0.5 * t**2, {"solver": "by hand"})


def bits(motion: Motion) -> list[bytes]:
    rows = [*(getattr(motion, name) for name in ROWS), *motion.sensitivities.values(), *motion.followed.values()]
    return [
        " ".join([*motion.sensitivities, *motion.followed]).encode(),
        *(np.ascontiguousarray(each).tobytes() for each in rows),
    ]


def parts(motion: Motion, size: int) -> list[Motion]:
    return [motion.rows(slice(start, start + size)) for start in range(0, len(motion.t), size)]


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())
