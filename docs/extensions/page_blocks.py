"""The code blocks of a page, and how they are run: by the tests, and by the build for the pictures that a page shows.

A page is run from top to bottom in an empty folder:

    python       executed; all blocks of a page share their names
    pycon        executed as a doctest: what is shown is what comes out
    sh           lines that begin with `continuarm` are run; what a block `text` right after it shows is what they print
    toml, csv    a first line `# arm.toml` names the file that the block is written to

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
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FENCE = re.compile(r"^(?P<indent> *)(?P<fence>`{3,}) *(?P<language>\S*)")
NOT_RUN = re.compile(r"<!-- not run: (?P<reason>.+?) -->")
FILE_NAME = re.compile(r"# *([\w.-]+\.(?:toml|csv))\s")
SHOWN_ONLY = {"text", "json", "matlab"}
AS_SHOWN = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True)
class Block:
    """A fenced block: language, text, the lines where its text begins and ends, and why it is not run, if so."""

    language: str
    text: str
    first: int
    last: int
    not_run: str = ""


def blocks(page: str) -> list[Block]:
    """The fenced blocks of a page that are code; directives, which have a name in braces, are not."""
    lines, found = page.splitlines(), []
    number = 0
    while number < len(lines):
        begin = FENCE.match(lines[number])
        if begin:
            end = next(k for k in range(number + 1, len(lines)) if lines[k].strip() == begin["fence"])
            if not begin["language"].startswith("{"):
                text = textwrap.dedent("\n".join(lines[number + 1 : end]) + "\n")
                before = next((line for line in reversed(lines[:number]) if line.strip()), "")
                reason = NOT_RUN.search(before)
                found.append(Block(begin["language"], text, number + 2, end, reason["reason"] if reason else ""))
            number = end
        number += 1
    return found


def shell_lines(text: str) -> Iterator[str]:
    """Commands of a shell block, continued lines joined, without comments."""
    for line in text.replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        if words:
            yield shlex.join(words)


def run_page(page: str, name: str, folder: Path) -> None:
    """Runs the blocks of a page in a folder. What fails says in which line of the page."""
    names: dict[str, Any] = {"__name__": "__main__"}
    printed, end_of_commands = "", -10
    with contextlib.chdir(folder):
        for block in blocks(page):
            if block.language == "text" and block.first <= end_of_commands + 4 and not block.not_run:
                _compare(printed, block, name)
            elif not block.not_run:
                with _captured() as said:
                    run_block(block, name, names)
                if block.language == "sh":
                    printed, end_of_commands = said(), block.last


@contextlib.contextmanager
def _captured() -> Iterator[Callable[[], str]]:
    """Standard output as a file has it, encoding and all; gives a function that returns what was printed."""
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    with contextlib.redirect_stdout(stream):
        yield lambda: stream.buffer.getvalue().decode()  # type: ignore[attr-defined]


def run_block(block: Block, page: str, names: dict[str, Any]) -> None:
    """Runs one block, with the names that those before it left."""
    match block.language:
        case "python":
            padding = "\n" * (block.first - 1)  # so that a traceback has the line of the page
            exec(compile(padding + block.text, page, "exec"), names)
        case "pycon":
            _run_doctest(block, page, names)
        case "sh":
            for line in shell_lines(block.text):
                _run_command(line, f"{page}, line {block.first}")
        case "toml" | "csv":
            _write_file(block, page)
        case language if language not in SHOWN_ONLY:
            raise ValueError(f"{page}, line {block.first}: nobody knows how to run a block of {language!r}")


def _run_doctest(block: Block, page: str, names: dict[str, Any]) -> None:
    test = doctest.DocTestParser().get_doctest(block.text, names, page, page, block.first - 1)
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=AS_SHOWN, verbose=False)
    runner.run(test, out=said.append, clear_globs=False)
    names |= test.globs
    if runner.failures:
        raise AssertionError("".join(said))


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


def _compare(printed: str, block: Block, page: str) -> None:
    if not doctest.OutputChecker().check_output(block.text, printed, AS_SHOWN):
        raise AssertionError(f"{page}, line {block.first}: shown is\n{block.text}\nprinted was\n{printed}")


def _write_file(block: Block, page: str) -> None:
    if block.language == "toml":
        tomllib.loads(block.text)
    name = FILE_NAME.match(block.text)
    if name:
        Path(name[1]).write_text(block.text, encoding="utf-8")
    elif block.language == "csv":
        raise ValueError(f"{page}, line {block.first}: a table must begin with the name of its file, # run.csv")


def pictures(page: str) -> list[str]:
    """The pictures beside a page that its own code makes: ![...](name.png)."""
    return re.findall(r"^!\[[^\]]*\]\(([\w-]+\.png)\)", page, flags=re.MULTILINE)


os.environ.setdefault("MPLBACKEND", "agg")
