"""The command `continuarm experiment`: the paper's experiments, with its inertia model and the exact one."""

from __future__ import annotations

from typing import Annotated

import typer

from continuarm.cli.options import AsJson, PlotOption, RtolOption, SolverOption, StepRateOption, leave_if_stopped
from continuarm.cli.output import claim, progress_bar, show, show_json


def experiment(
    number: Annotated[int, typer.Argument(metavar="1|2|3", help="Which experiment of the paper.")],
    solver: SolverOption = "",
    rtol: RtolOption = None,
    step_rate: StepRateOption = None,
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="FOLDER", help="Write both motions as NetCDF-4 files there.")
    ] = "",
    plot: PlotOption = "",
    as_json: AsJson = False,
) -> None:
    """Simulate an experiment of the paper with its own inertia model and the exact one, and compare them.

    The arm's stiffness and damping are assumed, and the paper's measurements are not public: nothing here is measured.
    Exit codes as for simulate.
    """
    from continuarm.cli import motion_tables
    from continuarm.paper.experiments import compare_models
    from continuarm.simulation.motion_file import check_motion_path, save_motion
    from continuarm.simulation.plots import check_figure_path, save_figure

    chosen = motion_tables.chosen_solver(solver, rtol=rtol, rate=step_rate)
    files = motion_tables.experiment_files(output, number) if output else {}
    for path in files.values():
        check_motion_path(path)
    if plot:
        claim(check_figure_path(plot))
    with progress_bar(f"experiment {number}") as progress:
        comparison = compare_models(number, solver=chosen, progress=progress)
    for model, path in files.items():
        save_motion(comparison.motions[model], path)
    if plot:
        save_figure(comparison.plot(), plot)
    written = [*files.values(), *filter(None, [plot])]
    if as_json:
        show_json(comparison.table())
    else:
        show(*motion_tables.comparison_tables(comparison, written))
    leave_if_stopped(comparison.integral.stopped or comparison.centre_of_gravity.stopped)
