#include "levels.hpp"

#include <algorithm>
#include <atomic>
#include <stdexcept>

#include "instruction_sets.hpp"

namespace continuarm {

namespace {

struct Level {
    const Kernels* kernels;
    const RolloutKernels* rollouts;
};

// CMakeLists.txt says which were compiled.
const std::vector<Level> compiled{
    {&kernels_baseline, &rollouts_baseline},
#if defined(CONTINUARM_AVX2)
    {&kernels_avx2, &rollouts_avx2},
#endif
#if defined(CONTINUARM_AVX512)
    {&kernels_avx512, &rollouts_avx512},
#endif
};

std::vector<const Level*> usable_levels() {
    std::vector<const Level*> usable;
    const std::vector<std::string> known = processor_sets();
    for (const Level& level : compiled)
        if (std::find(known.begin(), known.end(), level.kernels->name) != known.end()) usable.push_back(&level);
    return usable;
}

const std::vector<const Level*> usable = usable_levels();
std::atomic<const Level*> chosen{nullptr};

const Level& in_use() {
    const Level* one = chosen.load(std::memory_order_relaxed);
    return one ? *one : *usable.back();
}

}  // namespace

std::vector<std::string> compiled_sets() {
    std::vector<std::string> names;
    for (const Level& level : compiled) names.push_back(level.kernels->name);
    return names;
}

std::vector<std::string> usable_sets() {
    std::vector<std::string> names;
    for (const Level* level : usable) names.push_back(level->kernels->name);
    return names;
}

const Kernels& kernels() { return *in_use().kernels; }

const RolloutKernels& rollout_kernels() { return *in_use().rollouts; }

std::string use_level(const std::string& name) {
    const Level* wanted = nullptr;
    std::string known;
    for (const Level* level : usable) {
        if (name == level->kernels->name) wanted = level;
        known += (known.empty() ? "'" : ", '") + std::string(level->kernels->name) + "'";
    }
    if (!wanted && !name.empty())
        throw std::invalid_argument("instruction set '" + name + "': must be one of " + known);
    chosen = wanted;
    return kernels().name;
}

}  // namespace continuarm
