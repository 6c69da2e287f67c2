"""What a kept result depends on: every file of the package but those that only show results."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import continuarm
from continuarm.reproduction.stored_results import source_hash

pytestmark = pytest.mark.exhaustive

PACKAGE = Path(continuarm.__file__).parent
SHOWN_BY = {
    "common/html_page.py",
    "reproduction/claims.py",
    "reproduction/claims_energy.py",
    "reproduction/claims_motion.py",
    "reproduction/claims_speed.py",
    "reproduction/figures.py",
    "reproduction/html_report.py",
    "reproduction/misprints.py",
    "reproduction/report_folder.py",
    "reproduction/summary.py",
    "reproduction/verdicts.py",
}
"""Beside the rooms cli and viewer."""
FILES = sorted(
    path.relative_to(PACKAGE).as_posix()
    for pattern in ("*.py", "*.toml", "_native*")
    for path in PACKAGE.rglob(pattern)
    if path.is_file()
)


def only_shows(name: str) -> bool:
    return name in SHOWN_BY or name.startswith(("cli/", "viewer/"))


def hash_of(package: Path) -> str:
    return source_hash.__wrapped__(package)  # not the one remembered of this folder


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package with a few bytes for each of its files."""
    package = tmp_path_factory.mktemp("copy") / "continuarm"
    for name in FILES:
        place = package / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(name)
    return package


def test_the_lists_name_files_that_are_there() -> None:
    assert set(FILES) >= SHOWN_BY
    rooms = {name.partition("/")[0] for name in FILES if "/" in name}
    assert {"common", "arms", "sections", "dynamics", "engine", "simulation", "paper", "reproduction"} <= rooms


@pytest.mark.parametrize("name", FILES)
def test_a_changed_file_changes_the_hash_unless_it_only_shows(copy: Path, name: str) -> None:
    before = hash_of(copy)
    (copy / name).write_text("changed")
    try:
        assert (hash_of(copy) == before) == only_shows(name)
    finally:
        (copy / name).write_text(name)
    assert hash_of(copy) == before


def test_new_renamed_and_removed_files_change_it(copy: Path, tmp_path: Path) -> None:
    package = tmp_path / "continuarm"
    shutil.copytree(copy, package)
    seen = [hash_of(package)]
    (package / "sections" / "new.py").write_text("")
    seen.append(hash_of(package))
    (package / "sections" / "new.py").rename(package / "dynamics" / "new.py")
    seen.append(hash_of(package))
    (package / "arms" / "named" / "prototype.toml").unlink()
    seen.append(hash_of(package))
    assert len(set(seen)) == len(seen)
