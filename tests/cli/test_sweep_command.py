"""sweep on the command line: what it shows and writes, what it refuses, and how it goes on after Ctrl-C."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import xarray

import continuarm as ca
from cli_process import environment, run
from continuarm.cli.app import main
from refusals import refuses

pytestmark = pytest.mark.exhaustive

SHORT = ["sweep", "single-section", "--vary", "stiffness=1500:1900:3, mass=0.1 0.2", "--pressures", "l11=300@0"]


def test_sweep_writes_what_the_function_gives(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "sweep.nc"
    assert main([*SHORT, "--duration", "0.2", "-o", str(path), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    arm, steps = ca.load_arm("single-section"), ca.PressureSteps({"l11": [(0.0, 300e3)]})
    found = ca.sweep(arm, {"stiffness": [1500.0, 1700.0, 1900.0], "mass": [0.1, 0.2]}, input=steps, duration=0.2)
    with xarray.open_dataset(path) as written:
        assert written.load().equals(found)
    assert (shown["points"], shown["failed"]) == (6, 0)
    x = next(row for row in shown["ranges"] if row["name"] == "tip 1 x")
    values = 1e3 * found["tips"].sel(section=1, axis="x")
    assert (x["least"], x["greatest"], x["unit"]) == (float(values.min()), float(values.max()), "mm")


def test_sweep_shows_tables_and_a_table_of_points(capsys: pytest.CaptureFixture[str]) -> None:
    table = ["--vary", "stiffness=1500:1900:3, mass=0.1 0.2 0.3", "--table", "--outputs", "q, energies"]
    assert main([*SHORT[:2], *table, "--duration", "0.1", "--step-rate", "500", "--force", "0,0,1"]) == 0
    captured = capsys.readouterr()
    shown = [" ".join(line.split()) for line in captured.out.splitlines()]
    assert captured.err == ""
    assert "sweep 3 points, stiffness 1500 to 1900, mass 0.1 to 0.3" in shown
    assert "at the points unit least median greatest" in shown
    assert any(line.startswith("energies kinetic J ") for line in shown)
    assert any(line.startswith("q l11 mm ") for line in shown)


def test_points_that_fail_are_told_and_leave_another_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sweep", "single-section", "--vary", "mass=-1 0.1", "--duration", "0.1", "--json"]) == 1
    captured = capsys.readouterr()
    assert json.loads(captured.out)["failed"] == 1
    (line,) = captured.err.splitlines()
    assert refuses(line, "failed: point 0 (mass = -1): … mass")


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--vary", "stifness=1:2:3"], "'stifness' … 'stiffness'"),
        (["--vary", ""], "--vary … must name at least one number"),
        (["--vary", "stiffness"], "--vary: 'stiffness' must be name=first:last:count"),
        (["--vary", "stiffness=1:2"], "--vary: 'stiffness=1:2' must be"),
        (["--vary", "stiffness=1:2:0"], "--vary: 'stiffness=1:2:0' must be"),
        (["--vary", "stiffness=1:nan:2"], "stiffness … nan … finite"),
        (["--vary", "mass=1, mass=2"], "--vary: 'mass' is named more than once"),
        (["--outputs", "tip"], "outputs: 'tip' must be one of tips"),
        (["--pressures", "l99=1@0"], "muscle 'l99'"),
        (["--duration", "0.1005"], "duration / step = 100.5"),
        (["--processes", "0"], "--processes = 0"),
        (["-o", "nowhere/sweep.nc"], "nowhere/sweep.nc: the folder … does not exist"),
        (["-o", "sweep.csv"], "sweep.csv: the suffix must be"),
    ],
)
def test_bad_input_is_one_sentence(options: list[str], expected: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SHORT, "--duration", "0.1", *options]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert refuses(captured.err.strip(), expected), captured.err


def test_the_file_of_another_sweep_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "sweep.nc"
    assert main([*SHORT, "--duration", "0.1", "-o", str(path)]) == 0
    before = path.read_bytes()
    assert main([*SHORT, "--duration", "0.2", "-o", str(path)]) == 2
    assert "another sweep, with another duration" in capsys.readouterr().err
    assert path.read_bytes() == before


@pytest.mark.slow
def test_ctrl_c_keeps_what_is_done_and_the_same_command_goes_on(tmp_path: Path) -> None:
    path, parts = tmp_path / "sweep.nc", tmp_path / "sweep.nc.parts"
    command = ["sweep", "prototype", "--vary", "stiffness=1500:1900:20, damping=50:150:20", "--pressures", "l33=600@0"]
    command += ["--duration", "10", "-o", str(path), "--processes", "2"]
    child = subprocess.Popen(
        [sys.executable, "-m", "continuarm", *command],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    while not parts.exists() or parts.stat().st_size < 3_000:  # the first part
        assert child.poll() is None
        time.sleep(0.02)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=60)
    assert (child.returncode, out, len(err.splitlines())) == (130, "", 1)
    assert "sweep.nc.parts has what is done" in err
    kept = parts.stat().st_size
    done = run(*command, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["points"] == 400
    assert kept > 3_000
    assert [each.name for each in tmp_path.iterdir()] == ["sweep.nc"]
    with xarray.open_dataset(path) as written:
        assert np.isfinite(written["tips"]).all()
