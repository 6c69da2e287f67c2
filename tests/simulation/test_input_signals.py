"""Commands over time: steps, lines and jumps, together and in pieces, mean what they say."""

import numpy as np
import pytest

from continuarm import (
    Controller,
    ForceSignal,
    Muscles,
    PressureSignal,
    PressureSteps,
    PressureWarning,
    WrenchSignal,
    equilibrium,
    forward_dynamics,
    load_arm,
    simulate,
)
from continuarm.common.limits import LARGEST
from continuarm.simulation.commands_over_time import CommandsOverTime, command_rows, split_commands
from continuarm.simulation.pressure_commands import UNITS, muscle_index
from refusals import refused, refuses


def test_a_step_holds_from_its_time_on(prototype):
    drive = PressureSteps({"l33": [(0.5, 600e3), (2.0, 100e3)], "l12": [(1.0, 50e3)]}).drive(prototype)
    pressures = split_commands(prototype, drive.at([0.0, 0.5, 1.0, 3.0])).pressures
    assert pressures[:, muscle_index(prototype, "l33")].tolist() == [0, 600e3, 600e3, 100e3]
    assert pressures[:, muscle_index(prototype, "l12")].tolist() == [0, 0, 50e3, 50e3]
    assert split_commands(prototype, drive.before([0.5]))[0][0, 8] == 0


def test_many_steps_in_any_order_are_those_of_every_muscle_alone(prototype):
    rng = np.random.default_rng(0)
    steps = {
        name: [(float(time), float(rng.uniform(0, 5e5))) for time in rng.permutation(20_000)[:10_000]]
        for name in ("l11", "l23", "l33")
    }
    steps["l11"][0] = list(steps["l11"][0])
    drive = PressureSteps(steps).drive(prototype)
    assert len(drive.times) > 15_000
    times = np.arange(0.0, 20_100.0, 0.5)
    pressures = split_commands(prototype, drive.at(times)).pressures
    for name, pairs in steps.items():
        when, what = np.array(sorted(map(tuple, pairs))).T
        number = np.searchsorted(when, times, side="right")
        assert (pressures[:, muscle_index(prototype, name)] == np.append(0.0, what)[number]).all()


def test_ramps_between_the_largest_forces_have_no_nan(prototype):
    forces = LARGEST * np.ones((2, 9)) * [[-1], [1]]
    drive = ForceSignal([0.0, 1.0], forces).drive(prototype)
    np.testing.assert_allclose(split_commands(prototype, drive.at([0.25])).forces, -0.5 * LARGEST)
    for signal, named in (
        (ForceSignal([0.0, 1.0], 1.7e308 * np.sign(forces)), "forces[0, 0] = -1.7e+308: … 1e+12 N"),
        (WrenchSignal([0.0], [[0, 0, 0, 0, 2e12, 0]]), "wrenches[0, 4] = 2e+12: … 1e+12"),
    ):
        with pytest.raises(ValueError) as caught:  # noqa: PT011 - the message is looked at below
            signal.drive(prototype)
        assert refuses(str(caught.value), named)


@pytest.mark.parametrize(("signal", "part"), [(PressureSignal, 0), (ForceSignal, 1), (WrenchSignal, 2)])
def test_signals_of_every_kind_are_straight_between_their_times_or_held(prototype, signal, part):
    rows = np.arange(18.0).reshape(2, 9)[:, : 6 if signal is WrenchSignal else 9]
    times = [0.5, 1.0, 2.0, 3.0, 9.0]
    for options, middle in (({}, rows.mean(axis=0)), ({"linear": False}, rows[0])):
        found = split_commands(prototype, signal([1.0, 3.0], rows, **options).drive(prototype).at(times))[part]
        np.testing.assert_allclose(found, [0 * rows[0], rows[0], middle, rows[1], rows[1]], rtol=1e-14)


