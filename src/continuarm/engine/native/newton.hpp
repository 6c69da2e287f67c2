// Newton's iteration of an implicit method on a plant, as continuarm.dynamics.newton writes it: loops only.

#pragma once

#include "plant.hpp"

namespace continuarm {
namespace CONTINUARM_LEVEL {

// K over q_i and what muscles remember, at a state.
inline void newton_tangent(const Plant& plant, const double* commands, const double* state, NewtonParts& parts) {
    const Arm& arm = *plant.arm;
    const long count = plant.muscle_count();
    const double *q = state, *qd = state + plant.size(), all_rates = all_along(plant, qd);
    for (int i = 0; i < arm.n; ++i) {
        section_stiffness(arm.sections[i], parts.blocks[i]);
        add_stop_stiffness(arm, i, q + 3 * i, parts.blocks[i]);
        for (int k = arm.first_stop[i]; k < arm.first_stop[i + 1]; ++k)
            pressed(arm.stops[k], q + 3 * i, parts.pressed + k);
        for (long j = plant.first_muscle[i]; j < plant.first_muscle[i + 1]; ++j) {
            const double pressure = pressure_of(plant, j, commands, state), hysteresis = hysteresis_of(plant, j, state);
            if (is_idle(plant, j, pressure)) continue;
            double push, rates[2], slope;
            muscle_tangent(plant.muscles[j], commands + j, &pressure, &hysteresis, q + 3 * i, qd + 3 * i, &all_rates,
                           parts.blocks[i], parts.blocks[i], &push, rates, &slope, rates + 1);
            if (!plant.remembers) continue;
            parts.pushes[j] = plant.lags(j) ? push : 0.0;  // elsewhere the command pushes, not the state
            parts.slopes[j] = 0.0;
            parts.relaxation[j] = rates[0];
            parts.pushes[count + j] = -1.0;
            parts.slopes[count + j] = slope;
            parts.relaxation[count + j] = rates[1];
            for (int b = 0; b < plant.branch_count; ++b) {
                const long k = b * count + j, m = 2 * count + k;
                parts.pushes[m] = -1.0;
                parts.slopes[m] = plant.branches[k].stiffness;
                parts.relaxation[m] = plant.branches[k].relaxation;
            }
        }
    }
}

template <bool integral>
void newton_settle(const Arm& arm, const double* q, NewtonParts& parts) {
    for (int i = 0; i < arm.n; ++i)
        if constexpr (integral)
            settle_integral(arm.sections[i], q + 3 * i, parts.resting[i]);
        else
            settle_shaped(arm.sections[i], q + 3 * i, parts.resting[i]);
}

inline bool newton_stops_changed(const Arm& arm, const double* q, const NewtonParts& parts) {
    for (int i = 0; i < arm.n; ++i)
        for (int k = arm.first_stop[i]; k < arm.first_stop[i + 1]; ++k) {
            double now;
            pressed(arm.stops[k], q + 3 * i, &now);
            if (now != parts.pressed[k]) return true;
        }
    return false;
}

inline bool newton_eliminate(const Plant& plant, double part, NewtonParts& parts) {
    const Arm& arm = *plant.arm;
    const long count = plant.muscle_count();
    const int kinds = plant.remembers ? 2 + plant.branch_count : 0;
    const double still[3] = {0.0, 0.0, 0.0};
    Articulated<double> carried;
    auto& inertia = reinterpret_cast<Inertia<double>&>(carried);  // IA comes first
    payload_body(arm.payload_mass, arm.payload_offset, still, carried);
    bool positive = true;
    for (int i = arm.n - 1; i >= 0; --i) {
        Symmetric<double>& added = parts.added[i];
        added = parts.blocks[i];
        for (int kind = 0; kind < kinds; ++kind)
            for (long j = plant.first_muscle[i]; j < plant.first_muscle[i + 1]; ++j) {
                const long m = kind * count + j;
                eliminate_memory(plant.muscles[j], parts.pushes + m, parts.slopes + m, parts.relaxation + m, &part,
                                 added, parts.shares + m, parts.gains + m, added);
            }
        resistance(arm.sections[i], added, &part, added);
        Eliminated<double>& each = parts.eliminated[i];
        eliminate(arm.sections[i], parts.resting[i], added, inertia, inertia, each);
        positive &= each.Dinv_00 > 0.0 && each.Dinv_11 > 0.0 && each.Dinv_22 > 0.0;
    }
    return positive;
}

inline void newton_correct(const Plant& plant, double part, NewtonParts& parts, double* residual) {
    const Arm& arm = *plant.arm;
    const int last = arm.n - 1, kinds = plant.remembers ? 2 + plant.branch_count : 0;
    const long count = plant.muscle_count();
    double *rq = residual, *rv = residual + plant.size(), *memory = residual + plant.pressures;
    double wrench[6], acceleration[6];
    for (int i = last; i >= 0; --i) {
        double *pull = parts.pulls + 3 * i, *Dinv_u = parts.Dinv_u + 3 * i;
        zero(pull, 3);
        for (int kind = 0; kind < kinds; ++kind)
            for (long j = plant.first_muscle[i]; j < plant.first_muscle[i + 1]; ++j) {
                const long m = kind * count + j;
                pull_of_memory(plant.muscles[j], parts.shares + m, parts.pushes + m, memory + m, pull, memory + m,
                               pull);
            }
        if (i == last)
            correct_inward_tip(arm.sections[i], parts.eliminated[i], parts.added[i], parts.blocks[i], rq + 3 * i,
                               rv + 3 * i, pull, &part, Dinv_u, wrench);
        else if (i == 0)
            correct_inward_base(arm.sections[i], parts.eliminated[i], parts.added[i], parts.blocks[i], rq + 3 * i,
                                rv + 3 * i, pull, &part, wrench, Dinv_u);
        else
            correct_inward(arm.sections[i], parts.eliminated[i], parts.added[i], parts.blocks[i], rq + 3 * i,
                           rv + 3 * i, pull, &part, wrench, Dinv_u, wrench);
    }
    for (int i = 0; i <= last; ++i) {
        double *qi = rq + 3 * i, *vi = rv + 3 * i, *Dinv_u = parts.Dinv_u + 3 * i;
        if (i == 0)
            correct_outward_base(arm.sections[i], parts.eliminated[i], Dinv_u, qi, vi, &part, qi, vi, acceleration);
        else if (i < last)
            correct_outward(arm.sections[i], parts.eliminated[i], Dinv_u, qi, vi, &part, acceleration, qi, vi,
                            acceleration);
        else
            correct_outward_tip(arm.sections[i], parts.eliminated[i], Dinv_u, qi, vi, &part, acceleration, qi, vi);
        for (int kind = 1; kind < kinds; ++kind)  // pressures do not follow the motion
            for (long j = plant.first_muscle[i]; j < plant.first_muscle[i + 1]; ++j) {
                const long m = kind * count + j;
                correct_memory(plant.muscles[j], parts.gains + m, vi, memory + m, memory + m);
            }
    }
}

}  // namespace CONTINUARM_LEVEL
}  // namespace continuarm
