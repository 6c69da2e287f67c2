"""Many arms at once: fixed implicit steps of all of them, on as many processors as there are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Sized
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from continuarm.arms.arm import Arm, per_section
from continuarm.arms.variations import Arms, arms_of
from continuarm.common import number_checks
from continuarm.common.argument_checks import kind_of, listed
from continuarm.common.number_checks import Floats
from continuarm.common.text import short
from continuarm.dynamics.plant import Plant
from continuarm.engine import cuda
from continuarm.engine.device_batch import DeviceBatch
from continuarm.engine.evaluation import thread_count
from continuarm.simulation.commanded import check_input, refuse_delays
from continuarm.simulation.control_loop import reason
from continuarm.simulation.devices import checked_machine, made_batch, on_host, steps_at_once
from continuarm.simulation.inputs import Input, WrenchSignal
from continuarm.simulation.pressure_commands import warn_of_pressures
from continuarm.simulation.rollout_commands import (
    CommandTables,
    array_tables,
    as_numbers,
    batch_pressures,
    held_rest,
    is_signal,
    policy_pressures,
    signal_tables,
)

OUTPUTS = ("q", "qd", "tips", "energies")
ENERGIES = ("kinetic", "gravitational", "elastic", "supplied", "dissipated")
"""As `Motion.energies` has them, and in the order of native code."""
MOST_NUMBERS = 300_000_000
"""Of the output of one rollout, 2.4 GB: short of exhausting the memory by a slip of the keyboard."""

Policy = Callable[[float, Floats, Floats], ArrayLike]
"""t, q and q̇ (arms, 3n) -> pressures (arms, muscles), Pa."""


@dataclass(frozen=True, eq=False, repr=False)
class Rollout:
    """Motions of many arms, as `rollout` gives them. Outputs that were not asked for are None, or empty.

    Attributes
    ----------
    arms : Arms
    t : ndarray, (k,)
        s.
    q, qd : ndarray, (arms, k, 3n)
        m and m/s; NaN after an arm left the model's range.
    tips : ndarray, (arms, k, n, 3)
        Tips of all sections, m, world frame.
    energies : dict of str to ndarray, (arms, k)
        kinetic, gravitational, elastic, supplied and dissipated, J, as in `Motion.energies`.
    stopped : ndarray, (arms,)
        When an arm left the model's range, s; NaN where it did not.
    causes : tuple of str
        Why, for each arm; empty where it did not.

    Examples
    --------
    >>> arms = ca.vary(ca.load_arm("prototype"), stiffness=[1500.0, 1700.0])
    >>> found = ca.rollout(arms, duration=0.5, every=100)
    >>> found
    Rollout(2 arms, 0.5 s, 6 states each)
    >>> found.tips.shape
    (2, 6, 3, 3)
    """

    arms: Arms
    t: Floats
    q: Floats | None
    qd: Floats | None
    tips: Floats | None
    energies: dict[str, Floats] = field(default_factory=dict)
    stopped: Floats = field(default_factory=lambda: np.zeros(0))
    causes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        ended = int(np.isfinite(self.stopped).sum())
        stopped = f", {ended} stopped" if ended else ""
        return f"Rollout({len(self.arms)} arms, {self.t[-1]:g} s, {len(self.t)} states each{stopped})"


def rollout(
    arms: Arms | Sequence[Arm] | Arm,
    input: Input | ArrayLike | Policy | None = None,
    *,
    duration: float | None = None,
    steps: int | None = None,
    step: float = 1e-3,
    q0: ArrayLike | None = None,
    qd0: ArrayLike | None = None,
    pressures: ArrayLike | None = None,
    wrench: ArrayLike | WrenchSignal | None = None,
    outputs: str | Iterable[str] = ("q", "tips"),
    every: int = 1,
    ask_every: int = 1,
    threads: int | None = None,
    device: str = "cpu",
    dtype: str = "float64",
) -> Rollout:
    """The motions of many arms of one layout in implicit steps of one length, all at once.

    Every arm moves as by `simulate(arm, ..., solver=FixedStep(1 / step))`, to the last bit, however many there are and
    on however many threads. An arm that leaves the model's range stays out, with time and cause; the others go on.

    Parameters
    ----------
    arms : Arms, or a list of Arm
        See `vary`.
    input : optional
        Pressures (steps, muscles) for all arms, or (arms, steps, muscles), Pa, each held for a step; a last axis of one
        number for each line of the arm is taken too. Or any input of `simulate` but a `Controller`. Or a policy, a
        function (t, q, qd) of all arms, (arms, 3n) each, that gives pressures (arms, muscles).
    duration : float, optional
        In s, a whole number of steps. Or `steps`; an array says it itself.
    steps : int, optional
        How many, in place of a duration.
    step : float, optional
        In s.
    q0, qd0 : array_like, (3n,) or (arms, 3n), optional
        The first states, m and m/s; zero if left out.
    pressures : array_like, (muscles,) or (arms, muscles), optional
        What is in the muscles at t = 0, Pa, where a `valve_lag` makes it a state of its own.
    wrench : array_like, (6,), or WrenchSignal, optional
        Moment, N m, and force, N, on the last tips, world axes.
    outputs : str or iterable of str, optional
        Of "q", "qd", "tips", "energies".
    every : int, optional
        Steps from one output to the next; what is left after the last of them is computed and not given.
    ask_every : int, optional
        Steps from one question to a policy to the next; its answer is held.
    threads : int, optional
        As many as there are processors if left out.
    device : {"cpu", "cuda"}, optional
        Where it is computed. "cuda" is a GPU of NVIDIA, through CuPy: pip install 'continuarm[cuda]'. The outputs are
        then CuPy arrays, which torch.from_dlpack and jax.dlpack.from_dlpack take without a copy, and a policy is given
        such arrays; `t` and `stopped` are NumPy's. Pressures on the GPU, in an array of any library that speaks DLPack,
        stay there. The first call with arms of another layout compiles for some seconds.
    dtype : {"float64", "float32"}, optional
        The numbers that a GPU computes with; processors take float64 only.

    Returns
    -------
    Rollout

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> arms = ca.vary(ca.load_arm("prototype"), stiffness=rng.normal(1700.0, 50.0, 20))
    >>> found = ca.rollout(arms, ca.PressureSteps({"l33": [(0.0, 600e3)]}), duration=1.0, every=10)
    >>> found.q.shape
    (20, 101, 9)
    >>> spread = 1e3 * found.tips[:, -1, -1].std(axis=0)  # mm, of the last tips after a second
    """
    fleet = arms_of(arms)
    step, every, ask_every, workers = checked_options(step, every, ask_every, threads)
    machine = checked_machine(device, dtype)
    wanted = _outputs(outputs)
    base = fleet[0]
    plant = Plant(base)
    policy: Any = None
    given: Floats | None = None
    if not is_signal(input):
        if callable(input):
            policy = input
            refuse_delays(base, "a policy")
        else:
            given = batch_pressures(fleet, "input", _array(input, machine), (len(fleet), None), machine)
    else:
        check_input(input)
    count = _step_count(duration, steps, step, None if given is None else given.shape[-2])
    if every > count:
        raise ValueError(f"every = {every}: must be at most {count}, the number of steps")
    rows = count // every + 1
    _check_size(plant, len(fleet), rows, wanted)
    batch = made_batch(fleet, plant, step, machine, dtype)
    first_states(batch, fleet, plant, q0, qd0, pressures, np.ones(len(fleet), dtype=bool))
    shapes = {name: (len(fleet), rows, _width(plant, name)) for name in wanted}
    if machine is not None:
        made = batch.outputs(shapes)
    else:
        made = {name: np.full(shape, np.nan) for name, shape in shapes.items()}
    places = [made.get(name) for name in OUTPUTS]

    def advance(tables: CommandTables, begin: int, number: int) -> None:
        block = steps_at_once(len(fleet), machine)
        driven = batch.tables(tables.rows, tables.table) if machine is not None else (tables.rows, tables.table)
        for at in range(begin, begin + number, block):
            most = min(block, begin + number - at)
            batch.advance(*driven, tables.rest, at, most, every, rows, *places, workers)

    if policy is not None:
        rest, table = held_rest(base, _constant(wrench)), np.arange(len(fleet), dtype=float)
        for begin in range(0, count, ask_every):
            here = plant.states.split(looked(batch, fleet, plant)[0])
            answer = policy(begin * step, here.q.copy(), here.qd.copy())
            answered = policy_pressures(fleet, answer, begin * step, machine)
            advance(CommandTables(answered[:, None], table, rest), begin, min(ask_every, count - begin))
    else:
        if given is not None:
            tables = array_tables(fleet, given, wrench, step, machine)
        else:
            tables = signal_tables(fleet, input, wrench, step, count)  # type: ignore[arg-type]
        highest = plant.commands.split(tables.rows).pressures.max(axis=(0, 1))
        warn_of_pressures(base, highest if machine is None else machine.host(highest))
        advance(tables, 0, count)

    _, ended, refused = looked(batch, fleet, plant)
    n = base.n
    return Rollout(
        arms=fleet,
        t=np.arange(0, rows * every, every, dtype=float) * step,
        q=made.get("q"),
        qd=made.get("qd"),
        tips=made["tips"].reshape(len(fleet), rows, n, 3) if "tips" in made else None,
        energies={name: made["energies"][..., k] for k, name in enumerate(ENERGIES)} if "energies" in made else {},
        stopped=np.where(ended >= 0, ended * step, np.nan),
        causes=causes_of(fleet, ended, *on_host(machine, refused)),
    )


def checked_options(step: float, every: int, ask_every: int, threads: int | None) -> tuple[float, int, int, int]:
    """The step, s, steps between outputs and between questions, and threads, as plain numbers."""
    length = number_checks.number_above("step", step, 1e-7, 1.0, "s", "seconds")
    often = [
        number_checks.whole_number(name, value, least=1, most=10**9)
        for name, value in (("every", every), ("ask_every", ask_every))
    ]
    return length, often[0], often[1], thread_count(threads, most=1024)


def first_states(
    batch: Any,
    arms: Sequence[Arm],
    plant: Plant,
    q0: ArrayLike | None,
    qd0: ArrayLike | None,
    pressures: ArrayLike | None,
    chosen: Any,
    threads: int = 1,
) -> None:
    """Puts the chosen arms at their first states; ValueError, and nothing done, where one cannot be."""
    arm, count = plant.arm, len(arms)
    machine = batch.machine if isinstance(batch, DeviceBatch) else None
    if machine is not None and q0 is None and qd0 is None and pressures is None:  # one row for all, not one for each
        batch.put(plant.first_state(np.zeros(3 * arm.n))[None], chosen)
        return
    q0, qd0 = (
        on_host(machine, as_numbers(name, value, "real numbers", machine))[0] if cuda.is_on_gpu(value) else value
        for name, value in (("q0", q0), ("qd0", qd0))
    )
    q, qd = (
        _per_arm(name, per_section(arm, name, value), count) if value is not None else np.zeros((count, 3 * arm.n))
        for name, value in (("q0", q0), ("qd0", qd0))
    )
    filled = np.zeros((count, len(plant.muscles)))
    if pressures is not None:
        filled[:] = on_host(machine, batch_pressures(arms, "pressures", pressures, (count,), machine))[0]
        if not plant.lagged.any():
            hint = "they follow their commands at once, which are the input"
            raise ValueError(f"pressures at t = 0 are for muscles with a valve_lag, which {arm.name!r} has not: {hint}")
    states = np.tile(plant.first_state(np.zeros(3 * arm.n)), (count, 1))
    parts = plant.states.split(states)
    parts.q[:], parts.qd[:] = q, qd
    parts.pressures[:] = filled
    before = looked(batch, arms, plant) if q0 is not None else None
    batch.put(np.ascontiguousarray(states), np.asarray(chosen, dtype=float))
    if before is None:
        return
    # No steps: arms are only judged, all at once.
    nothing, rest = (np.zeros((1, 1, 0)), np.zeros(count)), np.zeros(plant.commands.width)
    batch.advance(*nothing, rest, 1, 0, 1, 1, None, None, None, None, threads)
    wrong = (looked(batch, arms, plant)[1] >= 0) & chosen
    if wrong.any():
        k = int(np.argmax(wrong))
        batch.restore(*before)
        raise ValueError(f"q0 of arm {k}: {reason(Plant(arms[k]), states[k])}")


def looked(batch: Any, arms: Sized, plant: Plant) -> tuple[Floats, Floats, Floats]:
    """States (arms, width), steps after which arms left the model's range or -1, (arms,), and the states there."""
    if isinstance(batch, DeviceBatch):
        return batch.look()
    shape = (len(arms), plant.states.width)
    states, ended, refused = np.empty(shape), np.empty(len(arms)), np.empty(shape)
    batch.look(states, ended, refused)
    return states, ended, refused


