"""Laws of the report: one complete page, and figures of what was measured and simulated."""

from __future__ import annotations

import numpy as np
import pytest

from continuarm.identification.html_report import report_html
from continuarm.identification.report_figures import correlation_figure, recording_figure
from html_reader import check_self_contained
from refusals import refused

pytestmark = pytest.mark.slow


def test_the_report_is_one_complete_page(result, tmp_path):
    result.report(tmp_path / "fit.html")
    text = (tmp_path / "fit.html").read_text(encoding="utf-8")
    assert text == report_html(result)  # the same again
    words = " ".join(check_self_contained(text).words)
    for expected in (
        "Identification of single-section",
        "<run & 1>",
        "later (held out)",
        "of noise",
        "unmodelled",
        "95 % interval",
        "Commands hold from row to row",
        result.verdict,
        *result.warnings,
    ):
        assert expected in words
    for path, named in (("fit.txt", (".html",)), ("none/fit.html", ("folder", str(tmp_path / "none")))):
        with refused(path, *named):
            result.report(tmp_path / path)


def test_figures_draw_what_was_measured_and_simulated(result):
    figure = recording_figure(result, "<run & 1>")
    values, differences, often, commands = figure.axes
    (trace, *_) = [each for each in result.comparisons if each.recording == "<run & 1>"]
    lines = {line.get_label(): line for line in values.get_lines()}
    for k, name in enumerate(("x1", "y1", "z1")):
        np.testing.assert_allclose(lines[name].get_ydata(), 1e3 * trace.simulated[:, k])
    assert abs(differences.get_ylim()[1]) < 6  # outliers of 50 mm do not squeeze the rest
    assert "× noise" in often.texts[0].get_text()
    assert [line.get_label() for line in commands.get_lines()] == ["l11", "l12", "l13"]
    assert max(commands.get_lines()[2].get_ydata()) == 450  # kPa
    squares = correlation_figure(result).axes[0].patches
    assert len(squares) == len(result.parameters) ** 2
    assert [len(recording_figure(result, name).axes) for name in ("table", "later")] == [4, 4]
    with refused("recording = 'none'", "<run & 1>, table, later"):
        recording_figure(result, "none")
