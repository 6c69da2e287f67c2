"""Many episodes at once: the environment that all others here are made of."""

from __future__ import annotations

import copy
import inspect
from typing import Any

import gymnasium
import numpy as np
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from continuarm.arms.arm import Arm, Payload, require_arm
from continuarm.arms.arm_file import load_arm
from continuarm.common.argument_checks import choice, kind_of
from continuarm.common.limits import HIGHEST_PRESSURE
from continuarm.common.number_checks import Floats, entry, first, number_above, real_numbers, seed_number, whole_number
from continuarm.common.text import short
from continuarm.learning.infos import final_infos, only, vector_infos
from continuarm.learning.pictures import Pictures
from continuarm.learning.randomization import Randomize, randomized_arms
from continuarm.learning.rest_shapes import rest_shapes
from continuarm.learning.tasks import Hold, Reach, Report, Task, Track
from continuarm.learning.throwing import Throw
from continuarm.learning.world import LIMIT, Observations, Truths, World

TASKS: dict[str, type[Task]] = {"reach": Reach, "track": Track, "hold": Hold, "throw": Throw}
BALL = Payload(mass=0.05)
"""What an arm throws that carries nothing."""
RENDER_MODES = ("rgb_array",)


class ArmVectorEnv(VectorEnv[NDArray[np.float32], NDArray[np.float32], NDArray[Any]]):
    """Many arms, each in an episode of its own, as Gymnasium's vector environments are.

    An action is a pressure for each line of the arm, from -1, none, to 1, the highest, held for `steps` steps; in Throw
    one number more. An observation is q, q̇, the last tip, pressures behind valves that lag, and what the task shows,
    each divided by what is large for it; the page "Train a policy" has the tables.

    An arm that leaves the model's range ends its episode: it is terminated, and "cause" in the infos says why.

    Parameters
    ----------
    task : {"reach", "track", "hold", "throw"} or Task
    num_envs : int, optional
    arm : Arm or str, optional
        Or the name of one, or a file, as `load_arm` takes it.
    highest_pressure : float, optional
        That of an action of 1, Pa.
    randomize : optional
        Where every episode has another arm: standard deviations by name, {"stiffness": 50.0}, an Identification, arms,
        or "error bars", see `randomized_arms`.
    pool : int, optional
        Of how many arms each episode draws one, where they are randomized.
    step : float, optional
        Of physics, s.
    steps : int, optional
        For how many of them an action is held.
    max_episode_steps : int, optional
        Actions after which an episode is truncated; never if left out.
    autoreset_mode : AutoresetMode or str, optional
        What becomes of an arm whose episode has ended: begun anew by the next step, by the same, or by `reset` with
        options={"reset_mask": mask} alone.
    render_mode : {"rgb_array"}, optional
    size : (int, int), optional
        Width and height of pictures, pixels.
    threads : int, optional
        As many as there are processors if left out.
    **options
        Those of the task, such as tolerance.

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
    >>> envs = gymnasium.make_vec("continuarm/Reach-v0", num_envs=64, randomize={"stiffness": 50.0}, pool=8)
    >>> observations, infos = envs.reset(seed=1)
    >>> observations, rewards, terminated, truncated, infos = envs.step(envs.action_space.sample())
    >>> observations.shape, infos["distance"].shape
    ((64, 27), (64,))
    """

    def __init__(
        self,
        task: str | Task = "reach",
        num_envs: int = 1,
        *,
        arm: Arm | str = "prototype",
        highest_pressure: float = 500e3,
        randomize: Randomize | None = None,
        pool: int = 256,
        step: float = 1e-3,
        steps: int = 10,
        max_episode_steps: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        size: tuple[int, int] = (480, 360),
        threads: int | None = None,
        **options: Any,
    ) -> None:
        self.num_envs = whole_number("num_envs", num_envs, least=1, most=1_000_000)
        self.task = _task(task, options)
        self._most = max_episode_steps
        if max_episode_steps is not None:
            self._most = whole_number("max_episode_steps", max_episode_steps, least=1)
        self.highest_pressure = number_above("highest_pressure", highest_pressure, 0.0, HIGHEST_PRESSURE, "Pa", "Pa")
        self.autoreset_mode = _mode(autoreset_mode)
        nominal = load_arm(arm) if isinstance(arm, str) else arm
        require_arm(nominal)
        if self.task.releases and nominal.payload is None:
            nominal = nominal.replace(payload=BALL)
        self.arm = nominal
        self._line_of = _line_of_muscles(nominal)
        shapes = rest_shapes(nominal, self.highest_pressure, self._line_of)
        steps = whole_number("steps", steps, least=1)
        self.world = World(randomized_arms(nominal, randomize, pool), shapes, self.num_envs, step, steps, threads)
        self.task.attach(self.world)

        if render_mode is not None:
            choice("render_mode", render_mode, RENDER_MODES)
        self.render_mode = render_mode
        self._pictures = Pictures(self.world, self.highest_pressure, size) if render_mode else None
        rate = round(1 / self.world.control_step)
        self.metadata = {
            "render_modes": list(RENDER_MODES),
            "render_fps": rate,
            "autoreset_mode": self.autoreset_mode,
        }
        self._lines = max(self._line_of) + 1
        scales = self.world.scales(self.highest_pressure), self.task.scales(self.world)
        self._own, width = len(scales[0]), sum(map(len, scales))
        self.observation_units = 1 / np.concatenate(scales)
        self._scales = np.tile(np.concatenate(scales).astype(np.float32), (self.num_envs, 1))
        self.single_action_space = gymnasium.spaces.Box(-1.0, 1.0, (self._lines + self.task.releases,), np.float32)
        self.single_observation_space = gymnasium.spaces.Box(-LIMIT, LIMIT, (width,), np.float32)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)

        self._generators: list[np.random.Generator | None] = [None] * self.num_envs
        self._seeds: list[int | None] = [None] * self.num_envs
        self._ended = np.ones(self.num_envs, dtype=bool)  # nothing has begun yet
        self._begun = False

    # Every arm has a generator of its own, so that its episodes are those of one environment with its seed.
    @property
    def np_random(self) -> Any:
        """The generators, one for each arm."""
        return tuple(self._generator(k) for k in range(self.num_envs))

    @np_random.setter
    def np_random(self, value: Any) -> None:
        self._generators = list(value)
        self._seeds = [-1] * self.num_envs

    @property
    def np_random_seed(self) -> Any:
        """Their seeds."""
        return tuple(self._seeds[k] if self._generator(k) else None for k in range(self.num_envs))

    def _generator(self, place: int) -> np.random.Generator:
        if self._generators[place] is None:
            self._generators[place], self._seeds[place] = seeding.np_random()
        found = self._generators[place]
        assert found is not None
        return found

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begins episodes anew, all or those of options["reset_mask"].

        Parameters
        ----------
        seed : int or list of int, optional
            Arm k has the seed seed + k, or seed[k]; those that it has are gone on with if left out.
        options : dict, optional
            {"reset_mask": array of bool, (num_envs,)}.

        Returns
        -------
        observations : ndarray, (num_envs, width)
        infos : dict
        """
        mask = _reset_mask(options, self.num_envs)
        if not self._begun and not mask.all():
            raise ValueError("reset_mask: must be of all arms at first, nothing has begun yet")
        seeds = _seeds(seed, self.num_envs)
        for place in np.flatnonzero(mask).tolist():
            if seeds[place] is not None:
                self._generators[place], self._seeds[place] = seeding.np_random(seeds[place])
        self._begin(mask)
        self._begun, self._ended = True, self._ended & ~mask
        return self._observation(), vector_infos(only(self.task.report(self.world), mask), self.num_envs)

    def step(
        self, actions: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Moves all arms on by one action each.

        Parameters
        ----------
        actions : ndarray, (num_envs, lines)
            From -1 to 1; in Throw a last number, which lets go where it is above 0.

        Returns
        -------
        observations : ndarray, (num_envs, width)
        rewards : ndarray, (num_envs,)
        terminated, truncated : ndarray of bool, (num_envs,)
        infos : dict
        """
        if not self._begun:
            raise ValueError("no episode has begun: must be reset first")
        again = self._ended  # begun anew by this step, in the next-step mode: their actions do not count
        if self.autoreset_mode is AutoresetMode.DISABLED and again.any():
            place = int(np.argmax(again))
            raise ValueError(f"the episode of arm {place} has ended: must be reset before the next step")
        world, task = self.world, self.task
        pressures, released = self._commands(actions, again)
        world.advance(pressures, task.wrench(world))
        task.look(world)
        rewards, terminated = task.score(world, released)
        left = world.left
        terminated |= left
        truncated = world.elapsed >= self._most if self._most else np.zeros(self.num_envs, dtype=bool)
        if again.any():
            rewards[again], terminated[again], truncated[again] = 0.0, False, False
        causes = self._causes(left & ~again)
        self._begin(again)
        self._ended = terminated | truncated
        infos: dict[str, Any] = {}
        if self.autoreset_mode is AutoresetMode.SAME_STEP and self._ended.any():
            infos = final_infos(self._observation(), task.report(world) | causes, self._ended)
            causes = {}
            self._begin(self._ended)
            self._ended = np.zeros(self.num_envs, dtype=bool)
        infos |= vector_infos(task.report(world) | causes, self.num_envs)
        return self._observation(), rewards, terminated, truncated, infos

    def render(self) -> tuple[NDArray[np.uint8], ...] | None:
        """A picture of each arm, (height, width, 3), or None without a render_mode."""
        if self._pictures is None:
            return None
        return tuple(self._pictures.frame(self.task, k) for k in range(self.num_envs))

    def _begin(self, mask: Truths) -> None:
        """Begins episodes of some arms: which arm each has, and what the task makes of random numbers."""
        rows = np.flatnonzero(mask)
        if not len(rows):
            return
        numbers = np.array([self._generator(k).random(1 + self.task.numbers) for k in rows.tolist()])
        which = (numbers[:, 0] * len(self.world.arms)).astype(np.intp)
        shapes = self.task.begin(self.world, rows, numbers[:, 1:])
        self.world.restart(rows, which, shapes)
        self.task.look(self.world)

    def _commands(self, actions: Any, ignored: Truths) -> tuple[Floats, Truths | None]:
        """Pressures of all muscles, (num_envs, muscles), Pa, and which arms let go."""
        shape = self.action_space.shape
        given = real_numbers("actions", actions, f"numbers from -1 to 1 of shape {shape}")
        if given.shape != shape:
            raise ValueError(f"actions has shape {given.shape}: must be {shape}, a row for each arm")
        if ignored.any():
            given = np.where(ignored[:, None], -1.0, given)
        wrong = np.isnan(given)
        if wrong.any():
            raise ValueError(f"{entry('actions', first(wrong))} = nan: must be a number from -1 to 1")
        part = np.clip(given[:, : self._lines], -1.0, 1.0)
        part += 1.0
        part *= self.highest_pressure / 2
        released = given[:, self._lines] > 0 if self.task.releases else None
        return part[:, self._line_of] if self._lines != len(self._line_of) else part, released

    def _observation(self) -> Observations:
        found, own = np.empty_like(self._scales), self._own
        self.world.observe(found[:, :own])
        self.task.observe(self.world, found[:, own:])
        found *= self._scales
        return np.clip(found, -LIMIT, LIMIT, out=found)

    def _causes(self, left: Truths) -> Report:
        """Why arms left the model's range."""
        if not left.any():
            return {}
        causes = np.full(self.num_envs, None, dtype=object)
        causes[left] = np.array(self.world.batch.causes, dtype=object)[left]
        return {"cause": (causes, left)}


