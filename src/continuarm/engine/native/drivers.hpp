// Loops over the sections of one arm (or of several arms at once): all arithmetic is in the generated steps.

#pragma once

#include "passages.hpp"

namespace continuarm {
namespace CONTINUARM_LEVEL {

// Numbers of scratch memory that no driver goes beyond.
constexpr long scratch_per_section = Passage<double>::size + Response<double>::size + 6 + 6 + 3 + 18 + 12 + 9 + 36;
constexpr long scratch_fixed = Articulated<double>::size + SectionBody<double>::size + 64;

template <class Real, class Constant>
inline void base_acceleration(const ArmOf<Constant>& arm, bool gravity, Real* acceleration) {
    for (int k = 0; k < 3; ++k) {
        acceleration[k] = Real(0.0);
        acceleration[3 + k] = gravity ? Real(-arm.gravity[k]) : Real(0.0);
    }
}

// A force less that of a section's stops.
template <class Real, class Constant>
inline void take_stops_off(const ArmOf<Constant>& arm, int i, const Real* q, Real* force) {
    CONTINUARM_SECTIONS
    for (int k = arm.first_stop[i]; k < arm.first_stop[i + 1]; ++k) {
        Real pushed[3], energy;
        end_stop(arm.stops[k], q, pushed, &energy);
        for (int j = 0; j < 3; ++j) force[j] = force[j] - pushed[j];
    }
}

// What the stops of a section add to its stiffness.
template <class Real, class Constant>
inline void add_stop_stiffness(const ArmOf<Constant>& arm, int i, const Real* q, Symmetric<Real>& block) {
    CONTINUARM_SECTIONS
    for (int k = arm.first_stop[i]; k < arm.first_stop[i + 1]; ++k) {
        Symmetric<Real> more;
        stop_stiffness(arm.stops[k], q, more);
        add(entries(more), Symmetric<Real>::size, entries(block));
    }
}

// Forces that change with q: what they are at some lengths is in tau, and by how much they fall from there.
template <class Real>
struct Leaning {
    const Symmetric<Real>* blocks;
    const Real* there;
    bool any;  // or blocks are zero
};

// Accelerations, with springs and dampers at lengths and rates that may differ from the state's; `implicit`: those of a
// stage of an implicit step, in which they resist acceleration too, and so does what leans on q.
template <bool integral, bool implicit, class Real, class Constant>
void accelerations(const ArmOf<Constant>& arm, const Real* q, const Real* qd, const Real* tau, const Real* springs,
                   const Real* dampers, const typename ArmOf<Constant>::Number* step, const Leaning<Real>* leaning,
                   Real* qdd, Scratch<Real> scratch) {
    const int n = arm.n;
    auto* responses = scratch.template take<Response<Real>>(n);
    Real* products = scratch.take(6L * n);
    auto& carried = *scratch.template take<Articulated<Real>>(1);
    auto& body = *scratch.template take<SectionBody<Real>>(1);
    auto& grounded = reinterpret_cast<GroundedBody<Real>&>(body);  // the first section has one or the other
    Real omega[3], acceleration[6], force[3];
    const Passages<passages_again, Real, Constant> passages(arm, q, qd, omega, scratch);
    const bool payload = !is_zero(arm.payload_mass[0]);
    if (payload) payload_body(arm.payload_mass, arm.payload_offset, omega, carried);
    CONTINUARM_SECTIONS
    for (int i = n - 1; i >= 0; --i) {
        const Section<Constant>& section = arm.sections[i];
        const Passage<Real>& passage = passages.at(i);
        const Real *at = springs + 3 * i, *against = dampers + 3 * i, *rate = qd + 3 * i;
        Real* product = products + 6 * i;
        const bool loaded = i + 1 < n || payload;
        copy(tau + 3 * i, 3, force);
        if constexpr (implicit)
            if (leaning && leaning->any) lean(leaning->blocks[i], at, leaning->there + 3 * i, force, force);
        take_stops_off(arm, i, at, force);
        if (i > 0) {
            if constexpr (integral)
                weigh_integral(section, passage, rate, body, product);
            else
                weigh_shaped(section, passage, rate, body, product);
        } else {
            if constexpr (integral)
                weigh_base_integral(section, passage, rate, grounded, product);
            else
                weigh_base_shaped(section, passage, rate, grounded, product);
        }
        if constexpr (implicit) {
            Symmetric<Real> extra;
            if (leaning && leaning->any)
                extra = leaning->blocks[i];
            else
                zero(entries(extra), Symmetric<Real>::size);
            add_stop_stiffness(arm, i, at, extra);
            impedance(section, extra, step, extra);
            if (i > 0)
                stiffen(section, body, extra, body);
            else
                stiffen_base(section, grounded, extra, grounded);
        }
        if (loaded) lift(passage, product, carried, carried);
        if (i > 0 && loaded)
            absorb(section, passage, body, at, against, force, carried, carried, responses[i]);
        else if (i > 0)
            absorb_tip(section, passage, body, at, against, force, carried, responses[i]);
        else if (loaded)
            absorb_base(section, passage, grounded, at, against, force, carried, responses[i]);
        else
            absorb_only(section, passage, grounded, at, against, force, responses[i]);
    }
    base_acceleration(arm, true, acceleration);
    CONTINUARM_SECTIONS
    for (int i = 0; i + 1 < n; ++i)
        respond(arm.sections[i], passages.at(i), responses[i], products + 6 * i, acceleration, qdd + 3 * i,
                acceleration);
    respond_tip(arm.sections[n - 1], passages.at(n - 1), responses[n - 1], acceleration, qdd + 3 * (n - 1));
}

// The state one implicit step later: q, then q̇.
template <bool integral, class Real, class Constant>
void step_ahead(const ArmOf<Constant>& arm, const Real* q, const Real* qd, const Real* tau, const Constant* step,
                Real* out, const Leaning<Real>* leaning, Scratch<Real> scratch) {
    const long size = 3 * long(arm.n);
    Real *springs = scratch.take(size), *dampers = scratch.take(size), *there = scratch.take(size);
    Real *rate = scratch.take(size), *first = scratch.take(size), *second = scratch.take(size);
    CONTINUARM_SECTIONS
    for (long j = 0; j < size; j += 3) {
        first_stage(q + j, qd + j, step, springs + j);
        copy(q + j, 3, there + j);
        copy(qd + j, 3, rate + j);
        copy(qd + j, 3, dampers + j);
    }
    CONTINUARM_STAGES
    for (int stage = 0; stage < 2; ++stage) {
        accelerations<integral, true>(arm, there, rate, tau, springs, dampers, step, leaning, second, scratch);
        if (stage > 0) break;
        CONTINUARM_SECTIONS
        for (long j = 0; j < size; j += 3) {
            copy(second + j, 3, first + j);
            second_stage(q + j, qd + j, first + j, step, there + j, rate + j, springs + j, dampers + j);
        }
    }
    CONTINUARM_SECTIONS
    for (long j = 0; j < size; j += 3) end_of_step(q + j, qd + j, first + j, second + j, step, out + j, out + size + j);
}

// M q̈ + C q̇ + G; qdd may be null for zero.
template <bool integral, class Real, class Constant>
void motion_forces(const ArmOf<Constant>& arm, const Real* q, const Real* qd, const Real* qdd, bool gravity, Real* tau,
                   Scratch<Real> scratch) {
    const int n = arm.n;
    auto* passages = scratch.template take<Passage<Real>>(n);
    Real* bases = scratch.take(long(n) * 6);
    Real* owns = scratch.take(long(n) * 3);
    auto& carried = *scratch.template take<Articulated<Real>>(1);
    Real omega[3], acceleration[6], wrench[6], still[3];
    zero(still, 3);
    pass_outward(arm, q, qd, passages, omega);
    payload_body(arm.payload_mass, arm.payload_offset, omega, carried);
    base_acceleration(arm, gravity, acceleration);
    for (int i = 0; i < n; ++i) {
        const Real* rate = qdd ? qdd + 3 * i : still;
        if constexpr (integral)
            demand_integral(arm.sections[i], passages[i], qd + 3 * i, rate, acceleration, bases + 6 * i, owns + 3 * i,
                            acceleration);
        else
            demand_shaped(arm.sections[i], passages[i], qd + 3 * i, rate, acceleration, bases + 6 * i, owns + 3 * i,
                          acceleration);
    }
    payload_wrench(carried, acceleration, wrench);
    for (int i = n - 1; i >= 0; --i)
        carry(arm.sections[i], passages[i], bases + 6 * i, owns + 3 * i, wrench, tau + 3 * i, wrench);
}

template <bool integral, class Real, class Constant>
void gravity_only(const ArmOf<Constant>& arm, const Real* q, Real* tau, Scratch<Real> scratch) {
    Real* still = scratch.take(3L * arm.n);
    zero(still, 3L * arm.n);
    motion_forces<integral>(arm, q, still, static_cast<const Real*>(nullptr), true, tau, scratch);
}

// Springs and stops: adds their forces to tau, and gives their energy.
template <class Real, class Constant>
Real add_elastic(const ArmOf<Constant>& arm, const Real* q, Real* tau) {
    Real total(0.0);
    for (int i = 0; i < arm.n; ++i) {
        Real force[3], energy;
        spring(arm.sections[i], q + 3 * i, force, &energy);
        add(force, 3, tau + 3 * i);
        total = total + energy;
        for (int k = arm.first_stop[i]; k < arm.first_stop[i + 1]; ++k) {
            end_stop(arm.stops[k], q + 3 * i, force, &energy);
            add(force, 3, tau + 3 * i);
            total = total + energy;
        }
    }
    return total;
}

template <class Real, class Constant>
void add_damping(const ArmOf<Constant>& arm, const Real* qd, Real* tau) {
    for (int i = 0; i < arm.n; ++i) {
        Real force[3];
        damper(arm.sections[i], qd + 3 * i, force);
        add(force, 3, tau + 3 * i);
    }
}

template <bool integral, class Real, class Constant>
void masses(const ArmOf<Constant>& arm, const Real* q, Real* m, Scratch<Real> scratch) {
    const int n = arm.n, size = 3 * n;
    auto* passages = scratch.template take<Passage<Real>>(n);
    auto& carried = *scratch.template take<Articulated<Real>>(1);
    auto& inertia = reinterpret_cast<Inertia<Real>&>(carried);  // IA comes first
    Real still[3], wrenches[18], block[9];
    zero(still, 3);
    pass_outward(arm, q, passages);
    payload_body(arm.payload_mass, arm.payload_offset, still, carried);
    for (int i = n - 1; i >= 0; --i) {
        if constexpr (integral)
            compose_integral(arm.sections[i], passages[i], inertia, inertia, wrenches, block);
        else
            compose_shaped(arm.sections[i], passages[i], inertia, inertia, wrenches, block);
        for (int j = i;; --j) {
            for (int r = 0; r < 3; ++r)
                for (int c = 0; c < 3; ++c) {
                    m[(3 * j + r) * size + 3 * i + c] = block[3 * r + c];
                    m[(3 * i + c) * size + 3 * j + r] = block[3 * r + c];
                }
            if (j == 0) break;
            hand_down(arm.sections[j - 1], passages[j - 1], wrenches, block, wrenches);
        }
    }
}

template <bool integral, class Real, class Constant>
Real kinetic(const ArmOf<Constant>& arm, const Real* q, const Real* qd, Scratch<Real> scratch) {
    auto* passages = scratch.template take<Passage<Real>>(arm.n);
    auto& carried = *scratch.template take<Articulated<Real>>(1);
    Real still[3], motion[6], energy, total(0.0);
    zero(still, 3);
    zero(motion, 6);
    pass_outward(arm, q, passages);
    CONTINUARM_SECTIONS
    for (int i = 0; i < arm.n; ++i) {
        if constexpr (integral)
            kinetic_integral(arm.sections[i], passages[i], qd + 3 * i, motion, &energy, motion);
        else
            kinetic_shaped(arm.sections[i], passages[i], qd + 3 * i, motion, &energy, motion);
        total = total + energy;
    }
    payload_body(arm.payload_mass, arm.payload_offset, still, carried);
    payload_kinetic(carried, motion, &energy);
    return total + energy;
}

template <class Real, class Constant>
Real gravitational(const ArmOf<Constant>& arm, const Real* q, Scratch<Real> scratch) {
    auto* passages = scratch.template take<Passage<Real>>(arm.n);
    Real gravity[3], height(0.0), energy, total(0.0);
    fill(gravity, arm.gravity, 3);
    pass_outward(arm, q, passages);
    CONTINUARM_SECTIONS
    for (int i = 0; i < arm.n; ++i) {
        fall(arm.sections[i], passages[i], gravity, &height, &energy, gravity, &height);
        total = total + energy;
    }
    payload_fall(arm.payload_mass, arm.payload_offset, gravity, &height, &energy);
    return total + energy;
}

template <class Real>
void write_pose(const Frame<Real>& frame, Real* pose) {
    const Real* from = reinterpret_cast<const Real*>(&frame);
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) pose[4 * r + c] = from[3 * r + c];
        pose[4 * r + 3] = from[9 + r];
        pose[12 + r] = Real(0.0);
    }
    pose[15] = Real(1.0);
}

