"""Numbers as users give them: what a float can hold is that float, what it cannot is told."""

import numpy as np
import pytest

from continuarm.common.number_checks import as_float, real_numbers
from continuarm.common.text import short


def test_integers_of_any_length_are_the_nearest_floats():
    found = real_numbers("q", [10**30, 1, 2.5], "numbers")
    assert found.dtype == float
    assert found.tolist() == [1e30, 1.0, 2.5]
    assert real_numbers("q", [[10**400, -(10**400)]], "numbers").tolist() == [[np.inf, -np.inf]]


@pytest.mark.parametrize(
    ("value", "expected"),
    [(3, 3.0), (np.float16(0.5), 0.5), (10**400, np.inf), (-(10**400), -np.inf), (np.longdouble("1e4000"), np.inf)],
)
def test_one_number_is_one_float(value, expected):
    assert as_float(value) == expected


@pytest.mark.parametrize("value", [None, True, "1", 1j, np.ma.masked, [1.0], np.array(1.0)])
def test_what_is_no_number_is_nan(value):
    assert np.isnan(as_float(value))


def test_masked_numbers_are_found_wherever_they_are():
    masked = np.ma.masked_array([1.0, 2.0], mask=[False, True])
    for value in (masked, np.ma.masked, [1.0, np.ma.masked], [[1.0, 2.0], [np.ma.masked, 1.0]], [masked, masked]):
        with pytest.raises(ValueError, match=r"^q has masked entries: must be numbers$"):
            real_numbers("q", value, "numbers")
    bare = np.ma.masked_array([1.0, 2.0])
    assert real_numbers("q", [bare, bare], "numbers").tolist() == [[1.0, 2.0]] * 2


def test_what_cannot_be_shown_is_named_by_its_kind():
    class Silent:
        def __repr__(self):
            raise RuntimeError

    assert short(10**5000) == "<int>"
    assert short([Silent()]) == "<list>"
