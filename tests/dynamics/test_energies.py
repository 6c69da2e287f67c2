"""Laws of energy: gradients, power, and nothing lost."""

import numpy as np
import pytest

from continuarm import (
    Arm,
    CentreOfGravity,
    Muscles,
    Section,
    damping_forces,
    elastic_energy,
    elastic_forces,
    forward_dynamics,
    gravitational_energy,
    gravity_forces,
    kinetic_energy,
    mass_matrix,
    potential_energy,
)
from continuarm.sections.kinematics import arc_at
from random_arms import MODELS, random_arm, random_lengths, random_rates


def gradient(function, q, h=1e-5):
    """Richardson's extrapolation of central differences: error of order h⁴."""

    def difference(unit, h):
        return (function(q + h * unit) - function(q - h * unit)) / (2 * h)

    return np.array([(4 * difference(unit, h) - difference(unit, 2 * h)) / 3 for unit in np.eye(len(q))])


@pytest.mark.parametrize("n", [1, 3, 6])
def test_gravity_forces_are_the_gradient_of_the_gravitational_energy(n):
    rng = np.random.default_rng(n)
    arm = random_arm(rng, n)
    q = random_lengths(rng, arm, bend=2.0)
    found = gravity_forces(arm, q)
    wanted = gradient(lambda q: gravitational_energy(arm, q), q)
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-8 * np.abs(wanted).max())


def test_gravity_is_the_same_for_every_inertia_model():
    rng = np.random.default_rng(1)
    arm = random_arm(rng, 4)
    q = random_lengths(rng, arm)
    forces = [gravity_forces(arm.replace(inertia=model), q) for model in MODELS]
    np.testing.assert_allclose(forces, [forces[0]] * 3, rtol=0, atol=1e-14 * np.abs(forces).max())


def test_a_straight_hanging_arm_is_pulled_equally_along_all_muscles():
    section = Section(length=0.15, radius=0.0125, mass=0.1, stiffness=1700)
    arm = Arm(sections=[section] * 3)
    # lengthening section i lowers half of it and all below it; each muscle has a third of that
    wanted = -9.81 * 0.1 * np.repeat([2.5, 1.5, 0.5], 3) / 3
    np.testing.assert_allclose(gravity_forces(arm, np.zeros(9)), wanted, rtol=1e-14)


@pytest.mark.parametrize("stops", [0.0, 5e4])
def test_elastic_forces_are_the_gradient_of_the_elastic_energy(stops):
    rng = np.random.default_rng(2)
    arm = random_arm(rng, 2)
    sections = [each.replace(length_range=(-0.01, 0.02), stop_stiffness=stops) for each in arm.sections]
    arm = arm.replace(sections=sections)
    q = np.array([0.03, -0.005, 0.015, -0.02, 0.01, 0.025])
    found = elastic_forces(arm, q)
    np.testing.assert_allclose(found, gradient(lambda q: elastic_energy(arm, q), q), rtol=1e-8)


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_stops_of_any_muscle_layout_are_the_gradient_of_their_energy(engine):
    """Each of four muscles has its own stops; q is not their lengths."""
    four = Muscles(angles=(0.3, 1.9, 3.2, 5.0), radii=(0.01, 0.02, 0.015, 0.012))
    plain = Section(length=0.15, radius=0.0125, mass=0.1, stiffness=1700, muscles=four)
    stopped = plain.replace(length_range=(-0.01, 0.02), stop_stiffness=5e4)
    arm, q = Arm(sections=[stopped, plain]), np.array([0.03, -0.005, 0.015, -0.02, 0.01, 0.025])
    found = elastic_forces(arm, q, engine=engine)
    np.testing.assert_allclose(found, gradient(lambda q: elastic_energy(arm, q, engine=engine), q), rtol=1e-8)
    lengths = arm.muscle_lengths(q)[:4]
    beyond = np.maximum(lengths - 0.02, 0) - np.maximum(-0.01 - lengths, 0)
    assert (beyond > 0).any()
    assert (beyond < 0).any()
    assert (beyond == 0).any()
    pushed = found - elastic_forces(Arm(sections=[plain] * 2), q, engine=engine)
    wanted = arm.muscle_forces(np.concatenate([5e4 * beyond, np.zeros(4)]))
    np.testing.assert_allclose(pushed, wanted, rtol=0, atol=1e-12 * np.abs(found).max())


def test_stops_push_back_only_beyond_the_range():
    section = Section(length=0.1, radius=0.02, mass=0.1, stiffness=100, length_range=(-0.01, 0.02), stop_stiffness=1e4)
    arm = Arm(sections=[section])
    inside, beyond, below = [0.02, -0.01, 0.0], [0.021, 0.0, 0.0], [0.0, 0.0, -0.012]
    np.testing.assert_allclose(elastic_forces(arm, inside), 100 * np.array(inside), rtol=1e-14)
    np.testing.assert_allclose(elastic_forces(arm, beyond), [100 * 0.021 + 1e4 * 0.001, 0, 0], rtol=1e-12)
    np.testing.assert_allclose(elastic_forces(arm, below), [0, 0, -100 * 0.012 - 1e4 * 0.002], rtol=1e-12)


