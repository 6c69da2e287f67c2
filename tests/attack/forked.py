"""Commands in forked children of a process that has imported everything: as `python -m continuarm`, but at once.

Some are started as real processes instead: then imports, too, happen under signals and limits.
"""

from __future__ import annotations

import contextlib
import faulthandler
import json
import os
import re
import select
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import continuarm
from attack.attacker import Finding, check_sentence
from cli_process import environment

PLACE = Path(continuarm.__file__).with_name("__main__.py")
ENTRY = compile(PLACE.read_text(encoding="utf-8"), PLACE, "exec")
"""What `python -m continuarm` runs; read once, as a child may be short of files to open."""
CODES = (0, 1, 2, 130)
"""Exit codes that are documented."""
LATEST = 60.0
"""Seconds after which a child has not ended."""


def import_everything() -> None:
    """What commands import when they need it, so that children have it already."""
    import h5netcdf  # noqa: F401
    import matplotlib.backends.backend_agg
    import matplotlib.pyplot  # noqa: F401
    import rich.console
    import rich.progress
    import rich.table  # noqa: F401
    import scipy.optimize
    import scipy.spatial.transform
    import scipy.stats  # noqa: F401
    import sksundae.cvode  # noqa: F401

    import continuarm.benchmarks.run
    import continuarm.cli.app
    import continuarm.identification.html_report
    import continuarm.reproduction.report_folder
    import continuarm.viewer.html
    import continuarm.viewer.viewer  # noqa: F401


@dataclass(frozen=True)
class Ended:
    """How a command ended: the exit code, or minus the signal."""

    arguments: tuple[str, ...]
    code: int
    out: str
    err: str
    seconds: float

    def __str__(self) -> str:
        typed = " ".join(map(ascii, self.arguments))[:600]
        return f"continuarm {typed}: {self.code}\n{self.out[-500:]}\n{self.err[-1500:]}"


@dataclass(frozen=True)
class Signal:
    """A signal to be sent so many seconds after the start."""

    number: signal.Signals
    after: float


def command(
    arguments: Sequence[str], *, prepare: Callable[[], object] | None = None, sent: Signal | None = None
) -> Ended:
    """Runs a command in a forked child."""

    def body() -> int:
        sys.argv = ["continuarm", *arguments]
        try:
            exec(ENTRY, {"__name__": "__main__"})
        except SystemExit as ended:
            if isinstance(ended.code, str):
                print(ended.code, file=sys.stderr)
            return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
        return 0

    code, out, err, seconds = child(body, prepare=prepare, sent=sent)
    return Ended(tuple(arguments), code, out, err, seconds)


def process(arguments: Sequence[str], *, sent: Signal | None = None, cwd: str | None = None, **changes: str) -> Ended:
    """Runs a command as a process of its own, with some variables of its environment changed."""
    began = time.monotonic()
    whole = [sys.executable, "-m", "continuarm", *arguments]
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(whole, env=environment(**changes), cwd=cwd, **pipes) as started:
        try:
            if sent is not None:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    started.wait(sent.after)
                started.send_signal(sent.number)
            out, err = started.communicate(timeout=LATEST)
        except subprocess.TimeoutExpired:
            started.kill()
            raise Finding("a command does not end", f"{' '.join(map(ascii, arguments))} after {LATEST:g} s") from None
    texts = [each.decode("utf-8", "backslashreplace") for each in (out, err)]
    return Ended(tuple(arguments), started.returncode, *texts, time.monotonic() - began)


