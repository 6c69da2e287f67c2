"""Without the compiled module motions are those of the NumPy plant, or one sentence says what is missing."""

import numpy as np
import pytest

from continuarm import CVODE, Adaptive, FixedStep, PressureSteps, equilibrium, forward_dynamics, load_arm, simulate
from continuarm.engine import compiled
from refusals import refused

pytestmark = pytest.mark.slow

STEPS = PressureSteps({"l11": [(0.0, 300e3)], "l12": [(0.0513, 200e3)]})
WRENCH = [0.0, 0.01, 0.0, 0.1, 0.0, 0.2]


def an_arm():
    """A new one, which no native memory knows yet; its muscles have everything."""
    full = load_arm("prototype-muscles")
    return full.replace(sections=full.sections[:1])


@pytest.mark.parametrize("solver", [FixedStep(1000), CVODE()], ids=lambda s: type(s).__name__)
def test_motions_are_those_of_native_code(monkeypatch, solver):
    wanted = simulate(an_arm(), STEPS, duration=0.1, wrench=WRENCH, solver=solver)
    monkeypatch.setattr(compiled, "native", None)
    found = simulate(an_arm(), STEPS, duration=0.1, wrench=WRENCH, solver=solver)
    # the same arithmetic in another order; CVODE turns rounding into other steps, within its tolerance
    tolerance = 1e-12 if isinstance(solver, FixedStep) else 1e-5
    for name in ("q", "qd", "pressures", "hysteresis", "supplied", "dissipated"):
        one, other = getattr(found, name), getattr(wanted, name)
        np.testing.assert_allclose(one, other, rtol=0, atol=tolerance * np.abs(other).max(), err_msg=name)


def test_the_default_is_a_solver_that_works(monkeypatch):
    monkeypatch.setattr(compiled, "native", None)
    motion = simulate(an_arm(), STEPS, duration=0.02)
    assert "CVODE" in motion.record["solver"]
    with refused("Adaptive", "not built", "CVODE", "FixedStep"):
        simulate(an_arm(), STEPS, duration=0.02, solver=Adaptive())


def test_a_motion_that_leaves_the_range_says_so(monkeypatch):
    monkeypatch.setattr(compiled, "native", None)
    soft = load_arm("single-section")
    soft = soft.replace(sections=[soft.sections[0].replace(stiffness=100.0, stop_stiffness=0.0)])
    motion = simulate(soft, PressureSteps({"l11": [(0.0, 900e3)]}), duration=2.0, solver=FixedStep(500))
    assert "section 1 of 1" in motion.stopped
    assert len(motion.t) > 1


def test_quantities_and_equilibria_are_those_of_the_reference(monkeypatch):
    arm = an_arm()
    wanted = equilibrium(arm, np.ones(3))
    monkeypatch.setattr(compiled, "native", None)
    np.testing.assert_allclose(equilibrium(an_arm(), np.ones(3)), wanted, atol=1e-10)
    assert np.abs(forward_dynamics(an_arm(), wanted, np.zeros(3), np.ones(3))).max() < 1e-6
    with refused("engine = 'native'", "not built"):
        forward_dynamics(an_arm(), wanted, np.zeros(3), np.ones(3), engine="native")