def causes_of(arms: Sequence[Arm], ended: Floats, refused: Floats) -> tuple[str, ...]:
    """Why each arm left the model's range; empty where it did not."""
    causes = [""] * len(arms)
    for k in np.flatnonzero(ended >= 0).tolist():
        causes[k] = reason(Plant(arms[k]), refused[k], "the steps are too long for this motion")
    return tuple(causes)


def _per_arm(name: str, value: Floats, count: int) -> Floats:
    if value.ndim > 2 or (value.ndim == 2 and len(value) != count):
        width = value.shape[-1]
        raise ValueError(f"{name} has shape {value.shape}: must be ({width},) or ({count}, {width}), one for each arm")
    return np.broadcast_to(value, (count, value.shape[-1]))


def _array(input: Any, machine: Any) -> Any:
    if isinstance(input, (str, bytes, dict)) or not (hasattr(input, "__len__") or hasattr(input, "__array__")):
        kinds = "pressures, a PressureSteps, PressureSignal, ForceSignal or WrenchSignal, or a function (t, q, qd)"
        raise TypeError(f"input is {kind_of(input)}: must be {kinds}")
    allowed = "pressures in Pa of shape (steps, muscles) or (arms, steps, muscles)"
    return as_numbers("input", input, allowed, machine)


def _constant(wrench: Any) -> Any:
    if isinstance(wrench, WrenchSignal):
        raise ValueError("wrench is a WrenchSignal: must be six constant numbers where a policy is asked")
    return wrench


