"""Text for messages: on one line, not too long, and without what a terminal would obey."""

from __future__ import annotations

import itertools
import os
from typing import Any

LONGEST_NAME = 400
"""Characters of a path that messages show: more than any file system has for one name."""


def printable(text: str) -> str:
    """Text on one line and without control characters, whatever a file or a user put into it.

    Line ends, escape sequences, marks that turn the direction of writing and bytes that are no UTF-8 become escapes.
    """
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def shown(path: str | os.PathLike[str], most: int = LONGEST_NAME) -> str:
    """The name of a file or a field as messages show it: printable, and without its middle where it is endless."""
    text = os.fspath(path)
    return printable(text if len(text) <= most else f"{text[: most // 2]}...{text[-most // 2 :]}")


def short(value: Any) -> str:
    """The value as Python writes it, on one line and not too long."""
    try:
        written = repr(_beginning(value))
    except Exception:  # of a stranger's class, or a number with thousands of digits
        written = f"<{type(value).__name__}>"
    text = printable(" ".join(written.split()))
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


_LONGEST = 80
_DEEPEST = 20


def _beginning(value: Any, depth: int = 0) -> Any:
    """As much of a value as can be shown; tuples as the lists that people write."""
    if isinstance(value, str):
        return value if type(value) is str and len(value) <= _LONGEST else value[:_LONGEST]
    if depth > _DEEPEST:
        return ...
    if isinstance(value, (list, tuple)):
        return [_beginning(entry, depth + 1) for entry in value[:_LONGEST]]
    if type(value) is dict:
        some = itertools.islice(value.items(), _LONGEST)
        return {_beginning(name, depth + 1): _beginning(entry, depth + 1) for name, entry in some}
    return value
