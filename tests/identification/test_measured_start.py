"""Laws of recordings that begin in the middle of a history: where the first samples show the arm."""

import numpy as np
import pytest

import continuarm as ca
from continuarm.dynamics.commands import Commands
from continuarm.dynamics.plant import Plant
from continuarm.identification.measured_start import first_shape, holding
from continuarm.identification.simulated_tracks import simulated_track

TIMES = np.arange(0.0, 3.0, 0.02)


def cameras(motion, rows):
    return [ca.TipPosition(i + 1, motion.tips[rows, i]) for i in range(motion.arm.n)]


def test_the_shape_is_the_one_whose_tips_are_seen(prototype):
    q = ca.equilibrium(prototype, np.linspace(0, 20, 9))
    tips = np.repeat(ca.tip_poses(prototype, q)[None, :, :3, 3], len(TIMES), axis=0)
    seen = [ca.TipPosition(i + 1, tips[:, i]) for i in range(3)]
    run = ca.Recording("run", None, TIMES, seen, start="resting")
    found, still = first_shape(prototype, run, None, np.zeros(9), moving=False)
    np.testing.assert_allclose(ca.tip_poses(prototype, found)[:, :3, 3], tips[0], atol=5e-4)  # springs pull a little
    np.testing.assert_allclose(still, 0.0)


def test_a_frame_of_the_sensors_is_taken_back(prototype):
    rig = ca.Rig(turn=(0.1, -0.2, 0.3), origin=(0.2, 0.1, -0.3))
    q = ca.equilibrium(prototype, np.linspace(0, 20, 9))
    poses = rig.frame @ ca.tip_poses(prototype, q)
    seen = [ca.TipPosition(i + 1, np.repeat(poses[None, i, :3, 3], len(TIMES), axis=0)) for i in range(3)]
    run = ca.Recording("run", None, TIMES, seen)
    found, _ = first_shape(prototype, run, rig.frame, np.zeros(9), moving=False)
    wanted = ca.tip_poses(prototype, q)[:, :3, 3]
    np.testing.assert_allclose(ca.tip_poses(prototype, found)[:, :3, 3], wanted, atol=5e-4)


def test_an_arm_that_is_let_go_is_followed_from_its_first_samples(prototype):
    soft = prototype.replace({"sections[*].damping": 20.0})
    start = ca.equilibrium(soft, np.linspace(0, 15, 9))
    motion = ca.simulate(soft, duration=3.0, q0=start, rate=100.0)
    rows = np.arange(5, len(motion.t))  # seen when it moves already
    run = ca.Recording("run", None, motion.t[rows] - motion.t[5], cameras(motion, rows), start="moving")
    moving = ca.validate(soft, run)["run"]["tip 3"].rms
    resting = ca.validate(soft, ca.Recording("run", None, run.times, run.sensors, start="equilibrium"))["run"][
        "tip 3"
    ].rms
    assert moving < 0.2 * resting
    assert 1e3 * moving < 3.0  # the acceleration of the first samples is not followed exactly


def test_hysteresis_holds_an_arm_at_rest_anywhere():
    section = ca.Section(
        length=0.15,
        radius=0.0125,
        mass=0.1,
        stiffness=1700.0,
        damping=110.0,
        muscle_area=1.3e-4,
        hysteresis=(600, 100, 0),
    )
    arm = ca.Arm(sections=[section] * 2)
    plant = Plant(arm)
    pressures = np.array([2e5, 0, 1e5, 0, 5e4, 0])
    q = ca.equilibrium(arm, arm.muscle_forces(1.3e-4 * pressures)) + np.linspace(-1e-3, 1e-3, 6)
    held = holding(plant, Commands(pressures, np.zeros(6), np.zeros(6)), q)
    commands = plant.commands.rows(pressures)[0]
    rate = plant.rate(commands, plant.first_state(q, pressures=pressures, hysteresis=held))
    free = plant.rate(commands, plant.first_state(q, pressures=pressures))
    assert np.abs(rate[6:12]).max() < 1e-9 * np.abs(free[6:12]).max()  # accelerations


FRICTION = (600.0, 300.0, 0.0)  # holds 2 N at most


def rubbing(hysteresis):
    section = ca.Section(
        length=0.15, radius=0.0125, mass=0.1, stiffness=1700.0, damping=110.0, muscle_area=1.3e-4, hysteresis=hysteresis
    )
    return ca.Arm(sections=[section], rig=ca.Rig(start="resting"))


def resting_run(arm, forces):
    """Seen at rest where forces of muscles (3,), N, would hold the arm, and driven by nothing."""
    q = ca.equilibrium(arm.replace({"sections[*].hysteresis": None}), forces)
    tips = np.repeat(ca.tip_poses(arm, q)[None, :, :3, 3], len(TIMES), axis=0)
    return ca.Recording("run", None, TIMES, [ca.TipPosition(1, tips[:, 0])])


@pytest.mark.parametrize(
    ("hysteresis", "force", "told"),
    [
        (FRICTION, 1.5, None),  # friction is enough,
        (FRICTION, 6.0, "its hysteresis holds 2 N at most"),  # or not
        ((600.0, 300.0, 300.0), 6.0, "its hysteresis holds 1 N at most"),
        ((600.0, 0.0, 0.0), 6.0, None),  # a spring: it has no limit
        (None, 6.0, "has no hysteresis, 0 N"),
    ],
)
def test_a_rest_that_friction_cannot_hold_is_told(hysteresis, force, told):
    """The muscle is named with what it needs, which is what would have held the arm there, and what it has."""
    arm = rubbing(hysteresis)
    found = ca.validate(arm, resting_run(arm, [0.0, force, 0.0]))
    said = [each for each in found.warnings if "resting" in each]
    if told is None:
        assert said == []
        return
    (sentence,) = said
    assert sentence.startswith("run: start = 'resting': l12")
    assert told in sentence
    needed = float(sentence.partition("needs ")[2].partition(" N")[0])
    assert needed == pytest.approx(force, abs=0.2)  # springs pull the shape by a tenth of a millimetre


def test_hysteresis_that_slides_on_and_on_holds_what_is_said_to_be_the_most():
    arm = rubbing((600.0, 300.0, 100.0))
    pull = ca.ForceSignal([0.0, 2.0], [[0, 0, 0], [60.0, 60.0, 60.0]])
    motion = ca.simulate(arm, pull, duration=2)
    np.testing.assert_allclose(motion.hysteresis[-1], 600 / (300 + 100), rtol=1e-3)  # e^-400l is left, l = 30 mm


def test_without_a_tip_in_its_first_second_a_recording_cannot_say_where_it_begins(prototype):
    values = np.zeros((len(TIMES), 3))
    values[TIMES < 1.5] = np.nan
    run = ca.Recording("run", None, TIMES, [ca.TipPosition(3, values)], start="resting")
    with pytest.raises(ValueError, match=r"run: start = 'resting': .*first second"):
        simulated_track(prototype, run)
