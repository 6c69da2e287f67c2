"""How many numbers a step keeps at once."""

from __future__ import annotations

from continuarm.engine.arithmetic import Arithmetic
from continuarm.engine.tracing import Recorded


def most_alive(arithmetic: Arithmetic) -> int:
    """The most numbers that are computed and still needed, where inputs are read when they are wanted.

    Results are written at the end, as inputs may be the same memory. A compiler may reorder and need fewer.
    """
    last: dict[int, int] = {}
    for at, node in enumerate(arithmetic.statements):
        for value in arithmetic.operation(node)[1]:
            if isinstance(value, Recorded):
                last[id(value)] = at
    end = len(arithmetic.statements)
    for flat in arithmetic.step.values.values():
        last |= {id(value): end for value in flat if isinstance(value, Recorded)}
    ends = [0] * (end + 1)
    alive = most = 0
    for at, node in enumerate(arithmetic.statements):
        alive += 1
        most = max(most, alive)
        ends[last.get(id(node), at)] += 1
        alive -= ends[at]
    return most
