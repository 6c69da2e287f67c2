"""From forces to pressures: the plant's own law gives back the forces, and no smaller pressures do."""

import numpy as np
import pytest
from scipy.optimize import lsq_linear

import continuarm as ca
from continuarm.control.bounded_squares import bounded_least_squares
from continuarm.dynamics.plant import Plant
from random_arms import random_arm

LAWS = {
    "muscle_area": 2e-4,
    "dead_zone": 60e3,
    "pressure_stiffness": 2e-3,
    "hardening": 1e4,
    "preload": (0.5, -0.3),
    "hysteresis": (60.0, 40.0, 10.0),
    "stiffness": 1500.0,
    "damping": 50.0,
}


def plain_arm(rng, n=2, **more):
    arm = random_arm(rng, n)
    return arm.replace(sections=[section.replace(**LAWS | more) for section in arm.sections])


def four_muscles(rng, n=2):
    angles = np.arange(4) * np.pi / 2 + rng.uniform(0, 1)
    return plain_arm(rng, n, muscles=ca.Muscles(angles=angles, radii=rng.uniform(0.01, 0.02, 4)))


def felt(arm, q, pressures, hysteresis):
    return Plant(arm).muscle_forces(pressures, hysteresis, q)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("make", [plain_arm, four_muscles])
def test_pressures_give_back_the_forces_of_pressures(make, seed):
    rng = np.random.default_rng(seed)
    arm = make(rng)
    count = len(arm.muscle_names)
    q, held = rng.uniform(-0.01, 0.02, (20, 3 * arm.n)), rng.normal(0, 1, (20, count))
    pressures = rng.uniform(100e3, 600e3, (20, count))
    tau = felt(arm, q, pressures, held)
    found = ca.muscle_pressures(arm, q, np.zeros_like(q), tau, hysteresis=held, highest=800e3)
    assert found.given.all()
    np.testing.assert_allclose(found.tau, tau, atol=1e-4)
    np.testing.assert_allclose(felt(arm, q, found.pressures, held), tau, atol=1e-4)
    np.testing.assert_array_equal(found.commands, found.pressures)
    assert found.pressures.min() >= 0
    assert (np.linalg.norm(found.pressures, axis=1) <= np.linalg.norm(pressures, axis=1) * (1 + 1e-6)).all()


def test_what_cannot_be_given_is_said_and_what_is_given_comes_nearest():
    arm = ca.load_arm("prototype")
    tau = np.array([-5.0, 10.0, 500.0] * 3)
    found = ca.muscle_pressures(arm, np.zeros(9), np.zeros(9), tau, highest=700e3)
    assert not found.given
    top = arm.sections[0].muscle_area * (700e3 - 90e3)
    np.testing.assert_allclose(found.tau, [0.0, 10.0, top] * 3)
    np.testing.assert_allclose(found.pressures, [0.0, 90e3 + 10.0 / arm.sections[0].muscle_area, 700e3] * 3)


def test_lines_that_feed_several_muscles_have_one_pressure():
    rng = np.random.default_rng(0)
    arm = plain_arm(rng).replace(lines=[ca.Line(muscles=["l11", "l21"]), ca.Line(muscles=["l12", "l13"])])
    q = rng.uniform(-0.01, 0.02, (10, 6))
    pressures = rng.uniform(100e3, 500e3, (10, 6))
    pressures[:, 3], pressures[:, 2] = pressures[:, 0], pressures[:, 1]
    tau = felt(arm, q, pressures, np.zeros((10, 6)))
    found = ca.muscle_pressures(arm, q, np.zeros_like(q), tau)
    np.testing.assert_allclose(found.pressures, pressures, rtol=1e-5)
    assert found.given.all()
    # a τ that no four pressures give: both muscles of a line still have the same
    other = ca.muscle_pressures(arm, q, np.zeros_like(q), tau + rng.normal(0, 2, tau.shape))
    np.testing.assert_array_equal(other.pressures[:, 0], other.pressures[:, 3])
    assert not other.given.any()


@pytest.mark.parametrize("seed", range(3))
def test_bounded_least_squares_agrees_with_scipy(seed):
    rng = np.random.default_rng(seed)
    columns, wanted = rng.normal(size=(30, 5, 5)), rng.normal(size=(30, 5)) * 3
    least, greatest = np.full(5, -0.3), rng.uniform(0.2, 2.0, 5)
    found = bounded_least_squares(columns, wanted, least, greatest)
    assert (found >= least).all()
    assert (found <= greatest).all()
    for A, b, x in zip(columns, wanted, found, strict=True):
        best = lsq_linear(A, b, (least, greatest), tol=1e-14).x
        assert np.linalg.norm(A @ x - b) <= np.linalg.norm(A @ best - b) * (1 + 1e-5) + 1e-7


def test_a_lead_brings_the_pressure_of_a_slow_valve_there_in_time():
    rng = np.random.default_rng(1)
    arm = plain_arm(rng, hysteresis=None).replace({"sections[*].valve_lag": 0.05, "sections[*].vent_lag": 0.08})
    plant = Plant(arm)
    q, now = np.zeros(6), rng.uniform(200e3, 400e3, 6)
    tau = felt(arm, q, rng.uniform(200e3, 400e3, 6), np.zeros(6))
    found = ca.muscle_pressures(arm, q, np.zeros(6), tau, pressures=now, lead=0.02)
    row = np.zeros(plant.commands.width)
    row[:6] = found.commands
    state = plant.first_state(q, np.zeros(6), now)
    after = plant.states.split(plant.step(row, state, 0.02)).pressures
    assert (found.commands > 0).all()
    np.testing.assert_allclose(after, found.pressures, rtol=1e-9)


def test_bad_arguments_are_refused():
    arm, still = ca.load_arm("prototype-muscles"), np.zeros(9)
    with pytest.raises(ValueError, match="lead: needs the pressures"):
        ca.muscle_pressures(arm, still, still, still, lead=0.01)
    with pytest.raises(ValueError, match=r"pressures has shape \(3,\)"):
        ca.muscle_pressures(arm, still, still, still, pressures=[0.0] * 3)
    with pytest.raises(ValueError, match="has no muscle_area: pressures need one"):
        ca.muscle_pressures(arm.replace({"sections[1].muscle_area": None}), still, still, still)
