"""A motion may cost so many seconds and steps; what there is of it then is kept."""

import json

import numpy as np
import pytest

import continuarm as ca
from cli_process import run
from continuarm.engine import compiled
from refusals import refused

SOLVERS = [None, ca.FixedStep(), ca.CVODE()]
STEPS = ca.PressureSteps({"l33": [(0, 600e3)], "l22": [(0.5, 500e3)]})


def held(t, q, qd):
    return np.full(9, 2e5)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("input", [STEPS, ca.Controller(held, rate=100)])
def test_a_motion_ends_where_its_steps_are_used_up(prototype, solver, input):
    whole = ca.simulate(prototype, input, duration=1.0, solver=solver)
    most = int(0.7 * (whole.record["steps"] + whole.record["rejected"]))
    part = ca.simulate(prototype, input, duration=1.0, solver=solver, most_steps=most)
    used = part.record["steps"] + part.record["rejected"]
    assert most <= used <= most + 101  # CVODE looks up every 100 steps
    assert "most_steps" in part.stopped
    assert str(most) in part.stopped
    assert 1 < len(part.t) < len(whole.t)
    assert np.array_equal(part.q, whole.q[: len(part.t)])  # the same motion, not another one


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_motion_ends_where_its_seconds_are_used_up(prototype, solver):
    part = ca.simulate(prototype, STEPS, duration=1e4, rate=1.0, solver=solver, most_seconds=0.005)
    assert "most_seconds" in part.stopped
    assert "0.005" in part.stopped
    assert len(part.t) < 1e4


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_budget_that_is_not_used_up_changes_nothing(prototype, solver):
    free = ca.simulate(prototype, STEPS, duration=0.2, solver=solver)
    limited = ca.simulate(prototype, STEPS, duration=0.2, solver=solver, most_seconds=1000, most_steps=10**9)
    assert not limited.stopped
    assert np.array_equal(free.q, limited.q)


def test_without_the_compiled_module_a_budget_holds_too(prototype, monkeypatch):
    monkeypatch.setattr(compiled, "native", None)
    part = ca.simulate(prototype, STEPS, duration=10.0, rate=1000, solver=ca.FixedStep(), most_steps=3)
    assert "most_steps" in part.stopped
    assert len(part.t) == 4


@pytest.mark.parametrize(("name", "value"), [("most_steps", 0), ("most_steps", 1.5), ("most_seconds", -1.0)])
def test_a_budget_is_a_positive_number(prototype, name, value):
    with refused(name, str(value)):
        ca.simulate(prototype, duration=1.0, **{name: value})


def test_cvode_is_the_same_however_often_it_is_interrupted_to_show_progress(prototype, monkeypatch):
    whole = ca.simulate(prototype, STEPS, duration=0.6, solver=ca.CVODE())
    monkeypatch.setattr("continuarm.simulation.control_loop.PATIENCE", 1e-9)
    shares = []
    pieces = ca.simulate(prototype, STEPS, duration=0.6, solver=ca.CVODE(), progress=shares.append)
    assert len(shares) > 50  # it gives its rows while it computes
    assert np.array_equal(whole.q, pieces.q)


def test_sundials_prints_nothing(prototype, capfd):
    strong = ca.ForceSignal([0.0, 1.0], np.full((2, 9), -1e9))
    motion = ca.simulate(prototype, strong, duration=1.0, solver=ca.CVODE())
    assert "section" in motion.stopped
    print("seen again")
    assert capfd.readouterr() == ("seen again\n", "")


@pytest.mark.slow
def test_the_command_line_has_budgets_and_stays_json():
    done = run("simulate", "prototype", "--pressures", "l33=600@0", "--most-steps", "50", "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["stopped"]
    assert "most_steps = 50" in done.stderr
