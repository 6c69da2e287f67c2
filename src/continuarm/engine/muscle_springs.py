"""Springs along the muscles beside K_e, such as those of muscles that pressure stiffens."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from continuarm.arms.arm import Arm
from continuarm.arms.section import springs_over_lengths
from continuarm.common.number_checks import Floats, entry, first, not_too_large, numbers_of_shape


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
