"""Laws of randomized arms: as far apart as their numbers are uncertain, and no farther."""

import dataclasses

import numpy as np
import pytest

import continuarm as ca
from continuarm.identification.fitted_parameters import FittedParameter, provenance, read_errors
from continuarm.learning import ArmVectorEnv, randomized_arms
from refusals import refused
from test_public_names import an_identification

pytestmark = pytest.mark.slow

ARM = ca.load_arm("prototype")


def fitted(name, value, error):
    return FittedParameter(name, "", value, error, 0.0, 0.0, 0.0, "")


def identified(correlation, *parameters):
    return dataclasses.replace(
        an_identification(), parameters=tuple(parameters), correlation=np.array(correlation, dtype=float)
    )


def test_numbers_have_the_deviations_that_were_given_and_the_first_arm_is_the_nominal_one():
    given = {"stiffness": 60.0, "sections[1].mass": 0.004, "sections[0].twist": 0.01, "gravity[0]": 0.1}
    arms = randomized_arms(ARM, given, count=2000)
    assert arms[0] == ARM
    for name, error in given.items():
        values = arms.values[name]
        assert values.std() == pytest.approx(error, rel=0.1)
        assert values.mean() == pytest.approx(values[0], abs=0.15 * error)
        assert (np.abs(values - values[0]) < 3.5 * error).all()


def test_positive_numbers_stay_positive_whatever_their_error():
    arms = randomized_arms(ARM, {"damping": 100.0, "mass": 0.2}, count=500)
    assert (arms.values["damping"] > 0).all()
    assert (arms.values["mass"] > 0).all()


def test_fitted_numbers_are_drawn_with_their_correlation_and_those_of_sensors_are_left_out():
    found = identified(
        [[1, 0.2, -0.9], [0.2, 1, 0.1], [-0.9, 0.1, 1]],
        fitted("stiffness of section 2", 1700.0, 30.0),
        fitted("delay of run", 0.1, 0.01),
        fitted("damping", 110.0, 5.0),
    )
    arms = randomized_arms(ARM, found, count=3000)
    assert sorted(arms.values) == ["damping", "sections[1].stiffness"]
    both = np.corrcoef(arms.values["sections[1].stiffness"], arms.values["damping"])[0, 1]
    assert both == pytest.approx(-0.9, abs=0.03)


def test_the_error_bars_that_a_fit_writes_into_a_description_are_read_back():
    parameters = [
        fitted("stiffness of section 1", 1702.34, 12.5),
        fitted("muscle_area", 1.3e-4, 2e-6),
        fitted("hysteresis g", -19.9, 3.25),
        fitted("twist", 0.0, 0.01),
        fitted("damping [1, 2]", 2.5e7, 3e5),
    ]
    words = "An arm of length = 0.15 m. " + provenance(["run 1"], parameters)
    found = read_errors(words)
    assert list(found) == [each.name for each in parameters]
    for each in parameters:
        assert found[each.name] == pytest.approx(each.standard_error, rel=0.05)


@pytest.mark.parametrize("name", ["asu-two-section"])
def test_named_arms_carry_their_error_bars(name):
    arms = randomized_arms(ca.load_arm(name), "error bars", count=100)
    assert arms.values["sections[1].stiffness"].std() == pytest.approx(8.8, rel=0.3)
    assert arms.values["valve_lag"].std() == pytest.approx(0.11, rel=0.3)


def test_episodes_meet_all_arms_of_a_pool():
    envs = ArmVectorEnv("reach", 50, arm="single-section", randomize={"stiffness": 50.0}, pool=4, max_episode_steps=2)
    envs.reset(seed=0)
    assert set(envs.world.batch.which) == {0, 1, 2, 3}
    own = ca.vary(ca.load_arm("single-section"), stiffness=[1500.0, 1900.0])
    envs = ArmVectorEnv("reach", 50, arm="single-section", randomize=own)
    envs.reset(seed=0)
    assert set(envs.world.batch.which) == {0, 1, 2}


def test_what_cannot_be_randomized_is_refused_in_one_sentence():
    with refused("randomize: stiffness = -1"):
        randomized_arms(ARM, {"stiffness": -1.0})
    with refused("randomize", "stifness"):
        randomized_arms(ARM, {"stifness": 1.0})
    with refused("the description of 'prototype' has none"):
        randomized_arms(ARM, "error bars")
    with refused("randomize is", "standard deviations by name"):
        randomized_arms(ARM, 3.0)
    with refused("pool = 1"):
        randomized_arms(ARM, {"stiffness": 1.0}, count=1)
    with refused("sections[0].stiffness is 59.8871", "must name one"):
        randomized_arms(ca.load_arm("asu-two-section"), {"stiffness": 1.0})
    with refused("bending_stiffness"):
        randomized_arms(ca.load_arm("stanford-trunk"), "error bars")
    with refused("damping = inf"):
        randomized_arms(ARM, identified([[1]], fitted("damping", 110.0, np.inf)))
