"""The three experiments of the paper, simulated with its own inertia model and with the exact one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from continuarm.arms.arm import Arm
from continuarm.arms.arm_file import load_arm
from continuarm.arms.inertia_models import CentreOfGravity, Integral
from continuarm.simulation.inputs import PressureSteps
from continuarm.simulation.motion import Motion
from continuarm.simulation.plots import plot_motion, tip_distances
from continuarm.simulation.simulator import simulate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]

LABEL = "simulated from assumed parameters; the paper's measurements are not public"
"""What must stand beside everything shown of these experiments."""


@dataclass(frozen=True)
class Experiment:
    """One experiment of the paper (section V): pressure steps on the three-section prototype."""

    number: int
    title: str
    steps: PressureSteps  # s, Pa
    duration: float  # s
    paper_factor: float  # how many times faster than real time the paper simulates it, as printed
    description: str


EXPERIMENTS = {
    each.number: each
    for each in (
        Experiment(
            number=1,
            title="one section after the other, in the plane y = 0",
            steps=PressureSteps({"l33": [(0.0, 600e3)], "l22": [(3.2, 500e3)], "l11": [(7.55, 500e3)]}),
            duration=10.5,
            paper_factor=6.69,
            description="Tip, middle and base section are driven in turn. The paper prints no length.",
        ),
        Experiment(
            number=2,
            title="middle and tip section in two planes",
            steps=PressureSteps({"l23": [(0.0, 300e3)], "l33": [(3.3, 500e3)]}),
            duration=7.0,
            paper_factor=7.8,
            description="The base section is not driven. The paper prints no length: 7.8 times its 0.89 s is 6.9 s.",
        ),
        Experiment(
            number=3,
            title="all sections, in planes that are not parallel",
            steps=PressureSteps({"l33": [(0.0, 500e3)], "l23": [(2.55, 300e3)], "l11": [(5.05, 300e3)]}),
            duration=7.9,
            paper_factor=7.3,
            description="Tip, middle and base section are driven in turn. The length is the paper's.",
        ),
    )
}
"""The experiments by their number."""


@dataclass(frozen=True)
class Comparison:
    """An experiment simulated with the exact inertia and with the paper's."""

    experiment: Experiment
    integral: Motion
    centre_of_gravity: Motion

    @cached_property
    def distances(self) -> Floats:
        """How far apart the section tips of the two motions are at each time: (k, n), m."""
        return tip_distances(self.integral, self.centre_of_gravity)

    @property
    def largest(self) -> Floats:
        """The largest distance of each section's tips: (n,), m."""
        return np.asarray(self.distances.max(axis=0))

    @property
    def final(self) -> Floats:
        """The distance of each section's tips at the end: (n,), m."""
        return self.distances[-1]

    @property
    def motions(self) -> dict[str, Motion]:
        """The motions by the name of their inertia model."""
        return {motion.arm.inertia.model: motion for motion in (self.integral, self.centre_of_gravity)}

    def plot(self) -> Figure:
        """The figure of both motions."""
        title = f"Experiment {self.experiment.number}: {self.experiment.title}"
        return plot_motion(self.integral, self.centre_of_gravity, title=title, note=LABEL)

    def table(self) -> dict[str, Any]:
        """All numbers worth printing, lengths in mm, as plain values."""
        counts = ("real_time_factor", "wall_time", "evaluations", "steps", "rejected")
        return {
            "experiment": self.experiment.number,
            "title": self.experiment.title,
            "label": LABEL,
            "arm": self.integral.arm.name,
            "duration": self.experiment.duration,
            "paper_real_time_factor": self.experiment.paper_factor,
            "models": {
                name: {count: motion.record.get(count) for count in counts} | {"stopped": motion.stopped}
                for name, motion in self.motions.items()
            },
            "largest_distance_mm": (1e3 * self.largest).tolist(),
            "final_distance_mm": (1e3 * self.final).tolist(),
        }


def compare_models(
    experiment: Experiment | int,
    arm: Arm | None = None,
    solver: Any = None,
    progress: Callable[[float], object] | None = None,
) -> Comparison:
    """An experiment, or its number, simulated with Integral() and with the paper's CentreOfGravity().

    arm: the prototype if left out; one that has a centre-of-gravity model keeps its coefficients.
    solver: as for simulate. progress is called with the share done, from 0 to 1.
    """
    if not isinstance(experiment, Experiment):
        if experiment not in EXPERIMENTS:
            raise ValueError(f"experiment = {experiment!r}: must be one of {', '.join(map(str, EXPERIMENTS))}")
        experiment = EXPERIMENTS[experiment]
    arm = load_arm("prototype") if arm is None else arm
    shaped = arm.inertia if isinstance(arm.inertia, CentreOfGravity) else CentreOfGravity()
    motions = []
    for k, inertia in enumerate((Integral(), shaped)):
        halved = None if progress is None else lambda share, k=k: progress((k + share) / 2)
        motion = simulate(
            arm.replace(inertia=inertia),
            experiment.steps,
            duration=experiment.duration,
            solver=solver,
            progress=halved,
        )
        motions.append(motion)
    return Comparison(experiment, *motions)
