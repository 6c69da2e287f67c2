"""Random calls of all public functions: a finite result of the right shape, or one sentence; nothing else.

Not allowed: other exceptions, warnings, NaN, changed arguments, memory that grows with repeats, and a good call that is
refused. A crash and a call that does not end are noticed by what watches the worker.
"""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import Any

import numpy as np

import continuarm as ca
from attack.api_world import Call, Given, World
from attack.arm_calls import ARM_CALLS
from attack.attacker import Attacker, Case, Finding, all_finite, refusal, warnings_are_errors
from attack.control_calls import CONTROL_CALLS
from attack.motion_calls import MOTION_CALLS
from continuarm.common.number_checks import fractions
from continuarm.dynamics.chain import section_by_section
from continuarm.engine.table import QUANTITIES, size
from continuarm.sections.model_range import margins

MAKERS = (*ARM_CALLS, *MOTION_CALLS, *CONTROL_CALLS)
WEIGHTS = np.array([weight for weight, _ in MAKERS])
UNTIL = np.cumsum(WEIGHTS / WEIGHTS.sum())
REPEATED = 1 / 500
"""Of the calls that are quick: made again and again, to see memory that stays."""
LEAK = 2_000_000
"""Bytes by which 300 repeats may grow the process, once but not twice in a row."""
QUICK = 2e-3
"""Seconds: a call that is worth repeating."""
COMPARED = 0.05
"""Of the calls of quantities: computed by both engines."""
EDGE = 1e-3
"""Share of its range that a section must have left for both engines to be held to the same."""
ABSURD = 1e30
"""Beyond it nothing is meant by a number."""
AGREEMENT = 1e-6
"""By how much native code and its reference may differ, over the largest number of a result."""


def begin(folder: Path) -> Case:
    """Cases that share some arms and files."""
    world = World(folder)

    def case(rng: np.random.Generator) -> str:
        given = Given(rng, world)
        make = MAKERS[int(np.searchsorted(UNTIL, rng.random()))][1]
        try:
            with np.errstate(all="ignore"):
                call = make(given)
        except (TypeError, ValueError) as error:  # an argument, such as a solver, that is refused when it is made
            return refusal(error, "an argument", at_call=False)
        before = _copies(call)
        began = time.perf_counter()
        with warnings_are_errors():
            outcome = _called(call, given)
            if outcome != "refused" and rng.random() < COMPARED:
                _compare_engines(call)
        took = time.perf_counter() - began
        _check_unchanged(call, before)
        if took < QUICK and rng.random() < REPEATED and not given.huge:
            with warnings_are_errors():
                _check_memory(call)
        return outcome

    return case


def _called(call: Call, given: Given) -> str:
    try:
        found = call.function(*call.positional, **call.named)
    except Exception as error:
        outcome = refusal(error, call.name)
        if outcome == "no memory" and not given.huge:
            raise Finding(f"{call.name} MemoryError", _shown(call)) from error
        if given.good:
            raise Finding(f"{call.name} refuses what is good", f"{error}; {_shown(call)}") from error
        return outcome
    if call.name in QUANTITIES:
        _check_shapes(call, found)
    if call.name not in INFINITE and not all_finite(_numbers(found)):
        raise Finding(f"{call.name} gives numbers that are not finite", _shown(call))
    if call.after is not None:
        try:
            call.after(found)
        except Exception as error:
            refusal(error, f"{call.name}, then")
    return "taken" if given.good else "taken, odd"


INFINITE = ("vibrations", "TipPosition", "TipOrientation", "MuscleLength")
"""Time constants without damping are infinite; gaps of sensors are NaN."""


def _numbers(found: Any) -> Any:
    """The numbers of a result."""
    if isinstance(found, ca.Equilibria):
        return found.q, found.residual[found.converged]
    if isinstance(found, ca.Motion):
        return found.t, found.q, found.qd, found.tau, found.pressures, found.supplied, found.dissipated
    if hasattr(found, "times") and hasattr(found, "begin"):  # what an input drives an arm with
        return found.times, found.begin, found.end
    return found


def _check_shapes(call: Call, found: Any) -> None:
    quantity = QUANTITIES[call.name]
    arm, *values = call.positional
    given = dict(zip(quantity.arguments, values, strict=True))
    batch = np.broadcast_shapes(*(np.shape(given[name])[:-1] for name in quantity.inputs))
    places = len(fractions("xi", given["xi"])) if "xi" in given else 1
    results = found if isinstance(found, tuple) else (found,)
    for shape, result in zip(quantity.shapes, results, strict=True):
        wanted = (*batch, *(size(each, arm.n, places) for each in shape))
        if np.shape(result) != wanted or result.dtype != np.float64:
            raise Finding(f"{call.name} shape", f"{np.shape(result)} {result.dtype}, not {wanted}: {_shown(call)}")


