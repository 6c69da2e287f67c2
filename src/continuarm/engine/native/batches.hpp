// Rows of a request on the threads of this machine.

#pragma once

#include <stdexcept>

#include "arm.hpp"

namespace continuarm {

inline Quantity quantity_of(long index) {
    if (index < 0 || index >= quantity_count) throw std::invalid_argument("there is no such quantity");
    return Quantity(index);
}

// Rows of a quantity or of its derivative, here.
Outcome run_here(const Arm& arm, const Request& request);

// The same on so many threads at most; what no thread can be had for is done here.
Outcome run_threads(const Arm& arm, const Request& request, int threads);

}  // namespace continuarm
