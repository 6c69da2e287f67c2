"""Arm files: TOML read into an Arm, an Arm written as TOML, and the arms that come with the library.

A file has the fields of Arm, with one [[sections]] entry per section; `repeat = 3` in an entry stands for three
identical consecutive sections. A file that cannot be is refused with one sentence, and nothing of it is used.
"""

from __future__ import annotations

import difflib
import itertools
import json
import os
import re
import tomllib
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field

from continuarm.arms.arm import Arm
from continuarm.arms.description import DescriptionError
from continuarm.arms.section import Section
from continuarm.common.files import output_path, replaced
from continuarm.common.text import printable, short

__all__ = ["arm_names", "arm_schema", "load_arm", "save_arm"]

_SHIPPED = Path(__file__).with_name("named")
_MOST_REPEATS = 100_000  # beyond any arm, and short of exhausting the memory by a slip of the keyboard
_MOST_BYTES = 100_000_000  # a device or a wrong file may never end
_UNITS = "# Units: m, kg, s, N, rad; stiffness N/m, damping N s/m. Fields that are left out have their default."


def _whole(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= _MOST_REPEATS:
        raise ValueError(f"must be an integer from 1 to {_MOST_REPEATS}")
    return value


class SectionEntry(Section):
    """One [[sections]] entry: a section, or several identical ones in a row."""

    repeat: Annotated[int, Field(ge=1, le=_MOST_REPEATS), BeforeValidator(_whole)] = Field(
        1, description="how many identical consecutive sections this entry stands for"
    )


class ArmFile(Arm):
    """A chain of sections on a fixed base; unbent, it points along +Z of its base."""

    sections: tuple[SectionEntry, ...] = Field(min_length=1, description="from the base to the tip")


def arm_names() -> list[str]:
    """The names of the arms that come with the library, for `load_arm`.

    Returns
    -------
    list of str

    Examples
    --------
    >>> ca.arm_names()
    ['prototype', 'prototype-muscles', 'single-section', 'ten-sections']
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
        entries = ArmFile.model_validate(fields)
    except DescriptionError as error:
        raise _refusal(path, str(error).removeprefix("ArmFile: ")) from None
    return _without_repeats(entries)


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
        with replaced(output_path(path)) as new:
            new.write_text(_text(arm), encoding="utf-8", newline="\n")
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
    return DescriptionError(printable(f"{os.fspath(path)}: {sentence}"))


# Reading


def _located(source: str | os.PathLike[str]) -> Path:
    """The file itself, or else the shipped arm of that name."""
    if not _is_path(source):
        raise DescriptionError(f"load_arm: source = {short(source)}: must be a file or the name of an arm")
    text = os.fspath(source)
    path = Path(text)
    is_name = path.suffix != ".toml" and not re.search(r"[/\\]", text)
    if not is_name or path.is_file():
        return path
    if text in arm_names():
        return _SHIPPED / f"{text}.toml"
    if text and path.exists():
        return path
    names = arm_names()
    near = difflib.get_close_matches(text, names, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise DescriptionError(
        printable(f"{text!r} is neither a file nor one of the arms {', '.join(map(repr, names))}{hint}")
    )


def _parsed(path: Path) -> dict[str, Any]:
    content = _content(path)
    try:
        # Some editors begin a file with a byte order mark, which is no part of the text.
        return tomllib.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        sentence = f"line {line}: is not UTF-8 text"
    except tomllib.TOMLDecodeError as error:
        sentence = _syntax(str(error))
    except RecursionError:
        sentence = "is nested too deeply"
    except ValueError as error:  # such as a number with thousands of digits
        sentence = f"cannot be read: {error}"
    raise _refusal(path, sentence)


def _content(path: Path) -> bytes:
    if path.is_dir():
        raise _refusal(path, "is a folder, not a file")
    try:
        with open(path, "rb") as file:
            content = file.read(_MOST_BYTES + 1)
    except FileNotFoundError:
        raise _refusal(path, "there is no such file") from None
    except (OSError, ValueError) as error:  # ValueError: no system has such a path
        raise _refusal(path, f"cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if len(content) > _MOST_BYTES:
        raise _refusal(path, f"is longer than {_MOST_BYTES} bytes, too long for an arm")
    return content


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
        section = Section(**{name: getattr(entry, name) for name in Section.model_fields})
        sections += [section] * entry.repeat
    return Arm(**fields | {"sections": sections})


# Writing


def _text(arm: Arm) -> str:
    fields = _changed(arm)
    del fields["sections"]
    blocks = [f"{_UNITS}\n{_lines(fields)}"]
    for section, same in itertools.groupby(arm.sections):
        left = len(list(same))
        while left:
            repeat = min(left, _MOST_REPEATS)
            left -= repeat
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
    if isinstance(value, tuple):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{name} = {_toml(entry)}' for name, entry in value.items())} }}"
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value)  # the shortest digits that read back as the same number
