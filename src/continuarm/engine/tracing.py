"""Scalars that record: running a step on them writes down its arithmetic, once, without repeats or structural zeros.

A `Recorded` behaves like a number. Equal expressions are one object, constants are folded, products with 0 vanish,
signs are pulled outward. What a step returns can be packed (constants dropped, repeats stored once) and handed to the
next step, so that zeros and symmetries are known across steps too.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple

import numpy as np

Value = Any
"""A Recorded or a float."""


class Recorded:
    """One value of a recording: an input, or an operation on values that came before it."""

    __slots__ = ("arguments", "operation", "order")

    # equal expressions are the same object
    _known: ClassVar[dict[tuple[Any, ...], Recorded]] = {}

    operation: str
    arguments: tuple[Value, ...]
    order: int

    @classmethod
    def of(cls, operation: str, *arguments: Value) -> Recorded:
        """The value of an operation, the same object for the same operation on the same arguments."""
        key = (operation, *(id(a) if isinstance(a, Recorded) else a for a in arguments))
        found = cls._known.get(key)
        if found is None:
            found = object.__new__(cls)
            found.operation, found.arguments, found.order = operation, arguments, len(cls._known)
            cls._known[key] = found
        return found

    @classmethod
    def forget(cls) -> None:
        """Begins a new recording, whose text depends on nothing before it."""
        cls._known = {}

    def __add__(self, other: Any) -> Any:
        return _sum(self, other) if isinstance(other, _NUMBERS) else NotImplemented

    def __radd__(self, other: Any) -> Any:
        return _sum(other, self)

    def __sub__(self, other: Any) -> Any:
        return _sum(self, _negative(other)) if isinstance(other, _NUMBERS) else NotImplemented

    def __rsub__(self, other: Any) -> Any:
        return _sum(other, _negative(self))

    def __mul__(self, other: Any) -> Any:
        return _product(self, other) if isinstance(other, _NUMBERS) else NotImplemented

    def __rmul__(self, other: Any) -> Any:
        return _product(other, self)

    def __truediv__(self, other: Any) -> Any:
        return _quotient(self, other) if isinstance(other, _NUMBERS) else NotImplemented

    def __rtruediv__(self, other: Any) -> Any:
        return _quotient(other, self)

    def __neg__(self) -> Any:
        return _negative(self)

    def positive_part(self) -> Any:
        """max(self, 0)."""
        return Recorded.of("positive", self)

    def is_positive(self) -> Any:
        """1 where self > 0, else 0."""
        return Recorded.of("is_positive", self)


_NUMBERS = (Recorded, int, float, np.number)


def _negative(a: Value) -> Value:
    if not isinstance(a, Recorded):
        return -float(a)
    if a.operation == "negative":
        return a.arguments[0]
    if a.operation == "difference":
        return Recorded.of("difference", a.arguments[1], a.arguments[0])
    return Recorded.of("negative", a)


def _sign(a: Value) -> tuple[int, Value]:
    if isinstance(a, Recorded) and a.operation == "negative":
        return -1, a.arguments[0]
    if not isinstance(a, Recorded) and a < 0:
        return -1, -a
    return 1, a


def _sum(a: Value, b: Value) -> Value:
    if not isinstance(a, Recorded):
        a, b = b, a
    if not isinstance(a, Recorded):
        return float(a) + float(b)
    if not isinstance(b, Recorded) and b == 0:
        return a
    (sign_a, a), (sign_b, b) = _sign(a), _sign(b)
    if sign_a != sign_b:
        if a is b:
            return 0.0
        return Recorded.of("difference", a, b) if sign_b < 0 else Recorded.of("difference", b, a)
    a, b = sorted((a, b), key=_rank)
    total = Recorded.of("sum", a, b)
    return total if sign_a > 0 else _negative(total)


def _product(a: Value, b: Value) -> Value:
    if not isinstance(a, Recorded):
        a, b = b, a
    if not isinstance(a, Recorded):
        return float(a) * float(b)
    (sign_a, a), (sign_b, b) = _sign(a), _sign(b)
    sign = sign_a * sign_b
    if not isinstance(b, Recorded):
        if b == 0:
            return 0.0
        if b == 1:
            return a if sign > 0 else _negative(a)
        if a.operation == "product" and not isinstance(a.arguments[1], Recorded):  # gather constants
            a, b = a.arguments[0], a.arguments[1] * float(b)
            if b == 1:
                return a if sign > 0 else _negative(a)
        product = Recorded.of("product", a, float(b))
    else:
        if not isinstance(a, Recorded):
            a, b = b, a
        a, b = sorted((a, b), key=_rank)
        product = Recorded.of("product", a, b)
    return product if sign > 0 else _negative(product)


def _quotient(a: Value, b: Value) -> Value:
    if not isinstance(b, Recorded):
        return _product(a, 1 / float(b))
    if not isinstance(a, Recorded) and a == 0:
        return 0.0
    reciprocal = Recorded.of("reciprocal", b)
    return reciprocal if not isinstance(a, Recorded) and a == 1 else _product(a, reciprocal)


def _rank(a: Value) -> int:
    return a.order if isinstance(a, Recorded) else 1 << 60


def visited(values: list[Value]) -> Iterator[Recorded]:
    """Everything the values are made of, each once and after what it is made of."""
    seen: set[int] = set()
    for value in values:
        stack: list[tuple[Any, bool]] = [(value, False)]
        while stack:
            node, ready = stack.pop()
            if not isinstance(node, Recorded) or id(node) in seen:
                continue
            if ready:
                seen.add(id(node))
                yield node
            else:
                stack.append((node, True))
                if node.operation != "input":
                    stack += [(argument, False) for argument in reversed(node.arguments)]


class Slot(NamedTuple):
    """Where an entry of a structure lives in its pack: a constant, or a place and a sign."""

    constant: float | None
    place: int = -1
    sign: int = 1


class Pack:
    """A structure as a flat list of numbers, and the way back."""

    def __init__(self, structure: Any, slots: list[Slot]) -> None:
        self.structure = structure
        self.slots = slots
        self._size = 1 + max((slot.place for slot in slots), default=-1)

    @classmethod
    def tight(cls, structure: Any) -> Pack:
        """Without constants, and with what repeats (up to sign) stored once: for what only steps read."""
        slots: list[Slot] = []
        places: dict[int, int] = {}
        for value in leaves(structure):
            if isinstance(value, Recorded):
                sign, positive = _sign(value)
                slots.append(Slot(None, places.setdefault(id(positive), len(places)), sign))
            else:
                slots.append(Slot(float(value)))
        return cls(structure, slots)

    @classmethod
    def plain(cls, structure: Any) -> Pack:
        """Every entry as it is and where it is: for what others read too."""
        return cls(structure, [Slot(None, place) for place, _ in enumerate(leaves(structure))])

    def __len__(self) -> int:
        return self._size

    def of(self, structure: Any) -> list[Value]:
        """Another structure of this kind, recorded or of numbers, as the flat list in this pack's order."""
        flat: list[Value] = [None] * len(self)
        for k, (slot, value) in enumerate(zip(self.slots, leaves(structure), strict=True)):
            if slot.constant is not None:
                if isinstance(value, Recorded):
                    name = _name_of(structure, k)
                    raise ValueError(f"{name} is no constant: the pack was made for one that is {slot.constant}")
                continue
            signed = value if slot.sign > 0 else -value
            if flat[slot.place] is None:
                flat[slot.place] = signed
            elif isinstance(signed, Recorded) and signed is not flat[slot.place]:
                name = _name_of(structure, k)
                raise ValueError(f"{name} repeats no other entry: the pack was made for one that does")
        return flat

    @property
    def fields(self) -> list[str]:
        """A name for each number: that of the first entry that lives there."""
        names = [""] * len(self)
        for slot, (name, _) in zip(self.slots, named_leaves(self.structure), strict=True):
            if slot.constant is None and not names[slot.place]:
                names[slot.place] = name
        return names

    def inputs(self, name: str) -> Any:
        """The same structure made of fresh inputs name[0], name[1], ..., with its constants, repeats and signs."""
        fresh = [Recorded.of("input", name, i) for i in range(len(self))]
        entries = (slot.constant if slot.constant is not None else slot.sign * fresh[slot.place] for slot in self.slots)
        return rebuilt(self.structure, entries)


