"""Laws of sensitivities: exact derivatives of the motion by every kind of number of an arm, and what is refused."""

import numpy as np
import pytest

from continuarm import (
    CVODE,
    Adaptive,
    Arm,
    CentreOfGravity,
    Controller,
    FixedStep,
    Integral,
    Muscles,
    Payload,
    PressureSteps,
    Section,
    gravity_forces,
    load_arm,
    load_motion,
    simulate,
    static_stiffness,
)
from continuarm.arms.parameters import SECTION_FIELDS, moved, size_of
from continuarm.engine import compiled
from refusals import refused

FOUR = Muscles(angles=[0.1, np.pi / 2, np.pi, 3 * np.pi / 2], radii=[0.02, 0.018, 0.02, 0.019])
RICH = Arm(
    sections=[
        Section(
            length=0.2,
            radius=0.02,
            mass=0.12,
            stiffness=(900.0, 950.0, 1000.0, 1050.0),
            damping=[[30.0, 1.0, 2.0], [1.0, 28.0, 0.5], [2.0, 0.5, 26.0]],
            twist=0.4,
            offset=0.01,
            muscles=FOUR,
            muscle_area=1.5e-4,
            dead_zone=2e4,
            valve_lag=0.03,
            vent_lag=0.05,
            pressure_stiffness=1e-3,
            hardening=3e5,
            creep=[(120.0, 0.2), (60.0, 0.05)],
            hysteresis=(100.0, 80.0, 20.0),
            shaking=0.2,
            preload=(0.4, -0.2),
        ),
        Section(
            length=0.15,
            radius=0.0125,
            mass=0.08,
            stiffness=1200.0,
            damping=20.0,
            muscle_area=1.3e-4,
            dead_zone=3e4,
            length_range=(-0.01, 0.012),
            stop_stiffness=4e3,
        ),
    ],
    gravity=(0.5, 0.2, 9.7),
    base_rotation=(0.1, -0.2, 0.3),
    payload=Payload(mass=0.03, offset=(0.01, 0.0, 0.02)),
)
"""Two sections with all that a section may have: four muscles, valves, hysteresis, creep, hardening, stops."""
EVERY_KIND = [
    "mass",
    "length",
    "radius",
    "sections[1].stiffness",
    "sections[0].stiffness[2]",
    "sections[1].damping",
    "sections[0].damping[0][1]",
    "twist",
    "offset",
    "sections[0].muscles.angles[1]",
    "sections[0].muscles.radii[*]",
    "muscle_area",
    "dead_zone",
    "sections[0].valve_lag",
    "sections[0].vent_lag",
    "pressure_stiffness",
    "hardening",
    "sections[0].creep[0][0]",
    "sections[0].creep[1][1]",
    "sections[0].hysteresis[0]",
    "sections[0].hysteresis[1]",
    "sections[0].hysteresis[2]",
    "sections[0].shaking",
    "preload[0]",
    "sections[1].length_range[1]",
    "sections[1].stop_stiffness",
    "gravity[0]",
    "base_rotation[1]",
    "payload.mass",
    "payload.offset[0]",
]
DRIVE = PressureSteps(
    {"l11": [(0.0, 2e5), (0.0612, 1e4)], "l13": [(0.0206, 3e5)], "l22": [(0.0, 2.5e5)], "l23": [(0.0453, 4e5)]}
)
"""Jumps inside steps, so that the means of commands change with the dead zone."""
WRENCH = [0.02, -0.01, 0.03, 0.4, -0.3, 0.2]


def errors(motion, other, names):
    """The largest error of the slopes by each name, over the largest slope."""
    found = {}
    for name in names:
        one, two = motion.sensitivities[name], other.sensitivities[name]
        found[name] = np.abs(one - two).max() / np.abs(two).max()
    return found


def difference(arm, name, step, run):
    """∂/∂θ of what `run` gives for an arm, by differences of order 4."""
    h = step * size_of(arm, name)
    at = {k: run(Arm.model_validate(moved(arm, name, k * h).model_dump())) for k in (-2, -1, 1, 2)}
    return (8 * (at[1] - at[-1]) - (at[2] - at[-2])) / (12 * h)


