"""Laws of motion: energy balances, motions settle where forces do, nothing is lost on the way, bad input is named."""

import numpy as np
import pytest
from scipy.interpolate import CubicHermiteSpline
from scipy.optimize import root

from continuarm import (
    CVODE,
    Adaptive,
    Arm,
    Controller,
    FixedStep,
    ForceSignal,
    Payload,
    PressureSignal,
    PressureSteps,
    Section,
    WrenchSignal,
    elastic_forces,
    forward_dynamics,
    gravity_forces,
    load_motion,
    simulate,
    tip_jacobian,
)
from continuarm.common.limits import LARGEST
from continuarm.simulation.commands_over_time import muscle_count
from continuarm.simulation.pressure_commands import muscle_index
from refusals import refuses

EXPERIMENT_1 = PressureSteps({"l33": [(0.0, 600e3)], "l22": [(3.2, 500e3)], "l11": [(7.55, 500e3)]})
SOLVERS = [Adaptive(), FixedStep(), CVODE()]


def named(solver):
    return type(solver).__name__


def imbalance_of_energy(motion):
    """How far the stored energy is from what was supplied and not dissipated, over all energy that was supplied."""
    energies = motion.energies
    stored = energies["kinetic"] + energies["gravitational"] + energies["elastic"]
    return np.abs(stored - stored[0] - (energies["supplied"] - energies["dissipated"])).max()


@pytest.mark.parametrize(
    ("solver", "tolerance"),
    [
        (Adaptive(rtol=1e-9, atol=1e-13), 1e-8),
        (CVODE(rtol=1e-9, atol=1e-13), 1e-8),
        (Adaptive(), 1e-5),
        (CVODE(), 1e-5),
    ],
    ids=["adaptive", "cvode", "adaptive default", "cvode default"],
)
def test_supplied_energy_is_stored_or_dissipated(prototype, solver, tolerance):
    """To the tolerance: the energies are summed along with the motion, by the same formula."""
    motion = simulate(prototype, EXPERIMENT_1, duration=4.0, wrench=[0, 0.02, 0, 0.4, 0.2, 0], solver=solver)
    assert motion.supplied[-1] > 1.0
    assert (np.diff(motion.dissipated) >= 0).all()
    assert imbalance_of_energy(motion) < tolerance * motion.supplied[-1]


def test_the_energy_balance_of_fixed_steps_is_of_second_order(prototype):
    """Pressures rise smoothly: where they jump, a step sees the kick of a stiff damper only roughly."""
    times = np.linspace(0, 1, 11)
    pressures = np.outer(3e5 * times**2 * (3 - 2 * times), np.arange(9) / 9)
    errors = [
        imbalance_of_energy(simulate(prototype, PressureSignal(times, pressures), duration=1.0, solver=FixedStep(rate)))
        for rate in (500.0, 1000.0, 2000.0)
    ]
    assert errors[0] / errors[1] > 3
    assert errors[1] / errors[2] > 3


def test_an_undamped_arm_keeps_its_energy():
    section = Section(length=0.15, radius=0.0125, mass=0.1, stiffness=60, twist=np.pi / 3)
    arm = Arm(sections=[section] * 2)
    start = [0.02, 0.0, 0.005, 0.0, 0.012, 0.0]
    motion = simulate(arm, duration=2.0, q0=start, solver=Adaptive(rtol=1e-11, atol=1e-14))
    assert (motion.supplied == 0).all()
    assert (motion.dissipated == 0).all()
    assert motion.energies["kinetic"].max() > 0.01
    assert imbalance_of_energy(motion) < 1e-6 * motion.energies["kinetic"].max()


@pytest.mark.parametrize("solver", SOLVERS, ids=named)
def test_motions_settle_where_all_forces_balance(prototype, solver):
    """Against a root found by somebody else's method, with a wrench at the tip and a payload."""
    arm = prototype.replace(payload=Payload(mass=0.05, offset=(0.01, 0, 0.02)))
    wrench = np.array([0.005, 0.01, 0, 0.2, -0.1, 0.3])
    motion = simulate(arm, EXPERIMENT_1, duration=100.0, rate=1, wrench=wrench, solver=solver)
    tau = motion.tau[-1]

    def imbalance(q):
        return gravity_forces(arm, q) + elastic_forces(arm, q) - tau - tip_jacobian(arm, q)[-1].T @ wrench

    found = root(imbalance, motion.q[-1], tol=1e-13)
    assert np.abs(motion.q[-1] - found.x).max() < 1e-8