def inputs(name: str, *shape: int) -> Any:
    """An array of fresh inputs name[0], name[1], ... of a shape."""
    array = np.empty(shape, dtype=object)
    for place, index in enumerate(np.ndindex(*shape)):
        array[index] = Recorded.of("input", name, place)
    return array


def leaves(structure: Any) -> Iterator[Value]:
    """All entries of nested tuples and arrays, in order."""
    if isinstance(structure, tuple):
        for part in structure:
            yield from leaves(part)
    elif isinstance(structure, np.ndarray):
        yield from structure.ravel().tolist()
    else:
        yield structure


def _name_of(structure: Any, k: int) -> str:
    """The name of an entry by its number."""
    return next(itertools.islice(named_leaves(structure), k, None))[0]


def named_leaves(structure: Any, name: str = "") -> Iterator[tuple[str, Value]]:
    """All entries with their names: tip_rotation_01 for structure.tip.rotation[0, 1]."""
    if isinstance(structure, tuple):
        names = getattr(structure, "_fields", range(len(structure)))
        for each, part in zip(names, structure, strict=True):
            yield from named_leaves(part, f"{name}_{each}" if name else str(each))
    elif isinstance(structure, np.ndarray):
        for index in np.ndindex(structure.shape):
            place = "".join(map(str, index))
            yield (f"{name}_{place}" if name and place else name or f"_{place}"), structure[index]
    else:
        yield name, structure


def rebuilt(structure: Any, entries: Iterator[Value]) -> Any:
    """A structure like the given one, with other entries."""
    if isinstance(structure, tuple):
        parts = [rebuilt(part, entries) for part in structure]
        return type(structure)(*parts) if hasattr(structure, "_fields") else tuple(parts)
    if isinstance(structure, np.ndarray):
        array = np.empty(structure.shape, dtype=object)
        for index in np.ndindex(*structure.shape):
            array[index] = next(entries)
        return array
    return next(entries)


def symmetric_inputs(name: str, size: int) -> Any:
    """A symmetric matrix of fresh inputs."""
    entries = iter(inputs(name, size * (size + 1) // 2))
    matrix = np.empty((size, size), dtype=object)
    for i in range(size):
        for j in range(i, size):
            matrix[i, j] = matrix[j, i] = next(entries)
    return matrix
