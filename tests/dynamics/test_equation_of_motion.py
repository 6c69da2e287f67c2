"""Laws of forward and inverse dynamics."""

import numpy as np
import pytest

from continuarm import (
    Arm,
    Integral,
    Muscles,
    Section,
    bias_forces,
    coriolis_matrix,
    damping_forces,
    elastic_forces,
    equilibrium,
    forward_dynamics,
    gravity_forces,
    inverse_dynamics,
    linearization,
    mass_matrix,
    tip_poses,
    vibrations,
)
from random_arms import MODELS, NEARLY_STRAIGHT, random_arm, random_lengths, random_rates


@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.model)
@pytest.mark.parametrize("n", [1, 2, 3, 10])
def test_the_parts_sum_to_the_equation_of_motion(model, n):
    rng = np.random.default_rng(n)
    arm = random_arm(rng, n, model)
    q, qd, qdd = random_lengths(rng, arm), random_rates(rng, arm), random_rates(rng, arm)
    parts = [
        mass_matrix(arm, q) @ qdd,
        coriolis_matrix(arm, q, qd) @ qd,
        damping_forces(arm, qd),
        gravity_forces(arm, q),
        elastic_forces(arm, q),
    ]
    size = np.abs(parts).max()
    np.testing.assert_allclose(inverse_dynamics(arm, q, qd, qdd), sum(parts), rtol=0, atol=1e-13 * size)
    np.testing.assert_allclose(bias_forces(arm, q, qd), sum(parts[1:]), rtol=0, atol=1e-13 * size)


@pytest.mark.parametrize("model", MODELS[:2], ids=lambda m: m.model)
@pytest.mark.parametrize("bend", [None, *NEARLY_STRAIGHT])
@pytest.mark.parametrize("n", [1, 3, 10])
def test_forward_and_inverse_dynamics_round_trip(model, bend, n):
    rng = np.random.default_rng(n)
    for _ in range(5):
        arm = random_arm(rng, n, model)
        q, qd, qdd = random_lengths(rng, arm, bend), random_rates(rng, arm), random_rates(rng, arm)
        tau = inverse_dynamics(arm, q, qd, qdd)
        # τ is rounded, and M⁻¹ magnifies that: compare where the rounding is, in the forces
        again = inverse_dynamics(arm, q, qd, forward_dynamics(arm, q, qd, tau))
        np.testing.assert_allclose(again, tau, rtol=0, atol=1e-11 * np.abs(tau).max())


def test_round_trip_on_a_hundred_sections():
    rng = np.random.default_rng(100)
    section = Section(length=0.15, radius=0.0125, mass=0.1, stiffness=1700, damping=110, twist=np.pi / 3)
    arm = Arm(sections=[section] * 100)
    q = np.concatenate([section.length_map @ [*rng.normal(size=2) * 0.3, rng.uniform(0, 0.05)] for _ in range(100)])
    qd, qdd = rng.normal(size=300) * 0.01, rng.normal(size=300)
    tau = inverse_dynamics(arm, q, qd, qdd)
    found = forward_dynamics(arm, q, qd, tau)
    # M of a hundred sections has a condition number of about 1e9, and rounding of τ passes through its inverse
    np.testing.assert_allclose(found, qdd, rtol=0, atol=1e-6)
    np.testing.assert_allclose(inverse_dynamics(arm, q, qd, found), tau, rtol=0, atol=1e-10 * np.abs(tau).max())


