"""The paper reproduced in one command: parts with results of their own, figures with their data, one report.

A folder then holds

    report.html      everything, to be read
    report.json      everything, in numbers
    figures/         each figure as .svg, .png and .pdf, its data as .csv
    parts/           the result of each part: what is there already is not computed again

A result is used again if it is of the same part, with the same parameters, version and source.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import continuarm
from continuarm.benchmarks.run import machine, versions
from continuarm.common.files import replaced
from continuarm.common.number_checks import whole_number
from continuarm.common.text import printable
from continuarm.reproduction.claims import claim_rows
from continuarm.reproduction.complexity import COMPLEXITY
from continuarm.reproduction.experiments import SIMULATIONS
from continuarm.reproduction.findings import FULL, QUICK, Effort, Findings, Part
from continuarm.reproduction.point_mass import POINT_MASS
from continuarm.reproduction.report import report_html
from continuarm.reproduction.shapes import MODAL, STRAIGHT
from continuarm.reproduction.shaping import SHAPING, VALIDATION
from continuarm.simulation.plots import SUFFIXES, save_figure

if TYPE_CHECKING:
    from continuarm.reproduction.findings import Tell

__all__ = ["FULL", "PARTS", "QUICK", "Effort", "Reproduction", "reproduce"]

PARTS = {part.name: part for part in (SHAPING, VALIDATION, COMPLEXITY, SIMULATIONS, POINT_MASS, MODAL, STRAIGHT)}
"""In the order in which they are run and shown."""

ONLY_SHOW = (
    "cli/",
    "viewer/",
    *(f"reproduction/{name}" for name in ("run.", "claims", "figures.", "report.", "summary.")),
)
"""Beginnings of the paths of files that no result depends on."""

Watch = Callable[[str], AbstractContextManager["Tell | None"]]
"""Is told what begins, and gives what is told the share done."""


@dataclass(frozen=True)
class Reproduction:
    """What `reproduce` found, and where it is."""

    folder: Path
    found: Mapping[str, Findings]
    claims: Sequence[Mapping[str, Any]]
    computed: tuple[str, ...]
    """Parts computed in this run; the others were there already."""

    @property
    def report(self) -> Path:
        """The file to read."""
        return self.folder / "report.html"


def reproduce(
    folder: str | os.PathLike[str],
    *,
    effort: Effort = FULL,
    only: Sequence[str] = (),
    fresh: bool = False,
    seed: int = 0,
    watch: Watch | None = None,
) -> Reproduction:
    """Runs all parts, or only some and what they need, and writes the report of everything that is then there.

    fresh: computes again what is there already. An interrupted run keeps its finished parts.
    """
    whole_number("seed", seed, least=0, most=2**63)
    wanted = _wanted(only)
    place = _prepared(folder)
    begin = watch or (lambda what: contextlib.nullcontext())
    found: dict[str, Findings] = {}
    parameters: dict[str, dict[str, Any]] = {}
    walls: dict[str, float] = {}
    loads: dict[str, float | None] = {}
    computed = []
    for part in PARTS.values():
        if not all(name in found for name in part.needs):
            continue
        given = parameters[part.name] = _plain(part.parameters(effort, seed, found))
        path, key = _result_path(place, part, effort), _key(part.name, given)
        kept = None if fresh and part.name in wanted else _kept(path, key)
        if kept is None and part.name not in wanted:
            continue
        if kept is None:
            with begin(part.title) as tell:
                kept = _computed(part, given, key, tell)
            _write(path, json.dumps(kept, allow_nan=False))
            computed.append(part.name)
        found[part.name] = Findings.read(kept["findings"])
        walls[part.name], loads[part.name] = kept["wall_time"], kept["load"]
    claims = claim_rows(found)
    about = _about(effort, seed, {name: parameters[name] for name in found})
    about |= {"wall_times": walls, "loads": loads}
    with begin("Figures and report") as tell:
        pictures = _drawn(place / "figures", found, tell)
        _write(place / "report.json", _report_json(about, claims, found))
        _write(place / "report.html", report_html(list(PARTS.values()), found, claims, about, pictures))
    return Reproduction(place, found, claims, tuple(computed))


def _wanted(only: Sequence[str]) -> set[str]:
    """The parts that were asked for, and those that they need."""
    for name in only:
        if name not in PARTS:
            raise ValueError(f"only = {printable(repr(name))}: must be one of {', '.join(PARTS)}")
    chosen = set(only) or set(PARTS)
    return chosen | {need for name in chosen for need in PARTS[name].needs}


def _prepared(folder: str | os.PathLike[str]) -> Path:
    place = Path(folder)
    try:
        for each in (place / "figures", place / "parts"):
            each.mkdir(parents=True, exist_ok=True)
        if not os.access(place, os.W_OK | os.X_OK):
            raise PermissionError(13, "Permission denied")
    except (OSError, ValueError) as error:  # ValueError: no system has such a path
        reason = getattr(error, "strerror", None) or error
        raise ValueError(printable(f"{folder}: cannot hold the report: {reason}")) from None
    return place


# ---- Results of parts -----------------------------------------------------------------------------------------------


def _result_path(place: Path, part: Part, effort: Effort) -> Path:
    """A quick result stands beside a full one."""
    return place / "parts" / (f"{part.name}.json" if effort.name == "full" else f"{part.name}-{effort.name}.json")


def _key(name: str, given: Mapping[str, Any]) -> str:
    """What a result must have been computed from to be used again."""
    text = json.dumps([name, given, continuarm.__version__, source_hash()], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


@cache
def source_hash() -> str:
    """Hash of the package's source, its arms and its compiled module, without what only shows results."""
    package = Path(continuarm.__file__).parent
    files = [path for pattern in ("*.py", "*.toml", "_native*") for path in package.rglob(pattern)]
    hashed = hashlib.sha256()
    for name, path in sorted((path.relative_to(package).as_posix(), path) for path in files):
        if not name.startswith(ONLY_SHOW):
            hashed.update(name.encode() + b"\0" + path.read_bytes())
    return hashed.hexdigest()[:16]


