"""The paper reproduced in one command: studies with results of their own, figures with their data, one report.

A folder then holds

    report.html      everything, to be read
    report.json      everything, in numbers
    figures/         each figure as .svg, .png and .pdf, its data as .csv
    studies/         the result of each study: what is there already is not computed again (`stored_results`)
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import json
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from continuarm.benchmarks.run import machine, versions
from continuarm.common.file_locks import claimed
from continuarm.common.files import output_folder, replaced
from continuarm.common.number_checks import whole_number
from continuarm.common.text import printable
from continuarm.reproduction.claims import claim_rows
from continuarm.reproduction.complexity_study import COMPLEXITY
from continuarm.reproduction.energy_shaping_study import SHAPING
from continuarm.reproduction.experiments_study import SIMULATIONS
from continuarm.reproduction.html_report import report_html
from continuarm.reproduction.modal_form_study import MODAL
from continuarm.reproduction.near_straight_study import STRAIGHT
from continuarm.reproduction.point_mass_study import POINT_MASS
from continuarm.reproduction.real_arms_study import REAL_ARMS, recordings_folder
from continuarm.reproduction.stored_results import (
    as_read_back,
    computed_result,
    kept_result,
    result_key,
    result_path,
    source_hash,
)
from continuarm.reproduction.study import FULL, QUICK, Extent, Findings
from continuarm.reproduction.validation_study import VALIDATION
from continuarm.simulation.plots import SUFFIXES, save_figure

if TYPE_CHECKING:
    from continuarm.reproduction.study import Tell

__all__ = ["FULL", "QUICK", "STUDIES", "Extent", "Reproduction", "reproduce"]

STUDIES = {
    study.name: study
    for study in (STRAIGHT, MODAL, POINT_MASS, SHAPING, VALIDATION, COMPLEXITY, SIMULATIONS, REAL_ARMS)
}
"""In the order in which they are shown, that of the paper; a study that needs another is run after it."""

Watch = Callable[[str], AbstractContextManager["Tell | None"]]
"""Is called with the name of what begins, and gives a function for the share done."""


@dataclass(frozen=True)
class Reproduction:
    """What `reproduce` found, and where it is."""

    folder: Path
    found: Mapping[str, Findings]
    claims: Sequence[Mapping[str, Any]]
    computed: tuple[str, ...]
    """Studies computed in this run; the others were there already."""

    @property
    def report(self) -> Path:
        """The file to read."""
        return self.folder / "report.html"


def reproduce(
    folder: str | os.PathLike[str],
    *,
    extent: Extent = FULL,
    only: Sequence[str] = (),
    fresh: bool = False,
    seed: int = 0,
    recordings: str | os.PathLike[str] | None = None,
    watch: Watch | None = None,
) -> Reproduction:
    """Runs all studies, or only some and what they need, and writes the report of everything that is then there.

    fresh: computes again what is there already. recordings: the folder of those of real arms; if left out, that of the
    source that runs, or examples/recordings in the current folder; without any the report says so. An interrupted run
    keeps its finished studies; a second one to the same folder is refused.
    """
    whole_number("seed", seed, least=0, most=2**63)
    wanted = _wanted(only)
    extent = replace(extent, recordings=recordings_folder(recordings))
    place = output_folder(folder)
    for each in ("figures", "studies"):
        output_folder(place / each)
    with claimed(place / "report.html"):
        return _reproduced(place, wanted, extent, fresh, seed, watch)


def _reproduced(
    place: Path, wanted: set[str], extent: Extent, fresh: bool, seed: int, watch: Watch | None
) -> Reproduction:
    begin = watch or (lambda what: contextlib.nullcontext())
    found: dict[str, Findings] = {}
    parameters: dict[str, dict[str, Any]] = {}
    walls: dict[str, float] = {}
    loads: dict[str, float | None] = {}
    computed = []
    for study in sorted(STUDIES.values(), key=lambda study: len(study.needs)):
        if not all(name in found for name in study.needs):
            continue
        given = parameters[study.name] = as_read_back(study.parameters(extent, seed, found))
        path, key = result_path(place / "studies", study, extent), result_key(study, given)
        kept = None if fresh and study.name in wanted else kept_result(path, key)
        if kept is None and study.name not in wanted:
            continue
        if kept is None:
            with begin(study.title) as tell:
                kept = computed_result(study, given, key, tell)
            _write(path, json.dumps(kept, allow_nan=False))
            computed.append(study.name)
        found[study.name] = Findings.read(kept["findings"])
        walls[study.name], loads[study.name] = kept["wall_time"], kept["load"]
    found = {name: found[name] for name in STUDIES if name in found}
    claims = claim_rows(found)
    about = _about(extent, seed, {name: parameters[name] for name in found})
    about |= {"wall_times": walls, "loads": loads}
    with begin("Figures and report") as tell:
        pictures = _drawn(place / "figures", found, tell)
        _write(place / "report.json", _report_json(about, claims, found))
        _write(place / "report.html", report_html(list(STUDIES.values()), found, claims, about, pictures))
    return Reproduction(place, found, claims, tuple(computed))


def _wanted(only: Sequence[str]) -> set[str]:
    """The studies that were asked for, and those that they need."""
    for name in only:
        if name not in STUDIES:
            raise ValueError(f"only = {printable(repr(name))}: must be one of {', '.join(STUDIES)}")
    chosen = set(only) or set(STUDIES)
    return chosen | {need for name in chosen for need in STUDIES[name].needs}


# ---- What is written ------------------------------------------------------------------------------------------------


def _about(extent: Extent, seed: int, parameters: Mapping[str, Any]) -> dict[str, Any]:
    packages = {name: importlib.metadata.version(name) for name in ("scipy", "matplotlib", "scikit-sundae")}
    return {
        "extent": as_read_back(asdict(extent)),
        "seed": seed,
        "studies": list(STUDIES),
        "parameters": dict(parameters),
        "machine": machine(),
        "versions": versions() | packages,
        "source": source_hash(),
        "written": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
    }


def _report_json(about: Mapping[str, Any], claims: Sequence[Mapping[str, Any]], found: Mapping[str, Findings]) -> str:
    studies = {name: each.plain for name, each in found.items()}
    return (
        json.dumps({"about": about, "claims": claims, "studies": studies}, ensure_ascii=False, allow_nan=False) + "\n"
    )


def _drawn(place: Path, found: Mapping[str, Findings], tell: Tell | None) -> dict[str, str]:
    """Writes every figure with its data, and returns the SVG text by name."""
    drawings = [(each, found[name]) for name in found for each in STUDIES[name].drawings]
    pictures = {}
    for k, (drawing, here) in enumerate(drawings):
        figure = drawing.draw(here)
        figure.draw_without_rendering()  # the layout is found once, not for every kind of file
        figure.set_layout_engine("none")
        for suffix in SUFFIXES:
            save_figure(figure, place / f"{drawing.name}{suffix}")
        pictures[drawing.name] = (place / f"{drawing.name}.svg").read_text(encoding="utf-8")
        if tell:
            tell((k + 1) / len(drawings))
    for findings in found.values():
        for name, table in findings.all_tables.items():
            _write(place / f"{name}.csv", table.csv)
    return pictures


def _write(path: Path, text: str) -> None:
    """All of it or nothing."""
    with replaced(path) as beside:
        beside.write_text(text, encoding="utf-8", newline="\n")
