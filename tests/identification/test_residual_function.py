"""Laws of residuals: their Jacobian is that of the motion."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from sample_recordings import FREE, run_of

from continuarm import simulate, tip_jacobian
from continuarm.identification.free_parameters import free_parameters
from continuarm.identification.residual_function import ResidualFunction


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
