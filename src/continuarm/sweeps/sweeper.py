"""Sweeps: a function, or the motion of an arm, at many points, on many processes, kept on disk as it goes."""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from continuarm.arms.arm import Arm
from continuarm.common.argument_checks import require_file_name, require_function, truth_value
from continuarm.common.number_checks import whole_number
from continuarm.common.text import shown
from continuarm.engine.compiled import PROCESSORS
from continuarm.simulation.inputs import Input, WrenchSignal
from continuarm.simulation.rollouts import Policy
from continuarm.sweeps.collection import Collected
from continuarm.sweeps.file import SweepFile
from continuarm.sweeps.identity import identity
from continuarm.sweeps.layout import Swept, dataset_of, require_xarray
from continuarm.sweeps.plans import plan_of
from continuarm.sweeps.points import MOST_POINTS, Points, points_of
from continuarm.sweeps.tasks import ArmTask, Part
from continuarm.sweeps.workers import Chunk, check_executor, check_sendable, computed

if TYPE_CHECKING:
    import xarray

Progress = Callable[[float, str], object]
"""Told the share that is done, from 0 to 1, and a few words."""

ARM_STEPS = 1_000_000
"""Steps of all arms together that are not worth starting processes for: a second."""
DEFAULTS: dict[str, Any] = {
    **{"input": None, "duration": None, "step": 1e-3, "wrench": None, "outputs": None, "every": 10},
    **{"vectorized": False, "seed": None},
}
"""Of what `sweep` may be told about a motion or a function."""


