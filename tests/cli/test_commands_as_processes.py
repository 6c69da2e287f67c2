"""The command line: answers on standard output, one line for what is wrong, never a traceback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import continuarm
from cli_process import environment, run
from continuarm.arms.arm import Arm, Payload
from continuarm.arms.arm_file import arm_names, arm_schema, load_arm, save_arm
from continuarm.arms.inertia_models import CentreOfGravity
from continuarm.arms.section import Muscles, Section
from continuarm.cli.app import main
from continuarm.engine.quantities import tip_poses
from continuarm.statics.equilibrium_search import equilibrium
from continuarm.statics.modes import natural_frequencies, vibrations
from gate import tool

pytestmark = pytest.mark.slow


def test_arms_lists_every_shipped_arm(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["arms"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert rows[0] == ["name", "sections", "description"]
    assert {(row[0], row[1]) for row in rows[1:] if row[0] in arm_names()} == {
        ("asu-two-section", "2"),
        ("prototype", "3"),
        ("prototype-muscles", "3"),
        ("single-section", "1"),
        ("stanford-trunk", "3"),
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
        assert (shown["sections"], shown["muscles"], shown["inertia"]) == (arm.n, len(arm.muscle_names), "integral")
        assert shown["total_mass"] == pytest.approx(sum(s.mass for s in arm.sections) + arm.carried_mass[0])
        assert shown["length"] == pytest.approx(sum(s.length for s in arm.sections))


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


def test_check_warns_of_muscles_that_are_on_their_stops_without_pressure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Upright, weight (little, so that the arm stays straight) shortens muscles that cannot become shorter."""
    hanging = load_arm("prototype-muscles")
    upright = hanging.replace(gravity=(0, 0, -1.0))
    loose = upright.replace(sections=[section.replace(stop_stiffness=0.0) for section in upright.sections])
    free = upright.replace(sections=[*loose.sections[:2], upright.sections[2]])
    path = tmp_path / "arm.toml"
    for arm, held in ((hanging, []), (loose, []), (upright, upright.muscle_names), (free, ["l31", "l32", "l33"])):
        save_arm(arm, path)
        assert main(["check", str(path), "--json"]) == 0
        captured = capsys.readouterr()
        assert json.loads(captured.out)["rest"]["on_stops"] == held
        assert len(captured.err.splitlines()) == bool(held)
        assert all(name in captured.err for name in ["warning: ", "length_range", *held[:6]] if held)


