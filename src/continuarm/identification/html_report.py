"""The report of a fit: one HTML page that loads nothing else, light or dark as the reader's screen is."""

from __future__ import annotations

import html
import io
import os
import re
import tempfile
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from continuarm.common.files import output_path, replaced
from continuarm.common.html_page import html_page, html_table, html_text
from continuarm.drawing.colours import BLUE, RED
from continuarm.identification.fitted_parameters import FittedParameter, two_digits, with_error
from continuarm.identification.goodness_of_fit import CHANCE, Misfit
from continuarm.identification.measurement_units import readable
from continuarm.identification.report_figures import GRID, INK, correlation_figure, recording_figure
from continuarm.identification.result import Identification

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NOISE_FROM = {
    "given": "given",
    "neighbours": "from sample to sample",
    "repeats": "from repeated commands",
    "curve": "from a curve over the commands",
    "unknown": "unknown: all that is left",
}
"""Where the noise of a sensor is known from, in words."""

__all__ = ["check_report_path", "report_html", "write_report"]


def write_report(result: Identification, path: str | os.PathLike[str]) -> None:
    """Writes the page beside its place and renames it: all of it or nothing."""
    with replaced(check_report_path(path)) as beside:
        beside.write_text(report_html(result), encoding="utf-8")


def check_report_path(path: str | os.PathLike[str]) -> Path:
    """The file that a report would be written to; ValueError says why it cannot be. Best asked before a long fit."""
    return output_path(path, (".html",))


def report_html(result: Identification) -> str:
    """The whole page."""
    title = f"Identification of {result.arm.name}"
    used = list(dict.fromkeys(each.recording for each in result.comparisons if not each.held_out))
    later = list(dict.fromkeys(each.recording for each in result.comparisons if each.held_out))
    body = [f"<h1>{html_text(title)}</h1>", _lead(result, used, later), _judgement(result), _parameters(result)]
    body += [_correlation(result), _misfits(result)]
    body += [_recording(result, name, k, name in later) for k, name in enumerate([*used, *later])]
    body += [_method(result), _arm(result)]
    return html_page(title, body)


def _lead(result: Identification, used: Sequence[str], later: Sequence[str]) -> str:
    sentence = f"Fitted to {len(used)} recording{'s' if len(used) != 1 else ''} ({', '.join(used)})"
    sentence += f", judged also by {', '.join(later)}, which the fit did not see" if later else ""
    record = result.record
    work = f"{record.get('samples', 0):,} measured numbers, {record.get('evaluations', 0):,} simulations"
    return f"<p class='soft'>{html_text(sentence)}. {work}, {record.get('wall_time', 0.0):.1f} s.</p>"


def _judgement(result: Identification) -> str:
    """The verdict, undetermined directions, warnings and notes, in words, before any number."""
    kind = "bad" if result.serious else "" if result.warnings else "good"
    boxes = [f"<div class='box {kind}'><p><strong>{html_text(result.verdict)}.</strong></p></div>"]
    if result.undetermined:
        boxes.append("<div class='box bad'><strong>Not determined</strong>" + _list(result.undetermined) + "</div>")
    for weight, title in (("serious", "Serious"), ("warning", "Warnings")):
        if own := [each.sentence for each in result.findings if each.weight == weight]:
            kind = "bad" if weight == "serious" else ""
            boxes.append(f"<div class='box {kind}'><strong>{title}</strong>{_list(own)}</div>")
    if result.notes:
        boxes.append(f"<div class='box'><strong>Good to know</strong>{_list(result.notes)}</div>")
    return "\n".join(boxes)


def _list(sentences: Iterable[str]) -> str:
    return "<ul>" + "".join(f"<li>{html_text(each)}.</li>" for each in sentences) + "</ul>"


def _parameters(result: Identification) -> str:
    rows = [_parameter(each) for each in result.parameters]
    heads = ("parameter", "unit", "value ± standard error", "of noise", "unmodelled", "95 % interval", "start", "")
    note = (
        "<p class='small soft'>A standard error has two parts, whose squares add up: of noise, which more samples of "
        "the same motion make smaller, and unmodelled, of effects that the model leaves out and the recordings do not "
        "exclude.</p>"
    )
    return "<h2>Parameters</h2>" + html_table(heads, rows, first_number=2) + note


def _parameter(each: FittedParameter) -> tuple[str, ...]:
    known = np.isfinite(each.standard_error)
    value = html_text(with_error(each.value, each.standard_error))
    interval = f"{each.low:.5g} to {each.high:.5g}" if known else "unknown"
    note = f"at its {'upper' if each.at_bound == 'high' else 'lower'} bound" if each.at_bound else ""
    note = note if known else "not determined"
    bad = f"<span class='strong bad'>{note}</span>" if note else ""
    parts = (two_digits(each.noise), two_digits(each.unmodelled) if known else "?")
    return html_text(each.name), html_text(each.unit), value, *parts, interval, f"{each.start:.5g}", bad


