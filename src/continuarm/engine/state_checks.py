"""The public edge: states and loads of an arm are checked here, once, before any mathematics sees them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from continuarm.arms.arm import Arm, per_section
from continuarm.arms.section import Section
from continuarm.common.number_checks import Floats, entry, first, numbers_of_shape
from continuarm.sections.model_range import FULL_TURN, bending_angle, margins


def checked(arm: Arm, **values: ArrayLike) -> tuple[Floats, ...]:
    """The values as float arrays with common batch axes: finite, and q inside the model's range.

    All are (..., 3n), but a wrench, which is (..., 6).
    Raises ValueError that names the argument or section, the value and what is allowed.
    """
    if not isinstance(arm, Arm):
        raise TypeError(f"arm is {type(arm).__name__}: must be an Arm (see load_arm)")
    arrays = {name: _array(arm, name, value) for name, value in values.items()}
    try:
        batch = np.broadcast_shapes(*(array.shape[:-1] for array in arrays.values()))
    except ValueError:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise ValueError(f"batch axes do not fit together: {shapes}") from None
    if "q" in arrays:
        check_range(arm, arrays["q"])
    return tuple(np.broadcast_to(array, batch + array.shape[-1:]) for array in arrays.values())


def _array(arm: Arm, name: str, value: ArrayLike) -> Floats:
    if name == "wrench":
        return numbers_of_shape(name, value, 6, "moment and force at the last tip")
    return per_section(arm, name, value)


def check_range(arm: Arm, q: Floats) -> None:
    """Raises ValueError if a section of q (..., 3n) is bent beyond a full turn or shortened to nothing."""
    for i, section in enumerate(arm.sections):
        qi = q[..., 3 * i : 3 * i + 3]
        with np.errstate(over="ignore", invalid="ignore"):  # what is too large for this has no finite result either
            bend_margin, length = margins(section, qi)
        for wrong in (bend_margin <= 0, length <= 0):
            if wrong.any():
                at = first(wrong)
                where = f" (at {entry('q', at)})" if at else ""
                raise ValueError(f"section {i + 1} of {arm.n}{where} {_beyond(section, qi[at])}")


def _beyond(section: Section, q: Floats) -> str:
    """What is wrong with a section at q_i (3,)."""
    with np.errstate(over="ignore", invalid="ignore"):
        bent, length = bending_angle(section, q), margins(section, q)[1]
    if length <= 0 and bent <= FULL_TURN:
        return f"is {length:.12g} m long: must be longer than 0 m"
    return f"bent by {bent:.12g} rad: must be at most 2π = {FULL_TURN:.12g} rad"
