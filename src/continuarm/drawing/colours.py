"""Colours: of the bodies of an arm, of pressures, and of curves."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from continuarm.common.number_checks import Floats

# Colours that stay apart for colour-blind eyes (Okabe and Ito); blue, black and red for X, Y and Z as in the paper.
BLUE, RED, GREEN, ORANGE, SKY, PURPLE, BLACK = (
    *("#0072B2", "#D55E00", "#009E73", "#E69F00", "#56B4E9", "#CC79A7", "#000000"),
)
AXES = {"X": BLUE, "Y": BLACK, "Z": RED}
CYCLE = (BLUE, RED, GREEN, ORANGE, PURPLE, SKY, BLACK)
NAVY = "#003A5C"

PLATE_COLOUR, GHOST_COLOUR, PAYLOAD_COLOUR, CENTRE_COLOUR = "#596273", "#C2378F", "#3B4252", "#20242C"
SECTION_COLOURS = ("#2F6DB5", "#1FA187", "#8A63C4", "#5FA8DD", "#4C7A34")
"""Cold, so that warm pressures stand out; repeated for arms of more sections."""
PRESSURE_COLOURS = ("#C9CED8", "#F6C667", "#EF7F3C", "#B5152B")
"""From no pressure to the highest, evenly spaced."""


def section_colour(section: int) -> str:
    """The colour of a section, numbered from 0."""
    return SECTION_COLOURS[section % len(SECTION_COLOURS)]


def pressure_colours(pressures: ArrayLike, highest: float) -> NDArray[np.uint8]:
    """Colours of pressures (...,) from 0 to the highest, in one unit: (..., 3); beyond them, that of the end."""
    anchors = np.array([rgb(colour) for colour in PRESSURE_COLOURS], dtype=float)
    part = np.clip(np.asarray(pressures, dtype=float) / (highest or 1.0), 0, 1) * (len(anchors) - 1)
    channels = [np.interp(part, np.arange(len(anchors)), channel) for channel in anchors.T]
    return np.rint(np.stack(channels, axis=-1)).astype(np.uint8)


def pressure_limit(*pressures: Floats) -> float:
    """The end of a bar of pressure colours, Pa: the highest of all, rounded up to 100 kPa; 0 without any."""
    highest = max(float(np.max(each, initial=0.0)) for each in pressures)
    return 1e5 * float(np.ceil(highest / 1e5 - 1e-9))


def rgb(colour: str) -> tuple[int, int, int]:
    """#RRGGBB as three numbers from 0 to 255."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def faded(colour: str, share: float) -> tuple[float, float, float]:
    """A colour faded towards white to a share of its strength: three numbers from 0 to 1."""
    red, green, blue = shades(colour, np.array([share]))[0]
    return float(red), float(green), float(blue)


def shades(colour: str, shares: Floats) -> Floats:
    """A colour faded to shares (m,) of its strength: (m, 3), 0 to 1."""
    return 1 - np.multiply.outer(shares, 1 - np.array(rgb(colour)) / 255)