def test_two_drives_together_are_their_sum_at_any_time(prototype):
    steps = PressureSteps({"l11": [(0.3, 100e3), (0.9, 200e3)]}).drive(prototype)
    wrench = WrenchSignal([0.0, 0.5, 2.0], np.arange(18.0).reshape(3, 6)).drive(prototype)
    both = steps.plus(wrench)
    times = np.concatenate([np.linspace(0, 3, 61), both.times])
    # sums of the same few numbers: rounding only
    np.testing.assert_allclose(both.at(times), steps.at(times) + wrench.at(times), rtol=1e-13)
    np.testing.assert_allclose(both.before(times[1:]), steps.before(times[1:]) + wrench.before(times[1:]), rtol=1e-13)


def test_knots_that_nearly_coincide_are_one(prototype):
    """Jumps a rounding apart: both have happened after the one knot, and neither before it."""
    one = PressureSteps({"l11": [(0.3, 100e3)]}).drive(prototype)
    other = PressureSteps({"l12": [(0.1 + 0.2, 200e3)]}).drive(prototype)
    both = one.plus(other)
    assert len(both.times) == 2
    assert split_commands(prototype, both.at([both.times[1]])).pressures[0, :2].tolist() == [100e3, 200e3]
    assert (both.before([both.times[1]]) == 0).all()


def test_muscles_that_leave_their_dead_zones_together_leave_no_splinter(prototype):
    """Cosines in turn cross the edge in pairs, a rounding apart."""
    t = np.linspace(0, 4, 161)[:, None]
    angles = np.arange(9) * 2 * np.pi / 3 + np.repeat([0, np.pi / 3, 2 * np.pi / 3], 3)
    signal = PressureSignal(t[:, 0], 2e5 * (1 + np.cos(angles - 2 * np.pi * t / 4)))
    assert np.diff(signal.drive(prototype).times).min() > 1e-9
    assert simulate(prototype, signal, duration=4.0).stopped == ""


def test_a_piece_is_the_same_drive_between_two_times(prototype):
    whole = PressureSteps({"l11": [(0.3, 100e3), (0.9, 200e3)]}).drive(prototype)
    whole = whole.plus(WrenchSignal([0.0, 0.5, 2.0], np.arange(18.0).reshape(3, 6)).drive(prototype))
    piece = whole.piece(0.3, 0.95)
    times = np.linspace(0.3, 0.949, 40)
    np.testing.assert_allclose(piece.at(times), whole.at(times), rtol=1e-13)
    assert piece.times.tolist() == [0.3, 0.5, 0.9, 0.95]
    row = command_rows(prototype, forces=np.arange(9.0))[0]
    np.testing.assert_array_equal(piece.plus_held(row).at(times), piece.at(times) + row)


def test_a_drive_of_one_knot_has_pieces_too(prototype):
    drive = CommandsOverTime.held([0.0], command_rows(prototype, pressures=np.arange(9.0)))
    piece = drive.piece(0.2, 0.4)
    np.testing.assert_array_equal(piece.at([0.2, 0.3, 0.4]), drive.at([0.2, 0.3, 0.4]))
    assert piece.times.tolist() == [0.2, 0.4]


def test_steps_as_text():
    wanted = PressureSteps({"l33": [(0.0, 600e3)], "l22": [(3.2, 500e3)], "l11": [(7.55, 500e3)]})
    assert PressureSteps.parse("l33=600@0, l22=500@3.2,l11=500@7.55") == wanted
    assert PressureSteps.parse("l33=600kPa@0, l22 = 5bar @ 3.2, l11=0.5 MPa@7.55") == wanted
    for wrong in ("l33=6", "l33=kPa@0", "l33=nan@0", "l33=600@soon"):
        with pytest.raises(ValueError, match=rf"'{wrong}'.*muscle=pressure@seconds"):
            PressureSteps.parse(wrong)
    with pytest.raises(ValueError, match=r"'torr'.*Pa, kPa, bar, mbar, MPa, psi"):
        PressureSteps.parse("l33=600torr@0")


