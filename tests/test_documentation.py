"""Names in the documentation, in the source and in the contract of its rooms agree."""

import importlib
import inspect
import math
import pkgutil
import re
import tomllib
from pathlib import Path

import pytest

import continuarm as ca

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "continuarm"
PAGES = {page.name: page.read_text(encoding="utf-8") for page in [ROOT / "README.md", *sorted(ROOT.glob("docs/*.md"))]}
ROOMS = [path.name for path in SOURCE.iterdir() if path.is_dir() and path.name != "__pycache__"]
MODULES = [name for _, name, _ in pkgutil.walk_packages([str(SOURCE)], "continuarm.") if not name.endswith("._native")]
FUNCTIONS = [name for name in ca.__all__ if not isinstance(getattr(ca, name), type)]


def test_no_module_has_the_name_of_a_public_function():
    names = {path.stem for path in SOURCE.rglob("*") if path.suffix == ".py" or path.is_dir()}
    assert names & set(FUNCTIONS) == set()


def test_every_file_is_in_a_room():
    files = {path.name for path in SOURCE.iterdir() if path.is_file()}
    assert files == {"__init__.py", "__main__.py", "py.typed"}
    assert all((SOURCE / room / "__init__.py").is_file() for room in ROOMS)


def test_the_contract_has_every_room_and_stays_short():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (layers,) = [each["layers"] for each in settings["tool"]["importlinter"]["contracts"] if each["type"] == "layers"]
    assert sorted(layers) == sorted(ROOMS)
    assert len(layers) <= 14


def test_tests_mirror_the_rooms():
    folders = {path.name for path in (ROOT / "tests").iterdir() if list(path.glob("test_*.py"))}
    assert folders - {"attack", "typing", "tools"} <= set(ROOMS)


@pytest.mark.parametrize("name", ca.__all__)
def test_every_public_name_has_a_line_in_the_reference(name):
    rows = re.findall(rf"^\| `{name}(\(.*?\))?` \| \S.*\|$", PAGES["api.md"], flags=re.MULTILINE)
    assert len(rows) == 1
    if name in FUNCTIONS:
        assert rows[0], f"{name} has no signature"
    if rows[0]:
        assert parameters(getattr(ca, name)) == parameters(documented(rows[0]))


def documented(written):
    """A function with a signature as the reference writes it."""
    full = re.sub(r"\.\.\.\)$", "*, engine=None, threads=None)", written)
    return eval(f"lambda {full[1:-1]}: None", {"inf": math.inf} | vars(ca))


def parameters(function):
    return [(each.name, each.kind, each.default) for each in inspect.signature(function).parameters.values()]


def test_the_reference_has_public_names_only():
    assert set(re.findall(r"^\| `(\w+)", PAGES["api.md"], flags=re.MULTILINE)) == set(ca.__all__)


@pytest.mark.parametrize("page", PAGES)
def test_names_after_ca_are_public(page):
    assert set(re.findall(r"\bca\.(\w+)", PAGES[page])) <= {*ca.__all__, "name"}


@pytest.mark.parametrize("page", PAGES)
def test_a_class_that_is_called_is_public(page):
    assert set(re.findall(r"`([A-Z]\w+)\(", PAGES[page])) <= set(ca.__all__)


@pytest.mark.parametrize("page", PAGES)
def test_files_that_are_named_exist(page):
    for name in re.findall(r"[\w./-]+\.(?:py|hpp|cpp|js)\b", PAGES[page]):
        assert (ROOT / name).is_file() or (SOURCE / name).is_file(), name
    folders = "|".join(["src", "tests", "docs", "examples", *ROOMS])
    for name in re.findall(rf"`((?:{folders})/[\w/.-]+)`", PAGES[page]):
        assert (ROOT / name).exists() or (SOURCE / name).exists(), name


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    folder = ROOT if page == "README.md" else ROOT / "docs"
    for target in re.findall(r"\]\(([^)#]+)", PAGES[page]):
        assert target.startswith("http") or (folder / target).exists(), target


VARIABLES = {"arm", "section", "motion", "shape", "rate", "tip", "found", "lax", "ca", "np"}
"""What pages call an arm, one of its sections, a fit, another library: none of these is a module here."""
SUFFIXES = {"csv", "html", "md", "nc", "png", "py", "toml", "typed"}


@pytest.mark.parametrize("page", PAGES)
def test_functions_of_modules_that_are_named_exist(page):
    for first, name in re.findall(r"[`(]([a-z_]\w*)\.([A-Za-z_]\w*)[`)(]", PAGES[page]):
        if first not in VARIABLES and name not in SUFFIXES:
            owners = [importlib.import_module(module) for module in MODULES if module.endswith(f".{first}")]
            assert any(hasattr(owner, name) for owner in owners), f"{first}.{name}"
