"""simulate and experiment on the command line: what they show and write, what they refuse, how they end."""

from __future__ import annotations

import importlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cli_process import environment, run
from continuarm.cli.app import main
from continuarm.engine import compiled
from continuarm.simulation.motion_file import load_motion
from continuarm.simulation.plots import tip_distances
from refusals import refuses

pytestmark = pytest.mark.slow


def test_simulate_writes_a_motion_and_says_where_the_tips_are(tmp_path: Path) -> None:
    path = tmp_path / "run.nc"
    ran = run("simulate", "prototype", "--pressures", "l33=300@0", "--duration", "0.5", "-o", str(path), "--json")
    assert (ran.returncode, ran.stderr) == (0, "")
    found = json.loads(ran.stdout)
    motion = load_motion(path)
    assert found["tips"] == motion.tips[-1].tolist()
    assert found["t"] == motion.t[-1] == 0.5
    assert (found["states"], found["stopped"]) == (101, "")


def test_simulate_shows_tables_and_draws(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "run.svg"
    pressures = tmp_path / "pressures.csv"
    pressures.write_text("t [s], l33 [kPa]\n0, 600\n1, 600\n", encoding="utf-8")
    options = ["--pressures", str(pressures), "--duration", "0.5", "--force", "0, 0, 1.5", "--start", "equilibrium"]
    assert main(["simulate", "prototype", *options, "--plot", str(path)]) == 0
    captured = capsys.readouterr()
    shown = [" ".join(line.split()) for line in captured.out.splitlines()]
    assert captured.err == ""
    assert "motion 0.5 s of prototype, 101 states" in shown
    assert "tip at the end x, mm y, mm z, mm" in shown
    assert "written to" in captured.out
    assert "l33" in path.read_text(encoding="utf-8")


def test_a_warning_is_one_line_and_the_motion_is_shown() -> None:
    ran = run("simulate", "prototype", "--pressures", "l33=600Pa@0", "--duration", "0.1", "--json")
    assert ran.returncode == 0
    assert len(ran.stderr.splitlines()) == 1
    for part in ("warning: ", "600 Pa", "90000 Pa"):
        assert part in ran.stderr
    assert json.loads(ran.stdout)["t"] == 0.1


@pytest.mark.parametrize(
    ("options", "solver"),
    [
        (["--solver", "cvode", "--rtol", "1e-4"], "CVODE(rtol=0.0001"),
        (["--solver", "fixed", "--step-rate", "400"], "FixedStep(rate=400.0"),
        (["--rtol", "1e-4"], "Adaptive(rtol=0.0001"),
    ],
)
def test_simulate_takes_each_solver_with_its_option(
    options: list[str], solver: str, capsys: pytest.CaptureFixture[str]
) -> None:
    short = ["simulate", "single-section", "--pressures", "l11=200@0", "--duration", "0.1", "--json"]
    assert main([*short, *options]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["solver"].startswith(solver)
    assert main(short) == 0
    exact = json.loads(capsys.readouterr().out)
    # A hundredth of the 27 mm by which the tip moves: these are coarse on purpose.
    assert found["tips"][0] == pytest.approx(exact["tips"][0], abs=2.7e-4)


@pytest.mark.slow
def test_a_motion_that_stops_early_is_shown_written_and_exit_code_1(tmp_path: Path) -> None:
    path, figure = tmp_path / "run.nc", tmp_path / "run.png"
    options = ["--pressures", "l33=2600@0", "--duration", "0.5", "-o", str(path), "--plot", str(figure), "--json"]
    ran = run("simulate", "prototype", *options)
    assert ran.returncode == 1
    assert ran.stderr.startswith("stopped early: t = 0.06")
    assert "section 3" in ran.stderr
    assert len(ran.stderr.splitlines()) == 1
    found = json.loads(ran.stdout)
    assert load_motion(path).stopped == found["stopped"] == ran.stderr.strip().removeprefix("stopped early: ")
    assert found["states"] == len(load_motion(path).t)
    assert figure.is_file()


def test_muscles_beyond_their_range_are_named_the_worst_first(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["simulate", "prototype", "--pressures", "l33=1500@0", "--duration", "0.1"]
    assert main([*arguments, "--json"]) == 0
    left = json.loads(capsys.readouterr().out)["beyond_range"]
    assert (left[0]["muscle"], left[0]["allowed_mm"]) == ("l33", 70)
    assert left[0]["to_mm"] > 70
    assert main(arguments) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert f"beyond range l33 up to {left[0]['to_mm']:.1f} mm of 70, l" in shown
    assert "down to -" in shown


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="no such signal")
def test_an_interrupt_is_exit_code_130_and_keeps_what_is_written(tmp_path: Path) -> None:
    path = tmp_path / "run.nc"
    arguments = ["simulate", "prototype", "--duration", "4e5", "--rate", "0.2", "-o", str(path)]
    command = [sys.executable, "-m", "continuarm", *arguments, "--solver", "cvode", "--force", "0.5,0,0"]
    running = subprocess.Popen(
        command, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8"
    )
    partial = path.with_name("run.partial.nc")
    while not partial.exists() and running.poll() is None:
        time.sleep(0.01)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert (running.returncode, out) == (130, "")
    assert err == f"interrupted: what was computed is in {partial.resolve()}\n"
    assert load_motion(partial).stopped.startswith("interrupted")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--pressures", "l99=1@0"], "muscle 'l99': … l11 … l33"),
        (
            ["--pressures", "nonsense"],
            "pressures: 'nonsense' … muscle=pressure@seconds",
        ),
        (["--pressures", "none.csv"], "none.csv: … no such file"),
        (["--duration", "-1"], "duration = -1.0: … seconds … 0 s … 1e+09 s"),
        (["--duration", "5 s"], "'--duration': '5 s' … number of seconds"),
        (["--solver", "euler"], "--solver = 'euler': … adaptive, cvode, fixed"),
        (["--rtol", "0"], "rtol = 0.0: … 1e-13 … 1"),
        (["--solver", "fixed", "--rtol", "1e-3"], "--rtol … fixed … --step-rate"),
        (["--step-rate", "100"], "--step-rate … adaptive … --rtol"),
        (["--start", "bent"], "start = 'bent': … 'unbent' … 'equilibrium'"),
        (["--force", "1,2"], "--force = '1,2': … three numbers"),
        (["--force", "1,2,x"], "--force = '1,2,x': … three numbers"),
    ],
)
def test_simulate_refuses_in_one_line(arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", "prototype", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert refuses(captured.err.removesuffix("\n"), f"error: … {sentence}")


@pytest.mark.slow
def test_experiment_compares_the_models_beside_the_paper(tmp_path: Path) -> None:
    figure, folder = tmp_path / "two.png", tmp_path / "made" / "here"
    ran = run("experiment", "2", "-o", str(folder), "--plot", str(figure))
    assert (ran.returncode, ran.stderr) == (0, "")
    shown = [" ".join(line.split()) for line in ran.stdout.splitlines()]
    assert "experiment 2: middle and tip section in two planes" in shown
    assert "simulated from assumed parameters; the paper's measurements are not public" in " ".join(shown)
    assert "the paper, as printed 7.8" in shown
    motions = {name: load_motion(folder / f"experiment2-{name}.nc") for name in ("integral", "centre-of-gravity")}
    for name, motion in motions.items():
        assert motion.arm.inertia.model == name
        assert any(line.startswith(f"{name} ") and str(motion.record["evaluations"]) in line for line in shown)
    apart = 1e3 * tip_distances(*motions.values())
    for i in range(3):
        assert f"{i + 1} {apart[:, i].max():.3f} {apart[-1, i]:.3f}" in shown
    assert figure.is_file()


def test_experiment_json_is_its_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["experiment", "3", "--rtol", "1e-4", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["paper_real_time_factor"] == 7.3
    assert "not public" in found["label"]
    assert found["models"].keys() == {"integral", "centre-of-gravity"}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["simulate", "prototype", "-o", "none/run.nc"], "none/run.nc: … '{here}/none' … not exist"),
        (["simulate", "prototype", "-o", "run.txt"], "run.txt: the suffix … .nc, .nc4, .h5"),
        (["simulate", "prototype", "--plot", "none/a.png"], "none/a.png: … '{here}/none' … not exist"),
        (["simulate", "prototype", "--plot", "a.gif"], "a.gif: the suffix … .png, .svg, .pdf"),
        (["experiment", "4"], "experiment = 4: … 1, 2, 3"),
        (["experiment", "1", "--step-rate", "9"], "--step-rate … adaptive … --rtol"),
        (["experiment", "1", "-o", "/dev/null/runs"], "/dev/null/runs: … written into"),
        (["experiment", "1", "--plot", "a.bmp"], "a.bmp: the suffix … .png, .svg, .pdf"),
    ],
)
def test_what_cannot_be_done_is_refused_before_anything_runs(
    arguments: list[str],
    sentence: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for module in ("continuarm.simulation.simulator", "continuarm.paper.experiments"):
        monkeypatch.setattr(importlib.import_module(module), "simulate", lambda *_, **__: pytest.fail("it ran"))
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert refuses(captured.err.removesuffix("\n"), f"error: {sentence.format(here=tmp_path.resolve())}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="no such terminal")
@pytest.mark.parametrize(("patience", "shown"), [(0.0, True), (1e9, False)])
def test_progress_is_drawn_on_a_terminal_and_only_for_long_runs(patience: float, shown: bool) -> None:
    import pty

    code = (
        "import sys; from continuarm.cli import output as cli_output; from continuarm.cli.app import main;"
        f"cli_output.PATIENCE = {patience};"
        "sys.exit(main(['simulate', 'single-section', '--duration', '1', '--rate', '9000', '--json']))"
    )
    terminal, end = pty.openpty()
    with os.fdopen(terminal, "rb", buffering=0) as screen:
        done = subprocess.run(
            [sys.executable, "-c", code], env=environment(TERM="xterm"), stdout=subprocess.PIPE, stderr=end
        )
        os.set_blocking(terminal, False)
        drawn = screen.read(100_000) or b""
        os.close(end)
    assert done.returncode == 0
    assert json.loads(done.stdout)["t"] == 1.0
    assert (b"simulating single-section" in drawn) == shown
    assert shown or drawn == b""


def test_help_tells_the_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", "--help"]) == 0
    assert "Exit codes: 0 done; 1 the motion stopped early" in " ".join(capsys.readouterr().out.split())


def test_an_arm_without_muscles_falls_without_pressures(tmp_path, capsys):
    (tmp_path / "bare.toml").write_text(
        "[[sections]]\nlength = 0.15\nradius = 0.0125\nmass = 0.1\nstiffness = 1700\n", encoding="utf-8"
    )
    assert main(["simulate", str(tmp_path / "bare.toml"), "--duration", "0.1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["t"] == 0.1


def test_without_the_compiled_module_the_default_solver_is_one_that_works(monkeypatch, capsys):
    monkeypatch.setattr(compiled, "native", None)
    assert main(["simulate", "single-section", "--duration", "0.02", "--json"]) == 0
    assert "CVODE" in json.loads(capsys.readouterr().out)["solver"]