def test_a_motion_from_equilibrium_stays_there(prototype):
    arm = prototype.replace(
        sections=[s.replace(pressure_stiffness=0.01, valve_lag=0.1, twist=1.0) for s in prototype.sections]
    )
    steps = PressureSteps({"l33": [(0.0, 400e3)], "l12": [(0.0, 200e3)]})
    motion = simulate(arm, steps, duration=2.0, start="equilibrium", wrench=[0, 0, 0, 0.5, 0, 0])
    assert np.abs(motion.q[0]).max() > 0.005
    # what is left of the forces is rounding, far below the solver's tolerance
    assert np.abs(motion.q - motion.q[0]).max() < 1e-9
    assert (motion.pressures == motion.pressures[0]).all()


@pytest.mark.parametrize("solver", SOLVERS, ids=named)
def test_a_steady_line_of_pressure_is_followed(prototype, solver):
    """A slow ramp written as two knots or as many is the same input."""
    times = np.linspace(0, 2, 41)
    pressures = np.zeros((41, 9))
    pressures[:, muscle_index(prototype, "l23")] = 200e3 * times
    many = simulate(prototype, PressureSignal(times, pressures), duration=2.0, solver=solver)
    few = simulate(prototype, PressureSignal(times[[0, -1]], pressures[[0, -1]]), duration=2.0, solver=solver)
    assert np.abs(many.tips - few.tips).max() < 2e-6


def test_the_knots_of_a_line_cost_little(prototype):
    """Forty knots on a straight line are met without starting anew at each: steps stay long."""
    times = np.linspace(0, 2, 41)
    pressures = np.outer(200e3 * times, np.ones(9))
    few, many = (
        simulate(prototype, PressureSignal(times[rows], pressures[rows]), duration=2.0).record["evaluations"]
        for rows in ([0, -1], slice(None))
    )
    # a fresh start at each knot costs ten times as much
    assert many < 4 * few


@pytest.mark.parametrize("solver", SOLVERS, ids=named)
def test_steps_are_hit_exactly(prototype, solver):
    """Nothing moves before the step, however long the solver's steps have become; one row later it does."""
    quiet = prototype.replace(gravity=(0.0, 0.0, 0.0))
    motion = simulate(quiet, PressureSteps({"l11": [(5.003, 300e3)]}), duration=6.0, rate=1000, solver=solver)
    moved = np.abs(motion.q).max(axis=1)
    assert (moved[motion.t <= 5.003] == 0).all()
    assert moved[motion.t > 5.0035][0] > 1e-6


@pytest.mark.parametrize("solver", SOLVERS, ids=named)
def test_a_short_pulse_between_long_steps_is_not_missed(prototype, solver):
    quiet = prototype.replace(gravity=(0.0, 0.0, 0.0))
    pulse = np.zeros((5, 9))
    pulse[2, 4] = 30.0
    motion = simulate(quiet, ForceSignal([0, 5, 5.004, 5.008, 9], pulse), duration=6.0, solver=solver)
    # 0.12 N s against dampers of 110 N s/m: about a millimetre
    assert 2e-4 < np.abs(motion.q[motion.t > 5.008][0]).max() < 2e-3


