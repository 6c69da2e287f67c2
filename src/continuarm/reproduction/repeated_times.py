"""Times that were taken several times: the median with its spread, and what can be said in spite of the noise.

Where the spread is larger than the effect nothing can be said: the answer is None, never a guess.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from continuarm.reproduction.number_text import digits

__all__ = ["all_above", "busy", "fast_enough", "median", "risen", "with_spread"]

FEWEST = 3
"""Fewer repeats show no spread, and decide nothing."""


def median(values: Sequence[float]) -> float:
    """The middle one of several times."""
    return float(statistics.median(values))


def with_spread(values: Sequence[float], written: Callable[[float], str]) -> str:
    """For readers: median (least to greatest)."""
    return f"{written(median(values))} ({written(min(values))} to {written(max(values))})"


def all_above(values: Sequence[float], limit: float) -> bool | None:
    """Whether values lie above a limit: None where they lie on both sides of it, or are too few to know."""
    if len(values) < FEWEST or min(values) <= limit < max(values):
        return None
    return min(values) > limit


def fast_enough(rates: Sequence[float], limit: float, times: Mapping[str, Any]) -> bool | None:
    """Whether rates exceed a limit: a machine that has more to do than processors can show that they do, not that not.

    times: "load" and "processors" of the findings.
    """
    reached = all_above(rates, limit)
    crowded = any(each is not None and each > times["processors"] for each in times["load"])
    return None if reached is False and crowded else reached


def risen(before: Sequence[float], after: Sequence[float]) -> bool | None:
    """Whether the later values are above the earlier ones: None where both overlap, or are too few to know."""
    if min(len(before), len(after)) < FEWEST:
        return None
    if min(after) > max(before):
        return True
    return False if max(after) <= min(before) else None


def busy(times: Mapping[str, Any]) -> str:
    """For readers: how much else the machine did while times were taken; "load" and "processors" of the findings."""
    loads = dict.fromkeys(digits(each, 2) for each in sorted(each for each in times["load"] if each is not None))
    processors = f"{times['processors']} processor{'s' * (times['processors'] != 1)}"
    return f"a load average of {' to '.join(loads)} on {processors}" if loads else f"an unknown load on {processors}"
