"""Arm files that are endless, enormous or made to do harm: refused in one short sentence, or read as what they are."""

from __future__ import annotations

import itertools
import os
import threading
from pathlib import Path

import pytest

from continuarm.arms.arm import MOST_SECTIONS, Arm
from continuarm.arms.arm_file import load_arm, save_arm
from continuarm.arms.description import DescriptionError
from refusals import answers, refuses

SECTION = "[[sections]]\nlength = 0.15\nradius = 0.0125\nmass = 0.1\nstiffness = 1700.0\n"


def repeated(count: int) -> str:
    return SECTION + f"repeat = {count}\n"


HOSTILE = {
    "one repeat too many": (repeated(10_001), "repeat = 10001: … 1 … 10000"),
    "half a million sections": (repeated(500_000), "repeat = 500000: … 1 … 10000"),
    "repeats that add up": (repeated(5_000) + repeated(5_001), "sections = 10001: … at most 10000"),
    "too many entries": ("[[sections]]\n" * 10_001, "sections = … at most 10000 sections"),
    "too many muscles": (
        repeated(10_000) + f"muscles = {{ angles = {[*range(7), -1, -2, -3, -4]}, radii = {[0.01] * 11} }}",
        "sections = '110000 muscles': … at most 100000",
    ),
    "40 MB of text": ("name = '" + "x" * 40_000_000 + "'", "is longer than 10000000 bytes"),
    "a long name": (f"name = '{'x' * 1001}'\n{SECTION}", "name = 'xxx… 1000 characters"),
    "a long field": ("x" * 1_000_000 + " = 1", "xxx...xxx… is not a known field"),
    "a long value": (f"gravity = {[0] * 100_000}\n{SECTION}", "gravity = [0, 0, … 3 numbers"),
    "a number of many digits": ("a = " + "1" * 100_000, "cannot be read: … digits"),
    "a number of many bits": (SECTION + "twist = 0x" + "f" * 100_000, "twist = <int>: … 2π rad"),
    "a key of many parts": ("\na" + ".a" * 100_000 + " = 1", "line 2: a key has too many parts"),
    "a table of many parts": ("[a" + " . 'a'" * 100_000 + "]", "line 1: a key has too many parts"),
    "deep lists": ("a = " + "[" * 100_000, "nested too deeply"),
    "deep tables": ("a = " + "{a=" * 100_000, "nested too deeply"),
    "lists that are just not too deep": (
        SECTION + "damping = " + "[" * 200 + "]" * 200,
        "damping = [[[… number",
    ),
    "a name for a terminal": ('"\\u001b[31m\\u202e" = 1', r"\x1b[31m\u202e is not a known field"),
    "NUL": (SECTION + "\0", "line 6, column 1"),
}


@pytest.mark.slow
def test_files_of_strangers_are_refused_in_one_short_sentence(tmp_path: Path) -> None:
    paths = []
    for name, (content, _) in HOSTILE.items():
        paths.append(tmp_path / f"{name}.toml")
        paths[-1].write_text(content, encoding="utf-8")
    for path, sentence in zip(paths, answers("load_arm", *paths), strict=True):
        assert refuses(sentence, f"{path}: … {HOSTILE[path.stem][1]}"), sentence
        assert len(sentence) < 1000


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
def test_what_is_endless_or_never_comes_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    (tmp_path / ("y" * 250)).touch()
    expected = {
        "/dev/zero": "… device",
        str(tmp_path / "pipe"): "… pipe … nobody",
        str(tmp_path / "circle"): "… links",
        "x" * 300: "… neither a file nor",
        "x" * 10**5 + ".toml": "… too long",
        str(tmp_path / ("y" * 250)): "sections is missing",
    }
    for path, sentence in zip(expected, answers("load_arm", *expected), strict=True):
        assert refuses(sentence, expected[path]), sentence
        assert len(sentence) < 1000


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
def test_an_arm_may_come_through_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(SECTION,), kwargs={"encoding": "utf-8"})
    writer.start()
    assert load_arm(pipe).n == 1
    writer.join()


def test_an_arm_has_as_many_sections_as_can_be_computed() -> None:
    section = load_arm("prototype").sections[0]
    assert Arm(sections=[section] * MOST_SECTIONS).n == MOST_SECTIONS
    for many in ([section] * (MOST_SECTIONS + 1), itertools.repeat(section)):
        with pytest.raises(DescriptionError, match=f"^Arm: sections = .*{MOST_SECTIONS}"):
            Arm(sections=many)


def test_what_is_too_long_to_be_read_back_is_not_saved(tmp_path: Path) -> None:
    long = load_arm("prototype").replace(description="x" * 10_000_000)
    with pytest.raises(DescriptionError, match=r"arm\.toml: the arm takes \d+ bytes: must be at most 10000000$"):
        save_arm(long, tmp_path / "arm.toml")
    assert list(tmp_path.iterdir()) == []
