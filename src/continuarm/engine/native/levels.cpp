#include "levels.hpp"

#include <atomic>
#include <stdexcept>

namespace continuarm {

namespace {

std::atomic<const Kernels*> chosen{nullptr};

std::vector<const Kernels*> found_kernels() {
    std::vector<const Kernels*> found{&kernels_baseline};
#if defined(CONTINUARM_X86_LEVELS)
    __builtin_cpu_init();
    const bool fused = __builtin_cpu_supports("fma");
    if (fused && __builtin_cpu_supports("avx2")) found.push_back(&kernels_avx2);
    if (fused && __builtin_cpu_supports("avx512f")) found.push_back(&kernels_avx512);
#endif
    return found;
}

const std::vector<const Kernels*> available = found_kernels();

}  // namespace

const std::vector<const Kernels*>& available_kernels() { return available; }

const Kernels& kernels() {
    const Kernels* one = chosen.load(std::memory_order_relaxed);
    return one ? *one : *available.back();
}

std::string use_level(const std::string& name) {
    const Kernels* wanted = nullptr;
    std::string known;
    for (const Kernels* each : available) {
        if (name == each->name) wanted = each;
        known += (known.empty() ? "'" : ", '") + std::string(each->name) + "'";
    }
    if (!wanted && !name.empty())
        throw std::invalid_argument("instruction set '" + name + "': must be one of " + known);
    chosen = wanted;
    return kernels().name;
}

}  // namespace continuarm
