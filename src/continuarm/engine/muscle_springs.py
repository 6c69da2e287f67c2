"""Springs along the muscles beside K_e, such as those of muscles that pressure stiffens."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from continuarm.arms.arm import Arm
from continuarm.arms.section import springs_over_lengths
from continuarm.common.limits import HIGHEST_PRESSURE
from continuarm.common.number_checks import Floats, entry, first, not_too_large, numbers_of_shape
from continuarm.dynamics.plant import Plant
from continuarm.engine.state_checks import checked, common_batch


def muscle_stiffness(arm: Arm, q: ArrayLike, pressures: ArrayLike) -> Floats:
    """κ P + 3 k3 l²: by how much muscles under pressure, and hardened by their length, are stiffer than K_e at rest.

    What `natural_frequencies`, `vibrations` and `linearization` take as `muscle_stiffness`: the slope of the force, and
    not the force over the length. Creep has relaxed, so that its branches add nothing; a motion that is fast against
    their times feels their k on top. Hysteresis, which stiffens small motions by a, and the lag of valves are left out.

    Parameters
    ----------
    arm : Arm
    q : array_like, (..., 3n)
        Where it rests, m.
    pressures : array_like, (..., muscles)
        In the muscles, Pa.

    Returns
    -------
    ndarray, (..., muscles)
        N/m, in the order of `arm.muscle_names`; zero where muscles neither stiffen nor harden.

    Examples
    --------
    >>> arm = ca.load_arm("prototype-muscles")
    >>> rest = ca.simulate(arm, ca.PressureSteps({"l33": [(0, 400e3)]}), duration=0.1, start="equilibrium")
    >>> springs = ca.muscle_stiffness(arm, rest.q[0], rest.pressures[0])
    >>> softer, stiffer = ca.natural_frequencies(arm), ca.natural_frequencies(arm, rest.q[0], muscle_stiffness=springs)
    >>> bool(stiffer[-1] > softer[-1])
    True
    """
    (at,) = checked(arm, q=q)
    muscles = len(arm.muscle_names)
    given = numbers_of_shape("pressures", pressures, muscles, f"{muscles} muscles of {arm.name!r}")
    wrong = ~((given >= 0) & (given <= HIGHEST_PRESSURE))
    if wrong.any():
        place = first(wrong)
        raise ValueError(
            f"{entry('pressures', place)} = {given[place]:g} Pa: must be 0 or more and at most {HIGHEST_PRESSURE:g}"
        )
    batch = common_batch({"q": at.shape, "pressures": given.shape})
    return np.array(np.broadcast_to(Plant(arm).muscle_stiffnesses(given, at), (*batch, muscles)))


def springs_over_q(arm: Arm, muscle_stiffness: ArrayLike) -> Floats:
    """Wᵀ k W of springs along the muscles: (..., muscles) -> (..., 3n, 3n), N/m."""
    muscles = len(arm.muscle_names)
    k = numbers_of_shape("muscle_stiffness", muscle_stiffness, muscles, f"{muscles} muscles of {arm.name!r}")
    not_too_large("muscle_stiffness", k, "N/m")
    if (k < 0).any():
        at = first(k < 0)
        raise ValueError(f"{entry('muscle_stiffness', at)} = {k[at]:g}: must be at least 0 N/m")
    whole, done = np.zeros((*k.shape[:-1], 3 * arm.n, 3 * arm.n)), 0
    for i, section in enumerate(arm.sections):
        own = slice(done, done := done + len(section.muscle_map))
        rows = slice(3 * i, 3 * i + 3)
        whole[..., rows, rows] = springs_over_lengths(section.muscle_map, k[..., own])
    return whole
