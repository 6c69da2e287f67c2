"""Laws of recordings on disk: what is written is read back, gaps stay gaps, units are those of the header."""

from __future__ import annotations

import os

import numpy as np
import pytest
from sample_recordings import STEPS

from continuarm import (
    ForceSignal,
    Gauge,
    PressureSignal,
    PressureSteps,
    Rig,
    equilibrium,
    load_arm,
    save_motion,
    simulate,
)
from continuarm.identification.recording import Recording
from continuarm.identification.recording_file import read_recording, write_recording
from continuarm.identification.sensor_frame_and_delay import simulated_readings
from continuarm.identification.simulated_tracks import simulated_track
from continuarm.identification.synthetic_recordings import simulated_recording, tip_sensors
from refusals import answers, check_named, refused, refuses


def alike(found, expected, prototype):
    """The same sensors and commands, to the digits of the file; rows in which nothing was measured come in addition."""
    rows = np.searchsorted(found.times, expected.times - 1e-9)
    np.testing.assert_allclose(found.times[rows], expected.times, rtol=0, atol=1e-9)
    assert [sensor.name for sensor in found.sensors] == [sensor.name for sensor in expected.sensors]
    for one, other in zip(found.sensors, expected.sensors, strict=True):
        np.testing.assert_allclose(one.values[rows], other.values, rtol=1e-9, atol=1e-11)
        assert np.isnan(np.delete(one.values, rows, axis=0)).all()
    at = np.linspace(0, expected.times[-1], 1000)
    np.testing.assert_allclose(found.drive(prototype).at(at), expected.drive(prototype).at(at), rtol=1e-9)


def test_what_is_written_is_read_back(prototype, run, tmp_path):
    write_recording(run, prototype, tmp_path / "run.csv")
    found = read_recording(tmp_path / "run.csv", prototype)
    alike(found, run, prototype)
    assert (found.name, found.start, found.static) == ("run", None, False)


@pytest.mark.parametrize("habit", ["\ufeff{}", "# a note\n\n{}\n# the end\n", "crlf", "semicolons"])
def test_habits_of_programs_that_write_tables_are_tolerated(prototype, run, tmp_path, habit):
    write_recording(run, prototype, tmp_path / "run.csv")
    text = (tmp_path / "run.csv").read_text(encoding="utf-8")
    if habit == "crlf":
        text = text.replace("\n", "\r\n")
    elif habit == "semicolons":  # and decimal commas
        text = text.replace(",", ";").replace(".", ",")
    else:
        text = habit.format(text)
    (tmp_path / "run.csv").write_text(text, encoding="utf-8", newline="")
    alike(read_recording(tmp_path / "run.csv", prototype), run, prototype)


def test_units_of_the_header_are_units_of_the_values(prototype, tmp_path):
    header = "t [ms], l33 [bar], x3 [cm], z3 [m], rx1 [deg], ry1 [deg], rz1 [deg], l11 [µm], L12 [mm], fx [N]"
    rows = "\n1000, 2, 10, 0.4, 90, 0, 0, 1500, -2, 0.5\n1500, , , NaN, 45, 0, 0, n/a, null, \n"
    (tmp_path / "run.csv").write_text(header + rows, encoding="utf-8")
    found = read_recording(tmp_path / "run.csv", prototype, sigma={"tips": 1e-3, "l12": 2e-4})
    np.testing.assert_allclose(found.times, [0, 0.5])  # the clock begins with the first row
    tip, turned, first, second = found.sensors
    np.testing.assert_allclose(tip.values[0], [0.1, np.nan, 0.4])
    assert np.isnan(tip.values[1]).all()
    np.testing.assert_allclose(turned.values, [[np.pi / 2, 0, 0], [np.pi / 4, 0, 0]])
    np.testing.assert_allclose([first.values[0, 0], second.values[0, 0]], [1.5e-3, -2e-3])
    assert (tip.sigma, turned.sigma, first.sigma, second.sigma) == (1e-3, None, None, 2e-4)
    told = found.commands(prototype)
    assert (told.pressures[:, 8] == 2e5).all()  # a gap holds what was before
    assert (told.wrench == [0, 0, 0, 0.5, 0, 0]).all()


