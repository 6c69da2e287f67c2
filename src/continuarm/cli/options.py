"""What several commands take and how they end."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from continuarm.common.text import printable

STOPPED_EARLY, BAD_INPUT = 1, 2
"""Exit codes; that after Ctrl-C is common.command_start.INTERRUPTED."""


def seconds(text: Any) -> float:
    """A number of seconds; the parser's own words would be about a float."""
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} must be a number of seconds") from None


AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]
ArmArgument = Annotated[str, typer.Argument(metavar="ARM", help="An arm file (.toml), or the name of an arm.")]
PressuresOption = Annotated[
    str, typer.Option(help="Pressure steps, muscle=kPa@seconds: 'l33=600@0, l22=5bar@3.2'; or a CSV file.")
]
DurationOption = Annotated[float, typer.Option(parser=seconds, help="Length of the motion, s.")]
ForceOption = Annotated[str, typer.Option(help="Constant force on the tip, world axes, N: '0,0,2'.")]
SolverOption = Annotated[
    str,
    typer.Option(
        help="adaptive (compiled, the default), cvode (SUNDIALS) or fixed (steps of one size, for control).",
        show_default=False,
    ),
]
RtolOption = Annotated[float | None, typer.Option(help="Relative tolerance of adaptive and cvode; 1e-6 if left out.")]
StepRateOption = Annotated[float | None, typer.Option(help="Steps per second of fixed, Hz; 1000 if left out.")]
PlotOption = Annotated[str, typer.Option("--plot", metavar="FILE", help="Draw a figure: .png, .svg or .pdf.")]


def leave_if_stopped(reason: str) -> None:
    """Says why a motion stopped early, and leaves with the exit code of that."""
    if reason:
        print(f"stopped early: {printable(reason)}", file=sys.stderr)
        raise typer.Exit(STOPPED_EARLY)
