"""What `continuarm simulate` and `continuarm experiment` understand and show."""

from __future__ import annotations

import dataclasses
import os
from typing import TYPE_CHECKING, Any

from continuarm.arms.arm import Arm
from continuarm.cli.output import new_table, one_line, some_of
from continuarm.common.files import output_folder
from continuarm.common.text import shown
from continuarm.paper.experiments import LABEL, Comparison
from continuarm.simulation.inputs import PressureSignal, PressureSteps
from continuarm.simulation.motion import Motion
from continuarm.simulation.solvers import CVODE, Adaptive, FixedStep, default_solver

if TYPE_CHECKING:
    from rich.table import Table

SOLVERS: dict[str, Any] = {"adaptive": Adaptive, "cvode": CVODE, "fixed": FixedStep}
OPTIONS = {"rtol": "--rtol", "rate": "--step-rate"}
"""Fields of solvers, and what they are called on the command line."""

UNSEEN = 0.05
"""mm beyond the range of a muscle that are not worth a word: they would be shown as 0.0 mm."""


def chosen_solver(name: str, **options: float | None) -> Any:
    """The solver of a name, with those of its options that were given; the default one for no name and no options."""
    if not name:
        name = "adaptive" if isinstance(default_solver(), Adaptive) else "cvode"
    if name not in SOLVERS:
        raise ValueError(f"--solver = {name!r}: must be one of {', '.join(SOLVERS)}")
    given = {field: value for field, value in options.items() if value is not None}
    known = [field.name for field in dataclasses.fields(SOLVERS[name]) if field.name in OPTIONS]
    for field in given:
        if field not in known:
            allowed = " and ".join(OPTIONS[each] for each in known)
            raise ValueError(f"{OPTIONS[field]} does not fit the solver {name}, which takes {allowed}")
    return SOLVERS[name](**given)


def pressures_of(text: str, arm: Arm) -> PressureSignal | PressureSteps | None:
    """Pressures from a CSV file, or from text such as l33=600@0; none for no text."""
    if not text.strip():
        return None
    is_file = text.lower().endswith(".csv") or text.startswith("/dev/")  # as the shell makes of <(command)
    return PressureSignal.read(text, arm) if is_file else PressureSteps.parse(text)


def wrench_of(text: str) -> list[float] | None:
    """Moment, none, and force on the tip from text such as 0,0,2; none for no text."""
    if not text.strip():
        return None
    try:
        force = [float(part) for part in text.split(",")]
    except ValueError:
        force = []
    if len(force) != 3:
        raise ValueError(f"--force = {text!r}: must be three numbers in N, x,y,z, such as 0,0,2")
    return [0.0, 0.0, 0.0, *force]


def experiment_files(folder: str, number: int) -> dict[str, str]:
    """Where the motions of an experiment are written, by inertia model; the folder is made where it is missing."""
    place = output_folder(folder)
    return {model: os.path.join(place, f"experiment{number}-{model}.nc") for model in ("integral", "centre-of-gravity")}


def beyond_range(motion: Motion) -> list[dict[str, Any]]:
    """Muscles that left their length range, how far they went and what was allowed, mm; the worst first."""
    if not len(motion.t):
        return []
    lengths = 1e3 * motion.arm.muscle_lengths(motion.q)
    ranges = [section.length_range for section in motion.arm.sections for _ in section.muscle_map]
    left = []
    for k, (allowed, shortest, longest) in enumerate(
        zip(ranges, lengths.min(axis=0), lengths.max(axis=0), strict=True)
    ):
        if allowed is None:
            continue
        least, greatest = (1e3 * limit for limit in allowed)
        ends = ((longest, greatest, longest - greatest), (shortest, least, least - shortest))
        left += [
            {"muscle": motion.arm.muscle_names[k], "to_mm": float(end), "allowed_mm": limit}
            for end, limit, beyond in ends
            if beyond > UNSEEN
        ]
    return sorted(left, key=lambda each: -abs(each["to_mm"] - each["allowed_mm"]))


def _end(motion: Motion) -> float:
    """When the motion ends, s; one that stopped at once has no states."""
    return float(motion.t[-1]) if len(motion.t) else 0.0


def motion_numbers(motion: Motion) -> dict[str, Any]:
    """A motion for --json: where it ends, what the solver did."""
    return {
        "arm": motion.arm.name,
        "t": _end(motion),
        "states": len(motion.t),
        "tips": motion.tips[-1:].reshape(-1, 3).tolist(),
        "stopped": motion.stopped,
        "beyond_range": beyond_range(motion),
        **motion.record,
    }


def motion_tables(motion: Motion, written: list[str]) -> list[Table]:
    """What was simulated and how fast, and where the tips are at the end."""
    record = motion.record
    facts = new_table("", "", headings=False)
    early = ", stopped early" if motion.stopped else ""
    facts.add_row("motion", f"{_end(motion):g} s of {one_line(motion.arm.name)}, {len(motion.t)} states{early}")
    facts.add_row("speed", f"{_factor(record['real_time_factor'])} times real time")
    facts.add_row("work", _work(record))
    left = beyond_range(motion)
    if left:
        facts.add_row("beyond range", _left(left))
    for path in written:
        facts.add_row("written to", shown(path))
    tips = new_table("tip at the end", "x, mm", "y, mm", "z, mm")
    for i, tip in enumerate(1e3 * motion.tips[-1:].reshape(-1, 3)):
        tips.add_row(str(i + 1), *(f"{value + 0.0:.3f}" for value in tip.round(3)))
    return [facts, tips]


def _factor(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _work(record: dict[str, Any]) -> str:
    counts = ("evaluations", "steps", "rejected")
    return ", ".join(f"{record[name]} {name}" for name in counts if name in record)


def _left(muscles: list[dict[str, Any]]) -> str:
    """l33 up to 81.2 mm of 70, l11 down to -3.1 mm of 0."""
    words = []
    for each in muscles:
        way = "up" if each["to_mm"] > each["allowed_mm"] else "down"
        words.append(f"{each['muscle']} {way} to {each['to_mm']:.1f} mm of {each['allowed_mm']:g}")
    return some_of(words)


def comparison_tables(comparison: Comparison, written: list[str]) -> list[Table]:
    """Which experiment it is, how fast the models are, and how far apart."""
    experiment, table = comparison.experiment, comparison.table()
    facts = new_table("", "", headings=False)
    facts.add_row("experiment", f"{experiment.number}: {experiment.title}")
    facts.add_row("", experiment.description)
    facts.add_row("", LABEL)
    facts.add_row("motion", f"{experiment.duration:g} s of {one_line(comparison.integral.arm.name)}")
    for path in written:
        facts.add_row("written to", shown(path))
    models = new_table("model", "times real time", "evaluations", "steps", "rejected")
    for name, record in table["models"].items():
        counts = ("evaluations", "steps", "rejected")
        models.add_row(name, _factor(record["real_time_factor"]), *(_count(record[count]) for count in counts))
    models.add_row("the paper, as printed", _factor(experiment.paper_factor))
    apart = new_table("tip", "largest difference, mm", "at the end, mm")
    for i, (largest, final) in enumerate(
        zip(table["largest_distance_mm"], table["final_distance_mm"], strict=True), start=1
    ):
        apart.add_row(str(i), f"{largest:.3f}", f"{final:.3f}")
    return [facts, models, apart]


def _count(value: int | None) -> str:
    return "" if value is None else str(value)