def test_steps_stay_steps_and_lines_lines(prototype, tmp_path):
    times = np.arange(100) / 100
    columns = {"steps": np.where(times < 0.5, 0.0, 300.0), "lines": 300 * times}
    for name, values in columns.items():
        rows = "\n".join(f"{t}, {p}, 0.45" for t, p in zip(times, values, strict=True))
        (tmp_path / f"{name}.csv").write_text(f"t [s], l11 [kPa], z3 [m]\n{rows}\n", encoding="utf-8")
    middle = {
        name: read_recording(tmp_path / f"{name}.csv", prototype).drive(prototype).at([0.495, 0.4999])[:, 0]
        for name in columns
    }
    assert middle["steps"].tolist() == [0, 0]
    np.testing.assert_allclose(middle["lines"], [148500, 149970])
    assert len(read_recording(tmp_path / "steps.csv", prototype).drive(prototype).times) == 2
    assert read_recording(tmp_path / "steps.csv", prototype, linear=True).drive(prototype).at([0.495])[
        0, 0
    ] == pytest.approx(150e3)


def test_a_gauge_may_show_a_little_less_than_nothing(prototype, tmp_path):
    path = tmp_path / "run.csv"
    path.write_text("t [s], l11 [kPa], z3 [m]\n0, -0.3, 0.45\n1, 300, 0.45\n", encoding="utf-8")
    found = read_recording(path, prototype)
    assert found.commands(prototype).pressures[:, 0].tolist() == [0, 300e3]
    assert found.readings(prototype).at(found.times)[:, 0].tolist() == [-300, 300e3]  # the log stays as it is
    path.write_text("t [s], l11 [kPa], z3 [m]\n0, -100, 0.45\n1, 300, 0.45\n", encoding="utf-8")
    with refused("run: ", "l11 = -100000 Pa", "0 or more"):
        read_recording(path, prototype).drive(prototype)


@pytest.mark.parametrize("linear", [False, True])
def test_a_gauge_whose_offset_is_known_reads_nothing_below_zero(prototype, tmp_path, linear):
    path = tmp_path / "run.csv"
    path.write_text("t [s], l11 [kPa], z3 [m]\n0, -10, 0.45\n1, 290, 0.45\n2, -10.5, 0.45\n", encoding="utf-8")
    found = read_recording(path, prototype, linear=linear)
    known = prototype.replace(rig=Rig(gauges=[Gauge(line="l11", offset=-10e3)]))
    assert found.commands(prototype).pressures[:, 0].tolist() == [0, 290e3, 0]
    assert found.commands(known).pressures[:, 0].tolist() == [0, 300e3, 0]
    assert found.readings(known).at(found.times)[:, 0].tolist() == [-10e3, 290e3, -10.5e3]
    check_named(found.said_of_gauges(prototype), "l11", "-10.5 kPa", "2 of 3")
    check_named(found.said_of_gauges(known), "l11", "-0.5 kPa", "1 of 3")


@pytest.mark.parametrize("linear", [False, True])
def test_what_gauges_read_below_zero_is_written_as_they_read_it(prototype, tmp_path, linear):
    path = tmp_path / "run.csv"
    path.write_text("t [s], l11 [kPa], z3 [m]\n0, -3, 0.45\n1, 300, 0.45\n2, -9, 0.45\n", encoding="utf-8")
    given = read_recording(path, prototype, linear=linear)
    write_recording(given, prototype, path)
    found = read_recording(path, prototype, linear=linear)
    at = np.linspace(0, 2, 21)
    expected = given.readings(prototype).at(at)
    assert expected.min() == -9e3
    np.testing.assert_allclose(found.readings(prototype).at(at), expected, rtol=1e-12)


def test_a_table_without_time_is_one_of_resting_shapes(prototype, tmp_path):
    pressures = np.random.default_rng(0).uniform(0, 500e3, (12, 9))
    table = Recording.table("rest", tip_sensors(prototype, 12), arm=prototype, pressures=pressures)
    table = simulated_recording(prototype, table)
    write_recording(table, prototype, tmp_path / "rest.csv")
    found = read_recording(tmp_path / "rest.csv", prototype)
    assert found.static
    alike(found, table, prototype)
    # every row is where the arm rests under its pressures
    forces = prototype.muscle_forces(1.327e-4 * np.maximum(pressures - 90e3, 0))
    np.testing.assert_allclose(simulated_track(prototype, found).q, equilibrium(prototype, forces), rtol=0, atol=1e-9)


