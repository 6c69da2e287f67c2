"""Laws of predictive control: its derivatives, its limits, its optimum, and what it keeps when it cannot go on."""

import pickle

import numpy as np
import pytest

import continuarm as ca
from continuarm.control.predictive import shifted
from continuarm.control.predictive_problem import Targets, divided, in_pieces
from continuarm.dynamics.plant import Plant
from continuarm.engine.native_arm import native_plant
from predictive_optimum import compared
from random_arms import random_lengths
from random_plants import FOUR, random_plant

pytestmark = pytest.mark.slow

LAGGED = {"sections[*].valve_lag": 0.05}


def followed(control, reference, duration, rate=100, arm=None, step=1e-3):
    """Times, states and commands of an arm, that of the controller if left out, led by it from where it hangs."""
    plant = Plant(arm or control.arm)
    native, row = native_plant(plant, step), plant.first_state(ca.equilibrium(plant.arm))
    times, states, commands, count = [], [], [], round(1 / rate / step)
    control.reset()
    for k in range(round(duration * rate)):
        pressures = control.command(k / rate, row, reference)
        out = np.empty((count, len(row)))
        held = np.repeat(plant.commands.rows(pressures[None]), count, axis=0)
        assert native.forward_sweep(row, held, step, out) == count
        row = out[-1]
        times.append(k / rate + step * np.arange(1, count + 1))
        states.append(out)
        commands.append(pressures)
    return np.concatenate(times), np.concatenate(states), np.array(commands)


def misses(arm, times, states, reference):
    tips = ca.tip_poses(arm, np.ascontiguousarray(states[:, : 3 * arm.n]))[:, -1, :3, 3]
    return np.linalg.norm(tips - reference.at(times).position, axis=1)


def cost_of(control, start, inputs, targets):
    problem = control._problem
    states = problem.slopes.states(start, problem.commands(inputs))
    return problem.cost(inputs, targets, problem.terms(states, targets))


@pytest.mark.parametrize("lagged", [False, True])
@pytest.mark.parametrize("space", ["tip", "muscles"])
def test_gradient_of_the_quadratic_program_is_that_of_the_cost(prototype, lagged, space):
    rng = np.random.default_rng(1)
    arm = prototype.replace(LAGGED if lagged else {})
    near = ca.tip_poses(arm, np.full(9, 0.01))[1, :3, 3] + [0.02, 0.0, 0.0]
    control = ca.PredictiveControl(arm, nodes=6, substeps=2, obstacles=ca.Sphere(near, 0.02), softness=0.02)
    problem, start = control._problem, Plant(arm).first_state(np.full(9, 0.01), rng.normal(0, 0.05, 9))
    width = 3 if space == "tip" else 9
    targets = Targets(rng.normal(0, 0.1, (6, width)), space == "muscles", rng.uniform(1e5, 4e5, 9))
    inputs = rng.uniform(1.5e5, 5e5, (6, 9))
    swept = problem.slopes.sweep(start, problem.commands(inputs))
    terms = problem.terms(swept.states, targets)
    assert len(terms) == 3  # misses, ranges and an obstacle
    _, gradient, _ = problem.quadratic(inputs, targets, problem.condensed(swept), terms)
    for _ in range(3):
        along = rng.normal(size=inputs.shape)
        ends = [cost_of(control, start, inputs + sign * 10.0 * along, targets) for sign in (1, -1)]
        wanted = (ends[0] - ends[1]) / 20.0
        assert np.isclose(2 * gradient @ along.ravel() / 1e5, wanted, rtol=1e-5)


def test_points_of_an_arm_in_pieces_are_on_the_arm():
    rng = np.random.default_rng(2)
    for layout in (None, FOUR):
        arm = random_plant(rng, 3, "pressure", layout).arm
        q = random_lengths(rng, arm, 1.2)
        found = ca.tip_poses(divided(arm, 4), in_pieces(arm, 4) @ q)[:, :3, 3].reshape(3, 4, 3)
        wanted = ca.poses_along(arm, q, np.arange(1, 5) / 4)[..., :3, 3]
        np.testing.assert_allclose(found[:, :-1], wanted[:, :-1], atol=1e-12)
        np.testing.assert_allclose(found[:, -1], ca.tip_poses(arm, q)[:, :3, 3], atol=1e-12)  # behind the joint