def test_one_controller_every_solver(prototype):
    """A position controller with pressures: the solvers agree, its commands are held, and asked in order."""

    asked = []

    def hold(t, q, qd):
        asked.append(t)
        return np.clip(2e5 + 1e7 * (0.02 - q) - 1e5 * qd, 0, 6e5)

    motions = [simulate(prototype, Controller(hold, 50.0), duration=1.0, solver=solver) for solver in SOLVERS]
    assert len(asked) == 3 * 51  # also at the last output time: the row has the command that holds there
    np.testing.assert_allclose(asked[:51], np.arange(51) / 50, rtol=1e-15)
    for motion in motions:
        # the pressure changes only every 20 ms: every fourth row
        changed = np.flatnonzero(np.abs(np.diff(motion.pressures, axis=0)).max(axis=1) > 0) + 1
        assert set(changed % 4) == {0}
    assert np.abs(motions[0].tips - motions[2].tips).max() < 2e-5
    assert np.abs(motions[0].tips - motions[1].tips).max() < 2e-4


@pytest.mark.parametrize("solver", SOLVERS, ids=named)
def test_a_controller_that_has_arrived_stays(prototype, solver):
    """Close to rest only rounding is left of every residual: no iteration may fail over it."""
    hold = Controller(lambda t, q, qd: np.clip(2e5 + 1e6 * (0.02 - q) - 1e4 * qd, 0, 6e5), 100.0)
    motion = simulate(prototype, hold, duration=4.0, solver=solver)
    assert motion.stopped == ""
    assert np.abs(motion.q[-1] - motion.q[-100]).max() < 1e-5


def test_a_controller_that_ignores_the_state_is_a_signal(prototype):
    forces = np.sin(np.arange(51)[:, None] * np.arange(1, 10) * 0.1) * 5
    controlled = simulate(
        prototype,
        Controller(lambda t, q, qd: forces[round(50 * t)], 50.0, "forces"),
        duration=1.0,
        wrench=WrenchSignal([0.0, 0.333], [[0] * 6, [0, 0, 0, 1, 0, 0]], linear=False),
    )
    signalled = simulate(
        prototype,
        ForceSignal(np.arange(51) / 50, forces, linear=False),
        duration=1.0,
        wrench=WrenchSignal([0.0, 0.333], [[0] * 6, [0, 0, 0, 1, 0, 0]], linear=False),
    )
    assert np.abs(controlled.tips - signalled.tips).max() < 1e-6
    np.testing.assert_array_equal(controlled.wrench, signalled.wrench)
    np.testing.assert_array_equal(controlled.tau, signalled.tau)


def test_a_force_on_the_tip_is_a_weight_without_mass(prototype):
    """At rest, which the loaded arm takes a minute to find, a payload and a force of its weight do the same."""
    loaded = prototype.replace(payload=Payload(mass=0.1))
    one = simulate(loaded, EXPERIMENT_1, duration=80.0, rate=1)
    other = simulate(prototype, EXPERIMENT_1, duration=80.0, rate=1, wrench=[0, 0, 0, 0, 0, 0.981])
    assert np.abs(one.tips[-1] - other.tips[-1]).max() < 1e-7


@pytest.mark.parametrize("rate", [500.0, 1000.0, 3000.0])
def test_pressure_that_chatters_over_the_dead_zone_pushes_as_often_as_it_is_above(prototype, rate):
    """0 and 180 kPa in turn, 0.5 ms each: the mean, 90 kPa, is the dead zone and would not push at all."""
    times = np.arange(0, 1, 0.0005)
    pressures = np.zeros((len(times), 9))
    pressures[1::2, 8] = 180e3
    signal = PressureSignal(times, pressures, linear=False)
    wanted = simulate(prototype, signal, duration=1.0).tips[-1, -1, 0]
    found = simulate(prototype, signal, duration=1.0, solver=FixedStep(rate)).tips[-1, -1, 0]
    assert wanted < -0.01
    assert abs(found - wanted) < 2e-4  # the last half period is seen whole or not at all


@pytest.mark.parametrize("solver", SOLVERS, ids=named)
def test_steps_a_rounding_apart_are_one(prototype, solver):
    steps = PressureSteps({"l33": [(0.1 + 0.2, 300e3)], "l22": [(0.3, 300e3)]})
    motion = simulate(prototype, steps, duration=0.5, solver=solver)
    assert motion.stopped == ""
    assert motion.record["evaluations"] < 5000


