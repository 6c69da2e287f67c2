"""The report of a validation: one HTML page that loads nothing else, and what a notebook shows."""

from __future__ import annotations

import os

import numpy as np

from continuarm.common.files import replaced
from continuarm.common.html_page import html_page, html_table, html_text
from continuarm.common.number_checks import Floats
from continuarm.drawing.notebook import WIDE, card, curve_svg, plain_table, sentences
from continuarm.identification.html_report import check_report_path, inline_svg
from continuarm.identification.measurement_units import readable
from continuarm.identification.predicted_sensors import PredictedSensor, TotalError
from continuarm.identification.validation import PredictedRecording, Validation
from continuarm.identification.validation_figures import prediction_figure

__all__ = ["error_words", "validation_card", "validation_html", "write_validation"]

HEADINGS = ("rms distance", "worst", "at", "motion's sd", "rms / motion's sd", "compared")


def write_validation(result: Validation, path: str | os.PathLike[str]) -> None:
    """Writes the page beside its place and renames it: all of it or nothing."""
    with replaced(check_report_path(path)) as beside:
        beside.write_text(validation_html(result), encoding="utf-8")


def validation_html(result: Validation) -> str:
    """The whole page."""
    title = f"Validation of {result.arm.name}"
    body = [f"<h1>{html_text(title)}</h1>", f"<p class='soft'>{html_text(result.sentence)}.</p>"]
    body += [_warnings(result), _errors(result)]
    body += [_recording(run, k) for k, run in enumerate(result.recordings)]
    body += [_method(result)]
    return html_page(title, body)


def error_words(error: PredictedSensor | TotalError, static: bool) -> tuple[str, ...]:
    """rms, worst, when, the motion's own, their ratio and the share compared, in the units that people read."""
    share = f"{100 * error.share:.3g} %" if error.samples else "no samples"
    if not error.compared:
        return ("", "", "", "", "", share)
    rms, worst, motion = (readable(each, error.unit) for each in (error.rms, error.worst, error.motion))
    when = f"row {error.worst_time:.0f}" if static else f"{error.worst_time:.2f} s"
    return rms, worst, when, motion, "" if np.isnan(error.of_motion) else f"{error.of_motion:.3g}", share


def validation_card(result: Validation) -> str:
    """What a notebook shows: the errors of every sensor with its distance over time, and the warnings."""
    rows = [
        (run.name, each.sensor, *error_words(each, run.static), _curve(each.distance))
        for run in result.recordings
        for each in run.sensors
    ]
    table = plain_table(("recording", "sensor", *HEADINGS, "distance, up to the worst"), rows, drawn=True)
    return card(repr(result).splitlines()[0], "", sentences([result.sentence, *result.warnings]), table)


def _curve(distance: Floats) -> str:
    """The distance over time, from nothing to its largest."""
    there = np.flatnonzero(np.isfinite(distance))
    if len(there) < 2:
        return ""
    at = np.linspace(there[0], there[-1], min(len(there), WIDE))
    return curve_svg(np.interp(at, there, distance[there]) / (float(distance[there].max()) or 1.0))


def _warnings(result: Validation) -> str:
    if not result.warnings:
        return ""
    listed = "".join(f"<li>{html_text(each)}.</li>" for each in result.warnings)
    kind = "bad" if result.stopped else "partly"
    return f"<div class='box {kind}'><strong>Warnings</strong><ul>{listed}</ul></div>"


def _errors(result: Validation) -> str:
    rows = []
    for run in result.recordings:
        mark = " <span class='strong bad'>(stopped early)</span>" if run.stopped else ""
        name = html_text(run.name) + mark
        rows += [(name, html_text(each.sensor), *error_words(each, run.static)) for each in run.sensors]
    for total in result.totals.values():
        words = error_words(total, result[total.worst_recording].static)
        rows.append((f"<span class='strong'>all {html_text(total.kind)}</span>", "", *words))
    note = (
        "<p class='small soft'>Distances are over the axes that were measured; of orientations they are angles. The "
        "motion's standard deviation is the rms distance of what was measured from its mean: what it would be to "
        "predict that nothing moves.</p>"
    )
    return "<h2>Errors</h2>" + html_table(("recording", "sensor", *HEADINGS), rows, first_number=2) + note


def _recording(run: PredictedRecording, number: int) -> str:
    stopped = f"<p class='bad'>Stopped early: {html_text(run.stopped)}.</p>" if run.stopped else ""
    drawn = inline_svg(prediction_figure(run), f"run{number}")
    return f"<h2>{html_text(run.name)}</h2>{stopped}<figure class='wide'>{drawn}</figure>"


def _method(result: Validation) -> str:
    rig = result.arm.rig
    sensors = "in the world frame, without delay"
    if rig is not None:
        turn, origin = (", ".join(f"{each:.4g}" for each in values) for values in (rig.turn, rig.origin))
        sensors = f"late by {1e3 * rig.delay:.4g} ms, in a frame turned by ({turn}) rad with its origin at ({origin}) m"
    words = f"Every recording was simulated with the arm as it is, and no number of it was fitted. {_read_off(result)}"
    known = "Whether the arm was fitted to these very recordings before is not known here: its description may say"
    both = f"{words}The sensors were taken to be {sensors}. {known}"
    return f"<h2>How it was done</h2><p class='small'>{html_text(both)}.</p>"


def _read_off(result: Validation) -> str:
    """What of a recording is used to predict it, beside what drove the arm."""
    rig = result.arm.rig
    measured = {"resting": "rests where its first samples show it", "moving": "moves as its first samples show"}
    found = []
    if rig is not None and rig.start in measured:
        found.append(f"at the beginning the arm {measured[rig.start]} (unless another start was asked for)")
    if rig is not None and rig.gauge_zero == "lowest":
        found.append("the zeros of the gauges are where their lowest readings are")
    return (
        f"Two things are read off each recording: {found[0]}, and {found[1]}. "
        if len(found) == 2
        else (f"Read off each recording: {found[0]}. " if found else "")
    )
