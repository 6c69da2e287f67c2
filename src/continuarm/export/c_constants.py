"""The constants of an arm as a table of C: every number that the steps read."""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

from continuarm.arms.arm import Arm
from continuarm.dynamics.plant import Plant
from continuarm.engine.arithmetic import field_name
from continuarm.engine.native_arm import arm_numbers, plant_numbers
from continuarm.engine.recorder import Struct
from continuarm.engine.section_numbers import BRANCH, BRANCH_STEP, MUSCLE, SECTION, STOP, VALVE
from continuarm.export.c_language import C99, number
from continuarm.export.c_steps import BASE_FRAME


class Row(NamedTuple):
    """A member of the table: an array of structs, or of plain numbers (struct None), or one number (length 0)."""

    name: str
    struct: Struct | None
    length: int
    values: list[Any]


def constants(arm: Arm, step: float) -> list[Row]:
    """All members, in order; what an arm does not have is left out."""
    sections, _, gravity, frame, mass, offset, stops = arm_numbers(arm)
    muscles, valves, branches, kept = plant_numbers(Plant(arm), step)[:4]
    rows = [
        Row("sections", SECTION, len(sections), sections),
        Row("stops", STOP, 0, list(itertools.chain(*stops))),
        Row("muscles", MUSCLE, 0, list(itertools.chain(*muscles))),
        Row("valves", VALVE, 0, valves),
        Row("branches", BRANCH, 0, branches),
        Row("kept", BRANCH_STEP, 0, kept),
    ]
    made = [row._replace(length=len(row.values)) for row in rows if row.values]
    made.append(Row("gravity", None, 3, gravity))
    made.append(Row("base_frame", BASE_FRAME, 0, frame))
    made.append(Row("payload_mass", None, 0, [mass]))
    made.append(Row("payload_offset", None, 3, offset))
    made.append(Row("step", None, 0, [step]))
    return made


def constants_type(rows: list[Row], language: C99) -> str:
    """The definition of the struct that holds all constants, and of those inside."""
    texts = [language.struct(row.struct) for row in rows if row.struct is not None]
    lines = []
    for row in rows:
        kind = language.type(row.struct) if row.struct is not None else f"{language.prefix}_real"
        lines.append(f"    {kind} {row.name}{f'[{row.length}]' if row.length else ''};")
    return "\n".join([*texts, "typedef struct {", *lines, f"}} {language.prefix}_arm;", ""])


def constants_table(rows: list[Row], prefix: str) -> str:
    """The table itself, in flash."""
    lines = [f"static const {prefix}_arm constants = {{"]
    for row in rows:
        if row.struct is None:
            text = ", ".join(map(number, row.values))
            lines.append(f"    .{row.name} = {{{text}}}," if row.length else f"    .{row.name} = {text},")
        elif row.length:
            lines.append(f"    .{row.name} = {{")
            lines += [f"        {_struct(row.struct, values)}," for values in row.values]
            lines.append("    },")
        else:
            lines.append(f"    .{row.name} = {_struct(row.struct, row.values)},")
    return "\n".join([*lines, "};", ""])


def _struct(struct: Struct, values: list[float]) -> str:
    fields = zip(struct.pack.fields, values, strict=True)
    return "{" + ", ".join(f".{field_name(field)} = {number(value)}" for field, value in fields) + "}"
