"""Train a policy to bring the tip of the prototype arm to points, judge it, and show it in the viewer.

    python examples/learn_to_reach.py --seed 1

PPO of Stable-Baselines3 (pip install 'continuarm[learning]' stable-baselines3) on 128 arms that move together. Ctrl-C
ends the training; what was learned until then is judged and kept: reach.zip, the policy, and reach.html, an episode.
"""

import argparse
import time

import gymnasium
import numpy as np
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback

from continuarm.learning.stable_baselines import StableBaselinesEnv

ARMS = 128
EPISODES = 1000  # by which a policy is judged
ID = "continuarm/Reach-v0"


class Progress(BaseCallback):
    """Says every 15 seconds how it goes."""

    def _on_training_start(self):
        self.begun = self.said = time.monotonic()

    def _on_step(self):
        now = time.monotonic()
        if now - self.said > 15:
            self.said = now
            self.say(now)
        return True

    def say(self, now):
        succeeded = np.mean(self.model.ep_success_buffer or [0.0])
        print(
            f"{(now - self.begun) / 60:5.1f} min  {self.num_timesteps / 1e6:6.2f} million actions  "
            f"{100 * succeeded:3.0f} % of the last {len(self.model.ep_success_buffer)} episodes succeeded",
            flush=True,
        )


def train(seed, actions):
    model = PPO(
        "MlpPolicy",
        StableBaselinesEnv(ID, ARMS),
        n_steps=50,
        batch_size=1600,
        n_epochs=5,
        learning_rate=lambda left: 1e-3 * left,
        gamma=0.95,
        gae_lambda=0.9,
        policy_kwargs={"net_arch": [128, 128], "log_std_init": -1.0},
        stats_window_size=1000,
        seed=seed,
        device="cpu",
    )
    try:
        model.learn(total_timesteps=actions, callback=Progress())
    except KeyboardInterrupt:
        print("interrupted: what was learned until now is kept")
    return model


def success_rate(model, seed):
    """Of episodes that it has not been trained on: the share that ends near the target, and the median distance."""
    envs = gymnasium.make_vec(ID, num_envs=EPISODES)
    observations, _ = envs.reset(seed=seed)
    for _ in range(envs.spec.max_episode_steps):
        actions, _ = model.predict(observations, deterministic=True)
        observations, _, _, _, infos = envs.step(actions)
    return float(infos["is_success"].mean()), float(np.median(infos["distance"]))


def episode(model, seed):
    """The motion of one episode."""
    env = gymnasium.make(ID)
    observation, _ = env.reset(seed=seed)
    ended = False
    while not ended:
        action, _ = model.predict(observation, deterministic=True)
        observation, _, terminated, truncated, _ = env.step(action)
        ended = terminated or truncated
    return env.unwrapped.motion()


def main():
    given = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    given.add_argument("--seed", type=int, default=0)
    given.add_argument("--actions", type=float, default=2e6, help="how many all arms together learn from")
    given.add_argument("--output", default="reach", help="reach: writes reach.zip and reach.html")
    chosen = given.parse_args()
    torch.set_num_threads(1)  # small networks gain nothing by more
    begun, worked = time.monotonic(), time.process_time()
    model = train(chosen.seed, int(chosen.actions))
    trained, worked = time.monotonic() - begun, time.process_time() - worked
    model.save(chosen.output)
    rate, distance = success_rate(model, seed=10**6)
    print(
        f"seed {chosen.seed}: {model.num_timesteps / 1e6:.2f} million actions in {trained / 60:.1f} min "
        f"({worked / 60:.1f} min of a processor); "
        f"{100 * rate:.1f} % of {EPISODES} new episodes succeeded, median distance at the end {1e3 * distance:.1f} mm"
    )
    episode(model, seed=10**6).page(f"{chosen.output}.html")
    print(f"wrote {chosen.output}.zip and {chosen.output}.html, which any browser opens")


if __name__ == "__main__":
    main()