def test_a_short_gap_in_a_table_does_not_shorten_all_steps_of_cvode(prototype):
    times = np.array([0.0, 0.1, 0.2, 0.20001, 0.3, 0.4])
    signal = PressureSignal(times, np.outer(1e6 * times, np.ones(9)))
    assert simulate(prototype, signal, duration=0.4, solver=CVODE()).record["steps"] < 3000


def test_a_signal_that_begins_late_is_nothing_before(prototype):
    for signal in (
        PressureSignal([0.05, 0.06], np.full((2, 9), 2e5)),
        PressureSignal([0.05, 0.06], np.full((2, 9), 2e5), linear=False),
    ):
        motion = simulate(prototype.replace(gravity=(0, 0, 0)), signal, duration=0.1, rate=1000)
        assert (motion.pressures[motion.t < 0.05] == 0).all()
        assert (motion.pressures[motion.t >= 0.05] == 2e5).all()
        assert (motion.q[motion.t <= 0.05] == 0).all()


def test_a_long_computation_comes_back_to_be_seen(prototype, monkeypatch):
    """However few rows are asked for: progress is told as time goes, and a signal is answered between parts."""
    monkeypatch.setattr("continuarm.simulation.control_loop.PATIENCE", 0.0)
    shares = []
    simulate(prototype, EXPERIMENT_1, duration=10.5, progress=shares.append)
    assert len(shares) > 5
    assert shares[-1] == 1.0


@pytest.mark.parametrize("solver", SOLVERS, ids=named)
def test_an_arm_driven_beyond_its_range_keeps_what_it_had(prototype, solver, capfd):
    motion = simulate(prototype, PressureSteps({"l11": [(0.1, 6000e3)]}), duration=2.0, solver=solver)
    time, cause = motion.stopped.removeprefix("t = ").split(" s: ")
    assert motion.t[-1] <= float(time) <= motion.t[-1] + 1 / 200 + 1e-9
    assert cause.startswith("section 1 of 3 bent by 6.")
    assert "2π" in cause
    assert 0.1 < motion.t[-1] < 2.0
    assert np.isfinite(motion.tips).all()
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("solver", SOLVERS, ids=named)
def test_a_section_pulled_to_nothing_stops_and_is_named(prototype, solver):
    forces = np.zeros((2, 9))
    forces[1, 3:6] = -600.0
    motion = simulate(prototype, ForceSignal([0.0, 0.3], forces, linear=False), duration=2.0, solver=solver)
    assert " s: section 2 of 3 is " in motion.stopped
    assert motion.stopped.endswith(" 0 m")
    assert np.isfinite(motion.tips).all()


@pytest.mark.parametrize("solver", SOLVERS, ids=named)
def test_a_state_that_is_not_finite_stops_with_time_and_cause(prototype, solver):
    """The largest forces: no row of the motion has a NaN, and the reason is said."""
    forces = np.zeros((2, 9))
    forces[1, 3] = LARGEST
    motion = simulate(prototype, ForceSignal([0.0, 0.2], forces, linear=False), duration=0.5, solver=solver)
    assert motion.stopped.startswith("t = 0.2")
    assert len(motion.stopped.split(": ", 1)[1]) > 20
    for each in (motion.q, motion.qd, motion.tips, motion.supplied):
        assert np.isfinite(each).all()


