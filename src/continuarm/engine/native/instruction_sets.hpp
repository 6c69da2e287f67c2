// The instruction sets that kernels can be compiled for, and which of them a processor has.

#pragma once

#include <string>
#include <vector>

namespace continuarm {

// Those of this processor, the widest last.
inline std::vector<std::string> processor_sets() {
    std::vector<std::string> names{"baseline"};
#if defined(__GNUC__) && defined(__x86_64__)
    __builtin_cpu_init();
    const bool fused = __builtin_cpu_supports("fma");
    if (fused && __builtin_cpu_supports("avx2")) names.push_back("avx2");
    if (fused && __builtin_cpu_supports("avx512f")) names.push_back("avx512");
#endif
    return names;
}

}  // namespace continuarm
