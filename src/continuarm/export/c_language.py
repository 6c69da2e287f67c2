"""Steps and structs as C99: for numbers, and for numbers that carry a derivative along one direction."""

from __future__ import annotations

import re
from typing import ClassVar

from continuarm.engine.arithmetic import Arithmetic, Language, field_name
from continuarm.engine.differentiation import tangents
from continuarm.engine.recorder import Numbers, Step, Struct
from continuarm.engine.tracing import Recorded

DIRECTION = "_dot"
"""Ends the name of an input or a result that is the change of another."""


class C99(Language):
    """Plain functions over `real`, which is double or float; constants of an arm are of the same type."""

    suffix: ClassVar[str] = ""
    """Ends the names of steps, routines and structs over these numbers."""
    kind: ClassVar[str] = "real"
    """The type of these numbers, after the prefix."""

    operations: ClassVar[dict[str, str]] = {
        "sum": "{0} + {1}",
        "difference": "{0} - {1}",
        "product": "{0} * {1}",
        "negative": "-{0}",
        "reciprocal": "(real)1.0 / {0}",
        "positive": "({0} > (real)0.0) ? {0} : (real)0.0",
        "is_positive": "({0} > (real)0.0) ? (real)1.0 : (real)0.0",
        "product_plus": "({0} * {1}) + {2}",
        "product_minus": "({0} * {1}) - {2}",
        "minus_product": "{2} - ({0} * {1})",
    }

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix

    def number(self, value: float) -> str:
        return number(value)

    def definition(self, name: str, value: str) -> str:
        return f"const real {name} = {value};"

    def place(self, each: str, layout: Struct | Numbers, k: int) -> str:
        return f"{each}->{field_name(layout.pack.fields[k])}" if isinstance(layout, Struct) else f"{each}[{k}]"

    def unused(self, each: str) -> str | None:
        return f"(void){each};"

    def function(self, arithmetic: Arithmetic) -> str:
        step = arithmetic.step
        lines = [
            f"/* {plain(step.about)} {arithmetic.counted()['total']} operations. */",
            f"static void {step.name}{self.suffix}({', '.join(self.arguments(arithmetic)) or 'void'})",
            "{",
        ]
        return "\n".join([*lines, *arithmetic.body(self), "}", ""])

    def arguments(self, arithmetic: Arithmetic) -> list[str]:
        """What a step is given, and then what it writes."""
        step = arithmetic.step
        given = [f"const {self.type(layout)} *{each}" for each, layout in step.inputs.items()]
        return given + [f"{self.type(layout)} *{arithmetic.written[each]}" for each, layout in step.outputs.items()]

    def type(self, layout: Struct | Numbers) -> str:
        """The type of an argument."""
        if layout.constant or not self.suffix:
            return f"{self.prefix}_{snake(layout.name)}" if isinstance(layout, Struct) else "real"
        return f"{self.prefix}_{snake(layout.name)}{self.suffix}" if isinstance(layout, Struct) else "dual"

    def struct(self, struct: Struct) -> str:
        """The definition of a struct."""
        number = f"{self.prefix}_{'real' if struct.constant else self.kind}"
        fields = "\n".join(f"    {number} {field_name(field)};" for field in struct.pack.fields)
        return f"typedef struct {{\n{fields}\n}} {self.type(struct)};\n"


class DualC99(C99):
    """The same over pairs of a value and its change: `dual`, with the members v and d."""

    suffix: ClassVar[str] = "_along"
    kind: ClassVar[str] = "dual"

    def place(self, each: str, layout: Struct | Numbers, k: int) -> str:
        plain_name = each.replace(DIRECTION, "")
        place = super().place(plain_name, layout, k)
        return place if layout.constant else f"{place}.{'d' if plain_name != each else 'v'}"

    def unused(self, each: str) -> str | None:
        return None if DIRECTION in each else super().unused(each)

    def arguments(self, arithmetic: Arithmetic) -> list[str]:
        return [each for each in super().arguments(arithmetic) if DIRECTION not in each]


def along(step: Step) -> Step:
    """A step that also gives how its results change along a direction of its inputs; constants of an arm are held."""
    moving = {each: layout for each, layout in step.inputs.items() if not layout.constant}
    inputs = dict(step.inputs) | {each + DIRECTION: layout for each, layout in moving.items()}
    outputs = dict(step.outputs) | {each + DIRECTION: layout for each, layout in step.outputs.items()}

    def direction(node: Recorded) -> Recorded | float:
        each, k = node.arguments
        return Recorded.of("input", each + DIRECTION, k) if each in moving else 0.0

    values = dict(step.values)
    values |= {each + DIRECTION: tangents(flat, direction) for each, flat in step.values.items()}
    return Step(step.name, step.about, inputs, outputs, values)


def number(value: float) -> str:
    """A constant, whichever type real is."""
    return f"(real){float(value)!r}"


def snake(name: str) -> str:
    """SectionBody as section_body."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def plain(text: str) -> str:
    """A sentence of a docstring as a comment takes it: in letters that every compiler reads."""
    spelt = {
        "ẍ": "x''",
        "q̈": "q''",
        "q̇": "q'",
        "τ": "tau",
        "γ": "gamma",
        "ω": "omega",
        "ξ": "xi",
        "Σ": "sum ",
        "φ": "phi",
    }
    spelt |= {
        "²": "^2",
        "⁻¹": "^-1",
        "ᵀ": "^T",
        "·": " ",
        "½": "1/2",
        "×": " x ",
        "₁": "1",
        "μ": "mu",
        "π": "pi",
        "Ŝ": "S",
    }
    for letter, word in spelt.items():
        text = text.replace(letter, word)
    text = text.encode("ascii", "ignore").decode()
    return text if text.endswith(".") else text + "."
