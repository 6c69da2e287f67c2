"""The command `continuarm check`: what an arm file describes, and where the arm hangs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from continuarm.arms.arm import Arm
from continuarm.arms.arm_file import load_arm
from continuarm.arms.summary import SECTION_COLUMNS, arm_facts, arm_totals, section_rows
from continuarm.arms.unit_slips import unit_slips
from continuarm.cli.options import ArmArgument, AsJson, PlotOption
from continuarm.cli.output import claim, new_table, one_line, show, show_json, some_of, warn
from continuarm.common.text import shown

if TYPE_CHECKING:
    from rich.table import Table

    from continuarm.common.number_checks import Floats

MOST_SECTIONS_AT_REST = 60
"""Of an arm whose rest is looked for: the time grows with the cube of their number."""

MOST_ANGLES = 12
"""Muscles of a section whose angles and radii are listed."""


def check(
    arm: ArmArgument,
    plot: PlotOption = "",
    as_json: AsJson = False,
) -> None:
    """Check an arm file, show what it describes and draw it; warns of slips of units and of muscles on their
    stops without any pressure."""
    checked = load_arm(arm)
    if plot:
        _draw(checked, plot)
    rest = at_rest(checked)
    if as_json:
        show_json(arm_totals(checked) | rest | {"arm": checked.model_dump(mode="json")})
    else:
        show(*arm_tables(checked), rest_table(checked, rest, plot))
    for sentence in unit_slips(checked):
        warn(sentence)
    held = rest["rest"].get("on_stops", [])
    if held:
        warn(f"weight alone pushes {some_of(held)} into the stops: without pressure, beyond length_range")


def _draw(arm: Arm, path: str) -> None:
    """Writes a figure of the arm, unbent."""
    from continuarm.simulation.plots import check_figure_path, save_figure

    claim(check_figure_path(path))
    save_figure(arm.plot(), path)


def arm_tables(arm: Arm) -> list[Any]:
    """An overview of the arm, and its sections."""
    overview = new_table("", "", headings=False)
    for name, fact in arm_facts(arm).items():
        overview.add_row(name, one_line(fact))
    sections = new_table(*(f"{name}\n{unit}".rstrip() for name, unit in SECTION_COLUMNS.items()))
    for row in section_rows(arm):
        sections.add_row(*row)
    return [overview, sections]


def at_rest(arm: Arm) -> dict[str, Any]:
    """Where the arm rests without muscle forces and how it moves there, in SI units; `reason` where it does not.

    The greatest bend of a section without a length_range is None.
    """
    from continuarm.engine.quantities import tip_poses
    from continuarm.sections.model_range import greatest_bend
    from continuarm.statics.modes import natural_frequencies, vibrations
    from continuarm.statics.rest import hanging

    rest: dict[str, Any] = {}
    try:
        if arm.n > MOST_SECTIONS_AT_REST:
            raise ValueError(f"not computed for more than {MOST_SECTIONS_AT_REST} sections")
        q = hanging(arm)
        rest |= {"q": q.tolist(), "tip": tip_poses(arm, q)[-1, :3, 3].tolist()}
        rest["on_stops"] = _on_stops(arm, q)
        rest["natural_frequencies"] = natural_frequencies(arm, q).tolist()
        slowest, *_, fastest = vibrations(arm, q).time_constants.tolist()
        rest["time_constants"] = [time if math.isfinite(time) else None for time in (slowest, fastest)]
    except ValueError as error:
        rest["reason"] = str(error)
    return {
        "rest": rest,
        "greatest_bend": [greatest_bend(each) if each.length_range else None for each in arm.sections],
    }


def rest_table(arm: Arm, found: dict[str, Any], drawn: str = "") -> Table:
    """What `at_rest` found as a table, with what the muscles can do, and where the arm was drawn."""
    rest, facts = found["rest"], {}
    if "tip" in rest:
        facts["tip at rest"] = ", ".join(f"{round(1e3 * value, 1) + 0:g}" for value in rest["tip"]) + " mm"
    if "time_constants" in rest:
        *low, high = (f"{value:.3g}" for value in rest["natural_frequencies"])
        facts["frequencies"] = f"{', '.join(low[:3])} ... {high} Hz without damping"
        slowest, fastest = ("infinite" if time is None else f"{time:.3g} s" for time in rest["time_constants"])
        facts["time constants"] = f"{slowest} slowest, {fastest} fastest, with damping"
    if "reason" in rest:
        facts["at rest"] = one_line(rest["reason"])
    bends = found["greatest_bend"]
    if any(bend is not None for bend in bends):
        each = ["no range given" if bend is None else f"{math.degrees(bend):.4g}" for bend in bends]
        facts["greatest bend"] = f"{_of_sections(each)} degrees"
    else:
        facts["greatest bend"] = "no range given"
    if any(section.muscles for section in arm.sections):
        facts["muscle layout"] = _layouts(arm)
    if any(section.muscle_area for section in arm.sections):
        areas = _of_sections([f"{section.muscle_area or 0:g}" for section in arm.sections])
        dead_zones = _of_sections([f"{section.dead_zone:g}" for section in arm.sections])
        facts["muscles push"] = f"A max(P - P0, 0) with A = {areas} m², P0 = {dead_zones} Pa"
    if any(section.valve_lag for section in arm.sections):
        facts["valves lag"] = _of_sections([f"{section.valve_lag:g}" for section in arm.sections]) + " s"
    if any(section.pressure_stiffness for section in arm.sections):
        stiffer = _of_sections([f"{section.pressure_stiffness:g}" for section in arm.sections])
        facts["pressure stiffens"] = f"by {stiffer} N/m per Pa (not in the frequencies, which are without pressure)"
    if any(section.hysteresis for section in arm.sections):
        loops = ["none" if s.hysteresis is None else "({:g}, {:g}, {:g})".format(*s.hysteresis) for s in arm.sections]
        facts["hysteresis"] = f"a, b, g = {_of_sections(loops)} N/m, 1/m, 1/m (not in the frequencies)"
    if drawn:
        facts["written to"] = shown(drawn)
    table = new_table("", "", headings=False)
    for name, fact in facts.items():
        table.add_row(name, fact)
    return table


def _layouts(arm: Arm) -> str:
    """Where the muscles of each section run, a line for each run of the same layout."""
    lines, first = [], 1
    for muscles, same in itertools.groupby(arm.sections, key=lambda section: section.muscles):
        last = first + len(list(same)) - 1
        which = f"section {first}" if first == last else f"sections {first}-{last}"
        if muscles is None:
            lines.append(f"{which}: 0, 120, 240 degrees, on r")
        else:
            angles = _some_numbers([round(math.degrees(angle), 2) + 0 for angle in muscles.angles])
            radii = _some_numbers(muscles.radii if len(set(muscles.radii)) > 1 else muscles.radii[:1])
            lines.append(f"{which}: {angles} degrees, {radii} m from the axis")
        first = last + 1
    return "\n".join(lines)


def _on_stops(arm: Arm, q: Floats) -> list[str]:
    """The muscles whose stops push back at q, (3n,) in m."""
    ranges = [section.length_range if section.stops else None for section in arm.sections for _ in section.muscle_map]
    each = zip(arm.muscle_names, ranges, arm.muscle_lengths(q), strict=True)
    return [name for name, allowed, length in each if allowed and not allowed[0] <= length <= allowed[1]]


def _some_numbers(values: Sequence[float]) -> str:
    """The first of some numbers, and a sign that there are more."""
    return ", ".join(f"{value:g}" for value in values[:MOST_ANGLES]) + (", ..." if len(values) > MOST_ANGLES else "")


def _of_sections(values: list[str]) -> str:
    """One value if all sections have it, else all, from the base."""
    return values[0] if len(set(values)) == 1 else ", ".join(values)
