"""The problem of predictive control solved by Ipopt: how near the plans of `PredictiveControl` come to the optimum.

The cost is written a second time here, from the docstrings of `PredictiveControl` and `PredictiveWeights`, and its
gradient is that of `motion_gradient`, which goes backward through the motion: nothing is shared with the controller.

    python tools/predictive_optimum.py --problems 100
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

import continuarm as ca

Floats = Any


def cost_and_gradient(
    control: ca.PredictiveControl, t: float, state: Floats, reference: Any, previous: Floats | None
) -> Callable[[Floats], tuple[float, Floats]]:
    """A function of pressures (nodes, muscles), Pa: the cost and its gradient; for muscles that remember nothing."""
    arm, weights = control.arm, control.weights
    nodes, size = control.nodes, 3 * control.arm.n
    times = control.node * np.arange(nodes + 1)
    targets = reference.at(t + times[1:]).position
    heavier = np.where(np.arange(nodes) == nodes - 1, weights.terminal, 1.0)
    low, high = np.transpose([section.length_range for section in arm.sections for _ in section.muscle_map])
    maps = np.zeros((len(low), size))
    for i, section in enumerate(arm.sections):
        maps[3 * i : 3 * i + 3, 3 * i : 3 * i + 3] = section.muscle_map

    def softly(beyond: Floats) -> tuple[Floats, Floats]:
        """The square of what is beyond a limit, rounded over the softness, and its slope."""
        s = control.softness
        value = np.where(beyond < -s, 0, np.where(beyond < s, (beyond + s) ** 2 / (4 * s), beyond))
        slope = np.where(beyond < -s, 0, np.where(beyond < s, (beyond + s) / (2 * s), 1))
        return (value / weights.range) ** 2, 2 * value * slope / weights.range**2

    def misses(t: Floats, q: Floats, qd: Floats) -> tuple[float, Floats, None]:
        every = control.substeps
        here = q[every::every]
        away = ca.tip_poses(arm, here)[:, -1, :3, 3] - targets
        by_poses = np.zeros((nodes, arm.n, 4, 4))
        by_poses[:, -1, :3, 3] = 2 * away * heavier[:, None] / weights.position**2
        (by_here,) = ca.vjp(ca.tip_poses, arm, (here,), by_poses)
        total = ((away**2).sum(axis=1) * heavier).sum() / weights.position**2
        lengths = here @ maps.T
        for beyond, sign in ((lengths - high, 1), (low - lengths, -1)):
            value, slope = softly(beyond)
            total += value.sum()
            by_here = by_here + sign * slope @ maps
        by_q = np.zeros_like(q)
        by_q[every::every] = by_here
        return float(total), by_q, None

    def whole(pressures: Floats) -> tuple[float, Floats]:
        found = ca.motion_gradient(
            arm,
            misses,
            ca.PressureSignal(times[:-1], pressures, linear=False),
            duration=control.node * nodes,
            rate=control.substeps / control.node,
            q0=state[:size],
            qd0=state[size : 2 * size],
        )
        total, gradient = found.loss, found.pressures.reshape(nodes, control.substeps, -1).sum(axis=1)
        total += (pressures**2).sum() / weights.pressure**2
        gradient = gradient + 2 * pressures / weights.pressure**2
        for k in range(nodes):
            before = pressures[k - 1] if k else previous
            if before is None:
                continue
            change = pressures[k] - before
            total += (change**2).sum() / weights.change**2
            gradient[k] += 2 * change / weights.change**2
            if k:
                gradient[k - 1] -= 2 * change / weights.change**2
        return total, gradient

    return whole


def optimum(
    control: ca.PredictiveControl, function: Callable[[Floats], tuple[float, Floats]], start: Floats
) -> tuple[Floats, float]:
    """Pressures (nodes, muscles), Pa, and their cost, by Ipopt through CasADi, from a start on."""
    casadi: Any = importlib.import_module("casadi")
    unit, shape = 1e5, start.shape
    last: dict[bytes, tuple[float, Floats]] = {}  # Ipopt asks for the gradient where it has just asked for the cost

    def evaluated(argument: Any) -> tuple[float, Floats]:
        point = np.array(argument).ravel()
        if point.tobytes() not in last:
            last.clear()
            last[point.tobytes()] = function(unit * point.reshape(shape))
        return last[point.tobytes()]

    class Gradient(casadi.Callback):
        def __init__(self) -> None:
            casadi.Callback.__init__(self)
            self.construct("gradient", {})

        def get_n_in(self) -> int:
            return 2

        def get_n_out(self) -> int:
            return 1

        def get_sparsity_in(self, i: int) -> Any:
            return casadi.Sparsity.dense(start.size, 1) if i == 0 else casadi.Sparsity.dense(1, 1)

        def get_sparsity_out(self, i: int) -> Any:
            return casadi.Sparsity.dense(1, start.size)

        def eval(self, arguments: Any) -> Any:
            return [unit * evaluated(arguments[0])[1].reshape(1, -1)]

    class Cost(casadi.Callback):
        def __init__(self) -> None:
            casadi.Callback.__init__(self)
            self.gradient = Gradient()
            self.construct("cost", {})

        def get_sparsity_in(self, i: int) -> Any:
            return casadi.Sparsity.dense(start.size, 1)

        def eval(self, arguments: Any) -> Any:
            return [evaluated(arguments[0])[0]]

        def has_jacobian(self) -> bool:
            return True

        def get_jacobian(self, *_: Any) -> Any:
            return self.gradient

    cost, unknown = Cost(), casadi.MX.sym("u", start.size)
    options = {
        "ipopt": {
            "print_level": 0,
            "sb": "yes",
            "hessian_approximation": "limited-memory",
            "limited_memory_max_history": 30,
            "max_iter": 400,
            # it is done where ten iterations on end gained less than 1e-5 of the cost each
            "acceptable_tol": 1e6,
            "acceptable_obj_change_tol": 1e-5,
            "acceptable_iter": 10,
        },
        "print_time": False,
    }
    solver = casadi.nlpsol("solver", "ipopt", {"x": unknown, "f": cost(unknown)}, options)
    dead = np.array([1.01 * section.dead_zone for section in control.arm.sections for _ in section.muscle_map])
    low = np.broadcast_to(np.maximum(dead, control.lowest) / unit, shape).ravel()
    found = solver(x0=start.ravel() / unit, lbx=low, ubx=control.highest / unit)
    return unit * np.array(found["x"]).reshape(shape), float(found["f"])


def random_state(arm: ca.Arm, rng: np.random.Generator, highest: float) -> Floats:
    """At rest under random pressures, and then a little in motion."""
    pressures = rng.uniform(1e5, highest, len(arm.muscle_names))
    area = np.array([section.muscle_area for section in arm.sections for _ in section.muscle_map])
    dead = np.array([section.dead_zone for section in arm.sections for _ in section.muscle_map])
    q = ca.equilibrium(arm, arm.muscle_forces(area * np.maximum(pressures - dead, 0)))
    return np.concatenate([q, rng.normal(0, 0.01, len(q)), np.zeros(2)])


def compared(control: ca.PredictiveControl, seed: int, calls: int = 5) -> tuple[float, float]:
    """By how much plans cost more than Ipopt's optimum: the first, and one some calls later.

    Ipopt starts twice, from pressures that are all equal and from the plan, as it may end in different local minima:
    the lower cost counts. Below 0 the plan is better than both.
    """
    rng = np.random.default_rng(seed)
    arm, highest = control.arm, control.highest
    state = random_state(arm, rng, highest)
    ends = [ca.tip_poses(arm, random_state(arm, rng, 0.8 * highest)[: 3 * arm.n])[-1, :3, 3] for _ in range(2)]
    reference = ca.MinimumJerk([0.0, rng.uniform(0.3, 1.0)], ends)
    control.reset()
    found = []
    for call in range(calls + 1):
        t = call * control.node
        previous = control.plan.pressures[0].copy() if call else None
        pressures = control.command(t, state, reference)
        if call in (0, calls):
            function = cost_and_gradient(control, t, state, reference, previous)
            starts = (np.full_like(control.plan.pressures, 0.4 * highest), control.plan.pressures)
            best = min(optimum(control, function, start)[1] for start in starts)
            mine, _ = function(control.plan.pressures)
            assert np.isclose(mine, control.plan.cost, rtol=1e-9), "the two statements of the cost differ"
            found.append(mine / best - 1)
        batch = ca.Batch([arm], step=1e-3, q0=state[: 3 * arm.n], qd0=state[3 * arm.n : 6 * arm.n])
        batch.step(pressures, count=round(control.node / 1e-3))
        state = batch.state[0]
    return found[0], found[1]


def main() -> None:
    """Compares on random problems and prints how far the plans are from the optimum."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problems", type=int, default=100)
    parser.add_argument("--first-seed", type=int, default=0)
    given = parser.parse_args()
    count = given.problems
    control = ca.PredictiveControl(ca.load_arm("prototype"), highest=500e3)
    calls = ("first call", "five calls later")
    rows = []
    for seed in range(given.first_seed, given.first_seed + count):
        rows.append(compared(control, seed))
        shown = ", ".join(f"{name} {100 * above:.3g} %" for name, above in zip(calls, rows[-1], strict=True))
        print(f"problem {seed}: {shown}", file=sys.stderr, flush=True)
    for name, column in zip(calls, 100 * np.transpose(rows), strict=True):
        print(
            f"{name}: cost above Ipopt's by {np.median(column):.3g} % (median), {column.max():.3g} % (most), "
            f"{(column <= 2).sum()} of {count} within 2 %"
        )


if __name__ == "__main__":
    main()
