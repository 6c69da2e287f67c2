"""One episode at a time: a vector environment of one arm."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from continuarm.common.number_checks import Floats
from continuarm.learning.infos import single_info
from continuarm.learning.tasks import Task
from continuarm.learning.vector_env import RENDER_MODES, ArmVectorEnv
from continuarm.simulation.inputs import PressureSignal, WrenchSignal
from continuarm.simulation.motion import Motion
from continuarm.simulation.simulator import simulate
from continuarm.simulation.solvers import FixedStep


class ArmEnv(gymnasium.Env[NDArray[np.float32], NDArray[np.float32]]):
    """One arm in one episode at a time, as Gymnasium's environments are: an `ArmVectorEnv` of one.

    Episodes end by themselves in Throw and where the arm leaves the model's range; the others are truncated by
    `gymnasium.make`, whose limit is 100 actions, of Track 200.

    Parameters
    ----------
    task : {"reach", "track", "hold", "throw"} or Task
    render_mode : {"rgb_array"}, optional
    **options
        Those of `ArmVectorEnv` but for num_envs, max_episode_steps and autoreset_mode, and those of the task.

    Attributes
    ----------
    arm : Arm
        The nominal one.
    task : Task
    observation_units : ndarray, (width,)
        What a number of an observation is multiplied by to be in m, m/s or Pa.

    Examples
    --------
    >>> import gymnasium
    >>> import continuarm.learning
    >>> env = gymnasium.make("continuarm/Reach-v0", arm="single-section", tolerance=0.02)
    >>> observation, info = env.reset(seed=1)
    >>> observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
    >>> sorted(info), env.action_space.shape
    (['distance', 'is_success'], (3,))
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 100}  # noqa: RUF012 - as Gymnasium has it

    def __init__(self, task: str | Task = "reach", *, render_mode: str | None = None, **options: Any) -> None:
        for name in ("num_envs", "max_episode_steps", "autoreset_mode"):
            if name in options:
                raise TypeError(f"{name} is no option of one environment: must be given to gymnasium.make_vec or make")
        self._vector = ArmVectorEnv(task, 1, autoreset_mode=AutoresetMode.DISABLED, render_mode=render_mode, **options)
        self.task, self.arm, self.render_mode = self._vector.task, self._vector.arm, render_mode
        self.metadata = {name: value for name, value in self._vector.metadata.items() if name != "autoreset_mode"}
        self.action_space = self._vector.single_action_space
        self.observation_space = self._vector.single_observation_space
        self.observation_units = self._vector.observation_units
        self._driven: list[tuple[Floats, Floats]] = []  # pressures and wrenches of the episode, action by action

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begins an episode.

        Parameters
        ----------
        seed : int, optional
            Of the episodes from now on.
        options : dict, optional
            Not used.

        Returns
        -------
        observation : ndarray, (width,)
        info : dict
        """
        super().reset(seed=seed)
        self._vector.np_random = (self.np_random,)
        observations, infos = self._vector.reset()
        self._driven = []
        return observations[0], single_info(infos)

    def step(self, action: NDArray[np.float32]) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Moves the arm on by one action.

        Parameters
        ----------
        action : ndarray, (lines,)
            From -1 to 1; in Throw a last number, which lets go where it is above 0.

        Returns
        -------
        observation : ndarray, (width,)
        reward : float
        terminated, truncated : bool
        info : dict
        """
        given = np.asarray(action)
        if given.shape != self.action_space.shape:
            raise ValueError(f"action has shape {given.shape}: must be {self.action_space.shape}")
        world = self._vector.world
        push = self.task.wrench(world)
        observations, rewards, terminated, truncated, infos = self._vector.step(given[None])
        self._driven.append((world.commanded[0], np.zeros(6) if push is None else push[0]))
        return observations[0], float(rewards[0]), bool(terminated[0]), bool(truncated[0]), single_info(infos)

    def motion(self) -> Motion:
        """The episode so far as a motion, 1,000 states a second: `env.unwrapped.motion().view()` shows it.

        It is simulated again from where it began under what drove it, in the same steps: to the last bit what was
        observed.

        Returns
        -------
        Motion
        """
        if not self._driven:
            raise ValueError("nothing has moved yet: must have made a step")
        world = self._vector.world
        pressures, wrenches = (np.array(each) for each in zip(*self._driven, strict=True))
        times = np.arange(len(pressures)) * world.control_step
        start = world.starts[0]
        return simulate(
            world.arms[int(world.batch.which[0])],
            PressureSignal(times, pressures, linear=False),
            duration=len(pressures) * world.control_step,
            q0=world.shapes.q[start],
            pressures=world.shapes.pressures[start] if world.lagged.any() else None,
            wrench=WrenchSignal(times, wrenches, linear=False) if wrenches.any() else None,
            solver=FixedStep(1 / world.step),
            rate=1 / world.step,
        )

    def render(self) -> Any:
        """A picture, (height, width, 3), or None without a render_mode."""
        frames = self._vector.render()
        return None if frames is None else frames[0]
