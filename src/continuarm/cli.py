"""The command line: arms, check, schema, simulate, bench.

Whatever is wrong with the input is one line on standard error and exit code 2.
"""

from __future__ import annotations

import io
import itertools
import json
import math
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

import continuarm
from continuarm.arm import Arm, Section
from continuarm.arm_file import arm_names, arm_schema, load_arm
from continuarm.description import printable

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["main"]

BAD_INPUT = 2
# Whichever library typer parses with in its version: the class of every fault in how a command was typed.
UsageError: Any = typer.BadParameter.__base__

app = typer.Typer(
    add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None, help="Multisection continuum arms."
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code."""
    _prepare_output()
    try:
        code = app(args=arguments, prog_name="continuarm", standalone_mode=False)
        sys.stdout.flush()
    except UsageError as error:
        return _refuse(_with_commands(error.format_message()))
    except ValueError as error:  # what the library says of bad input: one sentence
        return _refuse(str(error))
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        _forget_output()
        return 1
    except OSError as error:
        _forget_output()
        return _refuse(f"cannot write the output: {error.strerror or error}")
    return code if isinstance(code, int) else 0


def _with_commands(sentence: str) -> str:
    """Which commands there are, for someone who asked for another."""
    if not sentence.startswith("No such command"):
        return sentence
    names = [command.callback.__name__ for command in app.registered_commands if command.callback]
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


AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]
ArmArgument = Annotated[str, typer.Argument(metavar="ARM", help="An arm file (.toml), or the name of an arm.")]


@app.command()
def arms(as_json: AsJson = False) -> None:
    """List the arms that come with the library."""
    shipped = [load_arm(name) for name in arm_names()]
    if as_json:
        _show_json([_totals(arm) | {"description": arm.description} for arm in shipped])
        return
    table = _table("name", "sections", "description")
    for arm in shipped:
        table.add_row(arm.name, str(arm.n), _line(arm.description))
    _show(table)


@app.command()
def check(
    arm: ArmArgument,
    as_json: AsJson = False,
) -> None:
    """Check an arm file and show what it describes."""
    checked = load_arm(arm)
    if as_json:
        _show_json(_totals(checked) | {"arm": checked.model_dump(mode="json")})
    else:
        _show(*_summary(checked))


@app.command()
def schema() -> None:
    """Print the JSON schema of arm files, for editors that check and complete as one types."""
    _show_json(arm_schema())


@app.command()
def simulate(
    arm: ArmArgument,
    pressures: Annotated[
        str, typer.Option(help="Pressure steps, muscle=kPa@seconds: 'l33=600@0, l22=500@3.2'; or a CSV file.")
    ] = "",
    duration: Annotated[float, typer.Option(help="Length of the motion, s.")] = 5.0,
    solver: Annotated[str, typer.Option(help="adaptive (compiled) or bdf (SUNDIALS CVODE).")] = "adaptive",
    rtol: Annotated[float, typer.Option(help="Relative tolerance.")] = 1e-6,
    rate: Annotated[float, typer.Option(help="Output states per second, Hz.")] = 200.0,
    output: Annotated[str, typer.Option("-o", "--output", help="Write the motion to a NetCDF-4 file.")] = "",
    as_json: AsJson = False,
) -> None:
    """Simulate an arm under pressures and show where its tips end."""
    from continuarm.inputs import PressureSignal, PressureSteps
    from continuarm.motion_file import save_motion
    from continuarm.simulate import simulate as run
    from continuarm.solvers import BDF, Adaptive

    solvers = {"adaptive": Adaptive, "bdf": BDF}
    if solver not in solvers:
        raise ValueError(f"solver = {solver!r}: must be one of {', '.join(solvers)}")
    described = load_arm(arm)
    is_file = pressures.endswith(".csv")
    drive = PressureSignal.read(pressures, described) if is_file else PressureSteps.parse(pressures)
    motion = run(described, drive, duration=duration, rate=rate, solver=solvers[solver](rtol=rtol))
    if output:
        save_motion(motion, output)
    if as_json:
        end = {"t": float(motion.t[-1]), "tips": motion.tips[-1].tolist(), "stopped": motion.stopped}
        _show_json({"arm": described.name, **end, **motion.record})
        return
    facts = _table("", "", headings=False)
    facts.add_row("motion", f"{motion.t[-1]:g} s of {described.name}, {len(motion.t)} states")
    facts.add_row("speed", f"{motion.record['real_time_factor']:.0f} times faster than real time")
    facts.add_row("evaluations", str(motion.record["evaluations"]))
    if motion.stopped:
        facts.add_row("stopped", motion.stopped)
    if output:
        facts.add_row("written to", output)
    tips = _table("tip", "x, mm", "y, mm", "z, mm")
    for i, tip in enumerate(1e3 * motion.tips[-1]):
        tips.add_row(str(i + 1), *(f"{value:.3f}" for value in tip))
    _show(facts, tips)


@app.command()
def bench(
    json_path: Annotated[str | None, typer.Option("--json", metavar="FILE", help="Write all numbers as JSON.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer repeats: a look, not a measurement.")] = False,
    only: Annotated[str | None, typer.Option(metavar="GROUP", help="Only one group of measurements.")] = None,
) -> None:
    """Measure how fast everything is here, as ratios taken in one run."""
    from continuarm.bench import bench_command

    bench_command(json_path, quick, only)


def _totals(arm: Arm) -> dict[str, Any]:
    sections_mass = math.fsum(section.mass for section in arm.sections)
    payload_mass = arm.payload.mass if arm.payload else 0.0
    return {
        "name": arm.name,
        "sections": arm.n,
        "muscles": sum(len(section.muscle_map) for section in arm.sections),
        "inertia": arm.inertia.model,
        "length": math.fsum(section.length + section.offset for section in arm.sections),
        "sections_mass": sections_mass,
        "payload_mass": payload_mass,
        "total_mass": sections_mass + payload_mass,
    }


def _summary(arm: Arm) -> list[Any]:
    totals = _totals(arm)
    facts = {
        "arm": _line(arm.name),
        "description": _line(arm.description),
        "sections": str(arm.n),
        "muscles": str(totals["muscles"]),
        "length": f"{totals['length']:g} m unactuated",
        "total mass": f"{totals['total_mass']:g} kg"
        + (f", {arm.payload.mass:g} kg of it payload" if arm.payload else ""),
        "inertia": " ".join([arm.inertia.model, *_shaping(arm)]),
        "gravity": f"{_numbers(arm.gravity)} m/s²",
        "base rotation": f"{_numbers(arm.base_rotation)} rad",
    }
    overview = _table("", "", headings=False)
    for name, fact in facts.items():
        if fact:
            overview.add_row(name, fact)
    return [overview, _section_table(arm)]


def _shaping(arm: Arm) -> list[str]:
    values = {name: value for name, value in arm.inertia.model_dump().items() if name != "model"}
    return [f"{name} = {_numbers(value)}" for name, value in values.items()]


def _section_table(arm: Arm) -> Table:
    """One row for each run of identical sections, counted from 1 at the base."""
    table = _table(
        *("section", "L\nm", "r\nm", "m\nkg", "K_e\nN/m", "D\nN s/m", "σ\nm", "γ\nrad"),
        *("muscles", "range\nm", "stop\nN/m"),
    )
    first = 1
    for section, same in itertools.groupby(arm.sections):
        last = first + len(list(same)) - 1
        table.add_row(str(first) if first == last else f"{first}-{last}", *_row(section))
        first = last + 1
    return table


def _row(section: Section) -> list[str]:
    plain = (section.length, section.radius, section.mass, section.stiffness, section.damping)
    return [
        *map(_numbers, plain),
        f"{section.offset:g}",
        f"{section.twist:.4g}",
        str(len(section.muscle_map)),
        "any" if section.length_range is None else "{:g} to {:g}".format(*section.length_range),
        f"{section.stop_stiffness:g}" if section.stop_stiffness else "none",
    ]


def _numbers(value: Any) -> str:
    """A number, a list of them, or a matrix with one row a line, in six digits; a choice as in a file."""
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, tuple):
        return f"{value:g}"
    return ("\n" if isinstance(value[0], tuple) else ", ").join(map(_numbers, value))


# Output: rich is imported only when there is something to show


def _table(*columns: str, headings: bool = True) -> Table:
    from rich.table import Table

    table = Table(box=None, show_header=headings, pad_edge=False, padding=(0, 2, 0, 0))
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def _line(text: str) -> str:
    return printable(" ".join(text.split()))


def _show(*tables: Table) -> None:
    from rich.console import Console

    # Names and descriptions are other people's text: no markup, no emoji, nothing to highlight.
    console = Console(markup=False, emoji=False, highlight=False)
    for i, table in enumerate(tables):
        if i:
            console.print()
        console.print(table)


def _show_json(value: Any) -> None:
    text = json.dumps(value, indent=2, ensure_ascii=False)
    try:
        text.encode(sys.stdout.encoding)
    except UnicodeEncodeError:
        text = json.dumps(value, indent=2)
    print(text)
