"""bench on the command line: what it shows and writes, and what it refuses before anything is measured."""

import json
import os

import numpy as np
import pytest

from continuarm.benchmarks import groups, run
from continuarm.benchmarks.groups import Workload
from continuarm.cli.app import main
from continuarm.cli.bench_command import _table
from continuarm.cli.output import show
from continuarm.engine import compiled

pytestmark = pytest.mark.exhaustive


def test_the_command_prints_the_table_and_writes_what_it_measured(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(groups, "QUICK", Workload(repeats=1, seconds=0.0, arms=600))
    monkeypatch.setenv("COLUMNS", "200")  # no name is wrapped
    path = tmp_path / "bench.json"
    assert main(["bench", "--quick", "--only", "operations", "--json", str(path)]) == 0
    printed = capsys.readouterr().out
    written = json.loads(path.read_text(encoding="utf-8"))
    assert list(written["results"]) == ["operations"]
    for row in written["results"]["operations"]["rows"]:
        assert row["name"] in printed
    assert written["machine"]["cpu"]
    assert written["machine"]["usable_processors"] == compiled.PROCESSORS
    assert written["versions"]["numpy"] == np.__version__
    assert written["workload"]["arms"] == 600


def test_numbers_and_units_stay_whole_in_a_narrow_terminal(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "48")
    rows = [{"name": "a name that is longer than the whole terminal is wide", "value": 12345.0, "unit": "× real time"}]
    show(_table([{**rows[0], "note": ""}]))
    assert "12,345  × real time" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("path", "reason"), [("nowhere/bench.json", "does not exist"), (".", "is a folder"), ("bench\0.json", "null")]
)
def test_a_file_that_cannot_be_written_is_refused_before_anything_is_measured(
    monkeypatch, tmp_path, capsys, path, reason
):
    monkeypatch.setattr(run, "measured", lambda *_: pytest.fail("measured before the file was tried"))
    assert main(["bench", "--quick", "--json", os.path.join(tmp_path, path)]) == 2
    captured = capsys.readouterr()
    assert (captured.out, len(captured.err.splitlines())) == ("", 1)
    assert reason in captured.err
    assert list(tmp_path.iterdir()) == []


def test_a_run_that_fails_leaves_the_file_as_it_was(monkeypatch, tmp_path, capsys):
    path = tmp_path / "bench.json"
    path.write_text("old", encoding="utf-8")
    assert main(["bench", "--json", str(path), "--only", "lop"]) == 2
    assert "'lop'" in capsys.readouterr().err
    monkeypatch.setattr(run, "run_bench", lambda *_: {"value": float("nan")})  # which JSON does not have
    assert main(["bench", "--json", str(path), "--only", "operations"]) == 2
    assert path.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]
