"""Where the model of a section ends, and how far its muscles let it bend."""

from __future__ import annotations

import math

import numpy as np

from continuarm.arms.section import Section

FULL_TURN = 2 * math.pi
"""The largest bending angle φ of a section, rad: beyond it the section would pass through itself."""


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
