"""Laws of muscles: valves lag, hysteresis takes energy, pressure stiffens, stops hold, for every solver alike."""

import numpy as np
import pytest

from continuarm import (
    CVODE,
    Adaptive,
    Controller,
    DescriptionError,
    FixedStep,
    ForceSignal,
    Muscles,
    PressureSteps,
    damping_forces,
    equilibrium,
    load_arm,
    simulate,
)
from refusals import refused

# of a similar arm: see the arm file prototype-muscles
LOOP = (65.6, 49.0, -19.9)  # N/m, 1/m, 1/m
STIFFENING = 0.0142  # N/m per Pa
SOLVERS = [Adaptive(rtol=1e-8, atol=1e-12), CVODE(rtol=1e-8, atol=1e-12), FixedStep(rate=4000)]


def with_muscles(arm, **fields):
    return arm.replace(sections=[each.replace(**fields) for each in arm.sections])


@pytest.mark.parametrize("solver", SOLVERS, ids=lambda s: type(s).__name__)
def test_a_valve_follows_its_command_exponentially(prototype, solver):
    arm = with_muscles(prototype, valve_lag=0.08)
    motion = simulate(arm, PressureSteps({"l21": [(0.1013, 300e3)], "l33": [(0, 100e3)]}), duration=0.6, solver=solver)
    for column, begin, height in ((3, 0.1013, 300e3), (8, 0.0, 100e3)):
        wanted = height * -np.expm1(-np.maximum(motion.t - begin, 0) / 0.08)
        # FixedStep averages a command that jumps inside a step: right again at its end, up to second order in h / T
        np.testing.assert_allclose(motion.pressures[:, column], wanted, atol=1e-5 * height)


@pytest.mark.parametrize("solver", SOLVERS, ids=lambda s: type(s).__name__)
def test_a_valve_goes_on_from_the_pressure_that_it_is_given(prototype, solver):
    arm = with_muscles(prototype, valve_lag=0.08).replace({"sections[1].valve_lag": 0.0})
    filled = np.linspace(50e3, 290e3, 9)
    motion = simulate(arm, PressureSteps({"l33": [(0, 100e3)]}), duration=0.3, pressures=filled, solver=solver)
    command, lagged = np.where(np.arange(9) == 8, 100e3, 0.0), np.repeat([True, False, True], 3)
    wanted = command + (filled - command) * np.exp(-motion.t / 0.08)[:, None]
    np.testing.assert_allclose(motion.pressures, np.where(lagged, wanted, command), atol=3.0)  # Pa


def test_a_controller_with_filled_muscles_holds_the_arm_from_the_start(prototype):
    arm = with_muscles(prototype, valve_lag=0.1)
    force, section = np.linspace(5.0, 25.0, 9), arm.sections[0]
    held = section.dead_zone + force / section.muscle_area
    hold = Controller(lambda t, q, qd: held, rate=100.0)
    q = equilibrium(arm, force)
    still = simulate(arm, hold, duration=0.3, q0=q, pressures=held)
    np.testing.assert_allclose(still.pressures, np.broadcast_to(held, still.pressures.shape), rtol=1e-12)
    assert np.abs(still.tips - still.tips[0]).max() < 1e-8
    empty = simulate(arm, hold, duration=0.3, q0=q)
    assert np.abs(empty.tips - empty.tips[0]).max() > 1e-2


@pytest.mark.parametrize(
    ("lag", "arguments", "named"),
    [
        (0.1, {"pressures": np.zeros(8)}, ("pressures", "(8,)", "9 muscles")),
        (0.1, {"pressures": np.zeros((2, 9))}, ("pressures", "(2, 9)", "(9,)")),
        (0.1, {"pressures": [-1.0, *np.zeros(8)]}, ("pressures", "l11 = -1 Pa", "0 or more")),
        (0.1, {"pressures": np.zeros(9), "start": "equilibrium"}, ("start = 'equilibrium'", "pressures")),
        (0.0, {"pressures": np.zeros(9)}, ("pressures", "valve_lag", "'prototype'")),
    ],
)
def test_first_pressures_that_cannot_be_are_refused(prototype, lag, arguments, named):
    with refused(*named):
        simulate(with_muscles(prototype, valve_lag=lag), duration=0.1, **arguments)


