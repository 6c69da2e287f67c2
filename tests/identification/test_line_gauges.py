"""Laws of gauges: what they read of known pressures gives these back."""

import numpy as np
import pytest

import continuarm as ca
from continuarm.identification.line_gauges import line_pressures
from continuarm.viewer.live import LiveArm
from continuarm.viewer.live_view import LiveView
from continuarm.viewer.presets import presets

TIMES = np.arange(0.0, 10.0, 0.02)
SECTION = ca.Section(length=0.15, radius=0.0125, mass=0.1, stiffness=1700.0, damping=110.0, muscle_area=1.3e-4)


def pressures():
    found = np.zeros((len(TIMES), 6))
    found[:, 0] = 2e5 * (TIMES > 4)  # vented before
    found[:, 1] = 5e4 + 1e4 * np.sin(TIMES)
    found[:, 2:] = 3e4
    found[:, 4] = 1e5 * (TIMES < 6)
    return found


def test_gains_and_offsets_are_taken_back():
    gauges = [ca.Gauge(line="l11", gain=1.2, offset=-4e3), ca.Gauge(line="l22", gain=0.8, offset=2e3)]
    arm = ca.Arm(sections=[SECTION] * 2, rig=ca.Rig(gauges=gauges))
    readings = pressures()
    readings[:, 0] = readings[:, 0] / 1.2 - 4e3
    readings[:, 4] = readings[:, 4] / 0.8 + 2e3
    np.testing.assert_allclose(line_pressures(arm, TIMES, readings), pressures(), atol=1e-9)


def test_a_gauge_reads_for_all_muscles_of_its_line():
    line = ca.Line(muscles=["l12", "l13"])
    arm = ca.Arm(sections=[SECTION] * 2, lines=[line], rig=ca.Rig(gauges=[ca.Gauge(line="l13", offset=1e3)]))
    change = line_pressures(arm, TIMES, pressures()) - pressures()
    assert (change[:, [1, 2]] == -1e3).all()
    assert (change[:, [0, 3, 4, 5]] == 0).all()


def test_the_drift_of_a_section_is_read_off_a_vented_line():
    """Whatever the gauges of a section drift by together, and with noise, the pressures stay."""
    rng = np.random.default_rng(0)
    gauges = [ca.Gauge(line=name, offset=0.0) for name in ("l11", "l22")]
    arm = ca.Arm(sections=[SECTION] * 2, rig=ca.Rig(gauges=gauges, gauge_zero="lowest"))
    for drift in (-3e3, 0.0, 7e3):
        readings = pressures()
        readings[:, :3] += drift
        readings += 500 * rng.standard_normal(readings.shape)
        off = line_pressures(arm, TIMES, readings) - pressures()
        assert np.abs(off.mean(axis=0)).max() < 300  # the lowest of many means of a second lies a little low
    assert (line_pressures(arm.replace(rig=None), TIMES, pressures()) == pressures()).all()


def test_commands_of_a_line_drive_all_its_muscles_and_come_late():
    arm = ca.Arm(sections=[SECTION] * 2, lines=[ca.Line(muscles=["l12", "l13"], delay=0.1)])
    together = ca.simulate(arm, ca.PressureSteps({"l13": [(0.2, 1e5)]}), duration=0.6, rate=1000)
    each = ca.PressureSteps({"l12": [(0.3, 1e5)], "l13": [(0.3, 1e5)]})
    wanted = ca.simulate(arm.replace(lines=[]), each, duration=0.6, rate=1000)
    np.testing.assert_allclose(together.q, wanted.q, atol=1e-9)


TOGETHER = ca.Arm(name="two", sections=[SECTION] * 2, lines=[ca.Line(muscles=["l12", "l13"])])
TABLE = "t [s], {}, x2 [mm]\n0, {}, 0\n1, {}, 0\n"


def refused(tmp_path, act):
    """The sentence by which an act is refused, without what comes before the muscles."""
    with pytest.raises(ValueError, match="must be equal") as error:
        act(tmp_path)
    return str(error.value)


def two_pressures(times=(0.0, 1.0)):
    rows = np.zeros((len(times), 6))
    rows[-1, 1:3] = 2e5, 1e5
    return rows


