"""Laws of residuals: their Jacobian is that of the motion."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from sample_recordings import FREE, STEPS, run_of

from continuarm import PressureSteps, simulate, tip_jacobian
from continuarm.identification.fit import identify
from continuarm.identification.free_parameters import free_parameters
from continuarm.identification.recording import Recording
from continuarm.identification.residual_function import ResidualFunction
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
        plain, fine = residuals.jacobian(free.start), residuals.jacobian(free.start, fine=True)
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
        there, near = residuals.jacobian(edge, fine=True), residuals.jacobian(inside, fine=True)
        assert np.isfinite(residuals.jacobian(edge)).all()
    for column, other in zip(there.T, near.T, strict=True):
        assert np.linalg.norm(column - other) < 0.1 * np.linalg.norm(other)


def test_fits_that_end_at_a_bound_are_not_lost(section, prototype):
    found = identify(prototype, short_run(prototype), ("stiffness", "offset"), delay=False, starts=1)
    assert abs(found["offset"].value) < 4 * found["offset"].standard_error
    assert not found.serious  # 0 is the least that an offset can be, and no bound of the search
    loop = section.replace(sections=[s.replace(hysteresis=(400.0, 60.0, 60.0)) for s in section.sections])
    found = identify(loop, run_of(loop), ("stiffness", "hysteresis"), delay=False, starts=1)
    assert abs(found["stiffness"].value - 1700) < 4 * found["stiffness"].standard_error
