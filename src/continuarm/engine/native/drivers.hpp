// Loops over the sections of one arm (or of several arms at once): all arithmetic is in the generated steps.

#pragma once

#include "arm.hpp"
#include "numbers.hpp"
#include "steps.hpp"

namespace continuarm {
namespace CONTINUARM_LEVEL {

// Memory of one evaluation, laid out one array after another.
template <class Real>
struct Scratch {
    Real* next;
    Real* take(long count) {
        Real* taken = next;
        next += count;
        return taken;
    }
};

constexpr int scratch_per_section = passage_size + response_size + product_size + 6 + 3 + 18 + 12 + 9 + 18;
constexpr int scratch_fixed = load_size + body_size + 64;

inline const double* section(const Arm& arm, int i) { return arm.sections + long(i) * section_size; }

template <class Real>
inline void fill(Real* to, const double* from, int count) {
    for (int k = 0; k < count; ++k) to[k] = Real(from[k]);
}

template <class Real>
inline void zero(Real* to, long count) {
    for (long k = 0; k < count; ++k) to[k] = Real(0.0);
}

template <class Real>
inline void base_acceleration(const Arm& arm, bool gravity, Real* acceleration) {
    for (int k = 0; k < 3; ++k) {
        acceleration[k] = Real(0.0);
        acceleration[3 + k] = Real(gravity ? -arm.gravity[k] : 0.0);
    }
}

// Outward: passages of all sections; leaves the angular velocity of the last tip in omega.
template <class Real>
inline void pass_outward(const Arm& arm, const Real* q, const Real* qd, Real* passages, Real* omega) {
    zero(omega, 3);
    for (int i = 0; i < arm.n; ++i)
        outward(section(arm, i), q + 3 * i, qd + 3 * i, omega, passages + long(i) * passage_size, omega);
}

// Outward at rest.
template <class Real>
inline void pass_outward(const Arm& arm, const Real* q, Real* passages) {
    Real still[3], omega[3];
    zero(still, 3);
    zero(omega, 3);
    for (int i = 0; i < arm.n; ++i)
        outward(section(arm, i), q + 3 * i, still, omega, passages + long(i) * passage_size, omega);
}

template <class Real>
inline void add_stops(const Arm& arm, int i, const Real* q, double sign, Real* force, Real* energy) {
    for (int k = arm.first_stop[i]; k < arm.first_stop[i + 1]; ++k) {
        Real pushed[3], held[1];
        const Stop& stop = arm.stops[k];
        end_stop(stop.muscle, stop.limits, stop.stiffness, q, pushed, held);
        for (int j = 0; j < 3; ++j) force[j] = force[j] + Real(sign) * pushed[j];
        *energy = *energy + held[0];
    }
}

// What the stops of a section add to its inertia in an implicit step.
template <class Real>
inline void stops_extra(const Arm& arm, int i, const double* part, const Real* q, Real* extra) {
    zero(extra, 6);
    for (int k = arm.first_stop[i]; k < arm.first_stop[i + 1]; ++k) {
        Real more[6];
        const Stop& stop = arm.stops[k];
        stop_extra(stop.muscle, stop.limits, stop.stiffness, part, q, more);
        for (int j = 0; j < 6; ++j) extra[j] = extra[j] + more[j];
    }
}

// Accelerations, with springs and dampers at lengths and rates that may differ from the state's; `implicit`: those of a
// stage of an implicit step, which resist acceleration too.
template <bool integral, bool implicit, class Real>
void accelerations(const Arm& arm, const Real* q, const Real* qd, const Real* tau, const Real* springs,
                   const Real* dampers, const double* part, Real* qdd, Scratch<Real> scratch) {
    const int n = arm.n;
    Real* passages = scratch.take(long(n) * passage_size);
    Real* responses = scratch.take(long(n) * response_size);
    Real* products = scratch.take(long(n) * product_size);
    Real* load = scratch.take(load_size);
    Real* body = scratch.take(body_size);
    Real omega[3], acceleration[6], force[3], energy;
    pass_outward(arm, q, qd, passages, omega);
    if (arm.payload_mass[0] != 0.0) point_mass(arm.payload_mass, arm.payload_offset, omega, load);
    for (int i = n - 1; i >= 0; --i) {
        const Real *at = springs + 3 * i, *against = dampers + 3 * i, *rate = qd + 3 * i;
        Real extra[6];
        for (int j = 0; j < 3; ++j) force[j] = tau[3 * i + j];
        energy = Real(0.0);
        add_stops(arm, i, at, -1.0, force, &energy);
        if constexpr (implicit) stops_extra(arm, i, part, at, extra);
        const Real* passage = passages + long(i) * passage_size;
        Real* product = products + long(i) * product_size;
        Real* response = responses + long(i) * response_size;
        const double* mine = section(arm, i);
        const bool loaded = i + 1 < n || arm.payload_mass[0] != 0.0;
        if (i > 0) {
            if constexpr (integral)
                weigh_integral(mine, passage, rate, body, product);
            else
                weigh_shaped(mine, passage, rate, body, product);
        } else {
            if constexpr (integral)
                weigh_base_integral(mine, passage, rate, body, product);
            else
                weigh_base_shaped(mine, passage, rate, body, product);
        }
        if constexpr (implicit) {
            if (i > 0)
                stiffen(mine, body, part, extra, body);
            else
                stiffen_base(mine, body, part, extra, body);
        }
        if (loaded) lift(passage, product, load, load);
        if (i > 0 && loaded)
            absorb(mine, passage, body, at, against, force, load, load, response);
        else if (i > 0)
            absorb_tip(mine, passage, at, against, force, body, load, response);
        else if (loaded)
            absorb_base(mine, passage, at, against, force, body, load, response);
        else
            absorb_only(mine, passage, at, against, force, body, response);
    }
    base_acceleration(arm, true, acceleration);
    for (int i = 0; i + 1 < n; ++i)
        respond(section(arm, i), passages + long(i) * passage_size, responses + long(i) * response_size,
                products + long(i) * product_size, acceleration, qdd + 3 * i, acceleration);
    respond_tip(section(arm, n - 1), passages + long(n - 1) * passage_size, responses + long(n - 1) * response_size,
                acceleration, qdd + 3 * (n - 1));
}

// The state one implicit step later: q, then q̇.
template <bool integral, class Real>
void step_ahead(const Arm& arm, const Real* q, const Real* qd, const Real* tau, const double* step, Real* out,
                Scratch<Real> scratch) {
    const long size = 3 * long(arm.n);
    const double part[1] = {implicit_part * step[0]};
    Real *springs = scratch.take(size), *dampers = scratch.take(size), *there = scratch.take(size);
    Real *rate = scratch.take(size), *first = scratch.take(size), *second = scratch.take(size);
    for (long j = 0; j < size; j += 3) open_step(q + j, qd + j, step, springs + j, dampers + j);
    accelerations<integral, true>(arm, q, qd, tau, springs, dampers, part, first, scratch);
    for (long j = 0; j < size; j += 3)
        amid_step(q + j, qd + j, first + j, step, there + j, rate + j, springs + j, dampers + j);
    accelerations<integral, true>(arm, there, rate, tau, springs, dampers, part, second, scratch);
    for (long j = 0; j < size; j += 3) close_step(q + j, qd + j, first + j, second + j, step, out + j, out + size + j);
}

// M q̈ + C q̇ + G; qdd may be null for zero.
template <bool integral, class Real>
void motion_forces(const Arm& arm, const Real* q, const Real* qd, const Real* qdd, bool gravity, Real* tau,
                   Scratch<Real> scratch) {
    const int n = arm.n;
    Real* passages = scratch.take(long(n) * passage_size);
    Real* bases = scratch.take(long(n) * 6);
    Real* owns = scratch.take(long(n) * 3);
    Real* load = scratch.take(load_size);
    Real omega[3], acceleration[6], wrench[6], still[3];
    zero(still, 3);
    pass_outward(arm, q, qd, passages, omega);
    point_mass(arm.payload_mass, arm.payload_offset, omega, load);
    base_acceleration(arm, gravity, acceleration);
    for (int i = 0; i < n; ++i) {
        const Real* passage = passages + long(i) * passage_size;
        const Real* rate = qdd ? qdd + 3 * i : still;
        if constexpr (integral)
            demanded_integral(section(arm, i), passage, qd + 3 * i, rate, acceleration, bases + 6 * i, owns + 3 * i,
                              acceleration);
        else
            demanded_shaped(section(arm, i), passage, qd + 3 * i, rate, acceleration, bases + 6 * i, owns + 3 * i,
                            acceleration);
    }
    load_wrench(load, acceleration, wrench);
    for (int i = n - 1; i >= 0; --i)
        carry(section(arm, i), passages + long(i) * passage_size, bases + 6 * i, owns + 3 * i, wrench, tau + 3 * i,
              wrench);
}

template <class Real>
void add_elastic(const Arm& arm, const Real* q, Real* tau) {
    for (int i = 0; i < arm.n; ++i) {
        Real force[3], energy;
        spring(section(arm, i), q + 3 * i, force, &energy);
        add_stops(arm, i, q + 3 * i, 1.0, force, &energy);
        for (int j = 0; j < 3; ++j) tau[3 * i + j] = tau[3 * i + j] + force[j];
    }
}

template <class Real>
void add_damping(const Arm& arm, const Real* qd, Real* tau) {
    for (int i = 0; i < arm.n; ++i) {
        Real force[3];
        damper(section(arm, i), qd + 3 * i, force);
        for (int j = 0; j < 3; ++j) tau[3 * i + j] = tau[3 * i + j] + force[j];
    }
}

template <bool integral, class Real>
void masses(const Arm& arm, const Real* q, Real* m, Scratch<Real> scratch) {
    const int n = arm.n, size = 3 * n;
    Real* passages = scratch.take(long(n) * passage_size);
    Real* load = scratch.take(load_size);
    Real still[3], wrench[18], block[9];
    zero(still, 3);
    pass_outward(arm, q, passages);
    point_mass(arm.payload_mass, arm.payload_offset, still, load);
    for (int i = n - 1; i >= 0; --i) {
        const Real* passage = passages + long(i) * passage_size;
        if constexpr (integral)
            compose_integral(section(arm, i), passage, load, load, wrench, block);
        else
            compose_shaped(section(arm, i), passage, load, load, wrench, block);
        for (int j = i;; --j) {
            for (int r = 0; r < 3; ++r)
                for (int c = 0; c < 3; ++c) {
                    m[(3 * j + r) * size + 3 * i + c] = block[3 * r + c];
                    m[(3 * i + c) * size + 3 * j + r] = block[3 * r + c];
                }
            if (j == 0) break;
            hand_down(section(arm, j - 1), passages + long(j - 1) * passage_size, wrench, block, wrench);
        }
    }
}

template <bool integral, class Real>
Real kinetic(const Arm& arm, const Real* q, const Real* qd, Scratch<Real> scratch) {
    Real* passages = scratch.take(long(arm.n) * passage_size);
    Real* load = scratch.take(load_size);
    Real still[3], motion[6], energy, total(0.0);
    zero(still, 3);
    zero(motion, 6);
    pass_outward(arm, q, passages);
    for (int i = 0; i < arm.n; ++i) {
        const Real* passage = passages + long(i) * passage_size;
        if constexpr (integral)
            kinetic_integral(section(arm, i), passage, qd + 3 * i, motion, &energy, motion);
        else
            kinetic_shaped(section(arm, i), passage, qd + 3 * i, motion, &energy, motion);
        total = total + energy;
    }
    point_mass(arm.payload_mass, arm.payload_offset, still, load);
    load_energy(load, motion, &energy);
    return total + energy;
}

template <class Real>
Real gravitational(const Arm& arm, const Real* q, Scratch<Real> scratch) {
    Real* passages = scratch.take(long(arm.n) * passage_size);
    Real gravity[3], above(0.0), energy, total(0.0);
    fill(gravity, arm.gravity, 3);
    pass_outward(arm, q, passages);
    for (int i = 0; i < arm.n; ++i) {
        height(section(arm, i), passages + long(i) * passage_size, gravity, &above, &energy, gravity, &above);
        total = total + energy;
    }
    load_height(arm.payload_mass, arm.payload_offset, gravity, &above, &energy);
    return total + energy;
}

template <class Real>
Real elastic(const Arm& arm, const Real* q) {
    Real force[3], energy, total(0.0);
    for (int i = 0; i < arm.n; ++i) {
        spring(section(arm, i), q + 3 * i, force, &energy);
        add_stops(arm, i, q + 3 * i, 1.0, force, &energy);
        total = total + energy;
    }
    return total;
}

template <class Real>
void write_pose(const Real* frame, Real* pose) {
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) pose[4 * r + c] = frame[3 * r + c];
        pose[4 * r + 3] = frame[9 + r];
        pose[12 + r] = Real(0.0);
    }
    pose[15] = Real(1.0);
}

