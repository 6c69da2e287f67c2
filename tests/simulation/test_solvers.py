"""Laws of solvers: the order that each method has, agreement with CVODE, and the corners where methods break."""

import numpy as np
import pytest

from continuarm import (
    CVODE,
    Adaptive,
    Arm,
    FixedStep,
    ForceSignal,
    PressureSignal,
    PressureSteps,
    PressureWarning,
    Section,
    forward_dynamics,
    implicit_step,
    load_arm,
    simulate,
)
from continuarm.paper.experiments import EXPERIMENTS
from random_arms import MODELS, random_arm, random_lengths, random_rates


@pytest.fixture(scope="module", params=EXPERIMENTS)
def experiment(request, prototype):
    chosen = EXPERIMENTS[request.param]
    reference = simulate(prototype, chosen.steps, duration=chosen.duration, solver=CVODE(rtol=1e-10, atol=1e-13))
    return chosen, reference


def distance(motion, other):
    return np.linalg.norm(motion.tips - other.tips, axis=-1).max(axis=1)


def test_the_compiled_solver_stays_within_a_micrometre_of_cvode(prototype, experiment):
    chosen, reference = experiment
    motion = simulate(prototype, chosen.steps, duration=chosen.duration)
    assert motion.stopped == ""
    assert len(motion.t) == round(200 * chosen.duration) + 1
    assert distance(motion, reference).max() < 1e-6


def test_fixed_steps_at_one_kilohertz_stay_within_a_tenth_of_a_millimetre(prototype, experiment):
    chosen, reference = experiment
    motion = simulate(prototype, chosen.steps, duration=chosen.duration, solver=FixedStep(rate=1000.0))
    assert distance(motion, reference).max() < 1e-4  # also during transients
    assert distance(motion, reference)[-1] < 1e-5


def test_experiment_1_moves_in_one_plane(prototype):
    chosen = EXPERIMENTS[1]
    motion = simulate(prototype, chosen.steps, duration=chosen.duration, solver=CVODE(rtol=1e-10, atol=1e-13))
    assert np.abs(motion.tips[..., 1]).max() < 1e-12
    assert np.abs(motion.tips[..., 0]).max() > 0.1


# A smooth problem: two unequal sections swing freely, lightly damped, from a bent start.
SMOOTH = Arm(
    sections=[
        Section(length=0.15, radius=0.0125, mass=0.1, stiffness=300.0, damping=1.0, twist=0.7),
        Section(length=0.12, radius=0.0125, mass=0.08, stiffness=250.0, damping=0.8),
    ]
)
BENT = np.array([0.012, 0.0, 0.004, 0.0, 0.01, -0.002])


@pytest.fixture(scope="module")
def smooth():
    return simulate(SMOOTH, duration=0.4, q0=BENT, rate=100, solver=CVODE(rtol=1e-12, atol=1e-15)).q


def test_fixed_steps_are_of_order_2(smooth):
    steps = np.array([400, 800, 1600, 3200, 6400])
    errors = [
        np.abs(simulate(SMOOTH, duration=0.4, q0=BENT, rate=100, solver=FixedStep(rate=rate)).q - smooth).max()
        for rate in steps / 0.4
    ]
    orders = -np.diff(np.log(errors)) / np.diff(np.log(steps))
    assert (np.abs(orders[1:] - 2) < 0.15).all(), orders


