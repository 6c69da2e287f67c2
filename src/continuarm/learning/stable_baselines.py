"""The environments for Stable-Baselines3, whose vector environments have another form than Gymnasium's."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

try:
    from stable_baselines3.common.vec_env import VecEnv
except ImportError:
    needed = "continuarm.learning.stable_baselines needs the package stable-baselines3: pip install stable-baselines3"
    raise ImportError(needed) from None

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

__all__ = ["StableBaselinesEnv"]


class StableBaselinesEnv(VecEnv):
    """Many arms as Stable-Baselines3 takes them: begun anew in the same step, with one dict of infos for each arm.

    What its Monitor would add is there: "episode" with the sum of rewards and the number of actions, and "is_success".

    Parameters
    ----------
    id : str
        Such as "continuarm/Reach-v0".
    num_envs : int
    **options
        Those of the environment, see `ArmVectorEnv`.

    Examples
    --------
    >>> from continuarm.learning.stable_baselines import StableBaselinesEnv
    >>> envs = StableBaselinesEnv("continuarm/Reach-v0", 8, arm="single-section")
    >>> envs.reset().shape
    (8, 15)
    """

    def __init__(self, id: str, num_envs: int, **options: Any) -> None:
        self.envs = gymnasium.make_vec(id, num_envs, autoreset_mode=AutoresetMode.SAME_STEP, **options)
        self._begun = time.monotonic()
        self._sums, self._counts = np.zeros(num_envs), np.zeros(num_envs, dtype=int)
        self.render_mode = self.envs.render_mode
        super().__init__(num_envs, self.envs.single_observation_space, self.envs.single_action_space)

    def reset(self) -> NDArray[np.float32]:
        """Begins all episodes anew; `seed` has been called before where they are to be those of a seed."""
        seeds: Any = None if None in self._seeds else [int(seed or 0) for seed in self._seeds]
        observations, _ = self.envs.reset(seed=seeds)
        self._sums[:], self._counts[:] = 0.0, 0
        self._reset_seeds()
        self._reset_options()
        return np.asarray(observations)

    def step_async(self, actions: NDArray[Any]) -> None:
        """Takes the actions of the next step."""
        self._actions = actions

    def step_wait(self) -> tuple[Any, NDArray[Any], NDArray[Any], list[dict[str, Any]]]:
        """Makes the step."""
        observations, rewards, terminated, truncated, infos = self.envs.step(self._actions)
        self._sums += rewards
        self._counts += 1
        done = terminated | truncated
        each: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for k in np.flatnonzero(done).tolist():
            told = infos["final_info"]
            each[k] = {name[1:]: told[name[1:]][k] for name in told if name.startswith("_") and told[name][k]}
            each[k]["terminal_observation"] = infos["final_obs"][k]
            each[k]["TimeLimit.truncated"] = bool(truncated[k] and not terminated[k])
            took = round(time.monotonic() - self._begun, 6)
            each[k]["episode"] = {"r": float(self._sums[k]), "l": int(self._counts[k]), "t": took}
        self._sums[done], self._counts[done] = 0.0, 0
        return observations, rewards.astype(np.float32), done, each

    def close(self) -> None:
        """Ends the environments."""
        self.envs.close()

    def get_images(self) -> Sequence[NDArray[np.uint8] | None]:
        """A picture of each arm."""
        frames: Any = self.envs.render()
        return list(frames or [None] * self.num_envs)

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """The value of an attribute, which all arms have in common."""
        return [getattr(self.envs, attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Arms have no attributes of their own."""
        raise AttributeError(f"{attr_name} cannot be set: all arms of {self.envs} have their attributes in common")

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **named: Any) -> list[Any]:
        """The value of a method, which all arms have in common."""
        return [getattr(self.envs, method_name)(*args, **named)] * len(list(self._get_indices(indices)))

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Any = None) -> list[bool]:
        """None is."""
        return [False] * len(list(self._get_indices(indices)))
