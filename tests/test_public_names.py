"""The public names: each can be pickled and copied, is described, and says what it takes and gives."""

import concurrent.futures
import copy
import dataclasses
import functools
import inspect
import multiprocessing
import pickle
import re
import subprocess
import sys
import typing

import numpy as np
import pytest
import xarray

import continuarm as ca
from sample_motions import a_motion, an_arm

PUBLIC = {name: getattr(ca, name) for name in ca.__all__}
CLASSES = {name: each for name, each in PUBLIC.items() if isinstance(each, type)}
FUNCTIONS = {name: each for name, each in PUBLIC.items() if name not in CLASSES}
LAZY = {"xarray": xarray}
"""Packages of annotations that are imported only when they are used."""


def of_a_spring(t, q, qd):
    return -10.0 * q


def a_section():
    return an_arm().sections[0]


def a_controller():
    arm = ca.load_arm("single-section")
    control = ca.PredictiveControl(arm, nodes=5, obstacles=ca.Sphere([0.1, 0.0, 0.1], 0.02))
    control.command(0.0, np.zeros(8), ca.Point([0.0, 0.0, 0.16]))
    return control


def a_recording():
    sensors = [ca.TipPosition(1, np.zeros((3, 3)), 1e-3), ca.MuscleLength("l11", [0.0, np.nan, 0.1])]
    return ca.Recording("run", ca.PressureSteps({"l11": [(0.0, 100.0)]}), [0.0, 0.1, 0.2], sensors, wrench=[0.0] * 6)


def a_seen_recording():
    blank = ca.Recording("run", None, [0.0, 0.1], [ca.TipPosition(1, np.zeros((2, 3)))])
    return ca.simulated_recording(ca.load_arm("single-section"), blank)


def an_identification():
    from continuarm.identification.fitted_parameters import FittedParameter
    from continuarm.identification.goodness_of_fit import Misfit
    from continuarm.identification.sensor_comparison import SensorComparison

    values = {int: 1, float: 0.5, str: "text", bool: True}

    def filled(kind):
        hints = typing.get_type_hints(kind)
        return kind(**{each.name: values.get(hints[each.name], np.ones(2)) for each in dataclasses.fields(kind)})

    parameter, misfit, comparison = filled(FittedParameter), filled(Misfit), filled(SensorComparison)
    return ca.Identification(
        arm=an_arm(),
        parameters=(parameter,),
        correlation=np.eye(1),
        undetermined=("a sentence",),
        misfit=(misfit,),
        held_out=(),
        noise={"tip 1": 1e-3},
        findings=(),
        interrupted=False,
        record={"starts": 1},
        comparisons=(comparison,),
    )