@pytest.mark.parametrize("order", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("solver", [Adaptive, CVODE])
def test_backward_differences_have_the_order_they_are_held_to(smooth, solver, order):
    """Held to order k, the error falls with the k-th power of the number of steps, as the tolerance tightens."""
    tolerances = np.logspace(-4, -6, 4) if order < 3 else np.logspace(-6, -9, 4)
    errors, steps = [], []
    for rtol in tolerances:
        chosen = solver(rtol=rtol, atol=rtol * 1e-3, highest_order=order)
        motion = simulate(SMOOTH, duration=0.4, q0=BENT, rate=100, solver=chosen)
        errors.append(np.abs(motion.q - smooth).max())
        steps.append(motion.record["steps"])
    slope = -np.polyfit(np.log(steps), np.log(errors), 1)[0]
    # steps change with the motion and start at order 1: the slope is the order, roughly
    assert abs(slope - order) < 0.35 + 0.1 * order, (slope, errors, steps)


@pytest.mark.parametrize("solver", [Adaptive, CVODE])
def test_a_tighter_tolerance_is_a_smaller_error(prototype, solver):
    chosen = EXPERIMENTS[1]
    reference = simulate(prototype, chosen.steps, duration=4.0, solver=CVODE(rtol=1e-11, atol=1e-14))
    errors = []
    for rtol in (1e-3, 1e-5, 1e-7):
        motion = simulate(prototype, chosen.steps, duration=4.0, solver=solver(rtol=rtol, atol=rtol * 1e-4))
        errors.append(distance(motion, reference).max())
    # a hundredth of the tolerance gives about a hundredth of the error
    assert errors[1] < errors[0] / 10
    assert errors[2] < errors[1] / 10


@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.model)
def test_a_small_implicit_step_is_that_of_the_accelerations(model):
    """q̇ and q̈ are its first order; halving it leaves a quarter of the rest."""
    rng = np.random.default_rng(0)
    arm = random_arm(rng, 3, model)
    q, qd, tau = random_lengths(rng, arm, 1.2), random_rates(rng, arm), rng.normal(size=9)
    rates = np.concatenate([qd, forward_dynamics(arm, q, qd, tau)])
    rests = []
    for step in (2e-5, 1e-5):
        later = np.concatenate(implicit_step(arm, q, qd, tau, step))
        rests.append(np.abs(later - np.concatenate([q, qd]) - step * rates).max())
    assert 3.5 < rests[0] / rests[1] < 4.5


def test_an_implicit_step_of_any_length_is_stable(prototype):
    """Ten seconds in one step, from far away: no growth, and many such steps find the equilibrium."""
    push = np.zeros(9)
    push[8] = 40.0
    q, qd = np.full(9, 0.01), np.zeros(9)
    for _ in range(400):
        q, qd = implicit_step(prototype, q, qd, push, 0.05)
    assert np.abs(forward_dynamics(prototype, q, qd, push)).max() < 1e-6


def test_a_bad_step_is_refused(prototype):
    still = np.zeros(9)
    for step in (0.0, -1.0, np.nan, "1", True, 1e10):
        with pytest.raises(ValueError, match=r"^step = .*above 0 s and at most 1e\+09 s$"):
            implicit_step(prototype, still, still, still, step)
    np.testing.assert_array_equal(
        implicit_step(prototype, still, still, still, 1), implicit_step(prototype, still, still, still, 1.0)
    )


def test_a_batch_steps_together(prototype):
    rng = np.random.default_rng(0)
    q = np.stack([random_lengths(rng, prototype, 0.5) for _ in range(20)])
    qd = np.zeros_like(q)
    ones = [(each, np.zeros(9)) for each in q]
    for _ in range(5):
        q, qd = implicit_step(prototype, q, qd, np.zeros_like(q), 1e-3)
        ones = [implicit_step(prototype, *one, np.zeros(9), 1e-3) for one in ones]
    np.testing.assert_array_equal(q, np.stack([one[0] for one in ones]))
    np.testing.assert_array_equal(qd, np.stack([one[1] for one in ones]))


@pytest.mark.slow
@pytest.mark.parametrize(
    "change",
    [{"damping": 0.0}, {"damping": 1000.0}, {"stiffness": 1e5}, {"stiffness": 1e5, "damping": 0.0}],
    ids=["undamped", "viscous", "stiff", "stiff and undamped"],
)
def test_stiff_corners_agree_with_cvode(prototype, change):
    arm = prototype.replace(sections=[section.replace(**change) for section in prototype.sections])
    push = PressureSteps({"l33": [(0.0, 250e3)], "l12": [(0.4, 200e3)]})
    found = simulate(arm, push, duration=0.8, solver=Adaptive(rtol=1e-8, atol=1e-12))
    wanted = simulate(arm, push, duration=0.8, solver=CVODE(rtol=1e-9, atol=1e-12))
    assert np.abs(found.tips - wanted.tips).max() < 2e-6


