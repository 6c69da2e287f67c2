"""Laws of gauges: what they read of known pressures gives these back."""

import numpy as np

import continuarm as ca
from continuarm.identification.line_gauges import line_pressures

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
    own = ca.simulate(arm, ca.PressureSteps({"l12": [(0.0, 2e5)], "l13": [(0.0, 1e5)]}), duration=0.2)
    np.testing.assert_array_equal(own.pressures[-1, :3], [0, 2e5, 1e5])
