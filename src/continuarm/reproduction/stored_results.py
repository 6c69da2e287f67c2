"""Results of studies kept in files: one is used again if it is of the same study, parameters, version and source."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import continuarm
from continuarm.benchmarks.run import machine
from continuarm.common.files import content
from continuarm.reproduction.study import Extent, Findings, Study, Tell

ONLY_SHOW = (
    "cli/",
    "common/html_page.",
    "viewer/",
    *(
        f"reproduction/{name}"
        for name in ("claims", "figures.", "html_report.", "misprints.", "report_folder.", "summary.", "verdicts.")
    ),
)
"""Beginnings of the paths of files that no result depends on."""

MOST_BYTES = 100_000_000
"""Of a result; they take some hundred kilobytes."""


def result_path(folder: Path, study: Study, extent: Extent) -> Path:
    """A quick result stands beside a full one."""
    return folder / (f"{study.name}.json" if extent.name == "full" else f"{study.name}-{extent.name}.json")


def result_key(study: Study, given: Mapping[str, Any]) -> str:
    """What a result must have been computed from to be used again."""
    text = json.dumps([study.name, given, continuarm.__version__, source_hash()], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


@cache
def source_hash(package: Path = Path(continuarm.__file__).parent) -> str:
    """Hash of the package's source, its arms and its compiled module, without what only shows results."""
    files = [path for pattern in ("*.py", "*.toml", "_native*") for path in package.rglob(pattern)]
    hashed = hashlib.sha256()
    for name, path in sorted((path.relative_to(package).as_posix(), path) for path in files):
        if not name.startswith(ONLY_SHOW):
            hashed.update(name.encode() + b"\0" + path.read_bytes())
    return hashed.hexdigest()[:16]


def kept_result(path: Path, key: str) -> dict[str, Any] | None:
    """The result in a file, if it is there, whole and of this key."""
    try:
        kept = json.loads(content(path, MOST_BYTES))
        whole = Findings.read(kept["findings"]) and {"wall_time", "load"} <= set(kept)
        return kept if kept["key"] == key and whole else None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def computed_result(study: Study, given: dict[str, Any], key: str, tell: Tell | None) -> dict[str, Any]:
    """The result of a study, computed now."""
    start = time.perf_counter()
    findings = study.find(given, tell or (lambda share: None))
    wall = time.perf_counter() - start
    load = machine()["load_average"]  # what else the machine did: times depend on it
    facts = {"study": study.name, "key": key, "parameters": given, "wall_time": wall, "load": load and load[0]}
    return as_read_back(facts | {"findings": findings.plain})


def as_read_back(value: dict[str, Any]) -> dict[str, Any]:
    """As it comes back from a file: lists for tuples, text for the keys of dictionaries."""
    plain: dict[str, Any] = json.loads(json.dumps(value, allow_nan=False))
    return plain
