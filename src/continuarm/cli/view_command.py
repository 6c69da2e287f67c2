"""The commands `continuarm view` and `continuarm live`."""

from __future__ import annotations

from typing import Annotated

import typer

from continuarm.cli.controllers import NAMES, HighestOption, controller_of
from continuarm.cli.options import ArmArgument
from continuarm.common.text import shown

__all__ = ["live", "view"]

HostOption = Annotated[
    str, typer.Option(help="Where the page is: this machine only, or 0.0.0.0 for all that reach it and have its token.")
]
PortOption = Annotated[int | None, typer.Option(help="Port of the page; any that is free if left out.")]


def view(
    motion: Annotated[str, typer.Argument(metavar="FILE", help="A motion: run.nc; with --mode, an arm.")],
    other: Annotated[
        str | None, typer.Argument(metavar="OTHER", help="Another motion to compare it with, drawn translucent.")
    ] = None,
    mode: Annotated[
        int | None,
        typer.Option(metavar="NUMBER", help="Show how the arm FILE swings in a natural mode; 1: the slowest."),
    ] = None,
    html: Annotated[
        str, typer.Option("--html", metavar="FILE", help="Write a page that plays it, complete in one file, and leave.")
    ] = "",
    host: HostOption = "127.0.0.1",
    port: PortOption = None,
) -> None:
    """Play a motion in the browser: the arm in 3D, a timeline, curves over time. Ctrl-C ends it.

    The page is for this machine and who has its address, which carries a token; a page from elsewhere is not answered.

    Exit codes: 0 done; 2 bad input.
    """
    from continuarm.arms.arm_file import load_arm
    from continuarm.simulation.modes_over_time import mode_motion
    from continuarm.simulation.motion_file import load_motion
    from continuarm.viewer.html import check_html_path, export_html
    from continuarm.viewer.viewer import view_motion

    if html:
        check_html_path(html)
    names = [path for path in (motion, other) if path is not None]
    if mode is None:
        motions = [load_motion(path) for path in names]
    elif other is None:
        arm = load_arm(motion)
        motions, names = [mode_motion(arm, mode)], [arm.name]
    else:
        raise ValueError(f"--mode shows one arm: there is nothing to compare it with in {shown(other)}")
    if html:
        export_html(motions, html, names)
        print(f"written to {shown(html)}")
        return
    view_motion(*motions, names=names, host=host, port=port, block=True)


def live(
    arm: ArmArgument,
    benchmark: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", help="Only measure for so long how well it keeps time, without a page."),
    ] = None,
    page: Annotated[
        str,
        typer.Option(
            "--page", metavar="FILE", help="Write a page that simulates it by itself (see export), open it, and leave."
        ),
    ] = "",
    controller: Annotated[
        str,
        typer.Option(
            metavar="NAME", help=f"Let the tip follow a target that is dragged in the picture: {', '.join(NAMES)}."
        ),
    ] = "",
    highest: HighestOption = 700.0,
    rate: Annotated[
        float,
        typer.Option(help="How often it is asked, Hz; if left out 1000 for computed-torque, 100 for mpc, else 250."),
    ] = 0.0,
    host: HostOption = "127.0.0.1",
    port: PortOption = None,
) -> None:
    """Move an arm by hand in the browser: sliders for its pressures, or a target that its tip follows, and a hand that
    pushes it; dynamics in real time. Ctrl-C ends it.

    Exit codes: 0 done; 2 bad input.
    """
    from continuarm.arms.arm_file import load_arm
    from continuarm.export.page import open_page
    from continuarm.viewer.viewer import live_arm, live_benchmark

    described = load_arm(arm)
    if page and controller:
        raise ValueError("--page and --controller exclude each other: a page by itself has no controllers")
    made = None
    if controller:
        made, _ = controller_of(controller, described, highest)
    if page and benchmark is not None:
        raise ValueError("--page and --benchmark exclude each other: the page shows itself how well it keeps time")
    if page:
        opens = open_page(described, page)
        print(f"written to {shown(page)}" + ("" if opens else ": open it in a browser"))
        return
    if benchmark is None:
        live_arm(described, host=host, port=port, block=True, controller=made, rate=rate or None)
        return
    found = live_benchmark(benchmark, described, made, rate or None)
    print(f"{found.steps} steps of 1 ms, {100 * found.late_share:.3f} % late")
    print(f"{found.real_time_factor:.3f} times real time, {1e6 * found.step_time:.1f} µs for a step")
