"""Laws of checks: wrong units are refused with their likely cause, single absurd samples left out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sample_recordings import STEPS, with_values

from continuarm import PressureSteps
from continuarm.identification.recording_checks import checked_recording
from refusals import check_named, refused


@pytest.mark.parametrize(
    ("name", "factor", "named"),
    [
        ("tip 3", 1e3, ["z3 = 45", " m at t = ", "'prototype'", "in mm?"]),
        ("tip 3", 1e-3, ["z3 = 0.00044", " m at t = ", "'prototype'", "in m, with mm in the header?"]),
        ("orientation 3", 180 / np.pi, ["3 = ", " rad at t = ", "'prototype'", "in degrees?"]),
        ("l33", 1e3, ["l33 = ", " m at t = ", "'prototype'", "in mm?"]),
    ],
)
def test_a_wrong_unit_is_refused_with_its_likely_cause(prototype, run, name, factor, named):
    assert checked_recording(run, prototype)[1] == []
    with refused("run: ", *named):
        checked_recording(with_values(run, name, lambda values: factor * values), prototype)


def test_lengths_instead_of_their_changes_are_refused(prototype, run):
    with refused("run: ", "l33 = 0.1", "length of the muscle"):
        checked_recording(with_values(run, "l33", lambda values: values + 0.15), prototype)


@pytest.mark.parametrize(
    ("factor", "named"),
    [
        (1e3, ["pressure", "5e+08 Pa of l33", "2e+07 Pa", "kPa?"]),
        (1e-5, ["pressure", "5 Pa of l33", "bar?"]),
        (1e-2, ["pressure", "5000 Pa of l33", "dead zone of 90000 Pa", "mbar?"]),
        (1e-3, ["pressure", "500 Pa of l33", "dead zone of 90000 Pa", "kPa?"]),
    ],
)
def test_pressures_in_a_wrong_unit_are_refused(prototype, run, factor, named):
    steps = {name: [(t, p * factor) for t, p in each] for name, each in STEPS.items()}
    with refused("run: ", *named):
        checked_recording(replace(run, input=PressureSteps(steps)), prototype)


def test_a_few_absurd_samples_are_left_out_with_a_warning(prototype, run):
    def absurd(values):
        values[3] = 9999.0
        return values

    found, (warning,) = checked_recording(with_values(run, "tip 1", absurd), prototype)
    assert np.isnan(found.sensors[0].values[3]).all()
    assert np.isfinite(found.sensors[0].values[4]).all()
    check_named(warning, "run: ", "9999 m", "t = 0.1 s", "tip 1")