@pytest.mark.parametrize("solver", SOLVERS, ids=lambda s: type(s).__name__)
def test_muscles_with_everything_move_alike_under_every_solver(prototype, solver):
    arm = with_muscles(prototype, valve_lag=0.05, pressure_stiffness=STIFFENING, hysteresis=LOOP, stop_stiffness=2e4)
    arm = with_muscles(arm, shaking=0.2, preload=(1.0, -0.5))
    push = PressureSteps({"l33": [(0.0, 600e3)], "l12": [(0.4, 300e3)], "l21": [(0.7, 200e3)]})
    wrench = [0.01, 0.0, 0.02, 0.3, -0.2, 0.5]
    reference = simulate(arm, push, duration=1.2, wrench=wrench, solver=CVODE(rtol=1e-10, atol=1e-13))
    motion = simulate(arm, push, duration=1.2, wrench=wrench, solver=solver)
    # the coarsest is FixedStep: its error is second order in 0.25 ms, micrometres on half a metre
    assert np.abs(motion.tips - reference.tips).max() < 2e-6
    assert np.abs(motion.hysteresis - reference.hysteresis).max() < 1e-4
    energies = motion.energies
    stored = energies["kinetic"] + energies["gravitational"] + energies["elastic"]
    balance = stored - stored[0] - (energies["supplied"] - energies["dissipated"])
    assert np.abs(balance).max() < 1e-5 * np.ptp(stored)


@pytest.mark.parametrize("stiff", [{"valve_lag": 1e-6}, {"stop_stiffness": 1e7}, {"pressure_stiffness": 1.0}])
def test_what_is_stiff_in_a_muscle_does_not_shorten_the_steps(prototype, stiff):
    """The iteration knows valves, stops and pressurised muscles: a thousand times stiffer costs about the same."""
    push = PressureSteps({"l33": [(0.0, 1100e3)], "l12": [(0.5, 300e3)]})
    softer = {name: value * (1e3 if name == "valve_lag" else 1e-3) for name, value in stiff.items()}
    counts = [
        simulate(with_muscles(prototype, **each), push, duration=2.0).record["evaluations"] for each in (softer, stiff)
    ]
    assert counts[1] < 3 * counts[0]


def test_hysteresis_closes_a_loop_and_takes_its_area(prototype):
    """A muscle driven slowly to and fro: the force over length is a loop, its area the energy that is lost."""
    arm = with_muscles(prototype, hysteresis=LOOP, damping=1.0).replace(gravity=(0, 0, 0))
    times = np.linspace(0, 8, 801)
    forces = np.zeros((801, 9))
    forces[:, 6:] = 15 * np.sin(np.pi * times)[:, None]  # all muscles of the last section: it only stretches
    motion = simulate(arm, ForceSignal(times, forces), duration=8.0, rate=1000)
    last = motion.t >= 6.0
    length, held = motion.q[last, 8], motion.hysteresis[last, 8]
    assert abs(held[-1] - held[0]) < 1e-3 * np.ptp(held)  # the loop has closed
    area = ((held[1:] + held[:-1]) / 2 * np.diff(length)).sum()
    assert area > 0.1 * np.ptp(held) * np.ptp(length)
    lost = motion.dissipated[last][-1] - motion.dissipated[last][0]
    dampers = (motion.qd * damping_forces(arm, motion.qd)).sum(axis=1)[last]
    taken_by_dampers = ((dampers[1:] + dampers[:-1]) / 2 * np.diff(motion.t[last])).sum()
    # two seconds are one whole loop for each of the three muscles; sums at 1 kHz
    assert lost - taken_by_dampers == pytest.approx(3 * area, rel=1e-4)


def test_hysteresis_never_exceeds_its_bound(prototype):
    a, b, g = LOOP
    arm = with_muscles(prototype, hysteresis=LOOP)
    push = PressureSteps({"l33": [(0.0, 600e3), (0.5, 0.0), (1.0, 600e3)], "l12": [(0.2, 500e3), (0.9, 0.0)]})
    motion = simulate(arm, push, duration=1.5)
    # ḣ = 0 at h = a / (b + g) while lengthening, -a / (b + g) while shortening
    assert np.abs(motion.hysteresis).max() <= a / (b + g) * (1 + 1e-6)
    assert np.abs(motion.hysteresis).max() > 0.3 * a / (b + g)


def test_a_preload_bends_a_section_at_rest():
    """Springs k on a circle of radius r balance the preload f at a bend of f / (k r), towards f; for every layout."""
    single = load_arm("single-section").replace(gravity=(0, 0, 0))
    for layout in (None, Muscles(angles=[0.3, 1.9, 3.4, 5.0], radii=[0.0125] * 4)):
        section = single.sections[0].replace(preload=(2.0, -1.0), muscles=layout, stiffness=1700.0, damping=40.0)
        rest = simulate(single.replace(sections=[section]), PressureSteps({"l11": [(0.0, 0.0)]}), duration=3.0, rate=1)
        unsprung = np.array([2.0, -1.0, 0.0]) / (1700.0 * 0.0125) if layout is None else unloaded_shape(section)
        np.testing.assert_allclose(section.shape_map @ rest.q[-1], unsprung, atol=1e-6)


