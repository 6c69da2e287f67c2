"""The command line: answers on standard output, one line for what is wrong, never a traceback."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import continuarm
from continuarm.arm import Arm, CentreOfGravity, Muscles, Payload
from continuarm.arm_file import arm_names, arm_schema, load_arm, save_arm
from continuarm.cli import main
from continuarm.kinematics import tip_poses
from continuarm.motion_file import load_motion
from continuarm.plot import tip_distances
from continuarm.statics import equilibrium, natural_frequencies, vibrations


def environment(**changes: str) -> dict[str, str]:
    """This process's, but buffered as a user's is: output that fails then fails late."""
    return os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUNBUFFERED": "", "PYTHONUTF8": "1"} | changes


def run(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    defaults = {"env": environment(), "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "encoding": "utf-8"}
    return subprocess.run([sys.executable, "-m", "continuarm", *arguments], **defaults | options)


def test_arms_lists_every_shipped_arm(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["arms"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert rows[0] == ["name", "sections", "description"]
    assert {(row[0], row[1]) for row in rows[1:] if row[0] in arm_names()} == {
        ("prototype", "3"),
        ("single-section", "1"),
        ("ten-sections", "10"),
    }


def test_arms_json_lists_every_shipped_arm(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["arms", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert [(arm["name"], arm["sections"]) for arm in shown] == [(name, load_arm(name).n) for name in arm_names()]
    assert [arm["description"] for arm in shown] == [load_arm(name).description for name in arm_names()]


def test_check_shows_what_a_file_describes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "arm.toml"
    arm = load_arm("prototype")
    four = Muscles(angles=[0.0, 1.5, 3.0, 4.5], radii=[0.01] * 4)
    tip = arm.sections[2].replace(muscles=four, stop_stiffness=5e4, stiffness=[1600.0, 1700.0, 1800.0, 1900.0])
    base = arm.sections[0].replace(stiffness=[[1800.0, 50.0, 50.0], [50.0, 1800.0, 50.0], [50.0, 50.0, 1800.0]])
    inertia = CentreOfGravity(beta_linear=(1.4, 1.5, 1.9))
    save_arm(arm.replace(sections=[base, base, tip], payload=Payload(mass=0.25), inertia=inertia), path)
    assert main(["check", str(path)]) == 0
    shown = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert {"sections 3", "muscles 10", "length 0.45 m unactuated", "total mass 0.55 kg, 0.25 kg of it payload"} <= {
        *shown
    }
    assert "inertia centre-of-gravity beta_linear = 1.4, 1.5, 1.9" in " ".join(shown)
    assert "allow_indefinite = false" in " ".join(shown)
    assert any(line.startswith("1-2 0.15 0.0125 0.1 1800, 50,") for line in shown)
    assert any(line.startswith("3 0.15 0.0125 0.1 1600,") for line in shown)
    assert any("0 to" in line and "50000" in line for line in shown)


def test_check_json_holds_the_whole_arm(capsys: pytest.CaptureFixture[str]) -> None:
    for name in arm_names():
        assert main(["check", name, "--json"]) == 0
        shown = json.loads(capsys.readouterr().out)
        arm = load_arm(name)
        assert Arm(**shown["arm"]) == arm
        assert (shown["sections"], shown["muscles"], shown["inertia"]) == (arm.n, 3 * arm.n, "integral")
        assert shown["total_mass"] == pytest.approx(0.1 * arm.n)
        assert shown["length"] == pytest.approx(0.15 * arm.n)


def test_check_shows_how_the_arm_rests(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arm = load_arm("single-section")
    assert main(["check", "single-section", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    q = equilibrium(arm)
    assert shown["rest"]["q"] == q.tolist()
    assert shown["rest"]["tip"] == tip_poses(arm, q)[-1, :3, 3].tolist()
    assert shown["rest"]["natural_frequencies"] == natural_frequencies(arm, q).tolist()
    assert shown["rest"]["time_constants"] == vibrations(arm, q).time_constants[[0, -1]].tolist()
    assert shown["greatest_bend"] == [pytest.approx(2 * 0.07 / (3 * 0.0125))]
    path = tmp_path / "arm.toml"
    free = arm.sections[0].replace(damping=0.0, length_range=(0.0, 0.035))
    save_arm(arm.replace(sections=[arm.sections[0], free]), path)
    for name, expected in (
        ("single-section", "tip at rest 0, 0, 150.1 mm frequencies 9.56, 9.56 ... 62.3 Hz without damping"),
        ("single-section", "time constants 0.0646 s slowest, 0.000101 s fastest, with damping"),
        ("single-section", "muscles push A max(P - P0, 0) with A = 0.0001327 m², P0 = 90000 Pa"),
        (str(path), "greatest bend 213.9, 107 degrees"),
    ):
        assert main(["check", name]) == 0
        assert expected in " ".join(capsys.readouterr().out.split())


def test_check_says_that_an_arm_does_not_rest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "arm.toml"
    section = load_arm("prototype").sections[0].replace(mass=100.0, damping=0.0)
    save_arm(Arm(sections=[section], gravity=(0, 0, -9.81)), path)
    reason = "no equilibrium of 'arm' found: section 1 of 1 would shrink to nothing"
    assert main(["check", str(path)]) == 0
    assert f"at rest {reason}" in " ".join(capsys.readouterr().out.split())
    assert main(["check", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rest"] == {"reason": reason}
    save_arm(Arm(sections=[section], gravity=(0, 0, 0)), path)
    assert main(["check", str(path)]) == 0
    assert "infinite slowest, infinite fastest" in " ".join(capsys.readouterr().out.split())
    assert main(["check", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rest"]["time_constants"] == [None, None]


def test_schema_is_the_schema(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema"]) == 0
    assert json.loads(capsys.readouterr().out) == arm_schema()


def test_version_and_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"continuarm {continuarm.__version__}\n"
    for arguments in ([], ["--help"]):
        assert main(arguments) == 0
        assert "check" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["check", "none.toml"], "none.toml: there is no such file"),
        (["check", "protoype"], "did you mean 'prototype'?"),
        (["check", "bad.toml"], "bad.toml: sections[0].mass = -1: must be a number from 1e-12 to 1e6 kg"),
        (["check", "bad.toml", "--json"], "bad.toml: sections[0].mass = -1: must be a number from 1e-12 to 1e6 kg"),
        (["check", "."], ".: is a folder, not a file"),
        (["check", "a\nb\x1b[2J.toml"], r"a\nb\x1b[2J.toml: there is no such file"),
        (["check"], "Missing argument 'ARM'"),
        (["check", "--fast", "prototype"], "No such option"),
        (["check", "prototype", "twice"], "twice"),
        (["chek"], "No such command 'chek'"),
        (["foo"], "No such command 'foo'. The commands are arms, check, schema, simulate, experiment, bench."),
    ],
)
def test_bad_input_is_one_line_on_standard_error_and_exit_code_2(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    expected: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    section = "[[sections]]\nlength = 0.15\nradius = 0.0125\nmass = -1\nstiffness = 1700.0\n"
    Path("bad.toml").write_text(section, encoding="utf-8")
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("error: ")
    assert expected in captured.err
    assert captured.err[:-1].isprintable()
    assert captured.err.endswith("\n")


def test_text_of_a_file_is_shown_as_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "arm.toml"
    save_arm(load_arm("prototype").replace(name="[red]a[/blue] :smile: \x1b[2J", description="[/]\n[link"), path)
    assert main(["check", str(path)]) == 0
    shown = capsys.readouterr().out
    assert r"[red]a[/blue] :smile: \x1b[2J" in shown
    assert "[/] [link" in shown
    assert "\x1b" not in shown


def test_a_process_reports_like_the_function() -> None:
    done = run("check", "protoype")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: 'protoype' is neither a file nor")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("arguments", [["check", "prototype"], ["schema"], ["--help"], ["--version"]])
def test_an_output_that_nobody_reads_is_no_traceback(arguments: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = run(*arguments, stdout=writer)
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, "")


def test_letters_that_the_terminal_lacks_are_no_traceback() -> None:
    ascii_only = environment(PYTHONUTF8="0", PYTHONIOENCODING="ascii")
    done = run("check", "prototype", env=ascii_only)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(run("schema", env=ascii_only).stdout) == arm_schema()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full device here")
def test_a_full_disk_is_one_line() -> None:
    with open("/dev/full", "w") as full:
        done = run("check", "prototype", "--json", stdout=full)
    assert (done.returncode, done.stderr) == (2, "error: cannot write the output: No space left on device\n")


def test_help_waits_for_nothing_it_does_not_need() -> None:
    heavy = "{'scipy', 'rich', 'matplotlib'} & set(sys.modules)"
    code = f"import sys; from continuarm.cli import main; main(['--help']); sys.exit(str({heavy} or ''))"
    done = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, text=True)
    assert done.stderr.strip() == ""


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


@pytest.mark.parametrize(
    ("options", "solver"),
    [
        (["--solver", "bdf", "--rtol", "1e-4"], "BDF(rtol=0.0001"),
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


@pytest.mark.skipif(os.name == "nt", reason="no such signal")
def test_an_interrupt_is_exit_code_130_and_keeps_what_is_written(tmp_path: Path) -> None:
    path = tmp_path / "run.nc"
    arguments = ["simulate", "prototype", "--duration", "4e5", "--rate", "0.2", "-o", str(path)]
    command = [sys.executable, "-m", "continuarm", *arguments, "--solver", "bdf", "--force", "0.5,0,0"]
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
        (["--pressures", "l99=1@0"], "muscle 'l99': must be one of l11 to l33 of 'prototype'"),
        (
            ["--pressures", "nonsense"],
            "pressures: 'nonsense' must be of the form muscle=kPa@seconds, such as l33=600@0",
        ),
        (["--pressures", "none.csv"], "none.csv: there is no such file"),
        (["--duration", "-1"], "duration = -1.0: must be above 0 s"),
        (["--solver", "euler"], "--solver = 'euler': must be one of adaptive, bdf, fixed"),
        (["--rtol", "0"], "rtol = 0.0: must be between 1e-13 and 1"),
        (["--solver", "fixed", "--rtol", "1e-3"], "--rtol does not fit the solver fixed, which takes --step-rate"),
        (["--step-rate", "100"], "--step-rate does not fit the solver adaptive, which takes --rtol"),
        (["--start", "bent"], "start = 'bent': must be 'unbent' or 'equilibrium'"),
        (["--force", "1,2"], "--force = '1,2': must be three numbers in N, x,y,z, such as 0,0,2"),
        (["--force", "1,2,x"], "--force = '1,2,x': must be three numbers in N, x,y,z, such as 0,0,2"),
        (["-o", "none/run.nc"], "none/run.nc: the folder '{here}/none' does not exist"),
        (["-o", "run.txt"], "run.txt: the suffix must be one of .nc, .nc4, .h5"),
        (["--plot", "none/run.png"], "none/run.png: the folder '{here}/none' does not exist"),
        (["--plot", "run.gif"], "run.gif: the suffix must be one of .png, .svg, .pdf"),
    ],
)
def test_simulate_refuses_in_one_line_before_it_runs(
    arguments: list[str],
    sentence: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    # 10,000 s of motion would take longer than the test may
    assert main(["simulate", "prototype", "--duration", "1e4", *arguments]) == 2
    assert capsys.readouterr().err == f"error: {sentence.format(here=tmp_path.resolve())}\n"
    assert list(tmp_path.iterdir()) == []


def test_experiment_compares_the_models_beside_the_paper(tmp_path: Path) -> None:
    figure = tmp_path / "two.png"
    ran = run("experiment", "2", "-o", str(tmp_path), "--plot", str(figure))
    assert (ran.returncode, ran.stderr) == (0, "")
    shown = [" ".join(line.split()) for line in ran.stdout.splitlines()]
    assert "experiment 2: middle and tip section in two planes" in shown
    assert "simulated from assumed parameters; the paper's measurements are not public" in " ".join(shown)
    assert "the paper, as printed 7.8" in shown
    motions = {name: load_motion(tmp_path / f"experiment2-{name}.nc") for name in ("integral", "centre-of-gravity")}
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
        (["4"], "experiment = 4: must be one of 1, 2, 3"),
        (["1", "--step-rate", "9"], "--step-rate does not fit the solver adaptive, which takes --rtol"),
        (["1", "-o", "none"], "none/experiment1-integral.nc: the folder '{here}/none' does not exist"),
        (["1", "--plot", "one.bmp"], "one.bmp: the suffix must be one of .png, .svg, .pdf"),
    ],
)
def test_experiment_refuses_in_one_line(
    arguments: list[str],
    sentence: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["experiment", *arguments]) == 2
    assert capsys.readouterr().err == f"error: {sentence.format(here=tmp_path.resolve())}\n"


@pytest.mark.skipif(os.name == "nt", reason="no such terminal")
@pytest.mark.parametrize(("patience", "shown"), [(0.0, True), (1e9, False)])
def test_progress_is_drawn_on_a_terminal_and_only_for_long_runs(patience: float, shown: bool) -> None:
    import pty

    code = (
        "import sys; from continuarm import cli_output; from continuarm.cli import main;"
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