@pytest.mark.parametrize(("written", "meant"), [("KPA", "kPa"), ("Bar", "bar"), ("mpa", "MPa"), ("kpa", "kPa")])
def test_a_unit_in_other_capitals_is_not_taken_and_the_right_one_is_named(prototype, tmp_path, written, meant):
    path = tmp_path / "run.csv"
    path.write_text(f"t [s], l11 [{written}]\n0, 0\n")
    with refused(repr(written), f"did you mean {meant!r}?"):
        PressureSteps.parse(f"l33=6{written}@0")
    with refused(repr(written), "l11", f"did you mean {meant!r}?"):
        PressureSignal.read(path, prototype)


def test_forces_of_muscles_where_those_over_q_are_meant_are_told_what_to_do(prototype):
    layout = Muscles(angles=[0.0, 1.5, 3.0, 4.5], radii=[0.0125] * 4)
    arm, twelve = prototype.replace({"sections[*].muscles": layout}), np.ones(12)
    for call in (
        lambda: equilibrium(arm, twelve),
        lambda: forward_dynamics(arm, np.zeros(9), np.zeros(9), twelve),
        lambda: simulate(arm, ForceSignal([0.0], twelve[None]), duration=0.1),
        lambda: simulate(arm, Controller(lambda t, q, qd: twelve, 100.0, gives="forces"), duration=0.1),
    ):
        with refused("12", "9", "arm.muscle_forces"):
            call()
    with pytest.raises(ValueError, match=r"tau has shape \(11,\)") as caught:
        equilibrium(arm, np.ones(11))
    assert "muscle_forces" not in str(caught.value)
    with pytest.raises(ValueError, match=r"tau has shape \(12,\)") as caught:  # three muscles each: nothing to convert
        equilibrium(prototype, twelve)
    assert "muscle_forces" not in str(caught.value)


@pytest.mark.parametrize(("unit", "pascals"), [("Pa", 1), ("kPa", 1e3), ("bar", 1e5), ("mbar", 1e2), ("MPa", 1e6)])
def test_units_are_what_they_are_called(unit, pascals):
    assert PressureSteps.parse(f"l11=3{unit}@0").steps == {"l11": [(0.0, 3 * pascals)]}


def test_a_pound_force_on_a_square_inch_is_a_psi():
    assert UNITS["psi"] == pytest.approx(0.45359237 * 9.80665 / 0.0254**2, rel=1e-15)


def test_muscles_are_named_as_they_are_found():
    arm = load_arm("ten-sections")
    names = arm.muscle_names
    assert [muscle_index(arm, name) for name in names] == list(range(30))
    assert (names[0], names[8], names[29]) == ("l11", "l33", "l10-3")


def test_a_signal_file_names_its_units(prototype, tmp_path):
    path = tmp_path / "run.csv"
    path.write_text("t [s], l11 [kPa], l33 [bar]\n0, 0, 0\n1, 300, 2\n")
    signal = PressureSignal.read(path, prototype)
    assert np.asarray(signal.pressures)[1].tolist() == [300e3, 0, 0, 0, 0, 0, 0, 0, 200e3]
    # knots where each line leaves the dead zone: 90 kPa at 0.3 s and at 0.45 s
    np.testing.assert_allclose(signal.drive(prototype).times, [0, 0.3, 0.45, 1], rtol=1e-12)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("t,l11\n0,0\n", "… header … units … ['t', 'l11']"),
        ("t [s], l11 [torr]\n0,0\n", "unit 'torr' of l11: … Pa, kPa, bar, mbar, MPa, psi"),
        ("t [s], l11 [kPa]\n", "… header … one row"),
        ("t [s], l11 [kPa]\n0,1,2\n", "line 2 has 3 cells: … 2"),
        ("t [s], l11 [kPa]\n0,zero\n", "line 2 is ['0', 'zero']: … 2 numbers"),
        ("t [s], l11 [kPa], l11 [kPa]\n0,1,2\n", "… header … l11 … once"),
        ("t [s], l11 [kPa]\n0,1\n1,1e308\n", "line 3: l11 = inf kPa: … finite … 0"),
        ("t [s], l11 [kPa], l11\x1b [kPa]\n0,1,1\n", r"muscle 'l11\x1b': … l11 to l33"),
        ("t [s], l11 [kPa]\n0,1\n1,nan\n", "line 3: l11 = nan kPa: … finite … 0"),
        ("t [s], l11 [kPa]\n0,1\n\n1,-5\n", "line 4: l11 = -5 kPa: … finite … 0"),
    ],
)
def test_a_bad_signal_file_is_refused_in_one_sentence(prototype, tmp_path, text, message):
    path = tmp_path / "run.csv"
    path.write_text(text)
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the message is looked at below
        PressureSignal.read(path, prototype)
    assert refuses(str(caught.value), f"{path}: {message}")


