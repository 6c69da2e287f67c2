"""How strong a hand on a page may push the tip of an arm."""

from __future__ import annotations

import numpy as np
from scipy.linalg import block_diag

from continuarm.arms.arm import Arm
from continuarm.common.number_checks import Floats
from continuarm.engine.quantities import static_stiffness, tip_jacobian

ARROW = 0.25
"""How long the arrow of the strongest push is, in sizes of the view: as the picture draws it."""


def push_limits(arm: Arm, q: Floats, size: float) -> dict[str, float]:
    """How strong a push on the tip is for every metre that a hand pulls it, N/m, and at most, N; size: of the view, m.

    So strong that the tip goes along, where it is softest.
    """
    jacobian, stiffness = tip_jacobian(arm, q)[-1, 3:], static_stiffness(arm, q)
    if np.linalg.eigvalsh(stiffness).min() <= 0:  # it falls: its springs alone hold it nowhere
        stiffness = block_diag(*(section.stiffness_matrix for section in arm.sections))
    softest = np.linalg.eigvalsh(jacobian @ np.linalg.solve(stiffness, jacobian.T)).max()
    return {"stiffness": float(1 / softest), "most": float(ARROW * size / softest)}
