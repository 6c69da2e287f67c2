"""Random commands: known ones and others, with good, borderline and hostile options, values and files.

Most run in forked children; some are real processes, in odd environments.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np

import continuarm as ca
from attack import damage, forked, hdf5_damage, hostile
from attack.attacker import Attacker, Case
from attack.damaged_files import Originals

REAL = 0.03
"""Of all cases: real processes, which take half a second to start."""

NUMBERS = (
    "0", "1", "-1", "0.001", "0.05", "1e-12", "1e9", "1e12", "-1e300", "1e308", "1e999", "nan", "inf", "-inf",
    "5e-324", "", " ", "abc", "1,5", "0x10", "1_0", "٣", "½", "1e", "--", "-", "9" * 400, "2147483648",
    "9223372036854775808", "\x1b[31m1", "true", "None",
)  # fmt: skip
WORDS = (
    "", "adaptive", "cvode", "fixed", "unbent", "equilibrium", "hanging", "stiffness", "damping per section",
    "modal-form", "near-straight", "\x1b[31mred", "\x1b]0;title\x07", "a\nb", "x" * 500, "µ", "\u202e", "%s", "{}",
    "[red]", "--help", "-o", "\\", "l11=600@0", "l11=600", "l99=1@0", "l11=5bar@0.01,l12=1@0", "l11=nan@0",
    "l11=1e9@0", "0,0,2", "0,0", "nan,0,0", "1e308,1e308,1e308", "1mm", "tip 1=2mm", "1furlong", "-1mm", "0.5deg",
    "127.0.0.1", "no.such.host.invalid", "256.1.1.1", "::1",
)  # fmt: skip
FILES = (
    "good.toml", "bad.toml", "run.nc", "pressures.csv", "recording.csv", "text.txt", "empty", "folder", ".", "/", "..",
    "no such file", "no/such/folder/out.nc", "out.nc", "out.toml", "out.html", "out.png", "out.svg", "out.pdf",
    "out.json", "out.csv", "out", "/dev/null", "/dev/full", "/proc/self/mem", "/sys/out.nc", "a" * 300,
    "\x1b[31mout.nc", "new\nline.toml", "prototype", "single-section", "prototype-muscles", "damaged.toml",
    "damaged.csv", "damaged.nc", "loop", "~", "-", "readonly.nc", "https://example.org/a.toml",
)  # fmt: skip

GOOD: tuple[tuple[str, ...], ...] = (
    ("arms",),
    ("arms", "--json"),
    ("schema",),
    ("check", "good.toml"),
    ("check", "prototype-muscles", "--json"),
    ("check", "prototype", "--plot", "out.svg"),
    ("simulate", "single-section", "--duration", "0.05"),
    ("simulate", "prototype", "--pressures", "l11=300@0", "--duration", "0.05", "--json"),
    ("simulate", "prototype-muscles", "--pressures", "pressures.csv", "--duration", "0.02", "-o", "out.nc"),
    ("simulate", "prototype", "--duration", "0.02", "--solver", "fixed", "--start", "equilibrium", "--force", "0,0,1"),
    ("simulate", "single-section", "--duration", "0.02", "--solver", "cvode", "--rtol", "1e-5", "--rate", "100"),
    ("identify", "good.toml", "recording.csv", "--free", "stiffness", "--no-delay", "-o", "out.toml"),
    ("validate", "good.toml", "recording.csv", "--json", "-"),
    ("view", "run.nc", "--html", "out.html"),
    ("live", "single-section", "--benchmark", "0.01"),
    ("sweep", "single-section", "--vary", "mass=0.1 0.2", "--duration", "0.1"),
    ("energy-shaping", "--samples", "1000"),
    ("--version",),
    ("--help",),
    ("simulate", "--help"),
    (),
)
"""Commands that are done: each must end with exit code 0."""

ODD = (
    *GOOD,
    ("bench", "--only", "\x1b[31m"),
    ("reproduce", "--only", "no such study"),
    ("reproduce", "-o", ""),
    ("experiment", "4"),
    ("experiment", "x"),
    ("view", "damaged.nc", "--html", "out.html"),
    ("check", "damaged.toml"),
    ("simulate", "prototype", "--pressures", "damaged.csv", "--duration", "0.01"),
    ("identify", "prototype", "damaged.csv", "--free", "stiffness"),
    ("validate", "prototype", "damaged.csv"),
    ("simulate", "damaged.toml", "--duration", "0.01"),
    ("simlate", "prototype"),
)

ENVIRONMENTS: tuple[dict[str, str], ...] = (
    {"COLUMNS": "0"}, {"COLUMNS": "abc"}, {"COLUMNS": "-5"}, {"COLUMNS": "1"}, {"TERM": "dumb"},
    {"LANG": "C", "LC_ALL": "C"}, {"PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"},
    {"HOME": "/nonexistent", "MPLCONFIGDIR": "/nonexistent"}, {"PYTHONWARNINGS": "error"}, {"TMPDIR": "/nonexistent"},
    {"PYTHONUNBUFFERED": "1"},
)  # fmt: skip


def begin(folder: Path) -> Case:
    """Cases in a folder with some good files."""
    originals = Originals(folder)
    ca.save_arm(ca.load_arm("single-section"), folder / "good.toml")
    (folder / "bad.toml").write_text("[[sections]]\nlength = 0\n")
    (folder / "empty").touch()
    (folder / "text.txt").write_text("\x1b[31mthis is nothing\n")
    (folder / "folder").mkdir(exist_ok=True)
    if not (folder / "loop").is_symlink():
        os.symlink("loop", folder / "loop")
    _write_good_tables(folder)
    options = _options()

    def case(rng: np.random.Generator) -> str:
        shutil.copyfile(folder / "run-good.nc", folder / "run.nc")
        arguments, good = _arguments(rng, options)
        if any("damaged" in each for each in arguments):
            _damage_files(rng, originals)
        if rng.random() < REAL:
            arguments = [each for each in arguments if "\x00" not in each and "\ud800" not in each]
            environment = hostile.pick(rng, ENVIRONMENTS)
            ended = forked.process(arguments, **environment)
            good &= not environment.keys() & {"PYTHONWARNINGS", "TMPDIR", "HOME"}
        else:
            ended = forked.command(arguments)
        forked.check(ended)
        if good and ended.code != 0:
            raise forked.Finding(f"command {arguments[:1]}: what is good ends with {ended.code}", str(ended))
        for left in folder.glob("out*"):
            left.unlink() if left.is_file() else shutil.rmtree(left)
        return f"exit code {ended.code}"

    return case


def _write_good_tables(folder: Path) -> None:
    arm = ca.load_arm("single-section")
    times = np.linspace(0, 0.2, 21)
    ca.save_motion(ca.simulate(arm, duration=0.05), folder / "run-good.nc")
    recording = ca.Recording(
        "run", ca.ForceSignal([0.0], [[1.0, 0.0, 0.0]]), times, [ca.TipPosition(1, np.zeros((21, 3)))]
    )
    ca.write_recording(ca.simulated_recording(arm, recording), arm, folder / "recording.csv")
    (folder / "pressures.csv").write_text("t [s], l11 [kPa]\n0, 0\n0.01, 200\n")


def _options() -> dict[str, list[tuple[str, bool]]]:
    """The options of every command, as the command line itself knows them, and which of them take no value."""
    import typer

    from continuarm.cli.app import app

    commands: dict[str, Any] = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    return {
        name: [(spelt, getattr(each, "is_flag", False)) for each in command.params for spelt in each.opts]
        or [("--x", True)]
        for name, command in commands.items()
    }


def _arguments(rng: np.random.Generator, options: dict[str, list[tuple[str, bool]]]) -> tuple[list[str], bool]:
    """A command, and whether it is a good one."""
    if rng.random() < 0.15:
        return list(hostile.pick(rng, GOOD)), True
    arguments = list(hostile.pick(rng, ODD))
    for _ in range(int(rng.choice([1, 1, 2, 3]))):
        _change(rng, arguments, options)
    return _no_endless_ones(arguments), False


def _change(rng: np.random.Generator, arguments: list[str], options: dict[str, list[tuple[str, bool]]]) -> None:
    kind = int(rng.integers(8))
    if kind <= 2 and len(arguments) > 1:  # another value
        arguments[int(rng.integers(1, len(arguments)))] = _value(rng)
    elif kind <= 5 and arguments and arguments[0] in options:  # one more option
        name, is_flag = hostile.pick(rng, options[arguments[0]])
        arguments += [name] if is_flag else [name, _value(rng)]
    elif kind == 6 and arguments:
        del arguments[int(rng.integers(len(arguments)))]
    else:
        arguments.insert(int(rng.integers(len(arguments) + 1)), _value(rng))


def _value(rng: np.random.Generator) -> str:
    return str(hostile.pick(rng, hostile.pick(rng, (NUMBERS, WORDS, FILES, FILES))))


LASTING = ("view", "live", "bench", "reproduce", "experiment")


def _no_endless_ones(arguments: list[str]) -> list[str]:
    """A viewer that waits for Ctrl-C, and studies that take minutes, are good commands: they are left out here."""
    command = next((each for each in arguments if each in LASTING), None)
    if (command == "view" and "--html" not in arguments) or (command == "live" and "--benchmark" not in arguments):
        return [*arguments, "--port", "99999"]
    if command in ("bench", "reproduce") and not any("--help" in each for each in arguments):
        return [*arguments, "--only", "no such thing"]
    if command == "experiment":
        return [*arguments, "--solver", "none"]
    return arguments


def _damage_files(rng: np.random.Generator, originals: Originals) -> None:
    folder = originals.folder
    toml = damage.text(rng, damage.one(rng, originals.arms), damage.toml_tokens)
    (folder / "damaged.toml").write_bytes(toml if b"repeat = 100000" not in toml else b"")
    csv = damage.text(rng, damage.one(rng, [*originals.recordings, *originals.pressures]), damage.csv_tokens)
    (folder / "damaged.csv").write_bytes(csv)
    (folder / "damaged.nc").unlink(missing_ok=True)
    hdf5_damage.write(rng, damage.one(rng, originals.motions), folder / "damaged.nc", folder)


ATTACKER = Attacker(
    name="commands",
    law="a command ends with a documented exit code and says what is wrong in one line, without a traceback",
    begin=begin,
    share=1.0,
    limit=90.0,
)
