"""The command `continuarm simulate`: an arm and pressures in, its motion out."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from continuarm.arms.arm_file import load_arm
from continuarm.cli.options import (
    ArmArgument,
    AsJson,
    DurationOption,
    ForceOption,
    PlotOption,
    PressuresOption,
    RtolOption,
    SolverOption,
    StepRateOption,
    leave_if_stopped,
    seconds,
)
from continuarm.cli.output import claim, one_line, progress_bar, show, show_json
from continuarm.common.command_start import INTERRUPTED
from continuarm.common.text import printable


def simulate(
    arm: ArmArgument,
    pressures: PressuresOption = "",
    duration: DurationOption = 5.0,
    force: ForceOption = "",
    start: Annotated[str, typer.Option(help="unbent, or equilibrium with what drives it at the start.")] = "unbent",
    solver: SolverOption = "",
    rtol: RtolOption = None,
    step_rate: StepRateOption = None,
    rate: Annotated[float, typer.Option(help="Output states per second, Hz.")] = 200.0,
    most_seconds: Annotated[
        float | None, typer.Option(parser=seconds, metavar="SECONDS", help="Stop after so much computing, s.")
    ] = None,
    most_steps: Annotated[int | None, typer.Option(help="Stop after so many steps of the solver.")] = None,
    output: Annotated[str, typer.Option("-o", "--output", metavar="FILE", help="Write the motion: .nc.")] = "",
    plot: PlotOption = "",
    as_json: AsJson = False,
) -> None:
    """Simulate an arm under pressures and show where its tips end.

    Exit codes: 0 done; 1 the motion stopped early, what there is of it is shown and written; 2 bad input;
    130 interrupted, what is on disk is kept.
    """
    from continuarm.cli import motion_tables
    from continuarm.simulation.motion_file import check_motion_path, partial_path
    from continuarm.simulation.plots import check_figure_path, plot_motion, save_figure
    from continuarm.simulation.simulator import simulate as run

    described = load_arm(arm)
    choices: dict[str, Any] = {
        "input": motion_tables.pressures_of(pressures, described),
        "wrench": motion_tables.wrench_of(force),
        "start": start,
        "solver": motion_tables.chosen_solver(solver, rtol=rtol, rate=step_rate),
        "most_seconds": most_seconds,
        "most_steps": most_steps,
        "output": check_motion_path(output) if output else None,
    }
    if plot:
        claim(check_figure_path(plot))
    try:
        with progress_bar(f"simulating {one_line(described.name)}") as progress:
            motion = run(described, duration=duration, rate=rate, progress=progress, **choices)
    except KeyboardInterrupt:
        kept = partial_path(choices["output"]) if output else None
        where = f": what was computed is in {printable(str(kept))}" if kept and kept.exists() else ""
        print(f"interrupted{where}", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None
    if plot and len(motion.t):
        save_figure(plot_motion(motion), plot)
    if as_json:
        show_json(motion_tables.motion_numbers(motion))
    else:
        show(*motion_tables.motion_tables(motion, [path for path in (output, plot) if path]))
    leave_if_stopped(motion.stopped)
