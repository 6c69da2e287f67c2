"""Laws of free parameters: the numbers of a search are an arm, and what cannot be free is refused."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from identify_study import FREE, TIMES, measured, run_of, table_of

from continuarm import ForceSignal, Muscles, load_arm, simulate, tip_jacobian
from continuarm.identification.fit import identify
from continuarm.identification.fittable_parameters import BUILDERS
from continuarm.identification.free_parameters import Free, free_parameters
from continuarm.identification.recording import Recording
from continuarm.identification.residuals import Residuals
from continuarm.identification.simulated_recordings import tip_sensors


@pytest.fixture(scope="module")
def prototype():
    return load_arm("prototype")


@pytest.fixture(scope="module")
def section():
    return load_arm("single-section")


@pytest.mark.parametrize("name", [name for name in BUILDERS if name not in ("sensor_frame", "delay")])
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
    shown = free.shown(inside)
    assert len(shown) == len(free) == len(free.labels)
    assert len({each.name for each in shown}) == len(shown)


def test_one_number_per_muscle_of_any_layout(section):
    four = Muscles(angles=[0, np.pi / 2, np.pi, 3 * np.pi / 2], radii=[0.0125] * 4)
    arm = section.replace(sections=[section.sections[0].replace(muscles=four)])
    free = free_parameters(arm, ["stiffness per muscle"], [run_of(section)], delay=False)
    assert free.arm(np.log([1.0, 2.0, 3.0, 4.0])).sections[0].stiffness == pytest.approx((1, 2, 3, 4))
    one = free_parameters(arm, ["stiffness"], [run_of(section)], delay=False)
    assert one.arm(one.start).sections[0].stiffness == pytest.approx(1700)


@pytest.mark.parametrize(
    ("free", "sentence"),
    [
        (["stifness"], "free = 'stifness': did you mean 'stiffness'?"),
        (["stiffness", "stiffness per section"], "free: stiffness is named more than once"),
        ([], "free names no parameter of the arm"),
        (["delay"], "free names no parameter of the arm"),
        (["twist"], "free: twist is of the joint between sections, and 'single-section' has one section"),
        ([Free("stiffness", bounds=(3, 2))], "free: bounds of stiffness = [3, 2]: must be 0 <= low < high"),
        (
            [Free("stiffness", bounds=(1, 2), start=3)],
            "free: start of stiffness = 3: must be within its bounds, 1 to 2",
        ),
        ([Free("hysteresis", bounds=(1, 2))], "free: hysteresis takes no bounds and no start"),
        (["stiffness", Free("delay", bounds=(-1, 1))], "free: bounds of delay = [-1, 1]: must be within ±0.2 s"),
    ],
)
def test_what_cannot_be_free_is_refused(section, free, sentence):
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}"):
        identify(section, run_of(section), free)


def test_parameters_that_recordings_cannot_show_are_refused(section):
    pushed = Recording("run", ForceSignal([0.0], [[5.0, 0, 0]]), np.arange(9) / 30, tip_sensors(section, 9))
    for name in ("muscle_area", "dead_zone", "valve_lag", "pressure_stiffness"):
        with pytest.raises(ValueError, match=f"^free: {name} is of muscles under pressure, and no recording is driven"):
            identify(section, pushed, [name])
    for name in ("damping", "damping per muscle", "damping matrix", "valve_lag", "hysteresis"):
        with pytest.raises(ValueError, match=r"^free: \w+ shows only in motion, and the recordings are static tables"):
            identify(section, table_of(section), [name])
    bare = section.replace(sections=[section.sections[0].replace(muscle_area=None)])
    with pytest.raises(ValueError, match=r"muscle_area is missing"):
        identify(bare, run_of(section), ["stiffness"])
    found = identify(bare, run_of(section), [Free("muscle_area", start=2e-4)])
    assert found["muscle_area"].value == pytest.approx(1.327e-4, rel=0.01)


def test_slopes_of_a_search_are_good_to_a_few_thousandths(section):
    run = run_of(section)
    free = free_parameters(section, (*FREE, "sensor_frame"), [run])
    with ThreadPoolExecutor(1) as pool:
        residuals = Residuals(free, [run], pool)
        residuals.rescale(free.start)
        plain, fine = residuals.slopes(free.start), residuals.slopes(free.start, fine=True)
    assert plain.shape == (3 * 120, len(free))
    for column, better in zip(plain.T, fine.T, strict=True):
        assert np.linalg.norm(column - better) < 5e-3 * np.linalg.norm(better)
    # a late recording shows the arm as it was: the slope over the delay, in tenths of a second, is the velocity
    motion = simulate(section, run.input, duration=4.0, rate=30, start="equilibrium")
    speed = (tip_jacobian(section, motion.q[:120])[:, 0, 3:] @ motion.qd[:120, :, None])[..., 0]
    np.testing.assert_allclose(fine[:, -1].reshape(-1, 3), 0.1 * speed / residuals.scales[0][0], rtol=0, atol=0.05)
