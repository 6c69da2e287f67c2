"""How fast many arms are stepped on a GPU, where there is one."""

from __future__ import annotations

import time

import numpy as np

from continuarm.arms.variations import Arms
from continuarm.benchmarks.timing import Group, Repeats, best, calls
from continuarm.common.number_checks import Floats
from continuarm.engine.cuda import Cuda
from continuarm.simulation.batch import Batch

GPU_ARMS, STEPS = 1_000_000, 400


def add_gpu(group: Group, arms: dict[str, Arms], often: Repeats) -> None:
    """Rows of a GPU where there is one: steps a second of a million arms, and how long the first call takes."""
    try:
        gpu = Cuda()
    except (ImportError, ValueError) as error:
        group.add("on a GPU", None, "", str(error))
        return
    for name, kinds in arms.items():
        held = np.full(len(kinds[0].muscle_names), 2e5)
        which = np.arange(GPU_ARMS) % len(kinds)
        for dtype in ("float32", "float64"):
            begun = time.perf_counter()
            batch = Batch(kinds, which=which, device="cuda", dtype=dtype)
            batch.step(held)
            gpu.xp.cuda.Device().synchronize()
            first = time.perf_counter() - begun
            group.add(f"GPU, {name}, {dtype}, the first step", first, "s", "with compiling, unless CuPy has it")

            def steps(batch: Batch = batch, held: Floats = held) -> None:
                batch.step(held, count=STEPS)
                gpu.xp.cuda.Device().synchronize()

            seconds = best({"steps": calls(steps)}, often)["steps"]
            value = GPU_ARMS * STEPS / seconds / 1e6
            group.add(f"GPU, {name}, {dtype}, steps a second of {GPU_ARMS:,} arms", value, "million")
