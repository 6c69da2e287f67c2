"""The public edge: states and loads of an arm are checked here, once, before any mathematics sees them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from continuarm.arms.arm import Arm, per_section, require_arm, require_per_section
from continuarm.arms.section import Section
from continuarm.common.number_checks import Floats, entry, first, numbers_of_shape
from continuarm.sections.model_range import FULL_TURN, bending_angle, margins

_AS_THEY_ARE: Mapping[str, str] = {}


def checked(arm: Arm, called: Mapping[str, str] = _AS_THEY_ARE, /, **values: ArrayLike) -> tuple[Floats, ...]:
    """The values as float arrays with common batch axes: finite, and q inside the model's range.

    All are (..., 3n), but a wrench, which is (..., 6). called: what the user calls them, where it is something else.
    Raises ValueError that names the argument or section, the value and what is allowed.
    """
    require_arm(arm)
    arrays = {name: _array(arm, name, value, called.get(name, name)) for name, value in values.items()}
    batch = common_batch({called.get(name, name): array.shape for name, array in arrays.items()})
    if "q" in arrays:
        check_range(arm, arrays["q"], called.get("q", "q"))
    return tuple(np.broadcast_to(array, batch + array.shape[-1:]) for array in arrays.values())


def common_batch(shapes: Mapping[str, tuple[int, ...]]) -> tuple[int, ...]:
    """The batch axes of several arguments together: all but the last of each."""
    try:
        return np.broadcast_shapes(*(shape[:-1] for shape in shapes.values()))
    except ValueError:
        named = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
        raise ValueError(f"batch axes do not fit together: {named}") from None


def batch_of(arm: Arm, shapes: Mapping[str, tuple[int, ...]]) -> tuple[int, ...]:
    """The batch axes of arrays (..., 3n) together, whose numbers may not be known yet.

    Raises ValueError that names the array, its shape and what it must be.
    """
    for name, shape in shapes.items():
        require_per_section(arm, name, shape)
    return common_batch(shapes)


def _array(arm: Arm, kind: str, value: ArrayLike, name: str) -> Floats:
    if kind == "wrench":
        return numbers_of_shape(name, value, 6, "moment and force at the last tip")
    return per_section(arm, name, value)


def check_range(arm: Arm, q: Floats, name: str = "q") -> None:
    """Raises ValueError if a section of q (..., 3n) is bent beyond a full turn or shortened to nothing."""
    for i, section in enumerate(arm.sections):
        qi = q[..., 3 * i : 3 * i + 3]
        with np.errstate(over="ignore", invalid="ignore"):  # what is too large for this has no finite result either
            bend_margin, length = margins(section, qi)
        for wrong in (bend_margin <= 0, length <= 0):
            if wrong.any():
                at = first(wrong)
                where = f" (at {entry(name, at)})" if at or name != "q" else ""
                raise ValueError(f"section {i + 1} of {arm.n}{where} {_beyond(section, qi[at])}")


def _beyond(section: Section, q: Floats) -> str:
    """What is wrong with a section at q_i (3,)."""
    with np.errstate(over="ignore", invalid="ignore"):
        bent, length = bending_angle(section, q), margins(section, q)[1]
    if length <= 0 and bent <= FULL_TURN:
        return f"is {length:.12g} m long: must be longer than 0 m"
    return f"bent by {bent:.12g} rad: must be at most 2π = {FULL_TURN:.12g} rad"