FOUR = {"angles": [0.0, np.pi / 2, np.pi, 3 * np.pi / 2], "radii": [0.0125, 0.0125, 0.0125, 12.5]}


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"sections[1].radius": 12.5}, ("section 2", "radius = 12.5 m", "in m")),
        ({"sections[1].length": 150.0, "sections[2].length": 150.0}, ("section 2", "length = 150 m", "10 m", "1 more")),
        ({"sections[0].mass": 250.0}, ("section 1", "mass = 250 kg", "100 kg")),
        ({"sections[2].muscle_area": 1.327}, ("section 3", "muscle_area = 1.327 m²", "0.1 m²")),
        ({"sections[0].muscles": FOUR}, ("section 1", "muscles.radii", "12.5 m", "radius = 0.0125 m")),
    ],
)
def test_check_warns_of_numbers_in_another_unit(
    changes: dict[str, Any], named: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, arm = tmp_path / "arm.toml", load_arm("prototype")
    save_arm(arm.replace(changes), path)
    assert main(["check", str(path)]) == 0
    told = capsys.readouterr().err.splitlines()
    assert any(all(part in line for part in ("warning: ", *named)) for line in told)


def test_check_does_not_warn_of_arms_at_the_limits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "arm.toml"
    layout = Muscles(angles=FOUR["angles"], radii=[0.5, 0.17, 1.5, 0.5])
    section = Section(length=10.0, radius=0.5, mass=100.0, stiffness=1e7, muscle_area=0.1, muscles=layout)
    save_arm(Arm(sections=[section]), path)
    assert main(["check", str(path)]) == 0
    assert capsys.readouterr().err == ""


def test_check_shows_where_the_muscles_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, arm = tmp_path / "arm.toml", load_arm("prototype")
    layout = {"angles": FOUR["angles"], "radii": [0.01, 0.02, 0.01, 0.02]}
    save_arm(arm.replace({"sections[0].muscles": layout, "sections[1].muscles": layout}), path)
    assert main(["check", str(path)]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "sections 1-2: 0, 90, 180, 270 degrees, 0.01, 0.02, 0.01, 0.02 m" in shown
    assert "section 3: 0, 120, 240 degrees" in shown
    assert main(["check", "prototype"]) == 0
    assert "layout" not in capsys.readouterr().out


def test_check_tells_no_bend_of_sections_without_a_range(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, arm = tmp_path / "arm.toml", load_arm("prototype")
    free = arm.replace({"sections[*].length_range": None})
    for changed, expected in (
        (free, "greatest bend no range given"),
        (arm.replace({"sections[1].length_range": None}), "greatest bend 213.9, no range given, 213.9 degrees"),
    ):
        save_arm(changed, path)
        assert main(["check", str(path)]) == 0
        shown = " ".join(capsys.readouterr().out.split())
        assert expected in shown
        assert "360" not in shown
    save_arm(free, path)
    assert main(["check", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["greatest_bend"] == [None] * 3


def test_check_draws_the_arm(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "arm.png"
    assert main(["check", "prototype", "--plot", str(picture)]) == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert "written to" in capsys.readouterr().out
    assert main(["check", "prototype", "--plot", str(tmp_path / "arm.txt")]) == 2
    assert ".png" in capsys.readouterr().err


def test_check_says_that_an_arm_does_not_rest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "arm.toml"
    limp = load_arm("prototype").sections[0].replace(mass=1.0, damping=0.0, stiffness=17.0)
    save_arm(Arm(sections=[limp] * 3, gravity=(0, 0, -9.81)), path)
    reason = "no equilibrium of 'arm' found: section "
    assert main(["check", str(path)]) == 0
    assert f"at rest {reason}" in " ".join(capsys.readouterr().out.split())
    assert main(["check", str(path), "--json"]) == 0
    rest = json.loads(capsys.readouterr().out)["rest"]
    assert list(rest) == ["reason"]
    assert rest["reason"].startswith(reason)
    save_arm(Arm(sections=[limp], gravity=(0, 0, 0)), path)
    assert main(["check", str(path)]) == 0
    assert "infinite slowest, infinite fastest" in " ".join(capsys.readouterr().out.split())
    assert main(["check", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rest"]["time_constants"] == [None, None]


def test_schema_is_the_schema(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema"]) == 0
    assert json.loads(capsys.readouterr().out) == arm_schema()


@pytest.mark.slow
def test_a_processor_that_lacks_a_set_uses_the_next_lower_one() -> None:
    """Valgrind emulates a processor without AVX-512; it has every set of this one that it can."""
    emulated = [tool("valgrind"), "--tool=none", "--quiet", sys.executable]
    ask = "import json; from continuarm.engine.compiled import native; print(json.dumps(native.build_info()))"
    sets, lines = (
        subprocess.run([*emulated, *arguments], env=environment(), capture_output=True, text=True, check=True).stdout
        for arguments in (["-c", ask], ["-m", "continuarm", "--version", "--verbose"])
    )
    build = json.loads(sets)
    assert "avx512" not in build["processor_sets"]
    usable = [name for name in build["processor_sets"] if name in build["compiled_sets"]]
    missing = [name for name in build["processor_sets"] if name not in build["compiled_sets"]]
    assert build["instruction_set"] == usable[-1]
    assert f"in use: {usable[-1]}\n" in lines
    assert ("not in this binary" in lines) == bool(missing)
    assert all(name in lines.splitlines()[-1] for name in missing)


def test_verbose_goes_with_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--verbose"]) == 2
    assert "--version" in capsys.readouterr().err


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
        (["check", "bad.toml"], "bad.toml: [[sections]] entry 1: mass = -1: must be a number from 1e-12 to 1e6 kg"),
        (
            ["check", "bad.toml", "--json"],
            "bad.toml: [[sections]] entry 1: mass = -1: must be a number from 1e-12 to 1e6 kg",
        ),
        (["check", "."], ".: is a folder, not a file"),
        (["check", "a\nb\x1b[2J.toml"], r"a\nb\x1b[2J.toml: there is no such file"),
        (["check"], "Missing argument 'ARM'"),
        (["check", "--fast", "prototype"], "No such option"),
        (["check", "prototype", "twice"], "twice"),
        (["chek"], "No such command 'chek'"),
        (["foo"], "No such command 'foo'. The commands are arms, check, schema, simulate, track"),
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
    code = f"import sys; from continuarm.cli.app import main; main(['--help']); sys.exit(str({heavy} or ''))"
    done = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, text=True)
    assert done.stderr.strip() == ""
