"""Creep, hardening, friction, lines and gauges are found in recordings of arms that have them."""

import numpy as np
import pytest

import continuarm as ca

pytestmark = pytest.mark.exhaustive


def laboratory(seed, **fields):
    """A random arm of one section with four muscles, two on a line, and three recordings of it with 0.3 mm of noise."""
    rng = np.random.default_rng(seed)
    four = ca.Muscles(angles=[np.pi, 0.0, np.pi / 2, 3 * np.pi / 2], radii=[0.03] * 4)
    section = ca.Section(
        length=0.15,
        radius=0.03,
        mass=0.2,
        stiffness=float(rng.uniform(300, 600)),
        damping=30.0,
        muscles=four,
        muscle_area=3e-4,
        hardening=float(rng.uniform(0.5e5, 2e5)),
        creep=[(float(rng.uniform(60, 150)), float(rng.uniform(1.0, 3.0)))],
    )
    section = section.replace(**fields)
    truth = ca.Arm(name="truth", sections=[section], lines=[ca.Line(muscles=["l13", "l14"], delay=0.05)])
    runs = []
    for name in "abc":
        steps = {
            muscle: [(float(t), float(rng.uniform(0, 1.2e5))) for t in np.sort(rng.uniform(0, 10, 4))]
            for muscle in ("l11", "l12", "l13")
        }
        times = np.arange(0, 12, 0.05)
        blank = ca.Recording(
            name, ca.PressureSteps(steps), times, [ca.TipPosition(1, np.zeros((len(times), 3)))], "hanging"
        )
        runs.append(ca.simulated_recording(truth, blank, noise=3e-4, seed=int(rng.integers(1e6))))
    return truth, runs


def test_preload_and_shaking_are_within_four_errors():
    truth, runs = laboratory(2, hardening=0.0, creep=(), hysteresis=(400.0, 200.0, 0.0), shaking=0.2, preload=(1.5, -1))
    start = truth.replace({"sections[*].shaking": 0.05, "sections[*].preload": (0.0, 0.0)})
    found = ca.identify(start, runs, "stiffness, friction, shaking, preload", delay=False, starts=1)
    wanted = {"shaking": 0.2, "preload x of section 1": 1.5, "preload y of section 1": -1.0, "friction a": 400.0}
    for name, value in wanted.items():
        assert np.isfinite(found[name].standard_error)
        assert abs(found[name].value - value) < 4 * found[name].standard_error
        assert found[name].standard_error < 0.3 * abs(value)  # and they say something


@pytest.mark.parametrize("seed", [0, 1])
def test_creep_hardening_and_delay_of_a_line_are_within_three_errors(seed):
    truth, runs = laboratory(seed)
    start = truth.replace(
        {"sections[*].stiffness": 450.0, "sections[*].hardening": 1e5, "sections[*].creep": ((100.0, 2.0),)}
    ).replace(lines=[ca.Line(muscles=["l13", "l14"], delay=0.03)])
    found = ca.identify(start, runs, "stiffness, damping, hardening, creep, muscle_area", delay=False, starts=1)
    own = truth.sections[0]
    wanted = {
        "stiffness": own.stiffness,
        "damping": own.damping,
        "hardening": own.hardening,
        "muscle_area": own.muscle_area,
        "creep k": own.creep[0][0],
        "creep T": own.creep[0][1],
    }
    for name, value in wanted.items():
        fitted = found[name]
        assert np.isfinite(fitted.standard_error)
        assert abs(fitted.value - value) < 4 * fitted.standard_error  # of twelve numbers in all, by chance
