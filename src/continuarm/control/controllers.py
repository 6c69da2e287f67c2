"""Controllers: small frozen objects with one `command(t, state, reference)`, which gives pressures.

Each has an arm of its own, the model by which it computes; the plant may be another. `state` is a row of the plant's
state in the layout of that arm, `Plant(arm).states`. What a controller sums up or remembers of its last command begins
anew with a call whose time is not after that of the call before.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.common.argument_checks import choice, truth_value
from continuarm.common.number_checks import Floats, number_above, number_from_zero
from continuarm.common.shared_docs import with_entries_of
from continuarm.control.muscle_ranges import MuscleRanges
from continuarm.control.pressing import Memory, Pressing
from continuarm.control.reference_checks import target_at
from continuarm.control.references import Reference, Target
from continuarm.dynamics.plant_states import State
from continuarm.dynamics.tracking import summed, wanted_rate
from continuarm.engine.quantities import damping_forces, inverse_dynamics, tip_jacobian, tip_poses


@with_entries_of(Pressing)
@dataclass(frozen=True, eq=False)
class GravityCompensation(Pressing):
    """Gravity and springs made up for, and more springs and dampers towards the goal: slow, robust, needs no inertia.

    τ = G(g) + K_e g + k K_e (g - q) + d D (ġ - q̇) for a goal g: at rest it is exact, in motion it is behind.

    Parameters
    ----------
    arm : Arm
        The model.
    stiffness : float, optional
        k: so many times the springs of the arm are added.
    damping : float, optional
        d: so many times its dampers are added; a sampled damper of more than 1 shakes what is light.
    highest, fastest, lead, posture : see `Pressing`

    Examples
    --------
    >>> arm = ca.load_arm("prototype")
    >>> hold = ca.loop(ca.GravityCompensation(arm), ca.Point([0.05, 0.0, 0.55]), rate=200)
    >>> motion = ca.simulate(arm, hold, duration=5)
    >>> bool(np.linalg.norm(motion.tips[-1, -1] - [0.05, 0.0, 0.55]) < 5e-3)
    True
    """

    arm: Arm
    stiffness: float = 1.0
    damping: float = 0.5

    def __post_init__(self) -> None:
        self._check_limits(self.arm)
        for name in ("stiffness", "damping"):
            self._set(**{name: number_from_zero(name, getattr(self, name), 1e6, "", "times the arm's own")})

    def command(self, t: float, state: Floats, reference: Reference) -> Floats:
        memory = self._remembered(self.arm, 0)
        here, since = memory.plant.states.split(state), memory.passed(t)
        aim = memory.goal(self.arm, reference, self.posture, t)
        still = np.zeros_like(here.q)
        tau = inverse_dynamics(self.arm, aim.position, still, still, threads=1)
        off = self.stiffness * (aim.position - here.q)
        for i, section in enumerate(self.arm.sections):
            own = slice(3 * i, 3 * i + 3)
            tau[own] += section.stiffness_matrix @ off[own]
        tau += self.damping * damping_forces(self.arm, aim.velocity - here.qd, threads=1)
        return self._commands(memory, here, tau, since)[0]


@with_entries_of(Pressing)
@dataclass(frozen=True, eq=False)
class ComputedTorque(Pressing):
    """Computed torque: the model's forces for the acceleration and the velocity that bring the error to zero.

    τ = M a + C q̇ + D v + G + K_e q with a = g̈ + 3ω ė + 3ω² e + ω³ ∫e dt and v = ġ + 2ω e + ω² ∫e dt, e = g - q. Of the
    exact model errors die away as e^(-ωt), for (s + ω)² (M (s + ω) + D) = 0. Dampers are made up for at v and not at
    q̇: what damps the arm is not cancelled, which light and strongly damped arms with slow valves would not stand. With
    `space="tip"` the same law is for the tip, and a and v the least that give it; muscles stay near a posture. In
    muscles, and with a muscle for each coordinate, a loop runs in compiled code.

    Parameters
    ----------
    arm : Arm
        The model.
    bandwidth : float, optional
        ω: rad/s.
    space : {"muscles", "tip"}, optional
        In which the error is fed back. A reference of the tip becomes one of q in "muscles".
    integral : bool, optional
        Without, a = g̈ + 2ω ė + ω² e and v = ġ + ω e.
    highest, fastest, lead, posture : see `Pressing`

    Examples
    --------
    >>> arm = ca.load_arm("prototype")
    >>> circle = ca.Circle(radius=0.05, period=4.0, centre=[0.0, 0.0, 0.55])
    >>> motion = ca.simulate(arm, ca.loop(ca.ComputedTorque(arm), circle), duration=4)
    >>> off = np.linalg.norm(motion.tips[:, -1] - circle.at(motion.t).position, axis=1)
    >>> bool(np.sqrt((off[motion.t > 2] ** 2).mean()) < 0.9e-3)  # m, rms
    True
    """

    arm: Arm
    bandwidth: float = 30.0
    space: Literal["muscles", "tip"] = "muscles"
    integral: bool = True

    def __post_init__(self) -> None:
        self._check_limits(self.arm)
        self._set(bandwidth=number_above("bandwidth", self.bandwidth, 0.0, 1e4, "rad/s", "radians a second"))
        choice("space", self.space, ("muscles", "tip"))
        self._set(integral=truth_value("integral", self.integral))

    @property
    def gains(self) -> tuple[float, float, float]:
        """k_p, k_d and k_i: 1/s², 1/s and 1/s³."""
        w = float(self.bandwidth)
        return (3 * w**2, 3 * w, w**3) if self.integral else (w**2, 2 * w, 0.0)

    @property
    def velocity_gains(self) -> tuple[float, float, float]:
        """Those of v: 1/s, 1 and 1/s²."""
        w = float(self.bandwidth)
        return (2 * w, 1.0, w**2) if self.integral else (w, 1.0, 0.0)

    def command(self, t: float, state: Floats, reference: Reference) -> Floats:
        in_tip = self.space == "tip" and reference.space == "tip"
        memory = self._remembered(self.arm, 3 if in_tip else 3 * self.arm.n)
        if len(memory.sum) != (3 if in_tip else 3 * self.arm.n):
            raise ValueError("reference: must stay one of the tip, or one of q, from call to call")
        here, since = memory.plant.states.split(state), memory.passed(t)
        if in_tip:
            aim = target_at(reference, t)
            off, qdd, faster = self._of_tip(memory, here, aim)
        else:
            aim, off = memory.goal(self.arm, reference, self.posture, t), here.q
            qdd, faster = self._wanted(aim, here.q, here.qd, memory.sum)
        tau = inverse_dynamics(self.arm, here.q, here.qd, qdd, threads=1) + damping_forces(self.arm, faster, threads=1)
        commands, given = self._commands(memory, here, tau, since)
        # what saturates is not summed up
        memory.sum = np.asarray(summed(aim.position, off, memory.sum, since * (given.min() if in_tip else given)))
        return commands

    def _wanted(self, aim: Target, x: Floats, v: Floats, sum_off: Floats) -> tuple[Floats, Floats]:
        """The acceleration, and by how much the velocity should be more than it is."""
        still = np.zeros_like(x)
        qdd = wanted_rate(*aim, x, v, sum_off, *self.gains)
        faster = wanted_rate(aim.position, aim.velocity, still, x, v, sum_off, *self.velocity_gains)
        return np.asarray(qdd), np.asarray(faster)

    def _of_tip(self, memory: Memory, here: State, aim: Target) -> tuple[Floats, Floats, Floats]:
        """Where the tip is, q̈ with J q̈ = ẍ - J̇ q̇, and by how much q̇ should be more; towards the posture otherwise."""
        speed = np.linalg.norm(here.qd)
        h = 1e-4 / max(float(speed), 1e-4)  # s: the tip's Jacobian a tenth of a millimetre ahead and behind
        J, ahead, behind = tip_jacobian(
            self.arm, np.stack([here.q, here.q + h * here.qd, here.q - h * here.qd]), threads=1
        )[:, -1, 3:]
        there = tip_poses(self.arm, here.q, threads=1)[-1, :3, 3]
        wanted, faster = self._wanted(aim, there, J @ here.qd, memory.sum)
        near = MuscleRanges(self.arm).middle if self.posture is None else np.asarray(self.posture, dtype=float)
        w = float(self.bandwidth) / 2
        back = w * (near - here.q) - here.qd  # by how much faster, were the posture all that mattered
        least = J.T @ np.linalg.inv(J @ J.T + 1e-6 * np.trace(J @ J.T) * np.eye(3))
        qdd = 2 * w * back + least @ (wanted - (ahead - behind) @ here.qd / (2 * h) - 2 * w * J @ back)
        return there, qdd, back + least @ (faster - J @ back)
