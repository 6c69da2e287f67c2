"""Docstrings of public names: every argument has a line, arrays their shape, and the examples run."""

import ast
import doctest
import inspect
import itertools
import re
import textwrap

import numpy as np
import pytest
from public_names import COMPUTED, FIELDS, INSIDE

import continuarm as ca
import continuarm.export
import continuarm.jax
from continuarm.arms.description import Description
from gate import TORCH

if TORCH:
    import continuarm.torch

PUBLIC = {name: getattr(ca, name) for name in ca.__all__}
CLASSES = {name: each for name, each in PUBLIC.items() if isinstance(each, type)}
FUNCTIONS = {name: each for name, each in PUBLIC.items() if name not in CLASSES}


def methods(kind):
    """The functions of a class that users call, by name."""
    for name, member in vars(kind).items():
        function = getattr(member, "__func__", member)
        if inspect.isfunction(function) and not name.startswith("_") and name not in INSIDE:
            yield name, function


ELSEWHERE = {
    f"{library.__name__}.{name}": getattr(library, name)
    for library in (continuarm.jax, continuarm.export, *([continuarm.torch] if TORCH else []))
    for name in library.__all__
}
METHODS = {f"{name}.{each}": function for name, kind in CLASSES.items() for each, function in methods(kind)}
CALLED = FUNCTIONS | METHODS | ELSEWHERE
NAMES = [pytest.param(name, marks=[pytest.mark.torch] * name.startswith("continuarm.torch")) for name in CALLED]
"""Public functions, methods of public classes, functions of other array libraries and of exports."""


def section(thing, heading):
    """The entries of a section of a docstring, name: (type, text); "a, b : float" is two of them."""
    text = (inspect.getdoc(thing) or "").split(f"\n\n{FIELDS}")[0]
    found = re.search(rf"^{heading}\n-+\n(.*?)(?=\n\n\w+\n---|\Z)", text, flags=re.MULTILINE | re.DOTALL)
    entries = {}
    for entry in re.findall(r"^(\S.*(?:\n(?: .*)?)*)", found[1] if found else "", flags=re.MULTILINE):
        head, _, words = entry.partition("\n")
        names, colon, kind = head.partition(" : ")
        named = names.split(",") if colon or heading != "Returns" else [""]
        entries |= {name.strip(): (kind if colon else head, words.strip()) for name in named}
    return entries


def arguments(function):
    return [name for name in inspect.signature(function).parameters if name not in ("self", "cls")]


def attribute_docstrings(kind):
    """Fields that have a docstring of their own after them."""
    body = ast.parse(textwrap.dedent(inspect.getsource(kind))).body[0].body
    return [
        one.target.id
        for one, after in itertools.pairwise(body)
        if isinstance(one, ast.AnnAssign) and isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
    ]


@pytest.mark.parametrize("name", NAMES)
def test_every_argument_has_a_line(name):
    assert list(section(CALLED[name], "Parameters")) == arguments(CALLED[name])


@pytest.mark.parametrize("name", CLASSES)
def test_every_field_has_a_line(name):
    kind = CLASSES[name]
    if issubclass(kind, Description):
        listed = (kind.__doc__ or "").partition(f"{FIELDS}\n")[2].partition(COMPUTED)[0]
        described = [*re.findall(r"^    (\w+): \S", listed, flags=re.MULTILINE), "model"]  # a constant of each class
        assert set(inspect.signature(kind).parameters) <= set(described)
    elif not issubclass(kind, Exception):
        described = section(kind, "Parameters") or section(kind, "Attributes") or attribute_docstrings(kind)
        assert arguments(kind) == [each for each in described if each in arguments(kind)]


@pytest.mark.parametrize("name", NAMES)
def test_what_is_returned_is_said(name):
    returned = inspect.signature(CALLED[name]).return_annotation
    assert bool(section(CALLED[name], "Returns")) == (returned != "None")


@pytest.mark.parametrize("name", [*NAMES, *CLASSES])
def test_an_array_has_its_shape_and_every_entry_its_meaning(name):
    thing = CALLED.get(name) or CLASSES[name]
    for heading in ("Parameters", "Attributes", "Returns"):
        for entry, (kind, words) in section(thing, heading).items():
            assert "(" in kind or "array" not in kind.replace("xarray", ""), f"{entry} : {kind}"
            of_ours = set(re.findall(r"\w+", kind)) & set(ca.__all__)
            assert words or of_ours or kind in OBVIOUS or entry in OBVIOUS, f"{entry} : {kind}"


OBVIOUS = {"arm", "dict", "interrupted", "list of str", "name", "path", "record", "sensors"}
"""Entries that need no words beside their name or type."""


@pytest.mark.parametrize("name", PUBLIC)
def test_there_is_an_example(name):
    text = inspect.getdoc(PUBLIC[name]) or ""
    assert "\n\nExamples\n--------\n" in text
    assert f"ca.{name}" in text or f"Returns\n-------\n{name}" in text or name in NAMED_BY_WHAT_RETURNS_IT


NAMED_BY_WHAT_RETURNS_IT = {"EnergyShapingFit", "Equilibria", "Identification", "Motion", "MotionGradient"}
NAMED_BY_WHAT_RETURNS_IT |= {"Loop", "MusclePressures", "Postures", "Rollout", "Validation", "Vibrations", "Workspace"}
NAMED_BY_WHAT_RETURNS_IT |= {"Estimate", "Plan"}


@pytest.mark.slow
@pytest.mark.parametrize("name", [*CLASSES, *NAMES])
def test_examples_run_and_show_what_comes_out(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = inspect.getdoc(PUBLIC.get(name) or CALLED[name]) or ""
    example = doctest.DocTestParser().get_doctest(text, {"ca": ca, "np": np}, name, None, None)
    said = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE).run(example, out=said.append)
    assert not said, "".join(said)


def test_what_the_pages_leave_out_is_there():
    assert all(any(hasattr(kind, name) for kind in CLASSES.values()) for name in INSIDE)


def test_the_schema_of_arm_files_has_no_examples_in_python():
    assert ">>>" not in str(ca.arm_schema())