// Frames of the base and of every tip: n + 1.
template <class Real, class Constant>
void frames_outward(const ArmOf<Constant>& arm, const Passage<Real>* passages, Frame<Real>* frames) {
    fill(reinterpret_cast<Real*>(frames), reinterpret_cast<const Constant*>(&arm.base_frame), Frame<Real>::size);
    CONTINUARM_SECTIONS
    for (int i = 0; i < arm.n; ++i) attach(passages[i], frames[i], frames[i + 1]);
}

// Passages at rest and frames, which everything about places begins with.
template <class Real>
struct Placed {
    Passage<Real>* passages;
    Frame<Real>* frames;
    template <class Constant>
    Placed(const ArmOf<Constant>& arm, const Real* q, Scratch<Real>& scratch)
        : passages(scratch.template take<Passage<Real>>(arm.n)), frames(scratch.template take<Frame<Real>>(arm.n + 1)) {
        pass_outward(arm, q, passages);
        frames_outward(arm, passages, frames);
    }
};

template <class Real, class Constant>
void poses(const ArmOf<Constant>& arm, const Real* q, Real* out, const double* places, int count,
           Scratch<Real> scratch) {
    const Placed<Real> placed(arm, q, scratch);
    for (int i = 0; i < arm.n; ++i) {
        if (!places) write_pose(placed.frames[i + 1], out + 16 * i);
        for (int k = 0; k < count; ++k) {
            Frame<Real> frame;
            const Real xi(places[k]);
            place(arm.sections[i], q + 3 * i, &xi, placed.frames[i], frame);
            write_pose(frame, out + 16 * (long(i) * count + k));
        }
    }
}

