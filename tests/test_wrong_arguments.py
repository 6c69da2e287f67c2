"""Every argument of every public name, given something else: it works, or is refused in one sentence that names it.

A number that no float can hold, half precision and masked entries are among it; a warning is a failure.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
from pathlib import Path

import numpy as np
import pytest
from sample_recordings import run_of

import continuarm as ca
from continuarm.identification.free_parameters import free_parameters

pytestmark = pytest.mark.slow

MASKED = np.ma.masked_array([1.0, 2.0, 3.0], mask=[False, True, False])

WRONG = {
    "None": None,
    "text": "text",
    "no text": "",
    "bytes": b"bytes",
    "a folder": Path("/"),
    "true": True,
    "zero": 0,
    "minus one": -1,
    "a half": 0.5,
    "nan": float("nan"),
    "inf": float("inf"),
    "complex": 1j,
    "1e308": 1e308,
    "10**400": 10**400,
    "-10**400": -(10**400),
    "float16": np.float16(60000.0),
    "float16 inf": np.float16("inf"),
    "longdouble": np.longdouble("1e4000"),
    "masked": np.ma.masked,
    "masked array": MASKED,
    "an object": object(),
    "a class": ca.PressureSteps,
    "its own class": None,  # put in below: the class of the right argument
    "an arm": ca.load_arm("single-section"),
    "a function": lambda *given: None,
    "a table": {},
    "a table of words": {"a": "b"},
    "an empty list": [],
    "a list of None": [None],
    "a list of text": ["text"],
    "a list of large": [10**400],
    "a ragged list": [[1.0, 2.0], [3.0]],
    "a nested list": [[[[1.0]]]],
    "a set": {1.0},
    "a generator": None,  # made anew for every call
    "large numbers": np.full(3, 1e308),
    "large rows": np.full((2, 3), -1.7e308),
    "large six": np.full(6, 1.7e308),
    "large wrenches": 1.7e308 * np.array([[1.0] * 6, [-1.0] * 6]),
    "three large": [10**400] * 3,
    "three of 100 bits": [10**30] * 3,
    "three masked": [np.ma.masked] * 3,
    "denormal": 5e-324,
    "denormal numbers": np.full(3, 5e-324),
    "half numbers": np.full(3, 6e4, dtype=np.float16),
    "text array": np.array(["a", "b"]),
    "object array": np.array([None, 1.0], dtype=object),
    "times": np.array(["2020-01-01"], dtype="datetime64[s]"),
    "empty array": np.zeros((0, 3)),
    "no-dimensional": np.array(1.0),
}


def wrong_values(right):
    """Name and value of everything that is put in place of a right argument."""
    for name, value in WRONG.items():
        if name == "its own class":
            value = type(right)
        elif name == "a generator":
            value = (each for each in [1.0])
        yield name, value


SECTION = ca.load_arm("single-section")
Q = np.full(3, 1e-3)
STATE = {"arm": SECTION, "q": Q}
MOTION = STATE | {"qd": Q}
DRIVEN = MOTION | {"tau": Q}
CHOICES = {"engine": "native", "threads": 1}
RUN = run_of(SECTION, count=12, steps={"l11": [(0.0, 300e3)]})
MOVED = ca.simulate(SECTION, duration=0.02)
TIMES = [0.0, 0.01]


def simulated(**choices):
    """What an input or a solver that was made without complaint is good for."""
    return ca.simulate(SECTION, duration=0.02, **choices)


def seen_by(sensor):
    """What a sensor that was made without complaint is good for."""
    return ca.simulated_recording(SECTION, ca.Recording("run", None, TIMES, [sensor]))


RIGHT = {
    "arm_names": {},
    "arm_schema": {},
    "backbone": STATE | {"points": 3} | CHOICES,
    "bias_forces": MOTION | CHOICES,
    "centres_of_gravity": STATE | CHOICES,
    "coriolis_matrix": MOTION | CHOICES,
    "damping_forces": {"arm": SECTION, "qd": Q} | CHOICES,
    "elastic_energy": STATE | CHOICES,
    "elastic_forces": STATE | CHOICES,
    "equilibria": {"arm": SECTION, "tau": Q, "wrench": np.zeros(6), "muscle_stiffness": Q, "start": Q},
    "equilibrium": {"arm": SECTION, "tau": Q, "wrench": np.zeros(6), "muscle_stiffness": Q, "start": Q},
    "fit_energy_shaping": {
        "samples": 1000,
        "seed": 0,
        "sampling": "2pi",
        "method": "terms",
        "bounds": (0.0, 2.0),
        "bootstrap": 10,
        "progress": None,
    },
    "forward_dynamics": DRIVEN | CHOICES,
    "gravitational_energy": STATE | CHOICES,
    "gravity_forces": STATE | CHOICES,
    "identify": {
        "arm": SECTION,
        "recordings": [RUN],
        "free": "stiffness",
        "held_out": (),
        "delay": False,
        "starts": 1,
        "seed": 0,
        "threads": 1,
        "progress": None,
    },
    "implicit_step": DRIVEN | {"step": 1e-3} | CHOICES,
    "inverse_dynamics": MOTION | {"qdd": Q} | CHOICES,
    "kinetic_energy": MOTION | CHOICES,
    "linearization": DRIVEN | {"muscle_stiffness": Q} | CHOICES,
    "load_arm": {"source": "prototype"},
    "load_motion": {"path": "run.nc"},
    "mass_matrix": STATE | CHOICES,
    "mode_motion": {
        "arm": SECTION,
        "mode": 1,
        "q": Q,
        "wrench": np.zeros(6),
        "muscle_stiffness": Q,
        "amplitude": 0.01,
    },
    "natural_frequencies": STATE | {"wrench": np.zeros(6), "muscle_stiffness": Q},
    "poses_along": STATE | {"xi": [0.5]} | CHOICES,
    "potential_energy": STATE | CHOICES,
    "read_recording": {
        "path": "run.csv",
        "arm": SECTION,
        "input": None,
        "start": "equilibrium",
        "sigma": 1e-3,
        "linear": False,
        "repeats": "keep",
    },
    "save_arm": {"arm": SECTION, "path": "arm.toml"},
    "save_motion": {"motion": MOVED, "path": "motion.nc"},
    "simulate": {
        "arm": SECTION,
        "input": ca.PressureSteps({"l11": [(0.0, 3e5)]}),
        "duration": 0.02,
        "q0": Q,
        "qd0": Q,
        "pressures": None,
        "start": "unbent",
        "wrench": np.zeros(6),
        "rate": 200.0,
        "solver": ca.Adaptive(),
        "most_seconds": 60.0,
        "most_steps": 1000,
        "output": "simulated.nc",
        "progress": None,
    },
    "simulated_recording": {"arm": SECTION, "recording": RUN, "noise": 1e-3, "delay": 0.0, "seed": 0},
    "static_stiffness": STATE | {"wrench": np.zeros(6)} | CHOICES,
    "tip_jacobian": STATE | CHOICES,
    "tip_poses": STATE | CHOICES,
    "validate": {"arm": SECTION, "recordings": [RUN], "threads": 1, "progress": None},
    "vibrations": STATE | {"wrench": np.zeros(6), "muscle_stiffness": Q},
    "wrench_forces": STATE | {"wrench": np.zeros(6)} | CHOICES,
    "write_recording": {"recording": RUN, "arm": SECTION, "path": "written.csv"},
}

CLASSES = {
    "Adaptive": ({"rtol": 1e-6, "atol": 1e-10, "longest_step": 0.1, "highest_order": 5}, lambda s: simulated(solver=s)),
    "Arm": ({name: getattr(SECTION, name) for name in ca.Arm.model_fields}, lambda arm: ca.gravity_forces(arm, Q)),
    "CVODE": ({"rtol": 1e-6, "atol": 1e-10, "highest_order": 5}, lambda s: simulated(solver=s)),
    "CentreOfGravity": (dict(ca.CentreOfGravity()), None),
    "Controller": (
        {"function": lambda t, q, qd: [0.0, 0.0, 0.0], "rate": 100.0, "gives": "forces"},
        lambda controller: simulated(input=controller),
    ),
    "FixedStep": ({"rate": 1000.0}, lambda solver: simulated(solver=solver)),
    "ForceSignal": (
        {"times": TIMES, "forces": np.zeros((2, 3)), "linear": True},
        lambda signal: simulated(input=signal),
    ),
    "Free": (
        {"name": "stiffness", "bounds": (1e2, 1e4), "start": 1e3},
        lambda free: free_parameters(SECTION, [free], [RUN]),
    ),
    "Gauge": ({"line": "l11", "gain": 1.1, "offset": -4e3, "lowest": -6e3}, None),
    "Integral": (dict(ca.Integral()), None),
    "Line": ({"muscles": ["l11", "l12"], "delay": 0.1}, None),
    "Motion": ({each.name: getattr(MOVED, each.name) for each in dataclasses.fields(ca.Motion)}, repr),
    "MuscleLength": ({"muscle": "l11", "values": [0.0, 0.1], "sigma": 1e-3}, seen_by),
    "Muscles": ({"angles": [0.0, 2.0, 4.0], "radii": [0.01] * 3}, None),
    "Payload": ({"mass": 0.1, "offset": (0.0, 0.0, 0.0)}, None),
    "PointMass": (dict(ca.PointMass()), None),
    "PressureSignal": (
        {"times": TIMES, "pressures": np.full((2, 3), 3e5), "linear": True},
        lambda signal: simulated(input=signal),
    ),
    "PressureSteps": ({"steps": {"l11": [(0.0, 3e5)]}}, lambda steps: simulated(input=steps)),
    "Rig": (
        {
            "start": "resting",
            "delay": 0.1,
            "turn": (0.0, 0.0, 0.1),
            "origin": (0.0, 0.0, 0.1),
            "gauges": [ca.Gauge(line="l11")],
            "gauge_zero": "lowest",
        },
        None,
    ),
    "Recording": (
        {
            "name": "run",
            "input": None,
            "times": TIMES,
            "sensors": [ca.TipPosition(1, np.zeros((2, 3)))],
            "start": "unbent",
            "wrench": np.zeros(6),
            "static": False,
            "notes": ["put in order"],
            "payload": 0.1,
        },
        lambda recording: ca.simulated_recording(SECTION, recording),
    ),
    "Section": ({name: getattr(SECTION.sections[0], name) for name in ca.Section.model_fields}, None),
    "TipOrientation": ({"section": 1, "values": np.zeros((2, 3)), "sigma": 1e-3}, seen_by),
    "TipPosition": ({"section": 1, "values": np.zeros((2, 3)), "sigma": 1e-3}, seen_by),
    "WrenchSignal": (
        {"times": TIMES, "wrenches": np.zeros((2, 6)), "linear": True},
        lambda signal: simulated(wrench=signal),
    ),
}
"""Right arguments of every class that users make, and what an object is good for: what it took may be refused then."""

RESULTS = {"EnergyShapingFit", "Equilibria", "Identification", "Validation", "Vibrations"}
"""Made by functions, for users to read."""

ERRORS = {"DescriptionError", "PressureWarning"}

METHODS = {
    "muscle_forces": (SECTION.muscle_forces, {"forces": Q}),
    "muscle_lengths": (SECTION.muscle_lengths, {"q": Q}),
    "plot": (lambda other: MOVED.plot(other).clear(), {"other": MOVED}),
    "parse": (ca.PressureSteps.parse, {"text": "l11=300@0"}),
    "read": (ca.PressureSignal.read, {"path": "pressures.csv", "arm": SECTION, "linear": True}),
    "table": (
        ca.Recording.table,
        {
            "name": "table",
            "sensors": [ca.TipPosition(1, np.zeros((2, 3)))],
            "arm": SECTION,
            "pressures": 0.0,
            "forces": 0.0,
            "wrench": np.zeros((2, 6)),
        },
    ),
}
"""Methods of public classes that take more than a file name."""

OF_THE_RESULT = (
    "section 1 of 1",
    "is not finite: ",
    "no equilibrium of 'single-section' found",
    "the state is unstable",
    "of the controller at t = 0 s",
)
"""Words of sentences about what comes out of numbers that are good by themselves."""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Files that are read, and where others are written."""
    place = tmp_path_factory.mktemp("files")
    ca.write_recording(RUN, SECTION, place / "run.csv")
    ca.save_motion(MOVED, place / "run.nc")
    (place / "pressures.csv").write_text("t [s], l11 [kPa]\n0, 100\n1, 200\n")
    return place


