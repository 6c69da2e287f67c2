"""The quantities of an arm: what users call.

Every function takes an arm and arrays with leading batch axes, (..., 3n), and two choices:
engine: "native" (the default where it is built) or "reference", the NumPy form that defines the quantity.
threads: how many threads a batch may use; all processors if left out.

equation_of_motion    solved for q̈ and for τ, its matrices, about a state, one step further
forces, energies      its terms
kinematics            where the arm is
"""

from continuarm.engine.quantities.energies import elastic_energy, gravitational_energy, kinetic_energy, potential_energy
from continuarm.engine.quantities.equation_of_motion import (
    coriolis_matrix,
    forward_dynamics,
    implicit_step,
    inverse_dynamics,
    linearization,
    mass_matrix,
)
from continuarm.engine.quantities.forces import (
    bias_forces,
    damping_forces,
    elastic_forces,
    gravity_forces,
    static_stiffness,
    wrench_forces,
)
from continuarm.engine.quantities.kinematics import backbone, centres_of_gravity, poses_along, tip_jacobian, tip_poses

__all__ = [
    "backbone",
    "bias_forces",
    "centres_of_gravity",
    "coriolis_matrix",
    "damping_forces",
    "elastic_energy",
    "elastic_forces",
    "forward_dynamics",
    "gravitational_energy",
    "gravity_forces",
    "implicit_step",
    "inverse_dynamics",
    "kinetic_energy",
    "linearization",
    "mass_matrix",
    "poses_along",
    "potential_energy",
    "static_stiffness",
    "tip_jacobian",
    "tip_poses",
    "wrench_forces",
]
