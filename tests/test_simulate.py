"""Laws of motion: solvers agree, energy balances, motions settle where forces do, nothing is lost on the way."""

import numpy as np
import pytest
from scipy.optimize import root

from arms import random_arm, random_lengths
from continuarm import Arm, Section, damping_forces, elastic_forces, gravity_forces, load_arm
from continuarm.inputs import ForceSignal, PressureSignal, PressureSteps, muscle_index
from continuarm.motion_file import load_motion, save_motion
from continuarm.simulate import simulate
from continuarm.solvers import BDF, Adaptive

EXPERIMENT_1 = PressureSteps({"l33": [(0.0, 600.0)], "l22": [(3.2, 500.0)], "l11": [(7.55, 500.0)]})


@pytest.fixture(scope="module")
def prototype():
    return load_arm("prototype")


@pytest.fixture(scope="module")
def reference(prototype):
    return simulate(prototype, EXPERIMENT_1, duration=10.5, solver=BDF(rtol=1e-10, atol=1e-13))


def test_the_compiled_solver_stays_within_a_micrometre_of_cvode(prototype, reference):
    motion = simulate(prototype, EXPERIMENT_1, duration=10.5)
    assert motion.stopped == ""
    assert len(motion.t) == 2101
    assert np.abs(motion.tips - reference.tips).max() < 1e-6


def test_experiment_1_moves_in_one_plane(reference):
    assert np.abs(reference.tips[..., 1]).max() < 1e-12
    assert np.abs(reference.tips[..., 0]).max() > 0.1


@pytest.mark.parametrize("solver", [Adaptive, BDF])
def test_a_tighter_tolerance_is_a_smaller_error(prototype, reference, solver):
    errors = []
    for rtol in (1e-3, 1e-5, 1e-7):
        motion = simulate(prototype, EXPERIMENT_1, duration=10.5, solver=solver(rtol=rtol, atol=rtol * 1e-4))
        errors.append(np.abs(motion.tips - reference.tips).max())
    # a hundredth of the tolerance gives about a hundredth of the error
    assert errors[1] < errors[0] / 10
    assert errors[2] < errors[1] / 10


def test_power_in_is_energy_stored_and_dissipated(prototype):
    motion = simulate(prototype, EXPERIMENT_1, duration=3.0, rate=20_000, solver=Adaptive(rtol=1e-9, atol=1e-13))
    stored = sum(motion.energies.values())
    supplied = (motion.tau * motion.qd).sum(axis=1)
    lost = (motion.qd * damping_forces(prototype, motion.qd)).sum(axis=1)
    power = supplied - lost
    # the trapezoidal rule at 20 kHz: the step response decays at up to 4e4 1/s, the first few rows are the coarsest
    work = np.concatenate([[0.0], np.cumsum((power[1:] + power[:-1]) / 2 * np.diff(motion.t))])
    late = motion.t > 0.01
    change = (stored - stored[late][0])[late] - (work - work[late][0])[late]
    assert np.abs(change).max() < 1e-5 * np.ptp(stored)


def test_an_undamped_arm_keeps_its_energy():
    section = Section(length=0.15, radius=0.0125, mass=0.1, stiffness=60, twist=np.pi / 3)
    arm = Arm(sections=[section] * 2)
    start = [0.02, 0.0, 0.005, 0.0, 0.012, 0.0]
    motion = simulate(arm, duration=2.0, q0=start, solver=Adaptive(rtol=1e-11, atol=1e-14))
    total = sum(motion.energies.values())
    assert motion.energies["kinetic"].max() > 0.01
    assert np.abs(total - total[0]).max() < 1e-6 * motion.energies["kinetic"].max()


def test_motions_settle_where_all_forces_balance(prototype):
    motion = simulate(prototype, EXPERIMENT_1, duration=30.0, rate=10)
    tau = motion.tau[-1]

    def imbalance(q):
        return gravity_forces(prototype, q) + elastic_forces(prototype, q) - tau

    found = root(imbalance, motion.q[-1], tol=1e-13)
    assert np.abs(motion.q[-1] - found.x).max() < 1e-8


