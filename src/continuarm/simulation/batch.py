"""Many arms that are stepped from outside: what learning and control in the loop ask for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from continuarm.arms.arm import Arm
from continuarm.arms.variations import Arms, arms_of
from continuarm.common.argument_checks import kind_of
from continuarm.common.interruption import uninterrupted
from continuarm.common.number_checks import (
    Floats,
    entry,
    first,
    not_too_large,
    numbers_of_shape,
    real_numbers,
    whole_number,
)
from continuarm.dynamics.plant import Plant
from continuarm.engine.cuda import is_on_gpu
from continuarm.engine.native_batch import exchange_arms
from continuarm.simulation.commanded import refuse_delays
from continuarm.simulation.devices import checked_machine, made_batch, on_host, steps_at_once
from continuarm.simulation.inputs import WrenchSignal
from continuarm.simulation.rollout_commands import batch_pressures, held_rest
from continuarm.simulation.rollouts import causes_of, checked_options, first_states, looked


class Batch:
    """Arms of one layout that keep their states, and are stepped together as `rollout` steps them.

    An arm that leaves the model's range stays where it last was in it until it is `reset`.

    Parameters
    ----------
    arms : Arms, or a list of Arm
        See `vary`.
    step : float, optional
        In s.
    which : array_like of int, (count,), optional
        Which of the arms is at each place of the batch, where there are to be more places than arms, or fewer; one
        place for each arm if left out. `reset` takes it too, and gives a place another arm. Below, "arms" as the length
        of an axis means places.
    q0, qd0 : array_like, (3n,) or (arms, 3n), optional
        The first states, m and m/s; zero if left out.
    pressures : array_like, (muscles,) or (arms, muscles), optional
        What is in the muscles at first, Pa, where a `valve_lag` makes it a state of its own.
    wrench : array_like, (6,), optional
        Moment, N m, and force, N, on the last tips, world axes.
    threads : int, optional
        As many as there are processors if left out.
    device : {"cpu", "cuda"}, optional
        Where the arms are: see `rollout`. `state`, `q`, `qd` and `tips` are CuPy arrays on a GPU; `t`, `stopped` and
        `which` are NumPy's everywhere.
    dtype : {"float64", "float32"}, optional
        The numbers that a GPU computes with; processors take float64 only.

    Examples
    --------
    >>> batch = ca.Batch(ca.vary(ca.load_arm("prototype"), damping=[90.0, 110.0, 130.0]))
    >>> batch.step(np.full(9, 200e3), count=100)  # 0.1 s under 200 kPa
    >>> batch.t
    array([0.1, 0.1, 0.1])
    >>> batch.reset([True, False, False])
    >>> batch.t, bool(batch.q[0].any())
    (array([0. , 0.1, 0.1]), False)
    """

    def __init__(
        self,
        arms: Arms | Sequence[Arm] | Arm,
        step: float = 1e-3,
        *,
        which: ArrayLike | None = None,
        q0: ArrayLike | None = None,
        qd0: ArrayLike | None = None,
        pressures: ArrayLike | None = None,
        wrench: ArrayLike | None = None,
        threads: int | None = None,
        device: str = "cpu",
        dtype: str = "float64",
    ) -> None:
        self.arms = arms_of(arms)
        self._step, _, _, self._threads = checked_options(step, 1, 1, threads)
        self._device, self._dtype = device, dtype
        self._machine = checked_machine(device, dtype)
        self._plant = Plant(self.arms[0])
        if isinstance(wrench, WrenchSignal):
            raise ValueError("wrench is a WrenchSignal: must be six constant numbers in a Batch")
        self._rest = held_rest(self.arms[0], wrench)
        refuse_delays(self.arms[0], "a Batch")
        self._which = np.arange(len(self.arms)) if which is None else _places(which, None, len(self.arms))
        self._native = self._made()
        self._done = 0
        self._since = np.zeros(len(self))
        self._seen: Any = None  # what was looked up since the last step
        self.reset(q0=q0, qd0=qd0, pressures=pressures)

    def _made(self) -> Any:
        return made_batch(self.arms, self._plant, self._step, self._machine, self._dtype, self._which)

    # What is in native memory is written out, so that a batch goes on where it was, in another process too.
    def __getstate__(self) -> dict[str, Any]:
        left = ("_native", "_plant", "_seen", "_machine")
        kept = {name: value for name, value in vars(self).items() if name not in left}
        own = {"_since": self._since.copy(), "_which": self._which.copy()}
        return kept | own | {"_looks": on_host(self._machine, *looked(self._native, self, self._plant))}

    def __setstate__(self, state: dict[str, Any]) -> None:
        looks = state.pop("_looks")
        vars(self).update(state)
        self._machine = checked_machine(self._device, self._dtype)
        self._plant = Plant(self.arms[0])
        self._native = self._made()
        self._seen = None
        self._native.restore(*looks)

    def __eq__(self, other: object) -> bool:
        """Whether it has the same arms, and they are in the same states."""
        if not isinstance(other, Batch):
            return NotImplemented
        one, another = self.__getstate__(), other.__getstate__()
        names = ("_since", "_rest", "_which")
        arrays = [(*each.pop("_looks")[:2], *map(each.pop, names)) for each in (one, another)]
        return one == another and all(map(np.array_equal, *arrays))

    __hash__ = None  # type: ignore[assignment]  # it changes

    def __len__(self) -> int:
        """How many places there are, with an arm at each."""
        return len(self._which)

    def __repr__(self) -> str:
        return f"Batch({len(self)} of {self.arms[0].name!r}, steps of {self._step:g} s)"

    def step(self, pressures: ArrayLike, count: int = 1, *, wrench: ArrayLike | None = None) -> None:
        """Steps all arms under pressures that are held.

        Parameters
        ----------
        pressures : array_like, (muscles,) or (arms, muscles)
            Pa; or one number for each line of the arm.
        count : int, optional
            How many steps.
        wrench : array_like, (6,) or (arms, 6), optional
            Moment, N m, and force, N, on the last tips during these steps; what the batch was made with if left out.
        """
        found = batch_pressures(self.arms, "pressures", pressures, (len(self),), self._machine)
        count = whole_number("count", count, least=1, most=10**9)
        if wrench is not None:
            (found,) = on_host(self._machine, found)
            found = self._plant.commands.rows(found, 0.0, _wrenches(wrench, len(self)))
        table = np.zeros(len(self)) if found.size == found.shape[-1] else np.arange(len(self), dtype=float)
        rows = found.reshape(-1, 1, found.shape[-1])
        self._seen = None
        if self._machine is not None:
            rows, table = self._native.tables(rows, table)
        block = steps_at_once(len(self), self._machine)
        while count:
            most = min(block, count)
            nothing = (None, None, None, None)
            with uninterrupted():  # the clock goes on with the states
                self._native.advance(rows, table, self._rest, self._done, most, 1, 1, *nothing, self._threads)
                self._done, count = self._done + most, count - most

    def reset(
        self,
        mask: ArrayLike | None = None,
        *,
        which: ArrayLike | None = None,
        q0: ArrayLike | None = None,
        qd0: ArrayLike | None = None,
        pressures: ArrayLike | None = None,
    ) -> None:
        """Puts arms back to t = 0, all of them or those of a mask.

        Parameters
        ----------
        mask : array_like of bool, (arms,), optional
            Which places.
        which : array_like of int, (arms,), optional
            Which of the arms they then have; those that they have if left out. Places without a mask keep theirs.
        q0, qd0 : array_like, (3n,) or (arms, 3n), optional
            Where they begin, m and m/s; zero if left out.
        pressures : array_like, (muscles,) or (arms, muscles), optional
            What is in their muscles, Pa.
        """
        chosen = _mask(mask, len(self), self._machine)
        others = self._which
        if which is not None:
            others = np.where(chosen, _places(which, len(self), len(self.arms)), self._which)
            exchange_arms(self._native, self.arms, self._step, others, chosen)
        try:
            placed = _Placed(self.arms, others)
            first_states(self._native, placed, self._plant, q0, qd0, pressures, chosen, self._threads)
        except ValueError:
            if which is not None:
                exchange_arms(self._native, self.arms, self._step, self._which, chosen)
            raise
        self._which = others
        self._since[chosen] = self._done
        self._seen = None

    def _look(self) -> tuple[Floats, Floats, Floats]:
        """States, the steps after which arms left the model's range, and the states there: looked up once a step."""
        if self._seen is None:
            self._seen = looked(self._native, self, self._plant)
        found: tuple[Floats, Floats, Floats] = self._seen
        return found

    @property
    def which(self) -> NDArray[np.intp]:
        """Which of the arms is at each place, (arms,)."""
        return self._which.copy()

    @property
    def t(self) -> Floats:
        """Time since each arm was reset, (arms,), s; that at which it left the model's range where it did."""
        ended = self._look()[1]
        return np.asarray((np.where(ended >= 0, ended, self._done) - self._since) * self._step)

    @property
    def state(self) -> Floats:
        """All that the arms remember, (arms, width): q, q̇, pressures, hysteresis and creep, and the work done."""
        return self._look()[0].copy()

    @property
    def q(self) -> Floats:
        """Length changes, (arms, 3n), m."""
        found: Floats = self._plant.states.split(self._look()[0]).q.copy()
        return found

    @property
    def qd(self) -> Floats:
        """Their rates, (arms, 3n), m/s."""
        found: Floats = self._plant.states.split(self._look()[0]).qd.copy()
        return found

    @property
    def tips(self) -> Floats:
        """Tips of all sections, (arms, n, 3), m, world frame."""
        shape = (len(self), 1, 3 * self.arms[0].n)
        found: Any = np.empty(shape) if self._machine is None else self._native.outputs({"tips": shape})["tips"]
        unused, table = np.zeros((1, 1, 0)), np.zeros(len(self))
        self._native.advance(unused, table, self._rest, self._done, 0, 1, 1, None, None, found, None, self._threads)
        tips: Floats = found.reshape(len(self), -1, 3)
        return tips

    @property
    def stopped(self) -> Floats:
        """Time at which each arm left the model's range, (arms,), s since its reset; NaN where it did not."""
        ended = self._look()[1]
        return np.where(ended >= 0, (ended - self._since) * self._step, np.nan)

    @property
    def causes(self) -> tuple[str, ...]:
        """Why each arm left the model's range; empty where it did not."""
        _, ended, refused = self._look()
        return causes_of(_Placed(self.arms, self._which), ended, *on_host(self._machine, refused))


