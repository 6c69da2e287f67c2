"""Laws of gauges: a little below zero is zero and said once, what is above stays, what is far below is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from continuarm import PressureSignal, PressureWarning, load_arm, simulate
from continuarm.simulation.commanded import said_of_gauges
from continuarm.simulation.gauges import ALWAYS, BELOW, clamped_gauges
from continuarm.simulation.pressure_commands import UNITS
from refusals import check_named, refused

READINGS = arrays.arrays(float, st.tuples(st.integers(1, 8), st.integers(1, 4)), elements=st.floats(-3e5, 6e5))


@given(READINGS)
def test_only_what_is_a_little_below_zero_changes_and_it_becomes_zero(readings):
    found, sentence = clamped_gauges(readings)
    changed = found != readings
    allowed = max(BELOW * readings.max(), ALWAYS)
    assert (found[changed] == 0).all()
    assert ((readings[changed] < 0) & (readings[changed] >= -allowed)).all()
    assert (sentence is None) == (not changed.any())
    left = found[found < 0]
    assert not len(left) or readings.max() <= 0 or (left < -allowed).all()
    again, nothing = clamped_gauges(found)
    assert nothing is None
    np.testing.assert_array_equal(again, found)


def test_the_sentence_names_the_line_the_lowest_value_and_how_many():
    readings = np.array([[0, 50e3], [-9.8e3, 90e3], [-1e3, -2e3], [5e3, 5e3]])
    _, sentence = clamped_gauges(readings, ["l11", "l12"])
    check_named(sentence, "l11 and 1 more", "-9.8 kPa", "2 of 4 samples", "0")
    check_named(clamped_gauges(readings)[1], "line 1")


def test_a_signal_of_a_gauge_drives_with_zero_and_says_so_once():
    arm = load_arm("single-section")
    readings = np.array([[-5e3, 0, 0], [300e3, 0, 0], [-5e3, 0, 0]])
    signal = PressureSignal([0.0, 0.1, 0.2], readings)
    assert signal.drive(arm).at([0.0, 0.2])[:, 0].tolist() == [0, 0]
    assert np.asarray(signal.pressures)[0, 0] == -5e3
    check_named(said_of_gauges(signal, arm), "l11", "-5 kPa", "2 of 3")
    with pytest.warns(PressureWarning, match="below zero") as told:
        simulate(arm, signal, duration=0.2)
    assert len(told) == 1
    with refused("l11 = -200000 Pa", "0 or more"):
        PressureSignal([0.0, 0.1], [[-200e3, 0, 0], [300e3, 0, 0]]).drive(arm)


def test_units_of_pressure_are_what_they_are_called():
    assert UNITS["hPa"] == UNITS["mbar"] == 100.0
    assert UNITS["psi"] == UNITS["PSI"] == UNITS["psig"]
    assert UNITS["atm"] / UNITS["mmHg"] == pytest.approx(760, rel=1e-6)