def sweep(
    function_or_arm: Arm | Callable[..., object],
    variations: Mapping[str, ArrayLike],
    *,
    input: Input | ArrayLike | Policy | None = None,
    duration: float | None = None,
    step: float = 1e-3,
    wrench: ArrayLike | WrenchSignal | None = None,
    outputs: str | Iterable[str] | None = None,
    every: int = 10,
    grid: bool = True,
    vectorized: bool = False,
    seed: int | None = None,
    chunk: int | None = None,
    executor: Executor | None = None,
    output: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> xarray.Dataset:
    """A function, or the motion of an arm, at many points, on many processes.

    Results depend on the points alone: not on the executor, the number of its workers, or how points are dealt out to
    them. A point that fails is NaN, `error` says why, and the others go on; a
    RuntimeWarning names the first. With an `output`, what is done is on disk:
    the same call after an interruption goes on where it was. Needs the extra `continuarm[xarray]`.

    Parameters
    ----------
    function_or_arm : Arm, or function
        An arm is moved by `rollout`. A function is called with the values of a point as keywords and gives a number, an
        array, or a dict of such, of one shape for all points. Processes import it: it is at the top level of a module.
    variations : mapping of str to array_like, (k,)
        Values by name: {"stiffness": [1500.0, 1700.0]}. Names of an arm's numbers are those of `vary`, names for a
        function its arguments.
    input : optional
        Of an arm, as in `rollout` and the same for all points: pressures (steps, muscles), a signal, or a policy,
        which is asked with some of the arms at a time.
    duration, step : float, optional
        Of an arm, as in `rollout`, s.
    wrench : array_like, (6,), or WrenchSignal, optional
        Of an arm, as in `rollout`.
    outputs : str or iterable of str, optional
        Of an arm: "tips" and "q" at the end, "settling_time" of the last tip, "energies" at the end, "tip_tracks".
        The first and the third if left out.
    every : int, optional
        Of an arm: steps from one state to the next in tracks and settling times; the steps are a multiple of it.
    grid : bool, optional
        Every combination of the values, or, if False, a table: the first values of all names, the second, ...
    vectorized : bool, optional
        Whether a function is called with arrays, (k,), for k points at once, and gives arrays (k, ...).
    seed : int, optional
        A function then has an argument `rng`, a NumPy generator of its own for each point (a list of them if
        `vectorized`), which depends on the seed and the number of the point alone.
    chunk : int, optional
        Points that are computed together; chosen by the work if left out.
    executor : concurrent.futures.Executor, optional
        Who computes: a process for each processor if left out, or this one alone where all motions of an arm take
        about a second. `client.get_executor()` of Dask is a whole cluster.
    output : str or path, optional
        NetCDF-4: .nc, .nc4 or .h5. Parts are in sweep.nc.parts until sweep.nc is complete. A file of another sweep is
        refused; one of this sweep is read, and nothing is computed again.
    progress : function, optional
        Called with the share that is done, from 0 to 1, and a few words.

    Returns
    -------
    xarray.Dataset
        With a dimension for each name of a grid, or `point` of a table; `error` has the message of points that failed.
        What `xarray.open_dataset` reads from the file.

    Examples
    --------
    >>> arm = ca.load_arm("prototype")
    >>> steps = ca.PressureSteps({"l33": [(0.0, 600e3)]})
    >>> found = ca.sweep(arm, {"stiffness": [1600, 1800], "damping": [60, 90, 120]}, input=steps, duration=1.0)
    >>> found["tips"].dims, found["settling_time"].shape
    (('stiffness', 'damping', 'section', 'axis'), (2, 3))
    >>> bool((found["tips"].sel(stiffness=1600) != found["tips"].sel(stiffness=1800)).any())
    True
    """
    require_xarray()
    found = swept_points(
        function_or_arm,
        variations,
        input=input,
        duration=duration,
        step=step,
        wrench=wrench,
        outputs=outputs,
        every=every,
        grid=grid,
        vectorized=vectorized,
        seed=seed,
        chunk=chunk,
        executor=executor,
        output=output,
        progress=progress,
    )
    failures = found.failures
    if failures:
        first, why = next(iter(failures.items()))
        told = f"{len(failures)} of {found.points.count} points failed and are NaN, the first"
        warnings.warn(f"{told} {found.points.words(first)}: {why}", RuntimeWarning, stacklevel=2)
    return dataset_of(found)


def swept_points(
    function_or_arm: Any,
    variations: Any,
    *,
    grid: bool = True,
    chunk: int | None = None,
    executor: Executor | None = None,
    processes: int = PROCESSORS,
    output: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    **choices: Any,
) -> Swept:
    """What `sweep` makes a dataset of; needs no xarray.

    processes: how many of our own, where no executor is given. choices: the other keywords of `sweep`.
    """
    points = points_of(variations, truth_value("grid", grid))
    if output is not None:
        require_file_name("output", output)
    check_executor(executor)
    require_function("progress", progress)
    most = None if chunk is None else whole_number("chunk", chunk, least=1, most=MOST_POINTS)
    plan = plan_of(function_or_arm, points, DEFAULTS | choices)
    if isinstance(function_or_arm, Arm):
        points = points.of_arm()
    here = executor is None and isinstance(plan.task, ArmTask) and plan.steps * points.count <= ARM_STEPS
    if not here:
        check_sendable(plan.task, executor)
    own = identity({"function_or_arm": function_or_arm, "variations": (points.names, points.values), "grid": grid})
    collected = Collected(points, plan, own | identity(DEFAULTS | choices))
    with contextlib.ExitStack() as stack:
        file = None if output is None else stack.enter_context(SweepFile(output, collected.identity))
        if file is not None:
            finished = file.finished(points, plan.title)
            if finished is not None:
                return finished
            for numbers, part in file.begun():
                collected.add(numbers, part)
        chunks = dealt(collected.missing, most or plan.chunk(points.count))
        parts = _here(plan.task, points, chunks) if here else computed(plan.task, points, chunks, executor, processes)
        try:
            with contextlib.closing(parts):
                for numbers, part in parts:
                    collected.add(numbers, part)
                    if file is not None:
                        file.add(numbers, part)
                    if progress is not None:
                        progress(collected.done / points.count, f"{collected.done} of {points.count} points")
        except ValueError as error:
            raise ValueError(f"{error}{_kept(collected, file)}") from None
        if collected.first_error:
            if file is not None:
                file.forget()
            raise ValueError(f"function_or_arm: all {points.count} points failed: {collected.first_error}")
        swept = collected.swept()
        if file is not None:
            file.finish(swept)
    return swept


def dealt(numbers: Sequence[int], most: int) -> list[Chunk]:
    """Points in parts of at most so many."""
    return [tuple(numbers[begin : begin + most]) for begin in range(0, len(numbers), most)]


def _here(task: Any, points: Points, chunks: Sequence[Chunk]) -> Generator[tuple[Chunk, Part]]:
    """The parts one after the other in this process, on all processors."""
    for chunk in chunks:
        yield chunk, replace(task, threads=PROCESSORS)(chunk, points.at(chunk))


def _kept(collected: Collected, file: SweepFile | None) -> str:
    if file is None or not collected.done:
        return ""
    return f"; {collected.done} of {collected.points.count} points are kept in {shown(file.parts)}, to go on from"
