"""Laws of undetermined parameters: what a direction means, in words."""

from __future__ import annotations

import numpy as np
import pytest

from continuarm.identification.undetermined_parameters import plain_directions, undetermined_in_words
from refusals import check_named


@pytest.mark.parametrize(
    ("direction", "logarithmic", "named"),
    [
        ([0, 1], [True, True], ["b", "not determined"]),
        ([1, 0.97], [True, True], ["a and b", "ratio"]),
        ([1, -1], [True, True], ["a can grow", "b shrinks", "product"]),
        ([1, 1, 1], [True] * 3, ["a, b and c", "ratios"]),
        ([1, 0.5], [True, True], ["a by +1 %", "b by +0.5 %"]),
        ([1, 0.5], [True, False], ["a and b", "combinations"]),
    ],
)
def test_undetermined_directions_in_words(direction, logarithmic, named):
    check_named(undetermined_in_words(np.array(direction, dtype=float), "abc"[: len(direction)], logarithmic), *named)


def test_plain_directions_span_the_same_with_few_parameters_each():
    rng = np.random.default_rng(0)
    right = np.array([[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, -1.0]])
    found = np.array(plain_directions(rng.normal(size=(2, 2)) @ right))
    assert np.linalg.matrix_rank(np.concatenate([found, right]), tol=1e-9) == 2
    assert sorted((np.abs(found) > 1e-9).sum(axis=1)) == [2, 2]
    assert np.abs(found).max(axis=1) == pytest.approx(1)
