"""Commands that write files, ended by SIGKILL, SIGTERM or SIGINT at random moments.

Every file is then bit for bit what it was, or new and complete, or a partial motion that has the rows written so far.
After the next good run nothing else is left. SIGINT ends with exit code 130, one line and no traceback; a fit that was
interrupted keeps the best so far. Two runs that write to the same place at once do not mix.
"""

from __future__ import annotations

import concurrent.futures
import functools
import json
import os
import shutil
import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import continuarm as ca
from attack import forked, hostile
from attack.attacker import Attacker, Case, Finding

REAL = 0.2
"""Of all cases: real processes, in which imports, too, are interrupted."""
REPEATED = 0.2
"""Of the cases that leave nothing unusual: the command is run again. After the others it always is."""
TOGETHER = 0.1
"""Of all cases: nobody is killed, but two runs write to the same place at once."""
START = 0.15
"""s: before that, a process is still Python that starts, and has nothing of ours to take a signal."""
SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGINT, signal.SIGINT, signal.SIGTERM)


@dataclass(frozen=True)
class Command:
    """A command that writes, and what it makes if nothing disturbs it."""

    arguments: tuple[str, ...]
    seconds: float
    made: dict[str, bytes]
    code: int


MOVES = ("simulate", "prototype-muscles", "--pressures", "l33=600@0,l22=500@1", "--duration", "20", "-o", "run.nc")
WRITES = ("simulate", "prototype", "--pressures", "l33=600@0", "--duration", "2", "--rate", "5000", "-o", "run.nc")
COMMANDS: tuple[tuple[str, ...], ...] = (
    MOVES,
    MOVES,
    WRITES,
    WRITES,
    ("simulate", "prototype", "--duration", "1", "-o", "run.nc", "--plot", "run.png"),
    ("identify", "prototype", "recording.csv", "--free", "stiffness, damping", "-o", "arm.toml"),
    ("identify", "prototype", "recording.csv", "--free", "stiffness", "-o", "arm.toml", "--report", "fit.html"),
    ("experiment", "1", "-o", "."),
    ("reproduce", "--quick", "--only", "modal-form", "-o", "report"),
)


def begin(folder: Path) -> Case:
    """Each command is first run once without a signal: what it makes and how long it takes."""
    recording = _recording()
    undisturbed = functools.cache(lambda arguments: _undisturbed(folder, arguments, recording))

    def case(rng: np.random.Generator) -> str:
        command = undisturbed(hostile.pick(rng, COMMANDS))
        room = _room(folder, recording)
        earlier = rng.random() < 0.6
        before = _earlier(room, command) if earlier else {}
        if rng.random() < TOGETHER:
            return _two_at_once(room, command, before)
        real = rng.random() < REAL
        least, most = (START, 0.6 + command.seconds) if real else (0.0, 1.1 * command.seconds)
        sent = forked.Signal(hostile.pick(rng, SIGNALS), float(rng.uniform(least, most)))
        ended = forked.process(command.arguments, sent=sent, cwd=str(room)) if real else _inside(room, command, sent)
        told = f"{ended}\n{sent}, {'a real process' if real else 'forked'}, earlier file: {earlier}"
        outcome = _check_end(ended, sent, command, told)
        kept = _check_files(room, command, before, told)
        if rng.random() < REPEATED or _contents(room).keys() - command.made.keys():
            _check_again(room, command, _inside(room, command, None), told)
        shutil.rmtree(room)
        return f"{sent.number.name} {outcome}{kept}"

    return case


def _recording() -> tuple[ca.Arm, ca.Recording]:
    arm, times = ca.load_arm("prototype"), np.linspace(0, 1, 101)
    driven = ca.PressureSteps({"l33": [(0.0, 4e5)], "l11": [(0.3, 3e5)]})
    sensors = [ca.TipPosition(3, np.zeros((101, 3)))]
    return arm, ca.simulated_recording(arm, ca.Recording("recording", driven, times, sensors))


def _room(folder: Path, recording: tuple[ca.Arm, ca.Recording]) -> Path:
    room = folder / "here"
    shutil.rmtree(room, ignore_errors=True)
    room.mkdir()
    ca.write_recording(recording[1], recording[0], room / "recording.csv")
    return room


def _inside(room: Path, command: Command, sent: forked.Signal | None) -> forked.Ended:
    return forked.command(command.arguments, prepare=lambda: os.chdir(room), sent=sent)


def _undisturbed(folder: Path, arguments: tuple[str, ...], recording: tuple[ca.Arm, ca.Recording]) -> Command:
    room = _room(folder, recording)
    ended = _inside(room, Command(arguments, 0.0, {}, 0), None)
    return Command(arguments, ended.seconds, _contents(room), ended.code)


def _contents(room: Path) -> dict[str, bytes]:
    files = [each for each in room.rglob("*") if each.is_file()]
    return {str(each.relative_to(room)): each.read_bytes() for each in files}


def _earlier(room: Path, command: Command) -> dict[str, bytes]:
    """Something else in every place that the command will write to: of an earlier run."""
    for name in command.made:
        place = room / name
        if name != "recording.csv":
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(b"what was there before: " + name.encode())
    return _contents(room)


