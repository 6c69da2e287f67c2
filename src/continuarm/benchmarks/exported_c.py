"""Exported C in a program of C, beside the native loops that the library itself is.

Times are those on a processor, so that other programs do not count. The C is a program of its own: in one process with
code that leaves wide registers in use, plain SSE code may run at a third of its speed.
"""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
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
from continuarm.export.c_compiler import compiled_c
from continuarm.export.c_files import CExport, write_files

ARMS = {"n = 3": "prototype", "n = 10": "ten-sections"}
FLAGS = {"C, -O2": False, "C, this processor": True}
"""How it is compiled: for any processor of its kind, or with -march=native -ffp-contract=fast."""
PRESSURE = 3e5
"""Pa, in every muscle."""
STEP = 1e-3
MOST = 500
"""Native steps that are taken in one call."""
PROGRAM = """
#include <stdio.h>
#include <time.h>
#include "arm.h"
static arm_workspace work;
static double still[ARM_STATE], at[ARM_STATE], rate[ARM_STATE], qdd[ARM_COORDINATES];
@TABLES@
int main(void)
{
    char function;
    long count;
    while (scanf(" %c %ld", &function, &count) == 2) {
        int wrong = 0;
        for (int k = 0; k < ARM_STATE; k++) at[k] = still[k];
        const clock_t begun = clock();
        for (long k = 0; k < count; k++) {
            wrong |= (function == 'f') ? arm_forward_dynamics(state, &state[ARM_COORDINATES], tau, qdd, &work)
                   : (function == 'p') ? arm_plant_rate(commands, state, rate, &work)
                                       : arm_implicit_step(commands, at, &work);
        }
        printf("%.9f %d\\n", (double)(clock() - begun) / CLOCKS_PER_SEC, wrong);
        fflush(stdout);
    }
    return 0;
}
"""
"""Reads the first letter of a function and how often it is called; writes seconds and whether a state was refused."""
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
                    for function, task in opened.enter_context(_in_c(arm, folder / f"{name}{native}", native)).items()
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


@contextmanager
def _in_c(arm: Arm, folder: Path, for_this_machine: bool) -> Iterator[dict[str, Task]]:
    export = CExport(arm, "arm", STEP)
    folder.mkdir()
    (_, _, tau), commands, state = _given(arm)
    tables = [
        f"static const double {name}[] = {{{', '.join(map(repr, numbers.tolist()))}}};"
        for name, numbers in {"tau": tau, "commands": commands, "state": state}.items()
    ]
    files = {
        "arm.h": export.header(),
        "arm.c": export.source(),
        "main.c": PROGRAM.replace("@TABLES@", "\n".join(tables)),
    }
    write_files(files, folder)
    sources, program = [folder / "arm.c", folder / "main.c"], folder / "main"
    compiled_c(sources, program, "a benchmark", for_this_machine=for_this_machine, program=True)
    pipe = subprocess.PIPE
    with subprocess.Popen([str(program)], stdin=pipe, stdout=pipe, text=True) as run:
        assert run.stdin is not None
        assert run.stdout is not None
        asked, told = run.stdin, run.stdout

        def task(name: str, count: int) -> float:
            asked.write(f"{name[0]} {count}\n")
            asked.flush()
            seconds, wrong = told.readline().split()
            if wrong != "0":
                raise RuntimeError("exported C refused a state")
            return float(seconds)

        yield {name: partial(task, name) for name in FUNCTIONS}
        asked.close()


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
