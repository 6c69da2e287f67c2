// One instruction set's worth of everything: compiled several times with different flags, each into its own namespace
// (CONTINUARM_LEVEL). Nothing of the standard library is used here, so that no function compiled for a newer processor
// can end up in a place that an older one runs.

#include "derivatives.hpp"
#include "differences.hpp"
#include "newton.hpp"
#include "reverse.hpp"
#include "rows.hpp"
#include "sensitivities.hpp"

namespace continuarm {
namespace CONTINUARM_LEVEL {

namespace {

template <bool integral, class Real>
void evaluate(const Arm& arm, const Request& request, const Real* const* in, Real* out, Scratch<Real> scratch) {
    const Real *q = in[0], *qd = in[1], *third = in[2];
    const long size = 3L * arm.n;
    switch (request.quantity) {
        case bias_forces:
            motion_forces<integral>(arm, q, qd, third, true, out, scratch);
            add_elastic(arm, q, out);
            add_damping(arm, qd, out);
            break;
        case gravity_forces:
            gravity_only<integral>(arm, q, out, scratch);
            break;
        case elastic_forces:
            zero(out, size);
            add_elastic(arm, q, out);
            break;
        case damping_forces:
            zero(out, size);
            add_damping(arm, q, out);  // its one input is q̇
            break;
        case mass_matrix:
            masses<integral>(arm, q, out, scratch);
            break;
        case kinetic_energy:
            *out = kinetic<integral>(arm, q, qd, scratch);
            break;
        case gravitational_energy:
            *out = gravitational(arm, q, scratch);
            break;
        case elastic_energy: {
            Real* forces = scratch.take(size);
            zero(forces, size);
            *out = add_elastic(arm, q, forces);
            break;
        }
        case poses_along:
            poses(arm, q, out, request.places, request.place_count, scratch);
            break;
        case tip_jacobian:
            jacobians(arm, q, out, scratch);
            break;
        case centres_of_gravity:
            centres(arm, q, out, scratch);
            break;
        case wrench_forces:
            wrench_over_q(arm, q, in[1], out, scratch);
            break;
        default:  // those that take derivatives are below
            differentiable<integral>(arm, request, in, out, scratch);
    }
}

template <class Real>
void evaluate(const Arm& arm, const Request& request, const Real* const* in, Real* out, Scratch<Real> scratch) {
    if (arm.integral)
        evaluate<true>(arm, request, in, out, scratch);
    else
        evaluate<false>(arm, request, in, out, scratch);
}

Outcome run_one(const Arm& arm, const Request& request, long row, double* work) {
    const long width = result_size(request.quantity, arm.n, request.place_count);
    const double* in[3] = {nullptr, nullptr, nullptr};
    for (int k = 0; k < input_count(request.quantity); ++k)
        in[k] = request.inputs[k] + row * input_width(request.quantity, k, arm.n);
    if (!acceptable(arm, request, in)) return Outcome::refused;
    double* out = request.output + row * width;
    if (request.quantity == coriolis_matrix)
        coriolis(arm, in[0], in[1], out, work);
    else if (request.quantity == linearization)
        linearize_one(arm, in, out, work);
    else if (request.quantity == static_stiffness)
        static_slopes(arm, in[0], in[1], out, work);
    else
        evaluate(arm, request, in, out, Scratch<double>{work});
    Verdict<double> verdict;
    for (long k = 0; k < width; ++k) verdict.see(out[k]);
    return verdict.good() ? Outcome::done : Outcome::singular;
}

Outcome run_several(const Arm& arm, const Request& request, long row, double* work) {
    const long width = result_size(request.quantity, arm.n, request.place_count);
    Scratch<Lanes> scratch{reinterpret_cast<Lanes*>(work)};
    const Lanes* in[3] = {nullptr, nullptr, nullptr};
    const long count = gather(arm, request, request.inputs, row, scratch, in);
    if (!acceptable(arm, request, in)) return Outcome::refused;
    Lanes* out = scratch.take(width);
    evaluate(arm, request, in, out, scratch);
    return write_rows(out, width, row, count, request.output);
}

Outcome run(const Arm& arm, const Request& request, double* work) {
    const bool derivatives = takes_derivatives(request.quantity);
    for (long row = request.first; row < request.last;) {
        const bool single = derivatives || request.last - row == 1;
        const Outcome outcome = single                              ? run_one(arm, request, row, work)
                                : request.quantity == linearization ? linearize_several(arm, request, row, work)
                                                                    : run_several(arm, request, row, work);
        if (outcome != Outcome::done) return outcome;
        row += single ? 1 : lanes;
    }
    return Outcome::done;
}

// ---- The plant of one state ----------------------------------------------------------------------------------------

}  // namespace

bool holds(const Plant& plant, const double* state) {
    Verdict<double> verdict;
    for (long j = 0; j < 2 * plant.size(); ++j) verdict.see(state[j]);
    see_range(*plant.arm, state, verdict);
    return verdict.good();
}

namespace {

bool all_finite(const double* values, long count) {
    Verdict<double> verdict;
    for (long j = 0; j < count; ++j) verdict.see(values[j]);
    return verdict.good();
}

bool rate(const Plant& plant, const double* commands, const double* state, double* out, double* work) {
    if (!holds(plant, state)) return false;
    Scratch<double> scratch{work};
    double* tau = scratch.take(plant.size());
    if (plant.arm->integral)
        plant_rate<true>(plant, commands, state, out, tau, scratch);
    else
        plant_rate<false>(plant, commands, state, out, tau, scratch);
    return all_finite(out + plant.size(), plant.size());
}

bool step(const Plant& plant, const double* commands, double length, double* state, double* work) {
    if (!holds(plant, state)) return false;
    const Scratch<double> scratch{work};
    if (plant.arm->integral)
        plant_step<true>(plant, commands, &length, state, scratch);
    else
        plant_step<false>(plant, commands, &length, state, scratch);
    return all_finite(state, plant.width) && least_margin(*plant.arm, state) > 0.0;
}

void tangent(const Plant& plant, const double* commands, const double* state, NewtonParts& parts) {
    newton_tangent(plant, commands, state, parts);
}

bool linearize(const Plant& plant, const double* commands, const double* state, NewtonParts& parts) {
    if (!holds(plant, state)) return false;
    plant.arm->integral ? newton_settle<true>(*plant.arm, state, parts)
                        : newton_settle<false>(*plant.arm, state, parts);
    newton_tangent(plant, commands, state, parts);
    return true;
}

bool stops_changed(const Plant& plant, const double* state, const NewtonParts& parts) {
    return newton_stops_changed(*plant.arm, state, parts);
}

bool eliminate_all(const Plant& plant, double part, NewtonParts& parts) { return newton_eliminate(plant, part, parts); }

void correct(const Plant& plant, double part, NewtonParts& parts, double* residual) {
    newton_correct(plant, part, parts, residual);
}

double margin(const Plant& plant, const double* state) { return least_margin(*plant.arm, state); }

}  // namespace

static_assert(sizeof(Dual) <= widest_number * sizeof(double), "scratch memory is counted in the widest numbers");

// With what derivatives keep: two evaluations, states and derivatives of an implicit step.
constexpr long scratch_numbers(long n) {
    return n * (scratch_per_section + 2 * kept_per_section + 45) + scratch_fixed + 30 + 15 * n;
}

}  // namespace CONTINUARM_LEVEL

#define CONTINUARM_TEXT_(a) #a
#define CONTINUARM_TEXT(a) CONTINUARM_TEXT_(a)
#define CONTINUARM_JOIN_(a, b) a##b
#define CONTINUARM_JOIN(a, b) CONTINUARM_JOIN_(a, b)

const Kernels CONTINUARM_JOIN(kernels_, CONTINUARM_LEVEL) = {
    CONTINUARM_TEXT(CONTINUARM_LEVEL),
    CONTINUARM_LEVEL::run,
    CONTINUARM_LEVEL::jvp,
    CONTINUARM_LEVEL::vjp,
    CONTINUARM_LEVEL::rate,
    CONTINUARM_LEVEL::step,
    CONTINUARM_LEVEL::linearize,
    CONTINUARM_LEVEL::tangent,
    CONTINUARM_LEVEL::stops_changed,
    CONTINUARM_LEVEL::eliminate_all,
    CONTINUARM_LEVEL::correct,
    CONTINUARM_LEVEL::plant_shown,
    CONTINUARM_LEVEL::margin,
    {
        CONTINUARM_LEVEL::predict,
        CONTINUARM_LEVEL::accept,
        CONTINUARM_LEVEL::rescale,
        CONTINUARM_LEVEL::weigh_errors,
        CONTINUARM_LEVEL::weighted_square,
        CONTINUARM_LEVEL::residual_of,
        CONTINUARM_LEVEL::corrected,
        CONTINUARM_LEVEL::interpolate,
    },
    CONTINUARM_LEVEL::slope,
    CONTINUARM_LEVEL::sloped_rate,
    CONTINUARM_LEVEL::sloped_step,
    CONTINUARM_LEVEL::reversed_step,
};

#if defined(CONTINUARM_FIRST_LEVEL)  // the same for every level
long work_size(const Arm& arm, const Request& request) {
    const long numbers = CONTINUARM_LEVEL::scratch_numbers(arm.n);
    if (takes_derivatives(request.quantity)) return numbers * widest_number;
    if (request.weights || request.tangents[0])
        return (numbers + gradient_size(arm, request) + input_numbers(request.quantity, arm.n) +
                2 * result_size(request.quantity, arm.n, 0)) *
               widest_number;
    if (request.quantity == linearization)
        return (numbers + result_size(request.quantity, arm.n, 0) + 27 * arm.n) * widest_number;
    if (request.last - request.first == 1) return numbers;  // doubles, and the result is written where it belongs
    return (numbers + result_size(request.quantity, arm.n, request.place_count)) * widest_number;
}

long work_size(const Plant& plant) {
    return CONTINUARM_LEVEL::scratch_numbers(plant.arm->n) + 6 * plant.size() +
           (2 + plant.branch_count) * plant.muscle_count() + 6 * plant.arm->n;
}
#endif

}  // namespace continuarm
