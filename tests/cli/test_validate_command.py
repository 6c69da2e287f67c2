"""The command `continuarm validate`: what it prints and writes, and its exit codes."""

from __future__ import annotations

import json
import re

import pytest
from sample_recordings import changed, run_of

from continuarm import Payload, load_arm, read_recording, save_arm, validate
from continuarm.cli.app import main
from continuarm.identification.recording_file import write_recording
from html_reader import check_self_contained
from refusals import check_named

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    section, folder = load_arm("single-section"), tmp_path_factory.mktemp("recordings")
    for seed, name in enumerate(("one", "two")):
        write_recording(run_of(section, name, seed=seed), section, folder / f"{name}.csv")
    (folder / "notes.md").write_text("not a recording")
    (folder / ".hidden.csv").write_text("neither")
    return folder


def rows(shown):
    """The cells of the first table, and the last line."""
    first, last = shown.split("\n\n")[0], shown.strip().splitlines()[-1]
    return [re.split(r"\s{2,}", line.strip()) for line in first.splitlines()], last


def test_validate_prints_a_table_and_a_sentence(files, capsys):
    assert main(["validate", "single-section", str(files)]) == 0
    shown, errors = capsys.readouterr()
    assert errors == ""
    (head, *table), last = rows(shown)
    assert head == ["recording", "tip", "rms mm", "worst mm", "at", "motion's sd mm", "compared"]
    arm = load_arm("single-section")
    found = validate(arm, [read_recording(files / f"{name}.csv", arm) for name in ("one", "two")])
    assert [row[:2] for row in table] == [["one", "1"], ["two", "1"]]
    for row, run in zip(table, found.recordings, strict=True):
        tip = run["tip 1"]
        assert [float(row[k]) for k in (2, 3, 5)] == pytest.approx(
            [1e3 * tip.rms, 1e3 * tip.worst, 1e3 * tip.motion], rel=1e-2
        )
        assert float(row[4].removesuffix(" s")) == pytest.approx(tip.worst_time, abs=0.01)
    assert last == found.sentence


def test_validate_writes_json_and_a_page(files, tmp_path, capsys):
    written = [tmp_path / "found.json", tmp_path / "found.html"]
    command = ["validate", "single-section", str(files / "one.csv")]
    assert main([*command, "--json", str(written[0]), "--html", str(written[1])]) == 0
    shown = capsys.readouterr().out
    check_named(shown, str(written[0]), str(written[1]), "rms mm")
    assert main([*command, "--json", "-"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed.pop("written") == []
    assert json.loads(written[0].read_text(encoding="utf-8")) == printed
    check_self_contained(written[1].read_text(encoding="utf-8"))


def test_a_payload_replaces_that_of_the_arm_where_it_is(files, tmp_path, capsys):
    section = load_arm("single-section")
    carrying = section.replace(payload=Payload(mass=0.2, offset=(0.0, 0.01, 0.03)))
    save_arm(carrying, tmp_path / "arm.toml")
    run = read_recording(files / "one.csv", section)

    def told(*options):
        assert main(["validate", str(tmp_path / "arm.toml"), str(files / "one.csv"), "--json", "-", *options]) == 0
        return json.loads(capsys.readouterr().out)["totals"]["tips"]["rms"]

    assert told() == validate(carrying, run).totals["tips"].rms
    lighter = carrying.replace(payload=Payload(mass=0.05, offset=(0.0, 0.01, 0.03)))
    assert told("--payload", "0.05") == validate(lighter, run).totals["tips"].rms
    assert told("--payload", "0") == validate(section, run).totals["tips"].rms


def test_a_start_is_that_of_the_recordings(files, capsys):
    for start in ("equilibrium", "unbent"):
        assert main(["validate", "single-section", str(files / "one.csv"), "--json", "-", "--start", start]) == 0
        arm = load_arm("single-section")
        expected = validate(arm, read_recording(files / "one.csv", arm, start=start)).totals["tips"].rms
        assert json.loads(capsys.readouterr().out)["totals"]["tips"]["rms"] == expected


def test_recordings_of_one_name_are_told_apart_by_their_folders(files, tmp_path, capsys):
    (tmp_path / "one.csv").write_bytes((files / "one.csv").read_bytes())
    assert main(["validate", "single-section", str(files / "one.csv"), str(tmp_path), "--json", "-"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [run["name"] for run in told["recordings"]] == [str(files / "one.csv"), str(tmp_path / "one.csv")]


def test_stopping_early_is_an_exit_code_and_a_warning(files, tmp_path, capsys):
    save_arm(changed(load_arm("single-section"), stiffness=0.1), tmp_path / "soft.toml")
    assert main(["validate", str(tmp_path / "soft.toml"), str(files / "one.csv")]) == 1
    shown, errors = capsys.readouterr()
    check_named(errors, "warning: one", "stopped early")
    assert shown.strip().endswith("stopped early: one")


def test_nothing_to_compare_is_an_error_and_writes_nothing(files, tmp_path, capsys):
    """A column of gaps alone is a sensor without a sample; a second recording that has some is compared."""
    empty = tmp_path / "empty.csv"
    empty.write_text("t [s], l11 [kPa], x1 [mm]\n0, 0,\n0.1, 150,\n0.2, 150,\n")
    written = tmp_path / "found.json"
    assert main(["validate", "single-section", str(empty), "--json", str(written)]) == 2
    shown, errors = capsys.readouterr()
    assert shown == ""
    assert errors.count("\n") == 1
    check_named(errors, "error: nothing can be compared", "empty")
    assert not written.exists()
    assert main(["validate", "single-section", str(empty), str(files / "one.csv")]) == 0
    assert "empty: tip 1 has no samples" in capsys.readouterr().err


def test_bad_input_is_one_sentence(files, tmp_path, capsys):
    one = str(files / "one.csv")
    (tmp_path / "empty").mkdir()
    for arguments, named in (
        (["none-such", one], ("none-such",)),
        (["single-section", "none.csv"], ("none.csv", "no such file")),
        (["single-section", str(files / "notes.md")], ("notes.md",)),
        (["single-section", str(tmp_path / "empty")], ("empty", ".csv")),
        (["single-section", one, one], ("two are called",)),
        (["single-section", one, "--payload", "-1"], ("--payload", "-1", "kg")),
        (["single-section", one, "--payload", "nan"], ("--payload", "kg")),
        (["single-section", one, "--start", "anyhow"], ("start = 'anyhow'", "hanging")),
        (["single-section", one, "--json", "found.txt"], ("found.txt", ".json")),
        (["single-section", one, "--html", "found.pdf"], ("found.pdf", ".html")),
        (["single-section"], ("DATA",)),
    ):
        assert main(["validate", *arguments]) == 2, arguments
        shown, errors = capsys.readouterr()
        assert shown == ""
        assert errors.count("\n") == 1
        check_named(errors, "error: ", *named)
