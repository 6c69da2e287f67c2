"""A reference of the tip as q over time: inverse kinematics along it, and a spline through what was found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from continuarm.arms.arm import Arm, require_arm
from continuarm.common.number_checks import Floats, finite, number_above, real_numbers
from continuarm.control.muscle_ranges import MuscleRanges
from continuarm.control.postures import inverse_kinematics
from continuarm.control.reference_checks import target_at
from continuarm.control.references import Reference, Target
from continuarm.engine.state_checks import checked

AHEAD, FURTHER = 4.0, 1.25
"""A path is computed for so many s, and then so many times as far as it is asked for: in few large batches."""
MARGIN = 4
"""Knots more at both ends, so that a spline does not feel where it ends."""


@dataclass(frozen=True, eq=False)
class InMuscles:
    """A reference of the tip as one of q: at every time the posture nearest to a given one that brings the tip there.

    Inverse kinematics with `prefer="change"` at a rate, and a cubic spline between. A target out of reach is followed
    by the nearest posture that was found. A closed path of the tip is a closed path of q.

    Parameters
    ----------
    arm : Arm
    reference : Reference
        Of the tip; one of q is given back as it is.
    posture : array_like, (3n,), optional
        To which the muscles stay near, m; the middle of their ranges if left out.
    rate : float, optional
        Of the inverse kinematics, Hz.

    Examples
    --------
    >>> arm = ca.load_arm("prototype")
    >>> circle = ca.Circle(radius=0.05, period=4.0, centre=[0.0, 0.0, 0.55])
    >>> q = ca.InMuscles(arm, circle).at([0.0, 1.0, 2.5]).position
    >>> bool(abs(ca.tip_poses(arm, q)[:, -1, :3, 3] - circle.at([0.0, 1.0, 2.5]).position).max() < 1e-6)
    True
    """

    arm: Arm
    reference: Reference
    posture: ArrayLike | None = None
    rate: float = 25.0
    _known: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def space(self) -> Literal["muscles"]:
        """Positions are q."""
        return "muscles"

    def __post_init__(self) -> None:
        require_arm(self.arm)
        require_reference(self.reference)
        object.__setattr__(self, "rate", number_above("rate", self.rate, 0.1, 1e5, "Hz", "hertz"))
        if self.posture is not None:
            object.__setattr__(self, "posture", one_posture(self.arm, "posture", self.posture))
        if self.reference.space == "muscles":
            size = self.reference.at(0.0).position.shape[-1]
            if size != 3 * self.arm.n:
                raise ValueError(f"reference has {size} numbers: must have {3 * self.arm.n}, as q of {self.arm.name!r}")

    def at(self, t: ArrayLike) -> Target:
        """q at some times, and its derivatives.

        Parameters
        ----------
        t : array_like, (...)
            s, 0 or later.

        Returns
        -------
        Target
            position, velocity and acceleration: (..., 3n), m, m/s and m/s².
        """
        asked = finite("t", real_numbers("t", t, "a time or times, s"))
        if self.reference.space == "muscles":
            return target_at(self.reference, asked)
        spline = self._spline(float(asked.max(initial=0.0)))
        return Target(np.asarray(spline(asked)), np.asarray(spline(asked, 1)), np.asarray(spline(asked, 2)))

    def _spline(self, until: float) -> Any:
        from scipy.interpolate import CubicSpline

        known = self._known
        if known.get("until", -1.0) < until:
            q = known.get("q", np.zeros((0, 3 * self.arm.n)))
            last = int(np.ceil(max(AHEAD, FURTHER * until) * self.rate)) + MARGIN
            times = np.arange(len(q) - MARGIN, last + 1) / self.rate  # the first knots are before 0
            q = np.concatenate([q, self._postures(times)])
            known["q"], known["until"] = q, (last - MARGIN) / self.rate
            known["spline"] = CubicSpline((np.arange(len(q)) - MARGIN) / self.rate, q)
        return known["spline"]

    def _postures(self, times: Floats) -> Floats:
        near = MuscleRanges(self.arm).middle if self.posture is None else np.asarray(self.posture, dtype=float)
        targets = target_at(self.reference, times).position
        return inverse_kinematics(self.arm, targets, start=near, prefer="change", tolerance=1e-8).q


def one_posture(arm: Arm, name: str, q: ArrayLike) -> Floats:
    """One q (3n,) that the arm can have, which nobody can write to."""
    found = checked(arm, {"q": name}, q=q)[0].copy()
    if found.ndim != 1:
        raise ValueError(f"{name} has shape {found.shape}: must be ({3 * arm.n},), one posture")
    found.flags.writeable = False
    return found


def require_reference(reference: object) -> None:
    """Raises TypeError unless something can be followed."""
    if isinstance(reference, type) or not callable(getattr(reference, "at", None)):
        kind = type(reference).__name__
        raise TypeError(
            f"reference is {kind}: must be Point(...), MinimumJerk(...), Circle(...), Sampled(...) or alike"
        )
    if getattr(reference, "space", None) not in ("tip", "muscles"):
        raise ValueError("reference: its space must be 'tip' or 'muscles'")
