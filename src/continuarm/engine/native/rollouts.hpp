// Many arms of one layout in implicit steps of one length: what is compiled once for every instruction set.

#pragma once

#include "arm.hpp"
#include "rollout_requests.hpp"

namespace continuarm {

// As many arms are stepped together as a register has lanes; more than this in none.
constexpr long most_lanes = 8;

using RolloutRequest = RolloutRequestOf<double>;
using RolloutArm = RolloutArmOf<double>;

struct RolloutKernels {
    const char* name;
    long lanes;
    // Steps `count` arms, at most `lanes`. Constants, in the order of constant_count, and a state are numbers of
    // `lanes` doubles each, aligned to 64 bytes, as work is; those beyond `count` repeat another.
    void (*roll)(const Plant& layout, const double* constants, const RolloutRequest& request, long count,
                 const RolloutArm* arms, double* state, double* work);
};

extern const RolloutKernels rollouts_baseline, rollouts_avx2, rollouts_avx512;

// Doubles of scratch memory that roll needs: the same for every instruction set.
long rollout_work_size(const Plant& plant);

}  // namespace continuarm
