// An arm and a plant as the kernels see them; shared by all instruction sets.

#pragma once

#include "difference_tables.hpp"
#include "generated/quantities.hpp"
#include "generated/structs.hpp"

namespace continuarm {

// How many an arm has of what, and where it lies in states and commands: the same for all arms of one layout. In the
// kernel of a GPU the compiler knows all of it (device_source.py).
#if !defined(CONTINUARM_NUMBER)
struct ArmLayout {
    int n;
    bool integral;          // which inertia model: the exact integrals, or a shaped centre of gravity
    const int* first_stop;  // n + 1
};

// Layouts of states and commands are those of StateLayout and CommandLayout in Python.
struct PlantLayout {
    int branch_count;         // of a muscle
    const int* first_muscle;  // n + 1
    bool remembers;           // whether states hold pressures, hysteresis and creep
    long pressures, hysteresis, creep, supplied, dissipated, width;  // where they begin in a state, after q and q̇
    long forces, wrench, command_width;  // where they begin in commands; pressures come first
};
#endif

// Constant: the number type of its constants, double or a number with derivatives.
template <class Constant>
struct ArmOf : ArmLayout {
    typedef Constant Number;
    const Section<Constant>* sections;  // n
    const Stop<Constant>* stops;        // of section i: stops[first_stop[i]] up to stops[first_stop[i + 1]]
    Constant gravity[3];                // in the base frame
    Frame<Constant> base_frame;         // of the base in the world
    Constant payload_mass[1];
    Constant payload_offset[3];
};
using Arm = ArmOf<double>;

// An arm with its muscles and valves.
template <class Constant>
struct PlantOf : PlantLayout {
    const ArmOf<Constant>* arm;
    const Muscle<Constant>* muscles;    // of section i: muscles[first_muscle[i]] up to muscles[first_muscle[i + 1]]
    const ValveStep<Constant>* valves;  // one for each muscle, for steps of a fixed length
    const Branch<Constant>* branches;   // relaxing branches: those of all muscles, then the next of all muscles
    const BranchStep<Constant>* kept;   // one for each of them, for steps of a fixed length

    long size() const { return 3L * arm->n; }
    long muscle_count() const { return first_muscle[arm->n]; }
    bool lags(long j) const { return muscles[j].fill_rate > 0.0; }
};
using Plant = PlantOf<double>;

// All constants of a plant in one row: sections, stops, gravity, base frame, payload, muscles, valves, branches, kept.
inline long constant_count(const Plant& plant) {
    const long muscles = plant.muscle_count(), branches = plant.branch_count * muscles;
    return plant.arm->n * Section<double>::size + plant.arm->first_stop[plant.arm->n] * Stop<double>::size + 3 +
           Frame<double>::size + 4 + muscles * (Muscle<double>::size + ValveStep<double>::size) +
           branches * (Branch<double>::size + BranchStep<double>::size);
}

// What Newton's iteration knows of a plant: at one state (resting, blocks, pushes, slopes, relaxation, pressed), and
// for one c (eliminated, added, shares, gains). Memory of whoever iterates; `memory` is how many numbers muscles
// remember.
struct NewtonParts {
    RestingSection<double>* resting;       // n
    Eliminated<double>* eliminated;        // n
    Symmetric<double>*blocks, *added;      // n each: K over q_i, and c D + c² K with what muscles remember eliminated
    double *pushes, *slopes, *relaxation;  // memory each, as in Tangent of Python
    double *shares, *gains;                // memory each
    double* pressed;                       // one for each stop: whether a muscle is in it
    double *pulls, *Dinv_u;                // 3n each: of one correction
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
    // Of derivatives: the directions that inputs move in, rows like theirs; or the weights of results, rows like those.
    const double* tangents[3];
    const double* weights;
    bool constants;  // whether derivatives by the numbers of the arm are wanted beside those by inputs
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
    // The same for how it changes along the tangents, or for the derivatives of its weighted sum: see jvp and vjp.
    Outcome (*jvp)(const Arm& arm, const Request& request, double* work);
    Outcome (*vjp)(const Arm& arm, const Request& request, double* work);
    // The rate of change of a state under commands.
    bool (*rate)(const Plant& plant, const double* commands, const double* state, double* rate, double* work);
    // A state one implicit step later, in place, under commands that are means over it.
    bool (*step)(const Plant& plant, const double* commands, double step, double* state, double* work);
    // What is stiff at a state: inertia, and then its tangent.
    bool (*linearize)(const Plant& plant, const double* commands, const double* state, NewtonParts& parts);
    void (*tangent)(const Plant& plant, const double* commands, const double* state, NewtonParts& parts);
    // Whether a muscle came into a stop or left one since the tangent was taken.
    bool (*stops_changed)(const Plant& plant, const double* state, const NewtonParts& parts);
    // M + c D + c² K eliminated section by section, from the tip to the base; false where it is not positive.
    bool (*eliminate)(const Plant& plant, double part, NewtonParts& parts);
    // (1 - c J)⁻¹ of a residual, in place.
    void (*correct)(const Plant& plant, double part, NewtonParts& parts, double* residual);
    // What a motion shows of a state under commands: τ of all muscles with commanded forces, (3n,), what is in the
    // muscles and by what they are held back, (muscles,) each.
    void (*show)(const Plant& plant, const double* commands, const double* state, double* tau, double* pressures,
                 double* held_back);
    // How far the nearest section is from where the model ends; not positive where it does not hold.
    double (*margin)(const Plant& plant, const double* state);
    DifferenceLoops differences;
    // The same with derivatives by parameters: rows of states are a state, then its slope by each of `count`
    // parameters. Constants with their slopes, which are (constants, count) row by row, in memory of sloped_size
    // doubles.
    void (*slope)(const Plant& plant, const double* slopes, long count, double* sloped);
    bool (*sloped_rate)(const Plant& plant, const double* sloped, long count, const double* commands,
                        const double* states, double* rates, double* work);
    // command_slopes: (command_width, count) row by row, or null where commands do not change with the parameters.
    bool (*sloped_step)(const Plant& plant, const double* sloped, long count, const double* commands,
                        const double* command_slopes, double step, double* states, double* work);
    // Derivatives of weights on the state after a step, by the state before it and the commands, which are written, and
    // by constants in the order of constant_count, which are added.
    bool (*reversed_step)(const Plant& plant, const double* commands, double step, const double* state,
                          const double* after_bar, double* state_bar, double* commands_bar, double* constants_bar,
                          double* work);
};

extern const Kernels kernels_baseline, kernels_avx2, kernels_avx512;

// Numbers in the row of derivatives that vjp writes: one for each input, then, where they are wanted, for each number
// of the arm: sections, stops, gravity, base frame, payload's mass and offset.
inline long input_numbers(Quantity quantity, long n) {
    long total = 0;
    for (int k = 0; k < input_count(quantity); ++k) total += input_width(quantity, k, n);
    return total;
}
inline long constant_numbers(const Arm& arm) {
    return long(arm.n) * Section<double>::size + long(arm.first_stop[arm.n]) * Stop<double>::size + 3 +
           Frame<double>::size + 1 + 3;
}
inline long gradient_size(const Arm& arm, const Request& request) {
    return input_numbers(request.quantity, arm.n) + (request.constants ? constant_numbers(arm) : 0);
}

// Doubles of scratch memory that one run of a quantity, or a plant, needs: the same for every instruction set.
long work_size(const Arm& arm, const Request& request);
long work_size(const Plant& plant);
long reversed_work_size(const Plant& plant);
long sloped_size(const Plant& plant, long count);
long sloped_work_size(const Plant& plant);

}  // namespace continuarm
