"""Docstrings of public names of continuarm.learning: every argument has a line, and the examples run."""

import doctest
import inspect

import numpy as np
import pytest

import continuarm as ca
import continuarm.learning
from gate import TORCH
from test_docstrings import arguments, methods, section

if TORCH:
    from continuarm.learning.stable_baselines import StableBaselinesEnv

PUBLIC = {name: getattr(continuarm.learning, name) for name in continuarm.learning.__all__}
ENVS = {"ArmEnv": PUBLIC["ArmEnv"], "ArmVectorEnv": PUBLIC["ArmVectorEnv"]}
MADE = {name: each for name, each in PUBLIC.items() if name != "Task"}
if TORCH:
    MADE["StableBaselinesEnv"] = StableBaselinesEnv
NAMES = [pytest.param(name, marks=[pytest.mark.torch] * name.startswith("Stable")) for name in MADE]


@pytest.mark.parametrize("name", NAMES)
def test_every_argument_has_a_line(name):
    documented = [each.lstrip("*") for each in section(MADE[name], "Parameters")]
    assert documented == arguments(MADE[name])


@pytest.mark.parametrize("name", ENVS)
def test_every_argument_of_a_method_has_a_line(name):
    for method, function in methods(ENVS[name]):
        assert list(section(function, "Parameters")) == arguments(function), method


@pytest.mark.parametrize("name", NAMES)
def test_examples_run(name):
    globs = {"ca": ca, "np": np}
    examples = doctest.DocTestFinder(recurse=False).find(MADE[name], name, globs=globs)
    assert any(each.examples for each in examples), "has no example"
    for each in examples:
        failed = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(each).failed
        assert not failed


def test_all_names_are_in_the_list_and_described():
    for name, each in PUBLIC.items():
        assert inspect.getdoc(each), name
