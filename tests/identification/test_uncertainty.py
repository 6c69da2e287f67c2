"""Laws of errors: those of the textbook where that is right, larger where residuals are not noise, and in words."""

from __future__ import annotations

import numpy as np
import pytest

from continuarm.identification.residuals import spread
from continuarm.identification.result import with_error
from continuarm.identification.uncertainty import Channel, in_words, influence, uncertainty


def test_errors_of_a_straight_line_are_those_of_the_textbook():
    rng = np.random.default_rng(0)
    slopes = np.stack([np.ones(4000), np.linspace(-1, 1, 4000)], axis=-1)
    noise = rng.normal(size=4000)
    rows = np.arange(4000)
    channel = Channel(rows, np.stack([rows[:-1], rows[1:]], axis=-1))
    found = uncertainty(noise, slopes, [channel], 2.5)
    # the loss gives 5 % of the information away
    np.testing.assert_allclose(found.covariance, 1.05 * np.linalg.inv(slopes.T @ slopes), rtol=0.06, atol=2e-6)
    assert (found.undetermined, found.correlation, found.freedom) == ([], 0.0, 3998)
    # noise of which each value is 0.9 of the one before is worth 19 times fewer samples
    slow = np.zeros(4000)
    for k in range(1, 4000):
        slow[k] = 0.9 * slow[k - 1] + np.sqrt(1 - 0.81) * noise[k]
    wider = uncertainty(slow, slopes, [channel], 2.5)
    assert wider.correlation == pytest.approx(0.9, abs=0.05)
    assert wider.covariance[0, 0] / found.covariance[0, 0] == pytest.approx(19, rel=0.3)


def test_influence_is_the_slope_of_the_loss():
    r = np.linspace(-20, 20, 4001)
    psi, steepness = influence(r, 2.5)
    loss = 0.5 * 2.5**2 * np.log1p((r / 2.5) ** 2)
    np.testing.assert_allclose(np.gradient(loss, r)[1:-1], psi[1:-1], atol=1e-4)
    np.testing.assert_allclose(np.gradient(psi, r)[1:-1], steepness[1:-1], atol=1e-4)


def test_the_spread_is_that_of_the_noise_under_outliers():
    rng = np.random.default_rng(0)
    values = rng.normal(size=20_000)
    assert spread(values) == pytest.approx(1, rel=0.02)
    values[:1000] = 50.0
    assert spread(values) == pytest.approx(1.1, rel=0.02)  # a tenth of the largest is cut off, outliers or not


@pytest.mark.parametrize(
    ("direction", "names", "logarithmic", "sentence"),
    [
        ([0, 1], ["a", "b"], [True, True], "b is not determined by these recordings"),
        ([1, 0.97], ["a", "b"], [True, True], "a and b can grow together by the same factor: only their ratio is"),
        ([1, -1], ["a", "b"], [True, True], "a can grow as b shrinks: only their product is determined"),
        (
            [1, 1, 1],
            ["a", "b", "c"],
            [True] * 3,
            "a, b and c can grow together by the same factor: only their ratios are",
        ),
        ([1, 0.5], ["a", "b"], [True, True], "a by +1 % and b by +0.5 % can change together"),
        ([1, 0.5], ["a", "b"], [True, False], "a and b can change together unseen"),
    ],
)
def test_undetermined_directions_in_words(direction, names, logarithmic, sentence):
    assert in_words(np.array(direction, dtype=float), names, logarithmic).startswith(sentence)


@pytest.mark.parametrize(
    ("value", "error", "text"),
    [
        (1702.34, 1.23, "1702.3 ± 1.2"),
        (1.3277e-4, 1.2e-7, "(1.3277 ± 0.0012)e-4"),
        (90123.0, 217.0, "90123 ± 217"),
        (-0.01992, 0.00014, "-0.01992 ± 0.00014"),
        (5.0, np.inf, "5 ± ?"),
        (0.0, 0.0, "0"),
    ],
)
def test_a_value_has_the_digits_that_its_error_leaves(value, error, text):
    assert with_error(value, error) == text