@pytest.mark.parametrize("solver", [Adaptive(), BDF()])
def test_a_steady_line_of_pressure_is_followed(prototype, solver):
    """A slow ramp written as two knots or as many is the same input."""
    times = np.linspace(0, 2, 41)
    pressures = np.zeros((41, 9))
    pressures[:, muscle_index(prototype, "l23")] = 200e3 * times
    many = simulate(prototype, PressureSignal(times, pressures), duration=2.0, solver=solver)
    few = simulate(prototype, PressureSignal(times[[0, -1]], pressures[[0, -1]]), duration=2.0, solver=solver)
    assert np.abs(many.tips - few.tips).max() < 2e-6


def test_steps_are_hit_exactly(prototype):
    """Nothing moves before the step, however long the solver's steps have become; one row later it does."""
    quiet = prototype.replace(gravity=(0.0, 0.0, 0.0))
    motion = simulate(quiet, PressureSteps({"l11": [(5.003, 300.0)]}), duration=6.0, rate=1000)
    moved = np.abs(motion.q).max(axis=1)
    assert (moved[motion.t <= 5.003] == 0).all()
    assert moved[motion.t > 5.0035][0] > 1e-6


def test_an_arm_driven_beyond_its_range_keeps_what_it_had(prototype):
    motion = simulate(prototype, PressureSteps({"l11": [(0.1, 6000.0)]}), duration=2.0)
    assert motion.stopped.endswith(f"at t = {motion.stopped.rsplit(' ', 2)[1]} s")
    assert 0.1 < motion.t[-1] < 2.0
    assert np.isfinite(motion.q).all()


@pytest.mark.parametrize(
    "change", [{"damping": 0.0}, {"damping": 1000.0}, {"stiffness": 1e5}], ids=["undamped", "viscous", "stiff"]
)
def test_stiff_corners_agree_with_cvode(prototype, change):
    arm = prototype.replace(sections=[section.replace(**change) for section in prototype.sections])
    push = PressureSteps({"l33": [(0.0, 250.0)], "l12": [(0.4, 200.0)]})
    found = simulate(arm, push, duration=0.8, solver=Adaptive(rtol=1e-8, atol=1e-12))
    wanted = simulate(arm, push, duration=0.8, solver=BDF(rtol=1e-9, atol=1e-12))
    assert np.abs(found.tips - wanted.tips).max() < 2e-6


def test_thirty_sections_and_chattering_pressure():
    section = load_arm("single-section").sections[0]
    arm = Arm(sections=[section] * 30, gravity=(0, 0, 0.5))
    times = np.arange(0, 0.2, 1e-3)
    forces = np.zeros((len(times), 90))
    forces[::2, 4] = 5.0
    motion = simulate(arm, ForceSignal(times, forces), duration=0.2)
    assert motion.stopped == ""
    assert np.abs(motion.q).max() > 1e-5


def test_random_arms_agree_with_cvode():
    rng = np.random.default_rng(0)
    for n in (1, 2, 4):
        arm = random_arm(rng, n)
        arm = arm.replace(sections=[each.replace(damping=60.0) for each in arm.sections])
        start = random_lengths(rng, arm, bend=0.5)
        found = simulate(arm, duration=0.5, q0=start, solver=Adaptive(rtol=1e-8, atol=1e-12))
        wanted = simulate(arm, duration=0.5, q0=start, solver=BDF(rtol=1e-10, atol=1e-13))
        assert np.abs(found.q - wanted.q).max() < 1e-6


def test_progress_goes_from_nothing_to_all(prototype):
    shares = []
    simulate(prototype, EXPERIMENT_1, duration=10.5, rate=1000, progress=shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"duration": 0}, "duration = 0: must be above 0 s"),
        ({"duration": np.nan}, "duration = nan: must be above 0 s"),
        ({"duration": 1, "rate": -5}, "rate = -5: must be above 0 Hz"),
        ({"duration": 1, "rate": 1e9}, "duration · rate = 1e+09 output states: must be at most 1e+07"),
        ({"duration": 1, "q0": np.zeros((2, 9))}, "q0 has shape (2, 9): must be (9,), one state"),
        ({"duration": 1, "solver": Adaptive(rtol=0)}, "rtol = 0: must be between 1e-13 and 1"),
        (
            {"duration": 1, "input": PressureSteps({"l44": [(0, 1)]})},
            "muscle 'l44': must be one of l11 to l33 of 'prototype'",
        ),
        ({"duration": 1, "input": PressureSteps({"l11": [(-1, 1)]})}, "l11: time -1 s must be 0 or later"),
        ({"duration": 1, "input": PressureSteps({"l11": [(0, -5)]})}, "l11: pressure -5 kPa must be 0 or more"),
        (
            {"duration": 1, "input": ForceSignal([0, 1], np.zeros((2, 8)))},
            "forces has shape (2, 8): must be (2, 9), one row for each time",
        ),
        ({"duration": 1, "input": ForceSignal([1, 1], np.zeros((2, 9)))}, "times must ascend; they do not after 1 s"),
    ],
)
def test_bad_arguments_are_refused_in_one_sentence(prototype, arguments, message):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the whole message is compared
        simulate(prototype, **arguments)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"arm": "prototype"}, "arm is str: must be an Arm (see load_arm)"),
        ({"input": "l33=600@0"}, "input is str: must be PressureSteps, PressureSignal or ForceSignal"),
        ({"solver": "bdf"}, "solver is str: must be Adaptive(...) or BDF(...)"),
    ],
)
def test_things_of_the_wrong_kind_are_named(prototype, arguments, message):
    with pytest.raises(TypeError) as caught:
        simulate(**{"arm": prototype, "duration": 1.0} | arguments)
    assert str(caught.value) == message


