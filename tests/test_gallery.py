"""The examples run, use public names only, and end in a picture whose axes say what they are."""

import ast
import os
import runpy
from pathlib import Path

import pytest

import continuarm as ca

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted((ROOT / "examples" / "gallery").rglob("*.py"))
NAMES = [path.stem for path in EXAMPLES]
LONG = {"plot_error_bars", "plot_operations_in_c"}
"""Examples that take more than five seconds."""


def test_there_are_many_and_each_has_a_name_of_its_own():
    assert len(EXAMPLES) >= 12
    assert len(set(NAMES)) == len(NAMES)
    assert all(name.startswith("plot_") for name in NAMES)  # others would not be run by the site


@pytest.mark.parametrize("path", EXAMPLES, ids=NAMES)
def test_an_example_uses_public_names_only(path):
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    imported = [each.module for each in nodes if isinstance(each, ast.ImportFrom)]
    imported += [name.name for each in nodes if isinstance(each, ast.Import) for name in each.names]
    own = {name for name in imported if name.startswith("continuarm")}
    assert own - {"continuarm.export", "continuarm.jax", "continuarm.learning"} == {"continuarm"}
    attributes = [each for each in nodes if isinstance(each, ast.Attribute)]
    assert {each.attr for each in attributes if getattr(each.value, "id", "") == "ca"} <= set(ca.__all__)
    assert not [each.attr for each in attributes if each.attr.startswith("_")]


@pytest.mark.parametrize("path", EXAMPLES, ids=NAMES)
def test_an_example_begins_with_a_title_and_words(path):
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    title, rule, *words = text.splitlines()
    assert rule == "=" * len(title)
    assert len(" ".join(words)) > 80


@pytest.mark.filterwarnings("ignore:.*non-interactive:UserWarning")  # of plt.show() where there is no screen
@pytest.mark.parametrize(
    "path", [pytest.param(path, marks=[pytest.mark.exhaustive] * (path.stem in LONG)) for path in EXAMPLES], ids=NAMES
)
def test_an_example_draws_axes_that_say_what_they_are(path, tmp_path, monkeypatch):
    os.environ.setdefault("MPLBACKEND", "agg")
    from matplotlib import pyplot

    monkeypatch.chdir(tmp_path)
    pyplot.close("all")
    runpy.run_path(str(path))
    (number,) = pyplot.get_fignums()
    figure = pyplot.figure(number)
    panels = [axes for axes in figure.axes if axes.get_label() != "<colorbar>"]
    # an axis that is shared is labelled on one of the panels
    assert all(axes.get_xlabel() or axes.get_shared_x_axes().get_siblings(axes)[1:] for axes in panels)
    assert all(axes.get_ylabel() or axes.get_shared_y_axes().get_siblings(axes)[1:] for axes in panels)
    labels = {label for axes in panels for label in (axes.get_xlabel(), axes.get_ylabel()) if label}
    assert labels
    assert all("," in label or label in WITHOUT_UNIT for label in labels), labels
    assert all(axes.has_data() for axes in panels)
    figure.canvas.draw()
    pyplot.close("all")


WITHOUT_UNIT = {"evaluations of q̈", "condition number of M", "mm"}
"""Labels of pure numbers, and of an axis whose legend says what it is."""
