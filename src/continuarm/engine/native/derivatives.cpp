// Derivatives of quantities, forward and backward, and of a plant's step. Compiled, as kernels.cpp is, once for every
// instruction set.

#include "derivatives.hpp"

#include "plant_reverse.hpp"
#include "rows.hpp"

namespace continuarm {
namespace CONTINUARM_LEVEL {

namespace {

inline void set_one(Lanes& number, int count, int lane) {
    if (count == 1)
        number = Lanes(1.0);
    else
        number.set(lane, 1.0);
}

// ∂(q̇, q̈)/∂(q, q̇) and ∂(q̇, q̈)/∂τ, each acceleration by a pass backward. Real: one state, of which the lanes do an
// acceleration each (`count` of them at a time), or several states, of which they do one after another.
template <bool integral, class Real>
void linearize(const Arm& arm, const Real* const* in, int count, Real* gradients, Scratch<Real> scratch) {
    const long size = 3L * arm.n;
    const Kept<Real> kept(arm, scratch);
    Real* lambda = scratch.take(size);
    keep_accelerations<integral>(arm, in[0], in[1], in[2], Acting<Real>{in[0], in[1], nullptr, nullptr}, kept, scratch);
    for (long first = 0; first < size; first += count, gradients += 3 * size) {
        zero(lambda, size);
        for (long k = first; k < first + count && k < size; ++k) set_one(lambda[k], count, int(k - first));
        accelerations_reverse<integral>(arm, in[0], in[1], kept, lambda, gradients, gradients + size,
                                        gradients + 2 * size, ConstantBars<Real>{nullptr}, scratch);
    }
}

// Writes the gradient of one acceleration, by q, q̇ and τ, where it belongs in A and B.
inline void write_linearized(long size, long row, const Lanes* gradient, int lane, double* out) {
    double *a = out + (size + row) * 2 * size, *b = out + 4 * size * size + (size + row) * size;
    for (long k = 0; k < 2 * size; ++k) a[k] = gradient[k][lane];
    for (long k = 0; k < size; ++k) b[k] = gradient[2 * size + k][lane];
}

inline void begin_linearized(long size, double* out) {
    for (long k = 0; k < size * 2 * size; ++k) out[k] = 0.0;
    for (long k = 0; k < size * size; ++k) out[4 * size * size + k] = 0.0;
    for (long j = 0; j < size; ++j) out[j * 2 * size + size + j] = 1.0;
}

void linearize(const Arm& arm, const Lanes* const* in, int count, Lanes* gradients, Scratch<Lanes> scratch) {
    arm.integral ? linearize<true>(arm, in, count, gradients, scratch)
                 : linearize<false>(arm, in, count, gradients, scratch);
}

// Derivatives by numbers that carry them, several directions at a time. With Dual divisions would cost less, and the
// compiler would do once more what it does for jvp.
template <bool integral>
void coriolis(const Arm& arm, const double* q, const double* qd, double* out, double* work) {
    const int size = 3 * arm.n;
    Scratch<Tangent> scratch{reinterpret_cast<Tangent*>(work)};
    Tangent *position = scratch.take(size), *rate = scratch.take(size), *tau = scratch.take(size);
    for (int first = 0; first < size; first += lanes) {
        for (int j = 0; j < size; ++j) {
            position[j] = Tangent(q[j]);
            rate[j] = Tangent(qd[j]);
            if (j >= first && j < first + lanes) rate[j].slope[j - first] = 1.0;
        }
        motion_forces<integral>(arm, position, rate, static_cast<const Tangent*>(nullptr), false, tau, scratch);
        for (int j = 0; j < size; ++j)
            for (int k = first; k < first + lanes && k < size; ++k) out[j * size + k] = tau[j].slope[k - first] / 2;
    }
}

}  // namespace

void coriolis(const Arm& arm, const double* q, const double* qd, double* out, double* work) {
    arm.integral ? coriolis<true>(arm, q, qd, out, work) : coriolis<false>(arm, q, qd, out, work);
}

void static_slopes(const Arm& arm, const double* q, const double* wrench, double* out, double* work) {
    const int size = 3 * arm.n;
    Scratch<Tangent> scratch{reinterpret_cast<Tangent*>(work)};
    Tangent *position = scratch.take(size), *tau = scratch.take(size), *felt = scratch.take(size), load[6];
    fill(load, wrench, 6);
    const bool loaded = any(wrench, 6);
    for (int first = 0; first < size; first += lanes) {
        for (int j = 0; j < size; ++j) {
            position[j] = Tangent(q[j]);
            if (j >= first && j < first + lanes) position[j].slope[j - first] = 1.0;
        }
        gravity_only<true>(arm, position, tau, scratch);
        add_elastic(arm, position, tau);
        if (loaded) wrench_over_q(arm, position, load, felt, scratch);
        for (int j = 0; j < size; ++j)
            for (int k = first; k < first + lanes && k < size; ++k)
                out[j * size + k] =
                    loaded ? tau[j].slope[k - first] - felt[j].slope[k - first] : tau[j].slope[k - first];
    }
}

// One state: a lane for each acceleration.
void linearize_one(const Arm& arm, const double* const* in, double* out, double* work) {
    const long size = 3L * arm.n;
    Scratch<Lanes> scratch{reinterpret_cast<Lanes*>(work)};
    Lanes* states[3];
    for (int k = 0; k < 3; ++k) {
        states[k] = scratch.take(size);
        fill(states[k], in[k], size);
    }
    Lanes* gradients = scratch.take(3 * size * ((size + lanes - 1) / lanes));
    linearize(arm, states, lanes, gradients, scratch);
    begin_linearized(size, out);
    for (long j = 0; j < size; ++j) write_linearized(size, j, gradients + j / lanes * 3 * size, int(j % lanes), out);
}

// Several states: one acceleration after another.
Outcome linearize_several(const Arm& arm, const Request& request, long row, double* work) {
    const long size = 3L * arm.n, width = result_size(request.quantity, arm.n, 0);
    Scratch<Lanes> scratch{reinterpret_cast<Lanes*>(work)};
    const Lanes* in[3] = {nullptr, nullptr, nullptr};
    const long count = gather(arm, request, request.inputs, row, scratch, in);
    if (!acceptable(arm, request, in)) return Outcome::refused;
    Lanes* gradients = scratch.take(3 * size * size);
    linearize(arm, in, 1, gradients, scratch);
    Verdict<Lanes> verdict;
    for (long k = 0; k < 3 * size * size; ++k) verdict.see(gradients[k]);
    for (int l = 0; l < count; ++l) {
        double* out = request.output + (row + l) * width;
        begin_linearized(size, out);
        for (long j = 0; j < size; ++j) write_linearized(size, j, gradients + j * 3 * size, l, out);
    }
    return verdict.good() ? Outcome::done : Outcome::singular;
}

// How the results of several rows change along the tangents of their inputs.
Outcome jvp(const Arm& arm, const Request& request, double* work) {
    const long width = result_size(request.quantity, arm.n, request.place_count);
    for (long row = request.first; row < request.last; row += lanes) {
        Scratch<Lanes> values{reinterpret_cast<Lanes*>(work)};
        const Lanes *in[3] = {nullptr, nullptr, nullptr}, *along[3] = {nullptr, nullptr, nullptr};
        const long count = gather(arm, request, request.inputs, row, values, in);
        if (!acceptable(arm, request, in)) return Outcome::refused;
        gather(arm, request, request.tangents, row, values, along);
        Lanes* slopes = values.take(width);
        Scratch<Tangent> scratch{reinterpret_cast<Tangent*>(values.next)};
        const Tangent* moving[3] = {nullptr, nullptr, nullptr};
        for (int k = 0; k < input_count(request.quantity); ++k) {
            const long size = input_width(request.quantity, k, arm.n);
            Tangent* both = scratch.take(size);
            for (long j = 0; j < size; ++j) both[j] = Tangent(in[k][j], along[k][j]);
            moving[k] = both;
        }
        Tangent* out = scratch.take(width);
        if (arm.integral)
            differentiable<true>(arm, request, moving, out, scratch);
        else
            differentiable<false>(arm, request, moving, out, scratch);
        for (long k = 0; k < width; ++k) slopes[k] = out[k].slope;
        const Outcome outcome = write_rows(slopes, width, row, count, request.output);
        if (outcome != Outcome::done) return outcome;
    }
    return Outcome::done;
}

// The derivatives of weighted sums of results by inputs, and by the numbers of the arm.
template <bool integral, class Real>
void pull_back(const Arm& arm, const Request& request, const Real* const* in, const Real* weights, Real* out,
               const ConstantBars<Real>& constants, Scratch<Real> scratch) {
    const Real *q = in[0], *qd = in[1], *third = in[2];
    const long size = 3L * arm.n;
    switch (request.quantity) {
        case forward_dynamics: {
            const Kept<Real> kept(arm, scratch);
            keep_accelerations<integral>(arm, q, qd, third, Acting<Real>{q, qd, nullptr, nullptr}, kept, scratch);
            accelerations_reverse<integral>(arm, q, qd, kept, weights, out, out + size, out + 2 * size, constants,
                                            scratch);
            break;
        }
        case inverse_dynamics:
            inverse_reverse<integral>(arm, q, qd, third, weights, out, out + size, out + 2 * size, constants, scratch);
            break;
        case implicit_step:
            step_reverse<integral>(arm, q, qd, third, &request.step, static_cast<const Leaning<Real>*>(nullptr),
                                   weights, weights + size, out, out + size, out + 2 * size,
                                   static_cast<const LeaningBars<Real>*>(nullptr), constants, scratch);
            break;
        case tip_poses:
            poses_reverse(arm, q, weights, out, constants, scratch);
            break;
        default:
            break;  // has no derivatives here
    }
}

template <class Real>
void pull_back(const Arm& arm, const Request& request, const Real* const* in, const Real* weights, Real* out,
               Scratch<Real> scratch) {
    zero(out, gradient_size(arm, request));
    const ConstantBars<Real> constants{request.constants ? out + input_numbers(request.quantity, arm.n) : nullptr};
    if (arm.integral)
        pull_back<true>(arm, request, in, weights, out, constants, scratch);
    else
        pull_back<false>(arm, request, in, weights, out, constants, scratch);
}

Outcome vjp_one(const Arm& arm, const Request& request, long row, double* work) {
    const long width = gradient_size(arm, request);
    const double* in[3] = {nullptr, nullptr, nullptr};
    for (int k = 0; k < input_count(request.quantity); ++k)
        in[k] = request.inputs[k] + row * input_width(request.quantity, k, arm.n);
    if (!acceptable(arm, request, in)) return Outcome::refused;
    double* out = request.output + row * width;
    pull_back(arm, request, in, request.weights + row * result_size(request.quantity, arm.n, request.place_count), out,
              Scratch<double>{work});
    Verdict<double> verdict;
    for (long k = 0; k < width; ++k) verdict.see(out[k]);
    return verdict.good() ? Outcome::done : Outcome::singular;
}

Outcome vjp_several(const Arm& arm, const Request& request, long row, double* work) {
    const long width = gradient_size(arm, request);
    const long results = result_size(request.quantity, arm.n, request.place_count);
    Scratch<Lanes> scratch{reinterpret_cast<Lanes*>(work)};
    const Lanes* in[3] = {nullptr, nullptr, nullptr};
    const long count = gather(arm, request, request.inputs, row, scratch, in);
    if (!acceptable(arm, request, in)) return Outcome::refused;
    Lanes *weights = scratch.take(results), *out = scratch.take(width);
    for (long j = 0; j < results; ++j)
        weights[j] = Lanes::gathered(request.weights + row * results + j, results, count);
    pull_back(arm, request, in, weights, out, scratch);
    return write_rows(out, width, row, count, request.output);
}

Outcome vjp(const Arm& arm, const Request& request, double* work) {
    for (long row = request.first; row < request.last; row += lanes) {
        const bool single = request.last - row == 1;
        const Outcome outcome = single ? vjp_one(arm, request, row, work) : vjp_several(arm, request, row, work);
        if (outcome != Outcome::done) return outcome;
    }
    return Outcome::done;
}

bool reversed_step(const Plant& plant, const double* commands, double length, const double* state,
                   const double* after_bar, double* state_bar, double* commands_bar, double* constants_bar,
                   double* work) {
    if (!holds(plant, state)) return false;
    const Scratch<double> scratch{work};
    const PlantBars<double> constants(plant, constants_bar);
    if (plant.arm->integral)
        plant_step_reverse<true>(plant, commands, &length, state, after_bar, state_bar, commands_bar, constants,
                                 scratch);
    else
        plant_step_reverse<false>(plant, commands, &length, state, after_bar, state_bar, commands_bar, constants,
                                  scratch);
    Verdict<double> verdict;
    for (long k = 0; k < plant.width; ++k) verdict.see(state_bar[k]);
    for (long k = 0; k < plant.command_width; ++k) verdict.see(commands_bar[k]);
    return verdict.good();
}

}  // namespace CONTINUARM_LEVEL

#if defined(CONTINUARM_FIRST_LEVEL)  // the same for every level
long reversed_work_size(const Plant& plant) {
    return work_size(plant) + 2 * work_size(plant) + plant.arm->n * (Frame<double>::size + Passage<double>::size + 40L);
}
#endif

}  // namespace continuarm
