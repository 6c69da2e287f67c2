// A plant put together from its constants, which lie in memory in the order of constant_count.

#pragma once

#include "drivers.hpp"

namespace continuarm {
namespace CONTINUARM_LEVEL {

// Constant: the number type of its constants. What its layout points to must outlive it, and so must the arm.
template <class Constant>
inline void assemble(const ArmLayout& arm_layout, const PlantLayout& layout, const Constant* constants,
                     ArmOf<Constant>& arm, PlantOf<Constant>& plant) {
    const auto next = [&constants](long count) {
        const Constant* taken = constants;
        constants += count;
        return taken;
    };
    static_cast<ArmLayout&>(arm) = arm_layout;
    static_cast<PlantLayout&>(plant) = layout;
    plant.arm = &arm;
    const long muscles = plant.muscle_count(), branches = plant.branch_count * muscles;
    arm.sections = reinterpret_cast<const Section<Constant>*>(next(arm.n * Section<Constant>::size));
    arm.stops = reinterpret_cast<const Stop<Constant>*>(next(arm.first_stop[arm.n] * Stop<Constant>::size));
    copy(next(3), 3, arm.gravity);
    copy(next(Frame<Constant>::size), Frame<Constant>::size, reinterpret_cast<Constant*>(&arm.base_frame));
    copy(next(1), 1, arm.payload_mass);
    copy(next(3), 3, arm.payload_offset);
    plant.muscles = reinterpret_cast<const Muscle<Constant>*>(next(muscles * Muscle<Constant>::size));
    plant.valves = reinterpret_cast<const ValveStep<Constant>*>(next(muscles * ValveStep<Constant>::size));
    plant.branches = reinterpret_cast<const Branch<Constant>*>(next(branches * Branch<Constant>::size));
    plant.kept = reinterpret_cast<const BranchStep<Constant>*>(next(branches * BranchStep<Constant>::size));
}

template <class Constant>
struct AssembledPlant {
    ArmOf<Constant> arm;
    PlantOf<Constant> plant;

    AssembledPlant(const ArmLayout& arm_layout, const PlantLayout& layout, const Constant* constants) {
        assemble(arm_layout, layout, constants, arm, plant);
    }
    AssembledPlant(const AssembledPlant&) = delete;
    AssembledPlant& operator=(const AssembledPlant&) = delete;
};

}  // namespace CONTINUARM_LEVEL
}  // namespace continuarm
