"""Names in the documentation, in the source and in the contract of its rooms agree."""

import ast
import dataclasses
import importlib
import inspect
import math
import pkgutil
import re
import runpy
import tomllib

import pytest
import typer.main
from command_reference import reference_text
from page_blocks import pictures

import continuarm as ca
from continuarm.cli.app import app
from continuarm.identification.goodness_of_fit import Misfit
from documentation_pages import PAGES, ROOT
from gate import TORCH, TORCH_TESTS

SOURCE = ROOT / "src" / "continuarm"
REFERENCE = PAGES["docs/api.md"]
ROOMS = [path.name for path in SOURCE.iterdir() if path.is_dir() and path.name != "__pycache__"]
MODULES = [
    name
    for _, name, _ in pkgutil.walk_packages([str(SOURCE)], "continuarm.", onerror=lambda _: None)
    if not name.endswith("._native")
]
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
    assert len(layers) <= 20


def test_tests_mirror_the_rooms():
    folders = {path.name for path in (ROOT / "tests").iterdir() if list(path.glob("test_*.py"))}
    assert folders - {"attack", "typing", "tools", TORCH_TESTS} <= set(ROOMS)


@pytest.mark.parametrize("name", ca.__all__)
def test_every_public_name_has_a_line_in_the_reference(name):
    rows = re.findall(rf"^\| `{name}(\(.*?\))?` \| \S.*\|$", REFERENCE, flags=re.MULTILINE)
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
    assert set(re.findall(r"^\| `(\w+)", REFERENCE, flags=re.MULTILINE)) == set(ca.__all__)


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
        assert (ROOT / name).exists() or (SOURCE / name).exists() or name.startswith("docs/_build/"), name


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    folder, drawn = (ROOT / page).parent, pictures(PAGES[page])
    for target in re.findall(r"\]\(([^)#]+)", re.sub(r"`[^`\n]*`(?!\])", "", PAGES[page])):  # without code
        outside = target.startswith("http")
        assert outside or target in drawn or written_by_the_build(folder / target) or (folder / target).exists(), target


def written_by_the_build(path):
    """Whether a page of commands, or of an example that is there, is meant."""
    place = path.resolve().relative_to(ROOT / "docs") if path.resolve().is_relative_to(ROOT / "docs") else path
    example = ROOT / "examples" / place.with_suffix(".py")
    return str(place) in ("reference/commands.rst", "gallery/index.rst") or (
        place.parts[0] == "gallery" and example.is_file()
    )


VARIABLES = {"arm", "section", "motion", "shape", "rate", "tip", "found", "fit", "lax", "ca", "np", "envs"}
"""What pages call an arm, one of its sections, a fit, another library: none of these is a module here."""
LIBRARIES = {"casadi", "continuarm", "gymnasium", "jax", "torch"}
"""What pages name with its functions: `continuarm.jax`, `torch.compile`."""
SUFFIXES = {"c", "csv", "fmu", "gif", "h", "html", "hpp", "json", "md", "nc", "png", "py", "rst", "toml", "typed"}


@pytest.mark.parametrize("page", [*PAGES, *(pytest.param(page, marks=pytest.mark.torch) for page in PAGES)])
def test_functions_of_modules_that_are_named_exist(page):
    text = re.sub(r"^ *```.*?^ *```", "", PAGES[page], flags=re.MULTILINE | re.DOTALL)  # code is run
    for first, name in re.findall(r"[`(]([a-z_]\w*)\.([A-Za-z_]\w*)[`)(]", text):
        if first not in VARIABLES and name not in SUFFIXES and (TORCH or "torch" not in (first, name)):
            modules = [module for module in MODULES if module.endswith(f".{first}")]
            owners = [importlib.import_module(module) for module in modules + [first] * (first in LIBRARIES)]
            assert any(hasattr(owner, name) for owner in owners), f"{first}.{name}"


COMMANDS = typer.main.get_command(app).commands


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_option_is_described(name):
    section = reference_text().partition(f".. _command-{name}:")[2].partition(".. _command-")[0]
    assert (COMMANDS[name].help or "").splitlines()[0] in section
    for parameter in COMMANDS[name].params:
        for word in [parameter.metavar] if parameter.param_type_name == "argument" else parameter.opts:
            line = rf"^\.\. option:: (.*, )?{re.escape(word)}(?!\w).*\n\n   \S"
            assert re.search(line, section, flags=re.MULTILINE), f"{name} {word}"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_of_a_command_is_in_its_help(name):
    assert [parameter.name for parameter in COMMANDS[name].params if not parameter.help] == []


def table_entries(page, heading):
    """The names in backticks in the first cells of the table below a heading row."""
    rows = PAGES[page].partition(f"\n{heading}\n")[2].split("\n\n")[0].splitlines()[1:]
    assert rows, f"{page} has no table {heading}"
    return [name for row in rows for name in re.findall(r"`(\w+)`", row.split("|")[1])]


def test_every_field_of_a_misfit_is_on_the_page_of_identification():
    fields = [each.name for each in dataclasses.fields(Misfit)]
    assert sorted(table_entries("docs/identification.md", "| field | is |")) == sorted([*fields, "multiple"])


@pytest.mark.parametrize("page", ["README.md", "docs/index.md"])
def test_the_first_program_is_the_motion_of_the_picture_above_it(page):
    drawn = runpy.run_path(str(ROOT / "docs" / "make_moving_picture.py"))
    assert "pictures/motion.gif" in PAGES[page]
    (block,) = re.findall(r"```python\n(.*?)```", PAGES[page].partition("motion.gif")[2], flags=re.DOTALL)[:1]
    (steps,) = re.findall(r"PressureSteps\((\{.*?\})\)", block, flags=re.DOTALL)
    assert ast.literal_eval(re.sub(r"#.*", "", steps)) == drawn["STEPS"]
    written = (ROOT / "docs" / "make_moving_picture.py").read_text(encoding="utf-8")
    (call,) = re.findall(r"duration=.*\)", block)
    assert call in written
