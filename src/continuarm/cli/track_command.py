"""The command `continuarm track`: an arm that follows a figure with its tip, by a controller."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from continuarm.arms.arm_file import load_arm
from continuarm.cli.controllers import NAMES, HighestOption, RateOption, controller_of
from continuarm.cli.options import ArmArgument, AsJson, PlotOption, leave_if_stopped
from continuarm.cli.output import claim, one_line, progress_bar, show, show_json, warn
from continuarm.common.text import shown

if TYPE_CHECKING:
    from continuarm.arms.arm import Arm
    from continuarm.common.number_checks import Floats

PLACES = 14
"""Of a figure that are looked at before it is followed; 13 parts of two rounds, so that no place comes twice."""
OUT_OF_REACH = 1.0
"""mm: a figure is said to be out of reach from here on."""


def track(
    arm: ArmArgument,
    figure: Annotated[
        str, typer.Option(help="circle, eight, or a CSV file of points: 't [s], x [mm], y [mm], z [mm]'.")
    ] = ("circle"),
    controller: Annotated[str, typer.Option(help=f"One of {', '.join(NAMES)}.")] = "computed-torque",
    bandwidth: Annotated[float, typer.Option(help="Of computed torque, rad/s.")] = 30.0,
    size: Annotated[float, typer.Option(help="Diameter of a figure, mm.")] = 100.0,
    period: Annotated[float, typer.Option(help="Seconds for one round.")] = 4.0,
    centre: Annotated[
        str, typer.Option(help="Of a figure, mm: '0,0,500'; below the middle of the reach if left out.")
    ] = "",
    duration: Annotated[float, typer.Option(help="Length of the motion, s; two rounds if left out.")] = 0.0,
    highest: HighestOption = 700.0,
    rate: RateOption = 0.0,
    plant: Annotated[
        str, typer.Option(metavar="ARM", help="The arm that is moved, where it differs from the controller's.")
    ] = "",
    force: Annotated[str, typer.Option(help="Constant force on the tip, world axes, N: '0,0,2'.")] = "",
    output: Annotated[str, typer.Option("-o", "--output", metavar="FILE", help="Write the motion: .nc.")] = "",
    html: Annotated[str, typer.Option("--html", metavar="FILE", help="Write a page that plays it.")] = "",
    plot: PlotOption = "",
    as_json: AsJson = False,
) -> None:
    """Let an arm follow a figure with its tip and show how far off it is.

    computed-torque runs in compiled code, if there is a muscle for each coordinate and no creep; tip-torque, gravity,
    lqr and mpc run in Python: the first three take some 100 times as long.

    A figure that the controller's arm is nowhere near, held by its highest pressures, is warned of and followed as far
    as it goes.

    Exit codes: 0 done; 1 the motion stopped early, what there is of it is shown and written; 2 bad input;
    130 interrupted.
    """
    from continuarm.cli import motion_tables
    from continuarm.control.loops import loop, usual_rate
    from continuarm.simulation.motion_file import check_motion_path
    from continuarm.simulation.plots import check_figure_path, plot_motion, save_figure
    from continuarm.simulation.simulator import simulate as run
    from continuarm.viewer.html import check_html_path, export_html

    model = load_arm(arm)
    moved = load_arm(plant) if plant else model
    made, posture = controller_of(controller, model, highest, bandwidth)
    reference, rounds = _reference(figure, model, posture, size, period, centre)
    beyond = _out_of_reach(figure, model, highest, reference, rounds)
    wrench, file = motion_tables.wrench_of(force), check_motion_path(output) if output else None
    if html:
        check_html_path(html)
    if plot:
        claim(check_figure_path(plot))
    with progress_bar(f"following with {one_line(moved.name)}") as progress:
        motion = run(
            moved,
            loop(made, reference, rate=rate or usual_rate(made)),
            duration=duration or rounds,
            wrench=wrench,
            output=file,
            progress=progress,
        )
    if html and len(motion.t):
        export_html([motion], html)
    if plot and len(motion.t):
        save_figure(plot_motion(motion), plot)
    off = _distances(motion.tips[:, -1], reference.at(motion.t).position)
    late = off[motion.t >= motion.t[-1:].max(initial=0.0) / 2]
    numbers = {
        "rms_mm": float(1e3 * np.sqrt((late**2).mean())) if len(late) else None,
        "largest_mm": float(1e3 * late.max()) if len(late) else None,
        "out_of_reach_mm": beyond,
    }
    if as_json:
        show_json(motion_tables.motion_numbers(motion) | numbers)
    else:
        tables = motion_tables.motion_tables(motion, [path for path in (output, html, plot) if path])
        if len(late):
            words = f"{numbers['rms_mm']:.3g} mm rms, {numbers['largest_mm']:.3g} mm at most, in the second half"
            tables[0].add_row("off the figure", words)
        show(*tables)
    leave_if_stopped(motion.stopped)


def _distances(tips: Floats, goals: Floats) -> Floats:
    return np.asarray(np.linalg.norm(tips - goals, axis=-1))


def _out_of_reach(figure: str, arm: Arm, highest: float, reference: Any, rounds: float) -> float:
    """How far from the figure the tip stays at the worst of some places, mm, with what the pressures hold; warns."""
    from continuarm.control.held_postures import HeldPostures

    places = reference.at(np.linspace(0.0, rounds, PLACES)).position
    off = 1e3 * HeldPostures(arm, 1e3 * highest).distances(places)
    if off.max() > OUT_OF_REACH:
        hint = "its header names the units" if figure.lower().endswith(".csv") else "--centre and --size are in mm"
        nearest = f"pressures up to {highest:g} kPa hold the tip no nearer than {off.max():.3g} mm at the worst"
        warn(f"the figure is out of reach at {np.sum(off > OUT_OF_REACH)} of {PLACES} places: {nearest} ({hint})")
    return float(off.max())


def _reference(figure: str, arm: Arm, posture: Floats, size: float, period: float, centre: str) -> tuple[Any, float]:
    """What is followed, and how long two rounds of it take, s."""
    from continuarm.control.figures import Circle, Eight
    from continuarm.control.point_file import read_points
    from continuarm.control.references import MinimumJerk
    from continuarm.engine.quantities import tip_poses

    middle = tip_poses(arm, posture)[-1, :3, 3]
    if centre.strip():
        try:
            middle = np.array([1e-3 * float(part) for part in centre.split(",")])
        except ValueError:
            middle = np.zeros(0)
        if middle.shape != (3,):
            raise ValueError(f"--centre = {centre!r}: must be three numbers in mm, x,y,z, such as 0,0,500")
    if not size >= 0:
        raise ValueError(f"--size = {size:g}: must be a diameter in mm, 0 or more")
    if figure == "circle":
        return Circle(size / 2e3, period, middle), 2 * period
    if figure == "eight":
        return Eight(size / 1e3, size / 2e3, period, middle), 2 * period
    if not figure.lower().endswith(".csv"):
        raise ValueError(f"--figure = {figure!r}: must be circle, eight or a CSV file of points")
    try:
        times, points = read_points(figure)
    except ValueError as error:
        raise ValueError(f"{shown(figure)}: {error}") from None
    return MinimumJerk(times, points), float(times[-1])
