"""Laws of free parameters: the numbers of a search are an arm."""

from __future__ import annotations

import numpy as np
import pytest
from sample_recordings import TIMES, measured

from continuarm import load_arm
from continuarm.identification.fittable_names import FITTABLE
from continuarm.identification.free_parameters import free_parameters


@pytest.mark.parametrize("name", [name for name in FITTABLE if name not in ("sensor_frame", "delay")])
def test_the_numbers_of_a_search_are_the_arm(prototype, name):
    """At the start they give the arm itself, elsewhere another arm, and back."""
    arm = load_arm("prototype-muscles").replace(base_rotation=(0.1, 0.0, 0.2))
    runs = measured(prototype, times=TIMES[:3])
    free = free_parameters(arm, [name], runs)
    begin = free.arm(free.start)
    for now, before in zip(begin.sections, arm.sections, strict=True):
        for field in ("stiffness_matrix", "damping_matrix"):
            np.testing.assert_allclose(getattr(now, field), getattr(before, field), rtol=1e-12, atol=1e-9)
        for field in (
            "mass",
            "muscle_area",
            "dead_zone",
            "valve_lag",
            "pressure_stiffness",
            "hysteresis",
            "twist",
            "offset",
        ):
            np.testing.assert_allclose(getattr(now, field), getattr(before, field), rtol=1e-12)
    assert begin.base_rotation == pytest.approx(arm.base_rotation)
    inside = free.lower + 0.6 * (free.upper - free.lower)
    assert (free.lower < free.upper).all()
    assert free.arm(inside) != begin
    shown = free.reported(inside)
    assert len(shown) == len(free) == len(free.labels)
    assert len({each.name for each in shown}) == len(shown)
