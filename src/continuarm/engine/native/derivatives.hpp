// What kernels.cpp and derivatives.cpp share, in the namespace of each instruction set.

#pragma once

#include "arm.hpp"
#include "sensitivities.hpp"

namespace continuarm {
namespace CONTINUARM_LEVEL {

// A and B of one state, and of as many rows as there are lanes.
void linearize_one(const Arm& arm, const double* const* in, double* out, double* work);
Outcome linearize_several(const Arm& arm, const Request& request, long row, double* work);

// The Coriolis matrix of one state.
void coriolis(const Arm& arm, const double* q, const double* qd, double* out, double* work);

// ∂(G + K_e q - Jᵀ w)/∂q of one state, the same for every inertia model.
void static_slopes(const Arm& arm, const double* q, const double* wrench, double* out, double* work);

// See Kernels.
Outcome jvp(const Arm& arm, const Request& request, double* work);
Outcome vjp(const Arm& arm, const Request& request, double* work);
bool reversed_step(const Plant& plant, const double* commands, double length, const double* state,
                   const double* after_bar, double* state_bar, double* commands_bar, double* constants_bar,
                   double* work);

}  // namespace CONTINUARM_LEVEL
}  // namespace continuarm
