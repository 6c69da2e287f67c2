"""Laws of the environments: Gymnasium's own checks, one arm and many agree, seeds, ends and beginnings of episodes."""

import pickle
import subprocess
import sys

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.vector import AutoresetMode

import continuarm as ca
import continuarm.learning as learning
from refusals import refused

pytestmark = pytest.mark.slow

IDS = [f"continuarm/{name}-v0" for name in ("Reach", "Track", "Hold", "Throw")]
WILD = ca.load_arm("single-section").replace({"sections[0].muscle_area": 1.5e-3})
"""An arm that pressures bend beyond the model's range; it still rests under many of them."""
QUICK = {"arm": "single-section"}


def actions_of(envs, count, seed=0):
    """Random ones; nothing is thrown before the middle."""
    envs.action_space.seed(seed)
    drawn = [envs.action_space.sample() for _ in range(count)]
    if "Throw" in envs.spec.id:
        for each in drawn[: count // 2]:
            each[..., -1] = -1.0
    return drawn


@pytest.mark.parametrize("render_mode", [None, "rgb_array"])
@pytest.mark.parametrize("id", IDS)
def test_gymnasium_finds_nothing_wrong(id, render_mode):
    check_env(gymnasium.make(id, render_mode=render_mode, size=(96, 64)).unwrapped)


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
@pytest.mark.parametrize("id", IDS)
def test_many_arms_do_what_each_does_alone(id, mode):
    """Observations, rewards, ends and infos, bit for bit, those of Gymnasium's own loop over single environments."""
    more = QUICK | {"randomize": {"stiffness": 100.0, "damping": 10.0}, "pool": 5}
    many = gymnasium.make_vec(id, num_envs=6, max_episode_steps=13, autoreset_mode=mode, **more)
    loop = gymnasium.make_vec(
        id, num_envs=6, vectorization_mode="sync", vector_kwargs={"autoreset_mode": mode}, max_episode_steps=13, **more
    )
    assert many.single_observation_space == loop.single_observation_space
    assert many.action_space == loop.action_space
    assert many.metadata == loop.metadata
    assert data_equivalence(many.reset(seed=3), loop.reset(seed=3), exact=True)
    ends = 0
    for actions in actions_of(many, 40):
        found, wanted = many.step(actions), loop.step(actions)
        assert data_equivalence(found, wanted, exact=True)
        ends += int((found[2] | found[3]).sum())
    assert ends >= 12  # two episodes of each arm at least


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_many_arms_leave_the_range_as_each_does_alone(mode):
    more = {"arm": WILD, "highest_pressure": 300e3, "max_episode_steps": 30}
    many = gymnasium.make_vec("continuarm/Reach-v0", num_envs=5, autoreset_mode=mode, **more)
    loop = gymnasium.make_vec(
        "continuarm/Reach-v0", num_envs=5, vectorization_mode="sync", vector_kwargs={"autoreset_mode": mode}, **more
    )
    assert data_equivalence(many.reset(seed=1), loop.reset(seed=1), exact=True)
    causes = []
    for actions in np.repeat(np.sign(actions_of(many, 5)), 12, axis=0):  # held, so that they bend far
        found = many.step(actions)
        assert data_equivalence(found, loop.step(actions), exact=True)
        infos = found[4].get("final_info", found[4])
        causes += [cause for cause in infos.get("cause", []) if cause]
    assert causes
    assert all("section" in cause for cause in causes)


def test_an_arm_that_leaves_the_range_is_terminated_with_its_cause():
    env = gymnasium.make("continuarm/Reach-v0", arm=WILD, highest_pressure=300e3)
    env.reset(seed=0)
    for _ in range(100):
        observation, reward, terminated, _, info = env.step(np.array([1.0, -1.0, -1.0], dtype=np.float32))
        assert observation in env.observation_space
        assert 0 <= reward <= 1
        if terminated:
            break
        assert "cause" not in info
    assert terminated
    assert "section" in info["cause"]
    with refused("has ended"):
        env.step(np.zeros(3, dtype=np.float32))


def test_the_disabled_mode_leaves_the_beginning_to_the_user():
    envs = gymnasium.make_vec(
        "continuarm/Throw-v0", num_envs=4, autoreset_mode="Disabled", max_episode_steps=50, **QUICK
    )
    assert envs.metadata["autoreset_mode"] is AutoresetMode.DISABLED
    envs.reset(seed=0)
    actions = np.full(envs.action_space.shape, -0.5, dtype=np.float32)
    before = envs.step(actions)[0]
    actions[1, -1] = 1.0
    after, _, terminated, _, infos = envs.step(actions)
    assert terminated.tolist() == [False, True, False, False]
    assert infos["_landing"].tolist() == terminated.tolist()
    with refused("arm 1"):
        envs.step(actions)
    again, infos = envs.reset(options={"reset_mask": terminated})
    assert np.array_equal(again[~terminated], after[~terminated])
    assert infos["_is_success"].tolist() == terminated.tolist()
    actions[1, -1] = -1.0
    envs.step(actions)
    assert not np.array_equal(before, after)


@pytest.mark.parametrize("id", IDS)
def test_a_seed_gives_the_same_episodes_again_and_others_differ(id):
    envs = gymnasium.make_vec(id, num_envs=3, max_episode_steps=7, **QUICK)

    def run(seed):
        found = [envs.reset(seed=seed)[0]]
        return np.array(found + [envs.step(actions)[0] for actions in actions_of(envs, 20)])

    first = run(5)
    assert np.array_equal(run(5), first)
    assert np.array_equal(run([5, 6, 7]), first)
    assert not np.array_equal(run(6), first)
    assert np.array_equal(run(6)[0, 0], first[0, 1])  # arm k has the seed seed + k
    assert not np.array_equal(envs.reset()[0], envs.reset()[0])  # without a seed, they go on


def test_ids_are_found_without_an_import_and_the_extra_is_named_where_gymnasium_is_not():
    code = "import gymnasium; print(gymnasium.make('continuarm.learning:continuarm/Reach-v0').observation_space.shape)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "(27,)"
    hidden = "import sys; sys.modules['gymnasium'] = None; import continuarm; import continuarm.learning"
    done = subprocess.run([sys.executable, "-c", hidden], capture_output=True, text=True, check=False)
    assert "pip install 'continuarm[learning]'" in done.stderr.splitlines()[-1]


@pytest.mark.parametrize("id", IDS)
def test_a_picture_shows_the_arm_and_its_target(id):
    envs = gymnasium.make_vec(id, num_envs=2, render_mode="rgb_array", size=(160, 120), **QUICK)
    envs.reset(seed=0)
    first = envs.render()
    envs.step(np.ones(envs.action_space.shape, dtype=np.float32))
    second = envs.render()
    assert len(first) == 2
    assert first[0].shape == (120, 160, 3)
    assert first[0].dtype == np.uint8
    assert not np.array_equal(first[0], second[0])
    red = (second[1][..., 0] > 180) & (second[1][..., 1] < 120) & (second[1][..., 2] < 60)
    assert red.any()  # the ring around the target


def test_pressures_of_lines_and_behind_slow_valves_are_commanded_and_observed():
    env = gymnasium.make("continuarm/Reach-v0", arm="asu-two-section", highest_pressure=30e3).unwrapped
    assert env.action_space.shape == (6,)  # six lines of eight muscles
    assert env.observation_space.shape == (6 + 6 + 3 + 8 + 6,)
    env.reset(seed=0)
    observation = env.step(np.ones(6, dtype=np.float32))[0]
    inside = observation[15:23]
    assert (inside > 0).all()
    assert (inside < 0.1).all()  # the valves take 0.6 s


def test_what_cannot_be_is_refused_in_one_sentence():
    make, many = gymnasium.make, gymnasium.make_vec
    with refused("tolerance = -1"):
        make("continuarm/Reach-v0", tolerance=-1)
    with refused("push is no option of 'reach'", error=TypeError):
        make("continuarm/Reach-v0", push=1.0)
    with refused("'stanford-trunk'", "muscle_area"):
        make("continuarm/Reach-v0", arm="stanford-trunk")
    with refused("gravity"):
        make("continuarm/Throw-v0", arm=ca.load_arm("prototype").replace(gravity=(0, 0, 0)))
    with refused("periods[1] = 1 s", "periods[0] = 2 s"):
        make("continuarm/Track-v0", periods=(2.0, 1.0))
    with refused("autoreset_mode = 'Never'"):
        many("continuarm/Reach-v0", num_envs=2, autoreset_mode="Never")
    with refused("render_mode = 'human'"):
        learning.ArmEnv("reach", render_mode="human")
    with refused("max_episode_steps = 0"):
        many("continuarm/Reach-v0", num_envs=2, max_episode_steps=0)
    with refused("task = 'run'"):
        learning.ArmEnv("run")
    with refused("highest_pressure"):
        make("continuarm/Reach-v0", arm="single-section", highest_pressure=-5.0)
    envs = many("continuarm/Reach-v0", num_envs=3, **QUICK)
    with refused("must be reset first"):
        envs.step(np.zeros((3, 3)))
    envs.reset(seed=0)
    with refused("actions[2, 1] = nan"):
        envs.step(np.where(np.arange(9).reshape(3, 3) == 7, np.nan, 0.0))
    with refused("actions has shape (2, 3)", "(3, 3)"):
        envs.step(np.zeros((2, 3)))
    with refused("seed has 2 numbers"):
        envs.reset(seed=[1, 2])
    with refused("reset_mask has shape (2,)"):
        envs.reset(options={"reset_mask": np.ones(2, dtype=bool)})


def test_a_task_that_two_environments_are_made_of_serves_each_by_itself():
    task = learning.Reach(tolerance=0.02)
    one, other = (learning.ArmVectorEnv(task, count, arm="single-section") for count in (2, 3))
    before = one.reset(seed=0)[0]
    other.reset(seed=5)
    one.step(np.full((2, 3), -1.0))
    assert np.array_equal(one.reset(seed=0)[0], before)
    assert one.task.tolerance == other.task.tolerance == 0.02


def test_an_environment_can_be_pickled_and_goes_on():
    envs = learning.ArmVectorEnv("hold", 3, arm="single-section")
    envs.reset(seed=0)
    actions = np.zeros((3, 3), dtype=np.float32)
    envs.step(actions)
    again = pickle.loads(pickle.dumps(envs))
    assert data_equivalence(envs.step(actions), again.step(actions), exact=True)