def test_every_kind_of_number_is_here():
    fields = {name.rpartition(".")[2].partition("[")[0] for name in EVERY_KIND}
    assert {*SECTION_FIELDS, "angles", "radii", "gravity", "base_rotation"} <= fields


SHAPED = CentreOfGravity(beta_linear=[1.1] * 3, beta_angular=[1.2, 1.0, 1.0])


@pytest.mark.slow
@pytest.mark.parametrize(("model", "start"), [(Integral(), "unbent"), (SHAPED, "equilibrium")])
def test_slopes_of_fixed_steps_are_those_of_complex_steps(monkeypatch, model, start):
    names = EVERY_KIND + (["inertia.beta_linear[0]"] if model.model != "integral" else [])
    arguments = {"duration": 0.1, "rate": 370.0, "solver": FixedStep(300.0), "start": start, "wrench": WRENCH}
    motion = simulate(RICH.replace(inertia=model), DRIVE, sensitivities=names, **arguments)
    monkeypatch.setattr(compiled, "native", None)
    reference = simulate(RICH.replace(inertia=model), DRIVE, sensitivities=names, **arguments)
    assert np.abs(motion.q - reference.q).max() < 1e-14
    assert max(errors(motion, reference, names).values()) < 1e-10


def test_the_motion_is_the_same_bit_for_bit():
    plain = simulate(RICH, DRIVE, duration=0.1, solver=FixedStep())
    motion = simulate(RICH, DRIVE, duration=0.1, solver=FixedStep(), sensitivities=EVERY_KIND)
    for name in ("q", "qd", "tau", "pressures", "hysteresis", "supplied", "dissipated"):
        assert np.array_equal(getattr(motion, name), getattr(plain, name)), name


@pytest.mark.parametrize("level", compiled.native.build_info()["instruction_sets"])
def test_every_instruction_set_has_the_same_slopes(level):
    compiled.native.use_level(level)
    try:
        found = simulate(RICH, DRIVE, duration=0.1, solver=FixedStep(), sensitivities=EVERY_KIND)
    finally:
        compiled.native.use_level("")
    widest = simulate(RICH, DRIVE, duration=0.1, solver=FixedStep(), sensitivities=EVERY_KIND)
    assert max(errors(found, widest, EVERY_KIND).values()) < 1e-10


@pytest.mark.parametrize("name", ["stiffness", "sections[0].mass", "length", "damping", "dead_zone", "valve_lag"])
def test_slopes_of_a_long_motion_are_those_of_differences(name):
    lags = {"sections[*].valve_lag": 0.05, "sections[*].vent_lag": 0.08}
    arm, solver = load_arm("prototype").replace(lags), FixedStep(200.0)
    steps = PressureSteps({"l33": [(0.0, 6e5), (4.0, 2e5)], "l12": [(1.0, 4e5)], "l21": [(2.5, 3e5), (6.0, 5e5)]})

    def run(arm, **more):
        return simulate(arm, steps, duration=10, rate=20, solver=solver, start="equilibrium", **more)

    motion = run(arm, sensitivities=name)
    expected = difference(arm, name, 1e-3, lambda arm: run(arm).q)
    assert np.abs(motion.sensitivities[name] - expected).max() < 1e-6 * np.abs(expected).max()
    tips = difference(arm, name, 1e-3, lambda arm: run(arm).tips)
    assert np.abs(motion.tip_sensitivities(name) - tips).max() < 1e-6 * np.abs(tips).max()


@pytest.mark.parametrize("name", ["stiffness", "sections[0].mass", "radius", "dead_zone", "valve_lag"])
def test_slopes_of_the_adaptive_solver_are_those_of_differences(name):
    arm = load_arm("prototype").replace({"sections[*].valve_lag": 0.05})
    steps = PressureSteps({"l33": [(0.0, 6e5)], "l12": [(0.4, 4e5)], "l21": [(0.7, 3e5)]})

    def run(arm, solver, **more):
        return simulate(arm, steps, duration=1, rate=50, solver=solver, start="equilibrium", **more)

    tight = Adaptive(rtol=1e-11, atol=1e-14)
    expected = difference(arm, name, 1e-3, lambda arm: run(arm, tight).q)
    for solver, tolerance in ((tight, 1e-7), (Adaptive(), 1e-5)):
        found = run(arm, solver, sensitivities=name).sensitivities[name]
        assert np.abs(found - expected).max() < tolerance * np.abs(expected).max()


