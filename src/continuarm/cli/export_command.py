"""The command `continuarm export`: an arm for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from continuarm.cli.options import ArmArgument
from continuarm.common.text import shown


def export(
    arm: ArmArgument,
    page: Annotated[
        str,
        typer.Option(
            "--page", metavar="FILE", help="Write a page that simulates the arm by itself in any browser: .html."
        ),
    ] = "",
    c: Annotated[str, typer.Option("--c", metavar="FOLDER", help="Write C99 sources, a test and a README.")] = "",
    fmu: Annotated[str, typer.Option("--fmu", metavar="FILE", help="Write an FMU for simulators: .fmu.")] = "",
    fmi: Annotated[str, typer.Option("--fmi", metavar="VERSION", help="Version of FMI: 2.0 or 3.0.")] = "2.0",
    casadi: Annotated[
        str, typer.Option("--casadi", metavar="FOLDER", help="Write a library for casadi.external, and its sources.")
    ] = "",
    ros2: Annotated[str, typer.Option("--ros2", metavar="FOLDER", help="Write a package for ROS 2 with a node.")] = "",
    name: Annotated[
        str | None, typer.Option(help="Prefix of names and files in C; the arm's own name if left out.")
    ] = None,
    step: Annotated[float, typer.Option(help="Length of an implicit step, s.")] = 1e-3,
) -> None:
    """Take an arm elsewhere: a page on which visitors move it, C for firmware, an FMU for simulators, CasADi, ROS 2.

    Exit codes: 0 done; 2 bad input.
    """
    from continuarm.arms.arm_file import load_arm
    from continuarm.export import export_c, export_casadi, export_fmu, export_page, export_ros2

    if not (page or c or fmu or casadi or ros2):
        raise ValueError("there is nothing to write: say what, with --page, --c, --fmu, --casadi or --ros2")
    loaded, written = load_arm(arm), list[Path]()
    if page:
        export_page(loaded, page)
        written.append(Path(page))
    if c:
        written += export_c(loaded, c, name=name, step=step)
    if fmu:
        written.append(export_fmu(loaded, fmu, version=fmi, name=name, step=step))
    if casadi:
        written += export_casadi(loaded, casadi, name=name, step=step)
    if ros2:
        written += export_ros2(loaded, ros2, name=name, step=step)
    for path in written:
        print(f"written to {shown(path)}")
