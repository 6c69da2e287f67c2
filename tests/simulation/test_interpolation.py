"""Between rows: cubics are met exactly, rows are met to the bit, and nothing goes on beyond the ends."""

import numpy as np
import pytest
from scipy.interpolate import CubicHermiteSpline

from continuarm.simulation.interpolation import place


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    return np.cumsum(rng.uniform(0.01, 0.3, 12)), rng.normal(size=(12, 5)), rng.normal(size=(12, 5))


def test_a_cubic_is_met_and_so_is_the_hermite_spline_of_any_rows(rows):
    t, values, rates = rows
    times = np.linspace(t[0], t[-1], 301)
    power = np.arange(4)
    polynomial = place(t, times).cubic(t[:, None] ** power, power * t[:, None] ** np.maximum(power - 1, 0))
    np.testing.assert_allclose(polynomial, times[:, None] ** power, rtol=1e-13)
    np.testing.assert_allclose(
        place(t, times).cubic(values, rates), CubicHermiteSpline(t, values, rates)(times), rtol=1e-11, atol=1e-13
    )


def test_rows_are_met_to_the_bit_and_held_beyond_the_ends(rows):
    t, values, rates = rows
    np.testing.assert_array_equal(place(t, t).cubic(values, rates), values)
    np.testing.assert_array_equal(place(t, t).row, np.arange(12))
    np.testing.assert_array_equal(place(t, [t[0] - 1, t[-1] + 1]).cubic(values, rates), values[[0, -1]])
    one = place(t[:1], [-1.0, t[0], 9.0])
    np.testing.assert_array_equal(one.cubic(values[:1], rates[:1]), values[[0, 0, 0]])


def test_one_time_is_one_row_of_many(rows):
    t, values, rates = rows
    times = np.linspace(t[0], t[-1], 7)
    np.testing.assert_array_equal(
        [place(t, time).cubic(values, rates) for time in times], place(t, times).cubic(values, rates)
    )
    np.testing.assert_allclose(place(t, times).straight(values[:, 0]), np.interp(times, t, values[:, 0]), rtol=1e-12)
