"""Quantities that have derivatives, arms and states to take them at, and how near results are to each other."""

import numpy as np

import continuarm as ca
from random_arms import random_lengths, random_rates

STEP = 0.004
QUANTITIES = {
    "forward_dynamics": (ca.forward_dynamics, 3, {}),
    "inverse_dynamics": (ca.inverse_dynamics, 3, {}),
    "tip_poses": (ca.tip_poses, 1, {}),
    "implicit_step": (ca.implicit_step, 3, {"step": STEP}),
}
"""By name: the quantity, how many inputs it takes after the arm, and what else."""
STOPS = {"length_range": (-0.002, 0.004), "stop_stiffness": 3e4}


def with_stops(arm):
    return arm.replace({f"sections[*].{field}": value for field, value in STOPS.items()})


def random_inputs(rng, arm, count, batch=(), bend=None):
    """q, q̇ and a third, as many as asked for."""
    rows = int(np.prod(batch))
    q = [random_lengths(rng, arm, rng.uniform(0.1, 2.0) if bend is None else bend) for _ in range(rows)]
    rest = [[random_rates(rng, arm) for _ in range(rows)] for _ in range(2)]
    return [np.reshape(each, (*batch, 3 * arm.n)) for each in [q, *rest][:count]]


def all_close(found, wanted, relative):
    """Arrays by pairs, each to within its largest number."""
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_allclose(a, b, rtol=0, atol=relative * max(np.abs(b).max(), 1e-300))