template <class Real, class Constant>
void centres(const ArmOf<Constant>& arm, const Real* q, Real* out, Scratch<Real> scratch) {
    const Placed<Real> placed(arm, q, scratch);
    for (int i = 0; i < arm.n; ++i) place_centre(placed.passages[i], placed.frames[i], out + 3 * i);
}

template <class Real, class Constant>
void jacobians(const ArmOf<Constant>& arm, const Real* q, Real* out, Scratch<Real> scratch) {
    const int n = arm.n, size = 3 * n;
    const Placed<Real> placed(arm, q, scratch);
    Real* columns = scratch.take(18L * n);
    for (int j = 0; j < n; ++j) move(arm.sections[j], placed.passages[j], placed.frames[j], columns + 18 * j);
    zero(out, 18L * n * n);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j <= i; ++j) {
            Real moved[18];
            move_point(columns + 18 * j, placed.frames[j], placed.frames[i + 1], moved);
            for (int r = 0; r < 6; ++r)
                for (int c = 0; c < 3; ++c) out[(6 * i + r) * size + 3 * j + c] = moved[3 * r + c];
        }
}

template <class Real, class Constant>
void wrench_over_q(const ArmOf<Constant>& arm, const Real* q, const Real* wrench, Real* tau, Scratch<Real> scratch) {
    const Placed<Real> placed(arm, q, scratch);
    CONTINUARM_SECTIONS
    for (int i = 0; i < arm.n; ++i)
        feel_wrench(arm.sections[i], placed.passages[i], placed.frames[i], placed.frames[arm.n], wrench, tau + 3 * i);
}

}  // namespace CONTINUARM_LEVEL
}  // namespace continuarm
