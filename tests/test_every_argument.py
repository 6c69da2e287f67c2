"""Every argument of every public name, given something else: it works, or is refused in one sentence that names it."""

from __future__ import annotations

import inspect

import jax
import numpy as np
import pytest

import continuarm as ca
import continuarm.jax
import continuarm.learning
from continuarm.export import export_c
from gate import TORCH
from right_arguments import CLASSES, DRIVEN, ERRORS, MOVED, RESULTS, RIGHT, RUN, SECTION, SLOPED, Q
from wrong_values import complaints

if TORCH:
    import torch

    import continuarm.torch

pytestmark = pytest.mark.slow

METHODS = {
    "advance": (
        lambda t, pressures: ca.Observer(SECTION).advance(t, pressures),
        {"t": 0.02, "pressures": np.full(3, 2e5)},
    ),
    "command": (
        lambda t, state, reference: ca.PredictiveControl(SECTION, nodes=3).command(t, state, reference),
        {"t": 0.0, "state": np.zeros(8), "reference": ca.Point([0.0, 0.0, 0.16])},
    ),
    "measure": (
        lambda t, sensor: ca.Observer(SECTION).measure(t, sensor),
        {"t": 0.0, "sensor": ca.TipPosition(1, [[0.0, 0.0, 0.15]], 1e-3)},
    ),
    "reset of an observer": (lambda state: ca.Observer(SECTION).reset(state), {"state": np.zeros(8)}),
    "muscle_forces": (SECTION.muscle_forces, {"forces": Q}),
    "muscle_lengths": (SECTION.muscle_lengths, {"q": Q}),
    "page": (ca.load_arm("prototype").page, {"path": "arm.html"}),
    "plot": (lambda other: MOVED.plot(other).clear(), {"other": MOVED}),
    "parse": (ca.PressureSteps.parse, {"text": "l11=300@0"}),
    "read": (ca.PressureSignal.read, {"path": "pressures.csv", "arm": SECTION, "linear": True}),
    "reset": (
        ca.Batch([SECTION, SECTION]).reset,
        {"mask": [True, False], "which": [1, 0], "q0": Q, "qd0": Q, "pressures": None},
    ),
    "step": (
        ca.Batch([SECTION, SECTION]).step,
        {"pressures": np.full(3, 3e5), "count": 2, "wrench": np.zeros(6)},
    ),
    "tip_sensitivities": (SLOPED.tip_sensitivities, {"name": "mass"}),
    "table": (
        ca.Recording.table,
        {
            "name": "table",
            "sensors": [ca.TipPosition(1, np.zeros((2, 3)))],
            "arm": SECTION,
            "pressures": 0.0,
            "forces": 0.0,
            "wrench": np.zeros((2, 6)),
        },
    ),
}
"""Methods of public classes that take more than a file name."""

MORE = {"step": 1e-3, "parameters": {"stiffness": 1500.0}}
ELSEWHERE = {
    "continuarm.jax": (continuarm.jax.implicit_step, DRIVEN | MORE),
    "continuarm.learning": (
        continuarm.learning.ArmVectorEnv,
        {
            "task": "track",
            "num_envs": 2,
            "arm": SECTION,
            "highest_pressure": 3e5,
            "randomize": {"mass": 0.01},
            "pool": 2,
            "step": 1e-3,
            "steps": 5,
            "max_episode_steps": 10,
            "autoreset_mode": "SameStep",
            "render_mode": "rgb_array",
            "size": (64, 64),
            "threads": 1,
            "tolerance": 0.01,
            "hold": 0.1,
            "periods": (1.0, 2.0),
            "ahead": 0.05,
        },
    ),
    "continuarm.export": (export_c, {"arm": SECTION, "folder": "arm_c", "name": "arm", "step": 1e-3}),
}
"""Of each library the function that takes most; all check their arguments in one place."""
LONG = {("InMuscles", "rate"), ("continuarm.export", "folder")}
"""Arguments of which some values are computed with for seconds: 60 kHz, files of C."""

if TORCH:
    STATE = dict.fromkeys(("q", "qd", "tau"), torch.from_numpy(Q))
    ELSEWHERE["continuarm.torch"] = (continuarm.torch.implicit_step, {"arm": SECTION} | STATE | MORE)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Files that are read, and where others are written."""
    place = tmp_path_factory.mktemp("files")
    ca.write_recording(RUN, SECTION, place / "run.csv")
    ca.save_motion(MOVED, place / "run.nc")
    (place / "pressures.csv").write_text("t [s], l11 [kPa]\n0, 100\n1, 200\n")
    return place


@pytest.fixture(autouse=True)
def folder(files, monkeypatch):
    """Works in that folder."""
    monkeypatch.chdir(files)


def parameters_of(thing):
    """Those that have a name; what is given by any name, as numbers of an arm, can be given by a table too."""
    parameters = inspect.signature(thing).parameters.items()
    return [name for name, each in parameters if name != "self" and each.kind is not each.VAR_KEYWORD]


def test_every_public_name_is_tried():
    functions = {name for name in ca.__all__ if not isinstance(getattr(ca, name), type)}
    assert set(RIGHT) == functions
    assert set(CLASSES) | RESULTS | ERRORS == set(ca.__all__) - functions
    for name, right in RIGHT.items():
        assert list(right) == parameters_of(getattr(ca, name)), name
    for name, (right, _) in CLASSES.items():
        assert list(right) == parameters_of(getattr(ca, name)), name


@pytest.mark.parametrize(("name", "argument"), [(name, each) for name, right in RIGHT.items() for each in right])
def test_a_function_works_or_names_the_argument(name, argument):
    assert list(complaints(getattr(ca, name), RIGHT[name], argument)) == []


@pytest.mark.parametrize(
    ("name", "argument"),
    [
        pytest.param(name, argument, marks=[pytest.mark.exhaustive] * ((name, argument) in LONG))
        for name, (right, _) in CLASSES.items()
        for argument in right
    ],
)
def test_a_class_works_or_names_the_argument(name, argument):
    right, use = CLASSES[name]
    assert list(complaints(getattr(ca, name), right, argument, use)) == []


@pytest.mark.parametrize(("name", "argument"), [(name, each) for name, (_, right) in METHODS.items() for each in right])
def test_a_method_works_or_names_the_argument(name, argument):
    call, right = METHODS[name]
    assert list(complaints(call, right, argument)) == []


@pytest.mark.parametrize(
    ("name", "argument"),
    [
        pytest.param(
            name,
            argument,
            marks=[pytest.mark.torch] * name.endswith("torch") + [pytest.mark.exhaustive] * ((name, argument) in LONG),
        )
        for name, (_, right) in ELSEWHERE.items()
        for argument in right
    ],
)
def test_a_function_of_another_library_works_or_names_the_argument(name, argument, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    jax.config.update("jax_enable_x64", True)
    call, right = ELSEWHERE[name]
    assert list(complaints(call, right, argument)) == []
