"""Every argument of every public name, given something else: it works, or is refused in one sentence that names it.

A number that no float can hold, half precision and masked entries are among it; a warning is a failure.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
from pathlib import Path

import jax
import numpy as np
import pytest
import torch
from sample_recordings import run_of

import continuarm as ca
import continuarm.jax
import continuarm.learning
import continuarm.torch
from continuarm.export import export_c
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
SLOPED = ca.simulate(SECTION, duration=0.02, sensitivities="mass")
TIMES = [0.0, 0.01]
LIMITS = {"highest": 7e5, "fastest": 1e9, "lead": 0.01, "posture": Q}
HERE = ca.Point([0.01, 0.0, 0.15])


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
    "jvp": {"quantity": ca.implicit_step, "arm": SECTION, "inputs": (Q, Q, Q), "tangents": (Q, Q, Q), "step": 1e-3}
    | CHOICES,
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
    "muscle_stiffness": STATE | {"pressures": np.full(3, 1e5)},
    "motion_gradient": {
        "arm": SECTION,
        "loss": lambda t, q, qd: (q.sum(), np.ones_like(q), None),
        "input": ca.PressureSteps({"l11": [(0.0, 1e5)]}),
        "duration": 0.02,
        "rate": 1000.0,
        "q0": Q,
        "qd0": Q,
        "pressures": None,
        "start": "unbent",
        "wrench": np.zeros(6),
        "parameters": ["stiffness"],
    },
    "natural_frequencies": STATE | {"wrench": np.zeros(6), "muscle_stiffness": Q},
    "parameter_gradient": {
        "quantity": ca.forward_dynamics,
        "arm": SECTION,
        "inputs": (Q, Q, Q),
        "weights": Q,
        "parameters": ["mass"],
        "step": None,
        "threads": 1,
    },
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
    "rollout": {
        "arms": [SECTION, SECTION],
        "input": np.full((20, 3), 3e5),
        "duration": 0.02,
        "steps": None,
        "step": 1e-3,
        "q0": Q,
        "qd0": Q,
        "pressures": None,
        "wrench": np.zeros(6),
        "outputs": ["q", "tips"],
        "every": 2,
        "ask_every": 1,
        "threads": 1,
        "device": "cpu",
        "dtype": "float64",
    },
    "inverse_kinematics": {
        "arm": SECTION,
        "position": np.array([0.02, 0.0, 0.15]),
        "pose": None,
        "at": (1, 0.9),
        "start": Q,
        "limits": np.array([0.0, 0.05]),
        "prefer": "change",
        "solutions": 2,
        "tolerance": 1e-9,
        "seed": 0,
        "threads": 1,
    },
    "loop": {
        "controller": ca.ComputedTorque(SECTION),
        "reference": ca.Point([0.0, 0.0, 0.2]),
        "rate": 100.0,
        "noise": 1e-3,
        "delay": 0.0,
        "seed": 0,
        "observer": None,
    },
    "muscle_pressures": DRIVEN
    | {"hysteresis": np.zeros(3), "highest": 7e5, "pressures": np.full(3, 1e5), "lead": 0.01},
    "reachable": {"arm": SECTION, "count": 10, "at": 1, "limits": None, "seed": 0, "threads": 1},
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
        "sensitivities": ["stiffness", "sections[0].mass"],
    },
    "simulated_recording": {"arm": SECTION, "recording": RUN, "noise": 1e-3, "delay": 0.0, "seed": 0},
    "static_stiffness": STATE | {"wrench": np.zeros(6)} | CHOICES,
    "sweep": {
        "function_or_arm": SECTION,
        "variations": {"mass": [0.1, 0.2]},
        "input": np.full((20, 3), 3e5),
        "duration": 0.02,
        "step": 1e-3,
        "wrench": np.zeros(6),
        "outputs": ["tips", "settling_time"],
        "every": 2,
        "grid": True,
        "vectorized": False,
        "seed": None,
        "chunk": 1,
        "executor": None,
        "output": None,
        "progress": None,
    },
    "tip_jacobian": STATE | CHOICES,
    "tip_poses": STATE | CHOICES,
    "validate": {"arm": SECTION, "recordings": [RUN], "threads": 1, "progress": None},
    "vary": {"arm": SECTION, "changes": {"sections[0].mass": [0.1, 0.2]}},
    "vibrations": STATE | {"wrench": np.zeros(6), "muscle_stiffness": Q},
    "vjp": {"quantity": ca.implicit_step, "arm": SECTION, "inputs": (Q, Q, Q), "weights": (Q, Q), "step": 1e-3}
    | CHOICES,
    "wrench_forces": STATE | {"wrench": np.zeros(6)} | CHOICES,
    "write_recording": {"recording": RUN, "arm": SECTION, "path": "written.csv"},
}

CLASSES = {
    "Adaptive": ({"rtol": 1e-6, "atol": 1e-10, "longest_step": 0.1, "highest_order": 5}, lambda s: simulated(solver=s)),
    "Arm": ({name: getattr(SECTION, name) for name in ca.Arm.model_fields}, lambda arm: ca.gravity_forces(arm, Q)),
    "Arms": ({"arms": [SECTION, SECTION]}, len),
    "Batch": (
        {
            "arms": [SECTION, SECTION],
            "step": 1e-3,
            "which": [0, 0],
            "q0": Q,
            "qd0": Q,
            "pressures": None,
            "wrench": np.zeros(6),
            "threads": 1,
            "device": "cpu",
            "dtype": "float64",
        },
        lambda batch: batch.step(np.full(3, 3e5)),
    ),
    "CVODE": ({"rtol": 1e-6, "atol": 1e-10, "highest_order": 5}, lambda s: simulated(solver=s)),
    "CentreOfGravity": (dict(ca.CentreOfGravity()), None),
    "Circle": (
        {"radius": 0.05, "period": 4.0, "centre": np.zeros(3), "normal": np.ones(3)},
        lambda reference: reference.at(0.5),
    ),
    "ComputedTorque": (
        {"arm": SECTION, "bandwidth": 20.0, "space": "tip", "integral": True, **LIMITS},
        lambda controller: simulated(input=ca.loop(controller, HERE, rate=100)),
    ),
    "Controller": (
        {"function": lambda t, q, qd: [0.0, 0.0, 0.0], "rate": 100.0, "gives": "forces"},
        lambda controller: simulated(input=controller),
    ),
    "Eight": (
        {"width": 0.1, "height": 0.1, "period": 4.0, "centre": np.zeros(3), "normal": np.ones(3)},
        lambda reference: reference.at(0.5),
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
    "GravityCompensation": (
        {"arm": SECTION, "stiffness": 1.0, "damping": 0.5, **LIMITS},
        lambda controller: simulated(input=ca.loop(controller, HERE, rate=100)),
    ),
    "InMuscles": (
        {"arm": SECTION, "reference": HERE, "posture": Q, "rate": 50.0},
        lambda reference: reference.at(0.005),
    ),
    "Integral": (dict(ca.Integral()), None),
    "LQR": (
        {"arm": SECTION, "about": Q, "length": 1e-3, "speed": 0.1, "sum": 1e-3, "force": 3.0, **LIMITS},
        lambda controller: simulated(input=ca.loop(controller, HERE, rate=100)),
    ),
    "Line": ({"muscles": ["l11", "l12"], "delay": 0.1}, None),
    "MinimumJerk": (
        {"times": TIMES, "points": np.zeros((2, 3)), "space": "tip"},
        lambda reference: reference.at(0.005),
    ),
    "Motion": ({each.name: getattr(SLOPED, each.name) for each in dataclasses.fields(ca.Motion)}, repr),
    "MuscleLength": ({"muscle": "l11", "values": [0.0, 0.1], "sigma": 1e-3}, seen_by),
    "Muscles": ({"angles": [0.0, 2.0, 4.0], "radii": [0.01] * 3}, None),
    "Observer": (
        {
            "arm": SECTION,
            "parameters": {"payload.mass": 0.05},
            "step": 5e-3,
            "force_noise": 0.05,
            "pressure_noise": 10.0,
            "drifts": {"payload.mass": 1e-3},
            "q_sigma": 2e-3,
            "qd_sigma": 0.02,
            "pressure_sigma": 5e3,
            "longest_delay": 0.2,
        },
        lambda observer: observer.advance(0.02, np.full(3, 2e5)),
    ),
    "Payload": ({"mass": 0.1, "offset": (0.0, 0.0, 0.0)}, None),
    "Point": ({"position": np.zeros(3), "space": "tip"}, lambda reference: reference.at(0.5)),
    "PointMass": (dict(ca.PointMass()), None),
    "PredictiveControl": (
        {
            "arm": SECTION,
            "nodes": 5,
            "node": 0.01,
            "substeps": 1,
            "weights": ca.PredictiveWeights(),
            "lowest": 0.0,
            "highest": 7e5,
            "most_rate": 1e7,
            "ranges": True,
            "obstacles": [ca.Sphere([0.1, 0.0, 0.1], 0.02)],
            "clearance": 0.01,
            "softness": 2e-3,
            "time_limit": 1.0,
            "plan": ca.Plan(),
        },
        lambda control: control.command(0.0, np.zeros(8), ca.Point([0.0, 0.0, 0.16])),
    ),
    "PredictiveWeights": (
        {"position": 1e-3, "pressure": 2e6, "change": 1e5, "range": 1e-3, "obstacle": 1e-3, "terminal": 1.0},
        None,
    ),
    "PressureReading": ({"muscle": "l11", "values": [2e5], "sigma": 1e3}, None),
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
    "Sampled": (
        {"times": TIMES, "positions": np.zeros((2, 3)), "space": "tip"},
        lambda reference: reference.at(0.005),
    ),
    "Section": ({name: getattr(SECTION.sections[0], name) for name in ca.Section.model_fields}, None),
    "Sphere": ({"centre": np.zeros(3), "radius": 0.02}, None),
    "TipOrientation": ({"section": 1, "values": np.zeros((2, 3)), "sigma": 1e-3}, seen_by),
    "TipPosition": ({"section": 1, "values": np.zeros((2, 3)), "sigma": 1e-3}, seen_by),
    "WrenchSignal": (
        {"times": TIMES, "wrenches": np.zeros((2, 6)), "linear": True},
        lambda signal: simulated(wrench=signal),
    ),
}
"""Right arguments of every class that users make, and what an object is good for: what it took may be refused then."""

RESULTS = {"EnergyShapingFit", "Equilibria", "Identification", "MotionGradient", "Rollout", "Validation"}
RESULTS |= {"Estimate", "Loop", "MusclePressures", "Plan", "Postures", "Vibrations", "Workspace"}
"""Made by functions, for users to read."""

ERRORS = {"DescriptionError", "PressureWarning"}

METHODS = {
    "advance": (
        lambda t, pressures: ca.Observer(SECTION).advance(t, pressures),
        {"t": 0.02, "pressures": np.full(3, 2e5)},
    ),
    "command": (
        lambda t, state, reference: ca.PredictiveControl(SECTION, nodes=3).command(t, state, reference),
        {"t": 0.0, "state": np.zeros(8), "reference": ca.Point([0.0, 0.0, 0.16])},
    ),
    "measure": (
        lambda t, sensor: ca.Observer(SECTION).measure(t, sensor),
        {"t": 0.0, "sensor": ca.TipPosition(1, [[0.0, 0.0, 0.15]], 1e-3)},
    ),
    "reset of an observer": (lambda state: ca.Observer(SECTION).reset(state), {"state": np.zeros(8)}),
    "muscle_forces": (SECTION.muscle_forces, {"forces": Q}),
    "muscle_lengths": (SECTION.muscle_lengths, {"q": Q}),
    "page": (ca.load_arm("prototype").page, {"path": "arm.html"}),
    "plot": (lambda other: MOVED.plot(other).clear(), {"other": MOVED}),
    "parse": (ca.PressureSteps.parse, {"text": "l11=300@0"}),
    "read": (ca.PressureSignal.read, {"path": "pressures.csv", "arm": SECTION, "linear": True}),
    "reset": (
        ca.Batch([SECTION, SECTION]).reset,
        {"mask": [True, False], "which": [1, 0], "q0": Q, "qd0": Q, "pressures": None},
    ),
    "step": (
        ca.Batch([SECTION, SECTION]).step,
        {"pressures": np.full(3, 3e5), "count": 2, "wrench": np.zeros(6)},
    ),
    "tip_sensitivities": (SLOPED.tip_sensitivities, {"name": "mass"}),
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

T = torch.from_numpy(Q)
MORE = {"step": 1e-3, "parameters": {"stiffness": 1500.0}}
ELSEWHERE = {
    "continuarm.jax": (continuarm.jax.implicit_step, DRIVEN | MORE),
    "continuarm.torch": (continuarm.torch.implicit_step, {"arm": SECTION, "q": T, "qd": T, "tau": T} | MORE),
    "continuarm.learning": (
        continuarm.learning.ArmVectorEnv,
        {
            "task": "track",
            "num_envs": 2,
            "arm": SECTION,
            "highest_pressure": 3e5,
            "randomize": {"mass": 0.01},
            "pool": 2,
            "step": 1e-3,
            "steps": 5,
            "max_episode_steps": 10,
            "autoreset_mode": "SameStep",
            "render_mode": "rgb_array",
            "size": (64, 64),
            "threads": 1,
            "tolerance": 0.01,
            "hold": 0.1,
            "periods": (1.0, 2.0),
            "ahead": 0.05,
        },
    ),
    "continuarm.export": (export_c, {"arm": SECTION, "folder": "arm_c", "name": "arm", "step": 1e-3}),
}
"""Of each library the function that takes most; all check their arguments in one place."""

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
    """Those that have a name; what is given by any name, as numbers of an arm, can be given by a table too."""
    parameters = inspect.signature(thing).parameters.items()
    return [name for name, each in parameters if name != "self" and each.kind is not each.VAR_KEYWORD]


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


@pytest.mark.parametrize(
    ("name", "argument"), [(name, each) for name, (_, right) in ELSEWHERE.items() for each in right]
)
def test_a_function_of_another_library_works_or_names_the_argument(name, argument, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    jax.config.update("jax_enable_x64", True)
    call, right = ELSEWHERE[name]
    assert list(complaints(call, right, argument)) == []
