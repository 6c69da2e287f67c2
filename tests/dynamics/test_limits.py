"""Arms so simple that the answer is known: free vibration, pendulum, cantilever."""

import numpy as np
import pytest

from continuarm import (
    Arm,
    Integral,
    Muscles,
    Payload,
    Section,
    elastic_forces,
    gravity_forces,
    linearization,
    mass_matrix,
)
from continuarm.arms.inertia_models import SMALL_BENDS
from random_arms import MODELS

SECTION = Section(length=0.15, radius=0.0125, mass=0.1, stiffness=1700)
L, R, M, K = SECTION.length, SECTION.radius, SECTION.mass, 1700.0


def frequencies(arm, q):
    """Squared angular frequencies of small motions about an equilibrium, (rad/s)², ascending."""
    size = len(q)
    tau = elastic_forces(arm, q) + gravity_forces(arm, q)
    A, _ = linearization(arm, q, np.zeros(size), tau)
    return np.sort(np.linalg.eigvals(-A[size:, :size]).real)


@pytest.mark.parametrize("model", [Integral(), SMALL_BENDS], ids=lambda m: m.model)
def test_free_vibration_of_one_section(model):
    """Stretching: a spring 3k with a third of the mass. Bending: m L²/20 + I/3 against 3/2 k r².

    With the small-bend limits of β the shaped energies have the same: 9/5 · 1/36 = 1/20 and 4/3 · 1/4 = 1/3.
    """
    arm = Arm(sections=[SECTION], inertia=model, gravity=(0, 0, 0))
    bending = 1.5 * K * R**2 / (M * L**2 / 20 + SECTION.disc_inertia / 3)
    own = {"integral": 1 / 3, "centre-of-gravity": 1.8 / 4}[model.model]
    stretching = 3 * K / (M * own)
    np.testing.assert_allclose(frequencies(arm, np.zeros(3)), [bending, bending, stretching], rtol=1e-12)


def test_a_hanging_payload_on_a_massless_section_is_a_pendulum():
    """A heavy bob at the tip of a light, limp arc swings as P = -M g s sin(φ)/φ and moves by s φ / 2."""
    heavy, g = 1000.0, 9.81
    limp = SECTION.replace(mass=1e-9, stiffness=1e-9)
    arm = Arm(sections=[limp], payload=Payload(mass=heavy), gravity=(0, 0, g))
    wanted = heavy * g * L / 3 / (heavy * L**2 / 4)
    np.testing.assert_allclose(frequencies(arm, np.zeros(3))[1:], [wanted, wanted], rtol=1e-9)


def test_a_standing_arm_buckles_where_gravity_beats_the_springs():
    """Upside down, gravity softens bending by m g L/12; the arm falls once that exceeds 3/2 k r²."""
    critical = 1.5 * K * R**2 / (M * L / 12)
    for g, falls in ((0.999 * critical, False), (1.001 * critical, True)):
        arm = Arm(sections=[SECTION], gravity=(0, 0, -g))
        assert (frequencies(arm, np.zeros(3))[0] < 0) == falls


def test_a_horizontal_arm_sags_like_a_cantilever_of_one_arc():
    """Gravity across a straight section bends it with m g L/6 (the mean of g2 ξ... is 1/6), against 3/2 k r²."""
    arm = Arm(sections=[SECTION], gravity=(9.81, 0, 0))
    moment = SECTION.length_map.T @ gravity_forces(arm, np.zeros(3))
    np.testing.assert_allclose(moment, [-M * 9.81 * L / 6, 0, 0], atol=1e-15)


@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.model)
def test_muscle_layouts_are_only_another_linear_map(model):
    """Six muscles of half the stiffness, twice around, are three of the full stiffness; the mass matrix is the same."""
    angles = tuple(np.arange(6) * np.pi / 3)
    six = SECTION.replace(muscles=Muscles(angles=angles, radii=(R,) * 6), stiffness=K / 2)
    arm, other = Arm(sections=[SECTION], inertia=model), Arm(sections=[six], inertia=model)
    q = np.array([0.01, 0.02, 0.005])
    np.testing.assert_allclose(elastic_forces(other, q), elastic_forces(arm, q), rtol=1e-12)
    np.testing.assert_array_equal(mass_matrix(other, q), mass_matrix(arm, q))
    lengths = other.muscle_lengths(q)
    np.testing.assert_allclose(lengths[::2], q, rtol=1e-12)
    # the muscle opposite to muscle 1 is as much shorter than the mean as muscle 1 is longer
    np.testing.assert_allclose(lengths[:3] + lengths[3:], 2 * q.mean(), rtol=1e-12)
    forces = np.arange(6.0)
    assert other.muscle_forces(forces) @ q == pytest.approx(forces @ lengths, rel=1e-12)
