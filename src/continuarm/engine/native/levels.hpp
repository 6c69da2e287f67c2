// The instruction sets that this module was built for, and which of them is in use.

#pragma once

#include <string>
#include <vector>

#include "arm.hpp"
#include "rollouts.hpp"

namespace continuarm {

// Those in this binary, and of them those that this processor has; the widest last.
std::vector<std::string> compiled_sets();
std::vector<std::string> usable_sets();

// The one in use: the widest, unless another was chosen.
const Kernels& kernels();
const RolloutKernels& rollout_kernels();

// Chooses one by its name, or the widest again for an empty one; the name of the one in use. Throws
// std::invalid_argument for a name that is none.
std::string use_level(const std::string& name);

}  // namespace continuarm
