"""An arm in CasADi: exact Jacobians, and a motion that Ipopt finds without Python in the loop."""

import casadi
import numpy as np
import pytest

from continuarm import linearization, load_arm, tip_jacobian, tip_poses
from continuarm.cli.app import main
from continuarm.dynamics.mass_and_coriolis import COMPLEX_STEP
from continuarm.dynamics.plant import Plant
from continuarm.export import export_casadi
from continuarm.export.c_check import random_inputs

pytestmark = pytest.mark.slow  # compiles

STEP = 0.02


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return str(export_casadi(load_arm("prototype"), tmp_path_factory.mktemp("casadi"), name="arm", step=STEP)[-1])


def close(found, expected):
    return np.abs(np.array(found) - expected).max() <= 1e-10 * np.abs(expected).max()


def test_functions_and_their_jacobians_are_those_of_the_library(library):
    arm = load_arm("prototype")
    for k in range(5):
        given = {name: rows[0] for name, rows in random_inputs(arm, 1, seed=k).items()}
        q, qd, tau = given["q"], given["qd"], given["tau"]
        A, B = linearization(arm, q, qd, tau)
        slopes = casadi.external("arm_casadi_forward_dynamics", library).jacobian()(q, qd, tau, 0)
        assert all(map(close, slopes, (A[9:, :9], A[9:, 9:], B[9:])))
        tips = casadi.external("arm_casadi_tips", library)
        assert close(tips(q), tip_poses(arm, q)[:, :3, 3].reshape(9, 1))
        assert close(tips.jacobian()(q, 0), tip_jacobian(arm, q)[:, 3:].reshape(9, 9))


@pytest.mark.parametrize("name", ["plant_rate", "implicit_step"])
def test_plants_and_their_jacobians_are_those_of_complex_steps(name, library):
    arm = load_arm("prototype")
    plant = Plant(arm)
    given = {each: rows[0] for each, rows in random_inputs(arm, 2, seed=4).items()}
    state, commands = given["state"], given["commands"]
    parts = plant.commands.split(commands)

    def reference(both):
        commands, state = np.split(both, [plant.commands.width], axis=-1)
        return plant.rate(commands, state) if name == "plant_rate" else plant.step(commands, state, STEP)

    both = np.concatenate([commands, state])
    slopes = (reference(both + 1j * COMPLEX_STEP * np.eye(len(both))).imag / COMPLEX_STEP).T
    function = casadi.external(f"arm_casadi_{name}", library)
    assert close(function(state, *parts), reference(both)[:, None])
    found = function.jacobian()(state, *parts, 0)
    m = plant.commands.forces
    edges = (slopes[:, m + 15 :], slopes[:, :m], slopes[:, m : m + 9], slopes[:, m + 9 : m + 15])
    assert all(map(close, found, edges))


def test_states_beyond_the_model_fail_and_absent_arguments_are_zero(library):
    function = casadi.external("arm_casadi_forward_dynamics", library)
    with pytest.raises(RuntimeError):
        function(np.full(9, -1.0), 0, 0)
    assert close(function(0, 0, 0), np.array(function(np.zeros(9), np.zeros(9), np.zeros(9))))


def test_ipopt_finds_a_motion_to_a_place(library):
    arm, count, target = load_arm("prototype"), 25, [0.05, 0.03, 0.46]
    plant = Plant(arm)
    step = casadi.external("arm_casadi_implicit_step", library)
    tips = casadi.external("arm_casadi_tips", library)
    problem = casadi.Opti()
    pressures = problem.variable(9, count)  # in 100 kPa, above the dead zone
    states = problem.variable(plant.states.width, count + 1)
    problem.minimize(casadi.sumsqr(pressures - 2))
    problem.subject_to(states[:, 0] == 0)
    for k in range(count):
        problem.subject_to(states[:, k + 1] == step(states[:, k], 1e5 * pressures[:, k], 0, 0))
    problem.subject_to(problem.bounded(1, casadi.vec(pressures), 6))
    tip = tips(states[:9, count])[6:]
    problem.subject_to(tip == target)
    problem.subject_to(states[9:18, count] == 0)  # at rest there
    problem.set_initial(pressures, 2.0)
    quiet = {"print_level": 0, "sb": "yes", "hessian_approximation": "limited-memory"}
    problem.solver("ipopt", {"print_time": False}, quiet)
    found = problem.solve()
    assert found.stats()["success"]
    state = np.zeros(plant.states.width)
    for row in 1e5 * found.value(pressures).T:
        state = plant.step(plant.commands.rows(row)[0], state, STEP)
    assert np.abs(tip_poses(arm, state[:9])[-1, :3, 3] - target).max() < 1e-6


def test_the_command_writes_a_library(tmp_path, capsys):
    assert main(["export", "single-section", "--casadi", str(tmp_path / "new")]) == 0
    assert (tmp_path / "new" / "single_section_casadi.so").exists()
    assert "single_section_casadi.so" in capsys.readouterr().out
