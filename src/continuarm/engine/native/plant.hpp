// An arm with its muscles, told pressures, forces and a wrench at its tip: loops only, all arithmetic is in the
// generated steps.

#pragma once

#include "drivers.hpp"

namespace continuarm {
namespace CONTINUARM_LEVEL {

template <class Real, class Constant>
inline Real pressure_of(const PlantOf<Constant>& plant, long j, const Real* commands, const Real* state) {
    return plant.lags(j) ? state[plant.pressures + j] : commands[j];
}

template <class Real, class Constant>
inline Real hysteresis_of(const PlantOf<Constant>& plant, long j, const Real* state) {
    return plant.remembers ? state[plant.hysteresis + j] : Real(0.0);
}

// A muscle without memory and without pressure does nothing, unless its spring hardens or is preloaded.
template <class Real, class Constant>
inline bool is_idle(const PlantOf<Constant>& plant, long j, const Real& pressure) {
    const Muscle<Constant>& muscle = plant.muscles[j];
    return !plant.remembers && is_zero(pressure) && is_zero(muscle.hardening) && is_zero(muscle.preload);
}

// Whether the force of any muscle falls as it lengthens: see `stiffness` of a muscle.
template <class Constant>
inline bool leans(const PlantOf<Constant>& plant) {
    bool any = plant.branch_count > 0;
    CONTINUARM_SECTIONS
    for (long j = 0; j < plant.muscle_count(); ++j) {
        const Muscle<Constant>& muscle = plant.muscles[j];
        any |= !is_zero(muscle.pressure_stiffness) || !is_zero(muscle.hardening) || !is_zero(muscle.loop_a);
    }
    return any;
}

// Σ|l̇| over all muscles, which shakes friction loose; ways in place of rates alike. Where nothing is shaken it is not
// needed, but by who differentiates by shaking.
template <class Real, class Constant>
inline Real all_along(const PlantOf<Constant>& plant, const Real* qd, bool always = false) {
    Real total = Real(0.0);
    bool shakes = always;
    CONTINUARM_SECTIONS
    for (long j = 0; j < plant.muscle_count(); ++j) shakes |= !is_zero(plant.muscles[j].shaking);
    if (!shakes) return total;
    CONTINUARM_SECTIONS
    for (int i = 0; i < plant.arm->n; ++i) CONTINUARM_SECTIONS
    for (long j = plant.first_muscle[i]; j < plant.first_muscle[i + 1]; ++j)
        one_more_along(plant.muscles[j], qd + 3 * i, &total, &total);
    return total;
}

template <class Real>
inline bool any(const Real* values, int count) {
    for (int k = 0; k < count; ++k)
        if (!is_zero(values[k])) return true;
    return false;
}

// Forces and wrench from outside.
template <class Real, class Constant>
inline void outside_forces(const PlantOf<Constant>& plant, const Real* commands, const Real* q, Real* tau,
                           Scratch<Real> scratch) {
    const long size = plant.size();
    copy(commands + plant.forces, size, tau);
    if (!any(commands + plant.wrench, 6)) return;
    Real* more = scratch.take(size);
    wrench_over_q(*plant.arm, q, commands + plant.wrench, more, scratch);
    add(more, size, tau);
}

template <bool integral, class Real, class Constant>
void plant_rate(const PlantOf<Constant>& plant, const Real* commands, const Real* state, Real* rate, Real* tau,
                Scratch<Real> scratch) {
    const ArmOf<Constant>& arm = *plant.arm;
    const Real *q = state, *qd = state + plant.size();
    const Real all_rates = all_along(plant, qd);
    Real power[2] = {Real(0.0), Real(0.0)};
    outside_forces(plant, commands, q, tau, scratch);
    CONTINUARM_SECTIONS
    for (int i = 0; i < arm.n; ++i) {
        Real* own = tau + 3 * i;
        section_power(arm.sections[i], own, qd + 3 * i, power, power);
        CONTINUARM_SECTIONS
        for (long j = plant.first_muscle[i]; j < plant.first_muscle[i + 1]; ++j) {
            const Real pressure = pressure_of(plant, j, commands, state), hysteresis = hysteresis_of(plant, j, state);
            if (is_idle(plant, j, pressure)) continue;
            Real rates[2];
            muscle_rate(plant.muscles[j], commands + j, &pressure, &hysteresis, q + 3 * i, qd + 3 * i, &all_rates, own,
                        power, own, power, rates, rates + 1);
            if (plant.remembers) {
                rate[plant.pressures + j] = rates[0];
                rate[plant.hysteresis + j] = rates[1];
            }
            CONTINUARM_SECTIONS
            for (int b = 0; b < plant.branch_count; ++b) {
                const long k = b * plant.muscle_count() + j;
                branch_rate(plant.muscles[j], plant.branches[k], state + plant.creep + k, qd + 3 * i, own, power, own,
                            power, rate + plant.creep + k);
            }
        }
    }
    copy(qd, plant.size(), rate);
    accelerations<integral, false, Real>(arm, q, qd, tau, q, qd, nullptr, nullptr, rate + plant.size(), scratch);
    rate[plant.supplied] = power[0];
    rate[plant.dissipated] = power[1];
}

// What a motion shows of a state beside the state: what is in the muscles, by what hysteresis and creep hold each of
// them back, and τ of all of them with the forces that are commanded.
template <class Real, class Constant>
void plant_shown(const PlantOf<Constant>& plant, const Real* commands, const Real* state, Real* tau, Real* pressures,
                 Real* held_back) {
    const long count = plant.muscle_count();
    copy(commands + plant.forces, plant.size(), tau);
    zero(held_back, count);
    for (int b = 0; b < plant.branch_count; ++b) add(state + plant.creep + b * count, count, held_back);
    if (plant.remembers) add(state + plant.hysteresis, count, held_back);
    for (int i = 0; i < plant.arm->n; ++i)
        for (long j = plant.first_muscle[i]; j < plant.first_muscle[i + 1]; ++j) {
            pressures[j] = pressure_of(plant, j, commands, state);
            if (is_idle(plant, j, pressures[j])) continue;
            muscle_force(plant.muscles[j], pressures + j, held_back + j, state + 3 * i, tau + 3 * i, tau + 3 * i);
        }
}

// What a step takes half a step ahead: lengths, forces and how they lean on q, and what muscles remember.
template <class Real>
struct HalfAhead {
    Real *lengths, *tau;  // over q
    Symmetric<Real>* blocks;
    Real *pressures, *hysteresis, *creep;  // at the end of the step, and halfway
    template <class Constant>
    HalfAhead(const PlantOf<Constant>& plant, Scratch<Real>& scratch)
        : lengths(scratch.take(plant.size())),
          tau(scratch.take(plant.size())),
          blocks(scratch.template take<Symmetric<Real>>(plant.arm->n)),
          pressures(scratch.take(plant.muscle_count())),
          hysteresis(scratch.take(plant.muscle_count())),
          creep(scratch.take(plant.branch_count * plant.muscle_count())) {}
};

template <class Real, class Constant>
void look_ahead(const PlantOf<Constant>& plant, const Real* commands, const Constant* step, const Real* state,
                const HalfAhead<Real>& ahead, Scratch<Real> scratch) {
    const ArmOf<Constant>& arm = *plant.arm;
    const Real *q = state, *qd = state + plant.size();
    CONTINUARM_SECTIONS
    for (long j = 0; j < plant.size(); j += 3) half_ahead(q + j, qd + j, step, ahead.lengths + j);
    outside_forces(plant, commands, ahead.lengths, ahead.tau, scratch);
    const Real all_rates = all_along(plant, qd);
    CONTINUARM_SECTIONS
    for (int i = 0; i < arm.n; ++i) {
        Real own[3];
        Symmetric<Real> block;
        copy(ahead.tau + 3 * i, 3, own);
        zero(entries(block), Symmetric<Real>::size);
        CONTINUARM_SECTIONS
        for (long j = plant.first_muscle[i]; j < plant.first_muscle[i + 1]; ++j) {
            const Real pressure = pressure_of(plant, j, commands, state), hysteresis = hysteresis_of(plant, j, state);
            if (is_idle(plant, j, pressure)) continue;
            muscle_ahead(plant.muscles[j], plant.valves[j], commands + j, &pressure, &hysteresis, ahead.lengths + 3 * i,
                         qd + 3 * i, &all_rates, own, block, step, own, block, ahead.pressures + j,
                         ahead.hysteresis + j);
            CONTINUARM_SECTIONS
            for (int b = 0; b < plant.branch_count; ++b) {
                const long k = b * plant.muscle_count() + j;
                branch_ahead(plant.muscles[j], plant.branches[k], plant.kept[k], state + plant.creep + k, qd + 3 * i,
                             own, block, step, own, block, ahead.creep + k);
            }
        }
        copy(static_cast<const Real*>(own), 3, ahead.tau + 3 * i);
        ahead.blocks[i] = block;
    }
}

// Valves and creep are followed exactly, muscles and wrench are taken half a step ahead; muscles lean on q.
template <bool integral, class Real, class Constant>
void plant_step(const PlantOf<Constant>& plant, const Real* commands, const Constant* step, Real* state,
                Scratch<Real> scratch) {
    const ArmOf<Constant>& arm = *plant.arm;
    const long size = plant.size();
    Real *q = state, *qd = state + size, *after = scratch.take(2 * size);
    const HalfAhead<Real> ahead(plant, scratch);
    look_ahead(plant, commands, step, state, ahead, scratch);
    const Leaning<Real> leaning{ahead.blocks, ahead.lengths, leans(plant)};
    step_ahead<integral>(arm, q, qd, ahead.tau, step, after, &leaning, scratch);
    CONTINUARM_SECTIONS
    for (long j = 0; j < plant.muscle_count(); ++j)
        if (plant.lags(j)) state[plant.pressures + j] = ahead.pressures[j];
    Real energy[2] = {state[plant.supplied], state[plant.dissipated]};
    Real* ways = scratch.take(size);
    CONTINUARM_SECTIONS
    for (int i = 0; i < arm.n; ++i)
        section_work(arm.sections[i], q + 3 * i, after + 3 * i, ahead.tau + 3 * i, energy, step, ways + 3 * i, energy);
    const Real all_ways = all_along(plant, static_cast<const Real*>(ways));
    CONTINUARM_SECTIONS
    for (int i = 0; plant.remembers && i < arm.n; ++i) {
        const Real* moved = ways + 3 * i;
        CONTINUARM_SECTIONS
        for (long j = plant.first_muscle[i]; j < plant.first_muscle[i + 1]; ++j) {
            muscle_work(plant.muscles[j], ahead.hysteresis + j, state + plant.hysteresis + j, moved, &all_ways, energy,
                        state + plant.hysteresis + j, energy);
            CONTINUARM_SECTIONS
            for (int b = 0; b < plant.branch_count; ++b) {
                const long k = b * plant.muscle_count() + j;
                branch_work(plant.muscles[j], plant.branches[k], plant.kept[k], ahead.creep + k,
                            state + plant.creep + k, moved, energy, state + plant.creep + k, energy);
            }
        }
    }
    copy(after, 2 * size, state);
    state[plant.supplied] = energy[0];
    state[plant.dissipated] = energy[1];
}

// The least margin of all sections, NaN where any is.
template <class Real>
inline Real least_margin(const ArmOf<Real>& arm, const Real* q) {
    Real least = 1.0;
    CONTINUARM_SECTIONS
    for (int i = 0; i < arm.n; ++i) {
        Real margin[2];
        margins(arm.sections[i], q + 3 * i, margin, margin + 1);
        for (Real each : margin)
            if (!(each >= least)) least = each;
    }
    return least;
}

}  // namespace CONTINUARM_LEVEL
}  // namespace continuarm
