"""Laws of the form that Stable-Baselines3 takes: the same episodes, told in its words."""

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium.vector import AutoresetMode
from stable_baselines3 import PPO

from continuarm.learning.stable_baselines import StableBaselinesEnv

OPTIONS = {"arm": "single-section", "max_episode_steps": 9}


def test_steps_are_those_of_the_environment_and_ends_are_told():
    adapted = StableBaselinesEnv("continuarm/Hold-v0", 5, **OPTIONS)
    plain = gymnasium.make_vec("continuarm/Hold-v0", 5, autoreset_mode=AutoresetMode.SAME_STEP, **OPTIONS)
    adapted.seed(7)
    assert np.array_equal(adapted.reset(), plain.reset(seed=7)[0])
    rng, sums = np.random.default_rng(0), np.zeros(5)
    for k in range(1, 28):
        actions = rng.uniform(-1, 1, (5, 3)).astype(np.float32)
        observations, rewards, done, infos = adapted.step(actions)
        wanted, given, _, truncated, told = plain.step(actions)
        sums += given
        assert np.array_equal(observations, wanted)
        assert np.array_equal(rewards, given.astype(np.float32))
        assert done.all() == truncated.all() == (k % 9 == 0)
        if k % 9:
            assert infos == [{}] * 5
            continue
        for i, info in enumerate(infos):
            assert info["TimeLimit.truncated"]
            assert info["episode"]["l"] == 9
            assert info["episode"]["r"] == pytest.approx(sums[i])
            assert info["is_success"] == told["final_info"]["is_success"][i]
            assert np.array_equal(info["terminal_observation"], told["final_obs"][i])
        sums[:] = 0


@pytest.fixture
def one_thread():
    """Small networks gain nothing by more, and lose much where other programs run."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of other packages
def test_a_policy_learns_from_it(one_thread):
    envs = StableBaselinesEnv("continuarm/Reach-v0", 32, arm="single-section", max_episode_steps=25)
    model = PPO("MlpPolicy", envs, n_steps=25, batch_size=400, gamma=0.9, learning_rate=2e-3, seed=0, device="cpu")
    model.learn(25 * 32)
    before = np.mean([each["r"] for each in model.ep_info_buffer])
    model.learn(25 * 32 * 15)
    assert np.mean([each["r"] for each in model.ep_info_buffer]) > 1.1 * before
