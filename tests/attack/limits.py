"""Commands and calls where something is short: disk, memory, threads, open files, the right to write, an output.

Allowed: the right result, or one sentence and exit code 2. Never an abort, a traceback, or a file that is half written.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import os
import resource
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

import continuarm as ca
from attack import forked, hostile, kills
from attack.attacker import Attacker, Case, Finding, refusal
from random_arms import random_arm, random_lengths, random_rates

NOBODY = 65534
CLONE_NEWNS = 0x00020000
MS_RDONLY, MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = 1, 32, 4096, 16384, 1 << 18


# What may be short: each prepares a child, in the folder where it writes


def _file_size(rng: np.random.Generator, room: Path) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    most = int(10 ** rng.uniform(0, 5.5))
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))


def _memory(rng: np.random.Generator, room: Path) -> None:
    has = int(Path("/proc/self/statm").read_text().split()[0]) * 4096
    most = has + int(10 ** rng.uniform(4, 8.5))
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _open_files(rng: np.random.Generator, room: Path) -> None:
    most = int(rng.integers(3, 14))
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _threads(rng: np.random.Generator, room: Path) -> None:
    """Root may start as many as it likes: nobody may not."""
    _as_nobody(room)
    resource.setrlimit(resource.RLIMIT_NPROC, (int(rng.integers(0, 3)),) * 2)


def _may_not_write(rng: np.random.Generator, room: Path) -> None:
    _as_nobody(room)
    os.umask(0o022)


def _full_disk(rng: np.random.Generator, room: Path) -> None:
    """A file system of its own, with little room; what is here already goes with it."""
    size = int(10 ** rng.uniform(3.7, 5.7))
    _own_mounts()
    files = {each.name: each.read_bytes() for each in room.iterdir() if each.is_file()}
    _mount("tmpfs", str(room), "tmpfs", 0, f"size={size + sum(map(len, files.values())) + 4096 * len(files)}")
    for name, content in files.items():
        (room / name).write_bytes(content)
    os.chdir(room)


def _read_only_disk(rng: np.random.Generator, room: Path) -> None:
    _own_mounts()
    _mount(str(room), str(room), None, MS_BIND, None)
    _mount(None, str(room), None, MS_BIND | MS_REMOUNT | MS_RDONLY, None)
    os.chdir(room)


def _full_output(rng: np.random.Generator, room: Path) -> None:
    full = os.open("/dev/full", os.O_WRONLY)
    for target in hostile.pick(rng, ((1,), (2,), (1, 2))):
        os.dup2(full, target)


def _closed_output(rng: np.random.Generator, room: Path) -> None:
    """As `>&-` does: Python then has no such stream."""
    for number in hostile.pick(rng, ((1,), (2,), (0, 1, 2))):
        setattr(sys, ("stdin", "stdout", "stderr")[number], None)
        with contextlib.suppress(OSError):  # the stream may have closed it
            os.close(number)


def _nobody_reads(rng: np.random.Generator, room: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    os.dup2(writing, 1)


def _as_nobody(room: Path) -> None:
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)


def _own_mounts() -> None:
    library = ctypes.CDLL(None, use_errno=True)
    if library.unshare(CLONE_NEWNS) or library.mount(None, b"/", None, MS_REC | MS_PRIVATE, None):
        raise _NotHere("a file system of its own")


def _mount(source: str | None, target: str, kind: str | None, flags: int, options: str | None) -> None:
    texts = [None if each is None else each.encode() for each in (source, target, kind)]
    if ctypes.CDLL(None, use_errno=True).mount(*texts, flags, None if options is None else options.encode()):
        raise _NotHere("a file system of its own")


class _NotHere(Exception):
    """This machine does not let anybody make it short."""


NOT_HERE = 77
"""Exit code of a child that could not be prepared."""

SHORT: tuple[Callable[[np.random.Generator, Path], None], ...] = (
    _file_size, _file_size, _memory, _memory, _memory, _open_files, _threads, _may_not_write, _full_disk, _full_disk,
    _read_only_disk, _full_output, _closed_output, _nobody_reads,
)  # fmt: skip

COMMANDS: tuple[tuple[str, ...], ...] = (
    ("arms",),
    ("check", "prototype-muscles"),
    ("simulate", "prototype", "--pressures", "l33=600@0", "--duration", "0.5", "-o", "run.nc"),
    ("simulate", "prototype", "--duration", "0.1", "-o", "run.nc", "--json"),
    ("simulate", "prototype", "--duration", "0.1", "--plot", "run.png"),
    ("identify", "prototype", "table.csv", "--free", "stiffness", "-o", "arm.toml"),
    ("identify", "prototype", "table.csv", "--free", "stiffness", "--report", "fit.html"),
    ("view", "motion.nc", "--html", "page.html"),
    ("energy-shaping", "--samples", "20000"),
)


def begin(folder: Path) -> Case:
    """Cases over the same files, each in a child that is short of something."""
    os.chmod(folder.parent, 0o755)  # so that nobody, too, gets here
    os.chmod(folder, 0o755)
    calls = _calls()
    arm = ca.load_arm("prototype")
    sensors = [ca.TipPosition(3, np.zeros((6, 3)))]
    table = ca.Recording.table("table", sensors, arm=arm, pressures=2e5 * np.eye(6, 9))
    table = ca.simulated_recording(arm, table)

    def case(rng: np.random.Generator) -> str:
        room = folder / "here"
        shutil.rmtree(room, ignore_errors=True)
        room.mkdir()
        ca.write_recording(table, arm, room / "table.csv")
        ca.save_motion(ca.simulate(arm, duration=0.05), room / "motion.nc")
        if rng.random() < 0.5:
            for name in ("run.nc", "arm.toml", "fit.html", "page.html", "run.png"):
                (room / name).write_bytes(b"what was there before")
        before = {each.name: each.read_bytes() for each in room.iterdir()}
        short = hostile.pick(rng, SHORT)
        prepared = np.random.default_rng(rng.integers(2**32))

        def prepare() -> None:
            os.chdir(room)
            try:
                short(prepared, room)
            except _NotHere:
                os._exit(NOT_HERE)

        if rng.random() < 0.25:
            return _call(rng, calls, short.__name__[1:], prepare)
        # without memory, matplotlib and Python below it fail in ways of their own
        commands = [each for each in COMMANDS if short is not _memory or not {"--plot", "--report"} & set(each)]
        ended = forked.command(hostile.pick(rng, commands), prepare=prepare)
        if ended.code == NOT_HERE:
            return f"{short.__name__[1:]}: not possible here"
        _check(ended, short.__name__[1:], room, before)
        return f"{short.__name__[1:]}: exit code {ended.code}"

    return case


def _check(ended: forked.Ended, short: str, room: Path, before: dict[str, bytes]) -> None:
    told = f"{short}: {ended}"
    codes = (*forked.CODES, *((120,) if short in ("full_output", "closed_output", "nobody_reads") else ()))
    try:
        if ended.code < 0:
            raise Finding(f"{short}: {ended.arguments[0]} dies of {signal.Signals(-ended.code).name}", told)
        forked.check(ended, codes)
    except Finding as finding:
        raise Finding(f"{short}: {finding.where}", told) from None
    for place in room.rglob("*"):
        if place.is_file() and before.get(place.name) != place.read_bytes():
            try:
                if "partial" in place.name:
                    ca.load_motion(place)
                elif kills.is_passing(place.name):
                    raise ValueError("is left behind")
                elif place.suffix in (".html", ".png", ".csv"):
                    kills.CHECKS[place.suffix](place, None)  # type: ignore[arg-type]
                elif place.suffix == ".nc":
                    assert not ca.load_motion(place).stopped
                elif place.suffix == ".toml":
                    ca.load_arm(place)
            except Exception as error:
                raise Finding(
                    f"{short}: {ended.arguments[0]} leaves a damaged file", f"{place.name}: {error}\n{told}"
                ) from error


# Calls


Known = tuple[Callable[[], np.ndarray], bytes]
"""A call, and the digest of what it gives."""


def _calls() -> list[Known]:
    """Batches that would use threads, and what comes out."""
    rng = np.random.default_rng(0)
    arm = random_arm(rng, 3)
    states = np.array([[random_lengths(rng, arm), random_rates(rng, arm), random_rates(rng, arm)] for _ in range(300)])
    q, qd, tau = np.repeat(states, 40, axis=0).transpose(1, 0, 2)
    calls: list[Callable[[], np.ndarray]] = [
        lambda: ca.forward_dynamics(arm, q, qd, tau, threads=8),
        lambda: ca.mass_matrix(arm, q),
        lambda: ca.linearization(arm, q[:500], qd[:500], tau[:500], threads=3)[0],
        lambda: ca.poses_along(arm, q[:2000], np.linspace(0, 1, 20)),
        lambda: ca.simulate(arm, duration=0.2, rate=5000).q,
        lambda: ca.equilibria(arm, tau[:50]).q,
    ]
    # in a child: threads of this process would be missing in those that are forked from it
    results = []
    for call in calls:
        code, out, _, _ = forked.child(lambda: print(_digest(call())) or 0)  # noqa: B023 (called at once)
        assert not code
        results.append((call, out.strip().encode()))
    return results


def _digest(value: np.ndarray) -> str:
    return hashlib.sha256(np.ascontiguousarray(value)).hexdigest()


def _call(
    rng: np.random.Generator,
    calls: list[tuple[Callable[[], np.ndarray], bytes]],
    short: str,
    prepare: Callable[[], None],
) -> str:
    which = int(rng.integers(len(calls)))
    call, expected = calls[which]

    def body() -> int:
        try:
            found = call()
        except MemoryError:
            return 3
        except Exception as error:
            try:
                refusal(error, "a call")
            except Finding:
                raise error from None
            return 2
        try:
            return 0 if _digest(found).encode() == expected else 4
        except MemoryError:  # ours, of the digest
            return 3

    code, out, err, _ = forked.child(body, prepare=prepare)
    told = f"call {which}: {code}\n{out[-500:]}\n{err[-1500:]}"
    if code == NOT_HERE:
        return f"{short}: not possible here"
    if code < 0:
        raise Finding(f"{short}: call {which} dies of {signal.Signals(-code).name}", told)
    if code == 4:
        raise Finding(f"{short}: call {which} gives something else", told)
    if code not in (0, 2, 3) and not (code == 120 and "output" in short):
        raise Finding(f"{short}: call {which} fails", told)
    return f"{short}: call {('given', '', 'refused', 'no memory')[code] if code < 4 else 'given'}"


ATTACKER = Attacker(
    name="limits",
    law="where disk, memory, threads or rights are short, the result is right or refused in one sentence",
    begin=begin,
    share=1.0,
    limit=90.0,
)
