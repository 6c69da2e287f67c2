"""Laws of gradients over motions: the sweep backward agrees with slopes carried forward, and with differences."""

import numpy as np
import pytest

import continuarm as ca
from random_arms import random_arm, random_lengths, random_rates

STEPS = 40
MUSCLES = {
    "muscle_area": 4e-4,
    "dead_zone": 2e4,
    "valve_lag": 0.03,
    "vent_lag": 0.05,
    "pressure_stiffness": 1e-3,
    "hardening": 1e5,
    "hysteresis": (60.0, 40.0, -15.0),
    "shaking": 0.2,
    "preload": (0.5, -0.3),
    "creep": [(200.0, 0.05), (90.0, 0.4)],
    "length_range": (-0.002, 0.003),
    "stop_stiffness": 2e4,
}
NAMES = [
    *("stiffness", "damping", "sections[0].mass", "length", "radius", "offset", "sections[1].twist", "gravity[2]"),
    *("payload.mass", "payload.offset[0]", "base_rotation[0]", "muscle_area", "dead_zone", "valve_lag", "vent_lag"),
    *("pressure_stiffness", "hardening", "creep[0][0]", "creep[1][1]", "hysteresis[0]", "hysteresis[1]"),
    *("hysteresis[2]", "shaking", "preload[0]", "sections[1].preload[1]", "stop_stiffness", "length_range[1]"),
]


def a_case(fields, seed=4):
    rng = np.random.default_rng(seed)
    arm = random_arm(rng, 2)
    sections = [s.replace(stiffness=1500.0, damping=30.0, **fields) for s in arm.sections]
    arm = arm.replace(sections=sections)
    start = {"q0": random_lengths(rng, arm, 0.2), "qd0": 0.1 * random_rates(rng, arm)}
    weights = rng.normal(size=(STEPS + 1, 6)), 0.01 * rng.normal(size=(STEPS + 1, 6))
    pressures = 1e5 * np.abs(rng.normal(size=(STEPS, 6)))
    wrench = rng.normal(size=6) * 0.1
    return rng, arm, start, weights, pressures, wrench


DELAYS = (0.0, 2.5, 7.0)
"""In steps."""


def found_by(arm, start, weights, pressures, wrench, **more):
    def loss(t, q, qd):
        return float((weights[0] * q).sum() + (weights[1] * qd).sum()), *weights

    signal = ca.PressureSignal(np.arange(STEPS) * 1e-3, pressures, linear=False)
    return ca.motion_gradient(arm, loss, signal, duration=STEPS * 1e-3, wrench=wrench, **start, **more)


def test_the_motion_is_that_of_fixed_steps_and_its_gradient_that_of_its_sensitivities():
    """Two ways through other generated steps, forward by dual numbers and backward: equal to rounding."""
    _, arm, start, weights, pressures, wrench = a_case(MUSCLES)
    only_q = weights[0], None
    signal = ca.PressureSignal(np.arange(STEPS) * 1e-3, pressures, linear=False)
    motion = ca.simulate(
        arm,
        signal,
        duration=STEPS * 1e-3,
        rate=1000,
        wrench=wrench,
        solver=ca.FixedStep(1000),
        sensitivities=NAMES,
        **start,
    )
    found = ca.motion_gradient(
        arm,
        lambda t, q, qd: (float((weights[0] * q).sum()), *only_q),
        signal,
        duration=STEPS * 1e-3,
        wrench=wrench,
        parameters=NAMES,
        **start,
    )
    np.testing.assert_array_equal(found.q, motion.q)
    for name in NAMES:
        each = weights[0] * motion.sensitivities[name]
        assert found.parameters[name] == pytest.approx(each.sum(), abs=1e-12 * np.abs(each).sum()), name
        assert found.parameters[name] != 0 or name == "stop_stiffness", name