@pytest.mark.parametrize("change", [{"damping": 1000.0}, {"stiffness": 1e5}, {"stiffness": 1e5, "damping": 0.0}])
def test_fixed_steps_are_stable_in_stiff_corners(prototype, change):
    """Frequencies far above the rate are damped away, not followed; the slow part is right."""
    arm = prototype.replace(sections=[section.replace(**change) for section in prototype.sections])
    push = PressureSteps({"l33": [(0.0, 250e3)], "l12": [(0.4, 200e3)]})
    found = simulate(arm, push, duration=3.0, solver=FixedStep(rate=1000.0))
    assert found.stopped == ""
    wanted = simulate(arm, push, duration=3.0, start="unbent")
    moved = np.abs(wanted.tips - wanted.tips[0]).max()
    # without dampers the slow part swings on, and three seconds of it drift by some per cent of a period
    assert np.abs(found.tips - wanted.tips)[-1].max() < (0.02 if change.get("damping") != 0.0 else 0.15) * moved


@pytest.mark.slow
@pytest.mark.parametrize("solver", [Adaptive(), FixedStep()])
def test_thirty_sections_and_chattering_pressure(solver):
    section = load_arm("single-section").sections[0]
    arm = Arm(sections=[section] * 30, gravity=(0, 0, 0.5))
    times = np.arange(0, 0.2, 1e-3)
    forces = np.zeros((len(times), 90))
    forces[::2, 4] = 5.0
    motion = simulate(arm, ForceSignal(times, forces, linear=False), duration=0.2, solver=solver)
    assert motion.stopped == ""
    steady = simulate(arm, ForceSignal([0.0], forces[:2].mean(axis=0)[None]), duration=0.2)
    # chatter far above the arm's own frequencies moves it as its mean does, but for the last half period
    assert np.abs(motion.q - steady.q).max() < 0.05 * np.abs(steady.q).max()


def test_random_arms_agree_with_cvode():
    rng = np.random.default_rng(0)
    for n in (1, 2, 4):
        arm = random_arm(rng, n)
        arm = arm.replace(sections=[each.replace(damping=60.0) for each in arm.sections])
        start = random_lengths(rng, arm, bend=0.5)
        found = simulate(arm, duration=0.5, q0=start, solver=Adaptive(rtol=1e-8, atol=1e-12))
        wanted = simulate(arm, duration=0.5, q0=start, solver=CVODE(rtol=1e-10, atol=1e-13))
        assert np.abs(found.q - wanted.q).max() < 1e-6


@pytest.mark.parametrize(
    "times",
    [[0.0, 0.1 + 0.2], np.linspace(0, 0.7, 8), np.cumsum(np.full(7, 0.1)), [0.0, 0.1, 0.1 + 2e-9, 0.2]],
    ids=["0.1 + 0.2", "linspace", "cumsum", "close"],
)
@pytest.mark.parametrize("linear", [False, True])
def test_knots_a_rounding_error_from_output_times_are_met_by_all_solvers(times, linear):
    arm = load_arm("single-section")
    values = np.random.default_rng(0).uniform(0, 20, (len(times), 3))
    drive = ForceSignal(times, values, linear=linear)
    reference = simulate(arm, drive, duration=0.8, solver=Adaptive(rtol=1e-8))
    for solver, tolerance in ((CVODE(rtol=1e-8), 1e-6), (FixedStep(2000), 2e-4)):
        motion = simulate(arm, drive, duration=0.8, solver=solver)
        assert not motion.stopped
        assert np.array_equal(motion.t, reference.t)
        # 10 µm/ms: a jump that is met a step late is off by more than this
        assert np.abs(motion.tips - reference.tips).max() < tolerance


@pytest.mark.parametrize("bend", [3.5, 5.5, 6.2, 6.28])
@pytest.mark.parametrize("moment", [4.5, 30.0])
def test_a_motion_ends_at_once_where_the_model_ends(bend, moment):
    """Steps that move t by rounding errors would be accepted for ever just before the edge."""
    arm = load_arm("single-section")
    section = arm.sections[0]
    q0 = section.length_map @ [bend, 0.0, 0.0]
    tau = section.shape_map.T @ [moment, 0.0, 0.0]
    ends = []
    for solver in (Adaptive(), FixedStep(20_000)):
        motion = simulate(arm, ForceSignal([0.0], tau[None]), duration=1.0, q0=q0, rate=1000, solver=solver)
        assert "section 1 of 1" in motion.stopped
        assert "2π" in motion.stopped
        ends.append(float(motion.stopped.split()[2]))
        assert motion.record["evaluations"] < 20_000
    assert ends[0] == pytest.approx(ends[1], abs=1e-4)


