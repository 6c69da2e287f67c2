"""The code blocks of a page, and how they are run: by the tests, and by the build for the pictures that a page shows.

A page is run from top to bottom in an empty folder:

    python    executed; all blocks of a page share their names
    pycon     executed as a doctest: what is shown is what comes out
    sh        lines that begin with `continuarm` are run
    toml      a first line `# arm.toml` names the file that the block is written to; csv likewise

Others are shown only. A block that is not to be run says why in a comment right before it: <!-- not run: ... -->
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import shlex
import textwrap
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FENCE = re.compile(r"^(?P<indent> *)(?P<fence>`{3,}|:{3,}) *(?P<language>\S*)")
NOT_RUN = re.compile(r"<!-- not run: (?P<reason>.+?) -->")
FILE_NAME = re.compile(r"# *([\w.-]+\.(?:toml|csv))\s")
SHOWN_ONLY = {"", "text", "json", "cpp", "matlab"}


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, the line where its text begins, and why it is not run, if so."""

    language: str
    text: str
    line: int
    not_run: str = ""


def blocks(page: str) -> list[Block]:
    """The fenced blocks of a page that are code; directives, which have a name in braces, are not."""
    lines, found = page.splitlines(), []
    number = 0
    while number < len(lines):
        begin = FENCE.match(lines[number])
        if begin and begin["fence"][0] == "`":
            end = next(k for k in range(number + 1, len(lines)) if lines[k].strip() == begin["fence"])
            if not begin["language"].startswith("{"):
                text = textwrap.dedent("\n".join(lines[number + 1 : end]) + "\n")
                before = next((line for line in reversed(lines[:number]) if line.strip()), "")
                reason = NOT_RUN.search(before)
                found.append(Block(begin["language"], text, number + 2, reason["reason"] if reason else ""))
            number = end
        number += 1
    return found


def shell_lines(text: str) -> Iterator[str]:
    """Commands of a shell block, continued lines joined, without comments."""
    for line in text.replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        if words:
            yield shlex.join(words)


def run_page(page: str, name: str, folder: Path) -> str:
    """Runs the blocks of a page in a folder; returns what they printed. What fails says in which line of the page."""
    names: dict[str, Any] = {"__name__": "__main__"}
    printed = io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(printed):
        for block in blocks(page):
            if not block.not_run:
                run_block(block, name, names)
    return printed.getvalue()


def run_block(block: Block, page: str, names: dict[str, Any]) -> None:
    """Runs one block, with the names that those before it left."""
    match block.language:
        case "python":
            padding = "\n" * (block.line - 1)  # so that a traceback has the line of the page
            exec(compile(padding + block.text, page, "exec"), names)
        case "pycon":
            _run_doctest(block, page, names)
        case "sh":
            for line in shell_lines(block.text):
                _run_command(line, f"{page}, line {block.line}")
        case "toml" | "csv":
            _write_file(block, page)
        case language if language not in SHOWN_ONLY:
            raise ValueError(f"{page}, line {block.line}: nobody knows how to run a block of {language!r}")


def _run_doctest(block: Block, page: str, names: dict[str, Any]) -> None:
    test = doctest.DocTestParser().get_doctest(block.text, names, page, page, block.line - 1)
    said = io.StringIO()
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE, verbose=False)
    runner.run(test, out=said.write, clear_globs=False)
    names |= test.globs
    if runner.failures:
        raise AssertionError(said.getvalue())


def _run_command(line: str, where: str) -> None:
    from continuarm.cli.app import main

    program, *arguments = shlex.split(line)
    if program != "continuarm":
        raise ValueError(f"{where}: {line!r} is no command of continuarm: say why it is not run")
    errors = io.StringIO()
    with contextlib.redirect_stderr(errors):
        code = main(arguments)
    if code:
        raise AssertionError(f"{where}: {line!r} ends with {code}: {errors.getvalue()}")


def _write_file(block: Block, page: str) -> None:
    if block.language == "toml":
        tomllib.loads(block.text)
    name = FILE_NAME.match(block.text)
    if name:
        Path(name[1]).write_text(block.text, encoding="utf-8")
    elif block.language == "csv":
        raise ValueError(f"{page}, line {block.line}: a table must begin with the name of its file, # run.csv")


def pictures(page: str) -> list[str]:
    """The pictures beside a page that its own code makes: ![...](name.png)."""
    return re.findall(r"!\[[^\]]*\]\(([\w-]+\.png)\)", page)


os.environ.setdefault("MPLBACKEND", "agg")
