"""Text in messages: one line, bounded, and nothing that a terminal would obey."""

from __future__ import annotations

import sys

import pytest

from continuarm.common.text import LONGEST_NAME, printable, short, shown


class Raising:
    """A stranger's object that cannot be shown."""

    def __repr__(self) -> str:
        raise RuntimeError("no")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("größe µ 曲げ", "größe µ 曲げ"),
        ("\x1b[31mred\x1b[0m", r"\x1b[31mred\x1b[0m"),
        ("two\nlines\r\t", r"two\nlines\r\t"),
        ("\x9b31m\x7f", r"\x9b31m\x7f"),
        ("\u202egpj.exe\u2066", r"\u202egpj.exe\u2066"),
        ("bytes \udcff", r"bytes \udcff"),
        ("\u2028\u00a0\ufeff", r"\u2028\xa0\ufeff"),
        ("[bold]x[/bold]", "[bold]x[/bold]"),
    ],
)
def test_what_a_terminal_would_obey_becomes_an_escape(text: str, expected: str) -> None:
    assert printable(text) == shown(text) == expected
    assert printable(text).isprintable()


def test_every_letter_is_printable_or_an_escape() -> None:
    for first in range(0, sys.maxunicode + 1, 0x1000):
        found = printable("".join(map(chr, range(first, min(first + 0x1000, sys.maxunicode + 1)))))
        assert found.isprintable()


def test_an_endless_name_loses_its_middle() -> None:
    assert shown("x" * LONGEST_NAME) == "x" * LONGEST_NAME
    found = shown("a" * 10**6 + "b" * 10**6 + ".nc")
    assert len(found) == LONGEST_NAME + 3
    assert found.startswith("aaa")
    assert "a...b" in found
    assert found.endswith("bbb.nc")


def deep(levels: int) -> list[object]:
    nested: list[object] = []
    for _ in range(levels):
        nested = [nested]
    return nested


def test_a_value_is_shown_by_its_beginning() -> None:
    values: list[tuple[object, str]] = [
        ((1, (2, "a")), "[1, [2, 'a']]"),
        ({"a": (1, 2)}, "{'a': [1, 2]}"),
        ("a\nb", r"'a\nb'"),
        ("x" * 10**7, "'" + "x" * 76 + "..."),
        ([1.5] * 10**6, "[" + "1.5, " * 15 + "1..."),
        (10**10_000, "<int>"),
        (Raising(), "<Raising>"),
        (deep(100_000), "[" * 21 + "Ellipsis" + "]" * 21),
    ]
    for value, expected in values:
        assert short(value) == expected
