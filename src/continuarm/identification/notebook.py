"""A fit in a notebook: parameters with their errors, what is left of every sensor, and the warnings."""

from __future__ import annotations

import math

from continuarm.common.html_page import html_text
from continuarm.drawing.notebook import card, interval_svg, plain_table, sentences
from continuarm.identification.fitted_parameters import FittedParameter, with_error
from continuarm.identification.goodness_of_fit import Misfit
from continuarm.identification.measurement_units import READ_IN, readable
from continuarm.identification.result import Identification

WIDEST = 0.5
"""Of the intervals that are drawn, in values of their parameters."""


def identification_card(result: Identification) -> str:
    """The fit of an arm."""
    widths = [_half_width(each) for each in result.parameters if math.isfinite(each.standard_error)]
    half = min(max(widths, default=0.0), WIDEST)
    parameters = plain_table(
        ("parameter", "value ± standard error", "unit", "95 % interval", "start", f"interval, ± {100 * half:.2g} %"),
        [_parameter(each, half) for each in result.parameters],
        drawn=True,
    )
    both = [(each, False) for each in result.misfit] + [(each, True) for each in result.held_out]
    misfits = plain_table(
        ("recording", "sensor", "rms distance", "of noise alone", "times"), [_misfit(*each) for each in both]
    )
    judged = f'<div style="font-weight:600;margin:2px 0">{html_text(result.verdict)}</div>'
    words = sentences([*result.undetermined, *result.warnings, *result.notes])
    title = repr(result).splitlines()[0]
    return card(title, "", judged, words, parameters, misfits)


def _half_width(each: FittedParameter) -> float:
    return max(each.high - each.value, each.value - each.low) / abs(each.value) if each.value else 0.0


def _parameter(each: FittedParameter, half: float) -> tuple[str, ...]:
    known = math.isfinite(each.standard_error)
    interval = f"{each.low:.5g} to {each.high:.5g}" if known else "unknown"
    drawn = interval_svg(each.low, each.value, each.high, half * abs(each.value)) if known else ""
    return each.name, with_error(each.value, each.standard_error), each.unit, interval, f"{each.start:.5g}", drawn


def _misfit(each: Misfit, held_out: bool) -> tuple[str, ...]:
    name = each.recording + (" (held out)" if held_out else "")
    known = each.unit in READ_IN
    both = (each.distance, each.noise_distance)
    distance, noise = (readable(value, each.unit) if known else f"{value:.3g}" for value in both)
    return name, each.sensor, distance, noise, f"{each.multiple:.2f}"
