"""The command `continuarm identify`: recordings in, the arm file back, with errors."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from math import inf, isfinite
from typing import TYPE_CHECKING, Annotated, Any

import typer

from continuarm.cli.options import AsJson
from continuarm.cli.output import claim, new_table, one_line, progress_bar, show, show_json
from continuarm.common.command_start import INTERRUPTED
from continuarm.common.files import output_path
from continuarm.common.interruption import deferred_interruption
from continuarm.common.text import printable

if TYPE_CHECKING:
    from rich.table import Table

    from continuarm.identification.result import Identification

__all__ = ["identify"]

SERIOUS = 1


def identify(
    arm: Annotated[str, typer.Argument(metavar="ARM", help="The arm to begin with: a file (.toml), or a name.")],
    recordings: Annotated[
        list[str], typer.Argument(metavar="DATA...", help="Recordings: .csv, .csv.gz, or motions: .nc.")
    ],
    free: Annotated[str, typer.Option(help="What to fit: 'stiffness, damping per section, muscle_area, dead_zone'.")],
    hold_out: Annotated[
        list[str] | None, typer.Option("--hold-out", metavar="DATA", help="A recording to judge by, not to fit to.")
    ] = None,
    sigma: Annotated[
        list[str] | None,
        typer.Option("--sigma", help="Noise: 1mm of positions and lengths, 0.5deg, 'tip 3=2mm'; may be repeated."),
    ] = None,
    start: Annotated[
        str,
        typer.Option(
            help="How recordings begin: equilibrium, hanging, unbent, resting or moving; else as the rig says."
        ),
    ] = "",
    no_delay: Annotated[bool, typer.Option("--no-delay", help="Recordings are neither early nor late.")] = False,
    starts: Annotated[int | None, typer.Option(help="From how many places to search; if left out 1, or 5.")] = None,
    seed: Annotated[int, typer.Option(help="Of the places.")] = 0,
    output: Annotated[str, typer.Option("-o", "--output", metavar="FILE", help="Write the arm: .toml.")] = "",
    report: Annotated[str, typer.Option("--report", metavar="FILE", help="Write a page with figures: .html.")] = "",
    as_json: AsJson = False,
) -> None:
    """Fit parameters of an arm to recordings, with errors, and write its file.

    A recording is a table with units in its header: t [s], l33 [kPa], x3 [mm], y3 [mm], z3 [mm]. Without t each row is
    a resting shape. Exit codes: 0 fitted; 1 fitted, but a warning says that the arm should not be used as it is; 2 bad
    input; 130 interrupted, with the best so far written. A second Ctrl-C ends it at once.
    """
    from continuarm.arms.arm_file import load_arm
    from continuarm.identification.fit import identify as fit
    from continuarm.identification.html_report import check_report_path
    from continuarm.identification.recording_file import read_recording

    described = load_arm(arm)
    if output:
        _check_output(output)
    if report:
        claim(check_report_path(report))
    noise = sigmas(sigma or [])
    options: dict[str, Any] = {"sigma": noise or None, "start": start or None}
    runs, later = (
        [read_recording(path, described, **options) for path in paths] for paths in (recordings, hold_out or [])
    )
    known = {"tips", "orientations", "lengths"} | {each.name for run in (*runs, *later) for each in run.sensors}
    for name in noise:
        if name not in known:
            raise ValueError(f"sigma of {name!r}: there is no such sensor, only {', '.join(sorted(known))}")
    with deferred_interruption(_at_first_interrupt) as interruption:
        with progress_bar(f"identifying {one_line(described.name)}") as progress:
            found = fit(
                described, runs, free, held_out=later, delay=not no_delay, starts=starts, seed=seed, progress=progress
            )
        if output:
            found.save(output)
        if report:
            found.report(report)
        written = [path for path in (output, report) if path]
        if as_json:
            show_json(found.summary() | {"written": written})
        else:
            print(f"{printable(found.verdict)}\n")
            show(*identification_tables(found, written))
            for sentence in found.notes:
                print(f"note: {printable(sentence)}")
        for sentence in found.undetermined:
            print(f"serious: {printable(sentence)}", file=sys.stderr)
        for finding in found.findings:
            if finding.weight != "note":
                print(f"{finding.weight}: {printable(finding.sentence)}", file=sys.stderr)
    if found.interrupted or interruption.asked:
        raise typer.Exit(INTERRUPTED)
    if found.serious:
        raise typer.Exit(SERIOUS)


def _at_first_interrupt() -> None:
    sentence = b"interrupted: what is known until now is written; Ctrl-C again ends it at once\n"
    with contextlib.suppress(OSError):  # not by sys.stderr, which may be in the middle of another line
        os.write(2, sentence)


def sigmas(texts: list[str]) -> dict[str, float]:
    """Noise levels from texts such as 1mm, 0.5deg, tip 3=2mm: by sensor or kind of sensor, m and rad."""
    from continuarm.identification.measurement_units import SCALES

    kinds = {"length": ("tips", "lengths"), "angle": ("orientations",)}
    found: dict[str, float] = {}
    for text in texts:
        parts = re.fullmatch(r"(?:(.+)=)?\s*([-+.\deE]+?)\s*([^\d\s.]+)\s*", text)
        try:
            if not parts or SCALES.get(parts[3], ("", 0.0))[0] not in kinds:
                raise ValueError
            dimension, scale = SCALES[parts[3]]
            size = float(parts[2]) * scale
        except ValueError:
            raise ValueError(
                f"--sigma = {text!r}: must be a length or an angle, such as 1mm, 0.5deg or 'tip 3=2mm'"
            ) from None
        found |= dict.fromkeys([parts[1].strip()] if parts[1] else kinds[dimension], size)
    return found


def identification_tables(found: Identification, written: list[str]) -> list[Table]:
    """Parameters with their errors, the two parts of these, misfits, and what was written."""
    from continuarm.identification.fitted_parameters import two_digits, with_error
    from continuarm.identification.measurement_units import readable

    parameters = new_table("parameter", "value ± standard error", "unit", "95 % interval", "start")
    errors = new_table("parameter", "standard error", "of noise", "unmodelled", "unit")
    for each in found.parameters:
        interval = f"{each.low:.5g} to {each.high:.5g}"
        value = with_error(each.value, each.standard_error)
        parameters.add_row(one_line(each.name), value, each.unit, interval, f"{each.start:.4g}")
        parts = (each.noise, each.unmodelled if isfinite(each.standard_error) else inf)
        errors.add_row(one_line(each.name), *map(two_digits, (each.standard_error, *parts)), each.unit)
    misfits = new_table("recording", "sensor", "rms distance", "times noise", "numbers", "outliers", "left out")
    for judged, rows in ((False, found.misfit), (True, found.held_out)):
        for row in rows:
            name = f"{one_line(row.recording)}{' (held out)' if judged else ''}"
            counts = map(str, (row.samples, row.outliers, row.left_out))
            misfits.add_row(name, row.sensor, readable(row.distance, row.unit), f"{row.multiple:.2f}", *counts)
    facts = new_table("", "", headings=False)
    record = found.record
    facts.add_row("work", f"{record['evaluations']} simulations in {record['wall_time']:.1f} s")
    for path in written:
        facts.add_row("written to", printable(path))
    return [parameters, errors, misfits, facts]


def _check_output(path: str) -> None:
    """Before a long fit: where the arm is to go."""
    claim(output_path(path, (".toml",)))
