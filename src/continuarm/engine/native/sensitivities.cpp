// The plant of one state with derivatives by parameters of the arm: states and constants are numbers that carry them,
// as many at a time as the instruction set has lanes. Compiled, as kernels.cpp is, once for every instruction set.

#include "sensitivities.hpp"

#include "assembled_plant.hpp"
#include "plant.hpp"

namespace continuarm {
namespace CONTINUARM_LEVEL {

namespace {

// A number with the slopes that stand in a row, from `first` on; those beyond the last are zero.
Dual sloped(double value, const double* slopes, long first, long count) {
    Dual made(value);
    for (int l = 0; l < lanes && first + l < count; ++l) made.slope[l] = slopes[first + l];
    return made;
}

// The values of all constants, in the order of constant_count.
template <class Take>
void each_constant(const Plant& plant, Take take) {
    const Arm& arm = *plant.arm;
    const long muscles = plant.muscle_count(), branches = plant.branch_count * muscles;
    take(reinterpret_cast<const double*>(arm.sections), arm.n * Section<double>::size);
    take(reinterpret_cast<const double*>(arm.stops), arm.first_stop[arm.n] * Stop<double>::size);
    take(arm.gravity, 3);
    take(reinterpret_cast<const double*>(&arm.base_frame), Frame<double>::size);
    take(arm.payload_mass, 1);
    take(arm.payload_offset, 3);
    take(reinterpret_cast<const double*>(plant.muscles), muscles * Muscle<double>::size);
    take(reinterpret_cast<const double*>(plant.valves), muscles * ValveStep<double>::size);
    take(reinterpret_cast<const double*>(plant.branches), branches * Branch<double>::size);
    take(reinterpret_cast<const double*>(plant.kept), branches * BranchStep<double>::size);
}

// States (1 + count, width) as numbers with the slopes from `first` on.
void gather(const double* states, long width, long first, long count, Dual* to) {
    for (long j = 0; j < width; ++j) {
        to[j] = Dual(states[j]);
        for (int l = 0; l < lanes && first + l < count; ++l) to[j].slope[l] = states[(1 + first + l) * width + j];
    }
}

// The other way round; false where a number is not finite.
bool scatter(const Dual* from, long width, long first, long count, double* states) {
    Verdict<double> verdict;
    for (long j = 0; j < width; ++j) {
        states[j] = from[j].value();
        verdict.see(from[j].value());
        for (int l = 0; l < lanes && first + l < count; ++l) {
            states[(1 + first + l) * width + j] = from[j].slope[l];
            verdict.see(from[j].slope[l]);
        }
    }
    return verdict.good();
}

}  // namespace

void slope(const Plant& plant, const double* slopes, long count, double* memory) {
    Dual* to = reinterpret_cast<Dual*>(memory);
    for (long first = 0; first < count; first += lanes) {
        const double* row = slopes;
        each_constant(plant, [&](const double* values, long size) {
            for (long k = 0; k < size; ++k, row += count) *to++ = sloped(values[k], row, first, count);
        });
    }
}

bool sloped_rate(const Plant& plant, const double* constants, long count, const double* commands, const double* states,
                 double* rates, double* work) {
    bool good = holds(plant, states);
    for (long first = 0; good && first < count; first += lanes) {
        const AssembledPlant<Dual> made(
            *plant.arm, plant, reinterpret_cast<const Dual*>(constants) + first / lanes * constant_count(plant));
        Scratch<Dual> scratch{reinterpret_cast<Dual*>(work)};
        Dual *given = scratch.take(plant.command_width), *state = scratch.take(plant.width);
        Dual *rate = scratch.take(plant.width), *tau = scratch.take(plant.size());
        fill(given, commands, plant.command_width);
        gather(states, plant.width, first, count, state);
        if (made.arm.integral)
            plant_rate<true>(made.plant, given, state, rate, tau, scratch);
        else
            plant_rate<false>(made.plant, given, state, rate, tau, scratch);
        good = scatter(rate, plant.width, first, count, rates);
    }
    return good;
}

bool sloped_step(const Plant& plant, const double* constants, long count, const double* commands,
                 const double* command_slopes, double length, double* states, double* work) {
    if (!holds(plant, states)) return false;
    bool good = true;
    double* begin = work;  // the values before the step, which every group of parameters begins with
    copy(states, plant.width, begin);
    double* rest = begin + (plant.width + 7) / 8 * 8;
    for (long first = 0; good && first < count; first += lanes) {
        const AssembledPlant<Dual> made(
            *plant.arm, plant, reinterpret_cast<const Dual*>(constants) + first / lanes * constant_count(plant));
        Scratch<Dual> scratch{reinterpret_cast<Dual*>(rest)};
        Dual *given = scratch.take(plant.command_width), *state = scratch.take(plant.width);
        const Dual step(length);
        fill(given, commands, plant.command_width);
        if (command_slopes)
            for (long j = 0; j < plant.command_width; ++j)
                given[j] = sloped(commands[j], command_slopes + j * count, first, count);
        copy(begin, plant.width, states);
        gather(states, plant.width, first, count, state);
        if (made.arm.integral)
            plant_step<true>(made.plant, given, &step, state, scratch);
        else
            plant_step<false>(made.plant, given, &step, state, scratch);
        good = scatter(state, plant.width, first, count, states);
    }
    return good && least_margin(*plant.arm, states) > 0.0;
}

}  // namespace CONTINUARM_LEVEL

#if defined(CONTINUARM_FIRST_LEVEL)
long sloped_size(const Plant& plant, long count) {
    return (count + 7) / 8 * widest_number * constant_count(plant);  // with fewer lanes numbers are as much smaller
}

long sloped_work_size(const Plant& plant) {
    return (work_size(plant) + plant.command_width + 2 * plant.width + 8) * widest_number;
}
#endif

}  // namespace continuarm
