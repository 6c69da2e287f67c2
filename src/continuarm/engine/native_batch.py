"""Many arms of one layout, as native code steps them together."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from continuarm.arms.variations import Arms
from continuarm.common.number_checks import Floats
from continuarm.dynamics.plant import Plant
from continuarm.engine import compiled
from continuarm.engine.native_arm import constant_row, native_plant


def native_batch(arms: Arms, plant: Plant, step: float, which: NDArray[np.intp] | None = None) -> Any:
    """The arms in native memory, for steps of one length, s; plant: that of the first.

    which: (places,), the arm at each place; one place for each arm if left out.
    """
    kinds, constants = _kinds(arms), constant_rows(arms, step)
    if which is not None:
        kinds, constants = kinds[which], constants[which]
    return compiled.native.Rollouts(native_plant(plant, step), constants, kinds, step)


def exchange_arms(batch: Any, arms: Arms, step: float, which: NDArray[np.intp], chosen: NDArray[np.bool_]) -> None:
    """Gives chosen places, (places,), the arms of `which`, (places,)."""
    kinds = _kinds(arms)
    if kinds.any() and not kinds.all():
        raise ValueError("which: some of the arms carry a payload and others none: must be alike to change places")
    batch.exchange(constant_rows(arms, step)[which], np.asarray(chosen, dtype=float))


def _kinds(arms: Arms) -> Floats:
    """1 for an arm that carries something, whose steps are others, (arms,)."""
    known: dict[str, Floats] = vars(arms)
    if "_carries" not in known:
        known["_carries"] = np.array([float(arm.carried_mass[0] > 0) for arm in arms])
    return known["_carries"]


def constant_rows(arms: Arms, step: float) -> Floats:
    """All constants of all arms, (arms, constants), made once for the arms and their last step."""
    known: dict[float, Floats] = vars(arms).setdefault("_constants", {})
    if step not in known:
        known.clear()
        rows: dict[int, Floats] = {}  # an arm that is there many times is asked once
        for arm in arms:
            if id(arm) not in rows:
                rows[id(arm)] = constant_row(Plant(arm), step)
        known[step] = np.array([rows[id(arm)] for arm in arms], dtype=float)
    return known[step]
