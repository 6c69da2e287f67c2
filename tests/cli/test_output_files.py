"""Files that commands write: one run at a time, and names of which a terminal sees nothing but letters."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cli_process import environment, run
from continuarm import load_arm, load_motion, save_arm, save_motion
from continuarm.cli.app import main
from continuarm.common.file_locks import claimed
from sample_motions import a_motion

pytestmark = pytest.mark.slow

EVIL = "\x1b[31m[bold]two\nlines\u202e\x9b\udcff"
SEEN = r"\x1b[31m[bold]two\nlines\u202e\x9b\udcff"


def commands(folder: Path) -> dict[str, list[str]]:
    """Commands that write a file, by its name."""
    recording = folder / "run.csv"
    recording.write_text("t [s], z3 [m]\n0, 0.45\n1, 0.45\n", encoding="utf-8")
    fit = ["identify", "prototype", str(recording), "--free", "stiffness"]
    simulate = ["simulate", "prototype", "--duration", "0.01"]
    return {
        "run.nc": [*simulate, "-o", str(folder / "run.nc")],
        "run.png": [*simulate, "--plot", str(folder / "run.png")],
        "experiment.png": ["experiment", "1", "--plot", str(folder / "experiment.png")],
        "fit.toml": [*fit, "-o", str(folder / "fit.toml")],
        "fit.html": [*fit, "--report", str(folder / "fit.html")],
        "shaped.toml": ["energy-shaping", "--samples", "1000", "-o", str(folder / "shaped.toml")],
        "bench.json": ["bench", "--quick", "--json", str(folder / "bench.json")],
        "report.html": ["reproduce", "--quick", "-o", str(folder)],
    }


def test_a_file_that_another_run_is_writing_is_refused_before_the_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, arguments in commands(tmp_path).items():
        with claimed(tmp_path / name):
            assert main(arguments) == 2
        shown = capsys.readouterr()
        assert (shown.out, shown.err) == ("", f"error: {tmp_path / name}: another run is writing it\n")
        assert not (tmp_path / name).exists()
    assert main(commands(tmp_path)["shaped.toml"]) == 0  # and what a command claimed is free at its end
    assert main(commands(tmp_path)["shaped.toml"]) == 0
    assert not [path for path in tmp_path.iterdir() if path.suffix in (".lock", ".tmp")]


@pytest.mark.skipif(os.name == "nt", reason="no SIGKILL")
def test_a_killed_run_leaves_its_rows_and_no_lock(tmp_path: Path) -> None:
    path = tmp_path / "run.nc"
    slow = ["--duration", "1000", "--rate", "10", "--solver", "fixed", "--step-rate", "100000"]  # for minutes
    long = ["simulate", "prototype", *slow, "-o", str(path)]
    command = [sys.executable, "-m", "continuarm", *long]
    with subprocess.Popen(command, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as first:
        try:
            partial = tmp_path / "run.partial.nc"
            while not (partial.exists() and len(load_motion(partial).t)):
                assert first.poll() is None
                time.sleep(0.05)
            done = run(*long, timeout=20)
            assert (done.returncode, done.stdout) == (2, "")
            assert done.stderr == f"error: {path}: another run is writing it\n"
        finally:
            first.kill()
    rows = len(load_motion(partial).t)
    assert rows > 0
    assert run("simulate", "prototype", "--duration", "0.01", "-o", str(path), timeout=20).returncode == 0
    assert [each.name for each in tmp_path.iterdir()] == ["run.nc"]


def test_nothing_in_a_name_reaches_the_terminal_but_letters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    save_motion(a_motion(3), f"{EVIL}.nc")
    save_arm(load_arm("single-section").replace(name=EVIL.replace("\udcff", "")), f"{EVIL}.toml")
    Path(f"{EVIL}.csv").write_text("t [s], l11 [kPa]\n0, 600\n1, 500\n", encoding="utf-8")
    Path(f"{EVIL}-bad.csv").write_text("t, l11\n", encoding="utf-8")
    short = ["--duration", "0.01"]
    for arguments, code, named in (
        (["check", f"{EVIL}.toml"], 0, r"\x1b[31m[bold]two lines\u202e\x9b"),
        (["check", f"{EVIL}.none.toml"], 2, f"{SEEN}.none.toml"),
        (["check", EVIL], 2, SEEN),
        (["simulate", f"{EVIL}.toml", *short, "-o", f"{EVIL}-2.nc", "--plot", f"{EVIL}.png"], 0, f"{SEEN}-2.nc"),
        (["simulate", "single-section", *short, "--pressures", f"{EVIL}.csv"], 0, "single-section"),
        (["simulate", "single-section", *short, "--pressures", f"{EVIL}-bad.csv"], 2, f"{SEEN}-bad.csv"),
        (["simulate", "single-section", *short, "-o", f"{EVIL}/run.nc"], 2, SEEN),
        (["simulate", "single-section", *short, "--pressures", f"l11{EVIL}=3@0"], 2, r"l11\x1b"),
        (["view", f"{EVIL}.nc", "--html", f"{EVIL}.html"], 0, f"written to {SEEN}.html"),
        (["view", f"{EVIL}-none.nc"], 2, f"{SEEN}-none.nc"),
        (["identify", "single-section", f"{EVIL}-none.csv", "--free", "stiffness"], 2, f"{SEEN}-none.csv"),
        ([EVIL], 2, r"\x1b"),
        (["check", f"--{EVIL}"], 2, r"\x1b"),
    ):
        assert main(arguments) == code, arguments
        shown = capsys.readouterr()
        assert all(line.isprintable() for line in (shown.out + shown.err).split("\n")), arguments
        assert named in shown.out + shown.err
        assert code == 0 or (shown.out == "" and shown.err.count("\n") == 1)


def test_json_has_names_as_they_are_and_a_terminal_sees_escapes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = EVIL.replace("\udcff", "\x7f\U000e0001")
    save_arm(load_arm("single-section").replace(name=name), tmp_path / "arm.toml")
    assert main(["check", str(tmp_path / "arm.toml"), "--json"]) == 0
    shown = capsys.readouterr().out
    assert all(line.isprintable() for line in shown.split("\n"))
    assert json.loads(shown)["name"] == name


@pytest.mark.skipif(not shutil.which("bash") or not Path("/dev/fd").exists(), reason="no shell that makes such pipes")
def test_files_may_come_through_pipes_of_the_shell(tmp_path: Path) -> None:
    save_arm(load_arm("prototype"), tmp_path / "arm.toml")
    (tmp_path / "run.csv").write_text("t [s], l11 [kPa]\n0, 600\n1, 500\n", encoding="utf-8")
    continuarm = f"'{sys.executable}' -m continuarm"
    for line in (
        f"{continuarm} check <(cat arm.toml)",
        f"cat arm.toml | {continuarm} check /dev/stdin",
        f"{continuarm} check /dev/stdin < arm.toml",
        f"{continuarm} simulate <(cat arm.toml) --duration 0.01 --pressures <(cat run.csv)",
    ):
        done = subprocess.run(
            ["bash", "-c", line], cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=20
        )
        assert (done.returncode, done.stderr) == (0, ""), line
        assert "prototype" in done.stdout
