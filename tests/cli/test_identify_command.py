"""The command `continuarm identify`: what it prints and writes, and its exit codes."""

from __future__ import annotations

import json
import re

import pytest
from sample_recordings import run_of

from continuarm import load_arm
from continuarm.cli.app import main
from continuarm.identification.parameter_search import ParameterSearch
from continuarm.identification.recording_file import write_recording
from refusals import check_named


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    section, folder = load_arm("single-section"), tmp_path_factory.mktemp("recordings")
    for seed, name in enumerate(("one", "two")):
        write_recording(run_of(section, name, seed=seed), section, folder / f"{name}.csv")
    return folder


@pytest.mark.slow
def test_identify_writes_an_arm_and_a_report(files, tmp_path, capsys):
    output, report = tmp_path / "fitted.toml", tmp_path / "fit.html"
    options = ["--free", "stiffness, damping", "--hold-out", str(files / "two.csv"), "--sigma", "0.5mm"]
    written = ["-o", str(output), "--report", str(report)]
    assert main(["identify", "single-section", str(files / "one.csv"), *options, *written]) == 0
    shown, errors = capsys.readouterr()
    assert errors == ""
    lines = [" ".join(line.split()) for line in shown.splitlines()]
    assert lines[0].startswith("usable")
    assert any(re.match(r"stiffness 1[67]\d\d[\d.]* ± [\d.]+ N/m", line) for line in lines)
    assert "parameter standard error of noise unmodelled unit" in lines
    assert max(map(len, shown.partition("\nnote:")[0].splitlines()[1:])) <= 80
    assert any(line.startswith("two (held out) tip 1") for line in lines)
    assert load_arm(output).sections[0].stiffness == pytest.approx(1700, rel=0.02)
    assert report.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_identify_tells_with_its_exit_code_that_something_is_wrong(files, tmp_path, capsys):
    command = ["identify", "single-section", str(files / "one.csv"), "--json", "--no-delay", "--starts", "1"]
    assert main([*command, "--free", "stiffness, damping, muscle_area, mass", "-o", str(tmp_path / "a.toml")]) == 1
    shown, errors = capsys.readouterr()
    told = json.loads(shown)
    assert told["serious"]
    assert told["verdict"].startswith("NOT TO BE USED AS IT IS: stiffness, damping, muscle_area and mass")
    assert told["written"] == [str(tmp_path / "a.toml")]
    check_named(errors, "serious: ", "stiffness, damping, muscle_area and mass")
    for wrong, named in (
        (["--free", "stifness"], ("free = 'stifness'", "'stiffness'")),
        (["--free", "stiffness", "--sigma", "1"], ("--sigma = '1'", "1mm", "0.5deg")),
        (["--free", "stiffness", "-o", "fitted.txt"], ("fitted.txt", ".toml")),
        (["--free", "stiffness", "--report", "fit.pdf"], ("fit.pdf", ".html")),
    ):
        assert main([*command, *wrong]) == 2
        check_named(capsys.readouterr().err, "error: ", *named)


def test_identify_writes_the_best_so_far_when_interrupted(files, tmp_path, capsys, monkeypatch):
    def interrupted(self, share):
        raise KeyboardInterrupt

    monkeypatch.setattr(ParameterSearch, "_all_parameters", interrupted)
    output = tmp_path / "fitted.toml"
    options = ["--free", "stiffness, damping", "-o", str(output)]
    assert main(["identify", "single-section", str(files / "one.csv"), *options]) == 130
    check_named(capsys.readouterr().err, "serious: ", "interrupted")
    assert load_arm(output).sections[0].stiffness == pytest.approx(1700, rel=0.1)
