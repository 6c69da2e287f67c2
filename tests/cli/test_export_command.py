"""`continuarm export` and `continuarm live --page`: a page is written, and opened."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cli_process import environment, run
from continuarm.cli.app import main


@pytest.mark.slow
def test_a_page_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "arm.html"
    assert main(["export", "prototype", "--page", str(path)]) == 0
    assert capsys.readouterr().out == f"written to {path}\n"
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_what_cannot_be_exported_is_refused_in_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = str(tmp_path / "arm.html")
    for arguments, named in (
        (["export", "prototype"], "with --page"),
        (["export", "prototype", "--page", str(tmp_path / "arm.pdf")], ".html"),
        (["export", "prototype", "--page", str(tmp_path / "no" / "arm.html")], "no"),
        (["export", "nobody", "--page", page], "nobody"),
        (["export", "stanford-trunk", "--page", page], "muscle_area is missing"),
        (["live", "prototype", "--page", page, "--benchmark", "1"], "--benchmark"),
    ):
        assert main(arguments) == 2
        shown = capsys.readouterr()
        assert shown.out == ""
        assert shown.err.startswith("error: ")
        assert named in shown.err
        assert shown.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="a browser that is a shell script")
def test_live_opens_the_page_that_it_wrote(tmp_path: Path) -> None:
    browser, path = tmp_path / "browser", tmp_path / "arm.html"
    browser.write_text(f'#!/bin/sh\necho "$1" > "{tmp_path}/opened"\n')
    browser.chmod(0o755)
    done = run("live", "prototype", "--page", str(path), env=environment(BROWSER=f"{browser} %s"))
    assert (done.returncode, done.stdout, done.stderr) == (0, f"written to {path}\n", "")
    assert (tmp_path / "opened").read_text().strip() == path.as_uri()
