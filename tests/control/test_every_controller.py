"""Every controller on random arms, 1 to 5 sections, three muscles or more: at rest at its goal, or refused."""

import numpy as np
import pytest

import continuarm as ca
from continuarm.dynamics.plant import Plant
from random_arms import random_arm

PUSHING = {"stiffness": 1500.0, "damping": 60.0, "muscle_area": 2e-4, "dead_zone": 50e3}


def layout(rng, kind):
    """Three muscles a third of a turn apart, four, or six of two radii; None is the first."""
    if kind == 0:
        return None
    count = 4 if kind == 1 else 6
    angles = np.arange(count) * 2 * np.pi / count + rng.uniform(-0.2, 0.2, count)
    return ca.Muscles(angles=angles, radii=rng.uniform(0.01, 0.02, count))


def hanging_arm(rng, n, kind):
    arm = random_arm(rng, n, gravity=(0.0, 0.0, 9.81), base_rotation=(0.0, 0.0, 0.0))
    return arm.replace(sections=[each.replace(muscles=layout(rng, kind), **PUSHING) for each in arm.sections])


CONTROLLERS = {
    "gravity": lambda arm, q: ca.GravityCompensation(arm, highest=1e6, posture=q),
    "torque": lambda arm, q: ca.ComputedTorque(arm, highest=1e6, posture=q),
    "torque of the tip": lambda arm, q: ca.ComputedTorque(arm, bandwidth=10.0, space="tip", highest=1e6, posture=q),
    "no integral": lambda arm, q: ca.ComputedTorque(arm, integral=False, highest=1e6, posture=q),
    "regulator": lambda arm, q: ca.LQR(arm, q, highest=1e6),
    "predictive": lambda arm, q: ca.PredictiveControl(arm, nodes=10, node=0.02, highest=1e6),
}
RUNS = {"predictive": (50.0, 2.0), "gravity": (100.0, 6.0), "regulator": (200.0, 3.0)}
"""How often it is asked, Hz, and how long it has, s, where that is not 200 and 2."""


@pytest.mark.slow
@pytest.mark.parametrize("seed", [*range(5), *(pytest.param(k, marks=pytest.mark.exhaustive) for k in range(5, 10))])
@pytest.mark.parametrize("name", CONTROLLERS)
def test_random_arms_come_to_rest_at_their_goal(name, seed):
    rng = np.random.default_rng(seed)
    arm = hanging_arm(rng, 1 + seed % 5, seed % 3)
    pressures = rng.uniform(150e3, 300e3, len(arm.muscle_names))
    q = ca.equilibrium(arm, Plant(arm).muscle_forces(pressures, np.zeros_like(pressures), np.zeros(3 * arm.n)))
    goal = ca.Point(ca.tip_poses(arm, q)[-1, :3, 3])
    rate, duration = RUNS.get(name, (200.0, 2.0))
    followed = ca.loop(CONTROLLERS[name](arm, q), goal, rate=rate)
    motion = ca.simulate(arm, followed, duration=duration, rate=100)
    off = np.linalg.norm(motion.tips[:, -1] - goal.position, axis=1)
    assert not motion.stopped
    assert motion.pressures.min() >= 0
    assert motion.pressures.max() <= 1e6
    if name == "gravity":  # slow: what is light and hardly damped still swings
        assert off[-200:].max() < 0.5 * off[:200].max()
        return
    assert off[-50:].max() < 0.1 * off[0]
    assert np.abs(motion.qd[-50:]).max() < 0.03  # m/s: no cycle is left


@pytest.mark.parametrize("name", CONTROLLERS)
def test_arms_whose_pressures_are_no_forces_are_refused(name):
    rng = np.random.default_rng(0)
    arm = hanging_arm(rng, 3, 1).replace({"sections[1].muscle_area": None})
    with pytest.raises(ValueError, match="muscle_area"):
        CONTROLLERS[name](arm, np.zeros(9)).command(0.0, np.zeros(100), ca.Point([0.0, 0.0, 0.3]))
