// An arm with its muscles, told pressures, forces and a wrench at its tip: loops only, all arithmetic is in the
// generated steps.

#pragma once

#include "drivers.hpp"

namespace continuarm {
namespace CONTINUARM_LEVEL {

template <class Real>
inline Real pressure_of(const Plant& plant, long j, const Real* commands, const Real* state) {
    return plant.lags(j) ? state[plant.pressures + j] : commands[j];
}

template <class Real>
inline Real hysteresis_of(const Plant& plant, long j, const Real* state) {
    return plant.remembers ? state[plant.hysteresis + j] : Real(0.0);
}

// A muscle without memory and without pressure does nothing, unless its spring hardens.
inline bool is_idle(const Plant& plant, long j, const double& pressure) {
    return !plant.remembers && pressure == 0.0 && plant.muscles[j].hardening == 0.0;
}

inline bool any(const double* values, int count) {
    for (int k = 0; k < count; ++k)
        if (values[k] != 0.0) return true;
    return false;
}

// Forces and wrench from outside.
template <class Real>
inline void outside_forces(const Plant& plant, const Real* commands, const Real* q, Real* tau, Scratch<Real> scratch) {
    const long size = plant.size();
    copy(commands + plant.forces, size, tau);
    if (!any(commands + plant.wrench, 6)) return;
    Real* more = scratch.take(size);
    wrench_over_q(*plant.arm, q, commands + plant.wrench, more, scratch);
    add(more, size, tau);
}

template <bool integral, class Real>
void plant_rate(const Plant& plant, const Real* commands, const Real* state, Real* rate, Real* tau,
                Scratch<Real> scratch) {
    const Arm& arm = *plant.arm;
    const Real *q = state, *qd = state + plant.size();
    Real power[2] = {Real(0.0), Real(0.0)};
    outside_forces(plant, commands, q, tau, scratch);
    for (int i = 0; i < arm.n; ++i) {
        Real* own = tau + 3 * i;
        section_power(arm.sections[i], own, qd + 3 * i, power, power);
        for (long j = plant.first_muscle[i]; j < plant.first_muscle[i + 1]; ++j) {
            const Real pressure = pressure_of(plant, j, commands, state), hysteresis = hysteresis_of(plant, j, state);
            if (is_idle(plant, j, pressure)) continue;
            Real rates[2];
            muscle_rate(plant.muscles[j], commands + j, &pressure, &hysteresis, q + 3 * i, qd + 3 * i, own, power, own,
                        power, rates, rates + 1);
            if (plant.remembers) {
                rate[plant.pressures + j] = rates[0];
                rate[plant.hysteresis + j] = rates[1];
            }
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

// Valves and creep are followed exactly, muscles and wrench are taken half a step ahead; muscles lean on q.
template <bool integral, class Real>
void plant_step(const Plant& plant, const Real* commands, const double* step, Real* state, Real* tau,
                Scratch<Real> scratch) {
    const Arm& arm = *plant.arm;
    const long size = plant.size();
    Real *q = state, *qd = state + size;
    Real *ahead = scratch.take(size), *after = scratch.take(2 * size), *halfway = scratch.take(plant.muscle_count());
    Real* creep_halfway = scratch.take(plant.branch_count * plant.muscle_count());
    auto* blocks = scratch.template take<Symmetric<Real>>(arm.n);
    for (long j = 0; j < size; j += 3) half_ahead(q + j, qd + j, step, ahead + j);
    outside_forces(plant, commands, ahead, tau, scratch);
    for (int i = 0; i < arm.n; ++i) {
        zero(entries(blocks[i]), Symmetric<Real>::size);
        for (long j = plant.first_muscle[i]; j < plant.first_muscle[i + 1]; ++j) {
            const Real pressure = pressure_of(plant, j, commands, state), hysteresis = hysteresis_of(plant, j, state);
            if (is_idle(plant, j, pressure)) continue;
            Real *own = tau + 3 * i, end;
            muscle_ahead(plant.muscles[j], plant.valves[j], commands + j, &pressure, &hysteresis, ahead + 3 * i,
                         qd + 3 * i, own, blocks[i], step, own, blocks[i], &end, halfway + j);
            if (plant.lags(j)) state[plant.pressures + j] = end;
            for (int b = 0; b < plant.branch_count; ++b) {
                const long k = b * plant.muscle_count() + j;
                branch_ahead(plant.muscles[j], plant.branches[k], plant.kept[k], state + plant.creep + k, qd + 3 * i,
                             own, blocks[i], step, own, blocks[i], creep_halfway + k);
            }
        }
    }
    const Leaning<Real> leaning{blocks, ahead};
    step_ahead<integral>(arm, q, qd, tau, step, after, &leaning, scratch);
    Real energy[2] = {state[plant.supplied], state[plant.dissipated]};
    for (int i = 0; i < arm.n; ++i) {
        Real moved[3];
        section_work(arm.sections[i], q + 3 * i, after + 3 * i, tau + 3 * i, energy, step, moved, energy);
        if (!plant.remembers) continue;
        for (long j = plant.first_muscle[i]; j < plant.first_muscle[i + 1]; ++j) {
            muscle_work(plant.muscles[j], halfway + j, state + plant.hysteresis + j, moved, energy,
                        state + plant.hysteresis + j, energy);
            for (int b = 0; b < plant.branch_count; ++b) {
                const long k = b * plant.muscle_count() + j;
                branch_work(plant.muscles[j], plant.branches[k], plant.kept[k], creep_halfway + k,
                            state + plant.creep + k, moved, energy, state + plant.creep + k, energy);
            }
        }
    }
    copy(after, 2 * size, state);
    state[plant.supplied] = energy[0];
    state[plant.dissipated] = energy[1];
}

template <class Real>
void plant_tangent(const Plant& plant, const Real* commands, const Real* state, Symmetric<Real>* blocks,
                   Real* relaxation) {
    const Arm& arm = *plant.arm;
    const Real *q = state, *qd = state + plant.size();
    for (int i = 0; i < arm.n; ++i) {
        section_stiffness(arm.sections[i], blocks[i]);
        add_stop_stiffness(arm, i, q + 3 * i, blocks[i]);
        for (long j = plant.first_muscle[i]; j < plant.first_muscle[i + 1]; ++j) {
            const Real pressure = pressure_of(plant, j, commands, state);
            if (is_idle(plant, j, pressure)) continue;
            Real rates[2];
            muscle_tangent(plant.muscles[j], commands + j, &pressure, q + 3 * i, qd + 3 * i, blocks[i], blocks[i],
                           rates, rates + 1);
            if (plant.remembers) {
                relaxation[j] = rates[0];
                relaxation[plant.muscle_count() + j] = rates[1];
            }
            for (int b = 0; b < plant.branch_count; ++b) {
                const long k = b * plant.muscle_count() + j;
                branch_tangent(plant.muscles[j], plant.branches[k], blocks[i], blocks[i],
                               relaxation + 2 * plant.muscle_count() + k);
            }
        }
    }
}

// The least margin of all sections, NaN where any is.
inline double least_margin(const Arm& arm, const double* q) {
    double least = 1.0;
    for (int i = 0; i < arm.n; ++i) {
        double margin[2];
        margins(arm.sections[i], q + 3 * i, margin, margin + 1);
        for (double each : margin)
            if (!(each >= least)) least = each;
    }
    return least;
}

}  // namespace CONTINUARM_LEVEL
}  // namespace continuarm
