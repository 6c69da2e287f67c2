"""A page for every public name, made from its docstring, and links to it from wherever a page writes the name.

The pages are docs/reference/names/*.rst, written before each build: a name cannot be forgotten.
"""

from __future__ import annotations

import re
from functools import cached_property
from pathlib import Path
from typing import Any

import continuarm
from continuarm.arms.description import Description

FOLDER = "reference/names"
INSIDE = (
    "check",
    "commands",
    "concatenated",
    "difference",
    "drive",
    "full_scale",
    "reading",
    "start",
    "unit_doubts",
    "without",
)
"""Methods that other parts of the library call: no user needs them, and the pages leave them out."""
FIELDS, COMPUTED = "Fields:", "Computed from them:"
"""The headings under which descriptions list their fields in help()."""
WRITTEN = re.compile(r"(?:ca\.)?([A-Za-z_]+)(?=$|[(.])")
"""A name as text writes it: `simulate`, `ca.simulate(arm)`, `PressureSteps.parse`."""


def page(name: str) -> str:
    """The page of a public name, as reStructuredText."""
    thing = getattr(continuarm, name)
    if isinstance(thing, type):
        # what an instance holds is in the docstring of its class
        left_out = [*INSIDE, "model_config", *(thing._fields if issubclass(thing, tuple) else ())]
        body = [f".. autoclass:: continuarm.{name}", "   :members:", f"   :exclude-members: {', '.join(left_out)}"]
        if issubclass(thing, Description):
            # `replace` is theirs in common; what is computed is not in dir(), which help() goes by
            body += ["   :inherited-members: BaseModel", ""]
            body += [f"   .. autoproperty:: continuarm.{name}.{each}" for each in computed(thing)]
    else:
        body = [f".. autofunction:: continuarm.{name}"]
    gallery = [f".. minigallery:: continuarm.{name}", "   :add-heading: In the gallery"]
    return "\n".join([name, "=" * len(name), "", *body, "", *gallery, ""])


def computed(kind: type) -> list[str]:
    """Properties that a class computes from its fields, under a public name."""
    members = vars(kind).items()
    return [name for name, each in members if name[0] != "_" and isinstance(each, (property, cached_property))]


def write_pages(app: Any) -> None:
    """A file for each public name; files of names that are gone are removed."""
    folder = Path(app.srcdir) / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    wanted = {f"{name}.rst": page(name) for name in continuarm.__all__}
    for old in folder.glob("*.rst"):
        if old.name not in wanted:
            old.unlink()
    for name, text in wanted.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def as_numpydoc(lines: list[str]) -> list[str]:
    """The docstring of a description with its fields as a Parameters section, which comes before the examples."""
    text = "\n".join(lines).rstrip()
    text = text.split(f"\n\n{COMPUTED}")[0]  # they are members, which have lines of their own
    before, _, fields = text.partition(f"\n\n{FIELDS}\n")
    summary, heading, examples = before.partition("\n\nExamples\n")
    parameters = []
    for name, meaning in re.findall(r"^    (\w+): (.*)$", fields, flags=re.MULTILINE):
        parameters += [f"{name} :", "    " + re.sub(r"([*|])", r"\\\1", meaning)]
    section = ["", "Parameters", "----------", *parameters] if parameters else []
    return [*summary.split("\n"), *section, *(heading + examples).split("\n"), ""]


def prepare_docstring(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Before numpydoc reads it: fields as parameters, and names in backticks as links or as code."""
    if isinstance(thing, type) and issubclass(thing, Description):
        lines[:] = as_numpydoc(lines)
    lines[:] = [line if line.lstrip().startswith((">>>", "...")) else _linked(_with_types(line)) for line in lines]


def _with_types(line: str) -> str:
    """A type of ours, as in "arm : Arm", or alone in the line under Returns, in backticks, as a name in text has."""
    before, colon, kind = line.partition(" : ")
    if not colon and line.strip() not in continuarm.__all__:
        return line
    found = re.sub(
        r"\b([A-Z]\w+)\b", lambda word: f"`{word[1]}`" if word[1] in continuarm.__all__ else word[1], kind or line
    )
    return before + colon + found if colon else found


def _linked(line: str) -> str:
    def link(found: re.Match[str]) -> str:
        name = WRITTEN.match(found[1])
        if name and name[1] == found[1] and name[1] in continuarm.__all__:
            return f":py:obj:`~continuarm.{found[1]}`"
        return f"``{found[1]}``"

    return re.sub(r"(?<![`:])`([^`]+)`(?!`)", link, line)


def link_names(app: Any, doctree: Any, page_name: str) -> None:
    """A public name that a page writes as code leads to its page."""
    from docutils import nodes  # here, so that tests need no tools of the documentation

    for literal in list(doctree.findall(nodes.literal)):
        text = literal.astext()
        name = WRITTEN.match(text)
        if not name or name[1] not in continuarm.__all__ or _is_inside(literal, nodes.reference, nodes.title):
            continue
        target = f"{FOLDER}/{name[1]}"
        if target != page_name:
            address = app.builder.get_relative_uri(page_name, target)
            link = nodes.reference("", name[0], internal=True, refuri=address)
            literal.children = []
            literal += [link, nodes.Text(text[name.end() :])]


def _is_inside(node: Any, *kinds: type) -> bool:
    while node is not None:
        if isinstance(node, kinds):
            return True
        node = node.parent
    return False


def setup(app: Any) -> dict[str, Any]:
    """Called by Sphinx."""
    app.connect("builder-inited", write_pages, priority=100)
    app.connect("autodoc-process-docstring", prepare_docstring, priority=100)
    app.connect("doctree-resolved", link_names)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
