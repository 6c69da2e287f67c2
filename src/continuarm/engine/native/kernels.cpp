// One instruction set's worth of everything: compiled several times with different flags, each into its own namespace
// (CONTINUARM_LEVEL). Nothing of the standard library is used here, so that no function compiled for a newer processor
// can end up in a place that an older one runs.

#include "drivers.hpp"

namespace continuarm {
namespace CONTINUARM_LEVEL {

namespace {

template <class Real>
bool acceptable(const Arm& arm, const Request& request, const Real* const* in) {
    const int size = 3 * arm.n, count = input_count(request.quantity);
    Verdict<Real> verdict;
    for (int k = 0; k < count; ++k)
        for (int j = 0; j < size; ++j) verdict.see(in[k][j]);
    if (request.quantity == damping_forces) return verdict.good();
    for (int i = 0; i < arm.n; ++i) {
        Real y, s;
        arc(section(arm, i), in[0] + 3 * i, &y, &s);
        verdict.see(y, -1.0, full_turn_squared);
        verdict.see(s, 0.0, 1e300);
    }
    return verdict.good();
}

template <bool integral, class Real>
void evaluate(const Arm& arm, const Request& request, const Real* const* in, Real* out, Scratch<Real> scratch) {
    const Real *q = in[0], *qd = in[1], *third = in[2];
    const int size = 3 * arm.n;
    switch (request.quantity) {
        case forward_dynamics: accelerations<integral, false>(arm, q, qd, third, q, qd, nullptr, out, scratch); break;
        case implicit_step: step_ahead<integral>(arm, q, qd, third, &request.step, out, scratch); break;
        case inverse_dynamics:
        case bias_forces:
            motion_forces<integral>(arm, q, qd, third, true, out, scratch);
            add_elastic(arm, q, out);
            add_damping(arm, qd, out);
            break;
        case gravity_forces: {
            Real* still = scratch.take(size);
            zero(still, size);
            motion_forces<integral>(arm, q, still, static_cast<const Real*>(nullptr), true, out, scratch);
            break;
        }
        case elastic_forces:
            zero(out, size);
            add_elastic(arm, q, out);
            break;
        case damping_forces:
            zero(out, size);
            add_damping(arm, q, out);  // its one input is q̇
            break;
        case mass_matrix: masses<integral>(arm, q, out, scratch); break;
        case kinetic_energy: *out = kinetic<integral>(arm, q, qd, scratch); break;
        case gravitational_energy: *out = gravitational(arm, q, scratch); break;
        case elastic_energy: *out = elastic(arm, q); break;
        case tip_poses: poses(arm, q, out, nullptr, 0, scratch); break;
        case poses_along: poses(arm, q, out, request.places, request.place_count, scratch); break;
        case tip_jacobian: jacobians(arm, q, out, scratch); break;
        default: break;
    }
}

template <class Real>
void evaluate(const Arm& arm, const Request& request, const Real* const* in, Real* out, Scratch<Real> scratch) {
    if (arm.integral)
        evaluate<true>(arm, request, in, out, scratch);
    else
        evaluate<false>(arm, request, in, out, scratch);
}

// Derivatives by numbers that carry them, several directions at a time.
template <bool integral>
void coriolis(const Arm& arm, const double* q, const double* qd, double* out, Dual* memory) {
    const int size = 3 * arm.n;
    Scratch<Dual> scratch{memory};
    Dual *position = scratch.take(size), *rate = scratch.take(size), *tau = scratch.take(size);
    for (int first = 0; first < size; first += lanes) {
        for (int j = 0; j < size; ++j) {
            position[j] = Dual(q[j]);
            rate[j] = Dual(qd[j]);
            if (j >= first && j < first + lanes) rate[j].slope.set(j - first, 1.0);
        }
        motion_forces<integral>(arm, position, rate, static_cast<const Dual*>(nullptr), false, tau, scratch);
        for (int j = 0; j < size; ++j)
            for (int k = first; k < first + lanes && k < size; ++k) out[j * size + k] = tau[j].slope[k - first] / 2;
    }
}

template <bool integral>
void linearize(const Arm& arm, const double* const* in, double* out, Dual* memory) {
    const int size = 3 * arm.n;
    double *a = out, *b = out + 4L * size * size;
    for (long k = 0; k < 6L * size * size; ++k) out[k] = 0.0;
    for (int j = 0; j < size; ++j) a[j * 2L * size + size + j] = 1.0;
    Scratch<Dual> scratch{memory};
    Dual *state = scratch.take(3L * size), *qdd = scratch.take(size);
    for (int first = 0; first < 3 * size; first += lanes) {
        for (int j = 0; j < 3 * size; ++j) {
            state[j] = Dual(in[j / size][j % size]);
            if (j >= first && j < first + lanes) state[j].slope.set(j - first, 1.0);
        }
        accelerations<integral, false>(arm, state, state + size, state + 2L * size, state, state + size, nullptr, qdd,
                                       scratch);
        for (int j = 0; j < size; ++j)
            for (int k = first; k < first + lanes && k < 3 * size; ++k) {
                const double slope = qdd[j].slope[k - first];
                if (k < 2 * size)
                    a[(size + j) * 2L * size + k] = slope;
                else
                    b[(size + j) * long(size) + k - 2L * size] = slope;
            }
    }
}

Outcome run_one(const Arm& arm, const Request& request, long row, double* work) {
    const long size = 3L * arm.n, width = result_size(request.quantity, arm.n, request.place_count);
    const double* in[3] = {nullptr, nullptr, nullptr};
    for (int k = 0; k < input_count(request.quantity); ++k) in[k] = request.inputs[k] + row * size;
    if (!acceptable(arm, request, in)) return Outcome::refused;
    double* out = request.output + row * width;
    Dual* memory = reinterpret_cast<Dual*>(work);
    if (request.quantity == coriolis_matrix)
        arm.integral ? coriolis<true>(arm, in[0], in[1], out, memory) : coriolis<false>(arm, in[0], in[1], out, memory);
    else if (request.quantity == linearization)
        arm.integral ? linearize<true>(arm, in, out, memory) : linearize<false>(arm, in, out, memory);
    else
        evaluate(arm, request, in, out, Scratch<double>{work});
    Verdict<double> verdict;
    for (long k = 0; k < width; ++k) verdict.see(out[k]);
    return verdict.good() ? Outcome::done : Outcome::singular;
}

// Several rows at once; rows beyond the last repeat it.
Outcome run_several(const Arm& arm, const Request& request, long row, double* work) {
    const long size = 3L * arm.n, width = result_size(request.quantity, arm.n, request.place_count);
    Scratch<Lanes> scratch{reinterpret_cast<Lanes*>(work)};
    const Lanes* in[3] = {nullptr, nullptr, nullptr};
    const long count = request.last - row < lanes ? request.last - row : lanes;
    for (int k = 0; k < input_count(request.quantity); ++k) {
        Lanes* lane = scratch.take(size);
        const double* from = request.inputs[k] + row * size;
        for (long j = 0; j < size; ++j) lane[j] = Lanes::gathered(from + j, size, count);
        in[k] = lane;
    }
    if (!acceptable(arm, request, in)) return Outcome::refused;
    Lanes* out = scratch.take(width);
    evaluate(arm, request, in, out, scratch);
    Verdict<Lanes> verdict;
    for (long k = 0; k < width; ++k) verdict.see(out[k]);
    for (int l = 0; l < count; ++l)
        for (long k = 0; k < width; ++k) request.output[(row + l) * width + k] = out[k][l];
    return verdict.good() ? Outcome::done : Outcome::singular;
}

}  // namespace

static_assert(sizeof(Dual) <= widest_number * sizeof(double), "scratch memory is counted in the widest numbers");

long scratch_size(const Arm& arm, const Request& request) {
    const long n = arm.n, width = result_size(request.quantity, n, request.place_count);
    const bool derivatives = request.quantity == coriolis_matrix || request.quantity == linearization;
    const long numbers = n * scratch_per_section + scratch_fixed + 15 * n + (derivatives ? 0 : width);
    return numbers * widest_number;
}

Outcome run(const Arm& arm, const Request& request, double* work) {
    const bool derivatives = request.quantity == coriolis_matrix || request.quantity == linearization;
    for (long row = request.first; row < request.last;) {
        const bool single = derivatives || request.last - row == 1;
        const Outcome outcome = single ? run_one(arm, request, row, work) : run_several(arm, request, row, work);
        if (outcome != Outcome::done) return outcome;
        row += single ? 1 : lanes;
    }
    return Outcome::done;
}

}  // namespace CONTINUARM_LEVEL

#define CONTINUARM_JOIN_(a, b) a##b
#define CONTINUARM_JOIN(a, b) CONTINUARM_JOIN_(a, b)

Outcome CONTINUARM_JOIN(run_, CONTINUARM_LEVEL)(const Arm& arm, const Request& request, double* work) {
    return CONTINUARM_LEVEL::run(arm, request, work);
}

#if defined(CONTINUARM_FIRST_LEVEL)  // the same for every level
long work_size(const Arm& arm, const Request& request) { return CONTINUARM_LEVEL::scratch_size(arm, request); }
#endif

}  // namespace continuarm
