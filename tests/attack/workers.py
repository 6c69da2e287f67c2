"""Processes that run cases, watched: a crash or a case that does not end is noticed and attributed to its case."""

from __future__ import annotations

import contextlib
import faulthandler
import json
import mmap
import os
import resource
import shutil
import signal
import struct
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from attack.attacker import Attacker, Finding, as_json, generator, told

FROM_ONE_SLICE_TO_THE_NEXT = 10_000_000
"""Case numbers: no slice has as many cases."""
BROKEN = 70
"""Exit code of a worker that cannot begin, or that has an error of its own."""
NOW = struct.Struct("=qqdqd")
"""What a worker is at: case, cases done, when the case began, the slowest case and its seconds."""


@dataclass
class Counts:
    """What an attacker has done."""

    cases: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    findings: list[dict[str, object]] = field(default_factory=list)
    """The first of each kind, with how often it came."""
    slowest: float = 0.0
    slowest_case: int = 0
    peak_memory: int = 0
    """Bytes, of the largest process."""
    seconds: float = 0.0

    def add(self, finding: dict[str, object]) -> bool:
        """Counts a finding; whether it is the first of its kind."""
        for known in self.findings:
            if known["where"] == finding["where"]:
                known["times"] = int(str(known["times"])) + 1
                return False
        self.findings.append(finding | {"times": 1})
        return True


@dataclass(frozen=True)
class Slice:
    """Cases to be run by one process, one after the other, until a time or a number of them."""

    attacker: Attacker
    seed: int
    first: int
    seconds: float
    most: int | None = None