def child(
    body: Callable[[], int], *, prepare: Callable[[], object] | None = None, sent: Signal | None = None
) -> tuple[int, str, str, float]:
    """Runs a function in a forked child: exit code or minus the signal, standard output, standard error, seconds.

    A signal is sent so long after the function has begun.
    """
    pipes, (ready, says_ready) = [os.pipe(), os.pipe()], os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if not pid:
        os.close(ready)
        _in_child(body, prepare, pipes, says_ready)
    for writing in (pipes[0][1], pipes[1][1], says_ready):
        os.close(writing)
    os.read(ready, 1)
    os.close(ready)
    began = time.monotonic()
    texts: dict[int, bytes] = {reading: b"" for reading, _ in pipes}
    open_ones = list(texts)
    waiting, late = sent, False
    while open_ones:
        now = time.monotonic() - began
        if waiting is not None and now >= waiting.after:
            os.kill(pid, waiting.number)  # not yet waited for: still the child
            waiting = None
        if now > LATEST:  # where is it?
            os.kill(pid, signal.SIGUSR1 if not late else signal.SIGKILL)
            late = True
        patience = LATEST if waiting is None else max(0.0, min(waiting.after - now, LATEST))
        for reading in select.select(open_ones, [], [], min(patience, 1.0))[0]:
            some = os.read(reading, 1 << 16)
            texts[reading] += some
            if not some:
                open_ones.remove(reading)
                os.close(reading)
    _, status = os.waitpid(pid, 0)
    seconds = time.monotonic() - began
    out, err = (each.decode("utf-8", "backslashreplace") for each in texts.values())
    if late:
        raise Finding("a command does not end", f"after {LATEST:g} s:\n{err[-3000:]}")
    return os.waitstatus_to_exitcode(status), out, err, seconds


def _in_child(
    body: Callable[[], int], prepare: Callable[[], object] | None, pipes: list[tuple[int, int]], says_ready: int
) -> None:
    """Does not return. What Python does at the end of a process, it does here too."""
    code = 1
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        nothing = os.open(os.devnull, os.O_RDONLY)
        for target, source in ((0, nothing), (1, pipes[0][1]), (2, pipes[1][1])):
            os.dup2(source, target)
        for reading, writing in pipes:
            os.close(reading)
            os.close(writing)
        sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w", encoding="utf-8"), open(2, "w", encoding="utf-8")  # noqa: SIM115
        faulthandler.register(signal.SIGUSR1, 2)
        if prepare is not None:
            prepare()
        os.close(says_ready)
        code = body()
    except BaseException as error:
        with contextlib.suppress(BaseException):
            traceback.print_exc()
        code = -int(signal.SIGINT) if isinstance(error, KeyboardInterrupt) else 1
    finally:
        try:
            for stream in (sys.stdout, sys.stderr):
                if stream is not None and not stream.closed:
                    stream.flush()
            if code == -int(signal.SIGINT):
                signal.signal(signal.SIGINT, signal.SIG_DFL)
                os.kill(os.getpid(), signal.SIGINT)
        except BaseException:
            code = 120
        finally:
            os._exit(code)  # whatever happens: a child that went on would be a second attacker


# Laws of every command


def check(ended: Ended, codes: Sequence[int] = CODES) -> None:
    """A documented exit code, one line for what is wrong, no traceback, nothing that a terminal would obey."""
    name = ended.arguments[0] if ended.arguments else ""
    where = f"command {name if name.isidentifier() else ''}".strip()
    if "Traceback" in ended.err or "Traceback" in ended.out:
        raise Finding(f"{where}: traceback {_last_of_ours(ended.err)}", str(ended))
    if ended.code not in codes:
        raise Finding(f"{where}: exit code {ended.code}", str(ended))
    for text in (ended.out, ended.err):
        if re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", text):
            raise Finding(f"{where}: control characters", str(ended))
    lines = ended.err.splitlines()
    beginnings = {2: ("error: ",), 130: ("interrupted",), 1: ("stopped early: ",)}
    usual = ("serious: ", "warning: ", *beginnings.get(ended.code, ()))
    if not all(line.startswith(usual) for line in lines):
        raise Finding(f"{where}: standard error with exit code {ended.code}", str(ended))
    if ended.code == 2 and sum(line.startswith("error: ") for line in lines) != 1:
        raise Finding(f"{where}: not one line for what is wrong", str(ended))
    for line in lines:
        check_sentence(line, where, "standard error")
    answers = name != "bench" and "--help" not in ended.arguments and ended.out  # nobody may be there to read it
    if ended.code == 0 and "--json" in ended.arguments and answers:
        _check_json(ended, where)


def _check_json(ended: Ended, where: str) -> None:
    def refuse(word: str) -> Any:
        raise ValueError(f"{word} is not JSON")

    try:
        json.loads(ended.out, parse_constant=refuse)
    except ValueError as error:
        raise Finding(f"{where}: --json", f"{error}\n{ended}") from None


def _last_of_ours(text: str) -> str:
    """The innermost line of the library in a traceback."""
    found = re.findall(r"/continuarm/([\w/]+\.py)\", line (\d+)", text)
    return ":".join(found[-1]) if found else text.strip().splitlines()[-1][:80]
