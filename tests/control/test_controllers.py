"""Controllers: random arms come to their goals, circles are followed, limits hold, gains solve their equation."""

import numpy as np
import pytest
from scipy.linalg import solve_continuous_are

import continuarm as ca
from continuarm.dynamics.plant import Plant
from random_arms import random_arm


def pushed_arm(rng, n, **more):
    """An arm with ordinary muscles, hanging."""
    plain = {"stiffness": 1500.0, "damping": 60.0, "muscle_area": 2e-4, "dead_zone": 50e3}
    arm = random_arm(rng, n, gravity=(0.0, 0.0, 9.81), base_rotation=(0.0, 0.0, 0.0))
    return arm.replace(sections=[section.replace(**plain | more) for section in arm.sections])


def four_muscles(rng, n):
    angles = np.arange(4) * np.pi / 2 + rng.uniform(0, 1)
    return pushed_arm(rng, n, muscles=ca.Muscles(angles=angles, radii=rng.uniform(0.01, 0.02, 4)))


def resting(rng, arm):
    """A q that pressures can hold."""
    pressures = rng.uniform(150e3, 300e3, len(arm.muscle_names))
    return ca.equilibrium(arm, Plant(arm).muscle_forces(pressures, np.zeros_like(pressures), np.zeros(3 * arm.n)))


