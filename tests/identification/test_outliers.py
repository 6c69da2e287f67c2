"""Laws of outliers: they hardly pull, the spread is that of the noise under them, and rows of them are no chance."""

from __future__ import annotations

import numpy as np
import pytest

from continuarm.identification.outliers import influence, longest_row, outlier_mask, robust_cost, robust_sigma


def test_influence_is_the_slope_of_the_loss():
    r = np.linspace(-20, 20, 4001)
    psi, steepness = influence(r, 2.5)
    loss = 0.5 * 2.5**2 * np.array([robust_cost(each, 2.5) for each in r])
    np.testing.assert_allclose(np.gradient(loss, r)[1:-1], psi[1:-1], atol=1e-4)
    np.testing.assert_allclose(np.gradient(psi, r)[1:-1], steepness[1:-1], atol=1e-4)


def test_the_spread_is_that_of_the_noise_under_outliers():
    rng = np.random.default_rng(0)
    values = rng.normal(size=20_000)
    assert robust_sigma(values) == pytest.approx(1, rel=0.02)
    values[:1000] = 50.0
    assert robust_sigma(values) == pytest.approx(1.1, rel=0.02)  # a tenth of the largest is cut off, outliers or not


def test_outliers_are_few_samples_far_off_and_a_row_of_them_is_told():
    differences = np.random.default_rng(0).normal(size=(200, 3))
    used = np.ones((200, 3), dtype=bool)
    assert not outlier_mask(differences, used, None).any()
    differences[50:54, 1], differences[70, 1] = 6.5, 4.0
    differences[120, 0] = -6.5
    used[53], differences[10, 2] = False, np.nan
    found = outlier_mask(differences, used, None)
    assert np.argwhere(found).tolist() == [[50, 1], [51, 1], [52, 1], [120, 0]]
    assert longest_row(found) is None  # three in a row may be chance
    found[53, 2] = True
    assert longest_row(found) == (50, 53)
    assert not outlier_mask(differences, used, 10.0).any()  # a sensor that is said to be so noisy has none
