"""Laws of residuals: their Jacobian is that of the motion."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from sample_recordings import FREE, STEPS, run_of, table_of

from continuarm import PressureSteps, simulate, tip_jacobian
from continuarm.identification.fit import identify
from continuarm.identification.free_parameters import free_parameters
from continuarm.identification.recording import Recording
from continuarm.identification.residual_function import ResidualFunction
from continuarm.identification.residual_slopes import residual_slopes
from continuarm.identification.sensors import MuscleLength, TipOrientation
from continuarm.identification.simulated_tracks import has_exact_slopes
from continuarm.identification.synthetic_recordings import simulated_recording, tip_sensors


def short_run(arm):
    """A second of an arm."""
    blank = Recording("run", PressureSteps(STEPS), np.arange(30) / 30, tip_sensors(arm, 30))
    return simulated_recording(arm, blank, noise=1e-3)


def test_slopes_of_a_search_are_good_to_a_few_thousandths(section):
    run = run_of(section)
    free = free_parameters(section, (*FREE, "sensor_frame"), [run])
    with ThreadPoolExecutor(1) as pool:
        residuals = ResidualFunction(free, [run], pool)
        residuals.estimate_scales(free.start)
        plain, fine = residual_slopes(residuals, free.start), residual_slopes(residuals, free.start, fine=True)
    assert plain.shape == (3 * 120, len(free))
    for column, better in zip(plain.T, fine.T, strict=True):
        assert np.linalg.norm(column - better) < 5e-3 * np.linalg.norm(better)
    # a late recording shows the arm as it was: the slope over the delay, in tenths of a second, is the velocity
    motion = simulate(section, run.input, duration=4.0, rate=30, start="equilibrium")
    speed = (tip_jacobian(section, motion.q[:120])[:, 0, 3:] @ motion.qd[:120, :, None])[..., 0]
    np.testing.assert_allclose(fine[:, -1].reshape(-1, 3), 0.1 * speed / residuals.scales[0][0], rtol=0, atol=0.05)


def test_slopes_at_a_bound_stay_within_it(prototype):
    """An offset of 0 and a hysteresis with g = b: a step beyond is no arm."""
    loops = prototype.replace(sections=[s.replace(hysteresis=(300.0, 50.0, 50.0)) for s in prototype.sections])
    run = short_run(loops)
    free = free_parameters(loops, ("offset", "hysteresis"), [run], delay=False)
    inside = free.start.copy()
    inside[0], inside[-1] = 0.05, 0.95
    edge = inside.copy()
    edge[0], edge[-1] = free.lower[0], free.upper[-1]
    assert free.arm(edge).sections[0].offset == 0
    assert free.arm(edge).sections[0].hysteresis[2] == free.arm(edge).sections[0].hysteresis[1]
    with ThreadPoolExecutor(1) as pool:
        residuals = ResidualFunction(free, [run], pool)
        there, near = residual_slopes(residuals, edge, fine=True), residual_slopes(residuals, inside, fine=True)
        assert np.isfinite(residual_slopes(residuals, edge)).all()
    for column, other in zip(there.T, near.T, strict=True):
        assert np.linalg.norm(column - other) < 0.1 * np.linalg.norm(other)


def test_fits_that_end_at_a_bound_are_not_lost(section, prototype):
    found = identify(prototype, short_run(prototype), ("stiffness", "offset"), delay=False, starts=1)
    assert abs(found["offset"].value) < 4 * found["offset"].standard_error
    assert not found.serious  # 0 is the least that an offset can be, and no bound of the search
    loop = section.replace(sections=[s.replace(hysteresis=(400.0, 60.0, 60.0)) for s in section.sections])
    found = identify(loop, run_of(loop), ("stiffness", "hysteresis"), delay=False, starts=1)
    assert abs(found["stiffness"].value - 1700) < 4 * found["stiffness"].standard_error


def test_points_near_the_numbers_of_a_search_are_those_numbers_themselves(section):
    """What a point leaves as it is, is taken over; nothing is lost by that: residuals are those of a search there."""
    runs = [run_of(section, name, seed=seed) for seed, name in enumerate(("one", "two"))]
    free = free_parameters(section, ("stiffness", "damping", "sensor_frame"), runs)
    with ThreadPoolExecutor(2) as pool:
        residuals = ResidualFunction(free, runs, pool)
        residuals.estimate_scales(free.start)
        moved = free.start + 1e-3 * np.eye(len(free))
        points = [residuals.point(x)._replace(arm=free.arm(x)) for x in moved]
        points += [residuals.point(x) for x in moved[2:]]  # a frame and two delays: no arm is another
        before = residuals.evaluations
        found = residuals.at_points(free.start, points)
        assert residuals.evaluations == before + 2 * len(free)  # those of the last need no simulation
        wanted = [residuals(x) for x in (*moved, *moved[2:])]
    # equilibria are searched for from where others were found: equal but for rounding
    np.testing.assert_allclose(found, np.stack(wanted, axis=-1), rtol=0, atol=1e-6)


def by_differences(residuals, x):
    """The fine Jacobian by differences of simulations alone."""
    exact, residuals.parameters.exact = residuals.parameters.exact, np.zeros(len(x), dtype=bool)
    try:
        return residual_slopes(residuals, x, fine=True)
    finally:
        residuals.parameters.exact = exact


RICH = {
    "valve_lag": 0.05,
    "vent_lag": 0.08,
    "hardening": 2e5,
    "pressure_stiffness": 5e-4,
    "creep": [(200.0, 0.3)],
    "hysteresis": (150.0, 60.0, 10.0),
    "shaking": 0.1,
    "preload": (0.3, -0.2),
}
EXACT = [
    "stiffness per muscle, damping matrix, mass, length, radius, twist, offset",
    "bending_stiffness per section, bending_damping, base_rotation",
    "muscle_area, dead_zone, valve_lag, vent_lag, hardening, pressure_stiffness",
    "creep, hysteresis, stiffness",
    "friction, stiffness matrix per section",
    "preload, shaking, stiffness",
]


@pytest.mark.parametrize("names", EXACT)
def test_exact_slopes_are_those_of_differences(prototype, names):
    arm = prototype.replace(sections=[s.replace(**RICH, offset=0.01) for s in prototype.sections])
    steps = PressureSteps(STEPS | {"l33": [(0.2, 500e3), (0.8, 100e3)]})
    blank = Recording("run", steps, np.arange(45) / 30, tip_sensors(arm, 45))
    seen = simulated_recording(arm, blank, noise=1e-3)
    run = replace(
        seen, sensors=(*seen.sensors, TipOrientation(2, np.zeros((45, 3))), MuscleLength("l21", np.zeros(45)))
    )
    free = free_parameters(arm, names, [run], delay=False)
    assert free.exact.all()
    with ThreadPoolExecutor(1) as pool:
        residuals = ResidualFunction(free, [run], pool)
        found, expected = residual_slopes(residuals, free.start, fine=True), by_differences(residuals, free.start)
    for label, column, other in zip(free.labels, found.T, expected.T, strict=False):
        # differences over 0.2 %, through the kinks of hysteresis, are themselves not better; shaking does least
        assert np.linalg.norm(column - other) < (3e-2 if label == "shaking" else 1e-2) * np.linalg.norm(other), label


def test_exact_slopes_of_tables_are_those_of_differences(prototype):
    table = table_of(prototype)
    free = free_parameters(prototype, "stiffness per section, muscle_area, dead_zone, mass, length, twist", [table])
    with ThreadPoolExecutor(1) as pool:
        residuals = ResidualFunction(free, [table], pool)
        found, expected = residual_slopes(residuals, free.start), by_differences(residuals, free.start)
    assert np.abs(found - expected).max() < 1e-5 * np.abs(expected).max()  # of differences over 0.2 %


def test_what_has_no_exact_slopes_is_differences(prototype):
    """Lines and gauges change commands; a start that samples show depends on the arm in its own way."""
    run = short_run(prototype)
    free = free_parameters(prototype, "stiffness, line_delay, gauge_gain, sensor_frame", [run])
    whose = {label.split()[0]: exact for label, exact in zip(free.labels, free.exact, strict=True)}
    assert whose == {"stiffness": True, "line_delay": False, "gauge_gain": False, "sensor_frame": False, "delay": False}
    runs = [run, replace(run, name="measured", start="moving")]
    assert [has_exact_slopes(each, prototype) for each in runs] == [True, False]
    free = free_parameters(prototype, "stiffness, line_delay", runs)
    with ThreadPoolExecutor(1) as pool:
        residuals = ResidualFunction(free, runs, pool)
        found, expected = residual_slopes(residuals, free.start, fine=True), by_differences(residuals, free.start)
    assert np.isfinite(found).all()
    for column, other in zip(found.T, expected.T, strict=True):
        assert np.linalg.norm(column - other) < 1e-3 * np.linalg.norm(other)
