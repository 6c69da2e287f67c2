"""The public edge: what comes in from a user is checked here, once, before any mathematics sees it."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from continuarm.arms.arm import Arm, per_section
from continuarm.common.number_checks import Floats, entry, first
from continuarm.sections.model_range import FULL_TURN


def checked(arm: Arm, **values: ArrayLike) -> tuple[Floats, ...]:
    """The values as float arrays of one common shape (..., 3n): finite, and q inside the model's range.

    Raises ValueError that names the argument or section, the value and what is allowed.
    """
    if not isinstance(arm, Arm):
        raise TypeError(f"arm is {type(arm).__name__}: must be an Arm (see load_arm)")
    arrays = {name: per_section(arm, name, value) for name, value in values.items()}
    try:
        shape = np.broadcast_shapes(*(array.shape for array in arrays.values()))
    except ValueError:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise ValueError(f"batch axes do not fit together: {shapes}") from None
    if "q" in arrays:
        _check_range(arm, arrays["q"])
    return tuple(np.broadcast_to(array, shape) for array in arrays.values())


def _check_range(arm: Arm, q: Floats) -> None:
    """No section bent beyond a full turn or shortened to nothing."""
    for i, section in enumerate(arm.sections):
        with np.errstate(over="ignore", invalid="ignore"):  # what is too large for this has no finite result either
            x = q[..., 3 * i : 3 * i + 3] @ section.shape_map.T
            bent = np.hypot(x[..., 0], x[..., 1])
            long = section.length + x[..., 2]
        for wrong, quantity, limit in (
            (bent > FULL_TURN * (1 + 1e-12), bent, f"rad: must be at most 2π = {FULL_TURN:.12g} rad"),
            (long <= 0, long, "m long: must be longer than 0 m"),
        ):
            if wrong.any():
                at = first(wrong)
                where = f" (at {entry('q', at)})" if at else ""
                verb = "bent by" if quantity is bent else "is"
                raise ValueError(f"section {i + 1} of {arm.n}{where} {verb} {quantity[at]:.12g} {limit}")
