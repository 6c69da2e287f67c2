"""Laws of errors: those of the textbook where that is right, larger where residuals are not noise."""

from __future__ import annotations

import numpy as np
import pytest

from continuarm.identification.parameter_covariance import ChannelRows, parameter_covariance


def test_errors_of_a_straight_line_are_those_of_the_textbook():
    rng = np.random.default_rng(0)
    slopes = np.stack([np.ones(4000), np.linspace(-1, 1, 4000)], axis=-1)
    noise = rng.normal(size=4000)
    rows = np.arange(4000)
    channel = ChannelRows(rows, rows)
    found = parameter_covariance(noise, slopes, [channel])
    # the loss gives 5 % of the information away
    np.testing.assert_allclose(found.covariance, 1.05 * np.linalg.inv(slopes.T @ slopes), rtol=0.06, atol=2e-6)
    assert (found.undetermined, found.correlation, found.degrees_of_freedom) == ([], 0.0, 3998)
    # noise of which each value is 0.9 of the one before is worth 19 times fewer samples
    slow = np.zeros(4000)
    for k in range(1, 4000):
        slow[k] = 0.9 * slow[k - 1] + np.sqrt(1 - 0.81) * noise[k]
    wider = parameter_covariance(slow, slopes, [channel])
    assert wider.correlation == pytest.approx(0.9, abs=0.05)
    assert wider.covariance[0, 0] / found.covariance[0, 0] == pytest.approx(19, rel=0.3)