def test_pressures_need_muscles(prototype):
    bare = prototype.replace(sections=[each.replace(muscle_area=None) for each in prototype.sections])
    with pytest.raises(ValueError, match=r"^sections\[0\].muscle_area is missing: pressures need it to become forces$"):
        simulate(bare, EXPERIMENT_1, duration=1)


def test_steps_as_text(prototype):
    assert PressureSteps.parse("l33=600@0, l22=500@3.2,l11=500@7.55") == EXPERIMENT_1
    with pytest.raises(
        ValueError, match=r"^pressures: 'l33=6' must be of the form muscle=kPa@seconds, such as l33=600@0$"
    ):
        PressureSteps.parse("l33=6")


def test_a_signal_file_names_its_units(prototype, tmp_path):
    path = tmp_path / "run.csv"
    path.write_text("t [s], l11 [kPa], l33 [bar]\n0, 0, 0\n1, 300, 2\n")
    signal = PressureSignal.read(path, prototype)
    assert np.asarray(signal.pressures)[1].tolist() == [300e3, 0, 0, 0, 0, 0, 0, 0, 200e3]
    drive = signal.drive(prototype)
    area, dead_zone = prototype.sections[0].muscle_area, prototype.sections[0].dead_zone
    # knots where each line leaves the dead zone: 90 kPa at 0.3 s and at 0.45 s
    np.testing.assert_allclose(drive.times, [0, 0.3, 0.45, 1], rtol=1e-12)
    np.testing.assert_allclose(drive.at(1.0)[0], area * (300e3 - dead_zone), rtol=1e-12)
    path.write_text("t,l11\n0,0\n")
    with pytest.raises(ValueError, match="the header must name units"):
        PressureSignal.read(path, prototype)


def test_a_saved_motion_is_the_same_motion_and_opens_elsewhere(prototype, tmp_path):
    xarray = pytest.importorskip("xarray", reason="xarray is not installed")
    motion = simulate(prototype, EXPERIMENT_1, duration=1.0)
    path = tmp_path / "run.nc"
    save_motion(motion, path)
    again = load_motion(path)
    assert again.arm == motion.arm
    assert again.record == motion.record
    for name in ("t", "q", "qd", "tau", "tips"):
        np.testing.assert_array_equal(getattr(again, name), getattr(motion, name))
    with xarray.open_dataset(path, engine="h5netcdf") as data:
        assert data["tips"].dims == ("time", "section", "axis")
        assert data["q"].attrs["units"] == "m"
        np.testing.assert_array_equal(data["q"].sel(time=0.5, method="nearest"), motion.q[100])


def test_an_interrupted_save_leaves_the_old_file(prototype, tmp_path, monkeypatch):
    motion = simulate(prototype, duration=0.1)
    path = tmp_path / "run.nc"
    save_motion(motion, path)
    before = path.read_bytes()

    def fail(*_):
        raise OSError("interrupted")

    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(OSError, match="interrupted"):
        save_motion(motion, path)
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["run.nc"]


def test_what_is_no_motion_is_refused_in_one_sentence(tmp_path):
    path = tmp_path / "run.nc"
    with pytest.raises(ValueError, match=r"run\.nc: there is no such file$"):
        load_motion(path)
    path.write_bytes(b"not a motion")
    with pytest.raises(ValueError, match=r"run\.nc: is not a motion: "):
        load_motion(path)
