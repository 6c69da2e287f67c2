"""Recording: a function of one section or one muscle becomes a step, straight-line arithmetic that can be printed.

Every argument name has one layout in all steps: numbers of a shape, or a struct, which has a name of its own in
generated code. The numbers of a struct may be stored tightly: without what is constant, and what repeats once.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

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
        model: tuple[str, Callable[[Any], object]] | None = None,
    ) -> Step:
        """Runs a function on recording scalars and keeps its arithmetic.

        outputs: names of what it returns. defines: those that become structs here, tight ones, with the names of the
        structs; a later function that gives the same output must fit what the first one found constant or repeated.
        model: a suffix, and what makes the inertia model of a section.
        """
        Recorded.forget()
        given = [each for each in inspect.signature(function).parameters if each != "model"]
        layouts = {each: self.layouts[each] for each in given}
        symbols = {each: _symbols(each, layout) for each, layout in layouts.items()}
        if model is not None:
            symbols["model"] = model[1](symbols["section"])
        found = function(**symbols)
        results = dict(zip(outputs, found if len(outputs) > 1 else (found,), strict=True))
        for each, struct in (defines or {}).items():
            if each not in self.layouts:
                self.layouts[each] = Struct(struct, Pack.tight(results[each]))
        written = {each: self.layouts[each] for each in outputs}
        values = {each: _flat(written[each], result) for each, result in results.items()}
        called = function.__name__ + (f"_{model[0]}" if model else "")
        about = (inspect.getdoc(function) or "").split("\n")[0]
        step = Step(called, about, layouts, written, values)
        self.steps.append(step)
        return step


def _symbols(name: str, layout: Struct | Numbers) -> Any:
    if isinstance(layout, Struct):
        return layout.pack.inputs(name)
    made = inputs(name, *layout.shape)
    return made if layout.shape else made.item()


def _flat(layout: Struct | Numbers, result: Any) -> list[Value]:
    return layout.pack.of(result) if isinstance(layout, Struct) else list(np.asarray(result, dtype=object).flat)
