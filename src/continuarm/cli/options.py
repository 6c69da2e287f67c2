"""What several commands take and how they end."""

from __future__ import annotations

from typing import Annotated

import typer

STOPPED_EARLY, BAD_INPUT, INTERRUPTED = 1, 2, 130
"""Exit codes."""

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]
ArmArgument = Annotated[str, typer.Argument(metavar="ARM", help="An arm file (.toml), or the name of an arm.")]
