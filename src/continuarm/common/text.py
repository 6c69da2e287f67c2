"""Text for messages: on one line, not too long, and without what a terminal would obey."""

from __future__ import annotations

from typing import Any


def printable(text: str) -> str:
    """Text on one line and without control characters, whatever a file or a user put into it."""
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)


def short(value: Any) -> str:
    """The value as Python writes it, on one line and not too long."""
    try:
        text = printable(" ".join(repr(_listed(value)).split()))
    except Exception:  # an integer with thousands of digits, or what others made
        text = f"<{type(value).__name__}>"
    return text if len(text) <= 80 else text[:77] + "..."


def _listed(value: Any) -> Any:
    """Tuples as the lists that people write."""
    return [_listed(entry) for entry in value] if isinstance(value, (list, tuple)) else value