@pytest.mark.parametrize("fields", [{"muscle_area": 4e-4}, MUSCLES], ids=["plain", "all laws"])
def test_gradients_by_start_and_commands_agree_with_differences(fields):
    """Central differences in a random direction: their own error is below 1e-6 of the largest part."""
    rng, arm, start, weights, pressures, wrench = a_case(fields)
    found = found_by(arm, start, weights, pressures, wrench)
    for name, size in (("q0", 1e-7), ("qd0", 1e-5)):
        way = rng.normal(size=6)
        ends = [
            found_by(arm, start | {name: start[name] + sign * size * way}, weights, pressures, wrench).loss
            for sign in (1, -1)
        ]
        assert np.vdot(getattr(found, name), way) == pytest.approx((ends[0] - ends[1]) / (2 * size), rel=1e-5)
    way = rng.normal(size=pressures.shape)
    ends = [found_by(arm, start, weights, pressures + sign * 10 * way, wrench).loss for sign in (1, -1)]
    assert np.vdot(found.pressures, way) == pytest.approx((ends[0] - ends[1]) / 20, rel=1e-5)
    way = rng.normal(size=6)
    ends = [found_by(arm, start, weights, pressures, wrench + sign * 1e-4 * way).loss for sign in (1, -1)]
    assert found.wrench.sum(axis=0) @ way == pytest.approx((ends[0] - ends[1]) / 2e-4, rel=1e-5)


def test_gradients_by_commands_are_by_what_was_commanded_where_lines_delay_it():
    """Delays of no step, of a part of one and of several; the last commands arrive too late to matter."""
    rng, arm, start, weights, pressures, wrench = a_case({"muscle_area": 4e-4})
    lines = [ca.Line(muscles=[name], delay=1e-3 * late) for name, late in zip(arm.muscle_names, DELAYS, strict=False)]
    late = arm.replace(lines=lines)
    found = found_by(late, start, weights, pressures, wrench)
    way = rng.normal(size=pressures.shape)
    ends = [found_by(late, start, weights, pressures + sign * 10 * way, wrench).loss for sign in (1, -1)]
    assert np.vdot(found.pressures, way) == pytest.approx((ends[0] - ends[1]) / 20, rel=1e-5)
    assert not found.pressures[-2:, 1].any()
    assert found.pressures[-1, 0]


def test_shaking_counts_where_there_is_none_yet():
    _, arm, start, weights, pressures, wrench = a_case(MUSCLES | {"shaking": 0.0})
    found = [
        found_by(arm.replace({"sections[*].shaking": c}), start, weights, pressures, wrench, parameters=["shaking"])
        for c in (0.0, 1e-12)
    ]
    assert found[0].parameters["shaking"] == pytest.approx(found[1].parameters["shaking"], rel=1e-9)


def test_a_rest_that_changes_with_the_arm_counts():
    arm = ca.load_arm("prototype")

    def loss(t, q, qd):
        return float(q[-1].sum()), np.concatenate([np.zeros((len(t) - 1, 9)), np.ones((1, 9))]), None

    found = ca.motion_gradient(arm, loss, duration=0.05, start="equilibrium", parameters=["stiffness"])
    at = [float(ca.equilibrium(arm.replace({"sections[*].stiffness": 1700 + by})).sum()) for by in (1.0, -1.0)]
    assert found.parameters["stiffness"] == pytest.approx((at[0] - at[1]) / 2, rel=1e-5)


def test_what_is_wrong_is_named():
    arm = ca.load_arm("single-section")

    def loss(t, q, qd):
        return 0.0, np.zeros((2, 3)), None

    with pytest.raises(ValueError, match=r"by q has shape \(2, 3\).*\(11, 3\)"):
        ca.motion_gradient(arm, loss, duration=0.01)
    with pytest.raises(ValueError, match="whole number"):
        ca.motion_gradient(arm, loss, duration=0.0105)
    with pytest.raises(ValueError, match=r"parameters: .*masss"):
        ca.motion_gradient(arm, loss, duration=0.01, parameters=["masss"])
    with pytest.raises(ValueError, match="controller"):
        ca.motion_gradient(arm, loss, ca.Controller(lambda t, q, qd: np.zeros(3), 100), duration=0.01)
    with pytest.raises(ValueError, match="ends at t"):
        ca.motion_gradient(arm, loss, ca.ForceSignal([0.0], [[-1e5, 1e5, 0.0]]), duration=1.0)
