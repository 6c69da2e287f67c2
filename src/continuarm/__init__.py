"""Real-time dynamics of multisection continuum arms: M(q) q̈ + C(q, q̇) q̇ + D q̇ + G(q) + K_e q = τ.

q holds the muscle length changes in metres, section by section; tau the muscle forces in newtons, positive extends.
Every function takes leading batch axes: (..., 3n).
"""

# ruff: noqa: I001 - a table of contents, in the order of the subject

# First of all: as a command, importing the rest can be interrupted
try:
    from continuarm.common import command_start as _command_start

    _command_start.leave_on_interrupt()
except KeyboardInterrupt:
    from continuarm.common import command_start as _command_start

    _command_start.leave_if_command()
    raise

# The description of an arm
from continuarm.arms.arm import Arm, Payload
from continuarm.arms.section import Muscles, Section
from continuarm.arms.rig import Gauge, Line, Rig
from continuarm.arms.inertia_models import CentreOfGravity, Integral, PointMass
from continuarm.arms.description import DescriptionError
from continuarm.arms.arm_file import arm_names, arm_schema, load_arm, save_arm
from continuarm.arms.variations import Arms, vary

# Where it is
from continuarm.engine.quantities import backbone, centres_of_gravity, poses_along, tip_jacobian, tip_poses

# The equation of motion: solved for q̈ and for τ, about a state, one step further; its terms
from continuarm.engine.derivatives import jvp, parameter_gradient, vjp
from continuarm.engine.quantities import forward_dynamics, inverse_dynamics, linearization, implicit_step
from continuarm.engine.quantities import mass_matrix, coriolis_matrix, static_stiffness
from continuarm.engine.quantities import bias_forces, damping_forces, elastic_forces, gravity_forces, wrench_forces

# Energies
from continuarm.engine.quantities import elastic_energy, gravitational_energy, kinetic_energy, potential_energy

# Where it rests, and how it swings there
from continuarm.statics.equilibrium_search import Equilibria, equilibria, equilibrium
from continuarm.statics.modes import Vibrations, natural_frequencies, vibrations
from continuarm.engine.muscle_springs import muscle_stiffness

# What drives it, and how it then moves
from continuarm.simulation.inputs import Controller, ForceSignal, PressureSignal, PressureSteps, WrenchSignal
from continuarm.simulation.pressure_commands import PressureWarning
from continuarm.simulation.solvers import CVODE, Adaptive, FixedStep
from continuarm.simulation.motion_gradients import MotionGradient, motion_gradient
from continuarm.simulation.simulator import simulate
from continuarm.simulation.rollouts import Rollout, rollout
from continuarm.simulation.batch import Batch
from continuarm.sweeps.sweeper import sweep
from continuarm.simulation.motion import Motion
from continuarm.simulation.motion_file import load_motion, save_motion
from continuarm.simulation.modes_over_time import mode_motion

# An arm from its recordings
from continuarm.identification.sensors import MuscleLength, TipOrientation, TipPosition
from continuarm.identification.recording import Recording
from continuarm.identification.recording_file import read_recording, write_recording
from continuarm.identification.synthetic_recordings import simulated_recording
from continuarm.identification.search_numbers import Free
from continuarm.identification.fit import identify
from continuarm.identification.result import Identification
from continuarm.identification.validation import Validation, validate

# From a target for the tip to pressures
from continuarm.control.postures import Postures, inverse_kinematics
from continuarm.control.workspace import Workspace, reachable
from continuarm.control.muscle_inversion import MusclePressures, muscle_pressures
from continuarm.control.muscle_goals import InMuscles
from continuarm.control.controllers import ComputedTorque, GravityCompensation
from continuarm.control.regulators import LQR
from continuarm.control.loops import Loop, loop
from continuarm.control.figures import Circle, Eight
from continuarm.control.references import MinimumJerk, Point, Sampled
from continuarm.control.observer import Estimate, Observer
from continuarm.control.observer_model import PressureReading
from continuarm.control.predictive import Plan, PredictiveControl, PredictiveWeights, Sphere

# The paper's own
from continuarm.paper.energy_shaping import EnergyShapingFit, fit_energy_shaping

__version__ = "0.2.0"

__all__ = [
    "CVODE",
    "LQR",
    "Adaptive",
    "Arm",
    "Arms",
    "Batch",
    "CentreOfGravity",
    "Circle",
    "ComputedTorque",
    "Controller",
    "DescriptionError",
    "Eight",
    "EnergyShapingFit",
    "Equilibria",
    "Estimate",
    "FixedStep",
    "ForceSignal",
    "Free",
    "Gauge",
    "GravityCompensation",
    "Identification",
    "InMuscles",
    "Integral",
    "Line",
    "Loop",
    "MinimumJerk",
    "Motion",
    "MotionGradient",
    "MuscleLength",
    "MusclePressures",
    "Muscles",
    "Observer",
    "Payload",
    "Plan",
    "Point",
    "PointMass",
    "Postures",
    "PredictiveControl",
    "PredictiveWeights",
    "PressureReading",
    "PressureSignal",
    "PressureSteps",
    "PressureWarning",
    "Recording",
    "Rig",
    "Rollout",
    "Sampled",
    "Section",
    "Sphere",
    "TipOrientation",
    "TipPosition",
    "Validation",
    "Vibrations",
    "Workspace",
    "WrenchSignal",
    "arm_names",
    "arm_schema",
    "backbone",
    "bias_forces",
    "centres_of_gravity",
    "coriolis_matrix",
    "damping_forces",
    "elastic_energy",
    "elastic_forces",
    "equilibria",
    "equilibrium",
    "fit_energy_shaping",
    "forward_dynamics",
    "gravitational_energy",
    "gravity_forces",
    "identify",
    "implicit_step",
    "inverse_dynamics",
    "inverse_kinematics",
    "jvp",
    "kinetic_energy",
    "linearization",
    "load_arm",
    "load_motion",
    "loop",
    "mass_matrix",
    "mode_motion",
    "motion_gradient",
    "muscle_pressures",
    "muscle_stiffness",
    "natural_frequencies",
    "parameter_gradient",
    "poses_along",
    "potential_energy",
    "reachable",
    "read_recording",
    "rollout",
    "save_arm",
    "save_motion",
    "simulate",
    "simulated_recording",
    "static_stiffness",
    "sweep",
    "tip_jacobian",
    "tip_poses",
    "validate",
    "vary",
    "vibrations",
    "vjp",
    "wrench_forces",
    "write_recording",
]