@pytest.mark.slow
def test_plans_cost_at_most_two_percent_more_than_the_optimum_of_ipopt(prototype):
    control = ca.PredictiveControl(prototype, nodes=10, highest=500e3)
    for seed in (3, 4):
        assert max(compared(control, seed, calls=3)) < 0.02


@pytest.mark.parametrize("lagged", [False, True])
def test_a_circle_is_followed(prototype, lagged):
    arm = prototype.replace(LAGGED if lagged else {})
    circle = ca.Circle(0.05, 4.0, centre=[0.0, 0.0, 0.5])
    times, states, commands = followed(ca.PredictiveControl(arm), circle, 1.5)
    late = misses(arm, times, states, circle)[times > 1.0]
    assert np.sqrt((late**2).mean()) < 0.1e-3  # m
    assert commands.min() >= 0
    assert commands.max() <= 700e3


def test_limits_and_rates_are_kept_where_the_target_is_out_of_reach(prototype):
    control = ca.PredictiveControl(prototype, lowest=120e3, highest=400e3, most_rate=2e6)
    _, _, commands = followed(control, ca.Point([0.6, 0.0, 0.2]), 0.5)
    assert control.plan.status == "solved"
    assert commands.min() >= 120e3
    assert commands.max() <= 400e3
    assert np.isclose(commands[-1].max(), 400e3)  # as far as it goes
    assert np.abs(np.diff(commands, axis=0)).max() <= 2e6 * 0.01 + 10.0  # Pa; the program is solved to a tolerance
    assert np.abs(np.diff(control.plan.pressures, axis=0)).max() <= 2e6 * 0.01 + 10.0


def test_rates_count_from_the_last_command_on(prototype):
    control = ca.PredictiveControl(prototype, most_rate=1e6)
    row = Plant(prototype).first_state(ca.equilibrium(prototype))
    first = control.command(0.0, row, ca.Point([0.0, 0.0, 0.45]))
    second = control.command(0.002, row, ca.Point([0.3, 0.0, 0.3]))
    assert 1.9e3 < np.abs(second - first).max() <= 2e3 + 10.0  # 2 ms at 1 MPa/s


def test_the_arm_stays_clear_of_an_obstacle(prototype):
    target = ca.Point([0.12, 0.0, 0.42])
    free = ca.PredictiveControl(prototype)
    times, states, _ = followed(free, target, 1.0)
    q = np.ascontiguousarray(states[:, :9])
    middle = ca.poses_along(prototype, q, [0.5])[:, 2, 0, :3, 3]
    sphere = ca.Sphere(middle[300] + [0.0, 0.005, 0.0], 0.01)
    times, states, _ = followed(ca.PredictiveControl(prototype, obstacles=[sphere], clearance=0.002), target, 1.5)
    apart = []
    for each in (q, np.ascontiguousarray(states[:, :9])):
        points = ca.poses_along(prototype, each, np.linspace(0.05, 1.0, 20))[..., :3, 3].reshape(len(each), -1, 3)
        apart.append(np.linalg.norm(points - sphere.centre, axis=-1).min() - 0.01 - 0.0125)
    assert apart[0] < -0.01  # straight through
    assert apart[1] > 0.0  # m
    assert misses(prototype, times, states, target)[-1] < 2e-3


