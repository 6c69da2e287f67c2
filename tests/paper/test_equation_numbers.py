"""One table says which number in print an equation's label has, and every citation keeps to it."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROOMS = ("arms", "dynamics", "engine", "paper", "reproduction", "sections", "statics", "viewer")
"""Rooms that cite every equation by number and label."""


def numbers():
    text = (ROOT / "docs" / "notation.md").read_text(encoding="utf-8")
    table = text.partition("## Equations of the paper")[2].partition("\n## ")[0]
    found = {label: int(number) for number, label in re.findall(r"^\| (\d+) \| (\w+) \|", table, re.MULTILINE)}
    first, last, labels = re.search(r"^\| (\d+) to (\d+) \| ([\w, ]+) \|", table, re.MULTILINE).groups()
    return found | dict(zip(labels.split(", "), range(int(first), int(last) + 1), strict=True))


NUMBERS = numbers()
LABEL = "|".join(NUMBERS)


def sources(*folders):
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*")) if path.suffix in (".py", ".md")]


def test_every_numbered_equation_is_in_the_table_once():
    assert sorted(NUMBERS.values()) == list(range(1, 38))


@pytest.mark.parametrize("path", sources("src", "docs", "tests"), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_numbers_and_labels_belong_together(path):
    for number, label in re.findall(rf"\b(\d+) ({LABEL})\b", path.read_text(encoding="utf-8")):
        assert int(number) == NUMBERS[label], f"{number} {label}"


@pytest.mark.parametrize("room", ROOMS)
def test_no_equation_is_cited_by_its_label_alone(room):
    for path in sources(f"src/continuarm/{room}"):
        alone = re.findall(rf"\b[Ee]qs?\. (?:\d+ \w+(?:, | and ))*(?:{LABEL})\b", path.read_text(encoding="utf-8"))
        assert alone == [], path
