"""The command line: arms, check, schema, simulate, experiment, bench, reproduce, energy-shaping, view, live.

Whatever is wrong with the input is one line on standard error and exit code 2; a warning is one line there.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import typer

import continuarm
from continuarm.arms.arm_file import arm_names, arm_schema, load_arm
from continuarm.cli.bench_command import bench
from continuarm.cli.check_tables import arm_tables, arm_totals, at_rest, rest_table
from continuarm.cli.identify_command import identify
from continuarm.cli.options import BAD_INPUT, INTERRUPTED, STOPPED_EARLY, ArmArgument, AsJson
from continuarm.cli.output import new_table, one_line, progress_bar, show, show_json, some_of, warn
from continuarm.cli.reproduce_command import energy_shaping, reproduce
from continuarm.cli.view_command import live, view
from continuarm.common.text import printable
from continuarm.simulation.inputs import PressureWarning

__all__ = ["main"]

# Whichever library typer parses with in its version: the class of every fault in how a command was typed.
UsageError: Any = typer.BadParameter.__base__

app = typer.Typer(
    add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None, help="Multisection continuum arms."
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code."""
    _prepare_output()
    try:
        with _warnings_in_one_line():
            code = app(args=arguments, prog_name="continuarm", standalone_mode=False)
        sys.stdout.flush()
    except UsageError as error:
        return _refuse(_with_commands(error.format_message()))
    except ValueError as error:  # what the library says of bad input: one sentence
        return _refuse(str(error))
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        _forget_output()
        return 1
    except MemoryError:
        return _refuse("not enough memory: the arm has too many sections, or the motion too many states")
    except OSError as error:
        _forget_output()
        return _refuse(f"cannot write the output: {error.strerror or error}")
    return code if isinstance(code, int) else 0


@contextlib.contextmanager
def _warnings_in_one_line() -> Iterator[None]:
    """What the library warns of is a line on standard error, without the place in its code."""

    def tell(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
        if issubclass(category, PressureWarning):
            warn(str(message))
        else:
            otherwise(message, category, *where, **more)

    with warnings.catch_warnings():
        warnings.simplefilter("always", PressureWarning)
        otherwise, warnings.showwarning = warnings.showwarning, tell
        yield


def _with_commands(sentence: str) -> str:
    """Which commands there are, for someone who asked for another."""
    if not sentence.startswith("No such command"):
        return sentence
    names = [command.name or command.callback.__name__ for command in app.registered_commands if command.callback]
    return f"{sentence} The commands are {', '.join(names)}."


def _refuse(sentence: str) -> int:
    print(f"error: {printable(sentence)}", file=sys.stderr)
    return BAD_INPUT


def _prepare_output() -> None:
    if sys.stdout is None:  # started with its output closed
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 (it stays open to the end)
    # σ and γ on a terminal that has no such letters come out as escapes, not as an exception.
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def _forget_output() -> None:
    """Keeps Python from writing what is left to an output that is gone, and complaining, as it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"continuarm {continuarm.__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _start(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and leave.")
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        print(context.get_help())


def _seconds(text: Any) -> float:
    """A number of seconds; the parser's own words would be about a float."""
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} must be a number of seconds") from None


SolverOption = Annotated[
    str, typer.Option(help="adaptive (compiled), bdf (SUNDIALS CVODE) or fixed (steps of one size, for control).")
]
RtolOption = Annotated[float | None, typer.Option(help="Relative tolerance of adaptive and bdf; 1e-6 if left out.")]
StepRateOption = Annotated[float | None, typer.Option(help="Steps per second of fixed, Hz; 1000 if left out.")]
PlotOption = Annotated[str, typer.Option("--plot", metavar="FILE", help="Draw a figure: .png, .svg or .pdf.")]


@app.command()
def arms(as_json: AsJson = False) -> None:
    """List the arms that come with the library."""
    shipped = [load_arm(name) for name in arm_names()]
    if as_json:
        show_json([arm_totals(arm) | {"description": arm.description} for arm in shipped])
        return
    table = new_table("name", "sections", "description")
    for arm in shipped:
        table.add_row(arm.name, str(arm.n), one_line(arm.description))
    show(table)


