"""What a fit leaves: an arm file with its origin, a summary, a report, and the command line."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from identify_study import FREE, changed, run_of, table_of, with_values

from continuarm import load_arm
from continuarm.cli.app import main
from continuarm.identification.figures import correlation_figure, recording_figure
from continuarm.identification.fit import identify
from continuarm.identification.recording_file import write_recording
from continuarm.identification.report import report_html
from continuarm.identification.search import Search

pytestmark = pytest.mark.slow  # all of it is about a fit


@pytest.fixture(scope="module")
def section():
    return load_arm("single-section")


@pytest.fixture(scope="module")
def result(section):
    run = with_values(
        run_of(section, "<run & 1>"), "tip 1", lambda values: np.where(values > 0.1595, values + 0.05, values)
    )
    later = run_of(section, "later", {"l12": [(0.5, 450)]}, seed=7)
    return identify(changed(section, stiffness=1.3), [run, table_of(section)], FREE, held_out=[later])


def test_the_arm_file_says_where_its_numbers_come_from(result, tmp_path):
    result.save(tmp_path / "fitted.toml")
    arm = load_arm(tmp_path / "fitted.toml")
    assert arm == result.arm
    assert arm.sections[0].stiffness == result["stiffness"].value
    assert "Identified from <run & 1>, table: stiffness = " in arm.description
    assert "delay" not in arm.description


def test_the_summary_is_plain(result):
    told = json.loads(json.dumps(result.summary()))
    assert [row["name"] for row in told["parameters"]] == [*FREE, "delay of <run & 1>"]
    assert {"samples", "evaluations", "starts", "seed", "settled", "wall_time"} == set(told["record"])
    assert np.shape(told["correlation"]) == (5, 5)
    assert np.diag(told["correlation"]) == pytest.approx(1)
    with pytest.raises(KeyError, match="'mass': the parameters are stiffness"):
        result["mass"]


class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.ids, self.links, self.words = [], [], [], []

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.ids += [values["id"]] if "id" in values else []
        self.links += [values[name] for name in ("href", "src", "xlink:href") if name in values]
        self.open += [] if tag in ("meta", "br") else [tag]

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def test_the_report_is_one_complete_page(result, tmp_path):
    result.report(tmp_path / "fit.html")
    text = (tmp_path / "fit.html").read_text(encoding="utf-8")
    assert text == report_html(result)  # the same again
    page = Page()
    page.feed(text)
    assert page.open == []
    assert len(set(page.ids)) == len(page.ids)
    assert all(link.startswith("#") for link in page.links)
    assert {link[1:] for link in page.links} <= set(page.ids)
    words = " ".join(page.words)
    for expected in (
        "Identification of single-section",
        "<run & 1>",
        "later (held out)",
        "95 % interval",
        *result.warnings,
    ):
        assert expected in words
    assert "prefers-color-scheme: dark" in text
    for path, sentence in (("fit.txt", "the suffix must be .html"), ("none/fit.html", "does not exist")):
        with pytest.raises(ValueError, match=sentence):
            result.report(tmp_path / path)


def test_figures_draw_what_was_measured_and_simulated(result):
    figure = recording_figure(result, "<run & 1>")
    values, differences, often = figure.axes
    (trace, *_) = [each for each in result.traces if each.recording == "<run & 1>"]
    lines = {line.get_label(): line for line in values.get_lines()}
    for k, name in enumerate(("x1", "y1", "z1")):
        np.testing.assert_allclose(lines[name].get_ydata(), 1e3 * trace.shown[:, k])
    assert abs(differences.get_ylim()[1]) < 6  # outliers of 50 mm do not squeeze the rest
    assert "× noise" in often.texts[0].get_text()
    squares = correlation_figure(result).axes[0].patches
    assert len(squares) == len(result.parameters) ** 2
    assert [len(recording_figure(result, name).axes) for name in ("table", "later")] == [3, 3]
    with pytest.raises(ValueError, match=r"^recording = 'none': must be one of"):
        recording_figure(result, "none")


# The command line


@pytest.fixture(scope="module")
def files(section, tmp_path_factory):
    folder = tmp_path_factory.mktemp("recordings")
    for seed, name in enumerate(("one", "two")):
        write_recording(run_of(section, name, seed=seed), section, folder / f"{name}.csv")
    return folder


def test_identify_writes_an_arm_and_a_report(files, tmp_path, capsys):
    output, report = tmp_path / "fitted.toml", tmp_path / "fit.html"
    options = ["--free", "stiffness, damping", "--hold-out", str(files / "two.csv"), "--sigma", "0.5mm"]
    command = [
        "identify",
        "single-section",
        str(files / "one.csv"),
        *options,
        "-o",
        str(output),
        "--report",
        str(report),
    ]
    assert main(command) == 0
    shown, errors = capsys.readouterr()
    assert errors == ""
    lines = [" ".join(line.split()) for line in shown.splitlines()]
    assert any(re.match(r"stiffness 1[67]\d\d[\d.]* ± [\d.]+ N/m", line) for line in lines)
    assert any(line.startswith("two (held out) tip 1") for line in lines)
    assert load_arm(output).sections[0].stiffness == pytest.approx(1700, rel=0.02)
    assert report.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_identify_tells_with_its_exit_code_that_something_is_wrong(files, tmp_path, capsys):
    command = ["identify", "single-section", str(files / "one.csv"), "--json", "--no-delay", "--starts", "1"]
    assert main([*command, "--free", "stiffness, damping, muscle_area, mass", "-o", str(tmp_path / "a.toml")]) == 1
    shown, errors = capsys.readouterr()
    told = json.loads(shown)
    assert told["serious"]
    assert told["written"] == [str(tmp_path / "a.toml")]
    assert "warning: stiffness, damping, muscle_area and mass can grow together by the same factor" in errors
    assert main([*command, "--free", "stifness"]) == 2
    assert capsys.readouterr().err == "error: free = 'stifness': did you mean 'stiffness'?\n"
    for wrong, sentence in (
        (["--sigma", "1"], "--sigma = '1': must be a length or an angle"),
        (["-o", "fitted.txt"], "fitted.txt: the suffix must be .toml"),
        (["--report", "fit.pdf"], "fit.pdf: the suffix must be .html"),
    ):
        assert main([*command, "--free", "stiffness", *wrong]) == 2
        assert sentence in capsys.readouterr().err


def test_identify_writes_the_best_so_far_when_interrupted(files, tmp_path, capsys, monkeypatch):
    def interrupted(self, share):
        raise KeyboardInterrupt

    monkeypatch.setattr(Search, "_together", interrupted)
    output = tmp_path / "fitted.toml"
    assert (
        main(["identify", "single-section", str(files / "one.csv"), "--free", "stiffness, damping", "-o", str(output)])
        == 130
    )
    assert "warning: the search was interrupted" in capsys.readouterr().err
    assert load_arm(output).sections[0].stiffness == pytest.approx(1700, rel=0.1)
