"""Laws of fittable parameters: one number for each muscle of any layout, and what cannot be free is refused."""

from __future__ import annotations

import numpy as np
import pytest
from sample_recordings import changed, run_of, table_of

from continuarm import ForceSignal, Muscles
from continuarm.identification.fit import identify
from continuarm.identification.free_parameters import free_parameters
from continuarm.identification.recording import Recording
from continuarm.identification.search_numbers import Free
from continuarm.identification.synthetic_recordings import tip_sensors
from refusals import refused


def test_one_number_per_muscle_of_any_layout(section):
    four = Muscles(angles=[0, np.pi / 2, np.pi, 3 * np.pi / 2], radii=[0.0125] * 4)
    arm = section.replace(sections=[section.sections[0].replace(muscles=four)])
    free = free_parameters(arm, ["stiffness per muscle"], [run_of(section)], delay=False)
    assert free.arm(np.log([1.0, 2.0, 3.0, 4.0])).sections[0].stiffness == pytest.approx((1, 2, 3, 4))
    one = free_parameters(arm, ["stiffness"], [run_of(section)], delay=False)
    assert one.arm(one.start).sections[0].stiffness == pytest.approx(1700)


def test_a_loop_is_one_that_can_be_wherever_the_search_looks(section):
    """b is never below |g|, not even a little beyond the bounds, where slopes are taken."""
    free = free_parameters(section, ["hysteresis"], [run_of(section)], delay=False)
    for part in (-1.5, -1.0, -0.5, 1.0, 1.001):
        a, b, g = free.arm(np.array([*free.start[:2], part])).sections[0].hysteresis
        assert a >= 0
        assert b >= abs(g)


@pytest.mark.parametrize(
    ("free", "named"),
    [
        (["stifness"], ["free = 'stifness'", "'stiffness'"]),
        (["cheese"], ["free = 'cheese'", "stiffness per section", "delay"]),
        (["stiffness", "stiffness per section"], ["free", "stiffness"]),
        ([], ["free", "at least one"]),
        (["delay"], ["free", "at least one"]),
        (["shaking"], ["free", "shaking", "hysteresis"]),
        ([Free("preload", bounds=(1, 2))], ["free", "preload", "bounds"]),
        (["twist"], ["free", "twist", "'single-section'", "one section"]),
        ([Free("stiffness", bounds=(3, 2))], ["bounds of stiffness = [3.0, 2.0]", "0 <= low < high"]),
        ([Free("stiffness", bounds=(1, 2), start=3)], ["start of stiffness = 3", "1 to 2"]),
        ([Free("hysteresis", bounds=(1, 2))], ["free", "hysteresis", "bounds"]),
        (["stiffness", Free("delay", bounds=(-11, 1))], ["bounds of delay = [-11.0, 1.0]", "±10 s"]),
    ],
)
def test_what_cannot_be_free_is_refused(section, free, named):
    with refused(*named):
        identify(section, run_of(section), free)


def test_parameters_that_recordings_cannot_show_are_refused(section):
    pushed = Recording("run", ForceSignal([0.0], [[5.0, 0, 0]]), np.arange(9) / 30, tip_sensors(section, 9))
    for name in ("muscle_area", "dead_zone", "valve_lag", "pressure_stiffness"):
        with refused("free", name, "pressures"):
            identify(section, pushed, [name])
    for name in ("damping", "damping per muscle", "damping matrix", "valve_lag", "hysteresis"):
        with refused("free", name.split()[0], "motion", "static tables"):
            identify(section, table_of(section), [name])
    bare = section.replace(sections=[section.sections[0].replace(muscle_area=None)])
    with refused("muscle_area"):
        identify(bare, run_of(section), ["stiffness"])
    found = identify(bare, run_of(section), [Free("muscle_area", start=2e-4)])
    assert found["muscle_area"].value == pytest.approx(1.327e-4, rel=0.01)


def test_rest_length_and_radius_are_found(prototype):
    """Of a table, per section: a ruler is off by some percent."""
    begin = changed(prototype, length=1.04, radius=0.92)
    found = identify(begin, table_of(prototype, 40), ("length per section", "radius"), starts=1)
    right = {f"length of section {i + 1}": s.length for i, s in enumerate(prototype.sections)}
    for name, value in (right | {"radius": prototype.sections[0].radius}).items():
        assert abs(found[name].value - value) < 4 * found[name].standard_error
        assert found[name].standard_error < 0.02 * value
    assert not found.serious


def test_a_section_is_never_searched_shorter_than_its_muscles(section):
    ranged = section.replace(sections=[s.replace(length_range=(-0.06, 0.1)) for s in section.sections])
    free = free_parameters(ranged, ["length"], [run_of(section)], delay=False)
    assert np.exp(free.lower[0]) > 0.06
    free.arm(free.lower)  # there is such an arm


@pytest.mark.slow
def test_an_arm_that_is_a_hundred_times_softer_is_found(section):
    """A start that was meant for another arm."""
    soft = changed(section, stiffness=0.1, damping=0.1, muscle_area=0.1, mass=0.1)
    begin = changed(soft, stiffness=100)
    found = identify(begin, run_of(soft), ("stiffness", "damping"))
    assert found["stiffness"].start / found["stiffness"].value == pytest.approx(100, rel=0.1)
    assert abs(found["stiffness"].value - 170) < 4 * found["stiffness"].standard_error