@pytest.mark.parametrize("n", [1, 3])
def test_cutting_a_section_in_two_changes_nothing(n):
    """A section is a uniform rod: two half sections that bend alike have the same forces and tip (integral model)."""
    rng = np.random.default_rng(n)
    arm = random_arm(rng, n, Integral())
    halves = []
    for section in arm.sections:
        common = {"radius": section.radius, "mass": section.mass / 2, "stiffness": 1.0, "damping": 0.0}
        halves.append(Section(length=section.length / 2, **common))
        halves.append(Section(length=section.length / 2, offset=section.offset, twist=section.twist, **common))
    cut = arm.replace(sections=halves)

    # the same curve: each half has half the bending vector and half the arc length
    def halved(q):
        x = [section.shape_map @ q[3 * i : 3 * i + 3] / 2 for i, section in enumerate(arm.sections)]
        return np.concatenate([half.length_map @ x[i // 2] for i, half in enumerate(cut.sections)])

    q, qd, qdd = random_lengths(rng, arm), random_rates(rng, arm), random_rates(rng, arm)
    np.testing.assert_allclose(tip_poses(cut, halved(q))[1::2], tip_poses(arm, q), rtol=0, atol=1e-14)

    def without_springs(arm, q, qd, qdd):
        return inverse_dynamics(arm, q, qd, qdd) - elastic_forces(arm, q) - damping_forces(arm, qd)

    forces = without_springs(cut, halved(q), halved(qd), halved(qdd))
    # virtual work: τ·δq is the same for the same motion
    together = np.array([forces @ halved(unit) for unit in np.eye(3 * n)])
    wanted = without_springs(arm, q, qd, qdd)
    np.testing.assert_allclose(together, wanted, rtol=0, atol=1e-12 * np.abs(wanted).max())


@pytest.mark.parametrize("model", MODELS[:2], ids=lambda m: m.model)
def test_turning_base_and_gravity_together_changes_nothing(model):
    rng = np.random.default_rng(0)
    arm = random_arm(rng, 3, model)
    turned = arm.replace(base_rotation=tuple(rng.normal(size=3)))
    rotation = turned.base_orientation @ arm.base_orientation.T
    turned = turned.replace(gravity=tuple(rotation @ arm.gravity))
    q, qd, tau = random_lengths(rng, arm), random_rates(rng, arm), rng.normal(size=9)
    found = forward_dynamics(arm, q, qd, tau)
    np.testing.assert_allclose(forward_dynamics(turned, q, qd, tau), found, rtol=0, atol=1e-12 * np.abs(found).max())
    np.testing.assert_allclose(tip_poses(turned, q)[:, :3], rotation @ tip_poses(arm, q)[:, :3], rtol=0, atol=1e-14)


def test_turning_every_muscle_by_a_third_turns_the_arm():
    """A section looks the same from each muscle: (l1, l2, l3) -> (l3, l1, l2) is a turn by 120° about its axis."""
    rng = np.random.default_rng(1)
    section = Section(length=0.15, radius=0.0125, mass=0.1, stiffness=1700)
    arm = Arm(sections=[section], gravity=(0, 0, 9.81))
    q, qd, tau = random_lengths(rng, arm), random_rates(rng, arm), rng.normal(size=3)
    found = forward_dynamics(arm, q, qd, tau)
    turned = forward_dynamics(arm, np.roll(q, 1), np.roll(qd, 1), np.roll(tau, 1))
    np.testing.assert_allclose(turned, np.roll(found, 1), rtol=0, atol=1e-12 * np.abs(found).max())


@pytest.mark.parametrize("model", MODELS[:2], ids=lambda m: m.model)
def test_a_batch_is_its_members_one_by_one(model):
    rng = np.random.default_rng(2)
    arm = random_arm(rng, 2, model)
    q = np.stack([[random_lengths(rng, arm) for _ in range(3)] for _ in range(2)])
    qd, tau = random_rates(rng, arm), rng.normal(size=(2, 1, 6))
    batch = forward_dynamics(arm, q, qd, tau)
    assert batch.shape == (2, 3, 6)
    for i in range(2):
        for j in range(3):
            one = forward_dynamics(arm, q[i, j], qd, tau[i, 0])
            np.testing.assert_allclose(batch[i, j], one, rtol=0, atol=1e-13 * np.abs(one).max())


@pytest.mark.parametrize("model", MODELS[:2], ids=lambda m: m.model)
def test_linearization_is_the_derivative_of_the_accelerations(model):
    rng = np.random.default_rng(6)
    arm = random_arm(rng, 2, model)
    q, qd, tau = random_lengths(rng, arm), random_rates(rng, arm), rng.normal(size=6)
    A, B = linearization(arm, q, qd, tau)
    state = np.concatenate([q, qd, tau])

    def accelerations(state):
        return forward_dynamics(arm, *np.split(state, 3))

    def difference(unit, h):
        return (accelerations(state + h * unit) - accelerations(state - h * unit)) / (2 * h)

    # Richardson's extrapolation of central differences: error of order h⁴, rounding of order 1e-16 / h
    h = 3e-5
    columns = [(4 * difference(unit, h) - difference(unit, 2 * h)) / 3 for unit in np.eye(18)]
    slopes = np.stack(columns, axis=-1)
    for found, wanted in ((A[6:, :6], slopes[:, :6]), (A[6:, 6:], slopes[:, 6:12]), (B[6:], slopes[:, 12:])):
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-7 * np.abs(wanted).max())
    np.testing.assert_array_equal(A[:6], np.hstack([np.zeros((6, 6)), np.eye(6)]))
    np.testing.assert_array_equal(B[:6], np.zeros((6, 6)))


def test_linearization_gives_the_inverse_of_the_mass_matrix():
    rng = np.random.default_rng(7)
    arm = random_arm(rng, 3)
    q = np.stack([random_lengths(rng, arm) for _ in range(4)])
    _, B = linearization(arm, q, random_rates(rng, arm), np.zeros(9))
    M = mass_matrix(arm, q)
    wanted = np.broadcast_to(np.eye(9), (4, 9, 9))
    np.testing.assert_allclose(B[:, 9:] @ M, wanted, rtol=0, atol=1e-15 * np.linalg.cond(M).max() * 10)


def four_muscles(arm):
    """The same arm with four muscles in each section, so that springs along them are no matrix of single entries."""
    layout = Muscles(angles=[0.1, 1.4, 3.0, 4.9], radii=[0.01, 0.02, 0.015, 0.012])
    return arm.replace({"sections[*].muscles": layout})


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_linearization_with_springs_along_the_muscles_is_that_of_springs_that_push(engine):
    rng = np.random.default_rng(8)
    arm = four_muscles(random_arm(rng, 2))
    q, qd, tau, k = random_lengths(rng, arm), random_rates(rng, arm), rng.normal(size=6), rng.uniform(0, 900, (3, 8))
    A, B = linearization(arm, q, qd, tau, muscle_stiffness=k, engine=engine)
    assert (A.shape, B.shape) == ((3, 12, 12), (3, 12, 6))

    def accelerations(q, row):
        return forward_dynamics(arm, q, qd, tau - arm.muscle_forces(k[row] * arm.muscle_lengths(q)))

    def difference(unit, h, row):
        return (accelerations(q + h * unit, row) - accelerations(q - h * unit, row)) / (2 * h)

    h = 3e-5
    for row in range(3):
        wanted = np.stack(
            [(4 * difference(unit, h, row) - difference(unit, 2 * h, row)) / 3 for unit in np.eye(6)], axis=-1
        )
        np.testing.assert_allclose(A[row, 6:, :6], wanted, rtol=0, atol=1e-7 * np.abs(wanted).max())
    rest = tau - arm.muscle_forces(k * arm.muscle_lengths(q))
    alone = linearization(arm, q, qd, rest, engine=engine)
    np.testing.assert_allclose(A[:, 6:, 6:], alone[0][:, 6:, 6:], rtol=1e-12, atol=1e-9)
    np.testing.assert_allclose(B, alone[1], rtol=1e-12, atol=1e-9)


def test_linearization_vibrates_as_vibrations_say_with_the_same_springs():
    rng = np.random.default_rng(9)
    arm = four_muscles(random_arm(rng, 2, gravity=(0, 0, 9.81), base_rotation=(0, 0, 0)))
    tau, k = rng.normal(size=6), rng.uniform(100, 900, 8)
    q = equilibrium(arm, tau, muscle_stiffness=k)
    A, _ = linearization(arm, q, np.zeros(6), tau, muscle_stiffness=k)
    decay = np.sort(1 / vibrations(arm, q, muscle_stiffness=k).time_constants)
    np.testing.assert_allclose(np.sort(-np.linalg.eigvals(A).real), decay, rtol=1e-7)


def test_wrong_springs_of_a_linearization_are_refused():
    arm, zero = random_arm(np.random.default_rng(10), 1), np.zeros(3)
    with pytest.raises(ValueError, match=r"^muscle_stiffness has shape \(4,\): must be \(..., 3\)"):
        linearization(arm, zero, zero, zero, muscle_stiffness=np.ones(4))
    with pytest.raises(ValueError, match=r"^muscle_stiffness\[1\] = -2: must be at least 0 N/m"):
        linearization(arm, zero, zero, zero, muscle_stiffness=[1.0, -2.0, 1.0])
    with pytest.raises(ValueError, match=r"^batch axes do not fit together: q .* muscle_stiffness \(3, 3\)$"):
        linearization(arm, np.zeros((4, 3)), zero, zero, muscle_stiffness=np.ones((3, 3)))
