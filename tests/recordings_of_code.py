"""What recorded code computes, operation by operation on floats, for the tests of what records and differentiates."""

from continuarm.engine.tracing import Recorded

OPERATIONS = {
    "sum": lambda a, b: a + b,
    "difference": lambda a, b: a - b,
    "product": lambda a, b: a * b,
    "negative": lambda a: -a,
    "reciprocal": lambda a: 1 / a,
    "positive": lambda a: max(a, 0.0),
    "is_positive": lambda a: float(a > 0),
}


def recorded_values(nodes, given):
    """The numbers that nodes stand for; given: those of the inputs, by name."""
    known = {}

    def value(node):
        if not isinstance(node, Recorded):
            return node
        if id(node) not in known:
            if node.operation == "input":
                known[id(node)] = given[node.arguments[0]][node.arguments[1]]
            else:
                known[id(node)] = OPERATIONS[node.operation](*map(value, node.arguments))
        return known[id(node)]

    return [value(node) for node in nodes]
