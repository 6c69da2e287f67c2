"""Sums of products, rearranged so that every product can be part of a fused multiply-add.

x + (a b + c d) takes three operations, a product, a fused one and a sum; (x + a b) + c d takes two fused ones. A sum
inside a sum is opened so where it consists of products alone and nobody else needs it or them. The numbers stay the
same to rounding.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from continuarm.engine.tracing import Recorded, Value, visited


def opened_sums(values: list[Value]) -> list[Value]:
    """The same values, of fewer operations."""
    order = list(visited(values))
    uses = Counter(id(argument) for node in order for argument in _operands(node))
    uses.update(map(id, values))

    def is_product(value: Value) -> bool:
        return _is(value, "product") and uses[id(value)] == 1

    def is_sum_of_products(value: Value) -> bool:
        if not _is(value, "sum", "difference") or uses[id(value)] > 1:
            return False
        return all((is_product(each) and not _is_share(each)) or is_sum_of_products(each) for each in value.arguments)

    made: dict[int, Value] = {}

    def new(value: Value) -> Value:
        return made[id(value)] if isinstance(value, Recorded) else value

    def plus(total: Value, value: Value, sign: int) -> Value:
        """The total with a product or a sum of products, the innermost first."""
        if value.operation == "product":
            return total + sign * new(value)
        first, second = ((each, sign * its) for each, its in zip(value.arguments, _signs(value), strict=True))
        if is_product(first[0]) and not is_product(second[0]):
            first, second = second, first
        return plus(plus(total, *first), *second)

    for node in order:
        arguments: tuple[Any, ...] = node.arguments
        if _is(node, "sum", "difference"):
            parts = list(zip(arguments, _signs(node), strict=True))
            inner = [is_sum_of_products(each) for each in arguments]
            if inner[0] != inner[1]:  # of two, which is opened first is the same
                (other, sign), opened = parts[inner[0]], parts[inner[1]]
                if not is_product(other):
                    made[id(node)] = plus(sign * new(other), *opened)
                    continue
        made[id(node)] = _again(node, [new(each) for each in arguments] if node.operation != "input" else [])
    return [new(value) for value in values]


def _operands(node: Recorded) -> tuple[Value, ...]:
    return () if node.operation == "input" else tuple(each for each in node.arguments if isinstance(each, Recorded))


def _is(value: Value, *operations: str) -> bool:
    return isinstance(value, Recorded) and value.operation in operations


def _is_share(product: Recorded) -> bool:
    """Whether a factor is a constant, as in a mean: it is summed by itself, so that L - (L + L + L) / 3 stays 0."""
    return not all(isinstance(each, Recorded) for each in product.arguments)


def _signs(node: Recorded) -> tuple[int, int]:
    return (1, -1) if node.operation == "difference" else (1, 1)


def _again(node: Recorded, arguments: list[Value]) -> Value:
    """An operation on what its arguments have become."""
    match node.operation:
        case "input":
            return node
        case "sum":
            return arguments[0] + arguments[1]
        case "difference":
            return arguments[0] - arguments[1]
        case "product":
            return arguments[0] * arguments[1]
        case "negative":
            return -arguments[0]
        case other:
            return Recorded.of(other, *arguments)
