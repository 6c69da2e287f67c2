"""An arm as functions of CasADi: its recorded arithmetic, done once more on CasADi's own numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from continuarm.arms.arm import Arm, require_arm
from continuarm.dynamics.forward import forward_dynamics
from continuarm.dynamics.plant import Plant
from continuarm.dynamics.poses import tip_poses
from continuarm.engine.tracing import Recorded, Value, inputs, visited
from continuarm.export.c_files import step_length
from continuarm.export.casadi_file import SIGNATURES

Operation = Callable[..., Any]


class CasadiFunctions(NamedTuple):
    """An arm as objects of `casadi.Function`, over casadi.SX."""

    forward_dynamics: Any
    tips: Any
    plant_rate: Any
    implicit_step: Any


def casadi_functions(arm: Arm, *, step: float = 1e-3) -> CasadiFunctions:
    """An arm as objects of `casadi.Function`, written in CasADi's own operations: no compiler, derivatives by CasADi.

    The functions of `export_casadi`, of the same arguments and results, for arms of few sections: CasADi sees every
    operation, differentiates them as often as is asked for, knows which derivatives are zero, and prints C of its own.
    Numbers of the arm are constants in them. They do not fail beyond the model's range, as a graph of operations
    cannot; what they give there has no meaning.

    Parameters
    ----------
    arm : Arm
    step : float, optional
        Length of an implicit step, s.

    Returns
    -------
    CasadiFunctions
        forward_dynamics(q, qd, tau), tips(q), plant_rate(state, pressures, forces, wrench) and implicit_step of the
        same arguments, the state one step later.

    Examples
    --------
    >>> from continuarm.export import casadi_functions
    >>> functions = casadi_functions(ca.load_arm("single-section"))
    >>> functions.tips
    Function(tips:(q[3])->(positions[3]) SXFunction)
    >>> functions.forward_dynamics.jacobian().size_out(0)
    (3, 3)
    """
    require_arm(arm)
    length = step_length(step)
    try:
        import casadi
    except ImportError:
        raise ImportError("casadi_functions needs the package casadi: pip install 'continuarm[casadi]'") from None
    plant = Plant(arm)
    commands = np.diff([0, plant.commands.forces, plant.commands.wrench, plant.commands.width])
    sizes = dict.fromkeys(("q", "qd", "tau"), 3 * arm.n) | {"state": plant.states.width}
    sizes |= dict(zip(("pressures", "forces", "wrench"), map(int, commands), strict=True))
    laws: dict[str, Operation] = {
        "forward_dynamics": lambda q, qd, tau: forward_dynamics(arm, q, qd, tau),
        "tips": lambda q: tip_poses(arm, q)[:, :3, 3].ravel(),
        "plant_rate": lambda state, *parts: plant.rate(np.concatenate(parts), state),
        "implicit_step": lambda state, *parts: plant.step(np.concatenate(parts), state, length),
    }
    made = {}
    for name, (arguments, result) in SIGNATURES.items():
        Recorded.forget()
        values = laws[name](*(inputs(each, sizes[each]) for each in arguments))
        given = {each: casadi.SX.sym(each, sizes[each]) for each in arguments}
        found = casadi.vertcat(*_computed(list(values), given, _operations(casadi)))
        made[name] = casadi.Function(name, list(given.values()), [found], list(arguments), [result])
    return CasadiFunctions(**made)


def _operations(casadi: Any) -> dict[str, Operation]:
    """What the operations of `Recorded` are for CasADi; the edge of a selection has the slope of the side that is 0."""
    return {
        "sum": lambda a, b: a + b,
        "difference": lambda a, b: a - b,
        "product": lambda a, b: a * b,
        "negative": lambda a: -a,
        "reciprocal": lambda a: 1.0 / a,
        "positive": lambda a: casadi.if_else(a > 0, a, 0.0),
        "is_positive": lambda a: a > 0,
    }


def _computed(values: Sequence[Value], given: dict[str, Any], operations: dict[str, Operation]) -> list[Any]:
    """Recorded values from those of their inputs, by name."""
    known: dict[int, Any] = {}

    def of(value: Value) -> Any:
        return known[id(value)] if isinstance(value, Recorded) else value

    for node in visited(list(values)):
        if node.operation == "input":
            name, k = node.arguments
            known[id(node)] = given[name][k]
        else:
            known[id(node)] = operations[node.operation](*map(of, node.arguments))
    return [of(value) for value in values]
