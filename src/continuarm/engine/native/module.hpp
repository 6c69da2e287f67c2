// The parts of the Python module continuarm.engine._native, each in a file of its own.

#pragma once

#include <nanobind/nanobind.h>

namespace continuarm {

void bind_quantities(nanobind::module_& module);  // Arm: any quantity for any batch
void bind_motions(nanobind::module_& module);     // Plant, and motions in progress
void bind_build(nanobind::module_& module);       // instruction sets, and how the module was built

}  // namespace continuarm
