"""Real-time dynamics of multisection continuum arms: M(q) q̈ + C(q, q̇) q̇ + D q̇ + G(q) + K_e q = τ.

q holds the muscle length changes in metres, section by section; tau the muscle forces in newtons, positive extends.
Every function takes leading batch axes: (..., 3n).
"""

# ruff: noqa: I001 - a table of contents, in the order of the subject

# The description of an arm
from continuarm.arm import Arm, CentreOfGravity, DescriptionError, Integral, Muscles, Payload, PointMass, Section
from continuarm.arm_file import arm_names, arm_schema, load_arm, save_arm

# Where the arm is
from continuarm.kinematics import backbone, poses_along, tip_jacobian, tip_poses

# The equation of motion
from continuarm.forward_dynamics import forward_dynamics
from continuarm.inverse_dynamics import bias_forces, damping_forces, elastic_forces, gravity_forces, inverse_dynamics
from continuarm.mass_matrix import coriolis_matrix, mass_matrix
from continuarm.linearization import linearization

# Energies
from continuarm.energy import elastic_energy, gravitational_energy, kinetic_energy, potential_energy

# Where it rests, and how it swings there
from continuarm.statics import equilibria, equilibrium, natural_frequencies, vibrations

# What drives it, and how it then moves
from continuarm.inputs import Controller, ForceSignal, PressureSignal, PressureSteps, WrenchSignal
from continuarm.implicit_step import implicit_step
from continuarm.solvers import BDF, Adaptive, FixedStep
from continuarm.simulate import simulate
from continuarm.motion import Motion
from continuarm.motion_file import load_motion, save_motion

# An arm from its recordings
from continuarm.sensors import MuscleLength, TipOrientation, TipPosition
from continuarm.recordings import Recording
from continuarm.recording_file import read_recording, write_recording
from continuarm.predictions import simulated_recording
from continuarm.free_parameters import Free
from continuarm.identify import identify
from continuarm.identification import Identification

__version__ = "0.1.0"

__all__ = [
    "BDF",
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
