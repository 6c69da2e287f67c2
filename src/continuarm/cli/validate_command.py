"""The command `continuarm validate`: recordings predicted by an arm as it is, and how far off that is."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from continuarm.cli.options import STOPPED_EARLY, ArmArgument
from continuarm.cli.output import claim, new_table, one_line, progress_bar, show, show_json, warn
from continuarm.common.files import cause, output_path, replaced
from continuarm.common.text import printable, shown

if TYPE_CHECKING:
    from rich.table import Table

    from continuarm.arms.arm import Arm
    from continuarm.identification.recording import Recording
    from continuarm.identification.validation import Validation

__all__ = ["validate"]

SUFFIXES = (".csv", ".txt", ".csv.gz", ".nc")
"""Of the files in a folder that are taken for recordings."""
TABLES = {"tips": ("tip", "mm"), "orientations": ("orientation", "deg"), "lengths": ("muscle", "mm")}
"""Of a kind of sensor: the heading of its names, and the unit of its numbers."""


def validate(
    arm: ArmArgument,
    recordings: Annotated[
        list[str],
        typer.Argument(metavar="DATA...", help="Recordings: .csv, .csv.gz, or motions: .nc; or folders."),
    ],
    payload: Annotated[
        float | None,
        typer.Option(metavar="KG", help="What the tip carries instead, kg, where the arm's payload is; 0: nothing."),
    ] = None,
    start: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="How recordings begin: equilibrium, hanging, unbent, resting or moving; else as the rig says.",
        ),
    ] = "",
    json_file: Annotated[
        str, typer.Option("--json", metavar="FILE", help="Write all numbers: .json; - prints them instead of tables.")
    ] = "",
    html: Annotated[str, typer.Option("--html", metavar="FILE", help="Write a page with figures: .html.")] = "",
) -> None:
    """Predict recordings with an arm as it is, and tell how far off that is.

    Nothing is fitted. The rig of the arm says in which frame sensors look and how late they are. Distances are rms and
    worst; the motion's standard deviation (sd) is what rms would be for whoever predicts that nothing moves. Exit
    codes: 0 all simulated to the end; 1 one stopped early, and is judged by what was reached; 2 bad input,
    such as recordings in which nothing was measured.
    """
    from continuarm.arms.arm_file import load_arm
    from continuarm.identification.html_report import check_report_path
    from continuarm.identification.validation import validate as judge

    described = loaded_with(load_arm(arm), payload)
    place = None if json_file in ("", "-") else claim(output_path(json_file, (".json",)))
    if html:
        claim(check_report_path(html))
    runs = read_all(recordings, described, start)
    with progress_bar(f"predicting with {one_line(described.name)}") as progress:
        found = judge(described, runs, progress=progress)
    if not any(total.samples for total in found.totals.values()):
        names = ", ".join(one_line(run.name) for run in found.recordings)
        raise ValueError(f"nothing can be compared: no sensor of {names} has a sample; must have one at least")
    written = [path for path in (json_file if place else "", html) if path]
    if place:
        with replaced(place) as beside:
            beside.write_text(json.dumps(found.summary(), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    if html:
        found.report(html)
    if json_file == "-":
        show_json(found.summary() | {"written": written})
    else:
        show(*validation_tables(found))
        print("".join(f"\nwritten to {printable(path)}" for path in written))
        print(printable(found.sentence))
    for sentence in found.warnings:
        warn(sentence)
    if found.stopped:
        raise typer.Exit(STOPPED_EARLY)


def loaded_with(arm: Arm, mass: float | None) -> Arm:
    """The arm with another mass at its tip, where its payload is; 0 kg: without any."""
    from continuarm.arms.arm import Payload

    if mass is None:
        return arm
    if mass == 0:
        return arm.replace(payload=None)
    try:
        return arm.replace(payload=Payload(mass=mass, offset=arm.carried_mass[1]))
    except ValueError as error:
        raise ValueError(f"--payload: {error}") from None


def read_all(paths: list[str], arm: Arm, start: str) -> list[Recording]:
    """Recordings from files and folders; those of the same name get that of their folder before it."""
    from continuarm.identification.recording_file import read_recording

    options: dict[str, Any] = {"start": start or None}
    places = [each for path in paths for each in files_of(path)]
    runs = [read_recording(place, arm, **options) for place in places]
    names = Counter(run.name for run in runs)
    return [
        run if names[run.name] == 1 else replace(run, name=shown(place))
        for run, place in zip(runs, places, strict=True)
    ]


def files_of(path: str) -> list[str]:
    """A file as it is, whatever it is; of a folder the recordings in it, by name."""
    if not path or not Path(path).is_dir():
        return [path]
    try:
        inside = sorted(Path(path).iterdir())
    except OSError as error:
        raise ValueError(f"{shown(path)}: cannot be read: {cause(error)}") from None
    found = [str(each) for each in inside if each.name.lower().endswith(SUFFIXES) and each.name[0] != "."]
    if not found:
        raise ValueError(f"{shown(path)}: the folder must have recordings in it, {', '.join(SUFFIXES)}")
    return found


def validation_tables(found: Validation) -> list[Table]:
    """One table for each kind of sensor that there is."""
    from continuarm.identification.measurement_units import for_people

    tables = []
    for kind, (heading, unit) in TABLES.items():
        if kind not in found.totals:
            continue
        scale = for_people(found.totals[kind].unit)[1]
        table = new_table("recording", heading, f"rms {unit}", f"worst {unit}", "at", f"motion's sd {unit}", "compared")
        for run in found.recordings:
            for each in run.sensors:
                if each.kind != kind:
                    continue
                rms, worst, motion = (f"{scale * value:.3g}" for value in (each.rms, each.worst, each.motion))
                at = f"row {each.worst_time:.0f}" if run.static else f"{each.worst_time:.2f} s"
                share = f"{100 * each.share:.3g} %" if each.samples else "no samples"
                numbers = (rms, worst, at, motion) if each.compared else ("-", "-", "-", "-")
                table.add_row(one_line(run.name), each.sensor.removeprefix(f"{heading} "), *numbers, share)
        tables.append(table)
    return tables
