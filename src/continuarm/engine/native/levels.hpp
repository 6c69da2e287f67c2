// The instruction sets that this module was built for, and which of them is in use.

#pragma once

#include <string>
#include <vector>

#include "arm.hpp"

namespace continuarm {

// Every one that this processor has, the widest last.
const std::vector<const Kernels*>& available_kernels();

// The one in use: the widest, unless another was chosen.
const Kernels& kernels();

// Chooses one by its name, or the widest again for an empty one; the name of the one in use. Throws
// std::invalid_argument for a name that is none.
std::string use_level(const std::string& name);

}  // namespace continuarm