def test_ten_sections_under_a_huge_pressure_end_at_the_edge():
    with pytest.warns(PressureWarning):
        motion = simulate(load_arm("ten-sections"), PressureSteps({"l11": [(0.0, 600e6)]}), duration=1.0)
    assert "section 1 of 10" in motion.stopped
    assert motion.record["evaluations"] < 50_000


@pytest.mark.parametrize("seed", range(4))
def test_hysteresis_under_measured_pressures_is_followed_to_the_end(seed):
    """A step that ends a rounding error before a knot must not leave a step so short that time stands still."""
    arm = load_arm("prototype")
    loops = [section.replace(hysteresis=(500.0, 50.0, 20.0)) for section in arm.sections[:2]]
    rng = np.random.default_rng(seed)
    times = np.cumsum(rng.uniform(1e-3, 30e-3, 1500))  # as a computer logs them, at about 62 Hz
    slow = 2e5 + 1e5 * np.sin(0.5 * times[:, None] + np.arange(6))
    pressures = slow + np.round(rng.normal(0, 700, slow.shape) / 640) * 640  # a gauge's noise and resolution
    motion = simulate(arm.replace(sections=loops), PressureSignal(times, pressures), duration=float(times[-1]))
    assert not motion.stopped
    found = motion.energies
    drift = found["kinetic"] + found["gravitational"] + found["elastic"] + found["dissipated"] - found["supplied"]
    assert np.ptp(drift) < 1e-3 * np.ptp(found["supplied"])


@pytest.mark.parametrize(("stiffness", "relaxation"), [(3e4, 0.01), (3e5, 0.01), (3e5, 0.001)])
def test_stiff_creep_is_stable_in_steps_of_any_length_and_followed_in_steps_of_half_its_time(stiffness, relaxation):
    """Branches that damp 3 to 30 times as much as their section: what the pages say of steps that are too long."""
    arm = load_arm("prototype-muscles").replace(
        {"sections[*].creep": [(stiffness, relaxation)], "sections[*].hysteresis": None}
    )
    steps = PressureSteps({"l33": [(0.0, 400e3)], "l22": [(0.4, 300e3)]})
    reference = simulate(arm, steps, duration=1.0, rate=100, solver=CVODE(rtol=1e-9, atol=1e-13))
    motion = np.ptp(reference.tips[:, -1], axis=0).max()
    for lengths, most in ((4.0, 0.1), (0.5, 0.01), (0.125, 0.002)):  # steps over T
        found = simulate(arm, steps, duration=1.0, rate=100, solver=FixedStep(1 / (lengths * relaxation)))
        assert found.stopped == ""
        assert distance(found, reference).max() < most * motion
    longest = simulate(arm, steps, duration=1.0, rate=100, solver=FixedStep(10.0))
    assert longest.stopped == ""
    assert distance(longest, reference).max() < motion


def test_a_late_jump_does_not_stop_a_light_arm():
    """The first step after it is no shorter than what moves time."""
    section = Section(length=0.15, radius=0.0125, mass=1e-6, stiffness=1700.0, damping=40.0, muscle_area=1.3e-4)
    steps = PressureSteps({"l11": [(0.0, 3e5), (100.0, 0.0)]})
    motion = simulate(Arm(sections=[section]), steps, duration=101, rate=10)
    assert not motion.stopped
    assert motion.t[-1] == 101


@pytest.mark.slow
def test_a_part_without_rows_keeps_what_was_computed():
    arm = load_arm("prototype").replace({"sections[*].preload": (90.0, 0.0)})
    steps = PressureSteps({"l11": [(0.9, 3e6)], "l21": [(0.9, 3e6)]})
    motion = simulate(arm, steps, duration=2, rate=1.0, solver=FixedStep(5e5))
    assert "section" in motion.stopped
    assert len(motion.t) == 2