@pytest.mark.parametrize("model", MODELS[:2], ids=lambda m: m.model)
def test_power_in_is_energy_change_plus_dissipation(model):
    rng = np.random.default_rng(3)
    arm = random_arm(rng, 3, model)
    q, qd, tau = random_lengths(rng, arm, bend=2.5), random_rates(rng, arm), rng.normal(size=9) * 20
    qdd = forward_dynamics(arm, q, qd, tau)

    def energy(time):
        now = q + qd * time + qdd * time**2 / 2
        return kinetic_energy(arm, now, qd + qdd * time) + potential_energy(arm, now)

    def rate(h):
        return (energy(h) - energy(-h)) / (2 * h)

    change = (4 * rate(1e-6) - rate(2e-6)) / 3
    dissipated = qd @ damping_forces(arm, qd)
    assert dissipated > 0
    assert change == pytest.approx(qd @ tau - dissipated, rel=1e-7)


def test_energy_of_an_undamped_arm_drifts_by_less_than_1e_8_in_ten_seconds():
    from sksundae.cvode import CVODE

    section = Section(length=0.15, radius=0.0125, mass=0.1, stiffness=60, twist=np.pi / 3)
    arm = Arm(sections=[section] * 2)
    size = 6
    start = np.concatenate([[0.02, 0.0, 0.005, 0.0, 0.012, 0.0], np.zeros(size)])

    def right_hand_side(time, state, rate):
        rate[:size] = state[size:]
        rate[size:] = forward_dynamics(arm, state[:size], state[size:], np.zeros(size))

    solver = CVODE(right_hand_side, method="Adams", rtol=1e-12, atol=1e-14, max_num_steps=200000)
    solution = solver.solve(np.linspace(0, 10, 201), start)
    assert solution.success
    q, qd = solution.y[:, :size], solution.y[:, size:]
    kinetic, potential = kinetic_energy(arm, q, qd), potential_energy(arm, q)
    total = kinetic + potential
    assert kinetic.max() > 0.01  # it does swing: joules
    # relative to what is exchanged, not to the arbitrary zero of the potential
    assert np.abs(total - total[0]).max() < 1e-8 * kinetic.max()


def test_shaped_energies_are_those_the_paper_prints():
    """K̄^ω and K̄^υ (eqs. 18 Kwi_c, 20 Kvi_c) of a single moving section, from R̄ and p̄ by quadrature and their rates."""
    rng = np.random.default_rng(4)
    nodes, weights = np.polynomial.legendre.leggauss(30)
    nodes, weights = (nodes + 1) / 2, weights / 2

    def averages(x):
        rotation, position = arc_at(x[..., None, :], nodes)
        return np.einsum("k,kij->ij", weights, rotation), weights @ position

    for _ in range(10):
        beta_linear, beta_angular = (1.3, 1.4, 1.9), (1.1, 1.2, 1.5)
        model = CentreOfGravity(beta_linear=beta_linear, beta_angular=beta_angular)
        arm = random_arm(rng, 2, model, payload=False)
        q, qd = random_lengths(rng, arm), random_rates(rng, arm)
        M = mass_matrix(arm, q)

        energy = 0.0
        omega, v = np.zeros(3), np.zeros(3)
        for i, section in enumerate(arm.sections):
            x = section.shape_map @ q[3 * i : 3 * i + 3] + [0, 0, section.length]
            xd = section.shape_map @ qd[3 * i : 3 * i + 3]
            step = 1e-100
            R, p = averages(x)
            moved = averages(x + 1j * step * xd)
            Rd, pd = moved[0].imag / step, moved[1].imag / step
            Omega = np.cross(np.eye(3), omega)
            (v1, v2, v3), (o1, o2, o3) = beta_linear, beta_angular
            turned = Omega @ p
            energy += (section.mass / 2) * (
                v @ v + 2 * v @ turned + 2 * v @ pd + v1 * turned @ turned + 2 * v2 * turned @ pd + v3 * pd @ pd
            )
            inside = o1 * (Omega @ R).T @ (Omega @ R) + 2 * o2 * Rd.T @ Omega @ R + o3 * Rd.T @ Rd
            energy += section.disc_inertia / 2 * np.trace(inside[:2, :2])
            # body velocities of the next base (eq. 4 wvi_recursive), joint included
            tip, tip_moved = arc_at(x, np.array(1.0)), arc_at(x + 1j * step * xd, np.array(1.0))
            cosine, sine = np.cos(section.twist), np.sin(section.twist)
            joint = np.array([[cosine, -sine, 0], [sine, cosine, 0], [0, 0, 1]])
            R1, R1d = tip[0] @ joint, tip_moved[0].imag / step @ joint
            p1 = tip[1] + section.offset * R1[:, 2]
            p1d = tip_moved[1].imag / step + section.offset * R1d[:, 2]
            Omega_tip = R1.T @ (Omega @ R1 + R1d)
            v = R1.T @ (v + Omega @ p1 + p1d)
            omega = np.array([Omega_tip[2, 1], Omega_tip[0, 2], Omega_tip[1, 0]])
        assert qd @ M @ qd / 2 == pytest.approx(energy, rel=1e-12)
