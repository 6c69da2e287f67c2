"""A place on an arm as the tip of a shorter one: where it is, and how it moves with q."""

from __future__ import annotations

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.arms.inertia_models import Integral
from continuarm.common.number_checks import Floats, as_float, is_number, whole_number
from continuarm.common.text import short
from continuarm.engine.quantities import tip_jacobian, tip_poses


class Place:
    """A place ξ of a section, or a section's tip, of an arm.

    An arc of constant curvature that ends at ξ is the arc of a section of length ξ L whose muscles change by ξ q_i: the
    place is the tip of an arm that ends there. At a section's tip the joint after it counts, as in `tip_poses`.

    at: None, the last tip; 2, the tip of the second section; (2, 0.5), the middle of the second section.
    """

    def __init__(self, arm: Arm, at: object = None) -> None:
        section, xi = arm.n, 1.0
        if at is not None:
            number = at[0] if isinstance(at, (tuple, list)) and len(at) == 2 else at
            if isinstance(at, (tuple, list)):
                if len(at) != 2 or not is_number(at[1]) or not 0 < as_float(at[1]) <= 1:
                    allowed = "a section's number, or a pair of it and ξ above 0 and at most 1, such as (2, 0.5)"
                    raise ValueError(f"at = {short(at)}: must be {allowed}")
                xi = as_float(at[1])
            section = whole_number("at", number, least=1, most=arm.n)
        self.size, self.xi = 3 * section, xi
        sections = list(arm.sections[:section])
        if xi < 1.0:
            # only kinematics is asked of it: what else the section has stays as it is
            short_range = {"length_range": None, "stop_stiffness": 0.0}
            sections[-1] = sections[-1].replace(length=xi * sections[-1].length, offset=0.0, twist=0.0, **short_range)
        ends_here = section == arm.n and xi == 1.0
        self.arm = (
            arm if ends_here else arm.replace(sections=sections, payload=None, lines=(), rig=None, inertia=Integral())
        )

    def poses(self, q: Floats, threads: int | None = None) -> Floats:
        """(..., 4, 4), world frame."""
        return tip_poses(self.arm, self._own(q), threads=threads)[..., -1, :, :]

    def jacobian(self, q: Floats, threads: int | None = None) -> Floats:
        """(..., 6, 3n): angular, rad/m, and linear velocity, m/m, over q̇, world frame."""
        found = tip_jacobian(self.arm, self._own(q), threads=threads)[..., -1, :, :]
        if self.size == q.shape[-1] and self.xi == 1.0:
            return found
        whole = np.zeros((*q.shape[:-1], 6, q.shape[-1]))
        whole[..., : self.size] = found
        whole[..., self.size - 3 : self.size] *= self.xi
        return whole

    def _own(self, q: Floats) -> Floats:
        if self.size == q.shape[-1] and self.xi == 1.0:
            return q
        own = q[..., : self.size].copy()
        own[..., -3:] *= self.xi
        return own