CONTRADICTIONS = {
    "steps": lambda _: ca.simulate(
        TOGETHER, ca.PressureSteps({"l12": [(0.0, 2e5)], "l13": [(0.0, 1e5)]}), duration=0.1
    ),
    "a signal": lambda _: ca.simulate(TOGETHER, ca.PressureSignal([0.0, 1.0], two_pressures()), duration=0.1),
    "a controller": lambda _: ca.simulate(
        TOGETHER, ca.Controller(lambda t, q, qd: two_pressures()[-1], rate=10), duration=0.1
    ),
    "a table of pressures": lambda folder: ca.PressureSignal.read(written(folder, "l12 [kPa], l13 [bar]"), TOGETHER),
    "a recording": lambda folder: ca.read_recording(written(folder, "l12 [kPa], l13 [bar]", camera=True), TOGETHER),
    "a live arm": lambda _: LiveArm(TOGETHER).set_pressures(two_pressures()[-1]),
}


def written(folder, columns, camera=False):
    path = folder / "run.csv"
    text = TABLE.format(columns, "0, 0", "200, 1")
    path.write_text(text if camera else text.replace(", x2 [mm]", "").replace(", 0\n", "\n"))
    return path


@pytest.mark.parametrize("kind", CONTRADICTIONS)
def test_muscles_of_one_line_cannot_have_two_pressures(tmp_path, kind):
    """Whatever says so, the sentence names the line, both muscles and both values."""
    sentence = refused(tmp_path, CONTRADICTIONS[kind])
    assert "l12 = 200000 Pa and l13 = 100000 Pa" in sentence
    assert "the line l12, l13" in sentence
    assert "\n" not in sentence


def test_equal_commands_of_one_line_are_one_command(tmp_path):
    both = ca.PressureSteps({"l12": [(0.0, 2e5)], "l13": [(0.0, 2e5)]})
    one = ca.PressureSteps({"l13": [(0.0, 2e5)]})
    tips = [ca.simulate(TOGETHER, each, duration=0.2).tips for each in (both, one)]
    np.testing.assert_array_equal(*tips)
    live = LiveView(TOGETHER)
    live.do({"pressures": {"l13": 1e5}})
    np.testing.assert_array_equal(live.live.commands, [0, 1e5, 1e5, 0, 0, 0])


def test_every_move_of_a_live_arm_is_one_that_its_lines_can_give():
    for arm in (TOGETHER, ca.load_arm("asu-two-section")):
        for move in presets(arm).values():
            move().drive(arm)


def table(folder, columns, count):
    path = folder / "run.csv"
    zeros, ones = (", ".join([value] * count) for value in ("0", "30"))
    path.write_text(TABLE.format(columns, zeros, ones))
    return path


def test_the_reading_of_a_line_with_a_gauge_must_be_there(tmp_path):
    """Without the column it would be taken for a reading of 0, which is a pressure of 4 kPa here."""
    gauges = [ca.Gauge(line="l13", offset=-4e3), ca.Gauge(line="l22", offset=1e3)]
    arm = TOGETHER.replace(rig=ca.Rig(gauges=gauges))
    for columns, count, missing in (("l22 [kPa]", 1, "'l12 [kPa]' or 'l13 [kPa]'"), ("l12 [kPa]", 1, "'l22 [kPa]'")):
        with pytest.raises(ValueError, match="has no pressure of the line") as error:
            ca.read_recording(table(tmp_path, columns, count), arm)
        assert missing in str(error.value)
    run = ca.read_recording(table(tmp_path, "l12 [kPa], l22 [kPa]", 2), arm)  # one muscle of a line stands for it
    np.testing.assert_allclose(run.commands(arm).pressures[-1], [0, 34e3, 34e3, 0, 29e3, 0])
    free = ca.read_recording(table(tmp_path, "l11 [kPa]", 1), TOGETHER)  # without a gauge no column is no pressure
    np.testing.assert_allclose(free.commands(TOGETHER).pressures[-1], [30e3, 0, 0, 0, 0, 0])


