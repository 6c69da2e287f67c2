"""A natural mode as a motion: it swings with the natural frequency, as the arm does where it swings little."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from continuarm.arms.arm import Arm
from continuarm.arms.arm_file import arm_names, load_arm
from continuarm.engine.quantities import gravity_forces, mass_matrix, tip_poses
from continuarm.simulation.inputs import ForceSignal
from continuarm.simulation.modes_over_time import SHARE, mode_motion
from continuarm.simulation.motion_file import load_motion, save_motion
from continuarm.simulation.plots import what_drives
from continuarm.simulation.simulator import simulate
from continuarm.simulation.solvers import Adaptive
from continuarm.statics.equilibrium_search import equilibrium
from continuarm.statics.modes import mode_shapes, natural_frequencies
from continuarm.statics.rest import hanging
from random_arms import random_arm

pytestmark = pytest.mark.slow


@pytest.fixture
def arm() -> Arm:
    return load_arm("prototype")


@pytest.mark.parametrize("mode", [1, 4, 6])
def test_an_undamped_arm_that_is_let_go_there_moves_so(arm: Arm, mode: int) -> None:
    """A simulation from the first state departs from the mode by the square of the amplitude."""
    arm = arm.replace(sections=[section.replace(damping=0.0) for section in arm.sections])
    length = sum(section.length for section in arm.sections)
    errors = []
    for amplitude in (4e-3, 2e-3):
        linear = mode_motion(arm, mode, amplitude=amplitude * length)
        (period,) = linear.t[-1:]
        rate = round(120 / period * 1e6) / 1e6
        exact = simulate(
            arm, duration=period, q0=linear.q[0], qd0=linear.qd[0], rate=rate, solver=Adaptive(rtol=1e-10, atol=1e-13)
        )
        rows = min(len(exact.t), 119)
        assert np.allclose(exact.t[:rows], linear.t[:rows], rtol=1e-6)
        errors.append(np.abs(exact.q[:rows] - linear.q[:rows]).max())
        assert errors[-1] < 0.1 * np.abs(linear.q - equilibrium(arm)).max()
    assert errors[0] / errors[1] > 3  # 4, where nothing of higher order is left


def test_shapes_are_square_to_each_other_over_the_inertia() -> None:
    rng = np.random.default_rng(1)
    for n in (1, 3):
        arm = random_arm(rng, n)
        q = np.zeros(3 * n)
        held = arm.replace(gravity=(0, 0, 0))
        frequencies, shapes = mode_shapes(held, q)
        np.testing.assert_allclose(shapes.T @ mass_matrix(held, q) @ shapes, np.eye(3 * n), atol=1e-9)
        np.testing.assert_allclose(frequencies, natural_frequencies(held, q), rtol=1e-9)


@pytest.mark.parametrize("name", arm_names())
def test_every_mode_of_every_arm_can_be_shown(name: str) -> None:
    arm = load_arm(name)
    length = sum(section.length + section.offset for section in arm.sections)
    frequencies = natural_frequencies(arm)
    for mode in range(1, 3 * arm.n + 1):
        motion = mode_motion(arm, mode)
        assert motion.t[-1] == pytest.approx(1 / frequencies[mode - 1], rel=1e-6)
        np.testing.assert_allclose(motion.q[-1], motion.q[0], atol=1e-12)  # it can be looped
        way = np.linalg.norm(motion.tips - tip_poses(arm, hanging(arm))[:, :3, 3], axis=-1).max()
        assert 0.01 * SHARE * length < way < 1.26 * SHARE * length
        assert not motion.forces.any()  # nothing holds it but itself


def test_the_rates_are_those_of_q_and_energy_is_kept_to_second_order(arm: Arm) -> None:
    motion = mode_motion(arm, 3, amplitude=1e-3)
    middle = (motion.q[2:] - motion.q[:-2]) / (motion.t[2:] - motion.t[:-2])[:, None]
    np.testing.assert_allclose(motion.qd[1:-1], middle, atol=1e-3 * np.abs(motion.qd).max())
    total = sum(motion.energies[name] for name in ("kinetic", "gravitational", "elastic"))
    assert np.ptp(total) < 0.05 * np.ptp(motion.energies["kinetic"])


def test_about_another_state_and_under_a_force(arm: Arm) -> None:
    tau = np.array([5.0, 0, 0, 0, 4.0, 0, 0, 0, 0])
    bent = equilibrium(arm, tau)
    motion = mode_motion(arm, 1, bent)
    np.testing.assert_allclose(motion.q.mean(axis=0), bent, atol=2e-3)
    np.testing.assert_allclose(motion.tau, np.tile(tau, (len(motion.t), 1)), atol=1e-6)
    force = np.array([0, 0, 0, 0.5, 0, 0])
    loaded = mode_motion(arm, 1, wrench=force)
    np.testing.assert_array_equal(loaded.wrench, np.tile(force, (len(loaded.t), 1)))
    assert not loaded.forces.any()
    stiff = np.full(9, 500.0)
    held = mode_motion(arm, 1, muscle_stiffness=stiff)
    assert held.record["frequency"] == pytest.approx(natural_frequencies(arm, muscle_stiffness=stiff)[0])
    assert held.record["frequency"] > motion.record["frequency"]


def test_it_says_what_it_is_and_can_be_saved(arm: Arm, tmp_path: Path) -> None:
    motion = mode_motion(arm, 2, amplitude=0.03)
    assert what_drives(motion).startswith("mode 2 of 9: ")
    assert "30 mm" in what_drives(motion)
    save_motion(motion, tmp_path / "mode.nc")
    assert what_drives(load_motion(tmp_path / "mode.nc")) == what_drives(motion)


def test_what_drives_a_motion_is_said(arm: Arm) -> None:
    free = simulate(arm, duration=0.05)
    assert what_drives(free) == "nothing drives it"
    wrench = replace(free, wrench=np.ones((len(free.t), 6)))
    assert what_drives(wrench) == "a wrench on the tip"
    pushed = simulate(arm, ForceSignal([0.0], [[1.0] + [0.0] * 8]), duration=0.05)
    assert what_drives(pushed) == "force on l11"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"mode": 0}, "mode = 0: must be a whole number from 1 to 9"),
        ({"mode": 10}, "mode = 10"),
        ({"mode": 1.0}, r"mode = 1\.0"),
        ({"mode": True}, "mode = True"),
        ({"amplitude": 0.0}, r"amplitude = 0\.0: must be more than 0 m"),
        ({"amplitude": float("nan")}, "amplitude = nan"),
        ({"amplitude": "2"}, "amplitude = '2'"),
        ({"amplitude": 5.0}, r"at most the arm's length, 0\.45 m"),
        ({"q": np.zeros((2, 9))}, r"q has shape \(2, 9\): must be \(9,\)"),
        ({"q": np.zeros(8)}, "q has shape"),
        ({"wrench": [0, 0, 0.1, 0, 0, 0]}, "wrench has a moment"),
    ],
)
def test_what_cannot_be_is_refused(arm: Arm, arguments: dict, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        mode_motion(arm, **arguments)


def test_a_static_state_that_is_unstable_has_no_modes(arm: Arm) -> None:
    soft = arm.replace(sections=[section.replace(stiffness=1.0) for section in arm.sections], gravity=(0.0, 0.0, -9.81))
    assert np.abs(gravity_forces(soft, np.zeros(9))).max() > 0
    with pytest.raises(ValueError, match="unstable"):
        mode_motion(soft, 1, np.zeros(9))