def test_progress_goes_from_nothing_to_all(prototype):
    shares = []
    simulate(prototype, EXPERIMENT_1, duration=10.5, rate=1000, progress=shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_a_motion_is_streamed_to_its_file(prototype, tmp_path):
    path = tmp_path / "run.nc"
    seen = []

    def look(share):
        if share < 1:
            seen.append((path.exists(), len(load_motion(tmp_path / "run.partial.nc").t)))

    motion = simulate(prototype, EXPERIMENT_1, duration=10.5, rate=1000, output=path, progress=look)
    assert seen == [(False, 2000 * k) for k in range(1, 6)]
    again = load_motion(path)
    assert [each.name for each in tmp_path.iterdir()] == ["run.nc"]
    assert again.arm == motion.arm
    assert again.record == motion.record
    for name in ("t", "q", "qd", "tau", "pressures", "supplied", "dissipated", "tips"):
        np.testing.assert_array_equal(getattr(again, name), getattr(motion, name))


def test_a_stopped_motion_is_kept_in_its_file(prototype, tmp_path):
    path = tmp_path / "run.nc"
    motion = simulate(prototype, PressureSteps({"l11": [(0.1, 6000e3)]}), duration=2.0, output=path)
    again = load_motion(path)
    assert again.stopped == motion.stopped
    np.testing.assert_array_equal(again.q, motion.q)


def test_a_controller_that_fails_leaves_what_was_written(prototype, tmp_path):
    def fail(t, q, qd):
        if t > 0.5:
            raise RuntimeError("lost the camera")
        return np.zeros(9)

    with pytest.raises(RuntimeError, match="lost the camera"):
        simulate(prototype, Controller(fail, 100.0), duration=1.0, rate=10_000, output=tmp_path / "run.nc")
    kept = load_motion(tmp_path / "run.partial.nc")
    assert len(kept.t) == 5100  # all until it was asked at 0.51 s
    assert kept.stopped


def test_every_solver_says_what_it_did(prototype):
    for solver in SOLVERS:
        motion = simulate(prototype, EXPERIMENT_1, duration=1.0, solver=solver)
        record = motion.record
        assert record["solver"] == repr(solver)
        assert record["evaluations"] >= record["steps"] > 0
        assert record["rejected"] >= 0
        assert record["real_time_factor"] == pytest.approx(1.0 / record["wall_time"])


def test_outputs_between_fixed_steps_are_cubic(prototype):
    """Output at 1 kHz from steps of 100 Hz: the cubic through lengths and rates at the steps."""
    steps = simulate(prototype, EXPERIMENT_1, duration=1.0, rate=100, solver=FixedStep(100.0))
    between = simulate(prototype, EXPERIMENT_1, duration=1.0, rate=1000, solver=FixedStep(100.0))
    cubic = CubicHermiteSpline(steps.t, steps.q, steps.qd)
    np.testing.assert_allclose(between.q, cubic(between.t), atol=1e-12)


def test_the_first_state_is_the_one_given(prototype):
    q0, qd0 = np.linspace(0, 0.02, 9), np.linspace(-0.1, 0.1, 9)
    for solver in SOLVERS:
        motion = simulate(prototype, duration=0.1, q0=q0, qd0=qd0, solver=solver)
        np.testing.assert_array_equal(motion.q[0], q0)
        np.testing.assert_array_equal(motion.qd[0], qd0)
        # q̈ of the first state moves the rates of the first row: 5 ms later, an order of magnitude is enough
        change = (motion.qd[1] - qd0) @ forward_dynamics(prototype, q0, qd0, np.zeros(9))
        assert change > 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"duration": 0}, "duration = 0: … seconds … 0 s … 1e+09 s"),
        ({"duration": np.nan}, "duration = nan: … seconds … 0 s … 1e+09 s"),
        ({"duration": "5 s"}, "duration = '5 s': … seconds … 0 s … 1e+09 s"),
        ({"duration": 1, "rate": -5}, "rate = -5: … hertz … 0 Hz … 1e+09 Hz"),
        ({"duration": 1, "rate": 1e9}, "duration · rate = 1e+09 output states: … 1e+07"),
        ({"duration": 1, "q0": np.zeros((2, 9))}, "q0 has shape (2, 9): … (9,)"),
        ({"duration": 1, "solver": Adaptive(rtol=0)}, "rtol = 0: … 1e-13 … 1"),
        ({"duration": 1, "solver": Adaptive(longest_step=0)}, "longest_step = 0: … 1e-9 s"),
        (
            {"duration": 1, "solver": CVODE(highest_order=6)},
            "highest_order = 6: … 5",
        ),
        (
            {"duration": 1, "solver": FixedStep(rate=0)},
            "rate of FixedStep = 0: … 0 Hz … 1e7 Hz",
        ),
        (
            {"duration": 1, "solver": FixedStep(1000.0), "input": Controller(lambda t, q, qd: q, 300.0)},
            "rate of the controller = 300 Hz: … FixedStep, 1000 Hz",
        ),
        (
            {"duration": 1, "solver": FixedStep(0.1)},
            "rate of FixedStep = 0.1 Hz: … 1 Hz",
        ),
        ({"duration": 1, "solver": FixedStep("a")}, "rate of FixedStep = 'a': … 0 Hz … 1e7 Hz"),
        ({"duration": 1, "solver": CVODE(rtol="a")}, "rtol = 'a': … 1e-13 … 1"),
        ({"duration": 1, "start": "hanging"}, "start = 'hanging': … 'unbent' … 'equilibrium'"),
        (
            {"duration": 1, "start": "equilibrium", "q0": np.zeros(9)},
            "start = 'equilibrium': … q0 … qd0",
        ),
        ({"duration": 1, "wrench": [1, 2, 3]}, "wrench has shape (3,): … (6,)"),
        ({"duration": 1, "wrench": [0, 0, np.nan, 0, 0, 0]}, "wrench[2] = nan: … finite"),
        ({"duration": 1, "q0": np.zeros(3)}, "q0 has shape (3,): … (..., 9)"),
        ({"duration": 1, "q0": np.full(9, np.nan)}, "q0[0] = nan: … finite"),
        ({"duration": 1, "qd0": np.full(9, np.nan)}, "qd0[0] = nan: … finite"),
        ({"duration": 1, "qd0": np.zeros((2, 9))}, "qd0 has shape (2, 9): … (9,)"),
        ({"duration": 1, "q0": np.zeros((2, 9)), "qd0": np.zeros((3, 9))}, "q0 (2, 9), qd0 (3, 9)"),
        ({"duration": 1, "solver": Adaptive(atol=1e-300)}, "atol = 1e-300: … 1e-15 … 1"),
        ({"duration": 1, "solver": CVODE(atol=1e-16)}, "atol = 1e-16: … 1e-15 … 1"),
        ({"duration": 10**400}, "duration = 1000… 1e+09 s"),
        ({"duration": 1, "output": "run.txt"}, "run.txt: the suffix … .nc, .nc4, .h5"),
    ],
)
def test_bad_arguments_are_refused_in_one_sentence(prototype, arguments, message):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the message is looked at below
        simulate(prototype, **arguments)
    assert refuses(str(caught.value), message)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"arm": "prototype"}, "arm is str: … Arm"),
        ({"input": PressureSteps}, "input is the class PressureSteps: …"),
        ({"input": "l33=600@0"}, "input is str: … PressureSteps, PressureSignal, ForceSignal … Controller"),
        ({"solver": "cvode"}, "solver is str: … Adaptive … FixedStep … CVODE"),
        ({"input": Controller("l33", 10.0)}, "function of the controller is str: … function"),
    ],
)
def test_things_of_the_wrong_kind_are_named(prototype, arguments, message):
    with pytest.raises(TypeError) as caught:
        simulate(**{"arm": prototype, "duration": 1.0} | arguments)
    assert refuses(str(caught.value), message)


def test_muscles_of_any_layout_are_driven(prototype):
    """Four muscles where three were: the same pressure on all stretches by 4/3 as much, and bends nothing."""
    from continuarm import Muscles

    four = Muscles(angles=[0, np.pi / 2, np.pi, 3 * np.pi / 2], radii=[0.0125] * 4)
    quiet = prototype.replace(gravity=(0, 0, 0))
    arm = quiet.replace(sections=[s.replace(muscles=four, stiffness=np.eye(3) * 1700) for s in quiet.sections])
    assert muscle_count(arm) == 12
    stretched = []
    for each in (quiet, arm):
        names = [f"l{i}{j}" for i in (1, 2, 3) for j in range(1, muscle_count(each) // 3 + 1)]
        motion = simulate(each, PressureSteps({name: [(0, 200e3)] for name in names}), duration=5.0, rate=1)
        stretched.append(motion.q[-1])
    np.testing.assert_allclose(stretched[1], stretched[0] * 4 / 3, rtol=1e-6)
