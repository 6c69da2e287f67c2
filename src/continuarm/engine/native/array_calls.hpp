// A quantity or its derivative for arrays whose batch axes broadcast, the numbers of the arm among them: what
// frameworks of arrays call, where an arm is an array like any other.

#pragma once

#include <cstdint>
#include <vector>

#include "arm.hpp"

namespace continuarm {

enum class Mode : int { value = 0, tangent = 1, gradient = 2 };

// Batch axes, then a row of numbers.
struct Operand {
    double* data;
    std::vector<std::int64_t> shape;
};

struct ArrayCall {
    Quantity quantity;
    Mode mode;
    bool constants;                   // of derivatives: whether the numbers of the arm count among the inputs
    bool integral;                    // the inertia model
    std::vector<std::int64_t> stops;  // how many each section has
    double step;                      // of implicit_step, s
    int threads;
    // The numbers of the arm, in the order of constant_numbers, and the inputs. Then tangents of the inputs (and of the
    // numbers), or weights of the results. All have as many axes as the result; batch axes are of its length, or 1.
    std::vector<Operand> operands;
    Operand result;
};

// Writes the result: rows for which the model does not hold, or whose numbers are not finite, are NaN. Throws
// std::invalid_argument where the arrays do not fit together.
void run(const ArrayCall& call);

}  // namespace continuarm