class Worker:
    """A process that runs a slice; one that dies goes on behind the case at which it died."""

    def __init__(self, part: Slice, counts: Counts) -> None:
        self.part, self.counts = part, counts
        self.folder = Path(tempfile.mkdtemp(prefix=f"attack-{part.attacker.name}-"))
        self.end = time.monotonic() + part.seconds
        self.begun = time.monotonic()
        self.shared = mmap.mmap(-1, NOW.size)
        self.pid = 0
        self.killed = ""
        self.done_before = 0
        self._start(part.first)

    def _start(self, case: int) -> None:
        NOW.pack_into(self.shared, 0, case, 0, time.monotonic(), -1, 0.0)
        self.killed = ""
        sys.stdout.flush()
        sys.stderr.flush()
        self.pid = os.fork()
        if self.pid:
            with contextlib.suppress(OSError):  # the child does so too, whoever is first
                os.setpgid(self.pid, self.pid)
        else:
            code = BROKEN
            try:
                _run(self.part, case, self.done_before, self.end, self.folder, self.shared)
                code = 0
            except BaseException:
                (self.folder / "stack").write_text(traceback.format_exc(), encoding="utf-8")
            finally:
                os._exit(code)

    @property
    def cases(self) -> int:
        """Cases done, those of processes that died before included."""
        return self.done_before + int(NOW.unpack_from(self.shared)[1])

    def watch(self) -> Iterator[dict[str, object]]:
        """Findings since the last look; sets pid to 0 when all is done."""
        pid, status = os.waitpid(self.pid, os.WNOHANG)
        yield from self._findings()
        case, done, began, *_ = NOW.unpack_from(self.shared)
        if not pid:
            self.counts.peak_memory = max(self.counts.peak_memory, _peak_memory(self.pid))
            # struct clears what it writes to: a look in between sees 0
            if began and time.monotonic() - began > self.part.attacker.limit:
                self._kill(f"has not ended after {self.part.attacker.limit:g} s")
            return
        self.done_before += done
        _, _, _, slowest_case, slowest = NOW.unpack_from(self.shared)
        if slowest > self.counts.slowest:
            self.counts.slowest, self.counts.slowest_case = slowest, slowest_case
        code = os.waitstatus_to_exitcode(status)
        if code == 0:
            self._finish()
            return
        self.done_before += 1  # the case that it died of
        why = self.killed or (f"died of {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}")
        stack = _tail(self.folder / "stack")
        yield self._finding(case, f"process {why.split(' after')[0]} {_frame_of_ours(stack)}", f"{why}\n{stack}")
        if code == BROKEN:  # not a case, but what the cases share
            self._finish()
            return
        for left in (self.folder / "stack", self.folder / "room"):
            shutil.rmtree(left, ignore_errors=True) if left.is_dir() else left.unlink(missing_ok=True)
        over = self.part.most is not None and self.done_before >= self.part.most
        if over or time.monotonic() > self.end:
            self._finish()
        else:
            self._start(case + 1)

    def _kill(self, why: str) -> None:
        """The whole group; before, it is asked where it is."""
        self.killed = why
        with contextlib.suppress(OSError):
            os.kill(self.pid, signal.SIGUSR1)
            time.sleep(0.3)
            os.killpg(self.pid, signal.SIGKILL)

    def end_now(self) -> None:
        """Whatever it is doing: the attack is over."""
        with contextlib.suppress(OSError):
            os.killpg(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _finding(self, case: int, where: str, what: str) -> dict[str, object]:
        return {"attacker": self.part.attacker.name, "seed": self.part.seed, "case": case, "where": where, "what": what}

    def _findings(self) -> Iterator[dict[str, object]]:
        """What the process has written down."""
        told = self.folder / "findings"
        if not told.exists() or not told.stat().st_size:
            return
        lines = told.read_text(encoding="utf-8").splitlines(keepends=True)
        whole = [line for line in lines if line.endswith("\n")]
        read = self.folder / "read"
        known = int(read.read_text()) if read.exists() else 0
        read.write_text(str(len(whole)))
        for line in whole[known:]:
            yield self._finding(*json.loads(line))

    def _finish(self) -> None:
        with contextlib.suppress(OSError):
            os.killpg(self.pid, signal.SIGKILL)  # what a case may have left behind
        self.pid = 0
        summary = self.folder / "summary"
        if summary.exists():
            found = json.loads(summary.read_text(encoding="utf-8"))
            self.counts.outcomes.update(found["outcomes"])
            self.counts.peak_memory = max(self.counts.peak_memory, found["peak_memory"])
        self.counts.cases += self.cases_at_end
        self.counts.seconds += time.monotonic() - self.begun
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def cases_at_end(self) -> int:
        """All cases of this slice."""
        return self.done_before


def _run(part: Slice, first: int, done_before: int, end: float, folder: Path, shared: mmap.mmap) -> None:
    """The body of a worker's process."""
    os.setpgid(0, 0)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    stack = open(folder / "stack", "w")  # noqa: SIM115 (open for as long as the process lives)
    faulthandler.enable(stack)
    faulthandler.register(signal.SIGUSR1, stack)
    if part.attacker.memory is not None:
        size = int(Path("/proc/self/statm").read_text().split()[0]) * mmap.PAGESIZE
        resource.setrlimit(resource.RLIMIT_AS, (size + part.attacker.memory,) * 2)
    room = folder / "room"
    room.mkdir(exist_ok=True)
    os.chdir(room)
    run = part.attacker.begin(room)
    outcomes: Counter[str] = Counter()
    case, done, slowest_case, slowest = first, 0, -1, 0.0
    with open(folder / "findings", "a", encoding="utf-8") as told_file:
        while time.monotonic() < end and (part.most is None or done_before + done < part.most):
            began = time.monotonic()
            NOW.pack_into(shared, 0, case, done, began, slowest_case, slowest)
            try:
                outcomes[run(generator(part.seed, case))] += 1
            except Finding as finding:
                _write(told_file, case, finding.where, finding.what)
            except Exception as error:
                last = traceback.extract_tb(error.__traceback__)[-1]
                where = f"{type(error).__name__} at {Path(last.filename).name}:{last.lineno}"
                _write(told_file, case, where, f"{told(error)}\n{traceback.format_exc()[-1500:]}")
            took = time.monotonic() - began
            if took > slowest:
                slowest, slowest_case = took, case
            done, case = done + 1, case + 1
        NOW.pack_into(shared, 0, case, done, time.monotonic(), slowest_case, slowest)
    summary = folder / "summary"
    if summary.exists():
        outcomes.update(json.loads(summary.read_text(encoding="utf-8"))["outcomes"])
    largest = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
    summary.write_text(as_json({"outcomes": outcomes, "peak_memory": 1024 * largest}), encoding="utf-8")


def _write(file: object, case: int, where: str, what: str) -> None:
    file.write(as_json([case, where, what]) + "\n")  # type: ignore[attr-defined]
    file.flush()  # type: ignore[attr-defined]


def _peak_memory(pid: int) -> int:
    """Bytes that a process had at most."""
    with contextlib.suppress(OSError, IndexError):
        status = Path(f"/proc/{pid}/status").read_text()
        return 1024 * int(status.split("VmHWM:")[1].split()[0])
    return 0


def _tail(path: Path, letters: int = 1500) -> str:
    with contextlib.suppress(OSError):
        return path.read_text(encoding="utf-8", errors="replace")[:letters]
    return ""


def _frame_of_ours(stack: str) -> str:
    """The innermost line of the library in what faulthandler wrote: to tell crashes apart."""
    for line in stack.splitlines():
        if "/continuarm/" in line:
            name, _, rest = line.split("/continuarm/")[-1].partition('", line ')
            return f"{name}:{rest.split(' ')[0]}"
    return ""
