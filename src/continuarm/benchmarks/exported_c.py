"""Exported C in a loop of C, beside the native loops that the library itself is.

Times are those of this thread on a processor: what is compared is code alone, and other programs do not count.
"""

from __future__ import annotations

import ctypes
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.arms.arm_file import load_arm
from continuarm.benchmarks.groups import Workload, bent_states, native_loop
from continuarm.benchmarks.timing import Group, Task, best
from continuarm.common.number_checks import Floats
from continuarm.dynamics.plant import Plant
from continuarm.engine.native_arm import native_plant
from continuarm.export.c_compiler import shared_library
from continuarm.export.c_files import CExport, write_files

ARMS = {"n = 3": "prototype", "n = 10": "ten-sections"}
FLAGS = {"C, -O2": False, "C, this processor": True}
"""How it is compiled: for any processor of its kind, or with -march=native -ffp-contract=fast."""
PRESSURE = 3e5
"""Pa, in every muscle."""
STEP = 1e-3
MOST = 500
"""Native steps that are taken in one call."""
LOOP = """
#include "arm.h"
static arm_workspace work;
int loop_forward_dynamics(long count, const double *q, const double *qd, const double *tau, double *qdd)
{
    int wrong = 0;
    for (long k = 0; k < count; k++) wrong |= arm_forward_dynamics(q, qd, tau, qdd, &work);
    return wrong;
}
int loop_plant_rate(long count, const double *commands, const double *state, double *found)
{
    int wrong = 0;
    for (long k = 0; k < count; k++) wrong |= arm_plant_rate(commands, state, found, &work);
    return wrong;
}
int loop_implicit_step(long count, const double *commands, double *state)
{
    int wrong = 0;
    for (long k = 0; k < count; k++) wrong |= arm_implicit_step(commands, state, &work);
    return wrong;
}
"""
FUNCTIONS = ("forward_dynamics", "plant_rate", "implicit_step")


def add_c(group: Group, work: Workload) -> None:
    """Rows of exported C, and how it stands to the native loop."""
    with ExitStack() as opened:
        folder = Path(opened.enter_context(tempfile.TemporaryDirectory()))
        for size, name in ARMS.items():
            arm = load_arm(name)
            try:
                libraries = {
                    f"{kind}, {function}": task
                    for kind, native in FLAGS.items()
                    for function, task in _in_c(arm, folder / f"{name}{native}", native).items()
                }
            except ValueError as error:
                group.add(f"C, {size}", None, "", str(error))
                return
            tasks = libraries | {f"native loop, {function}": task for function, task in _native(arm).items()}
            group.times(best({f"{each}, {size}": task for each, task in tasks.items()}, work))
    for size in ARMS:
        for function in FUNCTIONS:
            for kind in FLAGS:
                of = f"{kind}, {function}, {size}", f"native loop, {function}, {size}"
                group.ratio(f"{kind} / native loop, {function}, {size}", *of)


def _given(arm: Arm) -> tuple[tuple[Floats, Floats, Floats], Floats, Floats]:
    """q, q̇, τ; commands and a state of the plant."""
    plant = Plant(arm)
    commands = np.zeros(plant.commands.width)
    plant.commands.split(commands).pressures[:] = PRESSURE
    states = bent_states(arm)
    return states, commands, plant.first_state(states[0], states[1])


def _in_c(arm: Arm, folder: Path, for_this_machine: bool) -> dict[str, Task]:
    export = CExport(arm, "arm", STEP)
    folder.mkdir()
    files = {"arm.h": export.header(), "arm.c": export.source(), "loop.c": LOOP}
    write_files(files, folder)
    sources = [folder / "arm.c", folder / "loop.c"]
    shared_library(sources, folder / "arm.so", "a benchmark", for_this_machine=for_this_machine)
    library = ctypes.CDLL(str(folder / "arm.so"))
    states, commands, state = _given(arm)
    still = Plant(arm).first_state(np.zeros(3 * arm.n))
    arrays = {
        "forward_dynamics": (*states, np.zeros(3 * arm.n)),
        "plant_rate": (commands, state, np.zeros_like(state)),
        "implicit_step": (commands, still),
    }
    return {name: _loop(getattr(library, f"loop_{name}"), given) for name, given in arrays.items()}


def _loop(function: Callable[..., int], given: tuple[Floats, ...]) -> Task:
    pointers = [ctypes.c_void_p(each.ctypes.data) for each in given]

    def run(count: int) -> None:
        assert len(given) == len(pointers)  # the arrays live as long as what points to them
        if function(ctypes.c_long(count), *pointers):
            raise RuntimeError("exported C refused a state")

    return _timed(run)


def _native(arm: Arm) -> dict[str, Task]:
    plant = Plant(arm)
    native: Any = native_plant(plant, STEP)
    states, commands, state = _given(arm)
    still = plant.first_state(np.zeros(3 * arm.n))
    driven, room = np.tile(commands, (MOST, 1)), np.zeros((MOST, len(still)))

    def steps(count: int) -> None:
        here, left = still, count
        while left:
            part = min(left, MOST)
            native.forward_sweep(here, driven[:part], STEP, room[:part])
            here, left = room[part - 1].copy(), left - part

    return {
        "forward_dynamics": _timed(native_loop(arm, states)),
        "plant_rate": _timed(lambda count: native.repeated(commands, state[None], count)),
        "implicit_step": _timed(steps),
    }


def _timed(function: Callable[[int], object]) -> Task:
    def task(count: int) -> float:
        begun = time.thread_time()
        function(count)
        return time.thread_time() - begun

    return task
