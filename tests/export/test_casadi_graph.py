"""An arm in CasADi's own operations gives what the library gives, and CasADi differentiates it rightly."""

import sys

import casadi
import numpy as np
import pytest

from continuarm import linearization, load_arm, tip_jacobian, tip_poses
from continuarm.dynamics.mass_and_coriolis import COMPLEX_STEP
from continuarm.dynamics.plant import Plant
from continuarm.export import casadi_functions
from continuarm.export.c_check import random_inputs
from random_arms import MODELS
from random_plants import FOUR, random_plant

pytestmark = pytest.mark.slow

STEP = 2e-3
ARMS = {
    "prototype": load_arm("prototype"),
    "prototype-muscles": load_arm("prototype-muscles"),
    "everything, 2 sections": random_plant(np.random.default_rng(2), 2, "everything", FOUR, MODELS[0]).arm,
    "everything, point masses": random_plant(np.random.default_rng(3), 3, "everything", None, MODELS[1]).arm,
    "shaking": random_plant(np.random.default_rng(1), 1, "shaking", None, MODELS[2]).arm,
    "stops": random_plant(np.random.default_rng(4), 2, "stops", None, MODELS[0]).arm,
}


@pytest.fixture(scope="module", params=ARMS)
def case(request):
    """An arm, its functions, and a few states."""
    arm = ARMS[request.param]
    given = random_inputs(arm, 3, seed=5)
    return arm, casadi_functions(arm, step=STEP), [{name: rows[k] for name, rows in given.items()} for k in range(3)]


def close(found, expected):
    return np.abs(np.array(found) - expected).max() <= 1e-10 * np.abs(expected).max()


def test_forward_dynamics_and_tips_are_those_of_the_library(case):
    arm, functions, states = case
    size = 3 * arm.n
    for given in states:
        q, qd, tau = given["q"], given["qd"], given["tau"]
        A, B = linearization(arm, q, qd, tau)
        slopes = functions.forward_dynamics.jacobian()(q, qd, tau, 0)
        assert all(map(close, slopes, (A[size:, :size], A[size:, size:], B[size:])))
        assert close(functions.tips(q), tip_poses(arm, q)[:, :3, 3].reshape(size, 1))
        assert close(functions.tips.jacobian()(q, 0), tip_jacobian(arm, q)[:, 3:].reshape(size, size))


@pytest.mark.slow  # Jacobians of many operations
@pytest.mark.parametrize("name", ["plant_rate", "implicit_step"])
def test_plants_and_their_slopes_are_those_of_complex_steps(name, case):
    arm, functions, states = case
    plant = Plant(arm)

    def reference(both):
        commands, state = np.split(both, [plant.commands.width], axis=-1)
        return plant.rate(commands, state) if name == "plant_rate" else plant.step(commands, state, STEP)

    function, edges = getattr(functions, name), [plant.commands.forces, plant.commands.wrench, plant.commands.width]
    for given in states:
        both, parts = np.concatenate([given["commands"], given["state"]]), plant.commands.split(given["commands"])
        assert close(function(given["state"], *parts), reference(both)[:, None])
        slopes = (reference(both + 1j * COMPLEX_STEP * np.eye(len(both))).imag / COMPLEX_STEP).T
        by_commands = np.split(slopes, edges, axis=1)
        found = function.jacobian()(given["state"], *parts, 0)
        for block, expected in zip(found, (by_commands[3], *by_commands[:3]), strict=True):
            assert np.abs(np.array(block) - expected).max() <= 1e-10 * np.abs(slopes).max()


def test_second_derivatives_are_the_slopes_of_first_ones():
    arm = ARMS["stops"]
    functions = casadi_functions(arm)
    q = casadi.SX.sym("q", 3 * arm.n)
    height = functions.tips(q)[-1]
    first = casadi.Function("first", [q], [casadi.gradient(height, q)])
    second = casadi.Function("second", [q], [casadi.hessian(height, q)[0]])
    here = random_inputs(arm, 1, seed=6)["q"][0]
    found, by = np.array(second(here)), 1e-5
    differences = np.hstack([np.array(first(here + by * e) - first(here - by * e)) / (2 * by) for e in np.eye(6)])
    assert np.abs(found - found.T).max() < 1e-12 * np.abs(found).max()
    assert np.abs(found - differences).max() < 1e-7 * np.abs(found).max()


def test_derivatives_that_are_zero_are_known_to_be():
    functions = casadi_functions(load_arm("prototype"))
    assert functions.tips.jacobian().sparsity_out(0).nnz() == 9 * 6  # nothing beyond a tip moves it
    by_state = functions.plant_rate.jacobian().sparsity_out(0)
    assert by_state.nnz() < 20 * 20 / 2


def test_arguments_have_names_and_absent_ones_are_zero():
    functions = casadi_functions(load_arm("single-section"))
    assert functions.implicit_step.name_in() == ["state", "pressures", "forces", "wrench"]
    fallen = functions.implicit_step(state=np.zeros(8), forces=[0, 0, 1.0])["after"]
    assert close(fallen, np.array(functions.implicit_step(np.zeros(8), np.zeros(3), [0, 0, 1.0], np.zeros(6))))


def test_bad_input_is_one_sentence(monkeypatch):
    with pytest.raises(ValueError, match="step = 0"):
        casadi_functions(load_arm("single-section"), step=0)
    with pytest.raises((TypeError, ValueError), match="arm"):
        casadi_functions("prototype")
    monkeypatch.setitem(sys.modules, "casadi", None)
    with pytest.raises(ImportError, match=r"pip install 'continuarm\[casadi\]'"):
        casadi_functions(load_arm("single-section"))
