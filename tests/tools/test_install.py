"""The locks hold what pyproject.toml asks for, for every Python, and name no index."""

import re
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from install import LOCKS, ROOT, requirements


def locked(part):
    """The pinned versions of a lock by name; a package may have several, for different Pythons."""
    text = (ROOT / "locks" / f"{part}.txt").read_text(encoding="utf-8")
    for pin in re.findall(r"^[\w.-]+==[^\\\n]*", text, re.MULTILINE):
        requirement = Requirement(pin)
        yield canonicalize_name(requirement.name), next(iter(requirement.specifier)).version


@pytest.mark.parametrize("part", LOCKS)
def test_every_requirement_is_met_by_its_lock(part):
    versions = list(locked(part))
    for requirement in map(Requirement, requirements(part)):
        pins = [version for name, version in versions if name == canonicalize_name(requirement.name)]
        assert pins, f"{requirement.name} is missing from locks/{part}.txt: make lock"
        assert all(requirement.specifier.contains(version) for version in pins), f"{requirement}: make lock"


def test_what_runs_is_what_is_tested():
    assert set(locked("run")) <= set(locked("dev"))


@pytest.mark.parametrize("part", LOCKS)
def test_a_lock_has_hashes_and_no_address(part):
    text = Path(ROOT / "locks" / f"{part}.txt").read_text(encoding="utf-8")
    assert text.count("==") <= text.count("--hash=sha256:")
    assert "://" not in text
    assert "torch" not in text
