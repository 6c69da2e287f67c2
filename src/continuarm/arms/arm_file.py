"""Arm files: TOML read into an Arm, an Arm written as TOML, and the arms that come with the library.

A file has the fields of Arm, with one [[sections]] entry per section; `repeat = 3` in an entry stands for three
identical consecutive sections. A file that cannot be is refused with one sentence, and nothing of it is used. It may
be a pipe, such as /dev/stdin; what is too long, endless or never comes is refused too.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import tomllib
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import BaseModel, BeforeValidator, Field, model_validator

from continuarm.arms.arm import MOST_SECTIONS, Arm
from continuarm.arms.description import DescriptionError, FieldError, did_you_mean
from continuarm.arms.section import Section
from continuarm.common.files import content, output_path, replaced
from continuarm.common.text import printable, short, shown

__all__ = ["arm_names", "arm_schema", "load_arm", "save_arm"]

_SHIPPED = Path(__file__).with_name("named")
_MOST_BYTES = 10_000_000  # of as many different sections as an arm may have; read in some seconds
_KEY_PART = r"(?:[\w-]++|\"[^\"\n]*+\"|'[^'\n]*+')"
_ENDLESS_KEY = re.compile(rf"(?<![\w-]){_KEY_PART}(?:[ \t]*+\.[ \t]*+{_KEY_PART}){{30}}")
"""a.a.a...: of such a key, TOML's parser makes a table in a table as often as it has parts, and looks up each again."""

_UNITS = "# Units: m, kg, s, N, rad; stiffness N/m, damping N s/m. Fields that are left out have their default."


