"""A motion: what an arm did over time, and how it was computed."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from continuarm.arm import Arm
from continuarm.energy import elastic_energy, gravitational_energy, kinetic_energy
from continuarm.kinematics import tip_poses

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Motion:
    """States of an arm at output times.

    t (k,) in s, q and qd (k, 3n) in m and m/s, tau (k, 3n) in N; `record` says what the solver did and how long it
    took; `stopped` is empty, or why the motion ends before it was to.
    """

    arm: Arm
    t: Floats
    q: Floats
    qd: Floats
    tau: Floats
    record: dict[str, Any] = field(default_factory=dict)
    stopped: str = ""

    @cached_property
    def tips(self) -> Floats:
        """Positions of the section tips in the world frame: (k, n, 3), m."""
        return np.asarray(tip_poses(self.arm, self.q)[..., :3, 3])

    @cached_property
    def energies(self) -> dict[str, Floats]:
        """Kinetic, gravitational and elastic energy: (k,) each, J."""
        return {
            "kinetic": kinetic_energy(self.arm, self.q, self.qd),
            "gravitational": gravitational_energy(self.arm, self.q),
            "elastic": elastic_energy(self.arm, self.q),
        }

    def __repr__(self) -> str:
        end = f", stopped: {self.stopped}" if self.stopped else ""
        return f"<Motion of {self.arm.name!r}: {len(self.t)} states over {self.t[-1] if len(self.t) else 0:g} s{end}>"