// Frames of the base and of every tip: n + 1 of 12 numbers.
template <class Real>
void frames_outward(const Arm& arm, const Real* passages, Real* frames) {
    fill(frames, arm.base_frame, 12);
    for (int i = 0; i < arm.n; ++i)
        attach(section(arm, i), passages + long(i) * passage_size, frames + 12 * i, frames + 12 * (i + 1));
}

template <class Real>
void poses(const Arm& arm, const Real* q, Real* out, const double* places, int count, Scratch<Real> scratch) {
    Real* passages = scratch.take(long(arm.n) * passage_size);
    Real* frames = scratch.take(12 * long(arm.n + 1));
    pass_outward(arm, q, passages);
    frames_outward(arm, passages, frames);
    for (int i = 0; i < arm.n; ++i) {
        if (!places) write_pose(frames + 12 * (i + 1), out + 16 * i);
        for (int k = 0; k < count; ++k) {
            Real frame[12], xi(places[k]);
            place(section(arm, i), q + 3 * i, &xi, frames + 12 * i, frame);
            write_pose(frame, out + 16 * (long(i) * count + k));
        }
    }
}

template <class Real>
void jacobians(const Arm& arm, const Real* q, Real* out, Scratch<Real> scratch) {
    const int n = arm.n, size = 3 * n;
    Real* passages = scratch.take(long(n) * passage_size);
    Real* frames = scratch.take(12 * long(n + 1));
    Real* columns = scratch.take(18 * long(n));
    pass_outward(arm, q, passages);
    frames_outward(arm, passages, frames);
    for (int j = 0; j < n; ++j)
        move(section(arm, j), passages + long(j) * passage_size, frames + 12 * j, columns + 18 * j);
    zero(out, 18L * n * n);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j <= i; ++j) {
            Real moved[18];
            move_point(columns + 18 * j, frames + 12 * j, frames + 12 * (i + 1), moved);
            for (int r = 0; r < 6; ++r)
                for (int c = 0; c < 3; ++c) out[(6 * i + r) * size + 3 * j + c] = moved[3 * r + c];
        }
}

}  // namespace CONTINUARM_LEVEL
}  // namespace continuarm