def _task(task: str | Task, options: dict[str, Any]) -> Task:
    if isinstance(task, Task):
        if options:
            raise TypeError(f"{next(iter(options))} is no option: must be given to the task, which is an object")
        return copy.copy(task)  # it remembers episodes: those of this environment alone
    if not isinstance(task, str) or task not in TASKS:
        raise ValueError(f"task = {short(task)}: must be one of {', '.join(map(repr, TASKS))}, or a Task")
    known = list(inspect.signature(TASKS[task]).parameters)
    for name in options:
        if name not in known:
            raise TypeError(f"{name} is no option of {task!r}: must be one of {', '.join(known)}, or of every task")
    return TASKS[task](**options)


def _mode(mode: AutoresetMode | str) -> AutoresetMode:
    try:
        return AutoresetMode(mode)
    except ValueError:
        allowed = ", ".join(repr(each.value) for each in AutoresetMode)
        raise ValueError(f"autoreset_mode = {short(mode)}: must be one of {allowed}") from None


def _line_of_muscles(arm: Arm) -> list[int]:
    """The number of the line of every muscle."""
    if any(section.muscle_area is None for section in arm.sections):
        raise ValueError(f"the muscles of {arm.name!r} have no muscle_area: must have one, actions are pressures")
    lines = list(dict.fromkeys(arm.muscle_lines))
    return [lines.index(line) for line in arm.muscle_lines]


def _seeds(seed: Any, count: int) -> list[int | None]:
    if seed is None:
        return [None] * count
    if isinstance(seed, (list, tuple)):
        if len(seed) != count:
            raise ValueError(f"seed has {len(seed)} numbers: must have {count}, one for each arm")
        return [None if each is None else seed_number(f"seed[{k}]", each) for k, each in enumerate(seed)]
    begin = seed_number("seed", seed)
    return [begin + k for k in range(count)]


def _reset_mask(options: dict[str, Any] | None, count: int) -> Truths:
    if not options or "reset_mask" not in options:
        return np.ones(count, dtype=bool)
    mask = options["reset_mask"]
    if not isinstance(mask, np.ndarray) or mask.dtype != bool:
        raise TypeError(f"reset_mask is {kind_of(mask)}: must be an array of True and False, one for each arm")
    if mask.shape != (count,) or not mask.any():
        raise ValueError(f"reset_mask has shape {mask.shape}: must be ({count},), True for at least one arm")
    return mask
