"""Laws of recordings: what is written is read back, gaps stay gaps, wrong units are refused with their likely cause."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from continuarm import (
    ForceSignal,
    PressureSignal,
    PressureSteps,
    WrenchSignal,
    equilibrium,
    load_arm,
    save_motion,
    simulate,
    tip_poses,
)
from continuarm.identification.recording import Recording, checked_recording, steady_ends
from continuarm.identification.recording_file import read_recording, write_recording
from continuarm.identification.sensors import MuscleLength, TipOrientation, TipPosition
from continuarm.identification.simulated_recordings import shown, simulated_recording, tip_sensors, track

STEPS = {"l33": [(0.2, 500e3)], "l12": [(0.95, 300e3)]}


@pytest.fixture(scope="module")
def arm():
    return load_arm("prototype")


@pytest.fixture(scope="module")
def run(arm):
    """1.5 s of all kinds of sensors, with gaps."""
    times = np.arange(46) / 30
    sensors = [
        *tip_sensors(arm, len(times)),
        TipOrientation(3, np.zeros((len(times), 3))),
        MuscleLength("l33", np.zeros(len(times))),
    ]
    seen = simulated_recording(arm, Recording("run", PressureSteps(STEPS), times, sensors), seed=1)
    values = seen.sensors[1].values.copy()
    values[7, 1] = values[20:25] = np.nan
    return replace(seen, sensors=(seen.sensors[0], replace(seen.sensors[1], values=values), *seen.sensors[2:]))


def alike(found, expected, arm):
    """The same sensors and commands, to the digits of the file; rows in which nothing was measured come in addition."""
    rows = np.searchsorted(found.times, expected.times - 1e-9)
    np.testing.assert_allclose(found.times[rows], expected.times, rtol=0, atol=1e-9)
    assert [sensor.name for sensor in found.sensors] == [sensor.name for sensor in expected.sensors]
    for one, other in zip(found.sensors, expected.sensors, strict=True):
        np.testing.assert_allclose(one.values[rows], other.values, rtol=1e-9, atol=1e-11)
        assert np.isnan(np.delete(one.values, rows, axis=0)).all()
    at = np.linspace(0, expected.times[-1], 1000)
    np.testing.assert_allclose(found.drive(arm).at(at), expected.drive(arm).at(at), rtol=1e-9)


def test_what_is_written_is_read_back(arm, run, tmp_path):
    write_recording(run, arm, tmp_path / "run.csv")
    found = read_recording(tmp_path / "run.csv", arm)
    alike(found, run, arm)
    assert (found.name, found.start, found.static) == ("run", "equilibrium", False)


@pytest.mark.parametrize("habit", ["\ufeff{}", "# a note\n\n{}\n# the end\n", "crlf", "semicolons"])
def test_habits_of_programs_that_write_tables_are_tolerated(arm, run, tmp_path, habit):
    write_recording(run, arm, tmp_path / "run.csv")
    text = (tmp_path / "run.csv").read_text(encoding="utf-8")
    if habit == "crlf":
        text = text.replace("\n", "\r\n")
    elif habit == "semicolons":  # and decimal commas
        text = text.replace(",", ";").replace(".", ",")
    else:
        text = habit.format(text)
    (tmp_path / "run.csv").write_text(text, encoding="utf-8", newline="")
    alike(read_recording(tmp_path / "run.csv", arm), run, arm)


def test_units_of_the_header_are_units_of_the_values(arm, tmp_path):
    header = "t [ms], l33 [bar], x3 [cm], z3 [m], rx1 [deg], ry1 [deg], rz1 [deg], l11 [µm], L12 [mm], fx [N]"
    rows = "\n1000, 2, 10, 0.4, 90, 0, 0, 1500, -2, 0.5\n1500, , , NaN, 45, 0, 0, n/a, null, \n"
    (tmp_path / "run.csv").write_text(header + rows, encoding="utf-8")
    found = read_recording(tmp_path / "run.csv", arm, sigma={"tips": 1e-3, "l12": 2e-4})
    np.testing.assert_allclose(found.times, [0, 0.5])  # the clock begins with the first row
    tip, turned, first, second = found.sensors
    np.testing.assert_allclose(tip.values[0], [0.1, np.nan, 0.4])
    assert np.isnan(tip.values[1]).all()
    np.testing.assert_allclose(turned.values, [[np.pi / 2, 0, 0], [np.pi / 4, 0, 0]])
    np.testing.assert_allclose([first.values[0, 0], second.values[0, 0]], [1.5e-3, -2e-3])
    assert (tip.sigma, turned.sigma, first.sigma, second.sigma) == (1e-3, None, None, 2e-4)
    told = found.commands(arm)
    assert (told.pressures[:, 8] == 2e5).all()  # a gap holds what was before
    assert (told.wrench == [0, 0, 0, 0.5, 0, 0]).all()


def test_steps_stay_steps_and_lines_lines(arm, tmp_path):
    times = np.arange(100) / 100
    columns = {"steps": np.where(times < 0.5, 0.0, 300.0), "lines": 300 * times}
    for name, values in columns.items():
        rows = "\n".join(f"{t}, {p}, 0.45" for t, p in zip(times, values, strict=True))
        (tmp_path / f"{name}.csv").write_text(f"t [s], l11 [kPa], z3 [m]\n{rows}\n", encoding="utf-8")
    middle = {
        name: read_recording(tmp_path / f"{name}.csv", arm).drive(arm).at([0.495, 0.4999])[:, 0] for name in columns
    }
    assert middle["steps"].tolist() == [0, 0]
    np.testing.assert_allclose(middle["lines"], [148500, 149970])
    assert len(read_recording(tmp_path / "steps.csv", arm).drive(arm).times) == 2
    assert read_recording(tmp_path / "steps.csv", arm, linear=True).drive(arm).at([0.495])[0, 0] == pytest.approx(150e3)


def test_a_gauge_may_show_a_little_less_than_nothing(arm, tmp_path):
    path = tmp_path / "run.csv"
    path.write_text("t [s], l11 [kPa], z3 [m]\n0, -0.3, 0.45\n1, 300, 0.45\n", encoding="utf-8")
    assert read_recording(path, arm).commands(arm).pressures[:, 0].tolist() == [0, 300e3]
    path.write_text("t [s], l11 [kPa], z3 [m]\n0, -30, 0.45\n1, 300, 0.45\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"^run: pressures: l11 = -30000 Pa must be 0 or more"):
        read_recording(path, arm).drive(arm)


def test_a_table_without_time_is_one_of_resting_shapes(arm, tmp_path):
    pressures = np.random.default_rng(0).uniform(0, 500e3, (12, 9))
    table = Recording.table("rest", tip_sensors(arm, 12), arm=arm, pressures=pressures)
    table = simulated_recording(arm, table)
    write_recording(table, arm, tmp_path / "rest.csv")
    found = read_recording(tmp_path / "rest.csv", arm)
    assert found.static
    alike(found, table, arm)
    # every row is where the arm rests under its pressures
    forces = arm.muscle_forces(1.327e-4 * np.maximum(pressures - 90e3, 0))
    np.testing.assert_allclose(track(arm, found).q, equilibrium(arm, forces), rtol=0, atol=1e-9)


def test_muscle_forces_are_read_too(arm, tmp_path):
    (tmp_path / "run.csv").write_text(
        "t [s], f11 [N], f33 [N], z3 [m]\n0, 0, 5, 0.45\n1, 3, 5, 0.45\n", encoding="utf-8"
    )
    forces = read_recording(tmp_path / "run.csv", arm, linear=False).commands(arm).forces
    assert forces[:, 0].tolist() == [0, 3]
    assert forces[:, 8].tolist() == [5, 5]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("t, x1\n0, 0\n", r"the header's 't' must name a unit"),
        ("t [s], x1 [inch]\n0, 0\n", r"unit 'inch' of x1: must be one of Pa, kPa"),
        ("t [s], x1 [kPa]\n0, 0\n", r"unit 'kPa' of x1: must be that of a length"),
        ("t [s], frame [1]\n0, 0\n", r"column 'frame': must be t, a muscle such as l11 or f11"),
        ("t [s], x1 [m], x1 [mm]\n0, 0, 0\n", r"the header names x1 more than once"),
        ("t [s], x1 [m]\n0, 0\n1\n", r"line 3 has 1 cells: must have 2, as the header"),
        ("t [s], x1 [m]\n# note\n0, zero\n", r"line 3 is \['0', 'zero'\]: must be 2 numbers, or empty cells for gaps"),
        ("t [s], x1 [m]\n", r"must have a header and at least one row"),
        ("t [s], l44 [kPa], x1 [m]\n0, 1, 0\n1, 1, 0\n", r"muscle 'l44': must be one of l11 to l33"),
        ("t [s], l11 [kPa]\n0, 1\n1, 1\n", r"has no measured channel"),
        ("t [s], x1 [m]\n0, 0\n1, 0\n1, 0\n", r"times must ascend; they do not after 1 s \(sample 2\)"),
        ("x1 [m], y1 [m]\n0, 0\n", r"has neither t nor a pressure or force"),
        ("l11 [kPa], x1 [m]\n100, 0\n, 0\n", r"l11 must have a pressure in every row"),
        (
            "t [s], qw1 [1], qx1 [1], qy1 [1], qz1 [1]\n0, 2, 0, 0, 0\n1, 1, 0, 0, 0\n",
            r"orientation 1: a quaternion is not of length 1",
        ),
    ],
)
def test_what_cannot_be_read_is_one_sentence(arm, tmp_path, text, sentence):
    (tmp_path / "run.csv").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=rf"run(\.csv)?: {sentence}"):
        read_recording(tmp_path / "run.csv", arm)


def test_a_file_that_is_not_there(arm, tmp_path):
    with pytest.raises(ValueError, match=r"none\.csv: there is no such file"):
        read_recording(tmp_path / "none.csv", arm)
    (tmp_path / "run.csv").write_bytes(b"t [s], x1 [m]\n\xff, 0\n")
    with pytest.raises(ValueError, match=r"run\.csv: is not a table of comma-separated values: it is not UTF-8 text"):
        read_recording(tmp_path / "run.csv", arm)


@pytest.mark.slow
@pytest.mark.parametrize("start", ["unbent", "equilibrium"])
def test_a_simulated_motion_is_a_recording_of_itself(arm, tmp_path, start):
    forces = np.zeros((2, 9))
    forces[1, 0] = 20.0
    pushed = ForceSignal([0, 0.5], forces, linear=False)
    inputs = (PressureSteps(STEPS), PressureSignal([0, 1], [[0] * 9, [3e5] * 9]), pushed)
    for number, given in enumerate(inputs):
        path = tmp_path / f"{number}.nc"
        save_motion(simulate(arm, given, duration=1.0, start=start, wrench=[0, 0, 0, 0.2, 0, 0]), path)
        found = read_recording(path, arm)
        assert found.start == start
        seen, lost = shown(found, track(arm, found))
        assert not lost.any()
        for sensor, values in zip(found.sensors, seen, strict=True):
            # two simulations with different tolerances; steps between output times are met to 5 ms only
            np.testing.assert_allclose(sensor.values, values, rtol=0, atol=5e-6)


def test_what_slow_valves_were_told_is_not_in_a_motion(tmp_path):
    slow = load_arm("prototype-muscles")
    save_motion(simulate(slow, PressureSteps(STEPS), duration=0.1), tmp_path / "slow.nc")
    with pytest.raises(ValueError, match=r"slow\.nc: holds the pressures behind slow valves .* needs an input"):
        read_recording(tmp_path / "slow.nc", slow)
    found = read_recording(tmp_path / "slow.nc", slow, input=PressureSteps(STEPS))
    assert found.drive(slow).times.tolist() == [0, 0.2, 0.95]


# Sensors


def test_orientations_are_rotations_not_numbers(arm):
    rng = np.random.default_rng(0)
    q = rng.uniform(0, 0.05, (20, 9))
    poses = tip_poses(arm, q)
    small = 0.01 * rng.normal(size=(20, 3))
    turned = Rotation.from_matrix(poses[:, 2, :3, :3]) * Rotation.from_rotvec(small)
    vectors = turned.as_rotvec()
    longer = vectors * (1 - 2 * np.pi / np.linalg.norm(vectors, axis=1, keepdims=True))
    for values in (vectors, longer, turned.as_quat()[:, [3, 0, 1, 2]], -turned.as_quat()[:, [3, 0, 1, 2]]):
        sensor = TipOrientation(3, values)
        np.testing.assert_allclose(sensor.difference(sensor.shown(poses, {})), small, rtol=0, atol=1e-12)
        # what is drawn beside the measured vector is near it
        assert np.abs(sensor.shown(poses, {}) - sensor.values).max() < 0.1


def test_between_its_states_a_run_is_a_cubic(arm):
    recording = Recording("run", PressureSteps(STEPS), np.linspace(0, 1.5, 1501), tip_sensors(arm, 1501), "unbent")
    seen, _ = shown(recording, track(arm, recording))
    fine = simulate(arm, PressureSteps(STEPS), duration=1.5, rate=1000).tips
    # a step changes velocities within a millisecond: without states closer after it, the cubic misses 0.2 mm there
    assert np.abs(np.stack(seen, axis=1) - fine).max() < 5e-6


def test_a_late_recording_shows_the_arm_as_it_was(arm):
    recording = Recording("run", PressureSteps(STEPS), np.arange(300) / 200, tip_sensors(arm, 300))
    simulated = track(arm, recording)
    here, late = shown(recording, simulated)[0][2], shown(recording, simulated, delay=0.05)[0][2]
    np.testing.assert_allclose(late[10:], here[:-10], rtol=0, atol=1e-12)
    np.testing.assert_allclose(late[:10], np.broadcast_to(here[0], (10, 3)), rtol=0, atol=1e-12)  # at rest before
    early = shown(recording, simulated, delay=-0.2)[0][2]
    np.testing.assert_allclose(early[:-40], here[40:], rtol=0, atol=1e-12)


def test_a_recording_begins_as_it_says(arm):
    steps, times = PressureSteps({"l11": [(0.0, 500e3)]}), np.arange(10) / 30
    first = {}
    for start in ("equilibrium", "hanging", "unbent"):
        first[start] = track(arm, Recording("run", steps, times, tip_sensors(arm, 10), start)).q[0]
    pushed = arm.muscle_forces(1.327e-4 * (5e5 - 90e3) * np.eye(9)[0])
    np.testing.assert_allclose(first["equilibrium"], equilibrium(arm, pushed), rtol=0, atol=1e-12)
    np.testing.assert_allclose(first["hanging"], equilibrium(arm), rtol=0, atol=1e-12)
    assert not first["unbent"].any()


def test_a_motion_that_ends_leaves_no_nan(arm):
    soft = arm.replace(sections=[s.replace(stiffness=300.0) for s in arm.sections])
    recording = Recording("run", PressureSteps({"l11": [(0.1, 600e3)]}), np.arange(60) / 30, tip_sensors(arm, 60))
    simulated = track(soft, recording)
    assert simulated.stopped
    seen, lost = shown(recording, simulated)
    assert 0 < lost.sum() < 60
    assert np.isfinite(np.stack(seen)).all()
    with pytest.raises(ValueError, match=r"^run: t = "):
        simulated_recording(soft, recording)


def test_steady_ends_are_where_the_arm_rests(arm):
    quick = arm.replace(sections=[s.replace(stiffness=4000.0, damping=300.0) for s in arm.sections])
    steps = PressureSteps({"l11": [(1.5, 500e3)], "l33": [(6.0, 400e3)]})
    times = np.arange(361) / 30
    seen = simulated_recording(quick, Recording("run", steps, times, tip_sensors(quick, 361)), noise=1e-3)
    ends = steady_ends(seen, quick)
    assert len(ends.times) == 3  # before the first step, before the second, at the end
    rest, _ = shown(ends, track(quick, ends))
    # medians of 16 samples: 1.25 mm / 4, and the last of the motion
    assert (
        max(np.abs(sensor.difference(values)).max() for sensor, values in zip(ends.sensors, rest, strict=True)) < 2e-3
    )
    swinging = simulated_recording(arm, Recording("run", steps, times[:45], tip_sensors(arm, 45)), noise=1e-4)
    assert len(steady_ends(swinging, arm).times) == 1


# Checks


def scaled(recording, name, factor):
    sensors = [replace(s, values=s.values * factor) if s.name == name else s for s in recording.sensors]
    return replace(recording, sensors=tuple(sensors))


@pytest.mark.parametrize(
    ("name", "factor", "sentence"),
    [
        ("tip 3", 1e3, r"run: z3 = 45[\d.]+ m at t = [\d.]+ s does not fit the size of 'prototype': is it in mm\?"),
        ("tip 3", 1e-3, r"run: z3 = 0.00044\d+ m .*: is it in m, with mm in the header\?"),
        ("orientation 3", 180 / np.pi, r"run: r[xyz]3 = -?\d+.* rad at .*: is it in degrees\?"),
        ("l33", 1e3, r"run: l33 = \d+.* m at .*: is it in mm\?"),
    ],
)
def test_a_wrong_unit_is_refused_with_its_likely_cause(arm, run, name, factor, sentence):
    assert checked_recording(run, arm)[1] == []
    with pytest.raises(ValueError, match=f"^{sentence}$"):
        checked_recording(scaled(run, name, factor), arm)


def test_lengths_instead_of_their_changes_are_refused(arm, run):
    whole = [replace(s, values=s.values + 0.15) if s.name == "l33" else s for s in run.sensors]
    with pytest.raises(ValueError, match=r"is it the length of the muscle, and not its change\?$"):
        checked_recording(replace(run, sensors=tuple(whole)), arm)


@pytest.mark.parametrize(
    ("factor", "sentence"),
    [
        (
            1e3,
            r"run: the highest pressure, 5e\+08 Pa of l33, is beyond any muscle's \(2e\+07 Pa\): is it in Pa or kPa\?",
        ),
        (1e-5, r"run: the highest pressure, 5 Pa of l33, moves no muscle: is it in kPa or bar\?"),
        (
            1e-2,
            r"run: the highest pressure, 5000 Pa of l33, is far below the dead zone of 90000 Pa, .*: is it in bar\?",
        ),
    ],
)
def test_pressures_in_a_wrong_unit_are_refused(arm, run, factor, sentence):
    steps = {name: [(t, p * factor) for t, p in each] for name, each in STEPS.items()}
    with pytest.raises(ValueError, match=f"^{sentence}$"):
        checked_recording(replace(run, input=PressureSteps(steps)), arm)


def test_a_few_absurd_samples_are_left_out_with_a_warning(arm, run):
    tip = run.sensors[0].values.copy()
    tip[3] = 9999.0
    found, warnings = checked_recording(
        replace(run, sensors=(replace(run.sensors[0], values=tip), *run.sensors[1:])), arm
    )
    assert np.isnan(found.sensors[0].values[3]).all()
    assert np.isfinite(found.sensors[0].values[4]).all()
    assert len(warnings) == 1
    assert "1 such samples of tip 1 are left out" in warnings[0]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"times": [0.0, -1.0]}, r"run: times must ascend"),
        ({"times": [-1.0, 1.0]}, r"run: times must be finite numbers from 0 s on"),
        ({"times": [0.0]}, r"run: has 1 samples: must have at least 2"),
        ({"start": "bent"}, r"run: start = 'bent': must be one of 'equilibrium', 'hanging', 'unbent'"),
        ({"sensors": ()}, r"run: has no measured channel"),
        ({"sensors": [TipPosition(1, np.zeros((3, 3)))]}, r"run: tip 1 has 3 rows: must have 2"),
        ({"sensors": [TipPosition(1, np.zeros((2, 3)))] * 2}, r"run: tip 1 is there twice"),
    ],
)
def test_recordings_that_cannot_be_are_refused(changes, sentence):
    given = {"times": [0.0, 1.0], "sensors": [TipPosition(1, np.zeros((2, 3)))]} | changes
    with pytest.raises(ValueError, match=f"^{sentence}"):
        Recording("run", None, **given)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: TipPosition(1, np.zeros((2, 2))), r"tip 1 has shape \(2, 2\): must be \(k, 3\)"),
        (lambda: TipPosition(1, np.full((2, 3), np.inf)), r"tip 1 has an infinite value: a gap is NaN"),
        (lambda: MuscleLength("l11", np.zeros(2), sigma=0.0), r"sigma of l11 = 0.0: must be above 0 m"),
    ],
)
def test_sensors_that_cannot_be_are_refused(make, sentence):
    with pytest.raises(ValueError, match=f"^{sentence}"):
        make()


def test_sensors_must_be_of_the_arm(arm):
    for sensor, sentence in (
        (TipPosition(4, np.zeros((2, 3))), "tip 4: section 4 must be from 1 to 3, the sections of 'prototype'"),
        (MuscleLength("l14", np.zeros(2)), "muscle 'l14': must be one of l11 to l33 of 'prototype'"),
    ):
        with pytest.raises(ValueError, match=f"^run: {sentence}$"):
            checked_recording(Recording("run", None, [0.0, 1.0], [sensor]), arm)


def test_a_tip_load_is_part_of_the_drive(arm):
    times, sensors = np.arange(3.0), tip_sensors(arm, 3)
    constant = Recording("run", None, times, sensors, wrench=[0, 0, 0, 1.0, 0, 0])
    signal = Recording("run", None, times, sensors, wrench=WrenchSignal([0.0], [[0, 0, 0, 1.0, 0, 0]]))
    for recording in (constant, signal):
        assert (recording.commands(arm).wrench == [0, 0, 0, 1.0, 0, 0]).all()
    np.testing.assert_allclose(track(arm, constant).q, track(arm, signal).q, rtol=0, atol=1e-12)
    assert np.abs(track(arm, constant).qd).max() < 1e-9  # it begins at rest under its load
