"""Laws of units: a table, the text of the command line and a signal file mean the same by a unit."""

from __future__ import annotations

import math

import numpy as np
import pytest

from continuarm import PressureSignal, PressureSteps
from continuarm.identification.measurement_units import SCALES, unit_scale
from continuarm.identification.recording_file import read_recording
from continuarm.simulation.pressure_commands import SECONDS, UNITS
from refusals import refused


@pytest.mark.parametrize("unit", UNITS)
def test_a_unit_of_pressure_is_the_same_in_tables_signals_and_text(section, tmp_path, unit):
    (tmp_path / "run.csv").write_text(f"t [s], l11 [{unit}], z1 [mm]\n0, 0, 150\n1, 3, 150\n")
    (tmp_path / "signal.csv").write_text(f"t [s], l11 [{unit}]\n0, 0\n1, 3\n")
    read = read_recording(tmp_path / "run.csv", section).readings(section).at([1.0])[0, 0]
    signal = np.asarray(PressureSignal.read(tmp_path / "signal.csv", section).pressures)[1, 0]
    ((_, text),) = PressureSteps.parse(f"l11=3{unit}@1").steps["l11"]
    assert read == pytest.approx(signal, rel=1e-14) == pytest.approx(text, rel=1e-14)
    assert SCALES[unit] == ("pressure", UNITS[unit])


@pytest.mark.parametrize("unit", SECONDS)
def test_a_unit_of_time_is_the_same_in_tables_and_signals(section, tmp_path, unit):
    (tmp_path / "run.csv").write_text(f"t [{unit}], z1 [mm]\n0, 150\n4, 150\n")
    (tmp_path / "signal.csv").write_text(f"t [{unit}], l11 [kPa]\n0, 0\n4, 3\n")
    assert read_recording(tmp_path / "run.csv", section).times[1] == pytest.approx(4 * SECONDS[unit])
    assert np.asarray(PressureSignal.read(tmp_path / "signal.csv", section).times)[1] == pytest.approx(
        4 * SECONDS[unit]
    )


@pytest.mark.parametrize(("unit", "metres"), [("m", 1), ("cm", 1e-2), ("mm", 1e-3), ("um", 1e-6), ("in", 0.0254)])
def test_lengths_are_what_they_are_called(unit, metres):
    assert unit_scale(unit, ["length"]) == ("length", metres)


def test_both_letters_for_micro_and_both_signs_for_degrees_are_taken():
    assert unit_scale("\u03bcm", ["length"]) == unit_scale("\u00b5m", ["length"])  # Greek mu and the micro sign
    assert unit_scale("°", ["angle"]) == unit_scale("deg", ["angle"]) == ("angle", math.pi / 180)


@pytest.mark.parametrize(
    ("unit", "dimensions", "named"),
    [
        ("KPA", ["pressure"], ["pressure", "kPa", "did you mean 'kPa'?"]),
        ("MmHg", ["pressure"], ["did you mean 'mmHg'?"]),
        ("Deg", ["angle"], ["rad, deg", "did you mean 'deg'?"]),
        ("MS", ["time"], ["s, ms", "did you mean 'ms'?"]),
        ("kPa", ["length"], ["length", "m, cm, mm"]),
    ],
)
def test_another_unit_is_refused_with_those_that_there_are(unit, dimensions, named):
    with refused(*named):
        unit_scale(unit, dimensions)