def _whole(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MOST_SECTIONS:
        raise ValueError(f"must be an integer from 1 to {MOST_SECTIONS}")
    return value


class SectionEntry(Section):
    """One [[sections]] entry: a section, or several identical ones in a row."""

    repeat: Annotated[int, Field(ge=1, le=MOST_SECTIONS), BeforeValidator(_whole)] = Field(
        1, description="how many identical consecutive sections this entry stands for"
    )


class ArmFile(Arm):
    """A chain of sections on a fixed base; unbent, it points along +Z of its base."""

    sections: tuple[SectionEntry, ...] = Field(min_length=1, description="from the base to the tip")

    @model_validator(mode="after")
    def _is_of_countable_sections(self) -> Self:
        total = sum(entry.repeat for entry in self.sections)
        if total > MOST_SECTIONS:
            raise FieldError("sections", total, f"must be at most {MOST_SECTIONS}, with every repeat counted")
        return self


def arm_names() -> list[str]:
    """The names of the arms that come with the library, for `load_arm`.

    Returns
    -------
    list of str

    Examples
    --------
    >>> ca.arm_names()
    ['asu-two-section', 'prototype', 'prototype-muscles', 'single-section', 'stanford-trunk', 'ten-sections']
    """
    return sorted(path.stem for path in _SHIPPED.glob("*.toml"))


def arm_schema() -> dict[str, Any]:
    """The JSON schema of an arm file, for editors that check and complete as one types.

    Returns
    -------
    dict
        As `json.dumps` takes it.

    Examples
    --------
    >>> schema = ca.arm_schema()
    >>> schema["title"], schema["required"]
    ('continuarm arm file', ['sections'])
    """
    schema = _without_null(ArmFile.model_json_schema())
    return {"$schema": "https://json-schema.org/draft/2020-12/schema"} | schema | {"title": "continuarm arm file"}


def load_arm(source: str | os.PathLike[str]) -> Arm:
    """The arm of a TOML file, or one that comes with the library, by name.

    A file of that name in the current folder comes before an arm that comes with the library.

    Parameters
    ----------
    source : str or path
        A file, or one of `arm_names`.

    Returns
    -------
    Arm

    Raises
    ------
    DescriptionError
        One sentence with the file, the field, its value and what is allowed.

    Examples
    --------
    >>> arm = ca.load_arm("prototype")
    >>> arm.n, arm.sections[0].length
    (3, 0.15)
    """
    path = _located(source)
    fields = _parsed(path)
    try:
        return _without_repeats(ArmFile.model_validate(fields))
    except DescriptionError as error:
        raise _refusal(path, str(error).removeprefix("ArmFile: ").removeprefix("Arm: ")) from None


def save_arm(arm: Arm, path: str | os.PathLike[str]) -> None:
    """Writes an arm to a file that `load_arm` reads back as an equal arm; the file is complete or untouched.

    Parameters
    ----------
    arm : Arm
    path : str or path
        Where to; a link is followed.

    Examples
    --------
    >>> arm = ca.load_arm("prototype").replace(name="heavier", payload=ca.Payload(mass=0.05))
    >>> ca.save_arm(arm, "heavier.toml")
    >>> ca.load_arm("heavier.toml") == arm
    True
    """
    if not isinstance(arm, Arm):
        raise DescriptionError(f"save_arm: arm = {short(arm)}: must be an Arm")
    try:
        # An arm saved through a link goes to the linked file; the link stays.
        place = output_path(path)
        text = arm_text(arm).encode()
        if len(text) > _MOST_BYTES:
            raise ValueError(f"{shown(path)}: the arm takes {len(text)} bytes: must be at most {_MOST_BYTES}")
        with replaced(place) as new:
            new.write_bytes(text)
    except ValueError as error:
        raise DescriptionError(str(error)) from None


def _without_null(schema: Any) -> Any:
    """TOML has no null: a field that may be None is one that may be left out."""
    if isinstance(schema, list):
        return [_without_null(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    schema = {name: _without_null(part) for name, part in schema.items() if part is not None}
    alternatives = [part for part in schema.get("anyOf", []) if part != {"type": "null"}]
    if len(alternatives) == 1:
        del schema["anyOf"]
        schema |= alternatives[0]
    return schema


def _is_path(path: object) -> bool:
    """Whether it is text, or a path that is text."""
    return isinstance(os.fspath(path) if isinstance(path, os.PathLike) else path, str)


def _refusal(path: str | os.PathLike[str], sentence: str) -> DescriptionError:
    return DescriptionError(f"{shown(path)}: {printable(sentence)}")


# Reading


def _located(source: str | os.PathLike[str]) -> Path:
    """The file itself, or else the shipped arm of that name."""
    if not _is_path(source):
        raise DescriptionError(f"load_arm: source = {short(source)}: must be a file or the name of an arm")
    text = os.fspath(source)
    path = Path(text)
    is_name = path.suffix != ".toml" and not re.search(r"[/\\]", text)
    if not is_name or os.path.isfile(path):
        return path
    names = arm_names()
    if text in names:
        return _SHIPPED / f"{text}.toml"
    if text and os.path.exists(path):
        return path
    arms = f"the arms {', '.join(map(repr, names))}{did_you_mean(text, names)}"
    raise DescriptionError(f"'{shown(text)}' is neither a file nor one of {arms}")


def _parsed(path: Path) -> dict[str, Any]:
    try:
        found = content(path, _MOST_BYTES)
    except ValueError as error:
        raise _refusal(path, str(error)) from None
    try:
        # Some editors begin a file with a byte order mark, which is no part of the text.
        text = found.decode("utf-8-sig")
        endless = _ENDLESS_KEY.search(text)
        if not endless:
            return tomllib.loads(text)
        sentence = f"line {text.count(chr(10), 0, endless.start()) + 1}: a key has too many parts"
    except UnicodeDecodeError as error:
        line = found.count(b"\n", 0, error.start) + 1
        sentence = f"line {line}: is not UTF-8 text"
    except tomllib.TOMLDecodeError as error:
        sentence = _syntax(str(error))
    except RecursionError:
        sentence = "is nested too deeply"
    except ValueError as error:  # such as a number with thousands of digits
        sentence = f"cannot be read: {error}"
    raise _refusal(path, sentence)


def _syntax(message: str) -> str:
    """'Invalid value (at line 3, column 8)' -> 'line 3, column 8: invalid value'."""
    found = re.fullmatch(r"(.*) \(at (.*)\)", message, flags=re.DOTALL)
    what, where = found.groups() if found else (message, "TOML")
    if what.startswith(("Cannot overwrite a value", "Cannot declare", "Cannot mutate", "Duplicate inline table key")):
        what = "a key or table is given twice"
    return f"{where}: {what[:1].lower()}{what[1:]}"


def _without_repeats(entries: ArmFile) -> Arm:
    fields = {name: getattr(entries, name) for name in Arm.model_fields}
    sections: list[Section] = []
    for entry in entries.sections:
        # What an entry holds was checked when it was made.
        section = Section.model_construct(**{name: getattr(entry, name) for name in Section.model_fields})
        sections += [section] * entry.repeat
    return Arm(**fields | {"sections": sections})


# Writing


def arm_text(arm: Arm) -> str:
    fields = _changed(arm)
    del fields["sections"]
    blocks = [f"{_UNITS}\n{_lines(fields)}"]
    for section, same in itertools.groupby(arm.sections):
        repeat = len(list(same))
        entry = ({"repeat": repeat} if repeat > 1 else {}) | _changed(section)
        blocks.append(f"[[sections]]\n{_lines(entry)}")
    return "\n".join(blocks)


def _changed(description: BaseModel) -> dict[str, Any]:
    """The fields that differ from their defaults; descriptions inside, as tables."""
    changed = {}
    for name, field in type(description).model_fields.items():
        value = getattr(description, name)
        if name == "model" or value != field.get_default(call_default_factory=True):
            changed[name] = _changed(value) if isinstance(value, BaseModel) else value
    return changed


def _lines(fields: dict[str, Any]) -> str:
    return "".join(f"{name} = {_toml(value)}\n" for name, value in fields.items())


def _toml(value: Any) -> str:
    if isinstance(value, str):  # TOML's escapes are JSON's, but for the one control character that JSON lets pass
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, BaseModel):
        return _toml(_changed(value))
    if isinstance(value, tuple):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{name} = {_toml(entry)}' for name, entry in value.items())} }}"
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value)  # the shortest digits that read back as the same number