@pytest.fixture(autouse=True)
def folder(files, monkeypatch):
    """Works in that folder."""
    monkeypatch.chdir(files)


def complaints(call, right, argument, after=None):
    """What is wrong with how a call answers to wrong values of one argument."""
    for name, value in wrong_values(right[argument]):
        try:
            made = call(**right | {argument: value})
            if after is not None:
                after(made)
        except (TypeError, ValueError) as error:
            sentence = str(error)
            shown = [repr(value), str(value) or repr(value)] if isinstance(value, (str, Path)) else []
            named = re.search(rf"\b({argument}|{argument.removesuffix('s')})\b", sentence) or any(
                text in sentence for text in shown
            )
            about_result = any(each in sentence for each in OF_THE_RESULT)
            if "\n" in sentence or not sentence.isprintable() or not (named or about_result):
                yield f"{name}: {type(error).__name__}: {sentence}"
        except Exception as error:
            yield f"{name}: {type(error).__name__}: {error}"


def parameters_of(thing):
    return [name for name in inspect.signature(thing).parameters if name != "self"]


def test_every_public_name_is_tried():
    functions = {name for name in ca.__all__ if not isinstance(getattr(ca, name), type)}
    assert set(RIGHT) == functions
    assert set(CLASSES) | RESULTS | ERRORS == set(ca.__all__) - functions
    for name, right in RIGHT.items():
        assert list(right) == parameters_of(getattr(ca, name)), name
    for name, (right, _) in CLASSES.items():
        assert list(right) == parameters_of(getattr(ca, name)), name


@pytest.mark.parametrize(("name", "argument"), [(name, each) for name, right in RIGHT.items() for each in right])
def test_a_function_works_or_names_the_argument(name, argument):
    assert list(complaints(getattr(ca, name), RIGHT[name], argument)) == []


@pytest.mark.parametrize(("name", "argument"), [(name, each) for name, (right, _) in CLASSES.items() for each in right])
def test_a_class_works_or_names_the_argument(name, argument):
    right, use = CLASSES[name]
    assert list(complaints(getattr(ca, name), right, argument, use)) == []


@pytest.mark.parametrize(("name", "argument"), [(name, each) for name, (_, right) in METHODS.items() for each in right])
def test_a_method_works_or_names_the_argument(name, argument):
    call, right = METHODS[name]
    assert list(complaints(call, right, argument)) == []
