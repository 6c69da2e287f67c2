// The kernel of a GPU: an arm in each thread, stepped as a group of one lane. What is known of the arms' layout is
// written before it, as ArmLayout, PlantLayout and KernelLayout, when it is compiled at run time (device_source.py):
// loops over a number of sections that the compiler knows vanish, and what they index stays in registers.

#pragma once

#include "rollout_group.hpp"

namespace continuarm {
namespace CONTINUARM_LEVEL {

typedef Lanes::Number Number;

// Constants that all arms share: a parameter of the kernel, which instructions read as fast as a register.
struct SharedConstants {
    Number numbers[KernelLayout::shared > 0 ? KernelLayout::shared : 1];
};

// What is asked of all arms, as CALL of device_batch.py has it; see RolloutRequestOf. Constants of their own and states
// are there number by number, (own, arms) and (width, arms); the rest arm by arm, null where it is not wanted. Arm i
// has the commands of table table[i].
struct DeviceCall {
    long long arms, first, count, every, rows, table_rows;
    const Number *own, *commands, *rest;
    const int* table;
    Number *states, *refused, *q, *qd, *tips, *energies;
    double *stopped, step;
};

// Numbers that the steps of one arm take: see scratch_per_section.
constexpr long device_scratch = ArmLayout::n * (scratch_per_section + 48) + scratch_fixed +
                                (2 + PlantLayout::branch_count) * KernelLayout::muscles + PlantLayout::command_width +
                                PlantLayout::width;

// Constants of one arm, in the order of constant_count: gathered, or where they are if that is their order already.
constexpr int gathered_count = KernelLayout::in_order ? 1 : KernelLayout::constants;

CONTINUARM_OPERATOR const Lanes* constants_of(const SharedConstants& shared, const DeviceCall& call, long long row,
                                              Lanes* gathered) {
    if constexpr (KernelLayout::in_order) return reinterpret_cast<const Lanes*>(shared.numbers);
    CONTINUARM_SECTIONS
    for (int k = 0; k < gathered_count; ++k) {
        const int place = KernelLayout::places[k];
        if (place == KernelLayout::zero)
            gathered[k] = Lanes(0.0);
        else if (place >= 0)
            gathered[k] = Lanes(call.own[place * call.arms + row]);
        else
            gathered[k] = Lanes(shared.numbers[-1 - place]);
    }
    return gathered;
}

CONTINUARM_OPERATOR void roll_arm(const SharedConstants& shared, const DeviceCall& call, long long row) {
    Lanes gathered[gathered_count];
    ArmOf<Lanes> arm;
    PlantOf<Lanes> plant;
    assemble(ArmLayout{}, PlantLayout{}, constants_of(shared, call, row, gathered), arm, plant);
    Number rest[PlantLayout::command_width];  // known to be zero where nothing pushes but muscles
    CONTINUARM_SECTIONS
    for (int j = 0; j < PlantLayout::command_width; ++j) rest[j] = KernelLayout::pushed ? call.rest[j] : Number(0);
    const RolloutRequestOf<Number> request{Number(call.step),
                                           long(call.first),
                                           long(call.count),
                                           long(call.every),
                                           KernelLayout::given,
                                           call.table_rows == 1,
                                           rest};
    const auto at = [&](Number* begin, int wide) { return begin ? begin + row * call.rows * wide : nullptr; };
    const RolloutArmOf<Number> own{call.commands + call.table[row] * call.table_rows * KernelLayout::given,
                                   at(call.q, 3 * ArmLayout::n),
                                   at(call.qd, 3 * ArmLayout::n),
                                   KernelLayout::writes_tips ? at(call.tips, 3 * ArmLayout::n) : nullptr,
                                   KernelLayout::writes_energies ? at(call.energies, energy_count) : nullptr,
                                   call.refused + row * PlantLayout::width,
                                   call.stopped + row};
    Lanes state[PlantLayout::width], scratch[device_scratch];
    CONTINUARM_SECTIONS
    for (int j = 0; j < PlantLayout::width; ++j) state[j] = Lanes(call.states[j * call.arms + row]);
    Group group(plant, request, 1, &own, state, Scratch<Lanes>{scratch});
    group.roll<ArmLayout::integral>();
    CONTINUARM_SECTIONS
    for (int j = 0; j < PlantLayout::width; ++j) call.states[j * call.arms + row] = state[j][0];
}

}  // namespace CONTINUARM_LEVEL
}  // namespace continuarm

extern "C" __global__ void __launch_bounds__(CONTINUARM_THREADS)
    roll_arms(const __grid_constant__ continuarm::CONTINUARM_LEVEL::SharedConstants shared,
              const __grid_constant__ continuarm::CONTINUARM_LEVEL::DeviceCall call) {
#if defined(__CUDA_ARCH__) && __CUDACC_VER_MAJOR__ >= 13  // what registers cannot hold goes to shared memory first
    asm volatile(".pragma \"enable_smem_spilling\";");
#endif
    const long long row = (long long)(blockIdx.x) * blockDim.x + threadIdx.x;
    if (row < call.arms) continuarm::CONTINUARM_LEVEL::roll_arm(shared, call, row);
}
