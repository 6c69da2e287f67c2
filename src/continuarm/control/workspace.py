"""The workspace: where muscles within their ranges can bring a place on the arm, as points and as a picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from continuarm.arms.arm import Arm, require_arm
from continuarm.common.number_checks import Floats, seed_number, whole_number
from continuarm.control.muscle_ranges import MuscleRanges
from continuarm.control.places import Place

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CHUNK = 100_000
"""Points that are computed together."""


@dataclass(frozen=True, eq=False, repr=False)
class Workspace:
    """Where a place on an arm can be.

    Attributes
    ----------
    arm : Arm
    q : ndarray, (count, 3n)
        Postures, m.
    points : ndarray, (count, 3)
        Where they bring the place, m, world frame.

    Examples
    --------
    >>> ca.reachable(ca.load_arm("prototype"), 1000)
    Workspace('prototype', 1000 points, X -0.44 to 0.48, Y -0.47 to 0.49, Z -0.37 to 0.53 m)
    """

    arm: Arm
    q: Floats
    points: Floats

    def __repr__(self) -> str:
        ends = zip("XYZ", self.points.min(axis=0), self.points.max(axis=0), strict=True)
        words = ", ".join(f"{letter} {low:.2f} to {high:.2f}" for letter, low, high in ends)
        return f"Workspace({self.arm.name!r}, {len(self.points)} points, {words} m)"

    def plot(self) -> Figure:
        """The points from two sides and from the end, each square as dark as it has postures.

        Returns
        -------
        matplotlib.figure.Figure
            Axes in mm.
        """
        from continuarm.drawing.figures import MM, new_figure, plain_axes

        figure = new_figure((9.0, 3.4))
        for k, (across, up) in enumerate(((0, 2), (1, 2), (0, 1))):
            axes = figure.add_axes((0.07 + 0.33 * k, 0.16, 0.25, 0.78))
            x, y = MM * self.points[:, across], MM * self.points[:, up]
            axes.hexbin(x, y, gridsize=60, bins="log", cmap="Blues", mincnt=1, linewidths=0.1)
            plain_axes(axes, f"{'XYZ'[across]}, mm", f"{'XYZ'[up]}, mm")
            axes.set_aspect("equal")
            if up == 2 and self.arm.gravity[2] > 0:  # it hangs: down is down
                axes.invert_yaxis()
        return figure


def reachable(
    arm: Arm,
    count: int = 100_000,
    *,
    at: int | tuple[int, float] | None = None,
    limits: ArrayLike | None = None,
    seed: int = 0,
    threads: int | None = None,
) -> Workspace:
    """The workspace of a place on the arm: where random postures within the ranges of its muscles bring it.

    Half of the postures are anywhere within the ranges; of the other half every muscle is at one end of its range with
    a chance of a half, which is where the workspace ends.

    Parameters
    ----------
    arm : Arm
    count : int, optional
        How many points, at most ten million.
    at : int or (int, float), optional
        The place: 2 is the tip of the second section, (2, 0.5) the middle of it; the last tip if left out.
    limits : array_like, (2,) or (muscles, 2), optional
        Least and greatest length change of the muscles, m; as for `inverse_kinematics`.
    seed : int, optional
        Of the random postures.
    threads : int, optional
        How many threads a batch may use; all processors if left out.

    Returns
    -------
    Workspace

    Examples
    --------
    >>> found = ca.reachable(ca.load_arm("prototype"), 10_000)
    >>> found.points.shape, bool(found.points[:, 2].max() <= 0.45 + 3 * 0.07)  # m: no lower than fully stretched
    ((10000, 3), True)
    """
    require_arm(arm)
    place, ranges = Place(arm, at), MuscleRanges(arm, limits)
    count = whole_number("count", count, least=1, most=10_000_000)
    rng = np.random.default_rng(seed_number("seed", seed))
    parts = []
    for low in range(0, count, CHUNK):
        size = min(CHUNK, count - low)
        q = ranges.samples(rng, size)
        ways = np.where(rng.uniform(size=q.shape) < 0.5, 1e3 * rng.choice([-1.0, 1.0], q.shape), 0.0)
        ways[: size // 2] = 0.0
        q = ranges.ahead(q, ways)
        parts.append((q, place.poses(q, threads)[:, :3, 3]))
    q, points = (np.concatenate(each) for each in zip(*parts, strict=True))
    return Workspace(arm, q, points)
