"""The page of the command line, docs/reference/commands.rst: made from the commands themselves before each build."""

from __future__ import annotations

import inspect
import re
import typing
from pathlib import Path
from typing import Any

import typer.main

from continuarm.cli.app import app as commands

PAGE = "reference/commands.rst"
HEADER = """
Command line
============

``continuarm COMMAND --help`` says the same. What is wrong with the input is one line on standard error and exit code 2;
a table goes to standard output, with ``--json`` as JSON. A file is written whole or not at all.

"""


def reference_text() -> str:
    """Every command with its arguments, options and exit codes, as reStructuredText."""
    group: Any = typer.main.get_command(commands)
    functions = {command.name: command.callback for command in commands.registered_commands}
    parts = [HEADER.lstrip()]
    for name, command in group.commands.items():
        title, hints = f"continuarm {name}", typing.get_type_hints(functions[name])
        parts += [f".. _command-{name}:\n", f"{title}\n{'-' * len(title)}\n", f".. program:: continuarm {name}\n"]
        parts += [f"::\n\n    {_usage(name, command)}\n", f"{inspect.cleandoc(command.help or '')}\n"]
        for parameter in command.params:
            signature = _signature(parameter, _is_number(hints[parameter.name]))
            parts += [f".. option:: {signature}\n", f"   {_meaning(parameter)}\n"]
    return "\n".join(parts)


def _is_option(parameter: Any) -> bool:
    return bool(parameter.param_type_name == "option")


def _is_number(hint: Any) -> bool:
    return bool({int, float} & {hint, *typing.get_args(hint)})


def _usage(name: str, command: Any) -> str:
    given = [each for each in command.params if not _is_option(each)]
    words = [_metavar(each) if each.required else f"[{_metavar(each)}]" for each in given]
    return " ".join(["continuarm", name, *words, "[OPTIONS]"])


def _metavar(parameter: Any) -> str:
    return str(parameter.metavar or parameter.name.upper())


def _signature(parameter: Any, is_number: bool) -> str:
    if not _is_option(parameter):
        return _metavar(parameter)
    value = "" if parameter.is_flag else f" {parameter.metavar or ('NUMBER' if is_number else 'TEXT')}"
    return ", ".join(f"{name}{value}" for name in parameter.opts)


def _meaning(parameter: Any) -> str:
    """What it is, whether it must be there, and what it is if it is left out; in text, all of it plain."""
    words = [parameter.help or ""]
    if _is_option(parameter) and parameter.required:
        words.append("Required.")
    if _is_option(parameter) and parameter.show_default and parameter.default not in (None, "", False):
        words.append(f"If left out: {parameter.default}.")
    return re.sub(r"([*|`_])", r"\\\1", " ".join(words))


def write_page(app: Any) -> None:
    """The page, where it has changed."""
    path = Path(app.srcdir) / PAGE
    text = reference_text()
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def setup(app: Any) -> dict[str, Any]:
    """Called by Sphinx."""
    app.connect("builder-inited", write_page, priority=100)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