def _outputs(outputs: str | Iterable[str]) -> tuple[str, ...]:
    names = listed("outputs", outputs, str, f"one of {', '.join(OUTPUTS)}")
    for name in names:
        if name not in OUTPUTS:
            raise ValueError(f"outputs: {short(name)} must be one of {', '.join(OUTPUTS)}")
    return tuple(dict.fromkeys(names))


def _step_count(duration: float | None, steps: int | None, step: float, given: int | None) -> int:
    if duration is not None and steps is not None:
        raise ValueError("duration and steps: must be one of them")
    if steps is not None:
        found = number_checks.whole_number("steps", steps, least=1, most=10**9)
    elif duration is not None:
        seconds = number_checks.duration("duration", duration)
        found = round(seconds / step)
        if found < 1 or abs(seconds / step - found) > 1e-6:
            raise ValueError(f"duration / step = {seconds / step:g} steps: must be a whole number of at least 1")
    elif given is not None:
        found = given
    else:
        raise ValueError("duration: must be given in s, or steps")
    if given is not None and given != found:
        raise ValueError(f"input has {given} rows: must have {found}, one for each step of the duration")
    return found


def _width(plant: Plant, name: str) -> int:
    return len(ENERGIES) if name == "energies" else 3 * plant.arm.n


def _check_size(plant: Plant, arms: int, rows: int, outputs: Sequence[str]) -> None:
    numbers = arms * rows * sum(_width(plant, name) for name in outputs)
    if numbers > MOST_NUMBERS:
        raise ValueError(
            f"outputs have {numbers:g} numbers: must be at most {MOST_NUMBERS:g}; a larger every gives fewer"
        )