def test_muscles_of_a_line_are_commanded_together(prototype):
    arm = prototype.replace(lines=[ca.Line(muscles=["l11", "l12"]), ca.Line(muscles=["l21", "l22", "l23"])])
    control = ca.PredictiveControl(arm, nodes=10)
    found = control.command(0.0, np.zeros(20), ca.Point([0.05, 0.02, 0.48]))
    assert found[0] == found[1]
    assert found[3] == found[4] == found[5]
    assert np.ptp(found) > 1e4


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_random_arms_come_to_rest_at_their_target(seed):
    rng = np.random.default_rng(seed)
    law = ("pressure", "valve", "hysteresis", "creep", "everything")[seed % 5]
    plant = random_plant(rng, 1 + seed % 4, law, FOUR if seed % 2 else None)
    sections = [section.replace(length_range=None, stop_stiffness=0.0) for section in plant.arm.sections]
    arm = plant.arm.replace(sections=sections)
    pressures = rng.uniform(1e5, 3e5, len(arm.muscle_names))
    rest = ca.simulate(arm, ca.PressureSignal([0.0], pressures[None]), duration=4.0, start="equilibrium")
    target = ca.Point(rest.tips[-1, -1])
    times, states, _ = followed(ca.PredictiveControl(arm, nodes=10, node=0.02), target, 3.0, rate=50)
    away = misses(arm, times, states, target)
    assert away[-1] < 2e-3
    assert away[times > 2.5].max() < 3e-3  # and stays there


def test_the_last_good_plan_is_kept_where_the_time_is_over(prototype):
    row, target = Plant(prototype).first_state(ca.equilibrium(prototype)), ca.Point([0.1, 0.0, 0.4])
    control = ca.PredictiveControl(prototype)
    control.command(0.0, row, target)
    hurried = ca.PredictiveControl(prototype, time_limit=1e-9, plan=control.plan)
    before = control.plan.pressures.copy()
    found = hurried.command(0.01, row, target)
    assert hurried.plan.status == "kept: the time limit is reached"
    assert (found == before[1]).all()
    assert (hurried.plan.pressures[:-1] == before[1:]).all()
    assert np.isfinite(hurried.plan.cost)


def test_a_call_at_the_same_time_improves_the_plan(prototype):
    row, control = Plant(prototype).first_state(ca.equilibrium(prototype)), ca.PredictiveControl(prototype)
    costs = []
    for _ in range(4):
        control.command(0.0, row, ca.Point([0.1, 0.05, 0.42]))
        costs.append(control.plan.cost)
    assert np.diff(costs).max() <= 0


def test_an_earlier_time_begins_anew_and_a_pickle_goes_on(prototype):
    row, target = Plant(prototype).first_state(ca.equilibrium(prototype)), ca.Point([0.1, 0.0, 0.4])
    control = ca.PredictiveControl(prototype, obstacles=[ca.Sphere([0.5, 0.0, 0.3], 0.02)])
    first = control.command(0.0, row, target)
    control.command(0.01, row, target)
    again = pickle.loads(pickle.dumps(control))
    for each in (control, again):
        each.command(0.02, row, target)
    assert np.isclose(again.plan.cost, control.plan.cost, rtol=5e-3)  # programs are solved to a tolerance
    np.testing.assert_allclose(again.plan.pressures[0], control.plan.pressures[0], atol=1e4)  # Pa
    control.command(0.0, row, target)
    assert control.plan.previous is None  # a first call
    np.testing.assert_allclose(control.plan.pressures[0], first, atol=1e4)
    control.reset()
    assert control.plan.status == "no plan yet"


def test_a_plan_is_shifted_by_parts_of_a_node():
    inputs = np.array([[0.0], [1.0], [4.0]])
    assert shifted(inputs, 1.0).ravel().tolist() == [1.0, 4.0, 4.0]
    assert shifted(inputs, 0.5).ravel().tolist() == [0.5, 2.5, 4.0]


def test_the_model_may_be_another_arm(prototype):
    heavier = prototype.replace(payload=ca.Payload(mass=0.03))
    circle = ca.Circle(0.05, 4.0, centre=[0.0, 0.0, 0.5])
    times, states, _ = followed(ca.PredictiveControl(prototype), circle, 1.5, arm=heavier)
    assert misses(heavier, times, states, circle)[times > 1.0].max() < 0.03
