"""Right arguments of every public function and class: tests put something else in the place of each."""

from __future__ import annotations

import dataclasses

import numpy as np
from sample_recordings import run_of

import continuarm as ca
from continuarm.identification.free_parameters import free_parameters

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
