"""Derivatives of a recording.

One sweep backward over its operations gives those of a sum of outputs by every input; one sweep forward gives those of
every output along a direction of the inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from continuarm.engine.tracing import Recorded, Value, visited


def gradient(outputs: Iterable[tuple[Value, Value]], inputs: list[Recorded]) -> list[Value]:
    """∂(Σ output · weight)/∂input for every input, recorded in the same recording.

    outputs: values with their weights. What is cut off (`is_positive`) has the derivative 0 on both sides.
    """
    weighted = list(outputs)
    slopes: dict[int, Value] = {}

    def add(to: Value, slope: Value) -> None:
        if isinstance(to, Recorded):
            slopes[id(to)] = slopes.get(id(to), 0.0) + slope

    order = list(visited([value for value, _ in weighted]))
    for value, weight in weighted:
        add(value, weight)
    for node in reversed(order):
        slope = slopes.get(id(node), 0.0)
        if node.operation == "input" or (not isinstance(slope, Recorded) and slope == 0):
            continue
        for argument, part in zip(node.arguments, _parts(node, slope), strict=True):
            add(argument, part)
    return [slopes.get(id(each), 0.0) for each in inputs]


def tangents(outputs: list[Value], direction: Callable[[Recorded], Value]) -> list[Value]:
    """How outputs change along a direction of the inputs, recorded in the same recording.

    direction: how an input changes, 0 for one that is held.
    """
    slopes: dict[int, Value] = {}
    for node in visited(outputs):
        if node.operation == "input":
            slopes[id(node)] = direction(node)
            continue
        slope: Value = 0.0
        for argument, part in zip(node.arguments, _parts(node, 1.0), strict=True):
            slope = slope + part * slopes.get(id(argument), 0.0)
        slopes[id(node)] = slope
    return [slopes.get(id(each), 0.0) for each in outputs]


def _parts(node: Recorded, slope: Value) -> tuple[Value, ...]:
    """What an operation hands back to each of its arguments."""
    match node.operation:
        case "sum":
            return slope, slope
        case "difference":
            return slope, -slope
        case "product":
            first, second = node.arguments
            return slope * second, slope * first
        case "negative":
            return (-slope,)
        case "reciprocal":
            return (-(slope * node) * node,)
        case "positive":
            return (slope * node.arguments[0].is_positive(),)
        case "is_positive":
            return (0.0,)
    raise ValueError(f"{node.operation}: no derivative is known")