def _two_at_once(room: Path, command: Command, before: dict[str, bytes]) -> str:
    """One of them may be told that the other is there; what is written is that of one."""
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        both = [pool.submit(forked.process, command.arguments, cwd=str(room)) for _ in range(2)]
        ends = [each.result() for each in both]
    told = "\n".join(map(str, ends))
    for ended in ends:
        forked.check(ended, (command.code, 2))
    if all(ended.code == 2 for ended in ends):
        raise Finding(f"two runs of {command.arguments[0]} at once refuse each other", told)
    _check_files(room, command, before, told)
    left = sorted(_contents(room).keys() - command.made.keys())
    if left:
        raise Finding(f"two runs of {command.arguments[0]} at once leave files", f"{left}\n{told}")
    return f"two at once: {', '.join(sorted(str(ended.code) for ended in ends))}"


def _check_end(ended: forked.Ended, sent: forked.Signal, command: Command, told: str) -> str:
    killed = -int(sent.number)
    if ended.code in (0, command.code):
        return "too late"
    if sent.number is signal.SIGINT and ended.code == killed and "in main" not in ended.err:
        return "before main"  # Python imports the library: its own words and exit code
    if sent.number is signal.SIGINT:
        forked.check(ended, (130,))
        return "interrupted"
    if ended.code not in (killed, 128 - killed):
        raise Finding(f"{sent.number.name} of {command.arguments[0]}: exit code {ended.code}", told)
    if "Traceback" in ended.err:
        raise Finding(f"{sent.number.name} of {command.arguments[0]}: traceback", told)
    return "ended"


def _check_files(room: Path, command: Command, before: dict[str, bytes], told: str) -> str:
    """Each as it was, or complete; says which there are besides."""
    kept = ""
    for name, content in _contents(room).items():
        if before.get(name) == content or name == "recording.csv" or is_passing(name):
            continue
        try:
            kept = CHECKS[Path(name).suffix](room / name, command) or kept
        except Exception as error:
            raise Finding(
                f"{command.arguments[0]} leaves a damaged {Path(name).suffix}", f"{name}: {error}\n{told}"
            ) from error
    for name in before:
        if not (room / name).exists():
            raise Finding(f"{command.arguments[0]} loses a file", f"{name}\n{told}")
    return kept


def is_passing(name: str) -> bool:
    """Whether a file is there for a run alone, as locks are: one that was killed may leave it, the next may not."""
    return Path(name).name.startswith(".") and name.endswith((".tmp", ".lock"))


def _check_motion(path: Path, command: Command) -> str:
    """Complete and equal to that of an undisturbed run; or partial, with its first rows."""
    motion = ca.load_motion(path)
    partial = path.stem.endswith(".partial")
    whole_name = path.name.replace(".partial", "")
    whole_path = path.with_name("whole" + path.suffix)
    whole_path.write_bytes(command.made[whole_name])
    whole = ca.load_motion(whole_path)
    whole_path.unlink()
    rows = len(motion.t)
    if partial != motion.stopped.startswith("interrupted") or (not partial and rows != len(whole.t)):
        raise ValueError(f"{rows} of {len(whole.t)} rows, stopped = {motion.stopped!r}")
    for field in ("t", "q", "qd", "tau", "pressures", "supplied"):
        if getattr(motion, field).tobytes() != getattr(whole, field)[:rows].tobytes():
            raise ValueError(f"{field} is not what was computed")
    return ", partial file" if partial else ""


def _check_arm(path: Path, command: Command) -> str:
    arm = ca.load_arm(path)
    if arm.description.startswith("NOT TO BE USED"):
        return ", best so far"
    if path.read_bytes() != command.made[path.name]:
        raise ValueError("is neither the fitted arm nor the best so far")
    return ""


def _check_text(ending: str) -> Callable[[Path, Command], str]:
    def check(path: Path, command: Command) -> str:
        if not path.read_text(encoding="utf-8").endswith(ending):
            raise ValueError(f"does not end with {ending!r}")
        return ""

    return check


def _check_bytes(ending: bytes) -> Callable[[Path, Command], str]:
    def check(path: Path, command: Command) -> str:
        if not path.read_bytes().rstrip().endswith(ending):
            raise ValueError(f"does not end with {ending!r}")
        return ""

    return check


def _check_json(path: Path, command: Command) -> str:
    json.loads(path.read_text(encoding="utf-8"))
    return ""


CHECKS: dict[str, Callable[[Path, Command], str]] = {
    ".nc": _check_motion,
    ".toml": _check_arm,
    ".html": _check_text("</html>\n"),
    ".csv": _check_text("\n"),
    ".svg": _check_text("</svg>\n"),
    ".png": _check_bytes(b"IEND\xaeB`\x82"),
    ".pdf": _check_bytes(b"%%EOF"),
    ".json": _check_json,
}
"""What a complete file is, by its suffix."""


def _check_again(room: Path, command: Command, again: forked.Ended, told: str) -> None:
    if again.code != command.code:
        raise Finding(f"the run after that of {command.arguments[0]} fails", f"{again}\n{told}")
    left = sorted(_contents(room).keys() - command.made.keys())
    if left:
        kind = "a partial file" if any("partial" in each for each in left) else "a temporary file"
        raise Finding(f"{command.arguments[0]} leaves {kind} after the next good run", f"{left}\n{told}")
    missing = sorted(command.made.keys() - _contents(room).keys())
    if missing:
        raise Finding(f"the run after that of {command.arguments[0]} makes less", f"{missing}\n{told}")


ATTACKER = Attacker(
    name="kills",
    law="a killed run leaves earlier files as they were, or complete new ones, and nothing after the next run",
    begin=begin,
    share=4.5,
    limit=200.0,
    turn=60.0,
)
