// Derivatives backward, in O(n): loops over sections only, all arithmetic is in the generated steps.
//
// Accelerations are those of (M + A) q̈ = τ - ..., so that the derivatives of λᵀ q̈ are those of the virtual power
// -μᵀ ((M + A) q̈ + ... - τ) for fixed q̈ and μ = (M + A)⁻¹ λ. See dynamics/virtual_power.py.

#pragma once

#include "drivers.hpp"

namespace continuarm {
namespace CONTINUARM_LEVEL {

// Derivatives by the constants of an arm, one number after another; null where nobody asked.
template <class Real>
struct ConstantBars {
    Real* numbers;
    bool wanted() const { return numbers != nullptr; }
    Section<Real>& section(int i) const { return reinterpret_cast<Section<Real>*>(numbers)[i]; }
    Stop<Real>& stop(const Arm& arm, int k) const {
        return reinterpret_cast<Stop<Real>*>(numbers + long(arm.n) * Section<Real>::size)[k];
    }
    Real* gravity(const Arm& arm) const { return numbers + long(arm.n) * Section<Real>::size + stop_numbers(arm); }
    Real* base_frame(const Arm& arm) const { return gravity(arm) + 3; }
    Real* payload_mass(const Arm& arm) const { return base_frame(arm) + Frame<Real>::size; }
    Real* payload_offset(const Arm& arm) const { return payload_mass(arm) + 1; }
    static long stop_numbers(const Arm& arm) { return long(arm.first_stop[arm.n]) * Stop<Real>::size; }
};

template <class Struct, class Real>
inline void add_struct(const Struct& more, Struct& to) {
    add(reinterpret_cast<const Real*>(&more), Struct::size, reinterpret_cast<Real*>(&to));
}

// What an evaluation of accelerations keeps for the way back.
template <class Real>
struct Kept {
    Passage<Real>* passages;
    Eliminated<Real>* eliminated;
    Real* omegas;  // of each base, and of the last tip
    Real* bases;   // accelerations of each base, and of the last tip
    Real* swings;  // the same in the virtual motion
    Real* qdd;
    Kept(const Arm& arm, Scratch<Real>& scratch)
        : passages(scratch.template take<Passage<Real>>(arm.n)),
          eliminated(scratch.template take<Eliminated<Real>>(arm.n)),
          omegas(scratch.take(3L * (arm.n + 1))),
          bases(scratch.take(6L * (arm.n + 1))),
          swings(scratch.take(6L * (arm.n + 1))),
          qdd(scratch.take(3L * arm.n)) {}
};

constexpr long kept_per_section = Passage<double>::size + Eliminated<double>::size + 3 + 6 + 6 + 3;

// Where springs and dampers act, and what leans on q, in an evaluation of accelerations.
template <class Real>
struct Acting {
    const Real *springs, *dampers;
    const double* step;  // of an implicit step; null for none
    const Leaning<Real>* leaning;
};

// What resists acceleration in a section beside its inertia, in a stage of an implicit step.
template <class Real>
inline void leaning_block(const Arm& arm, const Acting<Real>& acting, int i, Symmetric<Real>& extra) {
    if (acting.leaning)
        extra = acting.leaning->blocks[i];
    else
        zero(entries(extra), Symmetric<Real>::size);
    add_stop_stiffness(arm, i, acting.springs + 3 * i, extra);
}

// `accelerations` that keeps its factors.
template <bool integral, class Real>
void keep_accelerations(const Arm& arm, const Real* q, const Real* qd, const Real* tau, const Acting<Real>& acting,
                        const Kept<Real>& kept, Scratch<Real> scratch) {
    const int n = arm.n;
    auto* responses = scratch.template take<Response<Real>>(n);
    Real* products = scratch.take(6L * n);
    auto& carried = *scratch.template take<Articulated<Real>>(1);
    auto& body = *scratch.template take<SectionBody<Real>>(1);
    auto& grounded = reinterpret_cast<GroundedBody<Real>&>(body);  // the first section has one or the other
    Real force[3];
    const bool payload = !is_zero(arm.payload_mass[0]);
    zero(kept.omegas, 3);
    for (int i = 0; i < n; ++i)
        outward(arm.sections[i], q + 3 * i, qd + 3 * i, kept.omegas + 3 * i, kept.passages[i],
                kept.omegas + 3 * (i + 1));
    if (payload || n == 1) payload_body(arm.payload_mass, arm.payload_offset, kept.omegas + 3 * n, carried);
    for (int i = n - 1; i >= 0; --i) {
        const Section<double>& section = arm.sections[i];
        const Real *at = acting.springs + 3 * i, *against = acting.dampers + 3 * i;
        const bool loaded = payload || i + 1 < n || n == 1;
        copy(tau + 3 * i, 3, force);
        if (acting.leaning) lean(acting.leaning->blocks[i], at, acting.leaning->there + 3 * i, force, force);
        take_stops_off(arm, i, at, force);
        if (i > 0) {
            if constexpr (integral)
                weigh_integral(section, kept.passages[i], qd + 3 * i, body, products + 6 * i);
            else
                weigh_shaped(section, kept.passages[i], qd + 3 * i, body, products + 6 * i);
        } else {
            if constexpr (integral)
                weigh_base_integral(section, kept.passages[i], qd + 3 * i, grounded, products + 6 * i);
            else
                weigh_base_shaped(section, kept.passages[i], qd + 3 * i, grounded, products + 6 * i);
        }
        if (acting.step) {
            Symmetric<Real> extra;
            leaning_block(arm, acting, i, extra);
            impedance(section, extra, acting.step, extra);
            if (i > 0)
                stiffen(section, body, extra, body);
            else
                stiffen_base(section, grounded, extra, grounded);
        }
        if (loaded) lift(kept.passages[i], products + 6 * i, carried, carried);
        if (i == 0)
            absorb_base_and_keep(section, kept.passages[i], grounded, at, against, force, carried, responses[i],
                                 kept.eliminated[i]);
        else if (loaded)
            absorb_and_keep(section, kept.passages[i], body, at, against, force, carried, carried, responses[i],
                            kept.eliminated[i]);
        else
            absorb_tip_and_keep(section, kept.passages[i], body, at, against, force, carried, responses[i],
                                kept.eliminated[i]);
    }
    base_acceleration(arm, true, kept.bases);
    for (int i = 0; i < n; ++i)
        respond(arm.sections[i], kept.passages[i], responses[i], products + 6 * i, kept.bases + 6 * i, kept.qdd + 3 * i,
                kept.bases + 6 * (i + 1));
}

// μ = (M + A)⁻¹ λ, and how every base moves with it.
template <class Real>
void answer(const Arm& arm, const Kept<Real>& kept, const Real* lambda, Real* mu) {
    const int n = arm.n;
    Real wrench[6];
    for (int i = n - 1; i >= 0; --i) {
        const Section<double>& section = arm.sections[i];
        if (i == n - 1)
            absorb_force_tip(section, kept.eliminated[i], lambda + 3 * i, mu + 3 * i, wrench);
        else if (i > 0)
            absorb_force(section, kept.eliminated[i], lambda + 3 * i, wrench, mu + 3 * i, wrench);
        else
            absorb_force_base(section, kept.eliminated[i], lambda + 3 * i, wrench, mu + 3 * i);
    }
    zero(kept.swings, 6);
    respond_to_force_base(arm.sections[0], kept.eliminated[0], mu, mu, kept.swings + 6);
    for (int i = 1; i < n; ++i)
        respond_to_force(arm.sections[i], kept.eliminated[i], mu + 3 * i, kept.swings + 6 * i, mu + 3 * i,
                         kept.swings + 6 * (i + 1));
}

// Derivatives of (sign) μᵀ (M q̈ + C q̇ + G) by q, q̇ and q̈, which are written, and by constants, which are added.
template <bool integral, class Real>
void motion_power_reverse(const Arm& arm, const Real* q, const Real* qd, const Real* qdd, const Real* mu, double sign,
                          const Kept<Real>& kept, Real* q_bar, Real* qd_bar, Real* qdd_bar,
                          const ConstantBars<Real>& constants) {
    const int n = arm.n;
    const Real weight(sign);
    Real omega_bar[3], acceleration_bar[6], swing_bar[6];
    const Real *omega = kept.omegas + 3 * n, *acceleration = kept.bases + 6 * n, *swing = kept.swings + 6 * n;
    if (constants.wanted()) {
        Real mass_bar, offset_bar[3];
        payload_virtual_power_reverse_constants(arm.payload_mass, arm.payload_offset, omega, acceleration, swing,
                                                &weight, omega_bar, acceleration_bar, swing_bar, &mass_bar, offset_bar);
        add(&mass_bar, 1, constants.payload_mass(arm));
        add(offset_bar, 3, constants.payload_offset(arm));
    } else if (arm.payload_mass[0] != 0.0) {
        payload_virtual_power_reverse(arm.payload_mass, arm.payload_offset, omega, acceleration, swing, &weight,
                                      omega_bar, acceleration_bar, swing_bar);
    } else {
        zero(omega_bar, 3);
        zero(acceleration_bar, 6);
        zero(swing_bar, 6);
    }
    const bool free_tip = !constants.wanted() && arm.payload_mass[0] == 0.0;
#define CONTINUARM_AT section, q + j, qd + j, qdd + j, mu + j
#define CONTINUARM_MOVING kept.omegas + j, kept.bases + k, kept.swings + k, &weight
#define CONTINUARM_HANDED omega_bar, acceleration_bar, swing_bar
#define CONTINUARM_FOUND q_bar + j, qd_bar + j, qdd_bar + j
    for (int i = n - 1; i >= 0; --i) {
        const long j = 3 * i, k = 6 * i;
        const Section<double>& section = arm.sections[i];
        if (constants.wanted()) {
            Section<Real> bar;
            if constexpr (integral)
                section_virtual_power_integral_reverse_constants(CONTINUARM_AT, CONTINUARM_MOVING, CONTINUARM_HANDED,
                                                                 CONTINUARM_FOUND, CONTINUARM_HANDED, bar);
            else
                section_virtual_power_shaped_reverse_constants(CONTINUARM_AT, CONTINUARM_MOVING, CONTINUARM_HANDED,
                                                               CONTINUARM_FOUND, CONTINUARM_HANDED, bar);
            add_struct<Section<Real>, Real>(bar, constants.section(i));
        } else if (i == 0) {
            if constexpr (integral)
                base_virtual_power_integral_reverse(CONTINUARM_AT, kept.bases, &weight, CONTINUARM_HANDED,
                                                    CONTINUARM_FOUND);
            else
                base_virtual_power_shaped_reverse(CONTINUARM_AT, kept.bases, &weight, CONTINUARM_HANDED,
                                                  CONTINUARM_FOUND);
        } else if (i == n - 1 && free_tip) {
            if constexpr (integral)
                tip_virtual_power_integral_reverse(CONTINUARM_AT, CONTINUARM_MOVING, CONTINUARM_FOUND,
                                                   CONTINUARM_HANDED);
            else
                tip_virtual_power_shaped_reverse(CONTINUARM_AT, CONTINUARM_MOVING, CONTINUARM_FOUND, CONTINUARM_HANDED);
        } else {
            if constexpr (integral)
                section_virtual_power_integral_reverse(CONTINUARM_AT, CONTINUARM_MOVING, CONTINUARM_HANDED,
                                                       CONTINUARM_FOUND, CONTINUARM_HANDED);
            else
                section_virtual_power_shaped_reverse(CONTINUARM_AT, CONTINUARM_MOVING, CONTINUARM_HANDED,
                                                     CONTINUARM_FOUND, CONTINUARM_HANDED);
        }
    }
#undef CONTINUARM_AT
#undef CONTINUARM_MOVING
#undef CONTINUARM_HANDED
#undef CONTINUARM_FOUND
    if (constants.wanted())  // the base accelerates by -g
        for (int r = 0; r < 3; ++r) constants.gravity(arm)[r] = constants.gravity(arm)[r] - acceleration_bar[3 + r];
}

// Derivatives of (sign) μᵀ (K_e l + D l̇ + stops) of a section, added.
template <class Real>
void spring_power_reverse(const Arm& arm, int i, const Real* springs, const Real* dampers, const Real* mu, double sign,
                          Real* springs_bar, Real* dampers_bar, const ConstantBars<Real>& constants) {
    const Real weight(sign);
    Real at[3], against[3];
    if (constants.wanted()) {
        Section<Real> bar;
        spring_virtual_power_reverse_constants(arm.sections[i], springs, dampers, mu, &weight, at, against, bar);
        add_struct<Section<Real>, Real>(bar, constants.section(i));
    } else {
        spring_virtual_power_reverse(arm.sections[i], springs, dampers, mu, &weight, at, against);
    }
    add(at, 3, springs_bar);
    add(against, 3, dampers_bar);
}

template <class Real>
void stop_power_reverse(const Arm& arm, int i, const Real* springs, const Real* mu, double sign, Real* springs_bar,
                        const ConstantBars<Real>& constants) {
    const Real weight(sign);
    for (int k = arm.first_stop[i]; k < arm.first_stop[i + 1]; ++k) {
        Real at[3];
        if (constants.wanted()) {
            Stop<Real> bar;
            stop_virtual_power_reverse_constants(arm.stops[k], springs, mu, &weight, at, bar);
            add_struct<Stop<Real>, Real>(bar, constants.stop(arm, k));
        } else {
            stop_virtual_power_reverse(arm.stops[k], springs, mu, &weight, at);
        }
        add(at, 3, springs_bar);
    }
}

// Derivatives of λᵀ q̈ by q, q̇ and τ: the last are μ. `kept` is that of the state.
template <bool integral, class Real>
void accelerations_reverse(const Arm& arm, const Real* q, const Real* qd, const Kept<Real>& kept, const Real* lambda,
                           Real* q_bar, Real* qd_bar, Real* tau_bar, const ConstantBars<Real>& constants,
                           Scratch<Real> scratch) {
    Real* qdd_bar = scratch.take(3L * arm.n);
    answer(arm, kept, lambda, tau_bar);
    motion_power_reverse<integral>(arm, q, qd, kept.qdd, tau_bar, -1.0, kept, q_bar, qd_bar, qdd_bar, constants);
    for (int i = 0; i < arm.n; ++i) {
        const long j = 3 * i;
        spring_power_reverse(arm, i, q + j, qd + j, tau_bar + j, -1.0, q_bar + j, qd_bar + j, constants);
        stop_power_reverse(arm, i, q + j, tau_bar + j, -1.0, q_bar + j, constants);
    }
}

// Derivatives of λᵀ τ by q, q̇ and q̈.
template <bool integral, class Real>
void inverse_reverse(const Arm& arm, const Real* q, const Real* qd, const Real* qdd, const Real* lambda, Real* q_bar,
                     Real* qd_bar, Real* qdd_bar, const ConstantBars<Real>& constants, Scratch<Real> scratch) {
    const int n = arm.n;
    const Kept<Real> kept(arm, scratch);
    zero(kept.omegas, 3);
    zero(kept.swings, 6);
    base_acceleration(arm, true, kept.bases);
    for (int i = 0; i < n; ++i) {
        Real power;
        const long j = 3 * i, k = 6 * i;
        if constexpr (integral)
            section_virtual_power_integral(arm.sections[i], q + j, qd + j, qdd + j, lambda + j, kept.omegas + j,
                                           kept.bases + k, kept.swings + k, &power, kept.omegas + j + 3,
                                           kept.bases + k + 6, kept.swings + k + 6);
        else
            section_virtual_power_shaped(arm.sections[i], q + j, qd + j, qdd + j, lambda + j, kept.omegas + j,
                                         kept.bases + k, kept.swings + k, &power, kept.omegas + j + 3,
                                         kept.bases + k + 6, kept.swings + k + 6);
    }
    motion_power_reverse<integral>(arm, q, qd, qdd, lambda, 1.0, kept, q_bar, qd_bar, qdd_bar, constants);
    for (int i = 0; i < n; ++i) {
        const long j = 3 * i;
        spring_power_reverse(arm, i, q + j, qd + j, lambda + j, 1.0, q_bar + j, qd_bar + j, constants);
        stop_power_reverse(arm, i, q + j, lambda + j, 1.0, q_bar + j, constants);
    }
}

// Where derivatives by what leans on q go: added to; null blocks where nothing leans.
template <class Real>
struct LeaningBars {
    Symmetric<Real>* blocks;
    Real* there;
};

// One stage of an implicit step: derivatives of λᵀ q̈ by its q, q̇ (written), τ, springs, dampers (added).
template <bool integral, class Real>
void stage_reverse(const Arm& arm, const Real* q, const Real* qd, const Acting<Real>& acting, const Kept<Real>& kept,
                   const Real* lambda, Real* q_bar, Real* qd_bar, Real* tau_bar, Real* springs_bar, Real* dampers_bar,
                   const LeaningBars<Real>* leaning_bars, const ConstantBars<Real>& constants, Scratch<Real> scratch) {
    Real *qdd_bar = scratch.take(3L * arm.n), *mu = scratch.take(3L * arm.n);
    const Real weight(-1.0);
    answer(arm, kept, lambda, mu);
    motion_power_reverse<integral>(arm, q, qd, kept.qdd, mu, -1.0, kept, q_bar, qd_bar, qdd_bar, constants);
    for (int i = 0; i < arm.n; ++i) {
        const long j = 3 * i;
        Symmetric<Real> extra, extra_bar;
        Real resisted[3], at[3], against[3];
        leaning_block(arm, acting, i, extra);
        if (constants.wanted()) {
            Section<Real> bar;
            stage_virtual_power_reverse_constants(arm.sections[i], extra, kept.qdd + j, acting.springs + j,
                                                  acting.dampers + j, mu + j, acting.step, &weight, extra_bar, resisted,
                                                  at, against, bar);
            add_struct<Section<Real>, Real>(bar, constants.section(i));
        } else {
            stage_virtual_power_reverse(arm.sections[i], extra, kept.qdd + j, acting.springs + j, acting.dampers + j,
                                        mu + j, acting.step, &weight, extra_bar, resisted, at, against);
        }
        add(at, 3, springs_bar + j);
        add(against, 3, dampers_bar + j);
        stop_power_reverse(arm, i, acting.springs + j, mu + j, -1.0, springs_bar + j, constants);
        for (int k = arm.first_stop[i]; constants.wanted() && k < arm.first_stop[i + 1]; ++k) {
            Stop<Real> bar;
            stop_stiffness_reverse_constants(arm.stops[k], acting.springs + j, extra_bar, bar);
            add_struct<Stop<Real>, Real>(bar, constants.stop(arm, k));
        }
        if (acting.leaning) {
            Symmetric<Real> block_bar;
            Real there_bar[3];
            lean_virtual_power_reverse(acting.leaning->blocks[i], acting.springs + j, acting.leaning->there + j, mu + j,
                                       &weight, block_bar, at, there_bar);
            add(at, 3, springs_bar + j);
            add(there_bar, 3, leaning_bars->there + j);
            add(entries(block_bar), Symmetric<Real>::size, entries(leaning_bars->blocks[i]));
            add(entries(extra_bar), Symmetric<Real>::size, entries(leaning_bars->blocks[i]));
        }
    }
    add(mu, 3L * arm.n, tau_bar);
}

// An implicit step: derivatives of weights on q and q̇ after it, by q, q̇ before it and τ, all written.
template <bool integral, class Real>
void step_reverse(const Arm& arm, const Real* q, const Real* qd, const Real* tau, const double* step,
                  const Leaning<Real>* leaning, const Real* q_after_bar, const Real* qd_after_bar, Real* q_bar,
                  Real* qd_bar, Real* tau_bar, const LeaningBars<Real>* leaning_bars,
                  const ConstantBars<Real>& constants, Scratch<Real> scratch) {
    const long size = 3L * arm.n;
    Real *springs = scratch.take(2 * size), *dampers = scratch.take(size), *there = scratch.take(size);
    Real* rate = scratch.take(size);
    const Kept<Real> first(arm, scratch), second(arm, scratch);
    const Acting<Real> at_first{springs, qd, step, leaning}, at_second{springs + size, dampers, step, leaning};
    for (long j = 0; j < size; j += 3) first_stage(q + j, qd + j, step, springs + j);
    keep_accelerations<integral>(arm, q, qd, tau, at_first, first, scratch);
    for (long j = 0; j < size; j += 3)
        second_stage(q + j, qd + j, first.qdd + j, step, there + j, rate + j, springs + size + j, dampers + j);
    keep_accelerations<integral>(arm, there, rate, tau, at_second, second, scratch);
    Real *first_bar = scratch.take(size), *second_bar = scratch.take(size), *there_bar = scratch.take(size);
    Real *rate_bar = scratch.take(size), *springs_bar = scratch.take(size), *dampers_bar = scratch.take(size);
    for (long j = 0; j < size; j += 3)
        end_of_step_reverse(q + j, qd + j, first.qdd + j, second.qdd + j, step, q_after_bar + j, qd_after_bar + j,
                            q_bar + j, qd_bar + j, first_bar + j, second_bar + j);
    zero(tau_bar, size);
    zero(springs_bar, size);
    zero(dampers_bar, size);
    stage_reverse<integral>(arm, there, rate, at_second, second, second_bar, there_bar, rate_bar, tau_bar, springs_bar,
                            dampers_bar, leaning_bars, constants, scratch);
    for (long j = 0; j < size; j += 3) {
        Real back[9];
        second_stage_reverse(q + j, qd + j, first.qdd + j, step, there_bar + j, rate_bar + j, springs_bar + j,
                             dampers_bar + j, back, back + 3, back + 6);
        add(back, 3, q_bar + j);
        add(back + 3, 3, qd_bar + j);
        add(back + 6, 3, first_bar + j);
    }
    zero(springs_bar, size);
    zero(dampers_bar, size);
    stage_reverse<integral>(arm, q, qd, at_first, first, first_bar, there_bar, rate_bar, tau_bar, springs_bar,
                            dampers_bar, leaning_bars, constants, scratch);
    add(there_bar, size, q_bar);
    add(rate_bar, size, qd_bar);
    add(dampers_bar, size, qd_bar);
    for (long j = 0; j < size; j += 3) {
        Real back[6];
        first_stage_reverse(q + j, qd + j, step, springs_bar + j, back, back + 3);
        add(back, 3, q_bar + j);
        add(back + 3, 3, qd_bar + j);
    }
}

// Derivatives of weights (n, 4, 4) on the poses of the tips, by q; the last rows of poses are constant.
template <class Real>
void poses_reverse(const Arm& arm, const Real* q, const Real* weights, Real* q_bar, const ConstantBars<Real>& constants,
                   Scratch<Real> scratch) {
    const Placed<Real> placed(arm, q, scratch);
    Real still[3];
    zero(still, 3);
    Frame<Real> frame_bar;
    Real* bar = reinterpret_cast<Real*>(&frame_bar);
    zero(bar, Frame<Real>::size);
    for (int i = arm.n - 1; i >= 0; --i) {
        const Real* pose_bar = weights + 16 * i;
        for (int r = 0; r < 3; ++r) {
            add(pose_bar + 4 * r, 3, bar + 3 * r);
            add(pose_bar + 4 * r + 3, 1, bar + 9 + r);
        }
        Passage<Real> passage_bar;
        attach_reverse(placed.passages[i], placed.frames[i], frame_bar, passage_bar, frame_bar);
        if (constants.wanted()) {
            Section<Real> section_bar;
            outward_reverse_constants(arm.sections[i], q + 3 * i, still, still, passage_bar, still, q_bar + 3 * i,
                                      section_bar);
            add_struct<Section<Real>, Real>(section_bar, constants.section(i));
        } else {
            outward_reverse(arm.sections[i], q + 3 * i, still, still, passage_bar, still, q_bar + 3 * i);
        }
    }
    if (constants.wanted()) add(bar, Frame<Real>::size, constants.base_frame(arm));
}

}  // namespace CONTINUARM_LEVEL
}  // namespace continuarm
