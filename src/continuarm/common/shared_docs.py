"""Entries of docstrings that several classes have in common: written once, and there for who asks any of them."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable
from typing import TypeVar

Kind = TypeVar("Kind", bound=type)

_ENTRY = re.compile(r"^( *)(\w[\w, ]*) : .*(?:\n\1 {4}.*)*", flags=re.MULTILINE)


def with_entries_of(owner: type) -> Callable[[Kind], Kind]:
    """For a class whose docstring has a line "a, b : see `Owner`": in its place are the entries of the owner's.

    KeyError where the owner has no such entry.
    """
    found = _ENTRY.finditer(owner.__doc__ or "")
    entries = {each[2]: textwrap.dedent(each[0]) for each in found}
    line = re.compile(rf"^( *)(\w[\w, ]*) : see `{owner.__name__}`$", flags=re.MULTILINE)

    def written_out(place: re.Match[str]) -> str:
        return "\n".join(textwrap.indent(entries[name], place[1]) for name in place[2].split(", "))

    def filled(kind: Kind) -> Kind:
        if kind.__doc__:  # Python leaves docstrings out where it is told to, with -OO
            kind.__doc__ = line.sub(written_out, kind.__doc__)
        return kind

    return filled
