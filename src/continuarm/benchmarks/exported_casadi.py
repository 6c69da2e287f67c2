"""An arm inside CasADi: the compiled external, CasADi's own operations, and a Callback into Python."""

from __future__ import annotations

import contextlib
import tempfile
import time
from functools import partial
from typing import Any

import numpy as np

from continuarm.arms.arm_file import load_arm
from continuarm.benchmarks.groups import Workload
from continuarm.benchmarks.timing import Group, best, calls
from continuarm.common.number_checks import Floats
from continuarm.dynamics.plant import Plant
from continuarm.engine.native_arm import native_plant
from continuarm.export.casadi_file import export_casadi
from continuarm.export.casadi_graph import casadi_functions

STEP = 0.02
TARGET = [0.05, 0.03, 0.46]
"""Where the last tip is to come to rest, m."""
WAYS = ("external", "casadi.Function", "Callback")


def add_casadi(group: Group, work: Workload) -> None:
    """Rows of one implicit step, its Jacobian, and a trajectory optimisation, three sections."""
    try:
        import casadi
    except ImportError:
        group.add("CasADi", None, "", "the package casadi is not installed")
        return
    arm = load_arm("prototype")
    plant = Plant(arm)
    rest = plant.first_state(np.zeros(3 * arm.n))
    parts = plant.commands.split(np.concatenate([np.full(9, 2e5), np.zeros(15)]))
    with tempfile.TemporaryDirectory() as folder:
        try:
            library = str(export_casadi(arm, folder, name="arm", step=STEP)[-1])
        except ValueError as error:
            group.add("CasADi", None, "", str(error))
            return
        tips = casadi.external("arm_casadi_tips", library)
        steps = {
            "external": casadi.external("arm_casadi_implicit_step", library),
            "casadi.Function": casadi_functions(arm, step=STEP).implicit_step,
            "Callback": callback(casadi, plant),
        }
        tasks = {f"implicit step, {way}": calls(partial(steps[way], rest, *parts)) for way in WAYS}
        slopes = {way: steps[way].jacobian() for way in WAYS}
        tasks |= {f"its Jacobian, {way}": calls(partial(slopes[way], rest, *parts, 0)) for way in WAYS}
        group.times(best(tasks, work))
        for way in WAYS:
            seconds, count = optimised(casadi, plant, steps[way], tips, work.intervals)
            note = f"{work.intervals} intervals, {count} iterations of Ipopt"
            group.add(f"trajectory optimisation, {way}", seconds, "s", note)
    for what in ("implicit step", "its Jacobian", "trajectory optimisation"):
        for way in WAYS[:2]:
            group.ratio(f"{what}, {way} / Callback", f"{what}, {way}", f"{what}, Callback")


def callback(casadi: Any, plant: Plant) -> Any:
    """The compiled step called back in Python, whose derivatives CasADi takes by differences."""
    native: Any = native_plant(plant, STEP)
    sizes = (plant.states.width, *(np.shape(each)[-1] for each in plant.commands.split(np.zeros(plant.commands.width))))

    class Step(casadi.Callback):
        def __init__(self) -> None:
            casadi.Callback.__init__(self)
            self.construct("step", {"enable_fd": True})

        def get_n_in(self) -> int:
            return 4

        def get_n_out(self) -> int:
            return 1

        def get_sparsity_in(self, i: int) -> Any:
            return casadi.Sparsity.dense(sizes[i], 1)

        def get_sparsity_out(self, i: int) -> Any:
            return casadi.Sparsity.dense(sizes[0], 1)

        def eval(self, given: list[Any]) -> list[Floats]:
            state, *parts = (np.array(each)[:, 0] for each in given)
            native.step(np.concatenate(parts), STEP, state)
            return [state]

    return Step()


def optimised(casadi: Any, plant: Plant, step: Any, tips: Any, count: int) -> tuple[float, int]:
    """Processor time, s, and iterations of Ipopt for a motion to rest at a place; second derivatives by BFGS."""
    size, width = 3 * plant.arm.n, plant.states.width
    problem = casadi.Opti()
    pressures = problem.variable(plant.commands.forces, count)  # in 100 kPa
    states = problem.variable(width, count + 1)
    problem.minimize(casadi.sumsqr(pressures - 2))
    problem.subject_to(states[:, 0] == 0)
    for k in range(count):
        problem.subject_to(states[:, k + 1] == step(states[:, k], 1e5 * pressures[:, k], 0, 0))
    problem.subject_to(problem.bounded(1, casadi.vec(pressures), 6))
    problem.subject_to(tips(states[:size, count])[-3:] == TARGET)
    problem.subject_to(states[size : 2 * size, count] == 0)
    problem.set_initial(pressures, 2.0)
    quiet = {"print_level": 0, "sb": "yes", "hessian_approximation": "limited-memory", "max_iter": 100}
    problem.solver("ipopt", {"print_time": False}, quiet)
    begun = time.process_time()
    with contextlib.suppress(RuntimeError):  # too few intervals to come to rest in: what was tried took time too
        problem.solve()
    return time.process_time() - begun, int(problem.stats()["iter_count"])
