"""Laws of fitted parameters: a value has the digits that its error leaves."""

from __future__ import annotations

import numpy as np
import pytest

from continuarm.identification.fitted_parameters import two_digits, with_error


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


@pytest.mark.parametrize(
    ("size", "text"), [(0.0263, "0.026"), (4.21, "4.2"), (131.2, "131"), (99.7, "100"), (1e-5, "1e-05"), (np.inf, "?")]
)
def test_a_small_size_is_never_rounded_to_nothing(size, text):
    assert two_digits(size) == text
