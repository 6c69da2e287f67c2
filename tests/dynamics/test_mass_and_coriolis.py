"""Laws of M and C."""

import numpy as np
import pytest

from continuarm import CentreOfGravity, Integral, PointMass, coriolis_matrix, kinetic_energy, mass_matrix
from continuarm.dynamics import mass_and_coriolis
from continuarm.dynamics.chain import passages, weigh
from random_arms import MODELS, NEARLY_STRAIGHT, random_arm, random_lengths, random_rates

EPS = np.finfo(float).eps


def mass_matrix_rate(arm, q, qd, step=1e-100):
    """Ṁ = Σ M_,h q̇_h by complex step, exact to rounding."""
    return mass_and_coriolis.mass_matrix(arm, q + 1j * step * qd).imag / step


@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.model)
@pytest.mark.parametrize("n", [1, 2, 5, 10])
def test_mass_matrix_is_the_hessian_of_the_kinetic_energy(model, n):
    rng = np.random.default_rng(n)
    arm = random_arm(rng, n, model)
    q = random_lengths(rng, arm)
    M = mass_matrix(arm, q)
    units = np.eye(3 * n)
    # polarisation of a quadratic form is exact, so only rounding separates the two
    sums = kinetic_energy(arm, q, units[:, None] + units[None, :])
    single = kinetic_energy(arm, q, units)
    np.testing.assert_allclose(M, sums - single[:, None] - single[None, :], rtol=0, atol=1e-13 * np.abs(M).max())


@pytest.mark.parametrize("bend", [None, *NEARLY_STRAIGHT, 2 * np.pi])
@pytest.mark.parametrize("n", [1, 3, 10])
def test_integral_mass_matrix_is_symmetric_and_positive_definite(n, bend):
    rng = np.random.default_rng(7)
    for _ in range(5):
        arm = random_arm(rng, n, Integral(), payload=False)
        q = np.stack([random_lengths(rng, arm, bend) for _ in range(20)])
        M = mass_matrix(arm, q)
        assert (np.swapaxes(M, -1, -2) == M).all()
        # the smallest eigenvalue is far above the rounding of the largest
        eigenvalues = np.linalg.eigvalsh(M)
        assert (eigenvalues[:, 0] > 100 * EPS * eigenvalues[:, -1]).all()


def test_shaped_energy_keeps_the_mass_matrix_positive_definite():
    rng = np.random.default_rng(8)
    for model in (CentreOfGravity(), MODELS[1]):
        arm = random_arm(rng, 4, model, payload=False)
        q = np.stack([random_lengths(rng, arm) for _ in range(50)])
        assert (np.linalg.eigvalsh(mass_matrix(arm, q))[:, 0] > 0).all()


@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.model)
@pytest.mark.parametrize("bend", [None, *NEARLY_STRAIGHT])
def test_rate_of_mass_matrix_minus_twice_coriolis_is_skew(model, bend):
    rng = np.random.default_rng(3)
    for n in (1, 2, 4):
        arm = random_arm(rng, n, model)
        q, qd = random_lengths(rng, arm, bend), random_rates(rng, arm)
        rate = mass_matrix_rate(arm, q, qd)
        skew = rate - 2 * coriolis_matrix(arm, q, qd)
        np.testing.assert_allclose(skew, -skew.T, rtol=0, atol=1e-12 * np.abs(rate).max())


@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.model)
def test_coriolis_matrix_is_that_of_the_christoffel_symbols(model):
    rng = np.random.default_rng(4)
    arm = random_arm(rng, 3, model)
    q, qd = random_lengths(rng, arm), random_rates(rng, arm)
    dM = np.stack([mass_matrix_rate(arm, q, unit) for unit in np.eye(9)])  # h, j, k
    symbols = np.einsum("hjk->jkh", dM) + np.einsum("kjh->jkh", dM) - np.einsum("jkh->jkh", dM)
    np.testing.assert_allclose(coriolis_matrix(arm, q, qd), symbols @ qd / 2, rtol=0, atol=1e-12 * np.abs(dM).max())


def test_point_mass_has_no_energy_in_a_spin_and_the_disc_has():
    """Section II-D: a straight section whose base only spins about its axis has energy m r² ω²/4, a point mass none."""
    rng = np.random.default_rng(5)
    for model, expected in ((Integral(), 1.0), (MODELS[1], 1.05), (PointMass(), 0.0)):
        arm = random_arm(rng, 1, model, payload=False)
        section = arm.sections[0]
        (passage,), _ = passages(arm, np.zeros(3), np.zeros(3))
        body, _ = weigh(model, section, passage, np.zeros(3))
        spin = np.array([0, 0, 2.0, 0, 0, 0])
        energy = spin @ body.I @ spin / 2
        assert energy == pytest.approx(expected * section.mass * section.radius**2 * 2.0**2 / 4, rel=1e-14, abs=1e-18)


@pytest.mark.parametrize("size", [1e-300, 1e-228, 1e-150, 1.0, 1e150])
def test_the_coriolis_matrix_is_linear_in_the_rates_however_small(size):
    rng = np.random.default_rng(9)
    arm = random_arm(rng, 3)
    q, qd = np.stack([random_lengths(rng, arm) for _ in range(3)]), np.stack([random_rates(rng, arm) for _ in range(3)])
    qd[2] = 0.0
    expected = size * coriolis_matrix(arm, q, qd, engine="reference")
    with np.errstate(under="raise"):
        found = coriolis_matrix(arm, q, size * qd, engine="reference")
    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-15 * np.abs(expected).max())