def test_both_solvers_have_the_same_slopes():
    names = [name for name in EVERY_KIND if "length_range" not in name]  # where a muscle meets its stop is a kink
    one, two = (
        simulate(RICH, DRIVE, duration=0.1, rate=100, solver=solver, wrench=WRENCH, sensitivities=names)
        for solver in (Adaptive(rtol=1e-8, atol=1e-12), FixedStep(1e5))
    )
    # steps of order 2 in which jumps fall, and turns of muscles: 3e-4 at half the rate, 6e-5 at twice the rate
    assert max(errors(one, two, names).values()) < 3e-4


def test_the_state_is_no_worse_with_slopes():
    """Errors are the largest of those of the state and of each slope, so that none hides behind the others."""
    arm, steps = load_arm("prototype"), PressureSteps({"l33": [(0.0, 6e5)], "l12": [(0.4, 4e5)]})
    exact = simulate(arm, steps, duration=1, solver=Adaptive(rtol=1e-11, atol=1e-14)).q
    plain, sloped = (
        np.abs(simulate(arm, steps, duration=1, sensitivities=names).q - exact).max()
        for names in ([], ["stiffness", "mass", "length"])
    )
    assert sloped < 2 * plain


@pytest.mark.parametrize("name", ["radius", "sections[1].offset", "gravity[0]", "payload.mass", "payload.offset[1]"])
def test_a_straight_arm_has_slopes_too(name):
    payload = Payload(mass=0.02)
    arm = load_arm("prototype").replace({"sections[1].offset": 0.01, "payload": payload})
    alone = {"duration": 0.2, "rate": 50, "solver": FixedStep()}
    motion = simulate(arm, sensitivities=name, **alone)  # it falls along its axis and stays straight
    assert np.abs(motion.tips[..., :2]).max() < 1e-12
    expected = difference(arm, name, 1e-3, lambda arm: simulate(arm, **alone).tips)
    # tips are known to 1e-16 m, so that differences of them over 1e-3 of a size are to 1e-12 of it
    assert np.abs(motion.tip_sensitivities(name) - expected).max() < 1e-8 * np.abs(expected).max() + 1e-12 / size_of(
        arm, name
    )


def test_the_first_gram_of_a_payload_counts():
    arm = load_arm("prototype")
    motion = simulate(arm, duration=0.5, solver=FixedStep(), sensitivities="payload.mass")
    small = simulate(arm.replace(payload=Payload(mass=1e-6)), duration=0.5, solver=FixedStep())
    expected = (small.q - motion.q) / 1e-6
    assert np.abs(motion.sensitivities["payload.mass"] - expected).max() < 1e-4 * np.abs(expected).max()


def test_all_sections_together_are_the_sum_of_each():
    names = ["mass", "sections[0].mass", "sections[1].mass", "sections[-1].mass"]
    slopes = simulate(RICH, DRIVE, duration=0.1, solver=FixedStep(), sensitivities=names).sensitivities
    together = slopes["sections[0].mass"] + slopes["sections[1].mass"]
    assert np.abs(slopes["mass"] - together).max() < 1e-12 * np.abs(together).max()
    assert np.array_equal(slopes["sections[1].mass"], slopes["sections[-1].mass"])


def test_at_rest_the_slope_is_that_of_the_equilibrium():
    arm, name = load_arm("prototype"), "gravity[2]"
    motion = simulate(arm, duration=1, solver=FixedStep(), start="equilibrium", sensitivities=name)
    q, slope = motion.q[0], motion.sensitivities[name]
    weight = gravity_forces(arm.replace(gravity=(0.0, 0.0, 1.0)), q)  # gravity forces are linear in gravity
    assert np.abs(static_stiffness(arm, q, np.zeros(6)) @ slope[0] + weight).max() < 1e-10 * np.abs(weight).max()
    assert np.abs(slope - slope[0]).max() < 1e-11 * np.abs(slope).max()  # it rests, and so does the slope


