"""What computes many arms: processors, through native code, or a GPU."""

from __future__ import annotations

from typing import Any

import numpy as np

from continuarm.arms.variations import Arms
from continuarm.common.argument_checks import choice
from continuarm.common.number_checks import Floats
from continuarm.dynamics.plant import Plant
from continuarm.engine import compiled, cuda
from continuarm.engine.device_batch import DeviceBatch
from continuarm.engine.device_source import NUMBERS
from continuarm.engine.native_batch import native_batch

ARM_STEPS = 400_000
"""Steps of arms that native code makes before it looks for Ctrl-C: some tenths of a second."""
DEVICE_ARM_STEPS = 400_000_000
"""The same of a GPU in one launch."""


def checked_machine(device: str, dtype: str) -> Any:
    """What computes: None for processors, or the GPU."""
    choice("device", device, ("cpu", "cuda"))
    choice("dtype", dtype, tuple(reversed(NUMBERS)))
    if device == "cuda":
        return cuda.Cuda()
    if dtype != "float64":
        raise ValueError(f"dtype = {dtype!r}: must be 'float64' where device = 'cpu'")
    if compiled.native is None:
        raise ValueError(f"many arms at once: {compiled.NOT_BUILT}")
    return None


def made_batch(arms: Arms, plant: Plant, step: float, machine: Any, dtype: str, which: Any = None) -> Any:
    """The arms where they are computed: `native.Rollouts`, or a DeviceBatch; which: see `native_batch`."""
    if machine is None:
        return native_batch(arms, plant, step, which)
    return DeviceBatch(machine, arms, plant, step, dtype, which)


def steps_at_once(arms: int, machine: Any) -> int:
    """Steps of a batch between two looks for Ctrl-C."""
    return max(1, (ARM_STEPS if machine is None else DEVICE_ARM_STEPS) // arms)


def on_host(machine: Any, *arrays: Any) -> tuple[Floats, ...]:
    """Arrays as NumPy has them."""
    return arrays if machine is None else tuple(np.asarray(machine.host(each), dtype=float) for each in arrays)
