"""Where the model of a section ends, and how far its muscles let it bend."""

from __future__ import annotations

import math

import numpy as np

from continuarm.arms.section import Section
from continuarm.sections.coordinates import shape_of
from continuarm.sections.spatial import Array, components

FULL_TURN = 2 * math.pi
"""The largest bending angle φ of a section, rad: beyond it the section would pass through itself."""

LARGEST_BEND_SQUARED = FULL_TURN**2 * (1 + 2e-12)
"""y = φ² of a full turn, rad², and a little more for rounding."""


def margins(section: Section, q: Array) -> tuple[Array, Array]:
    """How far a section is from where the model ends: 1 - φ²/(2π)² and its length s in m, (...,) each.

    The model holds where both are positive.
    """
    a, b, s = components(shape_of(section, q))
    return 1 - (a * a + b * b) * (1 / LARGEST_BEND_SQUARED), s


def bending_angle(section: Section, q: Array) -> Array:
    """φ, rad: (...,)."""
    a, b, _ = components(shape_of(section, q))
    return np.hypot(a, b)


def greatest_bend(section: Section) -> float:
    """The largest bending angle φ, rad, that muscles inside their length_range allow; 2π if that is more, or without.

    Muscles at p_j bent by φ towards a unit vector u have lengths e - φ u·p_j, so φ is at most the length of the range
    over the width of the set of muscles along u. That is least across two of them: 2 (l_max - l_min) / 3r for three.
    """
    if section.length_range is None:
        return FULL_TURN
    places = -(section.muscle_map @ section.length_map)[:, :2]
    apart = (places[:, None] - places).reshape(-1, 2)
    apart = apart[np.hypot(*apart.T) > 1e-9 * section.radius]
    across = np.stack([-apart[:, 1], apart[:, 0]]) / np.hypot(*apart.T)
    least, greatest = section.length_range
    return float(min((greatest - least) / np.ptp(places @ across, axis=0).min(), FULL_TURN))
