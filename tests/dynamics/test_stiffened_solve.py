"""Laws of the solve that implicit methods need: the recursion does what the dense matrix does, and forms no matrix."""

import numpy as np
import pytest

from continuarm import mass_matrix
from continuarm.dynamics.forward import accelerations
from continuarm.dynamics.stiffened_solve import solve_stiffened
from random_arms import MODELS, NEARLY_STRAIGHT, random_arm, random_lengths


def random_blocks(rng, n, size):
    roots = rng.normal(size=(n, 3, 3))
    return list(size * (roots @ np.swapaxes(roots, -1, -2)))


def block_diagonal(blocks):
    dense = np.zeros((3 * len(blocks), 3 * len(blocks)))
    for i, each in enumerate(blocks):
        dense[3 * i : 3 * i + 3, 3 * i : 3 * i + 3] = each
    return dense


@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.model)
@pytest.mark.parametrize("n", [1, 2, 3, 10])
@pytest.mark.parametrize("bend", [None, *NEARLY_STRAIGHT])
def test_the_recursion_solves_the_dense_system(model, n, bend):
    """What is left over of the right-hand side is rounding, for blocks from nothing to far stiffer than the inertia."""
    rng = np.random.default_rng(n)
    for size in (0.0, 1e-3, 1.0, 1e6):
        arm = random_arm(rng, n, model)
        # a heavy arm of sections that are bent by a turn has a condition number of 1e7: the model's, not the method's
        q = random_lengths(rng, arm, 1.0 if bend is None else bend)
        added, force = random_blocks(rng, n, size), rng.normal(size=3 * n)
        dense = mass_matrix(arm, q) + block_diagonal(added)
        found = solve_stiffened(arm, q, added, force)
        scale = np.abs(dense) @ np.abs(found) + np.abs(force)
        assert (np.abs(dense @ found - force) < 1e-12 * scale.max()).all()


def test_it_is_linear_in_the_force_and_symmetric():
    rng = np.random.default_rng(0)
    arm = random_arm(rng, 4)
    q, added = random_lengths(rng, arm, 0.8), random_blocks(rng, 4, 0.1)
    inverse = np.stack([solve_stiffened(arm, q, added, unit) for unit in np.eye(12)])
    np.testing.assert_allclose(inverse, inverse.T, rtol=0, atol=1e-12 * np.abs(inverse).max())
    force = rng.normal(size=12)
    wanted = inverse @ force
    np.testing.assert_allclose(solve_stiffened(arm, q, added, force), wanted, rtol=0, atol=1e-12 * np.abs(wanted).max())


def test_it_is_forward_dynamics_without_gravity_springs_and_motion():
    rng = np.random.default_rng(1)
    arm = random_arm(rng, 3, gravity=(0.0, 0.0, 0.0))
    q, added, force, still = random_lengths(rng, arm, 1.3), random_blocks(rng, 3, 1.0), rng.normal(size=9), np.zeros(9)
    wanted = accelerations(arm, q, still, force, still, still, added)
    np.testing.assert_allclose(solve_stiffened(arm, q, added, force), wanted, rtol=0, atol=1e-13 * np.abs(wanted).max())


def test_rows_are_solved_together():
    rng = np.random.default_rng(2)
    arm = random_arm(rng, 2)
    q = np.stack([random_lengths(rng, arm, 1.0) for _ in range(5)])
    added, force = random_blocks(rng, 2, 1.0), rng.normal(size=(5, 6))
    together = solve_stiffened(arm, q, added, force)
    for row, wanted in enumerate(together):
        np.testing.assert_allclose(solve_stiffened(arm, q[row], added, force[row]), wanted, rtol=1e-13)
