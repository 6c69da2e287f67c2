// An arm and a plant as the kernels see them; shared by all instruction sets.

#pragma once

#include "generated/quantities.hpp"
#include "generated/structs.hpp"

namespace continuarm {

struct Arm {
    int n;
    bool integral;                    // which inertia model: the exact integrals, or a shaped centre of gravity
    const Section<double>* sections;  // n
    const Stop<double>* stops;        // of section i: stops[first_stop[i]] up to stops[first_stop[i + 1]]
    const int* first_stop;            // n + 1
    double gravity[3];                // in the base frame
    Frame<double> base_frame;         // of the base in the world
    double payload_mass[1];
    double payload_offset[3];
};

// An arm with its muscles and valves. Layouts are those of StateLayout and CommandLayout in Python.
struct Plant {
    const Arm* arm;
    const Muscle<double>* muscles;    // of section i: muscles[first_muscle[i]] up to muscles[first_muscle[i + 1]]
    const ValveStep<double>* valves;  // one for each muscle, for steps of a fixed length
    const Branch<double>* branches;   // relaxing branches: those of all muscles, then the next of all muscles
    const BranchStep<double>* kept;   // one for each of them, for steps of a fixed length
    int branch_count;                 // of a muscle
    const int* first_muscle;          // n + 1
    bool remembers;                   // whether states hold pressures, hysteresis and creep
    long pressures, hysteresis, creep, supplied, dissipated, width;  // where they begin in a state, after q and q̇
    long forces, wrench, command_width;  // where they begin in commands; pressures come first

    long size() const { return 3L * arm->n; }
    long muscle_count() const { return first_muscle[arm->n]; }
    bool lags(long j) const { return muscles[j].fill_rate > 0.0; }
};

// What is asked for: inputs are rows of input_width numbers, outputs rows of result_size numbers.
struct Request {
    Quantity quantity;
    const double* inputs[3];
    double* output;
    long first, last;      // rows to do
    const double* places;  // for poses_along
    int place_count;
    double step;  // for implicit_step, s
};

enum class Outcome : int { done = 0, refused = 1, singular = 2 };

// Doubles in the largest number type of any instruction set: a double with eight derivatives, padded.
constexpr long widest_number = 16;

// What is compiled once for every instruction set. Work is scratch memory, aligned to 64 bytes. What returns bool is
// false where the model does not hold.
struct Kernels {
    const char* name;
    // Rows first to last of a quantity.
    Outcome (*run)(const Arm& arm, const Request& request, double* work);
    // The rate of change of a state under commands.
    bool (*rate)(const Plant& plant, const double* commands, const double* state, double* rate, double* work);
    // A state one implicit step later, in place, under commands that are means over it.
    bool (*step)(const Plant& plant, const double* commands, double step, double* state, double* work);
    // M over q, row by row.
    bool (*mass)(const Plant& plant, const double* state, double* mass, double* work);
    // What is stiff: K over q_i, one symmetric block for each section, and how fast what muscles remember relaxes.
    void (*tangent)(const Plant& plant, const double* commands, const double* state, Symmetric<double>* blocks,
                    double* relaxation);
    // D over q_i, one symmetric block for each section.
    void (*damping)(const Plant& plant, Symmetric<double>* blocks);
    // How far the nearest section is from where the model ends; not positive where it does not hold.
    double (*margin)(const Plant& plant, const double* state);
};

extern const Kernels kernels_baseline, kernels_avx2, kernels_avx512;

// Doubles of scratch memory that one run of a quantity, or a plant, needs: the same for every instruction set.
long work_size(const Arm& arm, const Request& request);
long work_size(const Plant& plant);

}  // namespace continuarm
