"""What a worker does for a sweep: some points in, their numbers or the reason why there are none out."""

from __future__ import annotations

import contextlib
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from continuarm.arms.arm import Arm
from continuarm.arms.variations import vary
from continuarm.common.argument_checks import kind_of
from continuarm.common.number_checks import Floats
from continuarm.common.text import printable, short
from continuarm.simulation.pressure_commands import PressureWarning
from continuarm.simulation.rollouts import rollout
from continuarm.sweeps.outputs import OUTPUTS

LONGEST_MESSAGE = 300
ONE_NUMBER = "result"
"""The variable of a function that gives numbers without a name."""


@dataclass(frozen=True)
class Part:
    """What came of some points: arrays with a row for each, NaN where one failed, and why; empty where none did."""

    values: dict[str, Floats]
    errors: tuple[str, ...]
    problem: str = ""
    """Why the whole sweep cannot go on."""


class Task(Protocol):
    """Computes points; can be sent to another process."""

    def __call__(self, numbers: Sequence[int], values: Mapping[str, NDArray[Any]]) -> Part:
        """The part of some points, by their numbers and their values of each name."""


def failed(count: int, reason: str) -> Part:
    """The part of points of which nothing is known."""
    return Part({}, (reason,) * count)


def joined(parts: Sequence[Part], numbers: Sequence[int]) -> Part:
    """One part of several with a point each."""
    first = next((k for k, part in enumerate(parts) if part.values), None)
    errors = tuple(part.errors[0] for part in parts)
    if first is None:
        return Part({}, errors)
    shapes = {name: value.shape[1:] for name, value in parts[first].values.items()}
    values = {name: np.full((len(parts), *shape), np.nan) for name, shape in shapes.items()}
    for k, part in enumerate(parts):
        if part.values:
            problem = difference(part, numbers[k], shapes, numbers[first])
            if problem:
                return Part({}, errors, problem)
            for name, value in part.values.items():
                values[name][k] = value[0]
    return Part(values, errors)


def difference(part: Part, number: int, shapes: Mapping[str, tuple[int, ...]], first: int) -> str:
    """In which way the arrays of a part are others than those of the first point; empty where they are not."""
    found = {name: value.shape[1:] for name, value in part.values.items()}
    if set(found) != set(shapes):
        given, wanted = (", ".join(map(short, sorted(each))) for each in (found, shapes))
        return f"function_or_arm gives {given} at point {number}, {wanted} at point {first}: must be the same names"
    for name, shape in found.items():
        if shape != shapes[name]:
            other = f"{shapes[name]} at point {first}: must be of one shape for all points"
            return f"function_or_arm gives {short(name)} of shape {shape} at point {number}, {other}"
    return ""


def message(error: BaseException) -> str:
    """An exception on one line."""
    words = printable(" ".join(str(error).split()))
    text = f"{type(error).__name__}: {words}" if words else type(error).__name__
    return text if len(text) <= LONGEST_MESSAGE else text[: LONGEST_MESSAGE - 3] + "..."


@dataclass(frozen=True)
class FunctionTask:
    """Calls a function for each point, or for all of them at once."""

    function: Callable[..., Any]
    vectorized: bool
    seed: int | None

    def __call__(self, numbers: Sequence[int], values: Mapping[str, NDArray[Any]]) -> Part:
        """Every point by itself: one that fails keeps no other from being computed."""
        if self.vectorized:
            try:
                return Part(self._together(numbers, values), ("",) * len(numbers))
            except (Exception, SystemExit) as error:
                if len(numbers) == 1:
                    return failed(1, message(error))
        parts = []
        for k, number in enumerate(numbers):
            if self.vectorized:
                parts.append(self([number], {name: each[k : k + 1] for name, each in values.items()}))
                continue
            try:
                given = {name: each[k].item() for name, each in values.items()}
                random = {} if self.seed is None else {"rng": random_numbers(self.seed, number)}
                found = _arrays(self.function(**given, **random))
                parts.append(Part({name: value[None] for name, value in found.items()}, ("",)))
            except (Exception, SystemExit) as error:
                parts.append(failed(1, message(error)))
        return joined(parts, numbers)

    def _together(self, numbers: Sequence[int], values: Mapping[str, NDArray[Any]]) -> dict[str, Floats]:
        random = {} if self.seed is None else {"rng": [random_numbers(self.seed, each) for each in numbers]}
        found = _arrays(self.function(**values, **random))
        for name, value in found.items():
            if value.shape[:1] != (len(numbers),):
                wanted = f"({len(numbers)}, ...), a row for each point"
                raise ValueError(f"function gives {short(name)} of shape {value.shape}: must be {wanted}")
        return found


def random_numbers(seed: int, number: int) -> np.random.Generator:
    """Those of a point: they depend on the seed and its number, and on nothing else."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(number,)))


def _arrays(found: Any) -> dict[str, Floats]:
    """What a function gave, as arrays of floats by name."""
    given = found if isinstance(found, Mapping) else {ONE_NUMBER: found}
    if not given:
        raise ValueError("function gives a dict without entries: must be numbers by name")
    arrays = {}
    for name, value in given.items():
        if not isinstance(name, str) or not name or "/" in name or not name.isprintable():
            raise ValueError(f"function gives {short(name)}: must be a name that files can hold")
        array = np.asarray(value)
        if array.dtype.kind not in "biuf":
            raise ValueError(f"function gives {short(name)} of {kind_of(value)}: must be real numbers")
        arrays[name] = array.astype(float)
    return arrays


@dataclass(frozen=True)
class ArmTask:
    """Moves arms that differ in numbers, all points at once."""

    arm: Arm
    motion: Mapping[str, Any]
    """Arguments of `rollout` but the arms."""
    outputs: tuple[str, ...]
    threads: int = 1

    def __call__(self, numbers: Sequence[int], values: Mapping[str, NDArray[Any]]) -> Part:
        """The points together; each by itself where one of them is no arm."""
        try:
            with _silence():
                found = rollout(vary(self.arm, values), threads=self.threads, **self.motion)
        except Exception as error:  # ValueError of an arm that cannot be, anything of a policy
            if len(numbers) == 1:
                reason = str(error).removeprefix("changes: 1 of 1 arms cannot be: arm 0: ")
                is_ours = isinstance(error, ValueError)
                return failed(1, printable(reason)[:LONGEST_MESSAGE] if is_ours else message(error))
            each = [
                self([number], {name: own[k : k + 1] for name, own in values.items()})
                for k, number in enumerate(numbers)
            ]
            return joined(each, numbers)
        made = {name: np.array(OUTPUTS[name].of(found), dtype=float) for name in self.outputs}
        errors = [f"after {t:g} s: {why}" if why else "" for t, why in zip(found.stopped, found.causes, strict=True)]
        for array in made.values():
            array[np.isfinite(found.stopped)] = np.nan
        return Part(made, tuple(each[:LONGEST_MESSAGE] for each in errors))


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """What is to be said of pressures was said once, of the arm that is varied; filters belong to the main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PressureWarning)
        yield
