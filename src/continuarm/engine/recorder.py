"""Recording: a function of one section or one muscle becomes a step, straight-line arithmetic that can be printed.

Every argument name has one layout in all steps: numbers of a shape, or a struct, which has a name of its own in
generated code. The numbers of a struct may be stored tightly: without what is constant, and what repeats once.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from continuarm.engine.differentiation import gradient
from continuarm.engine.sums import opened_sums
from continuarm.engine.tracing import Pack, Recorded, Value, inputs


class Struct(NamedTuple):
    """A layout with a name of its own in generated code."""

    name: str
    pack: Pack
    constant: bool = False
    """Whether it describes an arm, and not a state."""


class Numbers(NamedTuple):
    """A layout of plain numbers: one, a vector, a matrix."""

    shape: tuple[int, ...]
    constant: bool = False


class Step(NamedTuple):
    """A recorded step: the layouts of its inputs and outputs by name, and its outputs as flat lists of values."""

    name: str
    about: str
    inputs: dict[str, Struct | Numbers]
    outputs: dict[str, Struct | Numbers]
    values: dict[str, list[Value]]


Model = tuple[str, Callable[[Any], object]]
"""A suffix, and what makes the inertia model of a section."""


class Recorder:
    """Records steps; what one defines, later ones know."""

    def __init__(self, layouts: Mapping[str, Struct | Numbers]) -> None:
        self.layouts = dict(layouts)
        self.steps: list[Step] = []

    def record(
        self,
        function: Callable[..., Any],
        *outputs: str,
        defines: Mapping[str, str] | None = None,
        model: Model | None = None,
    ) -> Step:
        """Runs a function on recording scalars and keeps its arithmetic.

        outputs: names of what it returns. defines: those that become structs here, tight ones, with the names of the
        structs; a later function that gives the same output must fit what the first one found constant or repeated.
        """
        layouts, results = self._traced(function, outputs, model)
        for each, struct in (defines or {}).items():
            if each not in self.layouts:
                self.layouts[each] = Struct(struct, Pack.tight(results[each]))
        written = {each: self.layouts[each] for each in outputs}
        values = _opened({each: _flat(written[each], result) for each, result in results.items()})
        step = Step(_called(function, model), _about(function), layouts, written, values)
        self.steps.append(step)
        return step

    def record_reverse(
        self,
        function: Callable[..., Any],
        *outputs: str,
        by: tuple[str, ...],
        called: str = "reverse",
        model: Model | None = None,
    ) -> Step:
        """Runs a function likewise, and keeps the arithmetic of its reverse derivatives.

        The step takes what the function takes, and a weight for every number that the function gives: `tau_bar` for
        `tau`. It gives the derivatives of the weighted sum by the inputs that are named: `q_bar` for `q`, in the layout
        of q. A struct is differentiated by the numbers that are stored of it. called: the suffix of the step's name.
        """
        layouts, results = self._traced(function, outputs, model)
        given = dict(layouts)
        weighted: list[tuple[Value, Value]] = []
        for each, result in results.items():
            layout = _of_state(self.layouts[each])
            given[f"{each}_bar"] = layout
            flat = _flat(layout, result)
            weighted += zip(flat, (Recorded.of("input", f"{each}_bar", i) for i in range(len(flat))), strict=True)
        places = [(each, i) for each in by for i in range(_width(layouts[each]))]
        slopes = iter(gradient(weighted, [Recorded.of("input", *place) for place in places]))
        values = _opened({f"{each}_bar": [next(slopes) for _ in range(_width(layouts[each]))] for each in by})
        written = {f"{each}_bar": _of_state(layouts[each]) for each in by}
        about = f"Reverse derivatives of {_called(function, model)}: {_about(function)}"
        step = Step(f"{_called(function, model)}_{called}", about, given, written, values)
        self.steps.append(step)
        return step

    def _traced(
        self, function: Callable[..., Any], outputs: tuple[str, ...], model: Model | None
    ) -> tuple[dict[str, Struct | Numbers], dict[str, Any]]:
        """The layouts of a function's arguments, and what it gives for recording scalars, by name."""
        Recorded.forget()
        given = [each for each in inspect.signature(function).parameters if each != "model"]
        layouts = {each: self.layouts[each] for each in given}
        symbols = {each: _symbols(each, layout) for each, layout in layouts.items()}
        if model is not None:
            symbols["model"] = model[1](symbols["section"])
        found = function(**symbols)
        return layouts, dict(zip(outputs, found if len(outputs) > 1 else (found,), strict=True))


def _opened(values: dict[str, list[Value]]) -> dict[str, list[Value]]:
    """Results of as few operations as their sums can have."""
    found = iter(opened_sums([value for flat in values.values() for value in flat]))
    return {each: [next(found) for _ in flat] for each, flat in values.items()}


def _called(function: Callable[..., Any], model: Model | None) -> str:
    return function.__name__ + (f"_{model[0]}" if model else "")


def _about(function: Callable[..., Any]) -> str:
    return (inspect.getdoc(function) or "").split("\n")[0]


def _of_state(layout: Struct | Numbers) -> Struct | Numbers:
    """The same layout for numbers that belong to a state."""
    return layout._replace(constant=False)


def _width(layout: Struct | Numbers) -> int:
    return len(layout.pack) if isinstance(layout, Struct) else math.prod(layout.shape)


def _symbols(name: str, layout: Struct | Numbers) -> Any:
    if isinstance(layout, Struct):
        return layout.pack.inputs(name)
    made = inputs(name, *layout.shape)
    return made if layout.shape else made.item()


def _flat(layout: Struct | Numbers, result: Any) -> list[Value]:
    return layout.pack.of(result) if isinstance(layout, Struct) else list(np.asarray(result, dtype=object).flat)