def test_muscle_forces_are_read_too(prototype, tmp_path):
    (tmp_path / "run.csv").write_text(
        "t [s], f11 [N], f33 [N], z3 [m]\n0, 0, 5, 0.45\n1, 3, 5, 0.45\n", encoding="utf-8"
    )
    forces = read_recording(tmp_path / "run.csv", prototype, linear=False).commands(prototype).forces
    assert forces[:, 0].tolist() == [0, 3]
    assert forces[:, 8].tolist() == [5, 5]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("t, x1\n0, 0\n", ["'t'", "unit"]),
        ("t [s], x1 [ell]\n0, 0\n", ["unit 'ell' of x1", "length", "m, cm, mm"]),
        ("t [s], x1 [MM]\n0, 0\n", ["unit 'MM' of x1", "did you mean 'mm'?"]),
        ("t [s], l11 [KPA], x1 [mm]\n0, 0, 0\n", ["unit 'KPA' of l11", "did you mean 'kPa'?"]),
        ("t [s], x1 [kPa]\n0, 0\n", ["unit 'kPa' of x1", "length"]),
        ("t [s], frame [1]\n0, 0\n", ["column 'frame'", "l11", "f11", "x1"]),
        ("t [s], x1 [m], x1 [mm]\n0, 0, 0\n", ["header", "x1"]),
        ("t [s], x1 [m]\n0, 0\n1\n", ["line 3", "1 cells", "must have 2"]),
        ("t [s], x1 [m]\n# note\n0, zero\n", ["line 3", "['0', 'zero']", "2 numbers"]),
        ("t [s], x1 [m]\n", ["header", "at least one row"]),
        ("t [s], l44 [kPa], x1 [m]\n0, 1, 0\n1, 1, 0\n", ["'l44'", "l11 to l33"]),
        ("t [s], l11 [kPa]\n0, 1\n1, 1\n", ["measured channel"]),
        ("t [s], x1 [m]\n0, 0\n1, 0\n0.9, 0\n", ["times", "1 s (sample 2)"]),
        ("t [s], x1 [m]\n0, 0\n0, 0\n0, 0\n1, 0\n", ["times", "2 of 4 rows", "tells rows apart"]),
        ("x1 [m], y1 [m]\n0, 0\n", ["t", "pressure", "force"]),
        ("l11 [kPa], x1 [m]\n100, 0\n, 0\n", ["l11", "pressure", "every row"]),
        (
            "t [s], qw1 [1], qx1 [1], qy1 [1], qz1 [1]\n0, 2, 0, 0, 0\n1, 1, 0, 0, 0\n",
            ["orientation 1", "quaternion", "length 1"],
        ),
    ],
)
def test_what_cannot_be_read_is_one_sentence(prototype, tmp_path, text, named):
    (tmp_path / "run.csv").write_text(text, encoding="utf-8")
    with refused("run", *named):
        read_recording(tmp_path / "run.csv", prototype)


WIDE = 20_000


def wide(names):
    """A table of as many columns as there are names, and three rows."""
    return "t [s], " + ", ".join(names) + "\n" + "".join(f"{t}" + ", 1" * len(names) + "\n" for t in range(3))


HOSTILE = {
    "many muscles": (wide([f"l1-{k} [kPa]" for k in range(WIDE)]), "muscle 'l1-0': … l11 to l33"),
    "many lengths": (wide([f"l1-{k} [mm]" for k in range(WIDE)]), ""),
    "many tips": (wide([f"x{k} [mm]" for k in range(1, WIDE + 1)]), ""),
    "one tip many times": (wide(["x1 [mm]"] * WIDE), "header … x1 … once"),
    "more columns than can be": (wide(["x1 [mm]"] * 200_000), "line 1 has more than 100000 cells"),
    "a unit of spaces": ("t [s], x1 [" + " " * 100_000 + "x\n0, 0\n", "header … unit"),
    "a section of many digits": (f"t [s], x{'1' * 5000} [m]\n0, 0\n1, 0\n", "digits"),
    "a name for a terminal": ("t [s], \x1b[31m\u202e [m]\n0, 0\n", r"\x1b[31m\u202e"),
    "a number for a terminal": ("t [s], x1 [m]\n0, \x1b[31m\n", r"line 2 … \x1b[31m"),
    "NUL": ("t [s], x1 [m]\n0, \0\n", r"line 2 … \x00"),
    "a number beyond all": ("t [s], x1 [mm]\n0, 1e400\n1, 0\n", "line 2: x1 … finite"),
    "a pressure beyond all": ("t [s], l11 [kPa], x1 [mm]\n0, 1e308, 0\n1, 0, 0\n", "line 2: l11 … finite"),
    "a time beyond all": ("t [s], x1 [mm]\n" + "9" * 400 + ", 0\n1, 0\n", "line 2: t … finite"),
}