def test_a_zero_read_off_the_lowest_line_needs_all_lines_of_the_section(tmp_path):
    arm = TOGETHER.replace(rig=ca.Rig(gauge_zero="lowest"))
    with pytest.raises(ValueError, match="line l12, l13"):
        ca.read_recording(table(tmp_path, "l11 [kPa]", 1), arm)
    ca.read_recording(table(tmp_path, "l11 [kPa], l13 [kPa]", 2), arm)  # the other section has no reading at all


def test_what_is_written_can_be_read_where_a_gauge_reads_zero(tmp_path):
    """A reading of 0 throughout is a reading: its column is written."""
    arm = TOGETHER.replace(rig=ca.Rig(gauges=[ca.Gauge(line="l13", offset=-4e3)]))
    readings = np.zeros((2, 6))
    readings[:, 0] = 3e4
    run = ca.Recording(
        "run", ca.PressureSignal([0.0, 1.0], readings), [0.0, 1.0], [ca.TipPosition(2, np.zeros((2, 3)))]
    )
    ca.write_recording(run, arm, tmp_path / "run.csv")
    again = ca.read_recording(tmp_path / "run.csv", arm)
    np.testing.assert_allclose(again.commands(arm).pressures, run.commands(arm).pressures)


GAUGED = TOGETHER.replace(
    rig=ca.Rig(gauges=[ca.Gauge(line="l13", gain=1.25, offset=-4e3), ca.Gauge(line="l21", offset=2e3)])
)
STEPS = ca.PressureSteps({"l12": [(0.5, 2e5)], "l21": [(0.0, 1e5), (0.8, 0.0)]})
TRUE = [[0, 0, 0, 1e5, 0, 0], [0, 2e5, 2e5, 1e5, 0, 0], [0, 2e5, 2e5, 0, 0, 0]]
WHEN = np.array([0.0, 0.6, 1.0])


def seen(input):
    return ca.Recording("run", input, WHEN, [ca.TipPosition(2, np.tile([0.0, 0.0, 0.3], (3, 1)))])


def test_steps_are_true_pressures_and_signals_of_a_recording_are_readings():
    np.testing.assert_array_equal(seen(STEPS).commands(GAUGED).pressures, TRUE)
    readings = np.array(TRUE) / [1, 1.25, 1.25, 1, 1, 1] + [0, -4e3, -4e3, 2e3, 0, 0]
    logged = seen(ca.PressureSignal(WHEN, readings))
    np.testing.assert_allclose(logged.commands(GAUGED).pressures, TRUE, atol=1e-9)
    np.testing.assert_allclose(seen(STEPS).readings(GAUGED).at(WHEN)[:, :6], readings)  # as gauges would have read
    np.testing.assert_array_equal(logged.readings(GAUGED).at(WHEN)[:, :6], readings)
    by_steps = ca.simulate(GAUGED, STEPS, duration=1.0)
    free = ca.simulate(TOGETHER, STEPS, duration=1.0)
    np.testing.assert_array_equal(by_steps.q, free.q)  # simulate knows no gauges


def test_a_recording_with_steps_drives_the_arm_alike_when_it_is_read_again(tmp_path):
    ca.write_recording(seen(STEPS), GAUGED, tmp_path / "run.csv")
    again = ca.read_recording(tmp_path / "run.csv", GAUGED, linear=False)
    assert "-4," in (tmp_path / "run.csv").read_text()  # kPa: what the gauge of a vented line reads
    np.testing.assert_allclose(again.drive(GAUGED).at(WHEN)[:, :6], TRUE, atol=1e-4)  # ten digits are written
    ca.write_recording(seen(None), GAUGED, tmp_path / "still.csv")
    assert "kPa" not in (tmp_path / "still.csv").read_text()


def test_the_pressures_of_a_motion_are_true(tmp_path):
    motion = ca.simulate(GAUGED, STEPS, duration=1.0)
    ca.save_motion(motion, tmp_path / "run.nc")
    found = ca.validate(GAUGED, ca.read_recording(tmp_path / "run.nc", GAUGED, linear=False))
    # steps of the motion lie on its output times
    assert found["run"]["tip 2"].rms < 1e-6