@pytest.mark.parametrize(
    "text",
    [
        "# from the lab\r\nt [s];l11[kPa]\r\n0;0\r\n1;300\r\n",
        "time [ms]\tl11 [bar]\n0\t0\n1000\t3\n",
        "t [s], l11 [kPa],\n0, 0,\n1, 300,\n",
    ],
    ids=["semicolons and a comment", "tabs and milliseconds", "commas at the end"],
)
def test_tables_as_laboratories_write_them(prototype, tmp_path, text):
    path = tmp_path / "run.csv"
    path.write_text(text, newline="")
    signal = PressureSignal.read(path, prototype)
    assert np.asarray(signal.times).tolist() == [0, 1]
    np.testing.assert_allclose(np.asarray(signal.pressures)[:, 0], [0, 3e5], rtol=1e-15)


def test_no_signal_file_and_no_text(prototype, tmp_path):
    with pytest.raises(ValueError, match="no such file"):
        PressureSignal.read(tmp_path / "none.csv", prototype)
    with pytest.raises(ValueError, match="folder"):
        PressureSignal.read(tmp_path, prototype)
    path = tmp_path / "run.csv"
    path.write_bytes(b"t [s]\xff\xfe\n0\n")
    with pytest.raises(ValueError, match="is not a table of comma-separated values"):
        PressureSignal.read(path, prototype)


@pytest.mark.parametrize(
    ("input", "message"),
    [
        (PressureSteps({"l44": [(0, 1e3)]}), "muscle 'l44': … l11 … l33"),
        (PressureSteps({"l11": [(-1, 1e3)]}), "l11: time -1 s … 0"),
        (PressureSteps({"l11": [(0, -5e3)]}), "l11: pressure -5000.0 Pa … 0 … 1e+09"),
        (PressureSteps({"l11": [(0, np.nan)]}), "l11: pressure nan Pa … 0 … 1e+09"),
        (
            PressureSteps({"l11": 600}),
            "steps of 'l11' = 600: … pairs (seconds, Pa)",
        ),
        (
            PressureSteps({"l11": [(0, 600, 1)]}),
            "steps of 'l11' = [[0, 600, 1]]: … pairs (seconds, Pa)",
        ),
        (PressureSteps(None), "steps = None: … s and Pa"),
        (PressureSteps({"l11": [(1, 1e3), (1, 2e3)]}), "l11: two steps … 1 s"),
        (
            ForceSignal([0, 1], np.zeros((2, 8))),
            "forces has shape (2, 8): … (2, 9)",
        ),
        (ForceSignal([1, 1], np.zeros((2, 9))), "times … ascend … 1 s"),
        (ForceSignal([-1, 1], np.zeros((2, 9))), "times … -1 s: … 0"),
        (ForceSignal([0, np.inf], np.zeros((2, 9))), "times[1] = inf: … finite"),
        (ForceSignal([], np.zeros((0, 9))), "times has shape (0,): … one time"),
        (ForceSignal(["a"], np.zeros((1, 9))), "times = ['a']: … seconds"),
        (
            PressureSignal([0.0], [[0, 0, 0, 0, -2.0, 0, 0, 0, 0]]),
            "pressures: l22 = -2 Pa … 0 … 1e+09",
        ),
        (
            Controller(lambda t, q, qd: q, 0.0),
            "rate of the controller = 0.0: … hertz … 0 Hz … 1e+06 Hz",
        ),
        (Controller(lambda t, q, qd: q, 10.0, "volts"), "gives = 'volts': … 'pressures' … 'forces'"),
    ],
)
def test_bad_inputs_are_refused_in_one_sentence(prototype, input, message):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the message is looked at below
        input.drive(prototype)
    assert refuses(str(caught.value), message)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (np.zeros(4), "pressures of the controller at t = 0.5 s have shape (4,): … (9,)"),
        (np.full(9, np.nan), "pressures of the controller at t = 0.5 s: … finite … 0"),
        (-np.ones(9), "pressures of the controller at t = 0.5 s: l11 = -1 Pa … 0 … 1e+09"),
        (None, "pressures of the controller at t = 0.5 s = None: … 9 numbers"),
    ],
)
def test_what_a_controller_answers_is_checked(prototype, answer, message):
    control = Controller(lambda t, q, qd: answer, 10.0).drive(prototype).control
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the message is looked at below
        control.commands(0.5, np.zeros(9), np.zeros(9))
    assert refuses(str(caught.value), message)