def kinds(arm, q):
    return [
        ca.GravityCompensation(arm, highest=1e6),
        ca.ComputedTorque(arm, highest=1e6),
        ca.ComputedTorque(arm, integral=False, highest=1e6),
        ca.LQR(arm, q, highest=1e6),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("make", [pushed_arm, four_muscles])
def test_random_arms_come_to_their_goals(make, seed):
    rng = np.random.default_rng(seed)
    arm = make(rng, seed + 1 if make is pushed_arm else seed % 3 + 1)
    q = resting(rng, arm)
    for controller in kinds(arm, q):
        motion = ca.simulate(arm, ca.loop(controller, ca.Point(q, space="muscles"), rate=200), duration=2, rate=100)
        assert not motion.stopped
        assert np.abs(motion.q[-1] - q).max() < (
            1e-5 if isinstance(controller, ca.ComputedTorque) else 0.1 * np.abs(q).max()
        )
        assert np.abs(motion.qd[-1]).max() < 0.03  # m/s


@pytest.mark.parametrize(("lag", "most"), [(0.0, 0.9e-3), (0.05, 2e-3)])
@pytest.mark.parametrize("space", ["muscles", pytest.param("tip", marks=pytest.mark.slow)])
def test_the_prototype_follows_a_circle(space, lag, most):
    arm = ca.load_arm("prototype").replace({"sections[*].valve_lag": lag})
    circle = ca.Circle(radius=0.05, period=4.0, centre=[0.0, 0.0, 0.53])
    controller = ca.ComputedTorque(arm, space=space)
    motion = ca.simulate(arm, ca.loop(controller, circle, rate=1000 if space == "muscles" else 250), duration=4)
    off = np.linalg.norm(motion.tips[:, -1] - circle.at(motion.t).position, axis=1)
    assert np.sqrt((off[motion.t > 2] ** 2).mean()) < most
    assert motion.pressures.min() >= 0
    assert motion.pressures.max() <= 700e3


@pytest.mark.parametrize("height", [0.4525, 0.455, 0.4575, 0.46, 0.4625])
@pytest.mark.parametrize(("lag", "bandwidth"), [(0.0, 17.0), (0.05, 25.0)])
def test_the_nominal_model_is_enough_for_friction_and_stiffening_wherever_the_arm_can_go(height, lag, bandwidth):
    # 1 cm is all the room there is: before it muscles would have to pull, beyond it 700 kPa are not enough
    plant = ca.load_arm("prototype-muscles")
    model = ca.load_arm("prototype").replace({"sections[*].valve_lag": lag})
    circle = ca.Circle(radius=0.05, period=4.0, centre=[0.0, 0.0, height])
    controller = ca.ComputedTorque(model, bandwidth=bandwidth, posture=np.full(9, 0.003))
    motion = ca.simulate(plant, ca.loop(controller, circle), duration=4)
    off = np.linalg.norm(motion.tips[:, -1] - circle.at(motion.t).position, axis=1)
    assert np.sqrt((off[motion.t > 2] ** 2).mean()) < 8e-3


def test_errors_of_the_exact_model_die_away_at_the_bandwidth():
    arm = ca.load_arm("prototype")
    q = ca.inverse_kinematics(arm, [0.03, 0.0, 0.52], start=np.full(9, 0.02), prefer="change").q
    near = q + 1e-4 * np.random.default_rng(0).normal(size=9)
    controller = ca.ComputedTorque(arm, bandwidth=5.0, integral=False, highest=1e7)
    motion = ca.simulate(
        arm, ca.loop(controller, ca.Point(q, space="muscles")), duration=1, q0=near, qd0=-5 * (near - q)
    )
    left = (motion.q - q) @ (near - q) / ((near - q) @ (near - q))
    np.testing.assert_allclose(left, np.exp(-5 * motion.t), atol=0.02)


def test_commands_keep_their_limits_and_rates():
    arm = ca.load_arm("prototype")
    plant, goal = Plant(arm), ca.Point(np.full(9, 0.03), space="muscles")
    for controller in (
        ca.ComputedTorque(arm, highest=400e3, fastest=1e6),
        ca.GravityCompensation(arm, highest=400e3, fastest=1e6),
    ):
        rng = np.random.default_rng(0)
        last = None
        for k in range(20):
            state = plant.first_state(rng.uniform(0, 0.04, 9), rng.normal(0, 0.1, 9))
            command = controller.command(0.01 * k, state, goal)
            assert command.min() >= 0
            assert command.max() <= 400e3
            if last is not None:
                assert np.abs(command - last).max() <= 1e6 * 0.01 * (1 + 1e-9)
            last = command
        motion = ca.simulate(arm, ca.loop(controller, goal, rate=200), duration=0.3, rate=200)
        assert np.abs(np.diff(motion.pressures, axis=0)).max() <= 1e6 / 200 * (1 + 1e-9)


def test_the_gain_of_the_regulator_solves_the_riccati_equation():
    rng = np.random.default_rng(2)
    arm = pushed_arm(rng, 2)
    q = resting(rng, arm)
    K = ca.LQR(arm, q, length=2e-3, speed=0.1, sum=1e-2, force=5.0).gain()
    still = np.zeros(6)
    A, B = ca.linearization(arm, q, still, ca.inverse_dynamics(arm, q, still, still))
    whole = np.block([[A, np.zeros((12, 6))], [np.eye(6), np.zeros((6, 12))]])
    drive = np.vstack([B, np.zeros((6, 6))])
    Q, R = np.diag(np.repeat([2e-3, 0.1, 1e-2], 6) ** -2.0), np.eye(6) / 25
    assert np.linalg.eigvals(whole - drive @ K).real.max() < 0
    known = np.linalg.solve(R, drive.T @ solve_continuous_are(whole, drive, Q, R, balanced=True))
    np.testing.assert_allclose(K, known, rtol=1e-5, atol=1e-5 * np.abs(known).max())


def curling(arm):
    """Postures from hanging under even pressures to curled up, at rest under pressures."""
    ends = [[250e3] * 9, [750e3, 200e3, 200e3] * 3]
    tau = [Plant(arm).muscle_forces(np.array(P), np.zeros(9), np.zeros(9)) for P in ends]
    return np.linspace(*ca.equilibria(arm, tau).q, 7)


def test_scheduled_gains_are_those_of_their_postures_and_near_those_between():
    arm = ca.load_arm("prototype").replace(payload=ca.Payload(mass=0.05))
    about = curling(arm)
    regulator = ca.LQR(arm, about)
    gains = regulator.gain()
    for k in (0, 3, 6):
        np.testing.assert_array_equal(gains[k], ca.LQR(arm, about[k]).gain())
        np.testing.assert_allclose(regulator._scheduled(gains, about[k]), gains[k], rtol=1e-9)
    for k in range(6):
        between = (about[k] + about[k + 1]) / 2
        exact, found = ca.LQR(arm, between).gain(), regulator._scheduled(gains, between)
        one = max(np.linalg.norm(each - exact) for each in (gains[0], gains[6]))
        assert np.linalg.norm(found - exact) < 0.1 * one
        aside = between + 1e-3 * np.random.default_rng(k).normal(size=9)  # the nearest place on the path counts
        assert np.linalg.norm(regulator._scheduled(gains, aside) - exact) < 0.3 * one
    beyond = about[6] + 0.3 * (about[6] - about[5])
    np.testing.assert_allclose(regulator._scheduled(gains, beyond), gains[6], rtol=1e-9)


@pytest.mark.slow
def test_scheduled_gains_follow_a_path_better_than_those_of_either_end():
    """Hanging to curled and back, with random pushes and a payload that is heavier than the model's."""
    arm = ca.load_arm("prototype").replace(payload=ca.Payload(mass=0.05))
    about = curling(arm)
    path = ca.MinimumJerk([0.0, 1.0, 2.0, 3.0], [about[0], about[-1], about[0], about[-1]], space="muscles")
    goals = ca.tip_poses(arm, path.at(np.arange(601) / 200).position)[:, -1, :3, 3]
    t = np.arange(0, 3, 0.1)
    pushes = np.concatenate([np.zeros((len(t), 3)), 0.3 * np.random.default_rng(0).normal(size=(len(t), 3))], axis=1)
    errors = []
    for postures in (about[0], about[-1], about):
        controller = ca.LQR(arm, postures, force=20.0, speed=0.3, highest=5e6)
        motion = ca.simulate(
            arm.replace(payload=ca.Payload(mass=0.065)),
            ca.loop(controller, path, rate=200),
            duration=3,
            q0=about[0],
            wrench=ca.WrenchSignal(t, pushes, linear=False),
        )
        assert not motion.stopped
        errors.append(np.sqrt(((motion.tips[:, -1] - goals) ** 2).sum(axis=1).mean()))
    hanging, curled, scheduled = errors
    assert scheduled < 0.95 * min(hanging, curled)


def test_what_is_summed_up_begins_anew():
    arm = ca.load_arm("prototype")
    plant, goal = Plant(arm), ca.Point(np.full(9, 0.02), space="muscles")
    controller = ca.ComputedTorque(arm)
    state = plant.first_state(np.full(9, 0.0198))
    first = [controller.command(t, state, goal) for t in (0.0, 0.1, 0.2)]
    again = [controller.command(t, state, goal) for t in (0.0, 0.1, 0.2)]
    np.testing.assert_array_equal(first, again)
    assert (first[2] > first[1]).all()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda arm: ca.ComputedTorque(arm, bandwidth=0.0), "bandwidth = 0.0"),
        (lambda arm: ca.ComputedTorque(arm, space="joints"), "space = 'joints'"),
        (lambda arm: ca.GravityCompensation(arm, highest=-1.0), "highest = -1.0"),
        (
            lambda arm: ca.GravityCompensation(arm, damping=-1),
            "damping = -1: must be a number of times the arm's own, 0",
        ),
        (lambda arm: ca.LQR(arm, np.zeros(3)), "about has shape (3,)"),
        (lambda arm: ca.LQR(arm, np.zeros(9), force=0.0), "force = 0.0"),
        (lambda arm: ca.LQR(arm, np.zeros((4, 3))), "about has shape (4, 3)"),
        (lambda arm: ca.LQR(arm, np.zeros((0, 9))), "about has shape (0, 9)"),
        (lambda arm: ca.LQR(arm, np.zeros((2, 2, 9))), "about has shape (2, 2, 9)"),
        (lambda arm: ca.LQR(arm, [np.zeros(9), np.full(9, -0.2)]), "about"),
        (lambda arm: ca.ComputedTorque(arm.replace({"sections[0].muscle_area": None})), "has no muscle_area"),
    ],
)
def test_bad_controllers_are_refused(make, words):
    with pytest.raises(ValueError, match=r"must|need") as error:
        make(ca.load_arm("prototype"))
    assert words in str(error.value)
