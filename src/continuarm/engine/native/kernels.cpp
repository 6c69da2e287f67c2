// One instruction set's worth of everything: compiled several times with different flags, each into its own namespace
// (CONTINUARM_LEVEL). Nothing of the standard library is used here, so that no function compiled for a newer processor
// can end up in a place that an older one runs.

#include "plant.hpp"

namespace continuarm {
namespace CONTINUARM_LEVEL {

namespace {

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

template <bool integral, class Real>
void evaluate(const Arm& arm, const Request& request, const Real* const* in, Real* out, Scratch<Real> scratch) {
    const Real *q = in[0], *qd = in[1], *third = in[2];
    const long size = 3L * arm.n;
    switch (request.quantity) {
        case forward_dynamics:
            accelerations<integral, false, Real>(arm, q, qd, third, q, qd, nullptr, nullptr, out, scratch);
            break;
        case implicit_step:
            step_ahead<integral, Real>(arm, q, qd, third, &request.step, out, nullptr, scratch);
            break;
        case inverse_dynamics:
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
        case tip_poses:
            poses(arm, q, out, nullptr, 0, scratch);
            break;
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
        default:
            break;  // those that take derivatives are below
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
        accelerations<integral, false, Dual>(arm, state, state + size, state + 2L * size, state, state + size, nullptr,
                                             nullptr, qdd, scratch);
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

// ∂(G + K_e q - Jᵀ w)/∂q.
template <bool integral>
void static_slopes(const Arm& arm, const double* q, const double* wrench, double* out, Dual* memory) {
    const int size = 3 * arm.n;
    Scratch<Dual> scratch{memory};
    Dual *position = scratch.take(size), *tau = scratch.take(size), *felt = scratch.take(size), load[6];
    fill(load, wrench, 6);
    const bool loaded = any(wrench, 6);
    for (int first = 0; first < size; first += lanes) {
        for (int j = 0; j < size; ++j) {
            position[j] = Dual(q[j]);
            if (j >= first && j < first + lanes) position[j].slope.set(j - first, 1.0);
        }
        gravity_only<integral>(arm, position, tau, scratch);
        add_elastic(arm, position, tau);
        if (loaded) wrench_over_q(arm, position, load, felt, scratch);
        for (int j = 0; j < size; ++j)
            for (int k = first; k < first + lanes && k < size; ++k)
                out[j * size + k] =
                    loaded ? tau[j].slope[k - first] - felt[j].slope[k - first] : tau[j].slope[k - first];
    }
}

Outcome run_one(const Arm& arm, const Request& request, long row, double* work) {
    const long width = result_size(request.quantity, arm.n, request.place_count);
    const double* in[3] = {nullptr, nullptr, nullptr};
    for (int k = 0; k < input_count(request.quantity); ++k)
        in[k] = request.inputs[k] + row * input_width(request.quantity, k, arm.n);
    if (!acceptable(arm, request, in)) return Outcome::refused;
    double* out = request.output + row * width;
    Dual* memory = reinterpret_cast<Dual*>(work);
    if (request.quantity == coriolis_matrix)
        arm.integral ? coriolis<true>(arm, in[0], in[1], out, memory) : coriolis<false>(arm, in[0], in[1], out, memory);
    else if (request.quantity == linearization)
        arm.integral ? linearize<true>(arm, in, out, memory) : linearize<false>(arm, in, out, memory);
    else if (request.quantity == static_stiffness)  // the same for every inertia model
        static_slopes<true>(arm, in[0], in[1], out, memory);
    else
        evaluate(arm, request, in, out, Scratch<double>{work});
    Verdict<double> verdict;
    for (long k = 0; k < width; ++k) verdict.see(out[k]);
    return verdict.good() ? Outcome::done : Outcome::singular;
}

// Several rows at once; rows beyond the last repeat it.
Outcome run_several(const Arm& arm, const Request& request, long row, double* work) {
    const long width = result_size(request.quantity, arm.n, request.place_count);
    Scratch<Lanes> scratch{reinterpret_cast<Lanes*>(work)};
    const Lanes* in[3] = {nullptr, nullptr, nullptr};
    const long count = request.last - row < lanes ? request.last - row : lanes;
    for (int k = 0; k < input_count(request.quantity); ++k) {
        const long size = input_width(request.quantity, k, arm.n);
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

Outcome run(const Arm& arm, const Request& request, double* work) {
    const bool derivatives = takes_derivatives(request.quantity);
    for (long row = request.first; row < request.last;) {
        const bool single = derivatives || request.last - row == 1;
        const Outcome outcome = single ? run_one(arm, request, row, work) : run_several(arm, request, row, work);
        if (outcome != Outcome::done) return outcome;
        row += single ? 1 : lanes;
    }
    return Outcome::done;
}

// ---- The plant of one state ----------------------------------------------------------------------------------------

// Whether the state is finite and the model holds for it.
bool holds(const Plant& plant, const double* state) {
    Verdict<double> verdict;
    for (long j = 0; j < 2 * plant.size(); ++j) verdict.see(state[j]);
    see_range(*plant.arm, state, verdict);
    return verdict.good();
}

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
    Scratch<double> scratch{work};
    double* tau = scratch.take(plant.size());
    if (plant.arm->integral)
        plant_step<true>(plant, commands, &length, state, tau, scratch);
    else
        plant_step<false>(plant, commands, &length, state, tau, scratch);
    return all_finite(state, plant.width) && least_margin(*plant.arm, state) > 0.0;
}

bool mass(const Plant& plant, const double* state, double* out, double* work) {
    if (!holds(plant, state)) return false;
    const Scratch<double> scratch{work};
    plant.arm->integral ? masses<true>(*plant.arm, state, out, scratch)
                        : masses<false>(*plant.arm, state, out, scratch);
    return true;
}

void tangent(const Plant& plant, const double* commands, const double* state, Symmetric<double>* blocks,
             double* relaxation) {
    plant_tangent(plant, commands, state, blocks, relaxation);
}

void damping(const Plant& plant, Symmetric<double>* blocks) {
    for (int i = 0; i < plant.arm->n; ++i) section_damping(plant.arm->sections[i], blocks[i]);
}

double margin(const Plant& plant, const double* state) { return least_margin(*plant.arm, state); }

}  // namespace

static_assert(sizeof(Dual) <= widest_number * sizeof(double), "scratch memory is counted in the widest numbers");

constexpr long scratch_numbers(long n) { return n * scratch_per_section + scratch_fixed + 15 * n; }

}  // namespace CONTINUARM_LEVEL

#define CONTINUARM_TEXT_(a) #a
#define CONTINUARM_TEXT(a) CONTINUARM_TEXT_(a)
#define CONTINUARM_JOIN_(a, b) a##b
#define CONTINUARM_JOIN(a, b) CONTINUARM_JOIN_(a, b)

const Kernels CONTINUARM_JOIN(kernels_, CONTINUARM_LEVEL) = {
    CONTINUARM_TEXT(CONTINUARM_LEVEL),
    CONTINUARM_LEVEL::run,
    CONTINUARM_LEVEL::rate,
    CONTINUARM_LEVEL::step,
    CONTINUARM_LEVEL::mass,
    CONTINUARM_LEVEL::tangent,
    CONTINUARM_LEVEL::damping,
    CONTINUARM_LEVEL::margin,
};

#if defined(CONTINUARM_FIRST_LEVEL)  // the same for every level
long work_size(const Arm& arm, const Request& request) {
    const long numbers = CONTINUARM_LEVEL::scratch_numbers(arm.n);
    if (takes_derivatives(request.quantity)) return numbers * widest_number;
    if (request.last - request.first == 1) return numbers;  // doubles, and the result is written where it belongs
    return (numbers + result_size(request.quantity, arm.n, request.place_count)) * widest_number;
}

long work_size(const Plant& plant) {
    return CONTINUARM_LEVEL::scratch_numbers(plant.arm->n) + 6 * plant.size() +
           (1 + plant.branch_count) * plant.muscle_count() + 6 * plant.arm->n;
}
#endif

}  // namespace continuarm
