"""Ctrl-C on the command line: exit code 130, no traceback, and what is known is kept. Real signals, sent at imports."""

from __future__ import annotations

import random
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from sample_recordings import run_of

from cli_process import environment
from continuarm import load_arm
from continuarm.common.command_start import INTERRUPTED
from continuarm.identification.recording_file import write_recording

pytestmark = pytest.mark.slow

ENDED = (INTERRUPTED, -signal.SIGINT)
"""A shell shows both as 130; the second where Python itself ends by the signal, as it does in its last moments."""

MODULE_LINE = re.compile(r"import time:[ \d|]*\| *(\S+)\n")


def started(*command: str) -> subprocess.Popen[str]:
    """A command that tells on its standard error which module it has just imported."""
    python = [sys.executable, "-X", "importtime", *command]
    pipe = subprocess.PIPE
    return subprocess.Popen(python, env=environment(), stdout=subprocess.DEVNULL, stderr=pipe, encoding="utf-8")


def lines_until(process: subprocess.Popen[str], *, module: str = "", words: str = "") -> Iterator[str]:
    """Lines of standard error up to the import of a module, or to some words."""
    assert process.stderr is not None
    for line in process.stderr:
        yield line
        found = MODULE_LINE.match(line)
        if (found and found[1] == module) or (words and words in line):
            return
    raise AssertionError(f"ended before {module or words}")


def words_only(lines: list[str]) -> list[str]:
    """What the command itself says."""
    return [line for line in lines if not line.startswith("import time:") and line.strip()]


def ending(process: subprocess.Popen[str]) -> list[str]:
    """What a process says until its end."""
    with process:
        assert process.stderr is not None
        said = process.stderr.readlines()
        process.wait(timeout=60)
    return words_only(said)


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What an installer writes for the entry point `continuarm`."""
    path = tmp_path_factory.mktemp("bin") / "continuarm"
    path.write_text("import sys\nfrom continuarm.cli.app import main\nsys.exit(main())\n")
    return str(path)


@pytest.mark.parametrize("way", ["module", "script"])
def test_an_interrupt_during_imports_is_silent(way: str, script: str) -> None:
    command = ["-m", "continuarm", "arms"] if way == "module" else [script, "arms"]
    whole = started(*command)
    assert whole.stderr is not None
    with whole:
        modules = [found[1] for line in whole.stderr if (found := MODULE_LINE.match(line))]
    begin = modules.index("continuarm.common.command_start") + 10
    seed = random.randrange(1000)
    chosen = random.Random(seed).sample(modules[begin : modules.index("continuarm.cli.app")], 5)
    for module in [*chosen, "continuarm.cli.app"]:
        process = started(*command)
        assert process.stderr is not None
        list(lines_until(process, module=module))
        process.send_signal(signal.SIGINT)
        assert ending(process) == [], f"seed {seed}, {module}"
        assert process.returncode in ENDED, f"seed {seed}, {module}"


OTHER_PROGRAMS = """
import signal, sys
from continuarm.common.command_start import leave_on_interrupt
for name in ("program.py", "", "-c", "-m", "/usr/bin/continuarm-tool"):
    sys.argv = [name]
    leave_on_interrupt()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler, name
signal.signal(signal.SIGINT, signal.SIG_IGN)  # as a shell starts what runs in the background
sys.argv = ["/usr/bin/continuarm"]
leave_on_interrupt()
assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
"""


def test_other_programs_have_their_own_way_to_end() -> None:
    done = subprocess.run([sys.executable, "-c", OTHER_PROGRAMS], env=environment(), capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.fixture(scope="module")
def fit(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """A fit of a section, without where to write it."""
    section, path = load_arm("single-section"), tmp_path_factory.mktemp("recordings") / "run.csv"
    write_recording(run_of(section), section, path)
    return ["-m", "continuarm", "identify", "single-section", str(path), "--free", "stiffness, damping"]


@pytest.mark.parametrize(
    ("module", "incomplete"),
    [("scipy.optimize", True), ("scipy.stats", False), ("matplotlib", False)],  # the search, its result, the report
)
def test_an_interrupted_fit_is_written(module: str, incomplete: bool, fit: list[str], tmp_path: Path) -> None:
    output, report = tmp_path / "fitted.toml", tmp_path / "fit.html"
    process = started(*fit, "-o", str(output), "--report", str(report))
    list(lines_until(process, module=module))
    process.send_signal(signal.SIGINT)
    said = ending(process)
    assert process.returncode in ENDED
    assert sorted(path.name for path in tmp_path.iterdir()) == ["fit.html", "fitted.toml"]
    assert said[0].startswith("interrupted:")
    assert all(line.startswith(("serious: ", "warning: ")) for line in said[1:])
    fitted = load_arm(output)
    assert fitted.sections[0].stiffness == pytest.approx(1700, rel=0.3)
    if incomplete:
        assert "interrupted" in fitted.description
        assert "interrupted" in report.read_text(encoding="utf-8")
        assert any("interrupted" in line for line in said[1:])
    else:
        assert fitted.sections[0].stiffness == pytest.approx(1700, rel=0.02)


def test_a_second_interrupt_ends_a_fit_at_once(fit: list[str], tmp_path: Path) -> None:
    process = started(*fit, "-o", str(tmp_path / "fitted.toml"))
    list(lines_until(process, module="scipy.optimize"))
    process.send_signal(signal.SIGINT)
    list(lines_until(process, words="interrupted: "))
    process.send_signal(signal.SIGINT)
    assert ending(process) == []
    assert process.returncode in ENDED
    assert list(tmp_path.iterdir()) == []
