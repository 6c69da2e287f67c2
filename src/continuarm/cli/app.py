"""The command line: every command is in a file of its own, and started here.

Whatever is wrong with the input is one line on standard error and exit code 2; a warning is one line there. After
Ctrl-C, also during imports, it is exit code 130 and at most a line.
"""

from __future__ import annotations

import _thread
import contextlib
import io
import os
import signal
import sys
import threading
import warnings
from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import typer

import continuarm
from continuarm.cli.arms_command import arms, schema
from continuarm.cli.bench_command import bench
from continuarm.cli.check_command import check
from continuarm.cli.experiment_command import experiment
from continuarm.cli.export_command import export
from continuarm.cli.identify_command import identify
from continuarm.cli.options import BAD_INPUT
from continuarm.cli.output import release, warn
from continuarm.cli.reproduce_command import energy_shaping, reproduce
from continuarm.cli.simulate_command import simulate
from continuarm.cli.sweep_command import sweep
from continuarm.cli.track_command import track
from continuarm.cli.validate_command import validate
from continuarm.cli.video_command import video
from continuarm.cli.view_command import live, view
from continuarm.common.command_start import INTERRUPTED, leave
from continuarm.common.interruption import RaisedInterrupts
from continuarm.common.text import printable
from continuarm.engine import compiled
from continuarm.simulation.pressure_commands import PressureWarning

__all__ = ["main"]

# Whichever library typer parses with in its version: the class of every fault in how a command was typed.
UsageError: Any = typer.BadParameter.__base__

app = typer.Typer(
    add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None, help="Multisection continuum arms."
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code."""
    _prepare_output()
    interrupts = RaisedInterrupts()
    try:
        with _interrupts_raised(interrupts), _warnings_in_one_line():
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
    except Exception:
        if interrupts.any:  # what an extension module made of it
            return INTERRUPTED
        raise
    return code if isinstance(code, int) else 0


@contextlib.contextmanager
def _interrupts_raised(handler: RaisedInterrupts) -> Iterator[None]:
    """Ctrl-C is a KeyboardInterrupt inside; before and after, as a command, it leaves at once.

    One that comes where nothing can be raised, as in a callback of Python's import system, comes again a moment later.
    """
    before, otherwise = signal.getsignal(signal.SIGINT), sys.unraisablehook

    def again(lost: Any) -> None:
        if lost.exc_type is KeyboardInterrupt:
            threading.Timer(0.02, _thread.interrupt_main).start()
        else:
            otherwise(lost)

    try:
        sys.unraisablehook = again
        if before is leave:
            signal.signal(signal.SIGINT, handler)
        yield
    finally:
        if before is leave:
            signal.signal(signal.SIGINT, leave)
        sys.unraisablehook = otherwise


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
    names = [command.name for command in app.registered_commands if command.name]
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
    with contextlib.suppress(OSError):  # where no file can be opened any more
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _show_version(verbose: bool) -> None:
    print(f"continuarm {continuarm.__version__}")
    if not verbose:
        return
    if compiled.native is None:
        print(f"no instruction sets: {compiled.NOT_BUILT}")
        return
    built = compiled.native.build_info()
    print(f"instruction sets in this binary: {', '.join(built['compiled_sets'])}")
    print(f"in use: {built['instruction_set']}")
    missing = [name for name in built["processor_sets"] if name not in built["compiled_sets"]]
    if missing:
        print(
            f"{', '.join(missing)}: not in this binary, though this processor has it; to compile all sets: "
            "pip install . --config-settings=cmake.define.CONTINUARM_INSTRUCTION_SETS=all"
        )


@app.callback(invoke_without_command=True)
def _start(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version and leave.")] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="With --version: show the instruction sets of the compiled code, too.")
    ] = False,
) -> None:
    context.call_on_close(release)
    if version:
        _show_version(verbose)
        raise typer.Exit
    if verbose:
        raise typer.BadParameter("--verbose goes with --version")
    if context.invoked_subcommand is None:
        print(context.get_help())


COMMANDS = (
    arms,
    check,
    schema,
    simulate,
    track,
    experiment,
    sweep,
    identify,
    validate,
    view,
    video,
    live,
    export,
    reproduce,
    energy_shaping,
    bench,
)
"""In the order in which --help lists them."""

for _command in COMMANDS:
    app.command(_command.__name__.replace("_", "-"))(_command)