def _least_room(arm: ca.Arm, q: np.ndarray) -> float:
    """How much of its range the section has that is nearest to where the model ends: 1 for a straight arm."""
    found = [1.0]
    for section, own in section_by_section(arm, q):
        with np.errstate(over="ignore", invalid="ignore"):
            bend, length = margins(section, own)
        found += [np.min(bend, initial=1.0), np.min(length, initial=section.length) / section.length]
    return float(min(found))


def _compare_engines(call: Call) -> None:
    """Native code and its reference: both refuse, or both give the same."""
    if call.name not in QUANTITIES or "engine" in call.named or call.positional[0].inertia.model == "point-mass":
        return
    results = []
    for engine in ("native", "reference"):
        try:
            found = call.function(*call.positional, **call.named, engine=engine)
        except MemoryError:  # the reference needs more of it
            return
        except ValueError:
            results.append(None)
        else:
            results.append(_arrays(found))
    one, other = results
    arm, q = call.positional[:2]
    if _least_room(arm, np.asarray(q, float)) < EDGE:
        return  # where rounding decides whether the model holds, or nearly nothing is left of a section
    given = one or other
    if given is not None and max((np.abs(each).max(initial=0.0) for each in given), default=0.0) > ABSURD:
        return  # a step that has left the model: finite by chance
    if one is None or other is None:
        if (one is None) != (other is None):
            raise Finding(f"{call.name} is refused by one engine only", _shown(call))
        return
    for a, b, usual in zip(one, other, _at_rest(call), strict=True):
        largest = max(np.abs(b).max(initial=0.0), usual, 1e-300)
        apart = np.abs(a / largest - b / largest).max(initial=0.0)
        if not apart <= AGREEMENT:
            raise Finding(f"{call.name} engines differ", f"by {apart:.3g} of the largest: {_shown(call)}")


def _arrays(found: Any) -> list[np.ndarray]:
    return [np.asarray(each) for each in (found if isinstance(found, tuple) else (found,))]


def _at_rest(call: Call) -> list[float]:
    """The largest number of each result at q = 0 and all else 1: what is small beside it has cancelled."""
    arm, quantity = call.positional[0], QUANTITIES[call.name]
    usual = [np.ones(6 if name == "wrench" else 3 * arm.n) * (name != "q") for name in quantity.inputs]
    more = [call.positional[-1]] if quantity.argument else []
    found = call.function(arm, *usual, *more, engine="reference")
    return [float(np.abs(each).max(initial=0.0)) for each in _arrays(found)]


def _copies(call: Call) -> list[tuple[Any, bytes]]:
    given = (*call.positional, *call.named.values())
    arrays = [each for each in given if isinstance(each, np.ndarray) and not isinstance(each, np.ma.MaskedArray)]
    return [(each, each.tobytes()) for each in arrays if each.size < 10_000 and each.dtype != object]


def _check_unchanged(call: Call, before: list[tuple[Any, bytes]]) -> None:
    if any(array.size < 10_000 and array.tobytes() != then for array, then in before):
        raise Finding(f"{call.name} changes an argument", _shown(call))


def _check_memory(call: Call) -> None:
    grown = math.inf
    sizes = [_memory(call, 50)]
    for _ in range(3):
        sizes.append(_memory(call, 300))
        grown = sizes[-1] - sizes[-2]
        if grown < LEAK:
            return
    raise Finding(f"{call.name} keeps memory", f"{grown:.0f} bytes more after 300 repeats: {_shown(call)}")


def _memory(call: Call, repeats: int) -> int:
    """Bytes of this process after some repeats."""
    for _ in range(repeats):
        try:
            call.function(*call.positional, **call.named)
        except Exception:
            continue
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def _shown(call: Call) -> str:
    """The call as Python would write it, not too long."""
    with np.printoptions(threshold=40, precision=17):
        arguments = [_short(each) for each in call.positional]
        arguments += [f"{name}={_short(each)}" for name, each in call.named.items()]
    return f"{call.name}({', '.join(arguments)})"


def _short(value: Any) -> str:
    if isinstance(value, np.ndarray) and value.size < 100:
        return f"np.array({value.tolist()}, {str(value.dtype)!r})"
    text = f"<arm {value.name!r} of {value.n}, {value.inertia.model}>" if isinstance(value, ca.Arm) else ascii(value)
    return text if len(text) < 300 else text[:300] + "..."


ATTACKER = Attacker(
    name="api",
    law="a public function gives finite numbers of the right shape or says in one sentence what it does not take",
    begin=begin,
    share=8.7,
    limit=60.0,
    memory=3 << 30,
)
