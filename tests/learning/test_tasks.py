"""Laws of the tasks: arms move as they are simulated, targets can be reached, pushes push, throws land."""

import gymnasium
import numpy as np
import pytest

import continuarm as ca
import continuarm.learning as learning
from continuarm.learning.rest_shapes import rest_shapes
from continuarm.learning.throwing import flight_time, flown, payload_motion
from random_arms import random_arm, random_lengths, random_rates

pytestmark = pytest.mark.slow

IDS = [f"continuarm/{name}-v0" for name in ("Reach", "Track", "Hold", "Throw")]
SLOW = ca.load_arm("prototype-muscles")


def commanded(env, pressures):
    """The action that commands these pressures, Pa."""
    action = 2 * np.asarray(pressures) / env.unwrapped._vector.highest_pressure - 1
    return action.astype(np.float32)


@pytest.mark.parametrize("arm", ["prototype", SLOW], ids=["plain", "all laws"])
@pytest.mark.parametrize("id", IDS)
def test_an_episode_is_a_motion_of_the_simulator_to_the_last_bit(id, arm):
    env = gymnasium.make(id, arm=arm, randomize={"damping": 10.0}, pool=4).unwrapped
    env.reset(seed=2)
    rng = np.random.default_rng(0)
    tips, q = [], []
    for _ in range(60):
        action = rng.uniform(-1, 1, env.action_space.shape).astype(np.float32)
        action[9:] = -1.0  # nothing is thrown
        env.step(action)
        tips.append(env._vector.world.tips[0])
        q.append(env._vector.world.q[0])
    motion = env.motion()
    assert np.array_equal(motion.q[10::10], q)
    assert np.array_equal(motion.tips[10::10, -1], tips)
    assert (motion.wrench.any(axis=1).mean() > 0.05) == ("Hold" in id)


def test_every_target_can_be_reached_by_the_pressures_of_its_shape():
    envs = learning.ArmVectorEnv("reach", 64)
    envs.reset(seed=0)
    world, task = envs.world, envs.task
    place = [int(np.argmin(((world.shapes.tips - target) ** 2).sum(axis=1))) for target in task.target]
    actions = 2 * world.shapes.pressures[place] / envs.highest_pressure - 1
    for _ in range(600):  # a slow mode takes seconds, which a policy need not
        *_, infos = envs.step(actions)
    assert infos["is_success"].all()
    assert (infos["distance"] < 2e-3).all()


def test_success_takes_as_long_as_it_is_to_be_held_and_is_lost_at_once():
    env = gymnasium.make("continuarm/Hold-v0", arm="single-section", push=1e-6, hold=0.05)
    env.reset(seed=0)
    start = env.unwrapped._vector.world.commanded[0]
    found = [env.step(commanded(env, start))[4]["is_success"] for _ in range(7)]
    assert found == [False] * 4 + [True] * 3
    for _ in range(30):
        info = env.step(commanded(env, 5e5 - start))[4]
    assert not info["is_success"]


def test_a_push_moves_the_tip_as_a_wrench_does_at_rest():
    envs = learning.ArmVectorEnv("hold", 16, push=0.3)
    envs.reset(seed=0)
    world = envs.world
    start, shapes = world.commanded.copy(), world.starts
    for _ in range(800):
        envs.step(2 * start / envs.highest_pressure - 1)
    forces = envs.task.wrench(world)
    sizes = np.linalg.norm(forces[:, 3:], axis=1)
    assert (sizes <= 0.3).all()
    assert (sizes >= 0.15 - 1e-12).all()
    area, zone = world.arm.sections[0].muscle_area, world.arm.sections[0].dead_zone
    for k in (0, 7, 15):
        tau = area * np.maximum(world.shapes.pressures[shapes[k]] - zone, 0)
        rest = ca.equilibrium(world.arm, tau, wrench=forces[k], start=world.shapes.q[shapes[k]])
        assert np.allclose(world.q[k], rest, rtol=0, atol=1e-5)


def test_a_moving_point_begins_at_one_rest_shape_and_is_at_the_other_after_half_a_period():
    envs = learning.ArmVectorEnv("track", 8, periods=(0.8, 0.8))
    envs.reset(seed=0)
    tips = envs.world.shapes.tips

    def from_a_shape():
        return np.array([((tips - target) ** 2).sum(axis=1).min() for target in envs.task.target])

    assert (from_a_shape() < 1e-20).all()
    first = envs.task.target.copy()
    observed = envs.step(np.zeros((8, 9)))[0]
    ahead = observed[:, -3:] * envs.world.reach / 5 + envs.task.target
    for _ in range(5):
        envs.step(np.zeros((8, 9)))
    assert np.allclose(ahead, envs.task.target, rtol=0, atol=1e-6)  # 50 ms were observed ahead
    for _ in range(34):
        envs.step(np.zeros((8, 9)))
    assert (from_a_shape() < 1e-12).all()
    assert (np.linalg.norm(envs.task.target - first, axis=1) > 1e-3).any()


