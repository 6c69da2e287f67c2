// The parts of the Python module continuarm.engine._native, each in a file of its own.

#pragma once

#include <nanobind/nanobind.h>

namespace continuarm {

void bind_quantities(nanobind::module_& module);   // Arm: any quantity for any batch
void bind_motions(nanobind::module_& module);      // Plant, and motions in progress
void bind_frameworks(nanobind::module_& module);   // the same for JAX and torch
void bind_rollouts(nanobind::module_& module);     // many arms of one layout, stepped together
void bind_loops(nanobind::module_& module);        // closed loops
void bind_step_slopes(nanobind::module_& module);  // implicit steps with slopes in given directions
void bind_build(nanobind::module_& module);        // instruction sets, and how the module was built

}  // namespace continuarm
