"""Linear-quadratic regulation about a posture, or about several along a path."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from continuarm.arms.arm import Arm
from continuarm.common.number_checks import Floats, number_above, real_numbers
from continuarm.common.shared_docs import with_entries_of
from continuarm.control.muscle_goals import one_posture
from continuarm.control.pressing import Pressing
from continuarm.control.references import Reference
from continuarm.dynamics.tracking import summed
from continuarm.engine.quantities import inverse_dynamics, linearization
from continuarm.engine.state_checks import checked


@with_entries_of(Pressing)
@dataclass(frozen=True, eq=False)
class LQR(Pressing):
    """A linear-quadratic regulator about a posture, or scheduled along several, with integral action.

    τ = τ(g, ġ, g̈) - K (q - g, q̇ - ġ, ∫(q - g) dt), τ(...) the model's inverse dynamics of the goal; K is the gain of
    least ∫ (δq/length)² + (δq̇/speed)² + (∫δq/sum)² + (δτ/force)² dt for small motions about the posture, where each of
    the four is what counts as much as the others. Of several postures in the order of a path, each has a gain of its
    own; K is on the straight line between those of the two between which the goal is, by the place on the polyline
    through the postures that is nearest to it.

    Parameters
    ----------
    arm : Arm
        The model.
    about : array_like, (3n,) or (k, 3n)
        The posture about which the arm is linear, m, or several along a path; a closed one ends where it begins.
    length, speed, sum, force : float, optional
        m, m/s, m s and N.
    highest, fastest, lead : see `Pressing`
    posture : array_like, (3n,), optional
        To which muscles stay near where the reference is of the tip, m; `about`, or the first of them, if left out.

    Examples
    --------
    >>> arm = ca.load_arm("prototype")
    >>> q = ca.inverse_kinematics(arm, [0.05, 0.0, 0.55], start=np.full(9, 0.03), prefer="change").q
    >>> hold = ca.loop(ca.LQR(arm, q), ca.Point(q, space="muscles"), rate=200)
    >>> motion = ca.simulate(arm, hold, duration=2)
    >>> bool(np.linalg.norm(motion.tips[-1, -1] - [0.05, 0.0, 0.55]) < 1e-3)
    True

    Gains scheduled along a circle:

    >>> path = ca.InMuscles(arm, ca.Circle(radius=0.1, period=4.0, centre=[0.0, 0.0, 0.5]), posture=np.full(9, 0.02))
    >>> ca.LQR(arm, path.at(np.linspace(0, 4, 9)).position).gain().shape
    (9, 9, 27)
    """

    arm: Arm
    about: ArrayLike
    length: float = 1e-3
    speed: float = 0.1
    sum: float = 1e-3
    force: float = 3.0

    def __post_init__(self) -> None:
        self._check_limits(self.arm)
        self._set(about=_postures(self.arm, self.about))
        for name, unit in (("length", "m"), ("speed", "m/s"), ("sum", "m s"), ("force", "N")):
            self._set(**{name: number_above(name, getattr(self, name), 1e-9, 1e9, unit, unit)})

    def gain(self) -> Floats:
        """K of τ over q, q̇ and ∫q dt, of every posture of `about`.

        Returns
        -------
        ndarray, (3n, 9n) or (k, 3n, 9n)
            N/m, N s/m and N/(m s), a block each.
        """
        about = np.asarray(self.about)
        found = [self._gain(q, f"about[{row}]" if about.ndim > 1 else "about") for row, q in enumerate(self._rows)]
        return np.reshape(found, (*about.shape[:-1], *found[0].shape))

    @property
    def _rows(self) -> Floats:
        """The postures, (k, 3n)."""
        return np.atleast_2d(np.asarray(self.about))

    def _gain(self, q: Floats, name: str) -> Floats:
        from scipy.linalg import solve_continuous_are

        size = 3 * self.arm.n
        still = np.zeros(size)
        A, B = linearization(self.arm, q, still, inverse_dynamics(self.arm, q, still, still))
        whole, drive = np.zeros((3 * size, 3 * size)), np.zeros((3 * size, size))
        whole[: 2 * size, : 2 * size], drive[: 2 * size] = A, B
        whole[2 * size :, :size] = np.eye(size)
        cost = self.force**-2.0 * np.eye(size)
        # in units in which all states are of one size: the equation is far better conditioned
        units = np.repeat([self.length, self.speed, self.sum], size)
        try:
            P = solve_continuous_are(whole * units / units[:, None], drive / units[:, None], np.eye(3 * size), cost)
        except np.linalg.LinAlgError as error:
            raise ValueError(
                f"{name}: the regulator has no gain there, where its equation is not solved: {error}"
            ) from None
        return np.asarray(np.linalg.solve(cost, (drive / units[:, None]).T @ P) / units)

    def _scheduled(self, gains: Floats, goal: Floats) -> Floats:
        """The gain at a goal (3n,), of those of all postures, (k, 3n, 9n)."""
        rows = self._rows
        if len(rows) == 1:
            return np.asarray(gains[0])
        ways = np.diff(rows, axis=0)
        lengths = np.maximum((ways * ways).sum(axis=1), 1e-300)  # of two that are the same, either will do
        parts = np.clip(((goal - rows[:-1]) * ways).sum(axis=1) / lengths, 0.0, 1.0)
        k = int(np.argmin(np.linalg.norm(rows[:-1] + parts[:, None] * ways - goal, axis=1)))
        return np.asarray(gains[k] + parts[k] * (gains[k + 1] - gains[k]))

    def command(self, t: float, state: Floats, reference: Reference) -> Floats:
        memory = self._remembered(self.arm, 3 * self.arm.n)
        kept: Any = self._memory
        if "gain" not in kept:
            kept["gain"] = self.gain().reshape(len(self._rows), 3 * self.arm.n, -1)
        here, since = memory.plant.states.split(state), memory.passed(t)
        near = self._rows[0] if self.posture is None else self.posture
        aim = memory.goal(self.arm, reference, near, t)
        off = np.concatenate([here.q - aim.position, here.qd - aim.velocity, -memory.sum])
        tau = inverse_dynamics(self.arm, *aim, threads=1) - self._scheduled(kept["gain"], aim.position) @ off
        commands, given = self._commands(memory, here, tau, since)
        memory.sum = np.asarray(summed(aim.position, here.q, memory.sum, since * given))
        return commands


def _postures(arm: Arm, about: ArrayLike) -> Floats:
    """One q (3n,) that the arm can have, or several, (k, 3n), which nobody can write to."""
    if real_numbers("about", about, "one q, or rows of them").ndim != 2:
        return one_posture(arm, "about", about)
    found = checked(arm, {"q": "about"}, q=about)[0].copy()
    if not len(found):
        raise ValueError(f"about has shape {found.shape}: must be ({3 * arm.n},), or one row or more of them")
    found.flags.writeable = False
    return found