@pytest.mark.parametrize("seed", range(5))
def test_a_payload_has_the_velocity_at_which_its_place_changes(seed):
    rng = np.random.default_rng(seed)
    arm = random_arm(rng, 3).replace(payload=ca.Payload(mass=0.1, offset=(0.01, -0.02, 0.03)))
    q, qd = random_lengths(rng, arm, 1.0), random_rates(rng, arm)
    place, velocity = payload_motion(arm, q, qd)
    h = 1e-6
    (there, _), (back, _) = (payload_motion(arm, q + s * h * qd, qd) for s in (1, -1))
    assert np.allclose(velocity, (there - back) / (2 * h), rtol=1e-6, atol=1e-7)
    tip = ca.tip_poses(arm, q)[-1]
    assert np.allclose(place, (tip @ [0.01, -0.02, 0.03, 1.0])[:3], rtol=0, atol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_what_flies_keeps_its_energy_and_lands_on_the_ground(seed):
    rng = np.random.default_rng(seed)
    gravity, place, velocity = rng.normal(size=3) * 5, rng.normal(size=3), rng.normal(size=3)
    down = gravity / np.linalg.norm(gravity)
    ground = float(place @ down) + 0.7
    time = flight_time(place, velocity, gravity, ground)
    landing = flown(place, velocity, gravity, time)
    assert landing @ down == pytest.approx(ground, abs=1e-12)
    on_the_way = flown(place, velocity, gravity, np.linspace(0, time, 50)[1:-1])
    assert (on_the_way @ down < ground).all()  # it is the first time that it is there
    speed = velocity + gravity * time
    gained = 0.5 * (speed @ speed - velocity @ velocity)
    assert gained == pytest.approx(gravity @ (landing - place), rel=1e-12)
    assert flight_time(place, velocity, gravity, float(place @ down) - 0.1) == 0.0


def test_a_throw_is_judged_by_where_it_lands():
    env = learning.ArmEnv("throw")
    env.reset(seed=4)
    for k in range(40):
        action = np.where(np.arange(10) == 0, 1.0, -1.0)
        action[9] = 1.0 if k == 30 else -1.0
        _, reward, terminated, _, info = env.step(action)
        if terminated:
            break
        assert reward == 0.0
        assert "landing" not in info
    assert k == 30
    motion = env.motion()
    assert motion.arm.payload.mass == 0.05
    place, velocity = motion.tips[-1, -1], ca.tip_jacobian(motion.arm, motion.q[-1])[-1, 3:] @ motion.qd[-1]
    t = np.linspace(0, 1, 200_001)
    falling = place + velocity * t[:, None] + 0.5 * np.array([0, 0, 9.81]) * t[:, None] ** 2
    depth = env._vector.world.shapes.tips[:, 2].max() + 0.5
    assert np.allclose(info["landing"], falling[np.argmax(falling[:, 2] >= depth)], rtol=0, atol=1e-4)
    assert reward == pytest.approx(1 / (1 + (info["distance"] / 0.05) ** 2))
    assert info["is_success"] == (info["distance"] <= 0.05)


def test_observations_are_numbers_about_one_and_never_beyond_their_limits():
    for task in ("reach", "track", "hold", "throw"):
        envs = learning.ArmVectorEnv(task, 32, max_episode_steps=50)
        observations, _ = envs.reset(seed=0)
        rng, seen = np.random.default_rng(0), [observations]
        for _ in range(60):
            actions = np.sign(rng.normal(size=envs.action_space.shape)).astype(np.float32)
            actions[:, 9:] = -1
            seen.append(envs.step(actions)[0])
        assert all(each in envs.observation_space for each in seen)
        largest = np.abs(seen).max(axis=(0, 1))
        assert (largest[:9] <= 1.5).all()
        assert (largest[:9] > 0.2).all()
        assert 0.2 < largest[9:18].max() < 6


def test_shapes_of_lines_that_feed_several_muscles_rest_under_one_pressure_each():
    arm = ca.load_arm("asu-two-section")
    shapes = rest_shapes(arm, 30e3, [0, 1, 2, 2, 3, 4, 5, 5])
    assert np.array_equal(shapes.pressures[:, 2], shapes.pressures[:, 3])
    assert not shapes.pressures[0].any()
