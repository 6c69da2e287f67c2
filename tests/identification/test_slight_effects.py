"""Laws of effects that are left out: errors are as wide as if these had been fitted, under what is expected of them."""

from __future__ import annotations

import numpy as np
import pytest
from sample_recordings import run_of

from continuarm.identification.fit import identify
from continuarm.identification.slight_effects import SlightEffect, could_move, size_of_slight_effect

RNG = np.random.default_rng(3)
SLOPES = RNG.normal(size=(60, 3))
CHANGES = RNG.normal(size=(60, 2)) + 0.7 * SLOPES[:, :2]  # which the numbers imitate in part
OWN, _ = np.linalg.qr(SLOPES)
REST = CHANGES - OWN @ (OWN.T @ CHANGES)
MOVES = -np.linalg.lstsq(SLOPES, CHANGES, rcond=None)[0]
SIGMA, EXPECTED = 0.3, 0.2


def moves_of(left):
    return MOVES @ size_of_slight_effect(REST, left, SIGMA**2, EXPECTED) @ MOVES.T


def test_where_nothing_is_left_errors_are_those_of_a_fit_of_the_effect_too():
    both = np.hstack([SLOPES, CHANGES])
    whole = both.T @ both / SIGMA**2 + np.diag([0, 0, 0, *(2 * [1 / EXPECTED**2])])
    noise = SIGMA**2 * np.linalg.inv(SLOPES.T @ SLOPES)
    np.testing.assert_allclose(noise + moves_of(np.zeros(60)), np.linalg.inv(whole)[:3, :3], rtol=1e-9, atol=1e-12)


def test_errors_are_as_large_as_the_numbers_are_off():
    """Over many arms that have a little of the effect, fitted without it."""
    off, stated = np.zeros(3), np.zeros(3)
    noise = SIGMA**2 * np.diag(np.linalg.inv(SLOPES.T @ SLOPES))
    worst = 0.0
    for _ in range(3000):
        left = CHANGES @ RNG.normal(0, EXPECTED, 2) + RNG.normal(0, SIGMA, 60)
        found = np.linalg.lstsq(SLOPES, left, rcond=None)[0]  # the truth is 0
        own = noise + np.diag(moves_of(left - SLOPES @ found))
        off += found**2
        stated += own
        worst = max(worst, float(np.max(np.abs(found) / np.sqrt(own))))
    np.testing.assert_allclose(np.sqrt(stated / off), 1.0, atol=0.06)
    assert worst < 4.5  # of 9000


def test_limits_of_what_recordings_say():
    unseen = size_of_slight_effect(1e-6 * REST, RNG.normal(size=60), SIGMA**2, EXPECTED)
    np.testing.assert_allclose(unseen, EXPECTED**2 * np.eye(2), atol=1e-6)
    theta = np.array([0.05, -0.1])
    plain = size_of_slight_effect(1e4 * REST, -1e4 * REST @ theta, SIGMA**2, EXPECTED)
    np.testing.assert_allclose(plain, np.outer(theta, theta), rtol=1e-4)
    absent = size_of_slight_effect(1e4 * REST, np.zeros(60), SIGMA**2, EXPECTED)
    assert np.abs(absent).max() < 1e-9


def test_what_the_free_numbers_do_as_well_is_not_left_out():
    """Neither is a way of an effect of two numbers in which these do all of it."""
    own = np.linalg.norm(CHANGES, axis=0).max()
    same = np.outer(REST[:, 0], [1.0, 1.0])  # only the sum of both changes shows
    size = size_of_slight_effect(same, RNG.normal(size=60), SIGMA**2, EXPECTED, 0.02 * own)
    assert np.abs(size @ [1.0, -1.0]).max() < 1e-12
    assert not size_of_slight_effect(1e-3 * REST, REST[:, 0], SIGMA**2, EXPECTED, 0.02 * own).any()


def test_effects_add_up():
    one = SlightEffect("creep", np.diag([1.0, 0.0, 4.0]))
    assert could_move([one, one], 3) == pytest.approx(2 * one.moves)
    assert could_move([], 3) == pytest.approx(np.zeros((3, 3)))


@pytest.mark.filterwarnings("error")
def test_where_nothing_is_left_at_all_an_effect_is_excluded(section):
    for rest in (REST, 1e6 * REST):  # the square of the second over the least variance is beyond any float
        assert not size_of_slight_effect(rest, np.zeros(60), 0.0, EXPECTED).any()
    tiny = size_of_slight_effect(REST, np.zeros(60), 1e-300, EXPECTED)
    assert np.isfinite(tiny).all()
    assert np.abs(tiny).max() < 1e-290
    exact = identify(section, run_of(section, noise=0.0), "stiffness, damping", delay=False, starts=1)
    assert exact["stiffness"].value == pytest.approx(1700, rel=1e-6)