def _correlation(result: Identification) -> str:
    caption = (
        "How the errors are tied together: 1 (blue), what makes one parameter larger makes the other larger; "
        "-1 (red), smaller. Parameters near ±1 are hardly told apart by these recordings."
    )
    return f"<h2>Correlation of the errors</h2>{_figure(correlation_figure(result), 'correlation', caption)}"


def _misfits(result: Identification) -> str:
    rows = [_misfit(each, False) for each in result.misfit] + [_misfit(each, True) for each in result.held_out]
    heads = (
        "recording",
        "sensor",
        "rms distance",
        "of noise alone",
        "times",
        "no noise",
        "worst",
        "numbers",
        "outliers",
    )
    note = (
        "<p class='small soft'>Distances are those of a tip from the fitted arm, over all measured axes. Noise is what "
        "was given, what changes from one sample to the next, or what repeated commands or a curve over the commands "
        "leave of a static table. No noise is the part that follows its neighbours in time, or the commands.</p>"
    )
    return "<h2>Misfit</h2>" + html_table((*heads, "left out"), rows, first_number=2) + note


def _misfit(each: Misfit, held_out: bool) -> tuple[str, ...]:
    name = html_text(each.recording) + (" <span class='soft'>(held out)</span>" if held_out else "")
    times = f"{each.multiple:.2f}"
    times = f"<span class='strong bad'>{times}</span>" if each.wrong else times
    noise = readable(each.noise_distance, each.unit) + f" ({NOISE_FROM[each.noise_from]})"
    part = readable(each.structured, each.unit) if each.chance < CHANCE else ""
    when = f"row {each.worst_time:.0f}" if each.static else f"{each.worst_time:.2f} s"
    worst = f"{readable(each.worst_distance, each.unit)} at {when}"
    counts = (str(each.samples), str(each.outliers), str(each.left_out))
    return (name, html_text(each.sensor), readable(each.distance, each.unit), noise, times, part, worst, *counts)


def _recording(result: Identification, name: str, number: int, held_out: bool) -> str:
    title = f"{name}{' (held out)' if held_out else ''}"
    commands = next((each.words for each in result.commands if each.recording == name), "")
    caption = f"{commands[:1].upper()}{commands[1:]}. " if commands else ""
    caption += (
        "Grey dots were left out; triangles at the edges are outliers. The curve is Gaussian noise of the sensor."
    )
    return f"<h2>{html_text(title)}</h2>{_figure(recording_figure(result, name), f'run{number}', caption, 'wide')}"


def _method(result: Identification) -> str:
    record = result.record
    return (
        "<h2>How it was done</h2><p class='small'>Resting shapes first, then motion, then all parameters together: "
        "trust-region least squares with the Cauchy loss, noise levels estimated on the way. Standard errors are those "
        "of a robust fit, with slopes by central differences, and enlarged where what is left is correlated in time "
        "(Newey and West). They assume that the model is right. "
        f"Searches begun: {record.get('starts', 1)}; seed {record.get('seed', 0)}; "
        f"settled: {'yes' if record.get('settled', True) else 'no'}.</p>"
    )


def _arm(result: Identification) -> str:
    with tempfile.TemporaryDirectory() as folder:
        result.save(Path(folder) / "arm.toml")
        text = (Path(folder) / "arm.toml").read_text(encoding="utf-8")
    return f"<h2>The arm file</h2><details><summary>TOML</summary><pre>{html.escape(text)}</pre></details>"


def _figure(figure: Figure, prefix: str, caption: str, kind: str = "") -> str:
    return f"<figure class='{kind}'>{inline_svg(figure, prefix)}<figcaption>{html_text(caption)}</figcaption></figure>"


def inline_svg(figure: Figure, prefix: str) -> str:
    """A figure as SVG inside a page: its names are its own, and its ink is the page's."""
    import matplotlib

    buffer = io.StringIO()
    options: Any = {"svg.fonttype": "none", "svg.hashsalt": prefix}
    with matplotlib.rc_context(options), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None}, transparent=True)
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r'\bid="', f'id="{prefix}-', text)
    text = re.sub(r'href="#', f'href="#{prefix}-', text)
    text = text.replace("url(#", f"url(#{prefix}-")
    for colour, name in ((INK, "currentColor"), (GRID, "var(--line)"), (BLUE, "var(--blue)"), (RED, "var(--red)")):
        text = text.replace(colour.lower(), name)
    return text
