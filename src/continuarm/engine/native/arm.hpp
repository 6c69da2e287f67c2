// An arm as the kernels see it, and the table of quantities; shared by all instruction sets.

#pragma once

namespace continuarm {

struct Stop {
    double muscle[3];
    double limits[2];
    double stiffness[1];
};

struct Arm {
    int n;
    bool integral;                 // which coefficients: the exact integrals, or a shaped centre of gravity
    const double* sections;        // n · section_size, in the order of parameters.py
    const Stop* stops;             // of section i: stops[first_stop[i]] up to stops[first_stop[i + 1]]
    const int* first_stop;         // n + 1
    double gravity[3];             // in the base frame
    double base_frame[12];         // rotation and position of the base in the world
    double payload_mass[1];
    double payload_offset[3];
};

// The largest bend of a section, squared, rad², and a little more for rounding.
constexpr double full_turn_squared = 39.47841760435743 * (1.0 + 2e-12);

// The order is that of engine.py.
enum Quantity : int {
    forward_dynamics,
    inverse_dynamics,
    bias_forces,
    gravity_forces,
    elastic_forces,
    damping_forces,
    mass_matrix,
    coriolis_matrix,
    kinetic_energy,
    gravitational_energy,
    elastic_energy,
    tip_poses,
    poses_along,
    tip_jacobian,
    linearization,
    implicit_step,
    quantity_count
};

// What is asked for: inputs are rows of 3n numbers, outputs rows of result_size numbers.
struct Request {
    Quantity quantity;
    const double* inputs[3];
    double* output;
    long first, last;              // rows to do
    const double* places;          // for poses_along
    int place_count;
    double step;                   // for implicit_step, s
};

enum class Outcome : int { done = 0, refused = 1, singular = 2 };

inline int input_count(Quantity quantity) {
    switch (quantity) {
        case forward_dynamics:
        case inverse_dynamics:
        case linearization:
        case implicit_step: return 3;
        case bias_forces:
        case coriolis_matrix:
        case kinetic_energy: return 2;
        default: return 1;
    }
}

inline long result_size(Quantity quantity, long n, long places) {
    switch (quantity) {
        case mass_matrix:
        case coriolis_matrix: return 9 * n * n;
        case kinetic_energy:
        case gravitational_energy:
        case elastic_energy: return 1;
        case tip_poses: return 16 * n;
        case poses_along: return 16 * n * places;
        case tip_jacobian: return 18 * n * n;
        case linearization: return 54 * n * n;
        case implicit_step: return 6 * n;
        default: return 3 * n;
    }
}

// Doubles in the largest number type of any instruction set: a double with eight derivatives, padded.
constexpr long widest_number = 16;

// Doubles of scratch memory that one run needs, aligned to 64 bytes.
long work_size(const Arm& arm, const Request& request);

// One function for every instruction set; does rows first to last and says whether all was well.
typedef Outcome (*Runner)(const Arm& arm, const Request& request, double* work);
Outcome run_baseline(const Arm& arm, const Request& request, double* work);
Outcome run_avx2(const Arm& arm, const Request& request, double* work);
Outcome run_avx512(const Arm& arm, const Request& request, double* work);

}  // namespace continuarm
