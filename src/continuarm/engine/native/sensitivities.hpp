// What kernels.cpp and sensitivities.cpp share, in the namespace of each instruction set.

#pragma once

#include "arm.hpp"

namespace continuarm {
namespace CONTINUARM_LEVEL {

// Whether the state is finite and the model holds for it.
bool holds(const Plant& plant, const double* state);

// See Kernels.
void slope(const Plant& plant, const double* slopes, long count, double* memory);
bool sloped_rate(const Plant& plant, const double* constants, long count, const double* commands, const double* states,
                 double* rates, double* work);
bool sloped_step(const Plant& plant, const double* constants, long count, const double* commands,
                 const double* command_slopes, double length, double* states, double* work);

}  // namespace CONTINUARM_LEVEL
}  // namespace continuarm