@pytest.mark.slow
def test_files_of_strangers_are_refused_in_one_short_sentence(tmp_path):
    paths = []
    for name, (content, _) in HOSTILE.items():
        paths.append(tmp_path / f"{name}.csv")
        paths[-1].write_text(content, encoding="utf-8")
    for path, sentence in zip(paths, answers("read_recording", *paths, seconds=40), strict=True):
        expected = HOSTILE[path.stem][1]
        assert refuses(sentence, f"{path}: … {expected}") if expected else sentence == "", (path.stem, sentence)
        assert len(sentence) < 1000


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
@pytest.mark.parametrize("reader", ["read_recording", "read_pressures"])
def test_what_is_endless_or_never_comes_is_refused(tmp_path, reader):
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "circle.csv").symlink_to(tmp_path / "circle.csv")
    expected = {
        "/dev/zero": "/dev/zero: … device",
        tmp_path / "pipe.csv": "pipe.csv: … nobody",
        tmp_path / "circle.csv": "circle.csv: … links",
        tmp_path: f"{tmp_path}: … folder",
        tmp_path / ("x" * 300): "… too long",
        tmp_path / "\x1b[31mred\n\udcff.csv": r"/\x1b[31mred\n\udcff.csv: … no such file",
    }
    for sentence, words in zip(answers(reader, *expected), expected.values(), strict=True):
        assert refuses(sentence, words), sentence


def test_the_name_of_a_recording_can_be_shown(prototype, tmp_path):
    path = tmp_path / "\x1b[31mred\u202e.csv"
    path.write_text("t [s], z3 [m]\n0, 0.45\n1, 0.45\n", encoding="utf-8")
    assert read_recording(path, prototype).name == r"\x1b[31mred\u202e"


def test_a_file_that_is_not_there(prototype, tmp_path):
    with refused("none.csv"):
        read_recording(tmp_path / "none.csv", prototype)
    (tmp_path / "run.csv").write_bytes(b"t [s], x1 [m]\n\xff, 0\n")
    with refused("run.csv", "UTF-8"):
        read_recording(tmp_path / "run.csv", prototype)


@pytest.mark.parametrize("start", ["unbent", "equilibrium"])
def test_a_simulated_motion_is_a_recording_of_itself(prototype, tmp_path, start):
    forces = np.zeros((2, 9))
    forces[1, 0] = 20.0
    inputs = (PressureSteps(STEPS), PressureSignal([0, 1], [[0] * 9, [3e5] * 9]), ForceSignal([0, 0.5], forces))
    for number, given in enumerate(inputs):
        path = tmp_path / f"{number}.nc"
        save_motion(simulate(prototype, given, duration=1.0, start=start, wrench=[0, 0, 0, 0.2, 0, 0]), path)
        found = read_recording(path, prototype)
        assert found.start == start
        seen, lost = simulated_readings(found, simulated_track(prototype, found))
        assert not lost.any()
        for sensor, values in zip(found.sensors, seen, strict=True):
            # two simulations with different tolerances; steps between output times are met to 5 ms only
            np.testing.assert_allclose(sensor.values, values, rtol=0, atol=5e-6)


def test_what_slow_valves_were_told_is_not_in_a_motion(tmp_path):
    slow = load_arm("prototype-muscles")
    save_motion(simulate(slow, PressureSteps(STEPS), duration=0.1), tmp_path / "slow.nc")
    with refused("slow.nc", "valves", "input"):
        read_recording(tmp_path / "slow.nc", slow)
    found = read_recording(tmp_path / "slow.nc", slow, input=PressureSteps(STEPS))
    assert found.drive(slow).times.tolist() == [0, 0.2, 0.95]


def test_sigma_of_no_sensor_is_refused(prototype, tmp_path):
    (tmp_path / "run.csv").write_text("t [s], z3 [m]\n0, 0.45\n1, 0.45\n", encoding="utf-8")
    with refused("sigma", "'tip3'", "tip 3"):
        read_recording(tmp_path / "run.csv", prototype, sigma={"tip3": 1e-3})
    with refused("sigma", "tips", "'1mm'", "above 0"):
        read_recording(tmp_path / "run.csv", prototype, sigma="1mm")


def test_the_clock_is_t_or_time_but_not_both(prototype, tmp_path):
    table = "{}, l33 [kPa], x3 [mm], y3 [mm], z3 [mm]\n{}0, 0, 0, 0, 452\n{}0.1, 500, 0, 0, 452\n"
    (tmp_path / "run.csv").write_text(table.format("time [s]", "", ""))
    assert read_recording(tmp_path / "run.csv", prototype).times.tolist() == [0.0, 0.1]
    (tmp_path / "run.csv").write_text(table.format("time [s], t [s]", "0, ", "0.1, "))
    with refused("run.csv", "t and time"):
        read_recording(tmp_path / "run.csv", prototype)