@app.command()
def check(
    arm: ArmArgument,
    as_json: AsJson = False,
) -> None:
    """Check an arm file and show what it describes; warns where muscles are on their stops without any pressure."""
    checked = load_arm(arm)
    rest = at_rest(checked)
    if as_json:
        show_json(arm_totals(checked) | rest | {"arm": checked.model_dump(mode="json")})
    else:
        show(*arm_tables(checked), rest_table(checked, rest))
    held = rest["rest"].get("on_stops", [])
    if held:
        warn(f"weight alone pushes {some_of(held)} into the stops: without pressure, beyond length_range")


@app.command()
def schema() -> None:
    """Print the JSON schema of arm files, for editors that check and complete as one types."""
    show_json(arm_schema())


@app.command()
def simulate(
    arm: ArmArgument,
    pressures: Annotated[
        str, typer.Option(help="Pressure steps, muscle=kPa@seconds: 'l33=600@0, l22=5bar@3.2'; or a CSV file.")
    ] = "",
    duration: Annotated[float, typer.Option(parser=_seconds, help="Length of the motion, s.")] = 5.0,
    force: Annotated[str, typer.Option(help="Constant force on the tip, world axes, N: '0,0,2'.")] = "",
    start: Annotated[str, typer.Option(help="unbent, or equilibrium with what drives it at the start.")] = "unbent",
    solver: SolverOption = "adaptive",
    rtol: RtolOption = None,
    step_rate: StepRateOption = None,
    rate: Annotated[float, typer.Option(help="Output states per second, Hz.")] = 200.0,
    output: Annotated[str, typer.Option("-o", "--output", metavar="FILE", help="Write the motion: .nc.")] = "",
    plot: PlotOption = "",
    as_json: AsJson = False,
) -> None:
    """Simulate an arm under pressures and show where its tips end.

    Exit codes: 0 done; 1 the motion stopped early, what there is of it is shown and written; 2 bad input;
    130 interrupted, what is on disk is kept.
    """
    from continuarm.cli import simulate_command as cli_motion
    from continuarm.simulation.motion_file import check_motion_path, partial_path
    from continuarm.simulation.plots import check_figure_path, plot_motion, save_figure
    from continuarm.simulation.simulator import simulate as run

    described = load_arm(arm)
    choices: dict[str, Any] = {
        "input": cli_motion.pressures_of(pressures, described),
        "wrench": cli_motion.wrench_of(force),
        "start": start,
        "solver": cli_motion.chosen_solver(solver, rtol=rtol, rate=step_rate),
        "output": check_motion_path(output) if output else None,
    }
    if plot:
        check_figure_path(plot)
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
        show_json(cli_motion.motion_numbers(motion))
    else:
        show(*cli_motion.motion_tables(motion, [path for path in (output, plot) if path]))
    _tell_if_stopped(motion.stopped)


@app.command()
def experiment(
    number: Annotated[int, typer.Argument(metavar="1|2|3", help="Which experiment of the paper.")],
    solver: SolverOption = "adaptive",
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
    from continuarm.cli import simulate_command as cli_motion
    from continuarm.paper.experiments import compare_models
    from continuarm.simulation.motion_file import check_motion_path, save_motion
    from continuarm.simulation.plots import check_figure_path, save_figure

    chosen = cli_motion.chosen_solver(solver, rtol=rtol, rate=step_rate)
    files = cli_motion.experiment_files(output, number) if output else {}
    for path in files.values():
        check_motion_path(path)
    if plot:
        check_figure_path(plot)
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
        show(*cli_motion.comparison_tables(comparison, written))
    _tell_if_stopped(comparison.integral.stopped or comparison.centre_of_gravity.stopped)


def _tell_if_stopped(reason: str) -> None:
    if reason:
        print(f"stopped early: {printable(reason)}", file=sys.stderr)
        raise typer.Exit(STOPPED_EARLY)


app.command("bench")(bench)
app.command("reproduce")(reproduce)
app.command("energy-shaping")(energy_shaping)
app.command("view")(view)
app.command("live")(live)
app.command("identify")(identify)