def unloaded_shape(section):
    """(a, b, s - L) where every spring of a section in which muscles run at one radius balances its preload."""
    rows = section.muscles.length_map
    angles = np.array(section.muscles.angles)
    pushes = -section.preload[0] * np.cos(angles) - section.preload[1] * np.sin(angles)
    return np.linalg.solve(section.stiffness * rows.T @ rows, rows.T @ pushes)


def test_friction_is_shaken_loose_by_other_sections(prototype):
    """A section stuck where a push left it comes back while another swings, and stays without shaking."""
    times = np.linspace(0, 6, 601)
    forces = np.zeros((601, 9))
    forces[:, :3] = 20 * np.where(times < 1, times, np.maximum(2 - times, 0))[:, None]  # pulls, and lets go
    forces[:, 6] = 10 * np.where(times > 3, np.sin(2 * np.pi * times), 0)
    lengths = {}
    for shaking in (0.0, 0.2):
        arm = with_muscles(prototype, hysteresis=(2000.0, 400.0, 0.0), shaking=shaking).replace(gravity=(0, 0, 0))
        motion = simulate(arm, ForceSignal(times, forces), duration=6.0, rate=100)
        lengths[shaking] = motion.q[:, :3].mean(axis=1)[[280, 600]]
    assert lengths[0.0][0] > 3e-4  # stuck
    assert lengths[0.0][1] > 0.6 * lengths[0.0][0]  # it is shaken a little itself
    assert abs(lengths[0.2][1]) < 0.4 * lengths[0.2][0]


def test_pressure_on_all_muscles_stiffens_bending_as_measured(prototype):
    """0.39 N m/rad without pressure to 1.39 at 3 bar on all muscles of a similar arm, here by a moment at its tip."""
    single = load_arm("single-section").replace(gravity=(0, 0, 0))
    section = single.sections[0].replace(stiffness=0.39 / (1.5 * 0.0125**2), pressure_stiffness=STIFFENING)
    arm = single.replace(sections=[section])
    for pressure, wanted in ((0.0, 0.39), (300e3, 1.39)):
        steps = PressureSteps({name: [(0.0, pressure)] for name in ("l11", "l12", "l13")})
        bent = simulate(arm, steps, duration=8.0, rate=1, wrench=[0, 0.02, 0, 0, 0, 0])
        x = section.shape_map @ bent.q[-1]
        assert 0.02 / np.hypot(x[0], x[1]) == pytest.approx(wanted, rel=3e-3)  # three digits of the slope are given


def test_stops_hold_muscles_in_their_range(prototype):
    push = PressureSteps({"l33": [(0.0, 1100e3)]})
    free = simulate(prototype, push, duration=2.0)
    held = simulate(with_muscles(prototype, stop_stiffness=1e5), push, duration=2.0)
    assert free.q.max() > 0.075
    # the muscle pushes with 134 N and its spring takes 119 N of that at 70 mm: 0.15 mm at 1e5 N/m
    assert held.q.max() == pytest.approx(0.07015, abs=5e-5)
    for solver in (FixedStep(), CVODE()):
        other = simulate(with_muscles(prototype, stop_stiffness=1e5), push, duration=2.0, solver=solver)
        assert np.abs(other.tips[-1] - held.tips[-1]).max() < 1e-5


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"valve_lag": -1.0}, "valve_lag"),
        ({"pressure_stiffness": -1.0}, "pressure_stiffness"),
        ({"hysteresis": (1.0, 2.0)}, "hysteresis"),
        ({"hysteresis": (1.0, 2.0, 0.0), "shaking": 1.5}, "shaking"),
        ({"shaking": 0.1}, "needs hysteresis"),
        ({"preload": (1.0,)}, "preload"),
        ({"hysteresis": (-1.0, 2.0, 1.0)}, "a must be at least 0 and b at least |g|"),
        ({"hysteresis": (1.0, 2.0, -3.0)}, "a must be at least 0 and b at least |g|"),
    ],
)
def test_impossible_muscles_are_refused(prototype, fields, message):
    with pytest.raises(DescriptionError) as caught:
        prototype.sections[0].replace(**fields)
    assert message in str(caught.value)