def test_a_saved_motion_keeps_its_slopes(tmp_path):
    names = ["radius", "sections[0].mass"]
    motion = simulate(
        RICH, DRIVE, duration=0.1, solver=FixedStep(), sensitivities=names, output=tmp_path / "streamed.nc"
    )
    motion.save(tmp_path / "saved.nc")
    for file in ("streamed.nc", "saved.nc"):
        again = load_motion(tmp_path / file)
        assert list(again.sensitivities) == names
        for name in names:
            assert np.array_equal(again.sensitivities[name], motion.sensitivities[name])
        assert np.array_equal(again.tip_sensitivities("radius"), motion.tip_sensitivities("radius"))


def test_a_dataset_names_its_parameters(tmp_path):
    import xarray

    names = ["mass", "payload.mass"]
    motion = simulate(RICH, DRIVE, duration=0.1, solver=FixedStep(), sensitivities=names)
    dataset = motion.to_xarray()
    one = dataset["q_sensitivities"].sel(parameter="payload.mass")
    assert one.dims == ("time", "coordinate")
    assert np.array_equal(one, motion.sensitivities["payload.mass"])
    motion.save(tmp_path / "run.nc")
    with xarray.open_dataset(tmp_path / "run.nc", engine="h5netcdf") as read:
        assert read.identical(dataset)


def test_rows_of_a_motion_have_their_slopes():
    motion = simulate(RICH, DRIVE, duration=0.1, solver=FixedStep(), sensitivities="mass")
    assert np.array_equal(motion.rows(slice(3, 7)).sensitivities["mass"], motion.sensitivities["mass"][3:7])


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["stifness"], ["'stifness'", "did you mean 'stiffness'", "sections[0].mass"]),
        (["colour"], ["'colour'", "is no number of an arm", "stiffness", "payload.mass"]),
        (["name"], ["'name'", "is no number of an arm"]),
        (["lines[0].delay"], ["is no number of an arm"]),
        (["sections[2].mass"], ["sections[2]", "sections[0] to sections[1]"]),
        (["sections[0].nothing"], ["nothing", "is no number of an arm"]),
        (["sections[0].stiffness"], ["sections[0].stiffness", "4 numbers", "sections[0].stiffness[0]"]),
        (["sections[1].valve_lag"], ["sections[1].valve_lag is 0", "above 0"]),
        (["sections[1].hysteresis[0]"], ["sections[1].hysteresis", "None"]),
        (["sections[1].creep[0][0]"], ["sections[1].creep"]),
        (["sections[1].vent_lag"], ["sections[1].vent_lag", "None"]),
        (["gravity"], ["gravity", "3 numbers", "gravity[0]"]),
        (["mass", " mass"], ["'mass'", "more than once"]),
        (["sections[0"], ["sections[0", "path"]),
    ],
)
def test_names_that_there_are_not_are_refused(names, words):
    with refused("sensitivities", *words):
        simulate(RICH, DRIVE, duration=0.1, solver=FixedStep(), sensitivities=names)


def test_what_has_no_slopes_is_refused():
    arm = load_arm("prototype")
    with refused("sensitivities", "CVODE", "Adaptive", "FixedStep"):
        simulate(arm, duration=0.1, solver=CVODE(), sensitivities="mass")
    idle = Controller(lambda t, q, qd: np.zeros(9), rate=100.0)
    with refused("sensitivities", "controller"):
        simulate(arm, idle, duration=0.1, solver=FixedStep(), sensitivities="mass")
    with refused("mass", "simulate(..., sensitivities=[...])"):
        simulate(arm, duration=0.1, solver=FixedStep()).tip_sensitivities("mass")
    with refused("number", error=TypeError):
        simulate(arm, duration=0.1, solver=FixedStep(), sensitivities=[3])
