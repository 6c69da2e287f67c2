"""Laws of traded parameters: tied pairs are named with what would part them, loose ones are not."""

from __future__ import annotations

import numpy as np
from sample_recordings import run_of

from continuarm.identification.fit import identify
from continuarm.identification.traded_parameters import traded_in_words
from refusals import check_named


def test_tied_pairs_are_named_with_what_would_part_them():
    names = ["valve_lag", "delay of run", "stiffness", "something"]
    tied = np.eye(4)
    tied[0, 1] = tied[1, 0] = -0.995
    tied[2, 3] = tied[3, 2] = 0.99
    tied[0, 2] = tied[2, 0] = 0.97
    first, second = traded_in_words(names, tied, [True] * 4)
    check_named(first, "valve_lag and delay of run", "trade against each other", "delay=False")
    check_named(second, "stiffness and something", "grow together", "another way")
    assert traded_in_words(names, tied, [True, False, True, False]) == []


def test_a_fit_notes_what_it_hardly_tells_apart(section):
    """A light section: only its small weight tells springs from muscles."""
    found = identify(section, run_of(section), ("stiffness", "muscle_area", "damping"))
    i, j = ([each.name for each in found.parameters].index(name) for name in ("stiffness", "muscle_area"))
    assert abs(found.correlation[i, j]) > 0.98
    assert found.undetermined or any("stiffness and muscle_area" in note for note in found.notes)
