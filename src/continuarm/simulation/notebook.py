"""A motion in a notebook: what it is, how the arm ends, and the page that plays it."""

from __future__ import annotations

import html

import numpy as np

from continuarm.common.number_checks import is_number
from continuarm.common.text import printable
from continuarm.drawing.notebook import card, facts_table
from continuarm.drawing.svg import arm_svg
from continuarm.simulation.motion import Motion
from continuarm.simulation.plots import some_rows, what_drives

MOST_STATES = 600
"""Of a motion that is played in a notebook: the page shows straight lines between them."""
LARGEST = 1_200_000
"""Letters of a page: notebooks keep it, with every other output."""
SHAPES = 5


def motion_card(motion: Motion) -> str:
    """A picture of the motion, what it is, and the page that plays it, if that is small enough for a notebook."""
    if not len(motion.t):
        return card(repr(motion), "", facts_table(motion_facts(motion)))
    rows = some_rows(motion, SHAPES)
    pressures = motion.pressures[-1] if motion.pressures.any() else None
    picture = arm_svg(motion.arm, motion.q[-1], pressures, motion.q[rows[:-1]], motion.tips[:, -1])
    return card(repr(motion), picture, facts_table(motion_facts(motion))) + player(motion)


def motion_facts(motion: Motion) -> dict[str, str]:
    """What a motion is, by what each fact is about; names are other people's text as it is."""
    record, count = motion.record, len(motion.t)
    step = float(np.median(np.diff(motion.t))) if count > 1 else 0.0
    facts = {
        "arm": f"{motion.arm.name}, {motion.arm.inertia.model} model",
        "states": f"{count}" + (f", every {1e3 * step:.3g} ms" if step else ""),
        "driven by": what_drives(motion) if count else "",
        "tip at the end": ", ".join(f"{round(1e3 * each, 1) + 0:g}" for each in motion.tips[-1, -1]) + " mm"
        if count
        else "",
        "energy supplied": f"{motion.supplied[-1]:.3g} J, {motion.dissipated[-1]:.3g} J of it dissipated"
        if count
        else "",
        "solver": str(record.get("solver", "")),
        "computed": _pace(record.get("real_time_factor")),
        "stopped": motion.stopped,
    }
    return {name: fact for name, fact in facts.items() if fact}


def _pace(factor: object) -> str:
    """1,900 times real time; nothing for what is no number, as a file of others may have it."""
    if not is_number(factor):
        return ""
    return f"{float(factor):,.0f} times real time" if factor >= 10 else f"{float(factor):.2g} times real time"  # type: ignore[arg-type, operator]


def player(motion: Motion) -> str:
    """The page that plays a motion, in a frame that cannot reach the notebook; nothing where it is too large."""
    from continuarm.viewer.html import html_page

    count = len(motion.t)
    kept = np.unique(np.linspace(0, count - 1, min(count, MOST_STATES)).round().astype(int))
    page = html_page(motion.rows(kept))
    if len(page) > LARGEST:
        return ""
    name = html.escape(printable(f"motion of {motion.arm.name}"), quote=True)
    look = "width:100%;height:520px;border:1px solid #8884;border-radius:4px"
    source = html.escape(page, quote=True)
    return f'<iframe title="{name}" style="{look}" sandbox="allow-scripts" loading="lazy" srcdoc="{source}"></iframe>'
