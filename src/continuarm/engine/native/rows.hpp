// Rows of states and results, for one state or for as many as the lanes hold; and the quantities that have derivatives.

#pragma once

#include "drivers.hpp"

namespace continuarm {
namespace CONTINUARM_LEVEL {

template <class Real>
void see_range(const Arm& arm, const Real* q, Verdict<Real>& verdict) {
    for (int i = 0; i < arm.n; ++i) {
        Real bend, length;
        margins(arm.sections[i], q + 3 * i, &bend, &length);
        verdict.see_positive(bend);
        verdict.see_positive(length);
    }
}

template <class Real>
bool acceptable(const Arm& arm, const Request& request, const Real* const* in) {
    Verdict<Real> verdict;
    const int count = input_count(request.quantity);
    for (int k = 0; k < count; ++k) {
        const long width = input_width(request.quantity, k, arm.n);
        for (long j = 0; j < width; ++j) verdict.see(in[k][j]);
    }
    if (needs_range(request.quantity)) see_range(arm, in[0], verdict);
    return verdict.good();
}

// Quantities that have jvp and vjp.
template <bool integral, class Real>
void differentiable(const Arm& arm, const Request& request, const Real* const* in, Real* out, Scratch<Real> scratch) {
    const Real *q = in[0], *qd = in[1], *third = in[2];
    switch (request.quantity) {
        case forward_dynamics:
            accelerations<integral, false, Real>(arm, q, qd, third, q, qd, nullptr, nullptr, out, scratch);
            break;
        case implicit_step:
            step_ahead<integral, Real>(arm, q, qd, third, &request.step, out, nullptr, scratch);
            break;
        case inverse_dynamics:
            motion_forces<integral>(arm, q, qd, third, true, out, scratch);
            add_elastic(arm, q, out);
            add_damping(arm, qd, out);
            break;
        case tip_poses:
            poses(arm, q, out, nullptr, 0, scratch);
            break;
        default:
            break;
    }
}

// The inputs of several rows, a lane for each; rows beyond the last repeat it.
inline long gather(const Arm& arm, const Request& request, const double* const* from, long row, Scratch<Lanes>& scratch,
                   const Lanes** in) {
    const long count = request.last - row < lanes ? request.last - row : lanes;
    for (int k = 0; k < input_count(request.quantity); ++k) {
        const long size = input_width(request.quantity, k, arm.n);
        Lanes* lane = scratch.take(size);
        for (long j = 0; j < size; ++j) lane[j] = Lanes::gathered(from[k] + row * size + j, size, count);
        in[k] = lane;
    }
    return count;
}

// Writes several rows; whether they are finite.
inline Outcome write_rows(const Lanes* found, long width, long row, long count, double* output) {
    Verdict<Lanes> verdict;
    for (long k = 0; k < width; ++k) verdict.see(found[k]);
    for (long l = 0; l < count; ++l)
        for (long k = 0; k < width; ++k) output[(row + l) * width + k] = found[k][int(l)];
    return verdict.good() ? Outcome::done : Outcome::singular;
}

}  // namespace CONTINUARM_LEVEL
}  // namespace continuarm
