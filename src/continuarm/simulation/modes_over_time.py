"""A natural mode as a motion: how an arm swings about a static state, to be seen, drawn and saved."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from continuarm.arms.arm import Arm, require_arm
from continuarm.common.number_checks import Floats, as_float, is_number, real_numbers
from continuarm.common.text import short
from continuarm.engine.muscle_springs import springs_over_q
from continuarm.engine.quantities import elastic_forces, gravity_forces, tip_jacobian, tip_poses, wrench_forces
from continuarm.engine.state_checks import check_range, checked
from continuarm.simulation.motion import Motion
from continuarm.statics.modes import mode_shapes
from continuarm.statics.rest import place_of_rest

STATES = 120
"""Of one period."""
SHARE = 0.05
"""The amplitude if none is given, in lengths of the arm."""


def mode_motion(
    arm: Arm,
    mode: int = 1,
    q: ArrayLike | None = None,
    *,
    wrench: ArrayLike | None = None,
    muscle_stiffness: ArrayLike | None = None,
    amplitude: float | None = None,
) -> Motion:
    """One period of a natural mode about a static state, numbered from the slowest: q + x cos ωt, H x = ω² M x.

    The linear motion without damping is drawn, however large: an arm moves so only in the limit of small amplitudes.

    Parameters
    ----------
    arm : Arm
    mode : int, optional
        From 1, the slowest, to 3n.
    q : array_like, (3n,), optional
        The static state, m; where the arm rests if left out.
    wrench : array_like, (6,), optional
        Moment, N m, and force, N, on the last tip, as in `natural_frequencies`.
    muscle_stiffness : array_like, (muscles,), optional
        By which muscles are stiffer than without pressure, N/m, as in `natural_frequencies`.
    amplitude : float, optional
        How far the section tip that moves most goes to each side, m, by the linearization; if left out, a twentieth
        of the arm's length, or less for modes that bend sections too far for that.

    Returns
    -------
    Motion

    Examples
    --------
    >>> arm = ca.load_arm("prototype")
    >>> swing = ca.mode_motion(arm, 1)
    >>> round(1 / float(swing.t[-1]), 2), round(float(ca.natural_frequencies(arm, ca.equilibrium(arm))[0]), 2)  # Hz
    (1.26, 1.26)
    """
    require_arm(arm)
    if not is_number(mode) or not isinstance(mode, (int, np.integer)) or not 1 <= mode <= 3 * arm.n:
        raise ValueError(f"mode = {short(mode)}: must be a whole number from 1 to {3 * arm.n}")
    length = sum(section.length + section.offset for section in arm.sections)
    reach = SHARE * length if amplitude is None else as_float(amplitude)
    if not 0 < reach <= length:
        limits = f"more than 0 m and at most the arm's length, {length:g} m"
        raise ValueError(f"amplitude = {short(amplitude)}: must be {limits}")
    loads = {"wrench": (wrench, 6), "muscle_stiffness": (muscle_stiffness, len(arm.muscle_names))}
    for name, (given, width) in loads.items():
        if given is not None and real_numbers(name, given, f"{width} numbers").shape != (width,):
            raise ValueError(f"{name} has shape {np.shape(given)}: must be ({width},), of one state")
    (rest,) = checked(arm, q=place_of_rest(arm, wrench, muscle_stiffness) if q is None else q)
    if rest.shape != (3 * arm.n,):
        raise ValueError(f"q has shape {rest.shape}: must be ({3 * arm.n},), one state")
    frequencies, shapes = mode_shapes(arm, rest, wrench, muscle_stiffness)
    frequency, shape = float(frequencies[mode - 1]), shapes[:, mode - 1]
    if not frequency > 0:
        raise ValueError(f"mode {mode} of {arm.name!r} does not swing: its frequency is 0 Hz")
    shape = reach / _farthest(arm, rest, shape) * shape
    while amplitude is None and not _almost_linear(arm, rest, shape, reach):
        shape, reach = shape / 2, reach / 2
        if reach < 1e-9 * length:
            raise ValueError(f"q is at the edge of the model's range: mode {mode} cannot swing about it")
    t = np.linspace(0.0, 1 / frequency, STATES + 1)
    angle = 2 * np.pi * frequency * t[:, None]
    away = np.cos(angle) * shape
    held = _holding(arm, rest, wrench)
    if muscle_stiffness is not None:
        held = held - away @ springs_over_q(arm, muscle_stiffness).T
    muscles = np.zeros((len(t), len(arm.muscle_names)))
    load = np.zeros(6) if wrench is None else np.asarray(wrench, dtype=float)
    words = f"mode {mode} of {3 * arm.n}: {frequency:.3g} Hz, drawn with an amplitude of {1e3 * reach:.3g} mm"
    return Motion(
        arm,
        t,
        q=rest + away,
        qd=-2 * np.pi * frequency * np.sin(angle) * shape,
        tau=np.broadcast_to(held, away.shape).copy(),
        pressures=muscles,
        hysteresis=muscles.copy(),
        wrench=np.tile(load, (len(t), 1)),
        supplied=np.zeros(len(t)),
        dissipated=np.zeros(len(t)),
        record={"solver": "linear", "mode": words, "frequency": frequency},
    )


def _farthest(arm: Arm, q: Floats, shape: Floats) -> float:
    """How far the section tip that moves most goes, m, for a small change of q along a shape (3n,)."""
    return float(np.linalg.norm(tip_jacobian(arm, q)[:, 3:] @ shape, axis=-1).max())


def _almost_linear(arm: Arm, q: Floats, shape: Floats, reach: float) -> bool:
    """Whether the tips, with q changed by a shape (3n,), go about as far as the linearization says, m."""
    ends = np.stack([q + shape, q - shape])
    try:
        check_range(arm, ends)
    except ValueError:
        return False
    ways = np.linalg.norm(tip_poses(arm, ends)[..., :3, 3] - tip_poses(arm, q)[:, :3, 3], axis=-1)
    return bool(abs(ways.max() / reach - 1) < 0.25)


def _holding(arm: Arm, q: Floats, wrench: ArrayLike | None) -> Floats:
    """The muscle forces that hold a static state: (3n,), N; zero where no more than rounding is left."""
    weight, springs = gravity_forces(arm, q), elastic_forces(arm, q)
    load = 0.0 * q if wrench is None else wrench_forces(arm, q, wrench)
    found = weight + springs - load
    largest = max(np.abs(each).max() for each in (weight, springs, load))
    return np.where(np.abs(found) > 1e-6 * largest, found, 0.0)