EXAMPLES = {
    "CVODE": ca.CVODE,
    "Adaptive": lambda: ca.Adaptive(longest_step=0.1),
    "Arm": an_arm,
    "Arms": lambda: ca.vary(an_arm(), mass=[0.1, 0.2]),
    "Batch": lambda: ca.Batch([an_arm(), an_arm()], q0=np.full(6, 1e-3)),
    "Circle": lambda: ca.Circle(0.05, 4.0, [0.0, 0.0, 0.5]),
    "CentreOfGravity": ca.CentreOfGravity,
    "ComputedTorque": lambda: ca.ComputedTorque(ca.load_arm("single-section"), posture=[0.01] * 3),
    "Controller": lambda: ca.Controller(of_a_spring, rate=100.0, gives="forces"),
    "DescriptionError": lambda: ca.DescriptionError("mass = 0: must be above 0 kg"),
    "Eight": lambda: ca.Eight(0.1, 0.05, 4.0, [0.0, 0.0, 0.5]),
    "EnergyShapingFit": lambda: ca.fit_energy_shaping(1000, bootstrap=10),
    "Equilibria": lambda: ca.equilibria(an_arm(), np.zeros((2, 6))),
    "Estimate": lambda: ca.Observer(an_arm(), {"payload.mass": 0.1}).estimate,
    "FixedStep": ca.FixedStep,
    "ForceSignal": lambda: ca.ForceSignal([0.0, 1.0], np.ones((2, 6))),
    "Free": lambda: ca.Free("dead_zone", bounds=(5e4, 2e5)),
    "Gauge": lambda: ca.Gauge(line="l11", offset=-4e3),
    "GravityCompensation": lambda: ca.GravityCompensation(ca.load_arm("single-section")),
    "Identification": an_identification,
    "InMuscles": lambda: ca.InMuscles(ca.load_arm("single-section"), ca.Point([0.0, 0.0, 0.2])),
    "Integral": ca.Integral,
    "LQR": lambda: ca.LQR(ca.load_arm("single-section"), np.full(3, 0.01)),
    "Line": lambda: ca.Line(muscles=["l11", "l12"], delay=0.1),
    "Loop": lambda: ca.loop(ca.ComputedTorque(ca.load_arm("single-section")), ca.Point([0.0, 0.0, 0.2])),
    "MinimumJerk": lambda: ca.MinimumJerk([0.0, 1.0], np.eye(3)[:2]),
    "Motion": lambda: a_motion(5),
    "MuscleLength": lambda: ca.MuscleLength("l11", [0.0, np.nan]),
    "MusclePressures": lambda: ca.muscle_pressures(ca.load_arm("single-section"), *np.zeros((3, 3))),
    "Muscles": lambda: a_section().muscles,
    "Observer": lambda: ca.Observer(an_arm(), {"payload.mass": 0.1}, drifts={"payload.mass": 1e-3}),
    "Payload": lambda: ca.Payload(mass=0.1),
    "Plan": lambda: a_controller().plan,
    "Point": lambda: ca.Point([0.1, 0.0, 0.4]),
    "PointMass": ca.PointMass,
    "Postures": lambda: ca.inverse_kinematics(an_arm(), [[0.0, 0.0, 0.3], [0.0, 0.0, 9.0]]),
    "PredictiveControl": lambda: a_controller(),
    "PredictiveWeights": lambda: ca.PredictiveWeights(position=2e-3),
    "PressureReading": lambda: ca.PressureReading("l11", [2e5], 1e3),
    "PressureSignal": lambda: ca.PressureSignal([0.0, 1.0], np.ones((2, 7))),
    "PressureSteps": lambda: ca.PressureSteps({"l11": [(0.0, 100e3)]}),
    "PressureWarning": lambda: ca.PressureWarning("the highest pressure, 5 Pa, is below every dead zone"),
    "Recording": a_recording,
    "Rig": lambda: ca.Rig(start="resting", gauges=[ca.Gauge(line="l11")]),
    "Rollout": lambda: ca.rollout([an_arm(), an_arm()], steps=3, outputs=["q", "energies"]),
    "Sampled": lambda: ca.Sampled([0.0, 1.0], np.eye(3)[:2]),
    "Section": a_section,
    "Sphere": lambda: ca.Sphere([0.1, 0.0, 0.3], 0.02),
    "TipOrientation": lambda: ca.TipOrientation(1, np.zeros((2, 3))),
    "TipPosition": lambda: ca.TipPosition(1, np.zeros((2, 3)), sigma=1e-3),
    "Validation": lambda: ca.validate(ca.load_arm("single-section"), a_seen_recording()),
    "MotionGradient": lambda: ca.motion_gradient(
        an_arm(), lambda t, q, qd: (q.sum(), np.ones_like(q), None), duration=0.01
    ),
    "Vibrations": lambda: ca.vibrations(an_arm()),
    "Workspace": lambda: ca.reachable(an_arm(), 10),
    "WrenchSignal": lambda: ca.WrenchSignal([0.0], np.ones((1, 6))),
}
"""One of each public class."""


def same(one, other):
    """Equal in every field, arrays bit by bit."""
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()
    if isinstance(one, (tuple, list)):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if dataclasses.is_dataclass(one):
        return all(same(getattr(one, each.name), getattr(other, each.name)) for each in dataclasses.fields(one))
    return one.args == other.args if isinstance(one, Exception) else one == other


def used(thing):
    """The same object after its properties were asked for, so that it holds all that it keeps for later."""
    for name in dir(thing):
        if not name.startswith("_"):
            getattr(thing, name)
    if isinstance(thing, ca.Arm):
        ca.forward_dynamics(thing, *np.zeros((3, 3 * thing.n)))
    return thing


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_public_function_is_pickled_by_its_name(name):
    assert pickle.loads(pickle.dumps(FUNCTIONS[name])) is FUNCTIONS[name]


def test_there_is_an_example_of_every_public_class():
    assert sorted(EXAMPLES) == sorted(CLASSES)
    assert {name: type(make()).__name__ for name, make in EXAMPLES.items()} == {name: name for name in EXAMPLES}


@pytest.mark.parametrize("name", CLASSES)
def test_instances_of_a_public_class_survive_pickle_and_copies(name):
    assert pickle.loads(pickle.dumps(CLASSES[name])) is CLASSES[name]
    thing = used(EXAMPLES[name]())
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        assert same(pickle.loads(pickle.dumps(thing, protocol)), thing)
    assert same(copy.deepcopy(thing), thing)
    assert same(copy.copy(thing), thing)


@pytest.mark.parametrize("name", sorted(set(CLASSES) - {"Equilibria", "Vibrations"}))  # tuples compare as tuples do
def test_comparing_instances_gives_a_truth_value(name):
    one, other = EXAMPLES[name](), EXAMPLES[name]()
    assert one == one
    assert isinstance(one == other, bool)
    assert one != "something else"


