"""What runs pages and checks the site notices what is wrong."""

import re

import pytest
from page_blocks import blocks, pictures, run_page
from public_names import as_numpydoc, page
from site_check import faults

GOOD = """
<!-- not run: installs -->
```sh
pip install something
```

```python
answer = 42
```

```pycon
>>> answer
42
```

```toml
# arm.toml
[[sections]]
length = 0.2
radius = 0.02
mass = 0.1
stiffness = 500
```

```sh
continuarm check arm.toml --json   # a comment
```

```text
{...
  "sections": 1,
...}
```

![drawn](own.png) and `![shown](other.png)`
"""


def test_a_page_whose_blocks_hold_runs(tmp_path):
    run_page(GOOD, "page.md", tmp_path)
    assert [block.language for block in blocks(GOOD)] == ["sh", "python", "pycon", "toml", "sh", "text"]
    assert [block.not_run for block in blocks(GOOD)] == ["installs", "", "", "", "", ""]
    assert GOOD.splitlines()[blocks(GOOD)[1].first - 1] == "answer = 42"
    assert pictures(GOOD) == ["own.png"]


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("42\n```\n\n```toml", "43\n```\n\n```toml"),  # what a block shows does not come out
        ("answer = 42", "answer = 1 / 0"),
        (">>> answer", ">>> question"),
        ("stiffness = 500", "stiffness = -500"),  # a command that refuses its input
        ("[[sections]]", "[[sections]"),  # not TOML
        ('"sections": 1', '"sections": 2'),  # what a command prints is something else
        ("<!-- not run: installs -->", ""),  # a command of another program
        ("```python", "```ruby"),  # a language that nobody runs
    ],
)
def test_a_page_that_does_not_hold_fails(right, wrong, tmp_path):
    assert GOOD.count(right) == 1
    with pytest.raises((AssertionError, ValueError, ZeroDivisionError)):
        run_page(GOOD.replace(right, wrong), "page.md", tmp_path)


def test_an_error_names_the_line_of_the_page(tmp_path):
    with pytest.raises(ZeroDivisionError) as caught:
        run_page(GOOD.replace("answer = 42", "answer = 1 / 0"), "page.md", tmp_path)
    (last,) = [entry for entry in caught.traceback if str(entry.path).endswith("page.md")]
    assert last.lineno + 1 == GOOD.splitlines().index("answer = 42") + 1


def test_links_that_lead_nowhere_and_resources_from_elsewhere_are_found(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "other.html").write_text('<h1 id="here">Title</h1><a href="../index.html">back</a>')
    index = '<a href="sub/other.html#here">good</a><a href="https://example.org">outside</a>'
    (tmp_path / "index.html").write_text(index)
    assert list(faults(tmp_path)) == []
    wrong = '<a href="gone.html"></a><a href="sub/other.html#gone"></a><script src="https://cdn.example/x.js"></script>'
    (tmp_path / "index.html").write_text(index + wrong + '<img src="gone.png">')
    found = sorted(faults(tmp_path))
    assert [
        word in sentence for word, sentence in zip(("gone.html", "gone.png", "#gone", "cdn"), found, strict=True)
    ] == ([True] * 4)


def test_fields_of_a_description_become_parameters():
    text = ["A thing.", "", "Examples", "--------", ">>> 1", "1", ""]
    lines = as_numpydoc([*text, "Fields:", "    mass: kg, |m|", "", "Computed from them:", "    n: 1"])
    assert lines.index("Parameters") < lines.index("mass :") < lines.index("Examples")
    assert r"    kg, \|m\|" in lines
    assert "Computed from them:" not in lines


def test_the_page_of_a_name_is_about_it():
    assert ".. autofunction:: continuarm.simulate" in page("simulate")
    assert ".. autoclass:: continuarm.Arm" in page("Arm")


@pytest.mark.parametrize(
    ("name", "members"),
    [("Arm", ("n", "muscle_names", "coordinate_names")), ("Section", ("muscle_map", "shape_map", "stiffness_matrix"))],
)
def test_the_page_of_a_description_has_what_it_computes_and_how_it_is_changed(name, members):
    text = page(name)
    for member in members:
        assert f"   .. autoproperty:: continuarm.{name}.{member}\n" in text
    assert "autoproperty:: continuarm" not in page("Motion")
    assert ":inherited-members: BaseModel" in text  # by which `replace` is there
    assert re.search(r":exclude-members: .*\bmodel_config\b", text)  # and what pydantic brings is not