def test_pressures_need_muscles(prototype):
    bare = prototype.replace(sections=[each.replace(muscle_area=None) for each in prototype.sections])
    with pytest.raises(ValueError, match=r"^section 1: muscle_area is missing"):
        PressureSteps({"l11": [(0, 1e3)]}).drive(bare)


def controlled(pressure):
    return Controller(lambda t, q, qd: np.full(9, pressure), 50.0)


@pytest.mark.parametrize(
    "weak",
    [
        PressureSteps({"l33": [(0.0, 600.0)]}),  # meant as kPa
        PressureSignal([0.0, 1.0], np.outer([0.0, 1.0], np.full(9, 600.0))),
        PressureSignal([0.0, 1.0], np.outer([0.0, 1.0], np.full(9, 600.0)), linear=False),
        controlled(600.0),
    ],
    ids=["steps", "lines", "held", "controller"],
)
def test_pressures_below_every_dead_zone_are_warned_of(prototype, weak):
    with pytest.warns(PressureWarning, match=r"600 Pa.* 90000 Pa") as told:
        motion = simulate(prototype, weak, duration=1.0, rate=20)
    assert [each.filename for each in told] == [__file__]
    at_rest = simulate(prototype, duration=1.0, rate=20)
    np.testing.assert_array_equal(motion.tau, at_rest.tau)


def test_pressures_that_would_lengthen_a_section_to_a_multiple_are_warned_of(prototype):
    with pytest.warns(PressureWarning, match=r"section 3 .* 6e\+08 Pa, .* times its length") as told:
        simulate(prototype, PressureSteps({"l33": [(0.0, 600e6)]}), duration=1.0, rate=20)
    assert [each.filename for each in told] == [__file__]


def test_pressures_that_push_some_muscle_are_not_warned_of(prototype):
    base, *others = prototype.sections
    uneven = prototype.replace(sections=[base.replace(dead_zone=500.0), *others])
    for arm, input in (
        (prototype, None),
        (prototype, PressureSteps({"l33": [(0.0, 0.0)]})),
        (prototype, PressureSteps({"l33": [(0.0, 600.0)], "l11": [(0.9, 91e3)]})),
        (prototype, controlled(91e3)),
        (prototype, ForceSignal([0.0], np.ones((1, 9)))),
        (uneven, PressureSteps({"l11": [(0.0, 600.0)]})),
    ):
        simulate(arm, input, duration=0.1, rate=20)  # a warning would be an error here
