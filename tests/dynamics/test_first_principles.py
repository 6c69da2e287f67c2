"""Three derivations of one arm: the O(n) recursions, the paper's recursion, and poses differentiated in 80 digits."""

import first_principles
import numpy as np
import pytest

from continuarm import (
    Integral,
    damping_forces,
    elastic_forces,
    gravitational_energy,
    inverse_dynamics,
    kinetic_energy,
    mass_matrix,
    tip_poses,
)
from continuarm.paper.algorithm1 import paper_forward_dynamics, paper_terms
from random_arms import MODELS, NEARLY_STRAIGHT, random_arm, random_lengths, random_rates

# (sections, bend of all sections or None for anything up to a full turn)
LONGER = [(2, None), (3, None), *((2, bend) for bend in NEARLY_STRAIGHT)]
CASES = [(1, None), (1, 2 * np.pi), *(pytest.param(*case, marks=pytest.mark.slow) for case in LONGER)]
LARGE = [(6, None), (10, None), (10, 0.0)]


def state(n, bend, model):
    rng = np.random.default_rng(1000 + n)
    arm = random_arm(rng, n, model)
    return arm, random_lengths(rng, arm, bend), random_rates(rng, arm), random_rates(rng, arm)


def close(found, wanted, to):
    np.testing.assert_allclose(found, wanted, rtol=0, atol=to * np.abs(wanted).max())


@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.model)
@pytest.mark.parametrize(("n", "bend"), CASES)
def test_recursion_agrees_with_first_principles(model, n, bend):
    arm, q, qd, qdd = state(n, bend, model)
    close(mass_matrix(arm, q), first_principles.mass_matrix(arm, q), to=1e-12)
    forces = inverse_dynamics(arm, q, qd, qdd) - elastic_forces(arm, q) - damping_forces(arm, qd)
    close(forces, first_principles.inertial_and_gravity_forces(arm, q, qd, qdd), to=1e-11)
    close(kinetic_energy(arm, q, qd), first_principles.kinetic_energy(arm, q, qd), to=1e-12)
    close(gravitational_energy(arm, q), first_principles.gravitational_energy(arm, q), to=1e-12)
    close(tip_poses(arm, q), first_principles.tip_poses(arm, q), to=1e-13)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "bend"), LARGE)
def test_recursion_agrees_with_first_principles_on_long_arms(n, bend):
    arm, q, qd, qdd = state(n, bend, Integral())
    forces = inverse_dynamics(arm, q, qd, qdd) - elastic_forces(arm, q) - damping_forces(arm, qd)
    close(forces, first_principles.inertial_and_gravity_forces(arm, q, qd, qdd), to=1e-11)
    close(kinetic_energy(arm, q, qd), first_principles.kinetic_energy(arm, q, qd), to=1e-12)


@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.model)
@pytest.mark.parametrize(("n", "bend"), CASES + LARGE)
def test_recursion_agrees_with_the_papers_recursion(model, n, bend):
    arm, q, qd, qdd = state(n, bend, model)
    arm = arm.replace(payload=None)
    terms = paper_terms(arm, q, qd)
    close(mass_matrix(arm, q), terms.M, to=1e-12)
    forces = inverse_dynamics(arm, q, qd, qdd)
    close(forces, terms.M @ qdd + (terms.C + terms.D) @ qd + terms.G + terms.K_e @ q, to=1e-11)
    again = inverse_dynamics(arm, q, qd, paper_forward_dynamics(arm, q, qd, forces))
    close(again, forces, to=1e-10)
