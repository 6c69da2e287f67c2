"""Real-time dynamics of multisection continuum arms: M(q) q̈ + C(q, q̇) q̇ + D q̇ + G(q) + K_e q = τ.

q holds the muscle length changes in metres, section by section; tau the muscle forces in newtons, positive extends.
Every function takes leading batch axes: (..., 3n).
"""

# ruff: noqa: I001 - a table of contents, in the order of the subject

# The description of an arm
from continuarm.arms.arm import Arm, Payload
from continuarm.arms.inertia_models import CentreOfGravity, Integral, PointMass
from continuarm.arms.description import DescriptionError
from continuarm.arms.section import Muscles, Section
from continuarm.arms.arm_file import arm_names, arm_schema, load_arm, save_arm

# Where the arm is
from continuarm.engine.quantities import backbone, poses_along, tip_jacobian, tip_poses

# The equation of motion
from continuarm.engine.quantities import forward_dynamics
from continuarm.engine.quantities import bias_forces, damping_forces, elastic_forces, gravity_forces, inverse_dynamics
from continuarm.engine.quantities import coriolis_matrix, mass_matrix
from continuarm.engine.quantities import linearization

# Energies
from continuarm.engine.quantities import elastic_energy, gravitational_energy, kinetic_energy, potential_energy

# Where it rests, and how it swings there
from continuarm.statics.equilibrium_search import equilibria, equilibrium
from continuarm.statics.modes import natural_frequencies, vibrations

# What drives it, and how it then moves
from continuarm.simulation.inputs import Controller, ForceSignal, PressureSignal, PressureSteps, WrenchSignal
from continuarm.simulation.inputs import PressureWarning
from continuarm.engine.quantities import implicit_step
from continuarm.simulation.solvers import CVODE, Adaptive, FixedStep
from continuarm.simulation.simulator import simulate
from continuarm.simulation.motion import Motion
from continuarm.simulation.motion_file import load_motion, save_motion

# An arm from its recordings
from continuarm.identification.sensors import MuscleLength, TipOrientation, TipPosition
from continuarm.identification.recording import Recording
from continuarm.identification.recording_file import read_recording, write_recording
from continuarm.identification.simulated_recordings import simulated_recording
from continuarm.identification.free_parameters import Free
from continuarm.identification.fit import identify
from continuarm.identification.result import Identification

__version__ = "0.1.0"

__all__ = [
    "CVODE",
    "Adaptive",
    "Arm",
    "CentreOfGravity",
    "Controller",
    "DescriptionError",
    "FixedStep",
    "ForceSignal",
    "Free",
    "Identification",
    "Integral",
    "Motion",
    "MuscleLength",
    "Muscles",
    "Payload",
    "PointMass",
    "PressureSignal",
    "PressureSteps",
    "PressureWarning",
    "Recording",
    "Section",
    "TipOrientation",
    "TipPosition",
    "WrenchSignal",
    "arm_names",
    "arm_schema",
    "backbone",
    "bias_forces",
    "coriolis_matrix",
    "damping_forces",
    "elastic_energy",
    "elastic_forces",
    "equilibria",
    "equilibrium",
    "forward_dynamics",
    "gravitational_energy",
    "gravity_forces",
    "identify",
    "implicit_step",
    "inverse_dynamics",
    "kinetic_energy",
    "linearization",
    "load_arm",
    "load_motion",
    "mass_matrix",
    "natural_frequencies",
    "poses_along",
    "potential_energy",
    "read_recording",
    "save_arm",
    "save_motion",
    "simulate",
    "simulated_recording",
    "tip_jacobian",
    "tip_poses",
    "vibrations",
    "write_recording",
]
