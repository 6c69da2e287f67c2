// Many arms at once, a lane for each: states and constants are numbers of as many doubles as the instruction set has
// lanes. Compiled, as kernels.cpp is, once for every instruction set.

#include "rollouts.hpp"

#include "rollout_group.hpp"

namespace continuarm {
namespace CONTINUARM_LEVEL {

namespace {

static_assert(lanes <= most_lanes && sizeof(Lanes) == lanes * sizeof(double), "a number is its lanes");

void roll(const Plant& layout, const double* constants, const RolloutRequest& request, long count,
          const RolloutArm* arms, double* state, double* work) {
    const AssembledPlant<Lanes> made(*layout.arm, layout, reinterpret_cast<const Lanes*>(constants));
    Group group(made.plant, request, count, arms, reinterpret_cast<Lanes*>(state),
                Scratch<Lanes>{reinterpret_cast<Lanes*>(work)});
    if (made.arm.integral)
        group.roll<true>();
    else
        group.roll<false>();
}

}  // namespace

}  // namespace CONTINUARM_LEVEL

#define CONTINUARM_TEXT_(a) #a
#define CONTINUARM_TEXT(a) CONTINUARM_TEXT_(a)
#define CONTINUARM_JOIN_(a, b) a##b
#define CONTINUARM_JOIN(a, b) CONTINUARM_JOIN_(a, b)

const RolloutKernels CONTINUARM_JOIN(rollouts_, CONTINUARM_LEVEL) = {
    CONTINUARM_TEXT(CONTINUARM_LEVEL),
    CONTINUARM_LEVEL::lanes,
    CONTINUARM_LEVEL::roll,
};

#if defined(CONTINUARM_FIRST_LEVEL)
long rollout_work_size(const Plant& plant) {
    return (work_size(plant) + plant.command_width + plant.width + 2 * plant.size()) * most_lanes;
}
#endif

}  // namespace continuarm
