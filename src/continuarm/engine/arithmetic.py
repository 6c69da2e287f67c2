"""A step as statements, in whichever language they are printed.

Sums of products are statements of their own kind (a b + c), so that a language can write them as fused
multiply-adds, explicitly, and every number type does the same roundings.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from typing import ClassVar

from continuarm.engine.recorder import Numbers, Step, Struct
from continuarm.engine.tracing import Recorded, Value, visited


class Language(ABC):
    """How a language writes the arithmetic of a step."""

    operations: ClassVar[dict[str, str]]
    """The text of every operation of `Recorded`, and of product_plus a b + c, product_minus a b - c and minus_product
    c - a b; operands are {0}, {1}, {2}."""

    @abstractmethod
    def number(self, value: float) -> str:
        """A constant."""

    @abstractmethod
    def definition(self, name: str, value: str) -> str:
        """The statement that gives a value a name."""

    @abstractmethod
    def place(self, each: str, layout: Struct | Numbers, k: int) -> str:
        """Number k of an argument."""

    @abstractmethod
    def function(self, arithmetic: Arithmetic) -> str:
        """A step as a function: its head, and `arithmetic.body` inside."""

    def loaded(self, name: str, place: str) -> str:
        """The statement that gives a number of an argument a name."""
        return self.definition(name, place)

    def stored(self, place: str, value: str) -> str:
        """The statement that writes a number of a result."""
        return f"{place} = {value};"

    def unused(self, each: str) -> str | None:
        """A statement for an argument that is not used, where the language wants one."""
        return None


class Arithmetic:
    """One step as a list of statements, each an operation or a sum that swallowed a product."""

    def __init__(self, step: Step) -> None:
        self.step = step
        self.written = {each: f"{each}_out" if each in step.inputs else each for each in step.outputs}
        """The name of every result among the arguments."""
        values = [value for flat in step.values.values() for value in flat]
        self.order = list(visited(values))
        self.uses: dict[int, list[Recorded | None]] = {id(node): [] for node in self.order}
        for node in self.order:
            if node.operation != "input":
                for argument in node.arguments:
                    if isinstance(argument, Recorded):
                        self.uses[id(argument)].append(node)
        for value in values:
            if isinstance(value, Recorded):
                self.uses[id(value)].append(None)
        self.fused = self._fusions()
        absorbed = {id(product) for product in self.fused.values()}
        self.loads = [node for node in self.order if node.operation == "input"]
        self.statements = [node for node in self.order if node.operation != "input" and id(node) not in absorbed]
        self.names = {id(node): f"t{i}" for i, node in enumerate(self.statements)}
        self.names |= {id(node): "{}_{}".format(*node.arguments) for node in self.loads}

    def _fusions(self) -> dict[int, Recorded]:
        """For each sum or difference that swallows a product, that product: one whose every use can swallow it."""
        fused: dict[int, Recorded] = {}
        products = [node for node in self.order if node.operation == "product"]
        for node in sorted(products, key=lambda node: len(self.uses[id(node)])):
            users = self.uses[id(node)]
            if len({id(user) for user in users}) == len(users) and all(
                user is not None and user.operation in ("sum", "difference") and id(user) not in fused for user in users
            ):
                fused |= {id(user): node for user in users}
        return fused

    def counted(self) -> Counter[str]:
        """How many operations of each kind, fused ones counted once."""
        counts = Counter("fused" if id(node) in self.fused else node.operation for node in self.statements)
        counts["total"] = sum(counts.values())
        return counts

    def body(self, language: Language) -> list[str]:
        """The statements of a language, indented: inputs are read, then all is computed, then results are written."""
        step = self.step
        used = {node.arguments[0] for node in self.loads}
        lines = [language.unused(each) for each in step.inputs if each not in used]
        for node in self.loads:
            each, k = node.arguments
            lines.append(language.loaded(self.names[id(node)], language.place(each, step.inputs[each], k)))
        for node in self.statements:
            lines.append(language.definition(self.names[id(node)], self._expression(language, node)))
        for each, layout in step.outputs.items():
            for k, value in enumerate(step.values[each]):
                place = language.place(self.written[each], layout, k)
                lines.append(language.stored(place, self._operand(language, value)))
        return [f"    {line}" for line in lines if line is not None]

    def operation(self, node: Recorded) -> tuple[str, tuple[Value, ...]]:
        """What a statement does, a key of `Language.operations`, and the values that it does it to."""
        if id(node) not in self.fused:
            return node.operation, node.arguments
        product, (first, second) = self.fused[id(node)], node.arguments
        other = second if first is product else first
        if node.operation == "sum":
            return "product_plus", (*product.arguments, other)
        return "product_minus" if first is product else "minus_product", (*product.arguments, other)

    def _operand(self, language: Language, value: Value) -> str:
        return self.names[id(value)] if isinstance(value, Recorded) else language.number(float(value))

    def _expression(self, language: Language, node: Recorded) -> str:
        operation, values = self.operation(node)
        return language.operations[operation].format(*(self._operand(language, value) for value in values))


def field_name(name: str) -> str:
    """The name of a struct's number as languages take it."""
    return f"entry{name}" if name.startswith("_") or not name else f"entry_{name}" if name[0].isdigit() else name


def structs(made: list[Step]) -> list[Struct]:
    """All structs that steps take and give, each once."""
    known: dict[str, Struct] = {}
    for step in made:
        for layout in (*step.inputs.values(), *step.outputs.values()):
            if isinstance(layout, Struct):
                known.setdefault(layout.name, layout)
    return list(known.values())