def _kept(path: Path, key: str) -> dict[str, Any] | None:
    """The result in a file, if it is there, whole and of this key."""
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        whole = Findings.read(kept["findings"]) and {"wall_time", "load"} <= set(kept)
        return kept if kept["key"] == key and whole else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _computed(part: Part, given: dict[str, Any], key: str, tell: Tell | None) -> dict[str, Any]:
    start = time.perf_counter()
    findings = part.find(given, tell or (lambda share: None))
    wall = time.perf_counter() - start
    load = machine()["load_average"]  # what else the machine did: times depend on it
    facts = {"part": part.name, "key": key, "parameters": given, "wall_time": wall, "load": load and load[0]}
    return _plain(facts | {"findings": findings.plain})


def _plain(value: dict[str, Any]) -> dict[str, Any]:
    """As it comes back from a file: lists for tuples, text for the keys of dictionaries."""
    plain: dict[str, Any] = json.loads(json.dumps(value, allow_nan=False))
    return plain


# ---- What is written ------------------------------------------------------------------------------------------------


def _about(effort: Effort, seed: int, parameters: Mapping[str, Any]) -> dict[str, Any]:
    packages = {name: importlib.metadata.version(name) for name in ("scipy", "matplotlib", "scikit-sundae")}
    return {
        "effort": _plain(asdict(effort)),
        "seed": seed,
        "parts": list(PARTS),
        "parameters": dict(parameters),
        "machine": machine(),
        "versions": versions() | packages,
        "source": source_hash(),
        "written": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
    }


def _report_json(about: Mapping[str, Any], claims: Sequence[Mapping[str, Any]], found: Mapping[str, Findings]) -> str:
    parts = {name: each.plain for name, each in found.items()}
    return json.dumps({"about": about, "claims": claims, "parts": parts}, ensure_ascii=False, allow_nan=False) + "\n"


def _drawn(place: Path, found: Mapping[str, Findings], tell: Tell | None) -> dict[str, str]:
    """Writes every figure with its data, and returns the SVG text by name."""
    drawings = [(each, found[name]) for name in found for each in PARTS[name].drawings]
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