def test_a_description_without_its_caches_is_pickled():
    arm = an_arm()
    before = pickle.dumps(arm)
    assert pickle.dumps(used(arm)) == before


def test_other_processes_compute_the_same_bits():
    arm = used(an_arm())
    rng = np.random.default_rng(0)
    q, qd, tau = 0.005 * rng.normal(size=(3, 4, 6))
    forces = [ca.ForceSignal([0.0], row[None]) for row in tau[:2]]
    run = functools.partial(ca.simulate, arm, duration=0.05)
    spawn = multiprocessing.get_context("spawn")  # what a process is made with on Windows and macOS
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=spawn) as pool:
        accelerations = pool.submit(ca.forward_dynamics, arm, q, qd, tau)
        motions = list(pool.map(run, forces))
        assert accelerations.result().tobytes() == ca.forward_dynamics(arm, q, qd, tau).tobytes()
    for motion, force in zip(motions, forces, strict=True):
        assert motion.arm == arm
        assert motion.q.tobytes() == run(force).q.tobytes()


def test_all_is_sorted_and_complete():
    assert ca.__all__ == sorted(ca.__all__, key=lambda name: (not name.isupper(), name[0].islower(), name))
    assert len(set(ca.__all__)) == len(ca.__all__)
    imported = {name for name, each in vars(ca).items() if name[0] != "_" and not inspect.ismodule(each)}
    assert imported == set(ca.__all__)


def public_methods(kind):
    """Functions, class methods and what computes properties, under a public name."""
    for name, member in vars(kind).items():
        function = getattr(member, "fget", None) or getattr(member, "func", None) or getattr(member, "__func__", member)
        if not name.startswith("_") and inspect.isfunction(function):
            yield name, function


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_is_described(name):
    # dataclasses make a docstring of their signature where there is none
    text = inspect.getdoc(PUBLIC[name]) or ""
    assert text
    assert not text.startswith(f"{name}(")
    for method, function in public_methods(PUBLIC[name]) if name in CLASSES else ():
        assert inspect.getdoc(function), f"{name}.{method}"


def gaps(function):
    """Parameters without a type, and "return" if that is not told."""
    signature = inspect.signature(function)
    given = {name: each.annotation for name, each in signature.parameters.items() if name not in ("self", "cls")}
    return [name for name, each in (given | {"return": signature.return_annotation}).items() if each is inspect._empty]


PLAIN_JSON = {"arm_schema": ["return"]}
"""Where any value is meant: a JSON object."""


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_public_function_is_typed(name):
    function = FUNCTIONS[name]
    assert not gaps(function)
    assert set(typing.get_type_hints(function, localns=LAZY)) == set(function.__annotations__)
    assert [each for each, hint in function.__annotations__.items() if re.search(r"\bAny\b", hint)] == (
        PLAIN_JSON.get(name, [])
    )


@pytest.mark.parametrize("name", CLASSES)
def test_every_method_of_a_public_class_is_typed(name):
    assert {method: gaps(function) for method, function in public_methods(CLASSES[name]) if gaps(function)} == {}


def test_what_a_public_function_returns_has_a_public_name():
    ours = {
        hint
        for function in FUNCTIONS.values()
        for hint in [typing.get_type_hints(function, localns=LAZY)["return"]]
        if getattr(hint, "__module__", "").startswith("continuarm.") and not isinstance(hint, typing.TypeVar)
    }
    assert ours <= set(CLASSES.values())


def test_importing_the_package_is_light():
    heavy = ["h5netcdf", "h5py", "matplotlib", "rich", "scipy", "sksundae", "typer", "xarray"]
    code = f"import sys, continuarm; print([name for name in {heavy} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


ORDINARY_WORK = """
import numpy as np, continuarm as ca
arm = ca.load_arm("single-section")
steps = ca.PressureSteps({"l11": [(0.1, 400e3)]})
assert False, "asserts are left out"
motion = ca.simulate(arm, steps, duration=0.3)
motion.energies, motion.forces, ca.natural_frequencies(arm), ca.backbone(arm, motion.q)
for solver in (ca.CVODE(), ca.FixedStep()):
    ca.simulate(arm, ca.Controller(lambda t, q, qd: -q, 100.0, "forces"), duration=0.1, solver=solver)
blank = ca.Recording("run", steps, np.arange(30) / 30, [ca.TipPosition(1, np.zeros((30, 3)))])
print(ca.identify(arm, ca.simulated_recording(arm, blank), "stiffness").record["samples"])
"""


@pytest.mark.slow
def test_ordinary_work_warns_of_nothing_and_needs_no_asserts():
    command = [sys.executable, "-W", "error", "-OO", "-c", ORDINARY_WORK]
    run = subprocess.run(command, capture_output=True, text=True)
    assert (run.stdout, run.stderr) == ("90\n", "")