class _Placed(Sequence[Arm]):
    """The arms by their places, made no list of."""

    def __init__(self, arms: Arms, which: NDArray[np.intp]) -> None:
        self._arms, self._which = arms, which

    def __len__(self) -> int:
        return len(self._which)

    def __getitem__(self, place: Any) -> Any:
        return self._arms[int(self._which[place])]


def _places(which: ArrayLike, count: int | None, arms: int) -> NDArray[np.intp]:
    """Which arm is at each place: whole numbers, each that of an arm."""
    allowed = f"whole numbers from 0 to {arms - 1}, one for each place"
    found = real_numbers("which", which, allowed)
    if found.ndim != 1 or not len(found) or (count is not None and len(found) != count):
        raise ValueError(f"which has shape {found.shape}: must be ({count or 'count'},), {allowed}")
    wrong = ~((found >= 0) & (found < arms) & (found == np.floor(found)))
    if wrong.any():
        at = first(wrong)
        raise ValueError(f"{entry('which', at)} = {found[at]:g}: must be {allowed}")
    return found.astype(np.intp)


def _wrenches(wrench: ArrayLike, count: int) -> Floats:
    if isinstance(wrench, WrenchSignal):
        raise ValueError("wrench is a WrenchSignal: must be six constant numbers in a Batch")
    found = not_too_large("wrench", numbers_of_shape("wrench", wrench, 6, "moment and force on a tip"), "N m and N")
    if found.ndim > 2 or (found.ndim == 2 and len(found) != count):
        raise ValueError(f"wrench has shape {found.shape}: must be (6,) or ({count}, 6), one for each arm")
    return found


def _mask(mask: Any, count: int, machine: Any) -> NDArray[np.bool_]:
    if mask is None:
        return np.ones(count, dtype=bool)
    if machine is not None and is_on_gpu(mask):
        mask = machine.host(machine.taken("mask", mask))
    plain = isinstance(mask, (list, tuple)) and all(isinstance(each, (bool, np.bool_)) for each in mask)
    found: NDArray[Any] = np.asarray(mask) if plain or type(mask) is np.ndarray else np.zeros(0)
    if found.dtype != bool:
        raise TypeError(f"mask is {kind_of(mask)}: must be an array of True and False, one for each arm")
    if found.shape != (count,):
        raise ValueError(f"mask has shape {found.shape}: must be ({count},), True or False for each arm")
    return found
