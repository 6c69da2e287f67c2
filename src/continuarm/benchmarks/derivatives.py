"""How fast derivatives are, beside what they are derivatives of."""

from __future__ import annotations

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.arms.arm_file import load_arm
from continuarm.benchmarks.groups import Workload, bent_states, native_batch, native_loop, prototype
from continuarm.benchmarks.timing import Group, Task, best, calls
from continuarm.common.number_checks import Floats
from continuarm.engine.array_call import GRADIENT, TANGENT, call_of
from continuarm.engine.native_arm import native_arm, number_row
from continuarm.engine.quantities import linearization
from continuarm.engine.table import QUANTITIES
from continuarm.simulation.inputs import PressureSteps
from continuarm.simulation.motion_gradients import motion_gradient
from continuarm.simulation.simulator import simulate
from continuarm.simulation.solvers import FixedStep

SECTIONS = (3, 10, 30)


def measure_derivatives(work: Workload) -> Group:
    """Linearization, products with Jacobians, and a gradient over a motion; one thread."""
    group = Group("Derivatives, exact; one thread")
    arm = prototype(3)
    one, many = bent_states(arm), bent_states(arm, min(work.arms, 4096))
    index = QUANTITIES["linearization"].index
    handle = native_arm(arm)
    rows = len(many[0])
    tasks: dict[str, Task] = {
        "forward dynamics, loop, n = 3": native_loop(arm, one),
        "linearization, loop, n = 3": lambda count: float(handle.repeated(index, *one, count)),
        "linearization, one call, n = 3": calls(lambda: linearization(arm, *one)),
        "linearization, a batch": calls(lambda: handle.evaluate(index, 1, *many)),
    }
    for n in SECTIONS:
        chain = prototype(n)
        states = bent_states(chain, 512)
        tasks |= {
            f"forward dynamics, a batch, n = {n}": native_batch(chain, states, 1),
            f"vjp, a batch, n = {n}": _vjp(chain, states),
            f"jvp, a batch, n = {n}": _jvp(chain, states),
        }
    tasks |= _sweeps()
    found = best(tasks, work)
    for name, seconds in found.items():
        each = rows if name == "linearization, a batch" else 512 if "a batch" in name else 1
        group.add(f"{name}; an arm" if each > 1 else name, 1e6 * seconds / each, "µs")
    group.ratio("linearization / forward dynamics", "linearization, loop, n = 3", "forward dynamics, loop, n = 3")
    for n in SECTIONS:
        for kind in ("vjp", "jvp"):
            below = f"forward dynamics, a batch, n = {n}; an arm"
            group.ratio(f"{kind} / forward dynamics, n = {n}", f"{kind}, a batch, n = {n}; an arm", below)
    group.ratio("gradient over a motion / the motion", *_sweeps())
    return group


def _vjp(arm: Arm, states: tuple[Floats, ...]) -> Task:
    call = call_of(arm, "forward_dynamics").of(GRADIENT, False)
    operands = [number_row(arm)[None], *states, np.ones_like(states[0])]
    return calls(lambda: call.run(operands, 1))


def _jvp(arm: Arm, states: tuple[Floats, ...]) -> Task:
    call = call_of(arm, "forward_dynamics").of(TANGENT, False)
    operands = [number_row(arm)[None], *states, *states]
    return calls(lambda: call.run(operands, 1))


def _sweeps() -> dict[str, Task]:
    """A second of full muscles in fixed steps, with its gradient by 9,000 pressures and without."""
    arm = load_arm("prototype-muscles")
    steps = PressureSteps({"l33": [(0.0, 6e5)]})
    names = ["stiffness", "mass", "muscle_area"]
    return {
        "gradient over a second of 1 kHz, full muscles": calls(
            lambda: motion_gradient(arm, _loss, steps, duration=1.0, parameters=names)
        ),
        "that motion": calls(lambda: simulate(arm, steps, duration=1.0, rate=1000.0, solver=FixedStep(1000.0))),
    }


def _loss(t: Floats, q: Floats, qd: Floats) -> tuple[float, Floats, None]:
    return float(q.sum()), np.ones_like(q), None
